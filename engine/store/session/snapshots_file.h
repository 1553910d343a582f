// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A run's snapshots as a file that the session keeps, see dyno/snapshots.h: a line of JSON each, which is written as
//! soon as the snapshot is there.
#pragma once

#include <dyno/snapshots.h>

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

constexpr std::size_t kMostSnapshots = 1000, kMostSnapshotTexts = 16; //!< that are read

[[nodiscard]] std::string snapshotsFile(int run); //!< its name among the session's files; `run` is RunHeader::index
[[nodiscard]] bool isSnapshotsFile(std::string_view name);
[[nodiscard]] std::string writeSnapshot(const RunSnapshot& snapshot); //!< a piece of it, with the end of its line
//! Reading never fails: what is missing or of another type is not there.
[[nodiscard]] std::vector<RunSnapshot> readSnapshots(std::string_view text);
//! The same lines with what tells nobody's names: times, and that there were texts.
[[nodiscard]] std::string anonymousSnapshots(std::string_view text);

} // namespace dyno
