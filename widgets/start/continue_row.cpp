// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/continue_row.h"

#include "bridge/app_context.h"
#include "format.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "parts/run_status_text.h"
#include "theme.h"

#include <dyno/path.h>
#include <dyno/report.h>

#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QResizeEvent>
#include <QTextDocument>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kCardSparkWidth = 100, kTextLines = 3;

class Sparkline : public QWidget
{
public:
    explicit Sparkline(ChartPreview preview, QWidget* parent = nullptr)
        : QWidget(parent)
        , m_preview(std::move(preview))
    {
        setFixedSize(kCardSparkWidth, 34);
        setAttribute(Qt::WA_TransparentForMouseEvents);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintSparkline(painter, QRectF(rect()), m_preview);
    }

private:
    ChartPreview m_preview;
};

class PlanIcon : public QWidget
{
public:
    PlanIcon() { setFixedSize(14, 14); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        Theme::instance().icon(u"plan"_s).paint(&painter, rect());
    }
};

//! The first `most` characters of escaped text, in which no tag but <b> stands, and "…".
QString shortened(const QString& html, qsizetype most)
{
    QString out;
    bool bold = false;
    qsizetype count = 0;
    for (qsizetype at = 0; at < html.size() && count < most;) {
        qsizetype end = at + (html[at].isHighSurrogate() ? 2 : 1);
        if (html[at] == u'<') {
            end = std::max(end, html.indexOf(u'>', at) + 1);
            bold = !bold;
        } else {
            if (html[at] == u'&')
                end = std::max(end, html.indexOf(u';', at) + 1);
            ++count;
        }
        out += html.mid(at, end - at);
        at = end;
    }
    while (out.endsWith(u' '))
        out.chop(1);
    out += u'…';
    return bold ? QString(out + u"</b>"_s) : out;
}

//! Words that wrap; what does not fit on the lines there are ends in "…", and the tool tip has all of it.
class ShortText : public QLabel
{
public:
    explicit ShortText(const QString& html, const QString& whole)
        : m_html(html)
    {
        setTextFormat(Qt::RichText);
        setText(html);
        setFont(Theme::font(TextRole::Secondary));
        setWordWrap(true);
        setAlignment(Qt::AlignLeft | Qt::AlignTop);
        setToolTip(whole);
        setAccessibleName(whole);
        setFixedHeight(QFontMetrics(font()).lineSpacing() * kTextLines + 2);
        setMinimumWidth(80);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QLabel::resizeEvent(event);
        if (event->size().width() == event->oldSize().width())
            return;
        if (fits(m_html)) {
            setText(m_html);
            return;
        }
        qsizetype fitting = 0, tooLong = m_html.size();
        while (tooLong - fitting > 1) {
            const qsizetype middle = (fitting + tooLong) / 2;
            (fits(shortened(m_html, middle)) ? fitting : tooLong) = middle;
        }
        setText(shortened(m_html, fitting));
    }

private:
    [[nodiscard]] bool fits(const QString& html) const
    {
        QTextDocument document;
        document.setDefaultFont(font());
        document.setDocumentMargin(0);
        document.setHtml(html);
        document.setTextWidth(contentsRect().width());
        return document.size().height() <= height();
    }

    QString m_html;
};

//! "today 15:12 · 135 runs · MariaDB 10.11.6"
QString factsOf(const SessionInfo& session, bool runs)
{
    QStringList parts{format::when(session.startedMs)};
    if (runs)
        parts << (session.runsDone == session.runsPlanned
                      ? runsText(session.runsDone)
                      : ContinueRow::tr("%1 runs", "8 of 18").arg(countsText(session.runsDone, session.runsPlanned)));
    if (!session.product.empty())
        parts << qtText(session.product);
    return parts.join(u" · "_s);
}

//! How a session ended that is not what its plan asked for; "" for one that is.
QString endingOf(const SessionInfo& session)
{
    switch (session.status) {
    case RunStatus::Running:
        return statusText(session.status);
    case RunStatus::Pending:
    case RunStatus::Done:
        return {};
    default:
        return endingText(session.status, session.runsDone, session.runsPlanned);
    }
}

QString withTime(const QString& what, double minutes)
{
    const QString time = minutesText(minutes);
    return time.isEmpty() ? what : ContinueRow::tr("%1, %2", "36 runs, 16 min").arg(what, time);
}

