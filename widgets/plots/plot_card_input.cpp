// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does with a plot: mouse, keys, menu; and the plots that follow.
#include "format.h"
#include "parts/foreign_text.h"
#include "plots/export.h"
#include "plots/plot_card.h"
#include "plots/plot_items.h"

#include <QClipboard>
#include <QGuiApplication>
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

void PlotCard::onMouseMove(QMouseEvent* event)
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
    const bool onLabel = m_endLabels->seriesAt(at).has_value();
    m_plot->setCursor(onLabel ? Qt::PointingHandCursor : isNearEdge(at) ? Qt::SplitHCursor : Qt::ArrowCursor);
    if (event->buttons() != Qt::NoButton)
        return;
    const QRect area = m_plot->axisRect()->rect();
    if (!area.adjusted(0, 0, 1, 1).contains(at.toPoint())) {
        if (m_group)
            m_group->hide();
        else
            hideCrosshair();
        return;
    }
    const double x = m_plot->xAxis->pixelToCoord(at.x());
    if (m_group)
        m_group->moveTo(x);
    else
        showCrosshair(x);
}

void PlotCard::onMousePress(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto series = m_endLabels->seriesAt(event->position())) {
        setSeriesVisible(*series, !isSeriesVisible(*series));
    } else if (isNearEdge(event->position())) {
        m_draggedEdge = m_edge;
        m_bandsBeforeDrag = m_bands;
        if (m_group)
            m_group->hide();
    } else {
        m_pan = Pan{event->position().x(), m_plot->xAxis->range()};
    }
}

void PlotCard::pan(double pixels)
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

void PlotCard::onWheel(QWheelEvent* event)
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

void PlotCard::onMouseRelease(QMouseEvent* event)
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
        emit edgeMoved(x);
}

bool PlotCard::isNearEdge(const QPointF& at) const
{
    const QRect area = m_plot->axisRect()->rect();
    return m_edge && at.y() >= area.top() && at.y() <= area.bottom() &&
           std::fabs(m_plot->xAxis->coordToPixel(*m_edge) - at.x()) <= kGrabPixels;
}

void PlotCard::setMovableEdge(std::optional<double> x)
{
    if (x == m_edge)
        return; // not in the middle of a drag
    if (m_draggedEdge)
        endEdgeDrag();
    m_edge = x;
    markDirty();
}

void PlotCard::dragEdge(double x)
{
    const QCPRange range = m_plot->xAxis->range();
    m_draggedEdge = std::clamp(x, std::max(range.lower, m_xLower), std::min(range.upper, m_xUpper));
    m_bands = m_bandsBeforeDrag;
    const auto warmup = std::ranges::find(m_bands, BandKind::Warmup, &Band::kind);
    if (warmup != m_bands.end())
        warmup->to = *m_draggedEdge;
    else
        m_bands.push_back({m_xLower, *m_draggedEdge, BandKind::Warmup, {}});
    markDirty();
}

void PlotCard::endEdgeDrag()
{
    m_draggedEdge.reset();
    m_bands = std::exchange(m_bandsBeforeDrag, {});
    QToolTip::hideText();
    markDirty();
}

bool PlotCard::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_plot)
        return Card::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::Leave:
        if (m_group)
            m_group->hide();
        else
            hideCrosshair();
        break;
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = m_marks->tooltipAt(help->pos().x());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), harmlessToolTip(text), m_plot);
        return true;
    }
    case QEvent::Resize:
        markDirty();
        break;
    case QEvent::KeyPress: {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape && m_draggedEdge) {
            endEdgeDrag();
            return true;
        }
        if (key == Qt::Key_Left || key == Qt::Key_Right) {
            const QCPRange range = m_plot->xAxis->range();
            const double start = m_crosshairShown ? m_crosshairX : range.center();
            const double step = range.size() / 60 * (key == Qt::Key_Left ? -1 : 1);
            const double x = std::clamp(start + step, range.lower, range.upper);
            if (m_group)
                m_group->moveTo(x);
            else
                showCrosshair(x);
            return true;
        }
        break;
    }
    default:
        break;
    }
    return Card::eventFilter(watched, event);
}

void PlotCard::showEvent(QShowEvent* event)
{
    Card::showEvent(event);
    markDirty();
}

void PlotCard::showMenu(const QPoint& at)
{
    // From the keyboard it comes at the middle; what is meant is where the crosshair stands.
    m_menuX = m_crosshairShown ? m_crosshairX : m_plot->xAxis->pixelToCoord(at.x());
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("plotMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(Theme::instance().icon(QStringLiteral("copy")), tr("Copy picture"), this, &PlotCard::copyPicture);
    menu->addAction(tr("Copy data"), this, &PlotCard::copyData);
    menu->addAction(Theme::instance().icon(QStringLiteral("export")), tr("Export…"), this, &PlotCard::exportDialog);
    menu->addSeparator();
    QAction* reset = menu->addAction(tr("Reset zoom"), this, [this] { m_group ? m_group->resetZoom() : resetZoom(); });
    reset->setEnabled(m_zoomed || m_yZoomed);
    if (seriesCount() > 1) {
        menu->addSeparator();
        for (int i = 0; i < seriesCount(); ++i) {
            QAction* action = menu->addAction(seriesName(i));
            action->setCheckable(true);
            action->setChecked(isSeriesVisible(i));
            connect(action, &QAction::toggled, this, [this, i](bool on) { setSeriesVisible(i, on); });
        }
    }
    emit aboutToShowMenu(menu);
    menu->popup(m_plot->mapToGlobal(at));
}

void PlotCard::copyPicture()
{
    ExportOptions options;
    options.size = size();
    options.theme = Theme::instance().mode();
    QGuiApplication::clipboard()->setImage(renderPlot(*this, options));
}

void PlotCard::copyData()
{
    QGuiApplication::clipboard()->setText(table().toTabbed());
}

void PlotCard::exportDialog()
{
    auto* dialog = new ExportDialog(*this, window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void CrosshairGroup::add(PlotCard* card)
{
    m_cards.emplace_back(card);
}

void CrosshairGroup::moveTo(double x)
{
    for (const auto& card : m_cards)
        if (card)
            card->showCrosshair(x);
}

void CrosshairGroup::hide()
{
    for (const auto& card : m_cards)
        if (card)
            card->hideCrosshair();
}

void CrosshairGroup::shareXRange(const PlotCard* from, const QCPRange& range)
{
    if (m_busy)
        return;
    m_busy = true;
    for (const auto& card : m_cards)
        if (card && card != from)
            card->plot().xAxis->setRange(range);
    m_busy = false;
}

void CrosshairGroup::resetZoomQuietly()
{
    for (const auto& card : m_cards)
        if (card)
            card->resetZoom(false);
}

void CrosshairGroup::resetZoom()
{
    for (const auto& card : m_cards)
        if (card)
            card->resetZoom();
}

} // namespace dyno
