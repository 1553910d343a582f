// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/published_lane.h"

#include "parts/labels.h"
#include "plots/plot_style.h"

#include <QCoreApplication>

#include <algorithm>

namespace dyno {

namespace {

// Pixels.
constexpr double kDiamond = 9;
constexpr int kLaneSide = 10, kBeside = 7; //!< from the lane's edges, and between diamond and value

} // namespace

PublishedLane::PublishedLane(PlotCard& card)
    : CardItem(card, QStringLiteral("labels"))
    , m_colors(&Theme::instance().colors())
{
}

QString PublishedLane::label()
{
    return QCoreApplication::translate("dyno::PublishedLane", "published");
}

void PublishedLane::setFigures(std::vector<Figure> figures)
{
    m_figures = std::move(figures);
    m_texts.clear();
}

int PublishedLane::width() const
{
    if (m_figures.empty())
        return 0;
    const QFont font = Theme::font(TextRole::Label);
    int widest = 0;
    for (const Figure& figure : m_figures)
        widest = std::max(widest, figures::width(font, figure.text));
    return std::max(2 * kLaneSide + int(kDiamond) + kBeside + widest,
                    QFontMetrics(font).horizontalAdvance(label()) + 8);
}

QRectF PublishedLane::area() const
{
    const double right = parentPlot()->viewport().right() + 1;
    return {right - width(), double(rect().top()), double(width()), double(rect().height())};
}

void PublishedLane::draw(QCPPainter* painter)
{
    m_texts.clear();
    if (m_figures.empty())
        return;
    const QFont font = Theme::font(TextRole::Label);
    const double height = QFontMetricsF(font).height();
    const QRectF lane = area();
    const ThemeColors& colors = *m_colors;
    painter->setPen(Qt::NoPen);
    painter->setBrush(blend(colors.secondText, colors.surface, 0.07));
    painter->drawRect(lane);
    painter->setFont(font);
    painter->setPen(colors.secondText);
    painter->drawText(QRectF(lane.left(), lane.bottom() + 5, lane.width(), height), Qt::AlignHCenter | Qt::AlignTop,
                      label());
    std::vector<const Figure*> shown;
    std::vector<double> heights;
    const QCPAxis& y = *parentPlot()->yAxis;
    for (const Figure& figure : m_figures) {
        if (!card().isSeriesVisible(figure.series) || !y.range().contains(figure.value))
            continue;
        shown.push_back(&figure);
        heights.push_back(y.coordToPixel(figure.value));
    }
    std::vector<double> centres = heights; // of the values: those of like height would lie on each other
    spreadApart(centres, height, lane.top() + height / 2, lane.bottom() - height / 2);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const QColor color = card().seriesColor(shown[i]->series);
        const double x = lane.left() + kLaneSide + kDiamond / 2;
        const QCPScatterStyle diamond(QCPScatterStyle::ssDiamond, QPen(color, 1.5), QBrush(colors.surface), kDiamond);
        diamond.applyTo(painter, QPen(color, 1.5));
        diamond.drawShape(painter, x, heights[i]);
        const double left = x + kDiamond / 2 + kBeside;
        m_texts.emplace_back(left, centres[i] - height / 2, lane.right() - left, height);
        painter->setPen(color);
        figures::draw(*painter, m_texts.back(), Qt::AlignLeft | Qt::AlignVCenter, shown[i]->text);
    }
}

} // namespace dyno