//! All that the cards of a reading say, beside their charts.
QStringList textsOf(const Expected<StartReading>& reading)
{
    if (!reading)
        return {u"problem"_s, qtText(reading.error().text())};
    QStringList texts;
    if (const auto& plan = reading->plan) {
        texts << u"plan"_s << qtText(writePlan(plan->plan)) << format::ago(plan->editedMs)
              << (plan->changed ? u"changed"_s : QString()) << QString::number(plan->faults) << runsText(plan->runs)
              << minutesText(plan->minutes);
    }
    for (const LatestSession& latest : reading->latest) {
        const SessionInfo& session = latest.info;
        texts << u"session"_s << qtText(session.id) << qtText(session.title) << factsOf(session, true)
              << endingOf(session) << latest.digest.verdict << QString::number(latest.missing)
              << minutesText(latest.missingMinutes);
    }
    return texts;
}

//! The parts that all cards have: title, a line, words beside a sparkline, buttons.
struct Parts
{
    QFrame* card;
    QHBoxLayout* line;
    QHBoxLayout* middle;
    QHBoxLayout* buttons;
};
Parts makeCard(const QString& name, const QString& title)
{
    Parts parts{new QFrame, new QHBoxLayout, new QHBoxLayout, new QHBoxLayout};
    parts.card->setObjectName(name);
    parts.card->setAccessibleName(title);
    setRole(parts.card, "card");
    parts.card->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // columns are alike, whatever the texts
    auto* head = new ElidedLabel(title, TextRole::Section);
    auto* layout = new QVBoxLayout(parts.card);
    layout->setContentsMargins(space::cardPadding, 12, space::cardPadding, 10);
    layout->setSpacing(space::grid);
    parts.line->setSpacing(8);
    parts.middle->setSpacing(12);
    parts.buttons->setSpacing(16);
    layout->addWidget(head);
    layout->addLayout(parts.line);
    layout->addSpacing(2);
    layout->addLayout(parts.middle);
    layout->addStretch(1);
    layout->addLayout(parts.buttons);
    return parts;
}

} // namespace

