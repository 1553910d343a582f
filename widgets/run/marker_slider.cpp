// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/marker_slider.h"

#include "format.h"
#include "parts/foreign_text.h"
#include "plots/plot_style.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyleOptionSlider>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr int kStepsPerSecond = 10; //!< the slider's resolution
constexpr double kNear = 5;         //!< pixels from a tick that still mean it
constexpr int kMostLines = 8;       //!< of a tooltip

} // namespace

MarkerSlider::MarkerSlider(QWidget* parent)
    : QSlider(Qt::Horizontal, parent)
{
    setMinimumHeight(32); // handle and ticks
    setMouseTracking(true);
    connect(this, &QSlider::valueChanged, this, [this](int value) { emit wanted(double(value) / kStepsPerSecond); });
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MarkerSlider::setAxis(double seconds, std::vector<ReplayMarker> markers)
{
    m_seconds = seconds;
    m_markers = std::move(markers);
    const QSignalBlocker block(this);
    setRange(0, int(std::ceil(seconds * kStepsPerSecond)));
    setAccessibleDescription(tr("%n marker(s)", nullptr, markerCount()));
    update();
}

void MarkerSlider::setPosition(double seconds)
{
    const QSignalBlocker block(this);
    setValue(int(std::lround(seconds * kStepsPerSecond)));
}

QRect MarkerSlider::part(QStyle::SubControl control) const
{
    QStyleOptionSlider option;
    initStyleOption(&option);
    return style()->subControlRect(QStyle::CC_Slider, &option, control, this);
}

double MarkerSlider::xOf(double seconds) const
{
    const double handle = part(QStyle::SC_SliderHandle).width();
    return handle / 2 + (m_seconds > 0 ? seconds / m_seconds : 0) * (width() - handle);
}

double MarkerSlider::secondsAt(double x) const
{
    const double handle = part(QStyle::SC_SliderHandle).width();
    return std::clamp((x - handle / 2) / std::max(1.0, width() - handle), 0.0, 1.0) * m_seconds;
}

const ReplayMarker* MarkerSlider::markerAt(double x) const
{
    const ReplayMarker* found = nullptr;
    double best = kNear;
    for (const ReplayMarker& marker : m_markers) {
        if (const double distance = std::fabs(xOf(marker.at) - x); distance < best) {
            best = distance;
            found = &marker;
        }
    }
    return found;
}

QString MarkerSlider::textAt(double x) const
{
    QStringList lines;
    int more = 0;
    for (const ReplayMarker& marker : m_markers) {
        if (std::fabs(xOf(marker.at) - x) >= kNear)
            continue;
        if (lines.size() < kMostLines)
            lines << QStringLiteral("%1  %2").arg(format::clock(marker.at), marker.text);
        else
            ++more;
    }
    if (more > 0)
        lines << tr("and %1 more").arg(format::count(more));
    return lines.isEmpty() ? format::clock(secondsAt(x)) : lines.join(QLatin1Char('\n'));
}

bool MarkerSlider::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), harmlessToolTip(textAt(help->pos().x())), this);
        return true;
    }
    return QSlider::event(event);
}

void MarkerSlider::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && !part(QStyle::SC_SliderHandle).contains(event->pos())) {
        const double x = event->position().x();
        const ReplayMarker* marker = event->position().y() > height() / 2.0 ? markerAt(x) : nullptr;
        emit wanted(marker ? marker->at : secondsAt(x));
    }
    QSlider::mousePressEvent(event); // the handle is below the mouse by now: it can be dragged on
}

void MarkerSlider::keyPressEvent(QKeyEvent* event)
{
    event->ignore();
}

void MarkerSlider::paintEvent(QPaintEvent* event)
{
    QSlider::paintEvent(event);
    QPainter painter(this);
    const ThemeColors& colors = Theme::instance().colors();
    const QRect groove = part(QStyle::SC_SliderGroove), handle = part(QStyle::SC_SliderHandle);
    const double middle = groove.center().y() + 0.5;
    for (const ReplayMarker& marker : m_markers) { // where a run begins the groove is cut
        const QRectF cut(std::round(xOf(marker.at)) - 1, middle - 4, 2, 8);
        if (marker.kind == MarkerKind::RunStart && marker.at > 0 && !cut.intersects(handle))
            painter.fillRect(cut, colors.window);
    }
    // What matters more is drawn last.
    for (const Tone tone : {Tone::Neutral, Tone::Good, Tone::Accent, Tone::Warn, Tone::Bad}) {
        for (const ReplayMarker& marker : m_markers) {
            if (marker.tone != tone || marker.kind == MarkerKind::RunStart)
                continue;
            const double left = std::round(xOf(marker.at)) - 1;
            const double right = xOf(std::min(m_seconds, marker.at + marker.length));
            const bool quiet = tone == Tone::Neutral;
            painter.fillRect(QRectF(left, middle + 10, std::max(2.0, right - left), quiet ? 4 : 6),
                             colorOf(tone, blend(colors.secondText, colors.window, 0.55)));
        }
    }
}

} // namespace dyno
