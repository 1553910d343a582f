// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput over users with the Universal Scalability Law.
#include "plots/chart.h"

#include "format.h"
#include "plots/scaling_plot.h"
#include "qt_text.h"

#include <dyno/analysis.h>
#include <dyno/load_phases.h>

#include <algorithm>

namespace dyno {

namespace {

struct ScalingData : ChartData
{
    std::vector<Scaling> scaling;
};

const std::vector<Scaling>& scalingIn(const ChartInput& input)
{
    static const std::vector<Scaling> none;
    const auto* data = dynamic_cast<const ScalingData*>(input.data.get());
    return data ? data->scaling : none;
}

struct ScalingWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::ScalingChart)
};

class ScalingChart : public Chart
{
public:
    using Chart::Chart;

    [[nodiscard]] bool needsData() const override { return true; }
    [[nodiscard]] ChartDataPtr workOut(const std::vector<StoredSession>& sessions, const Pivot& pivot) const override
    {
        auto data = std::make_shared<ScalingData>();
        data->scaling = scalingOf(sessions, pivot.request);
        return data;
    }
    [[nodiscard]] std::optional<ChartMessage> whyNot(const ChartInput& input) const override
    {
        auto message = Chart::whyNot(input);
        if (message || !input.data || !scalingIn(input).empty())
            return message;
        const auto allOf = [&input](const auto& holds) {
            return std::ranges::all_of(input.sessions, [&holds](const StoredSession& session) {
                return std::ranges::all_of(session.header.points, holds);
            });
        };
        const bool grouped = allOf([](const PointSpec& one) { return !one.load.groups.empty(); });
        const bool changing = allOf([](const PointSpec& one) { return changesLoad(one.load); });
        return ChartMessage{
            ScalingWords::tr("Nothing to scale"),
            changing  ? ScalingWords::tr("The load changes within these runs, so that their throughput belongs to no "
                                          "one number of users.")
            : grouped ? ScalingWords::tr("Several groups of users work at once in these runs, so that their throughput "
                                         "belongs to no one number of users.")
                      : ScalingWords::tr("These runs have one number of users each. Measure two or more, such as 1, 4, "
                                         "16.")};
    }
    [[nodiscard]] ChartFindings findings(const ChartInput& input) const override
    {
        ChartFindings findings{ScalingWords::tr("One user against many"), {}};
        for (const Scaling& one : scalingIn(input)) {
            QStringList parts;
            if (one.singleUserMs)
                parts += ScalingWords::tr("one user %1", "a time").arg(format::time(*one.singleUserMs));
            if (one.gapToLinear)
                parts += ScalingWords::tr("%1 below linear at %2 users", "a percentage")
                             .arg(format::percent(*one.gapToLinear), format::count(qint64(one.mostUsers)));
            if (one.fit)
                parts += qtText(toText(*one.fit, "transactions/s"));
            QStringList name;
            for (const std::string& part : {one.series, one.facet}) {
                if (!part.empty())
                    name += qtText(part);
            }
            findings.rows.emplace_back(name.isEmpty() ? ScalingWords::tr("all runs") : name.join(QStringLiteral(", ")),
                                       parts.join(QStringLiteral("; ")));
        }
        findings.note = ScalingWords::tr(
            "Universal Scalability Law, fitted by least squares to every run; response time is the mean");
        return findings;
    }

protected:
    void drawOn(ChartSheet& sheet, const ChartInput& input) const override
    {
        sheet.begin(ChartSheet::Place::Fresh, input.words);
        std::vector<std::string> facets;
        for (const Scaling& one : scalingIn(input)) {
            if (std::ranges::find(facets, one.facet) != facets.end())
                continue;
            facets.push_back(one.facet);
            auto& plot = sheet.add<ScalingPlot>();
            plot.setLogAxes(input.logX, input.logY);
            plot.setScaling(scalingIn(input), qtText(one.facet));
        }
    }
};

} // namespace

std::unique_ptr<Chart> scalingChart()
{
    return std::make_unique<ScalingChart>("scaling");
}

} // namespace dyno
