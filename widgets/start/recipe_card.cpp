// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/recipe_card.h"

#include "format.h"
#include "parts/field.h"
#include "parts/labels.h"
#include "parts/plan_text.h"
#include "preferences.h"
#include "theme.h"

#include <dyno/chart_kinds.h>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace dyno {

using namespace Qt::StringLiterals;

namespace {

//! Height 0…1 of a line that rises with x and bends over; lines below each other do not cross.
double risingHeight(double x, int series, int count)
{
    const double top = count == 1 ? 0.86 : 0.92 - 0.74 * double(series) / double(count);
    const double rise = (1 - std::exp(-2.6 * x)) / (1 - std::exp(-2.6));
    return top * (0.14 + 0.86 * rise);
}

//! A calm course over time with a fixed ripple: the same picture each time.
double courseHeight(double x, int series, int count)
{
    const double level = count == 1 ? 0.62 : 0.84 - 0.62 * double(series) / double(count);
    return level + 0.035 * std::sin(x * 47 + series * 2.1) + 0.025 * std::sin(x * 113 + series);
}

ChartSketch sketchOf(const RecipeShape& shape)
{
    const ChartKind* kind = findChartKind(shape.chart.toStdString());
    return kind ? kind->sketch : ChartSketch::Lines;
}

void drawLines(QPainter& painter, const QRectF& area, const RecipeShape& shape, const ThemeColors& colors)
{
    const bool course = sketchOf(shape) == ChartSketch::Course;
    const int steps = course ? 90 : std::max(shape.xs, 2);
    for (int series = shape.series - 1; series >= 0; --series) {
        QPainterPath path;
        std::vector<QPointF> points;
        for (int i = 0; i < steps; ++i) {
            const double x = double(i) / (steps - 1);
            const double height =
                course ? courseHeight(x, series, shape.series) : risingHeight(x, series, shape.series);
            points.emplace_back(area.left() + 4 + x * (area.width() - 8), area.bottom() - height * area.height());
        }
        path.moveTo(points.front());
        for (const QPointF& point : points)
            path.lineTo(point);
        const QColor color = colors.series[std::size_t(series) % colors.series.size()];
        painter.setPen(QPen(color, 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        if (course || shape.xs > 12)
            continue;
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        for (const QPointF& point : points)
            painter.drawEllipse(point, 2.4, 2.4);
    }
}

void drawBars(QPainter& painter, const QRectF& area, const RecipeShape& shape, const ThemeColors& colors)
{
    const double group = area.width() / shape.xs;
    const double bar = std::min(26.0, group * 0.72 / shape.series);
    for (int x = 0; x < shape.xs; ++x) {
        const double left = area.left() + group * (x + 0.5) - bar * shape.series / 2;
        for (int series = 0; series < shape.series; ++series) {
            const double height =
                area.height() * (0.9 - 0.5 * double(x) / shape.xs) * (1 - 0.45 * double(series) / shape.series);
            painter.fillRect(QRectF(left + bar * series, area.bottom() - height, bar - 2, height),
                             colors.series[std::size_t(series) % colors.series.size()]);
        }
    }
}

//! "Needs an installed MariaDB server · about 10 min": the recipe's own words up to the first aside.
QString footText(const QString& recipeNeeds, double minutes)
{
    QStringList parts;
    const QString needs = recipeNeeds.section(u'(', 0, 0).section(u';', 0, 0).trimmed();
    if (!needs.isEmpty())
        parts << RecipeCard::tr("Needs %1").arg(needs);
    constexpr double kHour = 90; // from here on minutes are hard to grasp
    if (minutes >= kHour)
        parts << RecipeCard::tr("about\u00a0%1").arg(format::duration(minutes * 60));
    else if (minutes > 0)
        parts << RecipeCard::tr("about\u00a0%1\u00a0min").arg(std::max(1, int(std::lround(minutes))));
    return parts.join(u" · "_s);
}

//! What differs is in the tool tip and in the plan; the card only says that something does.
QString departsText(const Recipe& recipe)
{
    return RecipeCard::tr("%n difference(s) from the published experiment", nullptr, int(recipe.departs.size()));
}

} // namespace

// --- RecipePicture ---

RecipePicture::RecipePicture(const RecipeShape& shape, QWidget* parent)
    : QWidget(parent)
    , m_shape(shape)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void RecipePicture::setFaded(bool on)
{
    m_faded = on;
    update();
}

void RecipePicture::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = Theme::instance().colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_faded)
        painter.setOpacity(0.4);
    const QRectF area = QRectF(rect()).adjusted(0.5, 6, -0.5, -1.5);
    painter.setPen(QPen(colors.grid, 1));
    for (int line = 1; line <= 4; ++line) {
        const double y = std::round(area.bottom() - area.height() * line / 4.4) + 0.5;
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    if (sketchOf(m_shape) == ChartSketch::Bars)
        drawBars(painter, area, m_shape, colors);
    else
        drawLines(painter, area, m_shape, colors);
    painter.setPen(QPen(colors.border, 1));
    painter.drawLine(QPointF(area.left(), std::round(area.bottom()) + 0.5),
                     QPointF(area.right(), std::round(area.bottom()) + 0.5));
}

// --- RecipeCard ---

RecipeCard::RecipeCard(const Recipe& recipe, bool large, QWidget* parent)
    : QAbstractButton(parent)
    , m_id(recipe.id)
    , m_available(recipe.problem.isEmpty())
    , m_start(makeButton(tr("Start"), large ? "primary" : "link", {}, this))
{
    setObjectName(u"recipe."_s + recipe.id);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setAccessibleName(recipe.title);

    auto* picture = new RecipePicture(recipe.shape, this);
    picture->setFaded(!m_available);
    auto* title = new WrapLabel(recipe.title, large ? TextRole::PageTitle : TextRole::Section, this);
    auto* summary = new WrapLabel(recipe.summary, large ? TextRole::Body : TextRole::Secondary, this);
    const QString needsText = footText(recipe.needs, recipe.minutes);
    QString lastLine = needsText;
    if (!m_available) // the whole story is in the tool tip: it names folders
        lastLine = recipe.needs.isEmpty() ? sentenceText(recipe.problem.toStdString())
                                          : tr("Not found here. %1").arg(footText(recipe.needs, 0));
    auto* last = new WrapLabel(lastLine, TextRole::Label, this);
    if (!m_available) {
        setTone(last, Tone::Warn);
        setToolTip(recipe.remedy.isEmpty() ? recipe.problem : u"%1\n%2"_s.arg(recipe.problem, recipe.remedy));
        setAccessibleDescription(tr("Not available: %1. %2").arg(recipe.problem, recipe.remedy));
    } else {
        setToolTip(recipe.needs.isEmpty() ? tr("Open as a plan") : tr("Open as a plan. Needs %1").arg(recipe.needs));
        setAccessibleDescription(tr("%1 %2").arg(recipe.summary, needsText));
    }
    describe(m_start, u"start."_s + recipe.id, tr("Start “%1”").arg(recipe.title),
             m_available ? tr("Start measuring at once") : recipe.remedy);
    m_start->setEnabled(m_available);
    connect(m_start, &QPushButton::clicked, this, &RecipeCard::startClicked);

    auto* departs = new WrapLabel(departsText(recipe), TextRole::Label, this);
    departs->setObjectName(u"departs."_s + recipe.id);
    departs->setVisible(!recipe.departs.isEmpty());
    if (!recipe.departs.isEmpty()) {
        const QString list =
            tr("Departs from the published experiment:") + u"\n\u2013 "_s + recipe.departs.join(u"\n\u2013 "_s);
        setToolTip(toolTip() + u"\n\n"_s + list);
        setAccessibleDescription(accessibleDescription() + u"\n"_s + list);
    }
    m_foot = last;
    m_needs = recipe.needs;
    makeSizes(recipe);
    for (QLabel* label : {title, summary, departs, last})
        label->setAttribute(Qt::WA_TransparentForMouseEvents);
    large ? layOutLarge(picture, {title, summary, departs, last})
          : layOutSmall(picture, {title, summary, departs, last});
}

//! Texts at the left, the picture at the right.
void RecipeCard::layOutLarge(QWidget* picture, const std::array<QLabel*, 4>& labels)
{
    picture->setMinimumSize(300, 190);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(8);
    texts->addStretch();
    for (QLabel* label : labels)
        texts->addWidget(label);
    texts->addSpacing(8);
    m_start->setMinimumSize(140, 40);
    auto* startLine = new QHBoxLayout;
    startLine->setSpacing(space::cardGap);
    startLine->addWidget(m_start);
    if (m_sizes)
        startLine->addWidget(m_sizes);
    startLine->addStretch();
    texts->addLayout(startLine);
    texts->addStretch();
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 24);
    layout->setSpacing(36);
    layout->addLayout(texts, 1);
    layout->addWidget(picture, 1);
}

