// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/knee_marks.h"

#include "format.h"
#include "plots/plot_card.h"
#include "plots/plot_style.h"
#include "theme.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr double kKneeAir = 8; // pixels from the point to its name
constexpr double kKneePen = 1.4;

} // namespace

KneeMarks::KneeMarks(PlotCard& card)
    : CardItem(card, QStringLiteral("labels"))
{
}

void KneeMarks::draw(QCPPainter* painter)
{
    m_drawn.clear();
    const QFont font = Theme::font(TextRole::Label);
    const double height = QFontMetricsF(font).height();
    std::vector<QRectF> taken;
    for (const Mark& mark : m_marks) {
        if (!card().isSeriesVisible(mark.series))
            continue;
        const QPointF at(parentPlot()->xAxis->coordToPixel(mark.at.x()),
                         parentPlot()->yAxis->coordToPixel(mark.at.y()));
        // A figure of 0 has no place on a logarithmic axis, others may be outside of what is shown.
        if (!std::isfinite(at.x()) || !std::isfinite(at.y()) ||
            !QRectF(rect().rect()).adjusted(-1, -1, 1, 1).contains(at))
            continue;
        const QColor color = card().seriesColor(mark.series);
        painter->setPen(QPen(color, kKneePen, Qt::DotLine));
        painter->drawLine(QLineF(at.x(), at.y(), at.x(), rect().bottom()));
        const double width = figures::width(font, mark.text);
        const double left = std::min(at.x() + kKneeAir, rect().right() - width);
        QRectF place(left, at.y() - kKneeAir - height, width, height);
        if (place.top() < rect().top())
            place.moveTop(at.y() + kKneeAir);
        const auto covered = [&] {
            return std::ranges::find_if(taken, [&](const QRectF& other) { return other.intersects(place); });
        };
        for (auto other = covered(); other != taken.end(); other = covered())
            place.moveTop(other->bottom() + 1);
        taken.push_back(place);
        painter->setPen(color);
        painter->setFont(font);
        figures::draw(*painter, place, Qt::AlignLeft | Qt::AlignVCenter, mark.text);
        m_drawn.push_back(mark);
    }
}

} // namespace dyno
