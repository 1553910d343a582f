// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/plot_items.h"

#include "format.h"
#include "parts/labels.h"
#include "plots/plot_input.h"
#include "plots/plot_style.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dyno {

namespace {

constexpr double kLabelGap = 8;                //!< from the line's end to its label, pixels
constexpr double kLongestJump = 2 * kLabelGap; //!< from a line's end to its label without a leader
constexpr int kShapeRoom = 12;                 //!< of a shape before a label

QFont boldLabel()
{
    QFont font = Theme::font(TextRole::Label);
    font.setWeight(QFont::DemiBold);
    return font;
}

struct LineEnd
{
    QPointF value;
    bool leaves; //!< the line goes on beyond the right edge
};

//! Last value of a graph within the visible x range.
std::optional<LineEnd> lastVisible(const QCPGraph& graph)
{
    const auto data = graph.data();
    const QCPRange range = graph.keyAxis()->range();
    auto it = data->findEnd(range.upper, false);
    const bool leaves = it != data->constEnd();
    while (it != data->constBegin()) {
        --it;
        if (it->key < range.lower)
            break;
        if (std::isfinite(it->value))
            return LineEnd{QPointF(it->key, it->value), leaves};
    }
    return {};
}

//! Pixels from left to right of a band as far as it can be seen; at least two wide.
std::optional<std::pair<double, double>> visibleSpan(const QCPAxis& axis, const QRectF& area, double from, double to)
{
    const double left = std::max(area.left(), axis.coordToPixel(from));
    const double right = std::min(area.right(), axis.coordToPixel(to));
    if (right <= area.left() || left >= area.right())
        return {};
    return std::pair(left, std::max(right, left + 2));
}

QColor bandColor(BandKind kind, const ThemeColors& colors)
{
    return kind == BandKind::Stall     ? blend(colors.bad, colors.surface, 0.13)
           : kind == BandKind::Starved ? blend(colors.warn, colors.surface, 0.16)
                                       : blend(colors.secondText, colors.surface, 0.09);
}

} // namespace

void spreadApart(std::vector<double>& centres, double gap, double top, double bottom)
{
    if (centres.empty())
        return;
    std::vector<std::size_t> order(centres.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return centres[a] < centres[b]; });
    // Pool neighbours that collide into blocks around their common mean (isotonic regression by pooling).
    struct Block
    {
        double sum; //!< of (wanted centre − offset inside the block)
        std::size_t count;
        double first; //!< centre of the block's first label
    };
    std::vector<Block> blocks;
    for (const std::size_t index : order) {
        blocks.push_back({centres[index], 1, centres[index]});
        while (blocks.size() > 1) {
            Block& last = blocks.back();
            Block& before = blocks[blocks.size() - 2];
            if (before.first + double(before.count) * gap <= last.first)
                break;
            before.sum += last.sum - double(last.count) * double(before.count) * gap;
            before.count += last.count;
            before.first = before.sum / double(before.count);
            blocks.pop_back();
        }
        const double lowest = bottom - double(blocks.back().count - 1) * gap;
        blocks.back().first = std::max(top, std::min(blocks.back().first, lowest));
    }
    std::size_t at = 0;
    for (const Block& block : blocks)
        for (std::size_t i = 0; i < block.count; ++i)
            centres[order[at++]] = block.first + double(i) * gap;
    // Blocks held at the border may still touch: one pass from the bottom up, one from the top down.
    double limit = bottom;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        centres[*it] = std::min(centres[*it], limit);
        limit = centres[*it] - gap;
    }
    limit = top;
    for (const std::size_t index : order) {
        centres[index] = std::max(centres[index], limit);
        limit = centres[index] + gap;
    }
}

CardItem::CardItem(PlotCard& card, const QString& layer)
    : QCPAbstractItem(&card.plot())
    , m_card(card)
{
    setLayer(layer);
    setClipToAxisRect(false);
    setSelectable(false);
}

EndLabels::EndLabels(PlotCard& card)
    : CardItem(card, QStringLiteral("labels"))
{
}

int EndLabels::neededWidth() const
{
    if (!card().m_showEndLabels || card().m_compact)
        return 0;
    const QFont font = boldLabel();
    int widest = 0;
    for (const auto& series : card().m_series)
        if (!series.label.isEmpty())
            widest = std::max(widest, figures::width(font, series.label));
    return widest ? widest + int(kLabelGap) + 4 + (namesShapes() ? kShapeRoom : 0) : 0;
}

