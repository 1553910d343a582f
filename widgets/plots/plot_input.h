// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plots/plot_card.h"

namespace dyno {

//! What a person does with a plot by mouse, keys and menu: crosshair, zoom, pan, the end of the warm-up that can be
//! dragged. A part of its card, whose bands and ranges it changes. GUI thread.
class PlotInput : public QObject
{
    Q_OBJECT
public:
    explicit PlotInput(PlotCard& card);

    void setMovableEdge(std::optional<double> x);
    [[nodiscard]] std::optional<double> edge() const { return m_edge; }
    //! Where the edge is drawn: that under the mouse while it is dragged.
    [[nodiscard]] std::optional<double> shownEdge() const { return m_draggedEdge ? m_draggedEdge : m_edge; }
    [[nodiscard]] double menuX() const { return m_menuX; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool onKey(const QKeyEvent& event); //!< false: it means nothing here
    void onMouseMove(QMouseEvent* event);
    void onMousePress(QMouseEvent* event);
    void onMouseRelease(QMouseEvent* event);
    void onDoubleClick(QMouseEvent* event);
    void onWheel(QWheelEvent* event);
    void pan(const QPointF& pixels); //!< since the button was pressed
    void stepCrosshair(bool forward);
    void moveCrosshair(double x);
    void hideCrosshair();
    void resetZoom();
    [[nodiscard]] bool isNearEdge(const QPointF& at) const;
    void dragEdge(double x);
    void endEdgeDrag(); //!< shows the marks as they were before it
    void showMenu(const QPoint& at);

    PlotCard& m_card;
    QCustomPlot* m_plot;
    std::optional<double> m_edge;        //!< that can be dragged
    std::optional<double> m_draggedEdge; //!< while it is
    std::vector<PlotCard::Band> m_bandsBeforeDrag;
    struct Pan
    {
        QPointF at; //!< pixels
        QCPRange x, y;
    };
    std::optional<Pan> m_pan; //!< where the button was pressed, while it is
    double m_menuX = 0;
};

} // namespace dyno
