// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reads intervals from blocks and plain rows. Errors stick to the database.
#pragma once

#include "store/database.h"
#include <dyno/library.h>

namespace dyno {

//! How many series a run's intervals have.
struct IntervalShape
{
    std::size_t operations = 0, counters = 0;
    [[nodiscard]] static IntervalShape of(Database& database, std::int64_t run);
    //! No run of ours has more; memory for each interval's is made room for.
    static constexpr std::size_t kMostOperations = 1000, kMostCounters = 10'000;
    [[nodiscard]] bool possible() const { return operations <= kMostOperations && counters <= kMostCounters; }
};

//! Plain rows from the interval `first` on, at most `most`, with the phases as they were recorded, behind those that are in
//! `samples` already.
void readPlainIntervals(Database& database, std::int64_t run, const IntervalShape& shape, std::int64_t first, std::int64_t most,
                        IntervalDetail detail, std::vector<IntervalSample>& samples, bool* damaged);

//! Phases are those of the warm-up's end as it is now; see Library::moveWarmupEnd().
[[nodiscard]] std::vector<IntervalSample> readIntervals(Database& database, std::int64_t run,
                                                        IntervalDetail detail = IntervalDetail::Everything,
                                                        bool* damaged = nullptr);
[[nodiscard]] IntervalColumns readColumns(Database& database, std::int64_t run, ColumnParts parts, bool* damaged = nullptr);

} // namespace dyno
