// SPDX-License-Identifier: GPL-3.0-or-later
// How many transactions took how long, over time.
#include "plots/chart.h"

#include "plots/time_overlay_plot.h"

namespace dyno {

namespace {

class HeatChart : public Chart
{
public:
    using Chart::Chart;

    [[nodiscard]] TraceParts parts() const override { return {.heat = true}; }
    [[nodiscard]] std::size_t mostTraces() const override { return 9; } // more are too small to read

protected:
    void drawOn(ChartSheet& sheet, const ChartInput& input) const override
    {
        sheet.begin(ChartSheet::Place::Fresh, input.words);
        for (const RunTrace& trace : input.traces) {
            auto& plot = sheet.add<HeatPlot>();
            plot.setTrace(trace, input.which, HeatPlot::spanOf(input.traces));
            showPart(plot, input.from, input.to);
        }
    }
};

} // namespace

std::unique_ptr<Chart> heatChart()
{
    return std::make_unique<HeatChart>("heat");
}

} // namespace dyno
