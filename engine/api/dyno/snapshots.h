// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a server did at a moment of a run, as it told it: who waited for what, what ran. Plain values and functions;
//! any thread.
#pragma once

#include "library.h"
#include "samples.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

struct SnapshotText
{
    std::string title; //!< "InnoDB status"
    std::string text;  //!< in lines; statements in it are without literals
};

struct RunSnapshot
{
    std::int64_t tNs = 0; //!< when the server was asked, as RunEvent::tNs of its event
    bool stalled = false; //!< taken because throughput stalled; false: somebody asked for it
    double ms = 0;        //!< what asking took
    std::vector<SnapshotText> texts;
};

//! Of a run of the session, by its RunHeader::index, in the order they were taken; while it is under way those so far.
[[nodiscard]] Expected<std::vector<RunSnapshot>> runSnapshots(Library& library, std::string_view session, int run);

//! How the text of an event begins that has a snapshot.
inline constexpr std::string_view kSnapshotEvent = "snapshot: ";

} // namespace dyno
