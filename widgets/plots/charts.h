// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The makers of all charts, each defined in the chart's own file; for charts.cpp.
#pragma once

#include "plots/chart.h"

namespace dyno {

using ChartMaker = std::unique_ptr<Chart>();
ChartMaker linesChart, barsChart, runsChart, scalingChart, syncChart, latencyChart, timeChart, dotsChart,
    percentilesChart, heatChart;

} // namespace dyno
