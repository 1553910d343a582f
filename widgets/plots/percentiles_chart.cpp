// SPDX-License-Identifier: GPL-3.0-or-later
// Latency against the share of transactions that were as fast or faster.
#include "plots/chart.h"

namespace dyno {

namespace {

class PercentilesChart : public Chart
{
public:
    using Chart::Chart;

    [[nodiscard]] TraceParts parts() const override { return {.percentiles = true}; }

protected:
    void drawOn(ChartSheet& sheet, const ChartInput& input) const override
    {
        sheet.begin(ChartSheet::Place::Fresh, input.words);
        sheet.add<SpectrumPlot>().setTraces(input.traces, input.which);
    }
};

} // namespace

std::unique_ptr<Chart> percentilesChart()
{
    return std::make_unique<PercentilesChart>("percentiles");
}

} // namespace dyno