//! The picture over the texts.
void RecipeCard::layOutSmall(QWidget* picture, const std::array<QLabel*, 4>& labels)
{
    const auto& [title, summary, departs, last] = labels;
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(0, 0, 0, 0);
    foot->addWidget(last, 1);
    if (m_sizes)
        foot->addWidget(m_sizes, 0, Qt::AlignBottom);
    foot->addWidget(m_start, 0, Qt::AlignBottom);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 14, 12, 10);
    layout->setSpacing(space::grid);
    // All pictures have one height, so that their base lines stand level across the gallery.
    picture->setFixedHeight(156);
    layout->addWidget(picture);
    layout->addSpacing(8);
    layout->addWidget(title);
    layout->addWidget(summary);
    layout->addWidget(departs);
    layout->addStretch(1);
    layout->addLayout(foot);
}

void RecipeCard::makeSizes(const Recipe& recipe)
{
    if (recipe.sizes.empty())
        return;
    m_sizes = makeButton({}, "link", {}, this);
    auto* menu = new QMenu(m_sizes);
    for (const RecipeSize& size : recipe.sizes) {
        const QString time = size.minutes > 0 ? format::duration(size.minutes * 60) : QString();
        QAction* action =
            menu->addAction(time.isEmpty() ? sizeText(size.name) : tr("%1, about %2").arg(sizeText(size.name), time));
        action->setObjectName(u"size."_s + size.name);
        connect(action, &QAction::triggered, this, [this, size] { setSize(size); });
    }
    connect(m_sizes, &QPushButton::clicked, this,
            [this, menu] { menu->popup(m_sizes->mapToGlobal(QPoint(0, m_sizes->height()))); });
    const auto takeUsual = [this, sizes = recipe.sizes] {
        const auto usual = std::ranges::find(sizes, Preferences::instance().get(Preferences::size), &RecipeSize::name);
        setSize(usual == sizes.end() ? sizes.front() : *usual);
    };
    connect(&Preferences::instance(), &Preferences::changed, this, [takeUsual](const QString& key) {
        if (key == QLatin1String(Preferences::size.key))
            takeUsual();
    });
    takeUsual();
}

void RecipeCard::setSize(const RecipeSize& size)
{
    m_size = size.name;
    m_sizes->setText(sizeText(size.name) + u" ▾"_s);
    describe(m_sizes, u"sizes."_s + m_id, tr("Size: %1").arg(sizeText(size.name)),
             tr("How much is measured: quick to see it work, laptop for a first answer, as published for the "
                "original's size"));
    if (m_available && size.minutes > 0) // else it says what is not found: the plan can name another target
        m_foot->setText(footText(m_needs, size.minutes));
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
    painter.setBrush(colors.surface);
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
