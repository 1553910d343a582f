// SPDX-License-Identifier: GPL-3.0-or-later
// Lines and bars of a comparison.
#include "plots/chart.h"

#include "format.h"
#include "plots/comparison.h"
#include "plots/pivot_gaps.h"
#include "plots/pivot_plot.h"
#include "plots/pivot_table_model.h"
#include "plots/series_labels.h"
#include "qt_text.h"

#include <QCoreApplication>

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

//! By series, those whose place along x was not published; NaN where there is none.
std::vector<double> publishedLaneOf(const Pivot& pivot, const Published& published, const std::string& facet)
{
    std::vector<double> values;
    for (const std::string& series : pivot.series)
        values.push_back(
            publishedAside(pivot, published, series, facet).value_or(std::numeric_limits<double>::quiet_NaN()));
    return values;
}

struct PivotWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::PivotChart)
};

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

    [[nodiscard]] ChartFindings findings(const ChartInput& input) const override
    {
        if (id() != "lines" || !input.pivot.numericX || input.pivot.xs.size() < 3)
            return {};
        if (!input.pivot.measure().higherIsBetter)
            return {}; // the least latency is that of one user
        ChartFindings findings{PivotWords::tr("Maxima"), {}};
        std::string facet;
        const MeasureInfo measure = input.pivot.measure();
        const QString x = qtText(input.pivot.request.x);
        bool beyond = false;
        for (const Peak& peak : peaksOf(input.pivot)) {
            if (peak.facet != facet && input.pivot.facets.size() > 1)
                findings.rows.emplace_back(PivotTableModel::facetLabel(input.pivot.request.facet, peak.facet),
                                           QString());
            facet = peak.facet;
            QString text = PivotWords::tr("%1 at %2", "figure, where")
                               .arg(measureText(peak.figure.value, &measure), caseWords(x, qtText(peak.x)));
            if (peak.toBaseline > 0 && peak.series != input.pivot.request.baseline)
                text += QStringLiteral(", ") % format::ratio(peak.toBaseline);
            if (peak.atEnd)
                text += QStringLiteral(" †");
            beyond = beyond || peak.atEnd;
            findings.rows.emplace_back(peak.series.empty()
                                           ? PivotPlot::tr("all runs")
                                           : casesWords(qtText(input.pivot.request.series), qtText(peak.series)),
                                       text);
        }
        if (beyond)
            findings.note = PivotWords::tr("† At the end of what was measured: a better figure may lie beyond.");
        return findings;
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
        for (const std::string& facet : facets) {
            for (const std::string& series : pivot.series) {
                if (input.published)
                    highest = std::max(highest, publishedAside(pivot, *input.published, series, facet).value_or(0));
            }
        }
        sheet.begin(ChartSheet::Place::Kept, input.words);
        for (std::size_t i = 0; i < facets.size(); ++i) {
            auto& plot = sheet.add<PivotPlot>();
            plot.setObjectName(i == 0 ? QStringLiteral("pivotPlot") : QStringLiteral("pivotPlot%1").arg(i + 1));
            plot.setAccessibleName(PivotPlot::tr("Chart of the comparison"));
            plot.setSharedHighest(facets.size() > 1 ? highest : 0);
            plot.setChart(PivotPlot::chartFromText(id()));
            plot.setLogAxes(input.logX, input.logY);
            if (input.published)
                plot.setPublished(publishedOver(pivot, *input.published, facets[i]), qtText(input.published->source),
                                  publishedLaneOf(pivot, *input.published, facets[i]));
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
