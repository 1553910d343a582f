// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The bytes of blocks: neighbouring intervals of a run packed together, column by column. Every block says its version
//! and a check sum, then what range_coder.h makes of the numbers. Nothing is lost: what was packed comes back bit by
//! bit. Reading stops at the end of the bytes, so that few bytes never become more intervals than their row tells.
#pragma once

#include <dyno/samples.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::block {

constexpr std::size_t kIntervals = 300;      //!< in a block that we make; fewer at a run's end
constexpr std::size_t kMostIntervals = 4096; //!< in one that is read

//! Everything of the intervals but what is measured per operation and counters.
[[nodiscard]] std::string writeTimes(std::span<const IntervalSample> samples);
//! Fills `samples`; false when the bytes are damaged. `few`: only tNs, lengthNs, phase and rows.
[[nodiscard]] bool readTimes(std::string_view bytes, std::span<IntervalSample> samples, bool few);

//! Percentiles of one histogram, nanoseconds.
struct Point
{
    std::uint64_t p50 = 0, p95 = 0, p99 = 0, p999 = 0, max = 0;
    [[nodiscard]] static Point of(const Histogram& histogram);
    bool operator==(const Point&) const = default;
};
//! Of one operation kind, or of transactions, in one interval: what can be drawn.
struct Figures
{
    std::uint64_t count = 0, errors = 0;
    bool hasService = false, hasResponse = false; //!< some value is in its histogram
    Point service, response;
    [[nodiscard]] static Figures of(const OpInterval& values);
    bool operator==(const Figures&) const = default;
};
[[nodiscard]] std::string writeFigures(std::span<const Figures> figures);
[[nodiscard]] bool readFigures(std::string_view bytes, std::span<Figures> figures);

//! Histograms of the same; their largest values are those of the figures.
[[nodiscard]] std::string writeHistograms(std::span<const OpInterval* const> values);
[[nodiscard]] bool readHistograms(std::string_view bytes, std::span<const Figures> figures,
                                  std::span<OpInterval* const> values);

//! Values of one counter.
[[nodiscard]] std::string writeValues(std::span<const double> values);
[[nodiscard]] bool readValues(std::string_view bytes, std::span<double> values);
//! A counter's value as it is kept: whole numbers as they are, others with 20 significant bits (to one part in a
//! million: the times of asking are not known better).
[[nodiscard]] double kept(double value);

} // namespace dyno::block
