// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/limit_lines.h"

#include "format.h"
#include "parts/labels.h"
#include "plots/plot_style.h"
#include "qt_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace dyno {

namespace {

constexpr double kMostTimes = 20; // the highest figure: a line above leaves figures less than a twentieth of the height
constexpr double kLimitAir = 2;   // pixels between a line and its text
constexpr double kFromLeft = 6;   // pixels
constexpr double kPen = 1.2;

} // namespace

LimitLines::LimitLines(PlotCard& card)
    : CardItem(card, QStringLiteral("labels"))
    , m_colors(&Theme::instance().colors())
{
}

bool LimitLines::fits(double limit, double highest)
{
    return highest > 0 && limit > 0 && limit <= kMostTimes * highest;
}

QString LimitLines::text(const DeviceLimit& limit)
{
    return QCoreApplication::translate("dyno::LimitLines", "%1: %2/s", "limit, figure")
        .arg(qtText(limit.name), limit.bytes ? format::bytes(limit.value) : format::rate(limit.value));
}

void LimitLines::write(QCPPainter* painter, const QString& text, double bottom, bool line)
{
    const QFont font = Theme::font(TextRole::Label);
    const QFontMetricsF metrics(font);
    const double width = figures::width(font, text);
    QRectF place(rect().left() + kFromLeft, bottom - metrics.height(), width, metrics.height());
    for (bool moved = true; moved;) { // those of lines close to each other, one below the other
        moved = false;
        for (const Drawn& other : m_drawn) {
            if (!other.place.intersects(place))
                continue;
            place.moveTop(other.place.bottom() + 1);
            moved = true;
        }
    }
    painter->setPen(m_colors->text);
    painter->setFont(font);
    figures::draw(*painter, place, Qt::AlignLeft | Qt::AlignVCenter, text);
    m_drawn.push_back({text, place, line});
}

void LimitLines::draw(QCPPainter* painter)
{
    m_drawn.clear();
    const QCPAxis& y = *parentPlot()->yAxis;
    const QCPRange shown = y.range();
    const double height = QFontMetricsF(Theme::font(TextRole::Label)).height();
    std::vector<DeviceLimit> limits = m_limits;
    std::ranges::sort(limits, std::greater<>(), &DeviceLimit::value);
    for (const DeviceLimit& limit : limits) {
        if (limit.value > shown.upper) {
            write(painter, QStringLiteral("↑ ") % text(limit), rect().top() + height + kLimitAir, false);
            continue;
        }
        if (limit.value < shown.lower)
            continue;
        const double at = y.coordToPixel(limit.value);
        painter->setPen(QPen(m_colors->secondText, kPen, Qt::DashLine));
        painter->drawLine(QLineF(rect().left(), at, rect().right(), at));
        const bool above = at - kLimitAir - height >= rect().top();
        write(painter, text(limit), above ? at - kLimitAir : at + kLimitAir + height, true);
    }
}

} // namespace dyno
