// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/recipe_card.h"

#include "format.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "parts/run_status_text.h"
#include "parts/split_button.h"
#include "preferences.h"
#include "theme.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPushButton>

#include <algorithm>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPictureHeight = 104;
constexpr int kTick = 13, kTickGap = 3;

//! "last result, 17 Nov"; "last result, 8 of 18 runs" where some are missing. It may be of another machine: a session
//! that somebody else sent.
QString ownText(const OwnResult& own)
{
    return own.runsDone < own.runsPlanned
               ? RecipeCard::tr("last result, %1 runs").arg(countsText(own.runsDone, own.runsPlanned))
               : RecipeCard::tr("last result, %1").arg(format::day(own.startedMs));
}

QString chipText(const Recipe& recipe, const OwnResult* own)
{
    if (!recipe.isOwn())
        return own ? ownText(*own) : RecipeCard::tr("example");
    const QString whose =
        recipe.origin == RecipeOrigin::Saved ? RecipeCard::tr("your recipe") : RecipeCard::tr("added recipe");
    return own ? QString(whose + u", "_s + format::day(own->startedMs)) : whose;
}

//! What differs is in the tool tip and in the plan; the card only says that something does.
QString departsText(const Recipe& recipe)
{
    return RecipeCard::tr("%n difference(s)", "from the published experiment", int(recipe.departs.size()));
}

//! That of the settings; nullptr when the recipe comes in one size.
const RecipeSize* usualSize(const Recipe& recipe)
{
    const auto usual =
        std::ranges::find(recipe.sizes, Preferences::instance().get(Preferences::size), &RecipeSize::name);
    return usual != recipe.sizes.end() ? &*usual : recipe.sizes.empty() ? nullptr : &recipe.sizes.front();
}

void letMouseThrough(QWidget* widget)
{
    widget->setAttribute(Qt::WA_TransparentForMouseEvents);
}

} // namespace

// --- RecipePicture ---

RecipePicture::RecipePicture(ChartPreview preview, Size size, QWidget* parent)
    : QWidget(parent)
    , m_preview(std::move(preview))
    , m_size(size)
{
    letMouseThrough(this);
    setSizePolicy(size == Size::Chart ? QSizePolicy::Expanding : QSizePolicy::Fixed, QSizePolicy::Fixed);
    size == Size::Chart ? setFixedHeight(kPictureHeight) : setFixedSize(44, 34);
}

void RecipePicture::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_size == Size::Chart)
        paintPreview(painter, QRectF(rect()), m_preview);
    else
        paintSparkline(painter, QRectF(rect()), m_preview, Theme::instance().colors().secondText);
}

// --- FoundLabel ---

FoundLabel::FoundLabel(const QStringList& forms, QWidget* parent)
    : QWidget(parent)
    , m_forms(forms)
{
    letMouseThrough(this);
    setFont(Theme::font(TextRole::Label));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(text());
}

QSize FoundLabel::sizeHint() const
{
    return {kTick + kTickGap + fontMetrics().horizontalAdvance(text()), 20};
}

QSize FoundLabel::minimumSizeHint() const
{
    return {kTick, 20};
}

void FoundLabel::paintEvent(QPaintEvent*)
{
    const QFontMetrics metrics(Theme::font(TextRole::Label));
    QString shown;
    for (const QString& form : m_forms) {
        if (kTick + kTickGap + metrics.horizontalAdvance(form) <= width()) {
            shown = form;
            break;
        }
    }
    const int text = shown.isEmpty() ? 0 : kTickGap + metrics.horizontalAdvance(shown);
    QPainter painter(this);
    painter.setFont(Theme::font(TextRole::Label));
    painter.setPen(Theme::instance().colors().secondText);
    painter.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter, shown);
    const QRect tick(width() - text - kTick, (height() - kTick) / 2, kTick, kTick);
    Theme::instance().icon(u"check"_s, &ThemeColors::good).paint(&painter, tick);
}

// --- RecipeCard ---

RecipeCard::RecipeCard(const Recipe& recipe, const OwnResult* own, Look look, QWidget* parent)
    : QAbstractButton(parent)
    , m_id(recipe.id)
    , m_title(recipe.title)
    , m_first(look == Look::FirstStart)
{
    setObjectName(u"recipe."_s + recipe.id);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // columns are alike, whatever the texts
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setAccessibleName(recipe.title);
    QStringList tips, told;
    if (!recipe.problem.isEmpty()) {
        tips << recipe.problem << recipe.remedy;
        told << tr("Not available: %1. %2").arg(recipe.problem, recipe.remedy);
    } else {
        tips << recipe.title << recipe.summary
             << (recipe.needs.isEmpty() ? tr("Open as a plan") : tr("Open as a plan. Needs %1").arg(recipe.needs));
        told << recipe.summary << recipe.needs;
    }
    if (!recipe.departs.isEmpty()) {
        const QString list =
            tr("Departs from the published experiment:") + u"\n\u2013 "_s + recipe.departs.join(u"\n\u2013 "_s);
        tips << QString() << list;
        told << list;
    }
    tips.removeAll(QString());
    setToolTip(tips.join(u'\n'));
    setAccessibleDescription(told.join(u'\n'));
    if (recipe.isOwn())
        makeMore(!recipe.plan.workload.name.empty());
    if (!recipe.problem.isEmpty()) {
        takeUsualSize(recipe); // opened as a plan, it can get another target
        layOutMissing(recipe);
        return;
    }
    makeStart(recipe);
    look == Look::FirstStart ? layOutFirst(recipe) : layOutGallery(recipe, own);
}

