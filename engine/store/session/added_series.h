// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Series that were added to a stored run stand behind its own counters and are stored as those are. Where they came
//! from is a file of the session: see dyno/added_series.h.
#pragma once

#include "store/session/session_reader.h"
#include <dyno/added_series.h>

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Library::changeSeries() on the rows of one run, inside a transaction of the caller.
[[nodiscard]] Expected<void> changeSeries(Database& database, const StoredRun& run,
                                          const std::vector<SeriesAddition>& from,
                                          const std::vector<SeriesAddition>& to);

[[nodiscard]] std::string addedSeriesFile(int run); //!< its name; `run` is RunHeader::index
[[nodiscard]] bool isAddedSeriesFile(std::string_view name);
[[nodiscard]] std::string originsJson(const std::vector<SeriesOrigin>& origins);
//! Never fails: what is missing or of another type is not there; of a stranger's file bounded much.
[[nodiscard]] std::vector<SeriesOrigin> readOrigins(std::string_view json);

} // namespace dyno
