// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the Start page shows of a person's own work: the last plan, the newest sessions, the newest result of each
//! recipe. readStart() is for a job; the rest are plain values.
#pragma once

#include "bridge/last_plan.h"
#include "plots/session_digest.h"
#include "start/recipe_model.h"

#include <dyno/library.h>
#include <dyno/plan.h>

#include <filesystem>
#include <optional>
#include <vector>

namespace dyno {

//! The last plan, as far as it has not been run as it is now.
struct OpenPlan
{
    Plan plan;
    qint64 editedMs = 0;
    bool changed = false; //!< by a person; else it was only opened then
    int faults = 0;
    qint64 runs = 0;    //!< 0 with faults
    double minutes = 0; //!< estimated, without loading
};

//! Nothing for the plan that the program began with, one that was run, and one that cannot be read.
[[nodiscard]] std::optional<OpenPlan> openPlanOf(const LastPlan& last);

struct LatestSession
{
    SessionInfo info;
    SessionDigest digest;
    int missing = 0;           //!< runs of its plan that are not complete, and could be run
    double missingMinutes = 0; //!< estimated for these
};

//! Whether a reading says what sessions found. That is read from their intervals, and takes long with many of them.
enum class StartDepth { List, Digests };

struct StartReading
{
    StartDepth depth = StartDepth::Digests;
    bool any = false; //!< there is a session
    std::optional<OpenPlan> plan;
    std::vector<LatestSession> latest; //!< newest first
    OwnResults own;
};

inline constexpr std::size_t kContinueCards = 4; //!< the last plan and sessions together

[[nodiscard]] Expected<StartReading> readStart(const std::filesystem::path& library, const LastPlan& last,
                                               StartDepth depth);

} // namespace dyno
