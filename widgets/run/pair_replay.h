// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Two stored runs side by side in step: what is read of each, the axis that they share, and what is known of each at a
//! moment. Values and pure functions; any thread.
#pragma once

#include "bridge/app_context.h"
#include "plots/trace_plot.h"
#include "run/replay_markers.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace dyno {

//! One of the two runs in memory. Immutable.
struct PairSide
{
    StoredSession session;
    std::size_t run = 0;              //!< index into session.runs
    RunTrace trace;                   //!< warm-up before zero
    std::vector<double> p50Ms, p99Ms; //!< service time; one an interval of the trace, NaN where nothing finished
    std::vector<double> measured, transactions, failed; //!< from zero up to the interval's end: seconds and counts
    std::vector<ReplayMarker> markers;                  //!< at: seconds from zero
    [[nodiscard]] const StoredRun& stored() const { return session.runs[run]; }
    [[nodiscard]] double end() const { return trace.seconds.empty() ? 0 : trace.seconds.back(); }
    [[nodiscard]] double rows() const { return trace.rows.empty() ? 0 : trace.rows.back(); }
};
using PairSidePtr = std::shared_ptr<const PairSide>;

//! Reads one run. Where `pick` names none: the run with the cases and the repeat of `like`, else the first that ended
//! as done.
[[nodiscard]] Expected<PairSidePtr> readPairSide(Library& library, const ReplayPick& pick, const PairSide* like);
//! Which runs of two sessions (StoredRun::id) are played beside each other when both are played as a whole: those with
//! the same cases and repeat, in the order of the first session; where no two are alike, the first with the first and
//! so on.
[[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> pairsOf(const StoredSession& first,
                                                                         const StoredSession& second);
//! "durability=flush 1, 4 users, repeat 2".
[[nodiscard]] QString runLabel(const StoredSession& session, const StoredRun& run);

enum class PairAxis { Time, Rows };

//! The axis of two runs. Zero of both is the start of the measured time. Along rows the first run sets the pace: at
//! each moment the second is shown up to as many rows; when the first has ended, the second goes on alone.
class PairTimeline
{
public:
    PairTimeline() = default;
    PairTimeline(PairSidePtr first, PairSidePtr second, PairAxis axis);

    [[nodiscard]] bool empty() const { return !m_sides[0] || !m_sides[1]; }
    [[nodiscard]] const PairSide& side(int index) const { return *m_sides[std::size_t(index)]; }
    [[nodiscard]] PairAxis axis() const { return m_axis; }
    [[nodiscard]] bool countsRows() const;                   //!< both did: they can be shown along rows
    [[nodiscard]] double warmup() const { return m_warmup; } //!< seconds before zero
    [[nodiscard]] double length() const { return m_length; } //!< seconds from the start of the longer warm-up
    //! How many intervals of a side are shown at a position (seconds from the axis' start).
    [[nodiscard]] std::size_t shown(int index, double position) const;
    [[nodiscard]] double rowsAt(double position) const;
    [[nodiscard]] std::vector<ReplayMarker> markers() const; //!< of both, "A:" and "B:" before their texts

private:
    [[nodiscard]] double positionOf(int index, double seconds) const;

    std::array<PairSidePtr, 2> m_sides;
    PairAxis m_axis = PairAxis::Time;
    double m_warmup = 0, m_length = 0;
    double m_handOver = 0; //!< seconds of the second run when it has as many rows as the first at its end
};

} // namespace dyno
