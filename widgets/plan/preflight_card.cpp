// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/preflight_card.h"

#include "format.h"
#include "parts/field.h"
#include "parts/path_text.h"
#include "parts/plan_text.h"
#include "plan/plan_editor.h"
#include "plan/target_form.h"
#include "theme.h"

#include <dyno/runner.h>
#include <dyno/uri.h>
#include <dyno/visible_text.h>

#include <QPainter>
#include <QProgressBar>
#include <QVBoxLayout>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kIcon = 16;
constexpr const char* kTargetField = "target.uri";

Error faultsFirst()
{
    return {ErrorKind::BadInput, "Fix the plan first", {}, "its faults are listed above"};
}

bool isRemote(const std::string& uri)
{
    const auto parsed = parseUri(uri);
    return parsed && parsed->kind == TargetKind::Remote;
}

//! All targets of the plan as one text: another one makes the list void.
QString targetsOf(const Plan& plan)
{
    QString text = qtText(plan.target.uri);
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases) {
            if (const auto found = one.set.find(kTargetField); found != one.set.end())
                text += u'\n' + qtText(toText(found->second));
        }
    }
    return text;
}

QString levelText(PreflightLevel level)
{
    switch (level) {
    case PreflightLevel::Ok:
        return PreflightCard::tr("Fine");
    case PreflightLevel::Note:
        return PreflightCard::tr("Note");
    case PreflightLevel::Warning:
        return PreflightCard::tr("Warning");
    case PreflightLevel::Blocker:
        break;
    }
    return PreflightCard::tr("The run would fail");
}

//! As a line of the list: what only Start can ask about.
PreflightItem openRisk(const Risk& risk)
{
    const QString wants = PreflightCard::tr("this plan wants to %1").arg(qtText(visibleText(risk.wants)));
    return {"agreement",
            PreflightLevel::Blocker,
            wants.toStdString(),
            PreflightCard::tr("Start asks about it").toStdString(),
            {}};
}

RowAction fixAction(const PreflightFix& fix)
{
    if (fix.name.empty())
        return {};
    const QString name = qtText(fix.name), value = qtText(toText(fix.value));
    return {
        PreflightCard::tr("Fix"), u"preflightFix."_s + name,
        PreflightCard::tr("Set %1 to %2 in the plan").arg(name, value),
        PreflightCard::tr("Adds server.%1 = %2 to the plan; set for the runs, restored afterwards").arg(name, value)};
}

QString serverText(const PreflightReport& report)
{
    QStringList parts{qtText(report.server.product + " " + report.server.version).trimmed()};
    if (!report.server.cipher.empty())
        parts << cipherText(report.server.cipher);
    if (report.roundTripMs > 0)
        parts << PreflightCard::tr("round trip %1").arg(format::time(report.roundTripMs));
    return parts.join(u" · "_s);
}

} // namespace

bool hasRemoteTarget(const Plan& plan)
{
    if (isRemote(plan.target.uri))
        return true;
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases) {
            const auto found = one.set.find(kTargetField);
            if (found != one.set.end() && isRemote(toText(found->second)))
                return true;
        }
    }
    return false;
}

// --- PreflightRow ---

PreflightRow::PreflightRow(const PreflightItem& item, const RowAction& action, QWidget* parent)
    : QWidget(parent)
    , m_level(item.level)
    , m_icon(new QLabel)
{
    setObjectName(u"preflightItem."_s + qtText(item.id));
    setAccessibleName(levelText(item.level) + u": "_s + qtText(item.what));
    setAccessibleDescription(qtText(item.remedy));
    setToolTip(levelText(item.level));
    m_icon->setFixedSize(kIcon, kIcon + 2);
    updateIcon();
    connect(&Theme::instance(), &Theme::changed, this, &PreflightRow::updateIcon);
    auto* what = new PathText(sentenceText(item.what), TextRole::Secondary);
    what->setObjectName(u"preflightWhat"_s);
    what->setStyleSheet(u"color: palette(text)"_s);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(1);
    texts->addWidget(what);
    if (!item.remedy.empty()) {
        auto* remedy = new PathText(sentenceText(item.remedy), TextRole::Secondary);
        remedy->setObjectName(u"preflightRemedy"_s);
        texts->addWidget(remedy);
    }
    if (!action.text.isEmpty()) {
        auto* fix = makeLink(action.text);
        describe(fix, action.objectName, action.accessibleName, action.toolTip);
        connect(fix, &QPushButton::clicked, this, &PreflightRow::fixClicked);
        texts->addWidget(fix, 0, Qt::AlignLeft);
    }
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 4);
    layout->setSpacing(8);
    layout->addWidget(m_icon, 0, Qt::AlignTop);
    layout->addLayout(texts, 1);
}

