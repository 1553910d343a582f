// SPDX-License-Identifier: GPL-3.0-or-later
// Latency against throughput, joined in the order of users; or recall, joined in the order of what it was bought with.
#include "plots/chart.h"

#include "plots/comparison.h"
#include "plots/pivot_gaps.h"
#include "plots/pivot_table_model.h"
#include "plots/scaling_plot.h"
#include "qt_text.h"

namespace dyno {

namespace {

struct LatencyData : ChartData
{
    Pivot throughput, latency; //!< with the same axes; in the place of a latency may be a share
};

bool isShare(const MeasureInfo& measure)
{
    return measure.unit == "share";
}

class LatencyChart : public Chart
{
public:
    using Chart::Chart;

    [[nodiscard]] bool needsData() const override { return true; }
    [[nodiscard]] ChartDataPtr workOut(const std::vector<StoredSession>& sessions, const Pivot& shown) const override
    {
        PivotRequest request = shown.request;
        const bool fits = request.measure.starts_with("service_") || request.measure.starts_with("response_") ||
                          isShare(shown.measure());
        const std::string latency = fits ? request.measure : usualLatency(sessions);
        auto data = std::make_shared<LatencyData>();
        request.measure = "tps";
        data->throughput = pivot(sessions, request);
        request.measure = latency;
        data->latency = pivot(sessions, request);
        return data;
    }
    //! Against throughput stands what throughput is paid with: a latency or a recall, whatever the table shows.
    [[nodiscard]] std::string measure(const Pivot& pivot, const ChartData* data) const override
    {
        const auto* own = dynamic_cast<const LatencyData*>(data);
        return own ? own->latency.request.measure : pivot.request.measure;
    }

protected:
    void drawOn(ChartSheet& sheet, const ChartInput& input) const override
    {
        sheet.begin(ChartSheet::Place::Fresh, input.words);
        const auto* data = dynamic_cast<const LatencyData*>(input.data.get());
        if (!data)
            return;
        std::vector<std::string> facets = drawnFacets(data->latency);
        if (facets.empty())
            facets.emplace_back();
        for (const std::string& facet : facets) {
            auto& plot = sheet.add<LoadCurvePlot>();
            plot.setLogY(input.logY);
            plot.setCurves(loadCurvesOf(data->throughput, data->latency, facet),
                           PivotTableModel::measureLabel(data->latency.measure()), qtText(facet),
                           isShare(data->latency.measure()) ? LoadCurvePlot::Shows::Share : LoadCurvePlot::Shows::Time);
        }
    }
};

} // namespace

std::unique_ptr<Chart> latencyChart()
{
    return std::make_unique<LatencyChart>("latency");
}

} // namespace dyno
