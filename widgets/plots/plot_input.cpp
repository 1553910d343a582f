// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/plot_input.h"

#include "format.h"
#include "parts/foreign_text.h"
#include "plots/crosshair_group.h"
#include "plots/phase_band.h"
#include "plots/plot_items.h"

#include <QHelpEvent>
#include <QMenu>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dyno {

namespace {

constexpr double kGrabPixels = 5;   //!< how near to a movable edge one has to be
constexpr double kZoomFactor = 0.8; //!< of a notch of the wheel, or a press of a key
constexpr double kPanShare = 0.1;   //!< of a press of a key

//! `range` moved by this share of its length.
QCPRange moved(const QCPAxis& axis, const QCPRange& range, double share)
{
    if (axis.scaleType() == QCPAxis::stLogarithmic) {
        const double factor = std::pow(range.upper / range.lower, share);
        return {range.lower * factor, range.upper * factor};
    }
    return {range.lower + share * range.size(), range.upper + share * range.size()};
}

double middleOf(const QCPAxis& axis)
{
    const QCPRange range = axis.range();
    return axis.scaleType() == QCPAxis::stLogarithmic ? std::sqrt(range.lower * range.upper) : range.center();
}

} // namespace

PlotInput::PlotInput(PlotCard& card)
    : QObject(&card)
    , m_card(card)
    , m_plot(&card.plot())
{
    m_plot->installEventFilter(this);
    connect(m_plot, &QCustomPlot::mouseMove, this, &PlotInput::onMouseMove);
    connect(m_plot, &QCustomPlot::mousePress, this, &PlotInput::onMousePress);
    connect(m_plot, &QCustomPlot::mouseRelease, this, &PlotInput::onMouseRelease);
    connect(m_plot, &QCustomPlot::mouseDoubleClick, this, &PlotInput::onDoubleClick);
    connect(m_plot, &QCustomPlot::mouseWheel, this, &PlotInput::onWheel);
    m_plot->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_plot, &QWidget::customContextMenuRequested, this, &PlotInput::showMenu);
}

void PlotInput::onDoubleClick(QMouseEvent* event)
{
    const double x = m_plot->xAxis->pixelToCoord(event->position().x());
    // A narrow band is hit by its few pixels on both sides, too.
    const double reach = std::fabs(m_plot->xAxis->pixelToCoord(event->position().x() + kGrabPixels) - x);
    const auto stall = std::ranges::find_if(m_card.m_bands, [&](const PlotCard::Band& band) {
        return band.kind == BandKind::Stall && x >= band.from - reach && x <= band.to + reach;
    });
    if (const auto note = m_card.noteNear(x))
        emit m_card.noteActivated(*note);
    else if (stall != m_card.m_bands.end() && !m_card.m_zoomed && !m_card.m_yZoomed)
        emit m_card.stallActivated(stall->from, stall->to);
    else
        resetZoom();
}

void PlotInput::resetZoom()
{
    m_card.m_group ? m_card.m_group->resetZoom() : m_card.resetZoom();
}

void PlotInput::moveCrosshair(double x)
{
    m_card.m_group ? m_card.m_group->moveTo(x) : m_card.showCrosshair(x);
}

void PlotInput::hideCrosshair()
{
    m_card.m_group ? m_card.m_group->hide() : m_card.hideCrosshair();
}

bool PlotInput::onKey(const QKeyEvent& event)
{
    QCPAxis &x = *m_plot->xAxis, &y = *m_plot->yAxis;
    const bool shift = event.modifiers().testFlag(Qt::ShiftModifier);
    if (shift && event.modifiers().testFlag(Qt::ControlModifier))
        return false; // the card's own
    switch (event.key()) {
    case Qt::Key_Escape:
        if (m_draggedEdge)
            endEdgeDrag();
        else if (m_card.m_zoomed || m_card.m_yZoomed)
            resetZoom();
        else
            return false;
        return true;
    case Qt::Key_Left:
    case Qt::Key_Right:
        stepCrosshair(event.key() == Qt::Key_Right);
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal: // the same key without Shift on many keyboards
    case Qt::Key_Minus:
        x.scaleRange(event.key() == Qt::Key_Minus ? 1 / kZoomFactor : kZoomFactor,
                     m_card.m_crosshairShown ? m_card.m_crosshairX : middleOf(x));
        return true;
    case Qt::Key_Up:
    case Qt::Key_Down: {
        const bool up = event.key() == Qt::Key_Up;
        if (shift)
            y.scaleRange(up ? kZoomFactor : 1 / kZoomFactor, middleOf(y));
        else if (m_card.m_yZoomed)
            y.setRange(moved(y, y.range(), up ? kPanShare : -kPanShare));
        return shift || m_card.m_yZoomed;
    }
    case Qt::Key_0:
        resetZoom();
        return true;
    default:
        return false;
    }
}