QPushButton* RecipeCard::startButton() const
{
    return m_start ? m_start->button() : nullptr;
}

void RecipeCard::setPrimary()
{
    if (m_start)
        m_start->setPrimary(true);
}

//! A chip that says whose figures these are, what they are of, and whether the recipe is not quite the post.
QHBoxLayout* RecipeCard::chipLine(const Recipe& recipe, const OwnResult* own)
{
    auto* chip = new Chip(chipText(recipe, own), own || recipe.isOwn() ? Tone::Accent : Tone::Neutral);
    chip->setObjectName(u"chip."_s + m_id);
    auto* measure = new ElidedLabel(own ? own->measure : recipe.measure, TextRole::Label);
    auto* departs = new ElidedLabel(departsText(recipe), TextRole::Label);
    departs->setObjectName(u"departs."_s + m_id);
    departs->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(8);
    line->addWidget(chip);
    line->addWidget(measure, 1);
    line->addWidget(departs);
    if (m_more)
        line->addWidget(m_more);
    if (recipe.departs.isEmpty())
        departs->hide();
    for (QWidget* part : {static_cast<QWidget*>(chip), static_cast<QWidget*>(measure), static_cast<QWidget*>(departs)})
        letMouseThrough(part);
    return line;
}

//! Chip, picture, question, one line, button: from above.
void RecipeCard::layOutGallery(const Recipe& recipe, const OwnResult* own)
{
    auto* title = new WrapLabel(recipe.title, TextRole::Section);
    auto* summary = new ElidedLabel(recipe.summary, TextRole::Secondary);
    for (QWidget* part : {static_cast<QWidget*>(title), static_cast<QWidget*>(summary)})
        letMouseThrough(part);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(0, 0, 0, 0);
    foot->setSpacing(6);
    foot->addWidget(m_start);
    foot->addWidget(new FoundLabel(recipe.found), 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::cardPadding, 12, space::cardPadding, 12);
    layout->setSpacing(space::grid);
    layout->addLayout(chipLine(recipe, own));
    layout->addSpacing(space::grid);
    layout->addWidget(new RecipePicture(own ? own->chart : recipe.example, RecipePicture::Size::Chart));
    layout->addSpacing(space::grid);
    layout->addWidget(title);
    layout->addWidget(summary);
    layout->addStretch(1);
    layout->addSpacing(space::grid);
    layout->addLayout(foot);
}

//! Texts at the left, the picture at the right.
void RecipeCard::layOutFirst(const Recipe& recipe)
{
    auto* texts = new QVBoxLayout;
    texts->setSpacing(8);
    texts->addStretch();
    for (auto* label : {new WrapLabel(recipe.title, TextRole::PageTitle), new WrapLabel(recipe.summary, TextRole::Body),
                        new WrapLabel(recipe.found.value(0), TextRole::Label)}) {
        letMouseThrough(label);
        texts->addWidget(label);
    }
    texts->addSpacing(8);
    setPrimary();
    startButton()->setMinimumSize(140, 40);
    texts->addWidget(m_start, 0, Qt::AlignLeft);
    texts->addStretch();
    auto* picture = new RecipePicture(recipe.example, RecipePicture::Size::Chart);
    picture->setFixedHeight(190);
    picture->setMinimumWidth(300);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 24);
    layout->setSpacing(36);
    layout->addLayout(texts, 1);
    layout->addWidget(picture, 1);
}

//! A grey glyph, the question, why not, and what helps.
void RecipeCard::layOutMissing(const Recipe& recipe)
{
    auto* title = new WrapLabel(recipe.title, TextRole::Body);
    title->setFont([] {
        QFont font = Theme::font(TextRole::Body);
        font.setWeight(QFont::DemiBold);
        return font;
    }());
    setRole(title, "secondary");
    auto* reason = new WrapLabel(recipe.reason, TextRole::Secondary);
    reason->setObjectName(u"reason."_s + m_id);
    for (QWidget* part : {static_cast<QWidget*>(title), static_cast<QWidget*>(reason)})
        letMouseThrough(part);
    auto* help = makeLink(recipe.help == RecipeHelp::AddServer ? tr("Add a server…") : tr("Show what helps"));
    describe(help, u"help."_s + m_id, tr("%1: “%2”").arg(help->text(), m_title), recipe.remedy);
    connect(help, &QPushButton::clicked, this, &RecipeCard::helpClicked);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->addWidget(title);
    texts->addWidget(reason);
    texts->addWidget(help, 0, Qt::AlignLeft);
    texts->addStretch(1);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(space::cardPadding, 12, space::cardPadding, 8);
    layout->setSpacing(space::cardPadding);
    layout->addWidget(new RecipePicture(recipe.example, RecipePicture::Size::Glyph), 0, Qt::AlignTop);
    layout->addLayout(texts, 1);
    if (m_more)
        layout->addWidget(m_more, 0, Qt::AlignTop);
}

