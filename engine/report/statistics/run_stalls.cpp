// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/analysis.h>

#include "report/format.h"

#include <cmath>
#include <fmt/format.h>

namespace dyno {

std::vector<Stall> findStalls(const IntervalColumns& intervals, const StallRule& rule)
{
    std::vector<StallInterval> list;
    const IntervalColumns::Operation& what = intervals.transaction;
    const std::vector<double>& p99 = what.response.p99Ms.empty() ? what.service.p99Ms : what.response.p99Ms;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        if (intervals.phase[i] == Phase::Measure && intervals.lengthNs[i] > 0)
            list.push_back({intervals.tNs[i], intervals.lengthNs[i], what.count[i], i < p99.size() ? p99[i] : 0});
    }
    return findStalls(list, rule);
}

StallRule stallRuleOf(const RunSummary& run)
{
    StallRule rule;
    for (const PhaseSummary& phase : run.phases)
        rule.stretches.push_back({phase.name, phase.fromNs + phase.rampNs,
                                  phase.fromNs + std::int64_t(std::llround(phase.seconds * 1e9)), 0});
    return rule;
}

StallsOf stallsIn(Library& library)
{
    return [&library](const StoredRun& run) -> Expected<std::optional<std::vector<Stall>>> {
        if (!run.summary.origin.empty())
            return std::nullopt; // what another tool tells of an interval may be a figure without a count
        const auto columns = library.columns(run.id);
        if (!columns)
            return fail(columns.error());
        return findStalls(*columns, stallRuleOf(run.summary));
    };
}

std::string toText(const Stall& stall)
{
    if (stall.isSlow())
        return fmt::format("{} of {} s: p99 {} ms where {} ms is usual", stall.word(),
                           report::plain(static_cast<double>(stall.lengthNs) * 1e-9, 1), report::human(stall.highestMs),
                           report::human(stall.usualMs));
    return fmt::format("{} of {} s: {} transactions/s where {} are usual, {} missing", stall.word(),
                       report::plain(static_cast<double>(stall.lengthNs) * 1e-9, 1), report::human(stall.lowest),
                       report::human(stall.usual), report::human(std::round(stall.missing)));
}

} // namespace dyno