//! While x is zoomed what is seen follows it.
void PlotInput::stepCrosshair(bool forward)
{
    constexpr double kSteps = 60;
    QCPAxis& x = *m_plot->xAxis;
    const QCPRange range = x.range();
    const double share = (forward ? 1 : -1) / kSteps;
    const double from = m_card.m_crosshairShown ? m_card.m_crosshairX : middleOf(x);
    const double to = std::clamp(x.pixelToCoord(x.coordToPixel(from) + share * x.axisRect()->width()),
                                 std::min(m_card.m_xLower, range.lower), std::max(m_card.m_xUpper, range.upper));
    if (!range.contains(to))
        x.setRange(moved(x, range, share));
    moveCrosshair(to);
}

void PlotInput::onMouseMove(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (m_draggedEdge) {
        dragEdge(m_plot->xAxis->pixelToCoord(at.x()));
        QToolTip::showText(event->globalPosition().toPoint(),
                           tr("measured time begins at %1").arg(format::clock(*m_draggedEdge)), m_plot);
        return;
    }
    if (m_pan) {
        pan(at - m_pan->at);
        return;
    }
    const bool onLabel = m_card.m_endLabels->seriesAt(at).has_value();
    m_plot->setCursor(onLabel ? Qt::PointingHandCursor : isNearEdge(at) ? Qt::SplitHCursor : Qt::ArrowCursor);
    if (event->buttons() != Qt::NoButton)
        return;
    const QRect area = m_plot->axisRect()->rect();
    if (!area.adjusted(0, 0, 1, 1).contains(at.toPoint())) {
        hideCrosshair();
        return;
    }
    moveCrosshair(m_plot->xAxis->pixelToCoord(at.x()));
}

void PlotInput::onMousePress(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto series = m_card.m_endLabels->seriesAt(event->position())) {
        m_card.setSeriesVisible(*series, !m_card.isSeriesVisible(*series));
    } else if (isNearEdge(event->position())) {
        m_draggedEdge = m_edge;
        m_bandsBeforeDrag = m_card.m_bands;
        if (m_card.m_group)
            m_card.m_group->hide();
    } else {
        m_pan = Pan{event->position(), m_plot->xAxis->range(), m_plot->yAxis->range()};
    }
}

//! Up and down only while y is zoomed: else it follows the data.
void PlotInput::pan(const QPointF& pixels)
{
    QCPAxis &x = *m_plot->xAxis, &y = *m_plot->yAxis;
    x.setRange(moved(x, m_pan->x, -pixels.x() / std::max(1, x.axisRect()->width())));
    if (m_card.m_yZoomed)
        y.setRange(moved(y, m_pan->y, pixels.y() / std::max(1, y.axisRect()->height())));
}

void PlotInput::onWheel(QWheelEvent* event)
{
    constexpr double kNotch = 120; // in eighths of a degree
    const bool vertical = event->modifiers().testFlag(Qt::ShiftModifier);
    // Some systems turn the wheel sideways when Shift is held.
    const double turned = event->angleDelta().y() != 0 ? event->angleDelta().y()
                          : vertical                   ? event->angleDelta().x()
                                                       : 0;
    if (turned == 0)
        return;
    QCPAxis& axis = vertical ? *m_plot->yAxis : *m_plot->xAxis;
    axis.scaleRange(std::pow(kZoomFactor, turned / kNotch),
                    axis.pixelToCoord(vertical ? event->position().y() : event->position().x()));
}

