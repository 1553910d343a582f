// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Series of a Prometheus exporter, beside those of the server.
#pragma once

#include "monitor/counter_monitor.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dyno {

//! What is asked of whom.
struct ExporterAddress
{
    std::string name; //!< CounterInfo::source of its series
    std::string url;
    //! Of a metric's name or of a whole series, `*` for any letters; empty: all.
    std::vector<std::string> include;
};

//! What an exporter has of it now.
struct ExporterSeries
{
    static constexpr std::size_t kMost = 400;        //!< of one exporter; its first ones are taken
    static constexpr std::size_t kLongestName = 512; //!< bytes with labels; others are not taken
    std::vector<CounterInfo> counters;
    std::vector<std::string> series; //!< as the exporter writes them, one for each counter
    std::size_t matching = 0;        //!< how many there are
    std::size_t tooLong = 0;         //!< of those, by their names
};

//! Asks once, for seconds at most, which series there are. None of those that are asked for is an error. `enough`,
//! asked on this thread, ends it within about a second.
[[nodiscard]] Expected<ExporterSeries> seriesOf(const ExporterAddress& exporter, std::function<bool()> enough = {});
//! Asks for them once an interval, and at most about once a second: an exporter may ask its server in turn. What
//! appears later is not taken; what is gone is not a number.
[[nodiscard]] std::unique_ptr<CounterMonitor> monitorOf(const ExporterAddress& exporter, const ExporterSeries& series);

//! `*` stands for any letters, also none.
[[nodiscard]] bool matchesPattern(std::string_view text, std::string_view pattern);

} // namespace dyno
