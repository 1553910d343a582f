// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/chart_kinds.h>

#include <dyno/analysis.h>

#include <algorithm>

namespace dyno {

const std::vector<ChartKind>& chartKinds()
{
    static const std::vector<ChartKind> kinds{
        {.id = "lines",
         .label = "Lines",
         .summary = true,
         .table = true,
         .measure = true,
         .log = true,
         .logByItself = true},
        {.id = "bars",
         .label = "Bars",
         .summary = true,
         .table = true,
         .measure = true,
         .log = true,
         .sketch = ChartSketch::Bars},
        {.id = "runs", .label = "Every run", .table = true, .measure = true, .log = true, .logByItself = true},
        {.id = "scaling", .label = "Scaling law", .title = "Scaling law", .log = true, .law = true},
        {.id = "sync",
         .label = "Cost of a sync",
         .title = "Time of a commit against its bytes",
         .log = true,
         .along = kLogBytes},
        {.id = "latency",
         .label = "Latency against throughput",
         .title = "Latency against throughput",
         .measure = true,
         .log = true},
        {.id = "time",
         .label = "Over time",
         .title = "Throughput",
         .intervals = true,
         .measure = true,
         .seconds = true,
         .rows = true,
         .log = true,
         .sketch = ChartSketch::Course},
        {.id = "dots",
         .label = "Every interval",
         .title = "Every interval",
         .intervals = true,
         .measure = true,
         .seconds = true,
         .rows = true,
         .log = true},
        {.id = "percentiles", .label = "Percentiles", .title = "Percentiles", .intervals = true},
        {.id = "heat", .label = "Heat map", .title = "Latency over time", .intervals = true, .seconds = true},
    };
    return kinds;
}

const ChartKind* findChartKind(std::string_view id)
{
    const auto found = std::ranges::find(chartKinds(), id, &ChartKind::id);
    return found == chartKinds().end() ? nullptr : &*found;
}

bool hasChart(std::string_view id, bool ChartKind::*property)
{
    const ChartKind* kind = findChartKind(id);
    return kind && kind->*property;
}

ViewAxes viewAxes(std::string_view log)
{
    if (log == kLinearAxes)
        return {};
    return {log.find('x') != std::string_view::npos, log.find('y') != std::string_view::npos, log.empty()};
}

bool showsSeconds(std::string_view id, std::string_view over)
{
    return hasChart(id, &ChartKind::seconds) && (over.empty() || !hasChart(id, &ChartKind::rows));
}

} // namespace dyno