void PlotInput::onMouseRelease(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pan.reset();
    if (!m_draggedEdge)
        return;
    const double x = *m_draggedEdge;
    endEdgeDrag();
    // A click on the edge is no wish to move it.
    if (m_edge && std::fabs(m_plot->xAxis->coordToPixel(x) - m_plot->xAxis->coordToPixel(*m_edge)) >= kGrabPixels)
        emit m_card.edgeMoved(x);
}

bool PlotInput::isNearEdge(const QPointF& at) const
{
    const QRect area = m_plot->axisRect()->rect();
    return m_edge && at.y() >= area.top() && at.y() <= area.bottom() &&
           std::fabs(m_plot->xAxis->coordToPixel(*m_edge) - at.x()) <= kGrabPixels;
}

void PlotInput::setMovableEdge(std::optional<double> x)
{
    if (x == m_edge)
        return; // not in the middle of a drag
    if (m_draggedEdge)
        endEdgeDrag();
    m_edge = x;
    m_card.markDirty();
}

void PlotInput::dragEdge(double x)
{
    const QCPRange range = m_plot->xAxis->range();
    m_draggedEdge = std::clamp(x, std::max(range.lower, m_card.m_xLower), std::min(range.upper, m_card.m_xUpper));
    m_card.m_bands = m_bandsBeforeDrag;
    const auto warmup = std::ranges::find(m_card.m_bands, BandKind::Warmup, &PlotCard::Band::kind);
    if (warmup != m_card.m_bands.end())
        warmup->to = *m_draggedEdge;
    else
        m_card.m_bands.push_back({m_card.m_xLower, *m_draggedEdge, BandKind::Warmup, {}, {}});
    m_card.markDirty();
}

void PlotInput::endEdgeDrag()
{
    m_draggedEdge.reset();
    m_card.m_bands = std::exchange(m_bandsBeforeDrag, {});
    QToolTip::hideText();
    m_card.markDirty();
}

bool PlotInput::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_plot)
        return QObject::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::Leave:
        hideCrosshair();
        break;
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        QString text = m_card.m_phaseBand->tooltipAt(help->pos());
        if (text.isEmpty())
            text = m_card.m_marks->tooltipAt(help->pos().x());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), harmlessToolTip(text), m_plot);
        return true;
    }
    case QEvent::Resize:
        m_card.markDirty();
        break;
    case QEvent::Paint:
        if (m_card.m_stale) // it has been scrolled into view
            m_card.markDirty();
        break;
    case QEvent::KeyPress:
        if (onKey(*static_cast<QKeyEvent*>(event)))
            return true;
        break;
    default:
        break;
    }
    return QObject::eventFilter(watched, event);
}

void PlotInput::showMenu(const QPoint& at)
{
    // From the keyboard it comes at the middle; what is meant is where the crosshair stands.
    m_menuX = m_card.m_crosshairShown ? m_card.m_crosshairX : m_plot->xAxis->pixelToCoord(at.x());
    auto* menu = new QMenu(&m_card);
    menu->setObjectName(QStringLiteral("plotMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(Theme::instance().icon(QStringLiteral("copy")), tr("Copy picture"), &m_card,
                    &PlotCard::copyPicture);
    menu->addAction(tr("Copy data"), &m_card, &PlotCard::copyData);
    menu->addAction(Theme::instance().icon(QStringLiteral("export")), tr("Export…"), &m_card, &PlotCard::exportDialog);
    menu->addSeparator();
    QAction* reset = menu->addAction(tr("Reset zoom"), this, [this] { resetZoom(); });
    reset->setEnabled(m_card.m_zoomed || m_card.m_yZoomed);
    if (m_card.seriesCount() > 1) {
        menu->addSeparator();
        for (int i = 0; i < m_card.seriesCount(); ++i) {
            QAction* action = menu->addAction(m_card.seriesName(i));
            action->setCheckable(true);
            action->setChecked(m_card.isSeriesVisible(i));
            connect(action, &QAction::toggled, this, [this, i](bool on) { m_card.setSeriesVisible(i, on); });
        }
    }
    emit m_card.aboutToShowMenu(menu);
    menu->popup(m_plot->mapToGlobal(at));
}

} // namespace dyno