ContinueRow::ContinueRow(AppContext& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_grid(new QGridLayout(this))
{
    setObjectName(u"continueCard"_s);
    setAccessibleName(tr("Continue"));
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(space::cardGap);
}

void ContinueRow::setReading(const Expected<StartReading>& reading)
{
    const QStringList texts = textsOf(reading);
    std::vector<ChartPreview> charts;
    if (reading) {
        for (const LatestSession& latest : reading->latest)
            charts.push_back(latest.digest.chart);
    }
    if (texts == m_texts && charts == m_charts)
        return; // the cards stay, and with them what the person is at
    m_texts = texts;
    m_charts = std::move(charts);
    for (QWidget* card : m_cards) {
        card->hide();
        card->deleteLater();
    }
    m_cards.clear();
    if (!reading) {
        auto* problem = new WrapLabel(qtText(reading.error().text()), TextRole::Secondary);
        problem->setObjectName(u"continueProblem"_s);
        setTone(problem, Tone::Bad);
        m_cards.push_back(problem);
    } else {
        if (reading->plan)
            m_cards.push_back(planCard(*reading->plan));
        for (const LatestSession& latest : reading->latest)
            m_cards.push_back(sessionCard(latest));
    }
    place();
}

void ContinueRow::setColumns(int columns)
{
    if (columns == m_columns)
        return;
    m_columns = columns;
    place();
}

void ContinueRow::place()
{
    for (int column = 0; column < int(kContinueCards); ++column)
        m_grid->setColumnStretch(column, column < m_columns ? 1 : 0);
    for (QWidget* filler : m_fillers)
        delete filler;
    m_fillers.clear();
    const bool problem = m_cards.size() == 1 && m_cards.front()->objectName() == u"continueProblem";
    for (std::size_t i = 0; i < m_cards.size(); ++i) {
        m_grid->removeWidget(m_cards[i]);
        m_grid->addWidget(m_cards[i], int(i) / m_columns, int(i) % m_columns, 1, problem ? m_columns : 1);
        m_cards[i]->show();
    }
    // Empty places are as wide as cards, so that the columns are those of the questions below.
    for (int column = int(m_cards.size()); !problem && column < m_columns; ++column) {
        m_fillers.push_back(new QWidget);
        m_grid->addWidget(m_fillers.back(), 0, column);
    }
}

QWidget* ContinueRow::planCard(const OpenPlan& plan)
{
    const QString title = qtText(plan.plan.title);
    const Parts parts = makeCard(u"continuePlan"_s, title);
    parts.line->addWidget(new PlanIcon);
    const QString since = plan.changed ? tr("plan, not run yet · changed %1") : tr("plan, not run yet · opened %1");
    auto* state = new ElidedLabel(since.arg(format::ago(plan.editedMs)), TextRole::Secondary);
    state->setObjectName(u"continuePlanState"_s);
    parts.line->addWidget(state, 1);
    const QString what = tr("%1 on %2", "cases × users × repeats, target")
                             .arg(productSentence(plan.plan), qtText(targetText(plan.plan.target)));
    parts.middle->addWidget(new ShortText(what.toHtmlEscaped(), what), 1);
    auto* open = makeLink(tr("Open plan"));
    describe(open, u"continuePlanOpen"_s, tr("Open the plan “%1”").arg(title), tr("Show it on the Plan page"));
    connect(open, &QPushButton::clicked, this, [this] { m_context.showPage(u"planPage"_s); });
    if (plan.faults > 0) {
        auto* faults = makeLabel(faultsText(plan.faults), TextRole::Secondary);
        setTone(faults, Tone::Bad);
        parts.buttons->addWidget(open);
        parts.buttons->addWidget(faults);
    } else {
        auto* start = makeButton(tr("Start · %1").arg(withTime(runsText(plan.runs), plan.minutes)), "soft");
        describe(start, u"continuePlanStart"_s, tr("Start the plan “%1”").arg(title), startTip());
        connect(start, &QPushButton::clicked, this, &ContinueRow::startPlan);
        parts.buttons->addWidget(start);
        parts.buttons->addWidget(open);
    }
    parts.buttons->addStretch(1);
    return parts.card;
}

//! As it is now: it may have been edited since the card was made.
void ContinueRow::startPlan()
{
    const auto now = openPlanOf(lastPlan());
    if (now && now->faults == 0)
        m_context.startPlan(now->plan);
    else
        m_context.showPage(u"planPage"_s);
}

QWidget* ContinueRow::sessionCard(const LatestSession& latest)
{
    const SessionInfo& session = latest.info;
    const QString id = qtText(session.id);
    const QString name = session.title.empty() ? tr("Untitled") : qtText(session.title);
    const Parts parts = makeCard(u"continue."_s + id, name);
    const QString ending = endingOf(session);
    if (!ending.isEmpty())
        parts.line->addWidget(new Chip(ending, statusTone(session.status)));
    parts.line->addWidget(new ElidedLabel(factsOf(session, ending.isEmpty()), TextRole::Secondary), 1);
    const QString verdict = session.runsDone == 0 ? tr("No run is complete yet") : latest.digest.verdict;
    auto* words = new ShortText(verdictHtml(verdict), verdict);
    words->setObjectName(u"verdict."_s + id);
    parts.middle->addWidget(words, 1);
    if (!latest.digest.chart.isEmpty())
        parts.middle->addWidget(new Sparkline(latest.digest.chart), 0, Qt::AlignVCenter);
    auto* open = makeLink(tr("Open"));
    describe(open, u"open."_s + id, tr("Open “%1”").arg(name), tr("Charts and table of this session"));
    connect(open, &QPushButton::clicked, this, [this, id] { m_context.compareSessions({id}); });
    if (latest.missing > 0) { // what completes it comes before running it all again
        const QString count = format::count(latest.missing);
        const QString time = minutesText(latest.missingMinutes);
        auto* missing = makeLink(time.isEmpty() ? tr("Run the missing %1").arg(count)
                                                : tr("Run the missing %1 · %2", "runs, time").arg(count, time));
        describe(missing, u"missing."_s + id, tr("Run what is missing of “%1”").arg(name),
                 tr("Run what is not complete, into this session"));
        connect(missing, &QPushButton::clicked, this, [this, id] { m_context.runMissing(id); });
        parts.buttons->addWidget(missing);
        parts.buttons->addWidget(open);
    } else {
        auto* again = makeLink(tr("Run again"));
        describe(again, u"again."_s + id, tr("Run “%1” again").arg(name), tr("Start the same plan at once"));
        connect(again, &QPushButton::clicked, this, [this, id] { emit againRequested(id); });
        if (wasImported(session)) {
            again->setEnabled(false);
            again->setToolTip(tr("Another tool measured this session, so there is no plan to run"));
        }
        parts.buttons->addWidget(open);
        parts.buttons->addWidget(again);
    }
    parts.buttons->addStretch(1);
    return parts.card;
}

} // namespace dyno