//! Dots of several shapes: a label begins with the one of its series.
bool EndLabels::namesShapes() const
{
    return std::ranges::any_of(
        card().m_series, [](const auto& series) { return series.style.dots && series.style.color >= kSeriesColors; });
}

std::optional<int> EndLabels::seriesAt(const QPointF& pos) const
{
    for (const Hit& hit : m_hits)
        if (hit.rect.contains(pos))
            return hit.series;
    return {};
}

void EndLabels::draw(QCPPainter* painter)
{
    m_hits.clear();
    if (!card().m_showEndLabels || card().m_compact)
        return;
    const QFont font = boldLabel();
    const double height = QFontMetricsF(font).height();
    const QRectF area = rect().rect();
    struct Label
    {
        int series;
        double x;
        bool visible;
        QString text;
    };
    std::vector<Label> labels;
    std::vector<double> centres;
    for (int i = 0; i < card().seriesCount(); ++i) {
        const auto& series = card().m_series[std::size_t(i)];
        if (series.label.isEmpty() || !series.graph)
            continue;
        if (!series.visible) {
            labels.push_back({i, area.right() + kLabelGap, false, series.label});
            centres.push_back(area.bottom() - height / 2);
            continue;
        }
        const auto last = lastVisible(*series.graph);
        if (!last)
            continue;
        const double x = last->leaves ? area.right() : series.graph->keyAxis()->coordToPixel(last->value.x());
        // A label that is a value tells the value at this end, which is not the latest one while zoomed.
        const bool told = last->leaves && series.style.labelIsValue;
        labels.push_back({i, x + kLabelGap, true, told ? card().valueText(last->value.y()) : series.label});
        centres.push_back(
            std::clamp(series.graph->valueAxis()->coordToPixel(last->value.y()), area.top(), area.bottom()));
    }
    // Below each other in one column: beside the end of a shorter line they would lie over what goes on there.
    double column = 0;
    for (const Label& label : labels)
        column = std::max(column, label.visible ? label.x : 0);
    const std::vector<double> ends = centres;
    spreadApart(centres, height, area.top() + height / 2 - 2, area.bottom() - height / 2 + 2);
    painter->setFont(font);
    const bool shapes = namesShapes();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const QString& text = labels[i].text;
        if (labels[i].visible && column - labels[i].x > kLongestJump) { // a line leads there
            painter->setPen(
                QPen(blend(card().seriesColor(labels[i].series), card().m_colors->surface, 0.5), 1, Qt::DotLine));
            painter->drawLine(QLineF(labels[i].x, ends[i], column - kLabelGap / 2, centres[i]));
        }
        if (labels[i].visible)
            labels[i].x = column;
        const double left = labels[i].x + (shapes ? kShapeRoom : 0);
        const QRectF box(left, centres[i] - height / 2, figures::width(font, text), height);
        QColor color = card().seriesColor(labels[i].series);
        if (!labels[i].visible)
            color = blend(card().m_colors->secondText, card().m_colors->surface, 0.55);
        if (shapes) {
            const QCPScatterStyle shape =
                seriesDots(card().m_series[std::size_t(labels[i].series)].style.color, color, 7);
            shape.applyTo(painter, QPen(Qt::NoPen));
            shape.drawShape(painter, labels[i].x + kShapeRoom / 2.0 - 2, centres[i]);
        }
        painter->setPen(color);
        figures::draw(*painter, box, Qt::AlignLeft | Qt::AlignVCenter, text);
        if (!labels[i].visible)
            painter->drawLine(QLineF(box.left(), box.center().y(), box.right(), box.center().y()));
        m_hits.push_back({box.adjusted(-4, 0, 4, 0), labels[i].series});
    }
}

QColor CardItem::tickColor(PlotCard& card, int series, bool note)
{
    const ThemeColors& colors = *card.m_colors;
    if (series >= 0)
        return colors.series[std::size_t(series) % colors.series.size()];
    return note ? colors.accent : blend(colors.secondText, colors.surface, 0.6);
}

Marks::Marks(PlotCard& card)
    : CardItem(card, QStringLiteral("marks"))
{
}

QString Marks::tooltipAt(double x) const
{
    QString text;
    double best = 4;
    for (const auto& tick : card().m_ticks) {
        const double distance = std::fabs(parentPlot()->xAxis->coordToPixel(tick.x) - x);
        if (distance <= best) {
            best = distance;
            text = tick.text;
        }
    }
    if (!text.isEmpty())
        return text;
    for (const auto& band : card().m_bands) {
        const double from = parentPlot()->xAxis->coordToPixel(band.from);
        const double to = parentPlot()->xAxis->coordToPixel(band.to);
        if (!band.tip.isEmpty() && x >= from - best && x <= to + best)
            text = band.tip;
    }
    return text;
}

