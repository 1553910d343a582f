// SPDX-License-Identifier: GPL-3.0-or-later
// The list of charts.
#include "plots/chart.h"

#include <algorithm>

namespace dyno {

// Each is made in a file of its own.
using ChartMaker = std::unique_ptr<Chart>();
ChartMaker linesChart, barsChart, runsChart, scalingChart, syncChart, latencyChart, timeChart, dotsChart,
    percentilesChart, heatChart;

const std::vector<const Chart*>& charts()
{
    static const std::vector<std::unique_ptr<Chart>> owned = [] {
        std::vector<std::unique_ptr<Chart>> made;
        for (auto* make : {&linesChart, &barsChart, &runsChart, &scalingChart, &syncChart, &latencyChart, &timeChart,
                           &dotsChart, &percentilesChart, &heatChart})
            made.push_back(make());
        return made;
    }();
    static const std::vector<const Chart*> list = [] {
        std::vector<const Chart*> all;
        for (const auto& chart : owned)
            all.push_back(chart.get());
        return all;
    }();
    return list;
}

const Chart& chartOf(std::string_view id)
{
    const auto found = std::ranges::find(charts(), id, &Chart::id);
    return found == charts().end() ? *charts().front() : **found;
}

} // namespace dyno