//! `readable`: there is a plan to edit and a text to rename.
void RecipeCard::makeMore(bool readable)
{
    m_more = makeButton(u"⋯"_s, "flat", {}, this);
    describe(m_more, u"more."_s + m_id, tr("More about “%1”").arg(m_title), tr("Edit, rename, export or delete it"));
    m_more->setFixedSize(28, 20); // no higher than the chip beside it, whatever the theme wants of buttons
    m_more->setStyleSheet(u"min-height: 0; padding: 0"_s);
    m_moreMenu = new QMenu(this);
    m_moreMenu->setObjectName(u"menu."_s + m_id);
    const auto add = [this](const char* name, const QString& text, auto signal, bool enabled) {
        QAction* action = m_moreMenu->addAction(text);
        action->setObjectName(QLatin1String(name) + u'.' + m_id);
        action->setEnabled(enabled);
        connect(action, &QAction::triggered, this, signal);
    };
    add("edit", tr("Edit plan"), &QAbstractButton::click, readable);
    add("rename", tr("Rename…"), &RecipeCard::renameClicked, readable);
    add("export", tr("Export…"), &RecipeCard::exportClicked, true);
    m_moreMenu->addSeparator();
    add("remove", tr("Delete"), &RecipeCard::removeClicked, true);
    connect(m_more, &QPushButton::clicked, this,
            [this] { m_moreMenu->popup(m_more->mapToGlobal(QPoint(0, m_more->height() + 2))); });
}

void RecipeCard::contextMenuEvent(QContextMenuEvent* event)
{
    if (m_moreMenu)
        m_moreMenu->popup(event->globalPos());
    else
        QAbstractButton::contextMenuEvent(event);
}

void RecipeCard::makeStart(const Recipe& recipe)
{
    m_start = new SplitButton(this);
    connect(m_start->button(), &QPushButton::clicked, this, &RecipeCard::startClicked);
    if (recipe.sizes.empty()) {
        setSize({{}, recipe.minutes});
        return;
    }
    QMenu* menu = m_start->makeMenu();
    for (const RecipeSize& size : recipe.sizes) {
        const QString time = minutesText(size.minutes);
        QAction* action =
            menu->addAction(time.isEmpty() ? sizeText(size.name) : tr("%1, about %2").arg(sizeText(size.name), time));
        action->setObjectName(u"size."_s + size.name);
        connect(action, &QAction::triggered, this, [this, size] { setSize(size); });
    }
    takeUsualSize(recipe);
}

//! That of the settings, now and when another is chosen there.
void RecipeCard::takeUsualSize(const Recipe& recipe)
{
    if (recipe.sizes.empty())
        return;
    const auto take = [this, recipe] { setSize(*usualSize(recipe)); };
    connect(&Preferences::instance(), &Preferences::changed, this, [take](const QString& key) {
        if (key == QLatin1String(Preferences::size.key))
            take();
    });
    take();
}

void RecipeCard::setSize(const RecipeSize& size)
{
    m_size = size.name;
    if (!m_start)
        return; // it cannot run here
    QStringList parts{sizeText(size.name), minutesText(size.minutes)};
    parts.removeAll(QString());
    const QString how = parts.join(u", "_s);
    m_start->button()->setText(how.isEmpty() ? tr("Start") : tr("Start · %1", "size, time").arg(how));
    describe(m_start->button(), m_first ? u"firstStart"_s : QString(u"start."_s + m_id),
             how.isEmpty() ? tr("Start “%1”").arg(m_title) : tr("Start “%1”, %2").arg(m_title, how), startTip());
    if (m_size.isEmpty())
        return;
    describe(m_start->arrow(), m_first ? u"sizes.first"_s : QString(u"sizes."_s + m_id),
             tr("Size: %1").arg(sizeText(size.name)),
             tr("How much is measured: quick to see it work, laptop for a first answer, as published for the "
                "original's size"));
}

void RecipeCard::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = Theme::instance().colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor line = colors.border;
    if (hasFocus())
        line = colors.accent;
    else if (underMouse())
        line = colors.secondText;
    const double width = hasFocus() ? 2 : 1;
    painter.setPen(QPen(line, width));
    painter.setBrush(available() ? QBrush(colors.surface) : QBrush(Qt::NoBrush));
    const double inset = width / 2;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), space::cardRadius,
                            space::cardRadius);
}

void RecipeCard::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        click();
        return;
    case Qt::Key_Left:
        emit arrowPressed(-1, 0);
        return;
    case Qt::Key_Right:
        emit arrowPressed(1, 0);
        return;
    case Qt::Key_Up:
        emit arrowPressed(0, -1);
        return;
    case Qt::Key_Down:
        emit arrowPressed(0, 1);
        return;
    default:
        QAbstractButton::keyPressEvent(event);
    }
}

} // namespace dyno