void Marks::draw(QCPPainter* painter)
{
    const QRectF area = rect().rect();
    const ThemeColors& colors = *card().m_colors;
    QCPAxis* axis = parentPlot()->xAxis;
    painter->setPen(Qt::NoPen);
    for (const auto& band : card().m_bands) {
        const auto span = visibleSpan(*axis, area, band.from, band.to);
        if (!span)
            continue;
        painter->setBrush(bandColor(band.kind, colors));
        painter->drawRect(QRectF(span->first, area.top(), span->second - span->first, area.height()));
    }
    painter->setBrush(Qt::NoBrush);
    const bool antialiased = painter->antialiasing();
    painter->setAntialiasing(false);
    for (const auto& tick : card().m_ticks) {
        const double x = axis->coordToPixel(tick.x);
        if (x < area.left() || x > area.right())
            continue;
        const QColor color = tickColor(card(), tick.color, tick.note);
        painter->setPen(tick.note ? QPen(color, 1, Qt::DotLine) : QPen(color, tick.color >= 0 ? 2 : 1));
        painter->drawLine(QLineF(x, tick.note ? area.top() : area.bottom() - 7, x, area.bottom()));
    }
    if (const auto edge = card().m_input->shownEdge()) {
        // A line with a grip: it can be taken.
        const double x = axis->coordToPixel(*edge);
        if (x >= area.left() - 1 && x <= area.right()) {
            painter->setPen(QPen(blend(colors.secondText, colors.surface, 0.8), 1));
            painter->drawLine(QLineF(x, area.top(), x, area.bottom()));
            painter->setPen(Qt::NoPen);
            painter->setBrush(blend(colors.secondText, colors.surface, 0.8));
            painter->drawRect(QRectF(x - 2, area.center().y() - 9, 5, 18));
            painter->setBrush(Qt::NoBrush);
        }
    }
    painter->setAntialiasing(antialiased);
}

BandNotes::BandNotes(PlotCard& card)
    : CardItem(card, QStringLiteral("labels"))
{
}

void BandNotes::draw(QCPPainter* painter)
{
    if (card().m_compact)
        return;
    const QRectF area = rect().rect();
    const ThemeColors& colors = *card().m_colors;
    painter->setFont(Theme::font(TextRole::Label));
    const QFontMetricsF metrics(painter->font());
    double freeFrom = area.left(); // notes do not run into each other
    std::vector<QRectF> taken;
    for (const auto& band : card().m_bands) {
        const auto span = visibleSpan(*parentPlot()->xAxis, area, band.from, band.to);
        if (!span || band.note.isEmpty())
            continue;
        // Warm-up is named inside its band, a stall beside it.
        const bool stall = band.kind == BandKind::Stall || band.kind == BandKind::Starved;
        const double width = metrics.horizontalAdvance(band.note);
        const double x = stall ? span->second + 5 : span->first + 6;
        if (x < freeFrom || x + width > (stall ? area.right() : span->second + 2))
            continue;
        const QRectF ground(x - 3, area.top() + 3, width + 6, metrics.height() + 1);
        painter->fillRect(ground.intersected(area), stall ? colors.surface : bandColor(band.kind, colors));
        painter->setPen(!stall ? colors.secondText : band.kind == BandKind::Starved ? colors.warn : colors.bad);
        painter->drawText(QPointF(x, area.top() + metrics.ascent() + 4), band.note);
        freeFrom = x + width + 8;
        taken.push_back(ground);
    }
    for (const auto& tick : card().m_ticks) {
        const double at = parentPlot()->xAxis->coordToPixel(tick.x);
        if (!tick.note || at < area.left() || at > area.right())
            continue;
        constexpr double kLongestNote = 190; // pixels
        const QString text = metrics.elidedText(tick.text.simplified(), Qt::ElideRight, kLongestNote);
        const double width = metrics.horizontalAdvance(text);
        const bool toLeft = at + width + 12 > area.right();
        QRectF ground(toLeft ? at - width - 8 : at + 2, area.top() + 3, width + 6, metrics.height() + 1);
        if (ground.left() < area.left())
            continue; // its line and its tooltip stay
        // Below those that are there already.
        while (std::ranges::any_of(taken, [&ground](const QRectF& other) { return ground.intersects(other); }))
            ground.translate(0, ground.height() + 1);
        if (ground.bottom() > area.center().y())
            continue;
        painter->fillRect(ground, colors.surface);
        painter->setPen(tickColor(card(), tick.color, true));
        painter->drawText(QPointF(ground.left() + 3, ground.top() + metrics.ascent() + 1), text);
        taken.push_back(ground);
    }
}

