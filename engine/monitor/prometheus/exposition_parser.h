// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reads Prometheus' text format 0.0.4, and of OpenMetrics what it shares with it. Pure functions; any thread.
#pragma once

#include <dyno/error.h>

#include <string_view>
#include <vector>

namespace dyno {

//! One sample; its texts are parts of what was read.
struct ExpositionSample
{
    std::string_view name;   //!< of the metric: "node_cpu_seconds_total"
    std::string_view series; //!< with labels as they stand: `node_cpu_seconds_total{cpu="0",mode="idle"}`
    double value = 0;
    bool counts = false; //!< goes up until the program behind it starts again; else a level
};

//! In the order of the text, each series once: the first one counts. Timestamps and exemplars are skipped. A text that
//! breaks the format is refused whole, with the number of the line: half of it could be anything.
[[nodiscard]] Expected<std::vector<ExpositionSample>> readExposition(std::string_view text);

} // namespace dyno
