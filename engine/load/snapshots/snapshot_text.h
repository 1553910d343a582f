// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! From what a server told at a moment to what the session keeps of it. Pure functions; any thread.
#pragma once

#include "driver/server_snapshot.h"
#include "metrics/counter_events.h"

#include <dyno/snapshots.h>

#include <string>
#include <vector>

namespace dyno {

constexpr std::size_t kKeptSnapshot = std::size_t(256) << 10; //!< bytes of one

//! Statements without literals, tables in columns, and no more than kKeptSnapshot.
[[nodiscard]] std::vector<SnapshotText> keptTexts(const std::vector<SnapshotPart>& parts);
//! "snapshot: InnoDB status, 12 statements, 8.00 ms"
[[nodiscard]] std::string snapshotEvent(const std::vector<SnapshotPart>& parts, const RunSnapshot& snapshot);
//! "checkpoint: 812 pages written"
[[nodiscard]] std::string eventText(const CounterEvent& event);

} // namespace dyno
