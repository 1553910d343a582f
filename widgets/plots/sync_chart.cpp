// SPDX-License-Identifier: GPL-3.0-or-later
// The time of a commit against its bytes of log, with the line N/R + K.
#include "plots/chart.h"

#include "plots/comparison.h"
#include "plots/sync_plot.h"
#include "qt_text.h"

#include <dyno/analysis.h>

#include <algorithm>

namespace dyno {

namespace {

struct SyncData : ChartData
{
    SyncCosts costs;
};

const SyncCosts& costsIn(const ChartInput& input)
{
    static const SyncCosts none;
    const auto* data = dynamic_cast<const SyncData*>(input.data.get());
    return data ? data->costs : none;
}

struct SyncWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::SyncChart)
};

class SyncChart : public Chart
{
public:
    using Chart::Chart;

    [[nodiscard]] bool needsData() const override { return true; }
    [[nodiscard]] ChartDataPtr workOut(const std::vector<StoredSession>& sessions, const Pivot& pivot) const override
    {
        auto data = std::make_shared<SyncData>();
        data->costs = syncCostsOf(sessions, pivot);
        return data;
    }
    [[nodiscard]] std::optional<ChartMessage> whyNot(const ChartInput& input) const override
    {
        auto message = Chart::whyNot(input);
        if (!message && input.pivot.request.measure != kLogBytes)
            message = ChartMessage{SyncWords::tr("Another measure is chosen"),
                                   SyncWords::tr("This chart needs the bytes of log of a transaction. Choose that "
                                                 "measure.")};
        if (input.pivot.request.measure != kLogBytes)
            return message;
        const bool measured = message ? runFacts(input.sessions).runs > 0 : input.data && costsIn(input).list.empty();
        if (measured)
            message = ChartMessage{SyncWords::tr("The bytes of a commit are not known"),
                                   SyncWords::tr("No counter of these runs tells how much log was written. Record the "
                                                 "server's counters, and run again.")};
        return message;
    }
    [[nodiscard]] ChartFindings findings(const ChartInput& input) const override
    {
        ChartFindings findings{SyncWords::tr("What a sync costs"), {}};
        for (const SyncCost& one : costsIn(input).list) {
            QStringList name;
            for (const std::string& part : {one.series, one.facet}) {
                if (!part.empty())
                    name += qtText(part);
            }
            findings.rows.emplace_back(name.isEmpty() ? SyncWords::tr("all runs") : name.join(QStringLiteral(", ")),
                                       qtText(toText(one)));
        }
        findings.note =
            SyncWords::tr("N/R + K by least squares over every run, with 95 % intervals: N bytes of log in a "
                          "commit, R the rate at which the log is written, K the time that each sync takes "
                          "whatever its size");
        return findings;
    }

protected:
    void drawOn(ChartSheet& sheet, const ChartInput& input) const override
    {
        sheet.begin(ChartSheet::Place::Fresh, input.words);
        std::vector<std::string> facets;
        for (const SyncCost& one : costsIn(input).list) {
            if (std::ranges::find(facets, one.facet) != facets.end())
                continue;
            facets.push_back(one.facet);
            auto& plot = sheet.add<SyncPlot>();
            plot.setLogAxes(input.logX, input.logY);
            plot.setCosts(costsIn(input), qtText(one.facet));
        }
    }
};

} // namespace

std::unique_ptr<Chart> syncChart()
{
    return std::make_unique<SyncChart>("sync");
}

} // namespace dyno
