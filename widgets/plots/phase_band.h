// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The phases of a load as a band between a plot and its axis of time. GUI thread, but for plotPhases().
#pragma once

#include "plots/plot_items.h"
#include "plots/plot_phase.h"

#include <dyno/library.h>

#include <vector>

namespace dyno {

//! Of a load whose measured time begins at `measuredFrom`, in seconds as the plot counts them.
[[nodiscard]] std::vector<PlotPhase> plotPhases(const LoadProfile& load, double measuredFrom);

//! Of a stored run, in seconds from the start of its first phase; none where it is not known when they were.
[[nodiscard]] std::vector<PlotPhase> plotPhasesOf(const StoredSession& session, const StoredRun& run);

//! In its box, darker where the load is higher. `named`: its name as it was drawn, elided, and "" where there was no
//! room.
QString drawPhase(QPainter& painter, const QRectF& box, const PlotPhase& phase, const ThemeColors& colors, bool named);

class PhaseBand : public CardItem
{
public:
    explicit PhaseBand(PlotCard& card);
    //! What the plot's axis moves down by, pixels; 0 without phases.
    [[nodiscard]] int height() const;
    //! Of the phase at `pos`, "" for none.
    [[nodiscard]] QString tooltipAt(const QPointF& pos) const;
    //! Names as they were last drawn: elided, and "" where there was no room.
    [[nodiscard]] const QStringList& drawnNames() const { return m_drawn; }

protected:
    void draw(QCPPainter* painter) override;

private:
    [[nodiscard]] QRectF rectOf(const PlotPhase& phase) const; //!< empty: not in the part that is shown
    QStringList m_drawn;
};

} // namespace dyno
