// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The snapshots of a run as text for a terminal.
#pragma once

#include <dyno/snapshots.h>

#include <string>
#include <vector>

namespace dyno {

[[nodiscard]] std::string snapshotsText(const StoredRun& run, const std::vector<RunSnapshot>& snapshots);

} // namespace dyno
