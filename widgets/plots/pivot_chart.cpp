// SPDX-License-Identifier: GPL-3.0-or-later
// Lines and bars of a comparison.
#include "plots/charts.h"

#include "plots/comparison.h"
#include "plots/pivot_gaps.h"
#include "plots/pivot_plot.h"
#include "qt_text.h"

#include <algorithm>
#include <limits>

namespace dyno {

namespace {

//! Published figures by series and x of one facet; NaN where there is none.
std::vector<std::vector<double>> publishedOver(const Pivot& pivot, const Published& published, const std::string& facet)
{
    std::vector<std::vector<double>> values;
    for (const std::string& series : pivot.series) {
        std::vector<double>& line = values.emplace_back();
        for (const std::string& x : pivot.xs) {
            const PivotCell* cell = pivot.cell(x, series, facet);
            line.push_back((cell ? publishedOf(pivot, published, *cell) : std::nullopt)
                               .value_or(std::numeric_limits<double>::quiet_NaN()));
        }
    }
    return values;
}

class PivotChart : public Chart
{
public:
    using Chart::Chart;

    [[nodiscard]] const Chart& suited(const Pivot& pivot, const std::string& asked) const override
    {
        PivotPlot probe; // knows what Auto means for this pivot
        probe.setPivot(pivot);
        const PivotPlot::Chart wanted = PivotPlot::chartFromText(asked);
        const bool open = wanted == PivotPlot::Chart::Auto || pivot.xs.size() < 3;
        return chartOf((open ? probe.effectiveChart() : wanted) == PivotPlot::Chart::Bars ? "bars" : "lines");
    }

protected:
    void drawOn(ChartSheet& sheet, const ChartInput& input) const override
    {
        const Pivot pivot = input.published
                                ? withReferences(input.pivot, *input.published, input.sessions.front().header.plan)
                                : input.pivot;
        std::vector<std::string> facets = drawnFacets(pivot);
        if (facets.empty())
            facets.emplace_back();
        double highest = PivotPlot::highestOf(pivot);
        for (const PivotCell& cell : pivot.cells) {
            if (input.published)
                highest = std::max(highest, publishedOf(pivot, *input.published, cell).value_or(0));
        }
        sheet.begin(ChartSheet::Place::Kept, input.caption);
        for (std::size_t i = 0; i < facets.size(); ++i) {
            auto& plot = sheet.add<PivotPlot>();
            plot.setObjectName(i == 0 ? QStringLiteral("pivotPlot") : QStringLiteral("pivotPlot%1").arg(i + 1));
            plot.setAccessibleName(PivotPlot::tr("Chart of the comparison"));
            if (const auto caption = input.captions.find(facets[i]); caption != input.captions.end())
                plot.setExportCaption(caption->second);
            plot.setSharedHighest(facets.size() > 1 ? highest : 0);
            plot.setChart(PivotPlot::chartFromText(id()));
            plot.setLogAxes(input.logX, input.logY);
            if (input.published)
                plot.setPublished(publishedOver(pivot, *input.published, facets[i]), qtText(input.published->source));
            else
                plot.setPublished({}, {});
            plot.setPivot(pivot, qtText(facets[i]));
        }
    }
};

} // namespace

std::unique_ptr<Chart> linesChart()
{
    return std::make_unique<PivotChart>("lines");
}

std::unique_ptr<Chart> barsChart()
{
    return std::make_unique<PivotChart>("bars");
}

} // namespace dyno
