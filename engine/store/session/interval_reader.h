// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reads intervals from blocks and plain rows. Errors stick to the database.
#pragma once

#include "store/library/database.h"
#include "store/session/interval_blocks.h"
#include <dyno/library.h>

#include <functional>

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

//! Plain rows from the interval `first` on, at most `most`, with the phases as they were recorded, behind those that
//! are in `samples` already.
void readPlainIntervals(Database& database, std::int64_t run, const IntervalShape& shape, std::int64_t first,
                        std::int64_t most, IntervalDetail detail, std::vector<IntervalSample>& samples, bool* damaged);

enum class Reading {
    Whole,
    Damaged,
    TooLarge, //!< more than is held in memory at a time
    Changed,  //!< it has not as many series any more as whoever asks has read
};
//! Phases are those of the warm-up's end as it is now; see Library::moveWarmupEnd().
[[nodiscard]] std::vector<IntervalSample> readIntervals(Database& database, std::int64_t run,
                                                        IntervalDetail detail = IntervalDetail::Everything,
                                                        Reading* reading = nullptr,
                                                        std::size_t mostBuckets = RunBlocks::kMostBuckets);
//! Gives everything of the intervals one after the other and holds no more of them than a block has: a run of a day has
//! more of them than memory should be taken for. What was given before damage shows has to be thrown away.
[[nodiscard]] Reading eachInterval(Database& database, std::int64_t run,
                                   const std::function<void(const IntervalSample&)>& take,
                                   std::size_t mostBuckets = RunBlocks::kMostBuckets);
[[nodiscard]] IntervalColumns readColumns(Database& database, std::int64_t run, ColumnParts parts,
                                          Reading* reading = nullptr);

} // namespace dyno