void PreflightRow::updateIcon()
{
    const auto name = [this] {
        switch (m_level) {
        case PreflightLevel::Ok:
            return u"check"_s;
        case PreflightLevel::Note:
            return u"info"_s;
        case PreflightLevel::Warning:
            return u"warning"_s;
        case PreflightLevel::Blocker:
            break;
        }
        return u"error"_s;
    };
    const ThemeColors& colors = Theme::instance().colors();
    const QColor color = m_level == PreflightLevel::Blocker   ? colors.bad
                         : m_level == PreflightLevel::Warning ? colors.warn
                         : m_level == PreflightLevel::Ok      ? colors.good
                                                              : colors.secondText;
    QPixmap picture = Theme::instance().icon(name()).pixmap(QSize(kIcon, kIcon), devicePixelRatioF());
    QPainter painter(&picture);
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(picture.rect(), color);
    painter.end();
    m_icon->setPixmap(picture);
}

// --- PreflightCard ---

PreflightCard::PreflightCard(PlanEditor& editor, std::function<QString()> password, std::function<Consent()> consent,
                             QWidget* parent)
    : Card(tr("On the server"), {}, parent)
    , m_editor(editor)
    , m_password(std::move(password))
    , m_consent(std::move(consent))
    , m_job(this)
    , m_chip(new Chip)
    , m_text(new WrapLabel({}, TextRole::Secondary))
    , m_busy(new QProgressBar)
    , m_items(new QVBoxLayout)
    , m_all(makeButton({}, "link"))
    , m_button(makeButton(tr("Check the server"), "", u"search"_s))
{
    setObjectName(u"preflightCard"_s);
    setAccessibleName(tr("Problems on the server"));
    m_chip->setObjectName(u"preflightChip"_s);
    header()->addWidget(m_chip);
    describe(m_text, u"preflightText"_s, tr("Result of the last check of the server"));
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    describe(m_busy, u"preflightBusy"_s, tr("Checking the server"));
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setFixedHeight(space::grid);
    describe(m_all, u"preflightAll"_s, tr("Show what is fine"), tr("Show or hide the checks that found nothing"));
    describe(m_button, u"preflightCheck"_s, tr("Check the server"),
             tr("Checks limits, rights, settings and load of the plan's servers and of this host; changes nothing; "
                "about 1 s"));
    m_items->setSpacing(0);
    body()->addWidget(m_text);
    body()->addWidget(m_busy);
    body()->addLayout(m_items);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_button);
    buttons->addStretch();
    buttons->addWidget(m_all);
    body()->addLayout(buttons);
    connect(m_button, &QPushButton::clicked, this, &PreflightCard::check);
    connect(m_all, &QPushButton::clicked, this, [this] {
        m_showAll = !m_showAll;
        showItems();
    });
    connect(&m_editor, &PlanEditor::changed, this, &PreflightCard::planChanged);
    connect(&m_editor, &PlanEditor::replaced, this, [this] { m_uri.clear(); }); // another plan: nothing is known of it
    setState(State::Nothing);
    if (!hasRemoteTarget(m_editor.plan()))
        hide(); // and no word of showing before the page has taken it in
}

void PreflightCard::planChanged()
{
    setVisible(hasRemoteTarget(m_editor.plan()));
    if (targetsOf(m_editor.plan()) != m_uri || (m_state == State::Failed && m_ofPlan)) {
        m_job.cancel();
        m_checking = false;
        m_uri.clear();
        m_reports.clear();
        setState(State::Nothing);
    } else if (m_state == State::Shown) {
        setState(State::Stale);
    }
}

void PreflightCard::check()
{
    const Plan plan = m_editor.plan();
    m_uri = targetsOf(plan);
    if (!m_editor.check().faults.empty() && !m_editor.checking()) {
        show(fail(faultsFirst()));
        return;
    }
    RunnerOptions options;
    options.password = m_password().toStdString();
    options.consent = m_consent();
    m_checking = true;
    setState(State::Busy);
    m_job.start(
        [plan, options]() -> Expected<std::vector<PreflightReport>> {
            if (!checkPlan(plan).empty())
                return fail(faultsFirst());
            return preflight(plan, options);
        },
        [this](const Expected<std::vector<PreflightReport>>& result) {
            m_checking = false;
            show(result);
        });
}