Readout::Readout(PlotCard& card)
    : CardItem(card, QStringLiteral("crosshair"))
{
}

std::optional<QPointF> Readout::nearest(const QCPGraph& graph, double x)
{
    const auto data = graph.data();
    if (data->isEmpty() || x < data->constBegin()->key - 1e-9 || x > (data->constEnd() - 1)->key + 1e-9)
        return {};
    auto it = data->findBegin(x, false);
    if (it == data->constEnd())
        --it;
    if (it != data->constBegin() && std::fabs((it - 1)->key - x) < std::fabs(it->key - x))
        --it;
    if (!std::isfinite(it->value))
        return {};
    return QPointF(it->key, it->value);
}

void Readout::draw(QCPPainter* painter)
{
    if (!card().m_crosshairShown)
        return;
    const QRectF area = rect().rect();
    const ThemeColors& colors = *card().m_colors;
    QCPAxis* axis = parentPlot()->xAxis;
    struct Row
    {
        QString name, value;
        QColor color;
        QPointF at;
    };
    std::vector<Row> rows;
    double key = card().m_crosshairX;
    for (int i = 0; i < card().seriesCount(); ++i) {
        const auto& series = card().m_series[std::size_t(i)];
        if (!series.visible || !series.graph)
            continue;
        const auto point = nearest(*series.graph, card().m_crosshairX);
        if (!point)
            continue;
        if (rows.empty())
            key = point->x(); // snaps to the first series
        rows.push_back({series.name, card().valueText(point->y()), card().seriesColor(i),
                        QPointF(axis->coordToPixel(point->x()), series.graph->valueAxis()->coordToPixel(point->y()))});
    }
    const double x = axis->coordToPixel(key);
    if (x < area.left() - 0.5 || x > area.right() + 0.5)
        return;
    painter->setPen(QPen(colors.secondText, 1));
    painter->setAntialiasing(false);
    painter->drawLine(QLineF(x, area.top(), x, area.bottom()));
    painter->setAntialiasing(true);
    if (rows.empty())
        return;
    for (const Row& row : rows) {
        if (!area.adjusted(-1, -1, 1, 1).contains(row.at))
            continue;
        painter->setPen(QPen(colors.surface, 1.5));
        painter->setBrush(row.color);
        painter->drawEllipse(row.at, 4, 4);
    }
    if (card().m_compact)
        return; // a box would cover the line: what stands under the crosshair is told beside the title
    const QFont plain = Theme::font(TextRole::Label);
    const QFont bold = boldLabel();
    const QString head = card().xText(key);
    double names = 0, values = 0;
    for (const Row& row : rows) {
        names = std::max(names, QFontMetricsF(plain).horizontalAdvance(row.name));
        values = std::max(values, double(figures::width(bold, row.value)));
    }
    const double line = QFontMetricsF(plain).height() + 1;
    const double width = std::max(names + 14 + values, QFontMetricsF(plain).horizontalAdvance(head)) + 18;
    const double height = line * double(rows.size() + 1) + 12;
    double left = x + 12;
    if (left + width > parentPlot()->width() - 2)
        left = std::max(2.0, x - 12 - width);
    const QRectF box(left, area.top() + 4, width, height);
    painter->setPen(QPen(colors.border, 1));
    painter->setBrush(colors.surface);
    painter->drawRoundedRect(box, space::controlRadius, space::controlRadius);
    QRectF text(box.left() + 9, box.top() + 6, box.width() - 18, line);
    painter->setFont(plain);
    painter->setPen(colors.secondText);
    figures::draw(*painter, text, Qt::AlignLeft | Qt::AlignVCenter, head);
    for (const Row& row : rows) {
        text.translate(0, line);
        painter->setFont(plain);
        painter->setPen(row.color);
        painter->drawText(text, int(Qt::AlignLeft | Qt::AlignVCenter), row.name);
        painter->setFont(bold);
        painter->setPen(colors.text);
        figures::draw(*painter, text, Qt::AlignRight | Qt::AlignVCenter, row.value);
    }
}

} // namespace dyno
