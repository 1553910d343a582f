// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare/compare_chart_area.h"

#include "compare/scale_switch.h"
#include "parts/labels.h"
#include "parts/scroll_area.h"

#include <QGridLayout>
#include <QScrollArea>

#include <algorithm>
#include <map>
#include <utility>

namespace dyno {

namespace {

//! As many beside each other as can be read; `width` is what there is for them, `wanted` what was chosen (0: nothing).
//! `inLayers`: others stand below each, so that a row holds as many as it can, and all rows about the same number.
int columnsFor(int count, int width, int wanted, bool inLayers)
{
    constexpr int kLeastWidth = 230;
    const int fit = std::max(1, (width + space::cardGap) / (kLeastWidth + space::cardGap));
    const int rows = inLayers ? (count + fit - 1) / fit : count <= 3 ? 1 : 2;
    const int usual = (count + rows - 1) / rows;
    return std::min(wanted > 0 ? std::min(wanted, count) : usual, fit);
}

} // namespace

CompareChartArea::Grid CompareChartArea::makeGrid(const QString& name)
{
    Grid grid{new QWidget, nullptr, nullptr};
    grid.layout = new QGridLayout(grid.box);
    grid.layout->setContentsMargins(0, 0, 0, 0);
    grid.layout->setSpacing(space::cardGap);
    grid.page = scrollArea(grid.box, name);
    addWidget(grid.page);
    return grid;
}

CompareChartArea::CompareChartArea(QWidget* parent)
    : QStackedWidget(parent)
    , m_kept(makeGrid(QStringLiteral("plotScroll")))
    , m_fresh(makeGrid(QStringLiteral("cardScroll")))
    , m_message(new EmptyState(QStringLiteral("warning"), {}, {}))
{
    auto* card = new Card;
    card->body()->addWidget(m_message, 1);
    m_messagePage = card;
    addWidget(card);
}

CompareChartArea::~CompareChartArea() = default;

void CompareChartArea::draw(const Chart& chart, const ChartInput& input)
{
    PlotCard* before = front();
    const auto* pressed = before ? before->findChild<ScaleSwitch*>() : nullptr;
    const bool hadFocus = pressed && pressed->hasFocusWithin();
    chart.draw(input, m_sheet);
    showScale(chart);
    if (m_sheet.place() == ChartSheet::Place::Whole)
        setRows(1);
    else
        arrange();
    if (const auto message = chart.whyNot(input)) {
        m_message->setTexts(message->title, message->text);
        setCurrentWidget(m_messagePage);
    } else if (m_sheet.place() == ChartSheet::Place::Whole) {
        QWidget* whole = m_sheet.widgets().front().get();
        if (indexOf(whole) < 0)
            addWidget(whole);
        setCurrentWidget(whole);
    } else {
        setCurrentWidget(grid().page);
    }
    if (auto* scale = hadFocus && front() ? front()->findChild<ScaleSwitch*>() : nullptr)
        scale->takeFocus(); // its card may be another one
}

//! What stands on the screen, and the other choice beside it, in the header of the first card.
void CompareChartArea::showScale(const Chart& chart)
{
    PlotCard* card = front();
    if (!card)
        return;
    auto* scale = card->findChild<ScaleSwitch*>();
    if (!scale) {
        scale = new ScaleSwitch;
        card->header()->addWidget(scale);
        QWidget* before = card->plot().previousInFocusChain();
        scale->placeBehind(before);
        // Drawing may replace the card, and the button with it: after its click.
        connect(scale, &ScaleSwitch::chosen, this, &CompareChartArea::scaleChosen, Qt::QueuedConnection);
    }
    scale->setLogarithmic(card->isLogY());
    // Small charts beside each other have no room for it.
    const bool wide = m_sheet.place() == ChartSheet::Place::Whole || m_sheet.cards().size() == 1;
    scale->setVisible(chart.kind().log && wide);
}

void CompareChartArea::setPerRow(int cards)
{
    m_perRow = cards;
    if (currentWidget() == grid().page)
        arrange();
}

PlotCard* CompareChartArea::front() const
{
    return m_sheet.cards().empty() ? nullptr : m_sheet.cards().front();
}

std::vector<PlotCard*> CompareChartArea::cards() const
{
    return currentWidget() == m_messagePage ? std::vector<PlotCard*>() : m_sheet.cards();
}

bool CompareChartArea::hasSeveralInGrid() const
{
    return (currentWidget() == m_kept.page || currentWidget() == m_fresh.page) && m_sheet.cards().size() > 1;
}

void CompareChartArea::resizeEvent(QResizeEvent* event)
{
    QStackedWidget::resizeEvent(event);
    if (currentWidget() == grid().page)
        arrange();
}

void CompareChartArea::arrange()
{
    const auto& cards = m_sheet.cards();
    const int layers = m_sheet.layers();
    const int count = std::max(1, int(cards.size()) / layers); // in each layer
    const int perRow = columnsFor(count, width(), m_perRow, layers > 1);
    setRows((count + perRow - 1) / perRow * layers);
    QGridLayout* layout = grid().layout;
    for (int column = 0; column < std::max(perRow, layout->columnCount()); ++column)
        layout->setColumnStretch(column, column < perRow ? 1 : 0);
    // A row of the first layer, the same things of the others below it, then the next row of the first.
    std::map<std::pair<int, int>, QWidget*> places;
    for (int i = 0; i < int(cards.size()); ++i) {
        PlotCard* card = cards[std::size_t(i)];
        const int layer = i / count, inLayer = i % count;
        const std::pair place(inLayer / perRow * layers + layer, inLayer % perRow);
        layout->addWidget(card, place.first, place.second);
        card->show(); // at once: the layout would do it an event later
        places[place] = &card->plot();
    }
    QWidget* before = nullptr;
    for (const auto& [place, plot] : places) {
        if (before)
            setTabOrder(before, plot);
        before = plot;
    }
}

//! Several rows of charts scroll in their own place where they do not fit: table and side column stay in sight.
void CompareChartArea::setRows(int rows)
{
    constexpr int kSmall = 224;
    for (const Grid* grid : {&m_kept, &m_fresh})
        grid->box->setMinimumHeight(rows > 1 ? rows * kSmall + (rows - 1) * space::cardGap : 0);
    emit rowsChanged(rows);
}

} // namespace dyno
