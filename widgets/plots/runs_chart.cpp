// SPDX-License-Identifier: GPL-3.0-or-later
// Every run as a dot.
#include "plots/chart.h"

#include "plots/pivot_gaps.h"
#include "plots/strip_plot.h"
#include "qt_text.h"

namespace dyno {

namespace {

class RunsChart : public Chart
{
public:
    using Chart::Chart;

protected:
    void drawOn(ChartSheet& sheet, const ChartInput& input) const override
    {
        std::vector<std::string> facets = drawnFacets(input.pivot);
        if (facets.empty())
            facets.emplace_back();
        sheet.begin(ChartSheet::Place::Fresh, input.words);
        for (const std::string& facet : facets) {
            auto& plot = sheet.add<StripPlot>();
            plot.setSharedHighest(facets.size() > 1 ? StripPlot::highestOf(input.pivot) : 0);
            plot.setLogY(input.logY);
            plot.setPivot(input.pivot, qtText(facet));
        }
    }
};

} // namespace

std::unique_ptr<Chart> runsChart()
{
    return std::make_unique<RunsChart>("runs");
}

} // namespace dyno
