// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/plot_input.h"

#include "format.h"
#include "parts/foreign_text.h"
#include "plots/crosshair_group.h"
#include "plots/plot_items.h"

#include <QHelpEvent>
#include <QMenu>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dyno {

namespace {

constexpr double kGrabPixels = 5; //!< how near to a movable edge one has to be

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
    if (const auto note = m_card.noteNear(m_plot->xAxis->pixelToCoord(event->position().x())))
        emit m_card.noteActivated(*note);
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

bool PlotInput::onKey(int key)
{
    if (key == Qt::Key_Escape && m_draggedEdge) {
        endEdgeDrag();
        return true;
    }
    if (key != Qt::Key_Left && key != Qt::Key_Right)
        return false;
    const QCPRange range = m_plot->xAxis->range();
    const double start = m_card.m_crosshairShown ? m_card.m_crosshairX : range.center();
    const double step = range.size() / 60 * (key == Qt::Key_Left ? -1 : 1);
    moveCrosshair(std::clamp(start + step, range.lower, range.upper));
    return true;
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
        pan(at.x() - m_pan->x);
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
        m_pan = Pan{event->position().x(), m_plot->xAxis->range()};
    }
}

void PlotInput::pan(double pixels)
{
    const QCPAxis& axis = *m_plot->xAxis;
    const double share = pixels / std::max(1, axis.axisRect()->width());
    const QCPRange& from = m_pan->range;
    if (axis.scaleType() == QCPAxis::stLogarithmic) {
        const double factor = std::pow(from.upper / from.lower, -share);
        m_plot->xAxis->setRange(from.lower * factor, from.upper * factor);
    } else {
        m_plot->xAxis->setRange(from.lower - share * from.size(), from.upper - share * from.size());
    }
}

void PlotInput::onWheel(QWheelEvent* event)
{
    constexpr double kFactor = 0.8, kNotch = 120; // a notch of the wheel, in eighths of a degree
    const bool vertical = event->modifiers().testFlag(Qt::ShiftModifier);
    // Some systems turn the wheel sideways when Shift is held.
    const double turned = event->angleDelta().y() != 0 ? event->angleDelta().y()
                          : vertical                   ? event->angleDelta().x()
                                                       : 0;
    if (turned == 0)
        return;
    QCPAxis& axis = vertical ? *m_plot->yAxis : *m_plot->xAxis;
    axis.scaleRange(std::pow(kFactor, turned / kNotch),
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
        m_card.m_bands.push_back({m_card.m_xLower, *m_draggedEdge, BandKind::Warmup, {}});
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
        const QString text = m_card.m_marks->tooltipAt(help->pos().x());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), harmlessToolTip(text), m_plot);
        return true;
    }
    case QEvent::Resize:
        m_card.markDirty();
        break;
    case QEvent::KeyPress:
        if (onKey(static_cast<QKeyEvent*>(event)->key()))
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
