// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What PlotCard draws itself, each as one plot item: labels at the lines' ends, bands and ticks, the read-out at the
//! crosshair. GUI thread.
#pragma once

#include "plots/plot_card.h"

#include <optional>
#include <vector>

namespace dyno {

//! Moves centres apart so that neighbours are at least `gap` from each other and all stay within [top, bottom] as far
//! as there is room; the order is kept. Exposed for its test.
void spreadApart(std::vector<double>& centres, double gap, double top, double bottom);

//! Text items that are laid out in pixels at drawing time.
class CardItem : public QCPAbstractItem
{
public:
    CardItem(PlotCard& card, const QString& layer);
    double selectTest(const QPointF&, bool, QVariant* = nullptr) const override { return -1; }

protected:
    QPointF anchorPixelPosition(int) const override { return {}; }
    [[nodiscard]] PlotCard& card() const { return m_card; }
    //! Of a tick, or of what a person wrote: a series' colour, or −1.
    [[nodiscard]] static QColor tickColor(PlotCard& card, int series, bool note);
    [[nodiscard]] QCPAxisRect& rect() const { return *parentPlot()->axisRect(); }

private:
    PlotCard& m_card;
};

class EndLabels : public CardItem
{
public:
    explicit EndLabels(PlotCard& card);
    //! Space that the labels need to the right of the axes.
    [[nodiscard]] int neededWidth() const;
    //! Series whose label is at `pos`.
    [[nodiscard]] std::optional<int> seriesAt(const QPointF& pos) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    struct Hit
    {
        QRectF rect;
        int series;
    };
    [[nodiscard]] bool namesShapes() const;
    std::vector<Hit> m_hits;
};

class Marks : public CardItem
{
public:
    explicit Marks(PlotCard& card);
    //! Tooltip of the tick within 4 pixels of `x`, else of the band there; "" for none.
    [[nodiscard]] QString tooltipAt(double x) const;

protected:
    void draw(QCPPainter* painter) override;
};

//! The notes of bands, above grid and lines.
class BandNotes : public CardItem
{
public:
    explicit BandNotes(PlotCard& card);

protected:
    void draw(QCPPainter* painter) override;
};

class Readout : public CardItem
{
public:
    explicit Readout(PlotCard& card);
    //! The value nearest to x, if one lies within the graph's span.
    [[nodiscard]] static std::optional<QPointF> nearest(const QCPGraph& graph, double x);

protected:
    void draw(QCPPainter* painter) override;
};

} // namespace dyno