void PreflightCard::show(const Expected<std::vector<PreflightReport>>& result)
{
    m_reports.clear();
    if (result) {
        m_reports = *result;
        const std::vector<Risk>& told = m_editor.check().risks; // by the card "This plan wants to …"
        for (PreflightReport& report : m_reports) {
            for (const Risk& risk : report.risks) {
                if (std::ranges::find(told, risk) == told.end())
                    report.items.push_back(openRisk(risk));
            }
        }
        setState(State::Shown);
    } else {
        setState(State::Failed);
        m_ofPlan = result.error().kind == ErrorKind::BadInput;
        const QString what = sentenceText(result.error().message);
        const QString remedy = sentenceText(result.error().remedy);
        m_text->setText(remedy.isEmpty() ? what : what + u'\n' + remedy);
        setTone(m_text, Tone::Bad);
    }
    emit finished(result.has_value());
}

void PreflightCard::setState(State state)
{
    m_state = state;
    const bool list = state == State::Shown || state == State::Stale;
    m_busy->setVisible(state == State::Busy);
    m_button->setEnabled(state != State::Busy);
    m_button->setText(state == State::Nothing || state == State::Busy ? tr("Check the server") : tr("Check again"));
    m_chip->setVisible(list);
    m_text->setVisible(true);
    setTone(m_text, Tone::Neutral);
    if (state == State::Nothing)
        m_text->setText(tr("Not checked yet: connections, rights, limits, durability, other load"));
    else if (state == State::Busy)
        m_text->setText(tr("Checking the server and this host…"));
    showItems();
    if (!list)
        return;
    QStringList servers;
    int blockers = 0;
    int warnings = 0;
    for (const PreflightReport& report : m_reports) {
        servers << serverText(report);
        for (const PreflightItem& item : report.items) {
            blockers += item.level == PreflightLevel::Blocker ? 1 : 0;
            warnings += item.level == PreflightLevel::Warning ? 1 : 0;
        }
    }
    if (state == State::Stale)
        servers << tr("The plan has changed since");
    servers.removeAll(QString());
    m_text->setText(servers.join(u'\n'));
    m_chip->setText(state == State::Stale ? tr("out of date")
                    : blockers > 0        ? tr("%n would fail", nullptr, blockers)
                    : warnings > 0        ? tr("%n to check", nullptr, warnings)
                                          : tr("ready"));
    setTone(m_chip, state == State::Stale ? Tone::Neutral
                    : blockers > 0        ? Tone::Bad
                    : warnings > 0        ? Tone::Warn
                                          : Tone::Good);
}

void PreflightCard::showItems()
{
    while (QLayoutItem* old = m_items->takeAt(0)) {
        if (QWidget* widget = old->widget()) {
            widget->hide();
            widget->setObjectName({}); // gone for whoever looks for it
            widget->deleteLater();
        }
        delete old;
    }
    const bool list = m_state == State::Shown || m_state == State::Stale;
    int fine = 0;
    for (const PreflightReport& report : m_reports) {
        if (!list)
            break;
        if (m_reports.size() > 1) {
            auto* target = new ElidedLabel(qtText(report.target), TextRole::Label);
            m_items->addWidget(target);
        }
        std::vector<PreflightItem> items = report.items;
        std::stable_sort(items.begin(), items.end(),
                         [](const PreflightItem& a, const PreflightItem& b) { return a.level > b.level; });
        for (const PreflightItem& item : items) {
            if (item.level == PreflightLevel::Ok) {
                ++fine;
                if (!m_showAll)
                    continue;
            }
            auto* row = new PreflightRow(item, fixAction(item.fix));
            connect(row, &PreflightRow::fixClicked, this, [this, fix = item.fix] { applyFix(fix); });
            m_items->addWidget(row);
            row->show(); // at once, not with the next layout
        }
    }
    m_all->setVisible(list && fine > 0);
    m_all->setText(m_showAll ? tr("Hide what is fine") : tr("%1 fine").arg(fine));
}

void PreflightCard::applyFix(const PreflightFix& fix)
{
    const std::string name = "server." + fix.name;
    m_editor.edit(tr("Set %1").arg(qtText(fix.name)), [&](Plan& plan) { plan.set.insert_or_assign(name, fix.value); });
    check();
}

} // namespace dyno
