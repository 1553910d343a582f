// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Puts IntervalColumns together.
#pragma once

#include <dyno/library.h>

#include <limits>

namespace dyno {

//! Adds one interval at the end of each column that is there: of as many operations and counters as `columns` was made
//! for.
void append(IntervalColumns& columns, const IntervalSample& sample);

//! A percentile as Histogram and the blocks of the store have it, nanoseconds; not a number where it is only a bound:
//! see percentileMs() in samples.h.
[[nodiscard]] inline double knownNs(double percentileNs)
{
    return percentileNs == double(hdr::kMaxValue) ? std::numeric_limits<double>::quiet_NaN() : percentileNs;
}

//! Five percentiles of one interval, nanoseconds; not a number where nothing finished, and where they are not known.
struct LatencyPoint
{
    double p50, p95, p99, p999, max;
    [[nodiscard]] static LatencyPoint of(const Histogram& histogram);
    [[nodiscard]] static LatencyPoint none();
};
//! `response`: none when it was not measured apart in this interval.
void append(IntervalColumns::Operation& operation, std::uint64_t count, std::uint64_t errors,
            const LatencyPoint& service, const LatencyPoint* response);

} // namespace dyno
