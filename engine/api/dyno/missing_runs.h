// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How far a session came, and what of its plan is still to be run. Pure; any thread.
#pragma once

#include "library.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! The runs that a plan asks for, each counted once, as it ended last.
struct RunCounts
{
    int planned = 0, done = 0, failed = 0, skipped = 0, stopped = 0, cut = 0, damaged = 0, notRun = 0;
    [[nodiscard]] int missing() const { return planned - done; }
};
//! `runs` in the order in which they ran.
[[nodiscard]] RunCounts countRuns(const std::vector<RunSlot>& slots, const std::vector<RunSummary>& runs);
[[nodiscard]] RunCounts countRuns(const StoredSession& session);
//! "3 failed, 1 skipped, 2 not run"; "" when all are done.
[[nodiscard]] std::string missingText(const RunCounts& counts);

//! One run that is not complete and was not completed later.
struct MissingRun
{
    RunSlot slot;
    const RunSummary* run = nullptr; //!< how it ended; nullptr: it never began
    std::string point;               //!< label
};
//! In the plan's order.
[[nodiscard]] std::vector<MissingRun> missingRuns(const StoredSession& session);
//! "point 2 (flush=1), repeat 3": where in the plan a run is.
[[nodiscard]] std::string placeInPlan(const SessionHeader& header, const RunSlot& slot);

//! Why a session is not what its plan asked for. Texts without a full stop.
struct Failure
{
    std::string where; //!< "point 2 (flush=1), repeat 3"; "": the session failed and none of its runs did
    std::string doing; //!< "while loading data"; "" where it is not known
    std::string why;   //!< with what helps, where that is known
    int more = 0;      //!< other runs that failed
};
//! Of one failed run.
[[nodiscard]] Failure failureOf(const SessionHeader& header, const RunSummary& run);
//! Of the first run that failed and was not completed later; else of the session. None where nothing failed. `reason`
//! is the session's.
[[nodiscard]] std::optional<Failure> firstFailure(const SessionHeader& header, const std::vector<RunSummary>& runs,
                                                  RunStatus status, const std::string& reason);
[[nodiscard]] std::optional<Failure> firstFailure(const StoredSession& session);

//! What completes the session: its header with the missing runs after all others, to be measured in a further sitting
//! (RunnerOptions::continues). The runs that are there stay, and each new one says to which sitting it belongs. Refused
//! where the figures could not stand beside those that are there: on another machine, by another version of this
//! program, or when the plan is laid out differently today; and for a session of another tool, one that is running, and
//! one that is complete.
[[nodiscard]] Expected<SessionHeader> continuationOf(const StoredSession& session, const HostFacts& here,
                                                     std::string_view software);

//! How the runs of later sittings compare with the earlier ones: "4 of 18 runs were measured in a second sitting, 2 h
//! 10 min after the first; at the 2 points with runs of both, throughput is 3.1 % lower in the second". "" for one
//! sitting.
[[nodiscard]] std::string sittingsText(const StoredSession& session);

} // namespace dyno
