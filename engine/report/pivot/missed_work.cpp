// SPDX-License-Identifier: GPL-3.0-or-later
// What runs were to do and did not.
#include <dyno/report.h>

#include "report/format.h"
#include "report/pivot/missed_work.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

//! The point of a finished run of our own; nullptr for others.
const PointSpec* pointOf(const StoredSession& session, const StoredRun& run)
{
    const auto point = static_cast<std::size_t>(run.summary.point);
    const bool ours = run.summary.status == RunStatus::Done && run.summary.origin.empty();
    return ours && run.summary.point >= 0 && point < session.header.points.size() ? &session.header.points[point]
                                                                                  : nullptr;
}

} // namespace

std::uint64_t report::wantedEvents(const LoadProfile& load)
{
    return load.search.what == Search::What::Nothing ? load.events : 0;
}

bool report::reachedRows(const LoadProfile& load, const RunSummary& run)
{
    return load.rows > 0 && run.rows >= load.rows;
}

bool report::reachedEvents(const PointSpec& point, const RunSummary& run)
{
    const std::uint64_t wanted = wantedEvents(point.load);
    const std::uint64_t border = point.load.warms() ? std::uint64_t(std::max(point.mostUsers(), 0)) : 0;
    return wanted > 0 && run.transactions + run.failed + border >= wanted;
}

std::optional<Shortfall> shortfallOf(const StoredSession& session, const StoredRun& run)
{
    const PointSpec* const point = pointOf(session, run);
    if (!point)
        return {};
    const LoadProfile& load = point->load;
    const RunSummary& summary = run.summary;
    if (report::reachedRows(load, summary) || report::reachedEvents(*point, summary))
        return {};
    const bool moved = run.warmupMoved();
    if (load.rows > 0)
        return Shortfall{summary.rows, load.rows, true, summary.seconds, moved};
    if (const std::uint64_t wanted = report::wantedEvents(load); wanted > 0)
        return Shortfall{summary.transactions + summary.failed, wanted, false, summary.seconds, moved};
    return {};
}

std::string missedExpectation(const StoredSession& session, const StoredRun& run)
{
    const PointSpec* const point = pointOf(session, run);
    const auto& reads = run.summary.storageReadsPerOp;
    if (!point || !reads)
        return {};
    const bool reading = *reads >= kReadsFromStorage;
    for (const CaseRef& reference : point->cases) {
        const auto axis = std::ranges::find(session.header.plan.axes, reference.axis, &Axis::name);
        if (axis == session.header.plan.axes.end())
            continue;
        const auto found = std::ranges::find(axis->cases, reference.label, &Case::label);
        if (found == axis->cases.end() || found->expect.empty() || (found->expect == kExpectReads) == reading)
            continue;
        // Less than what is shown is nothing to a reader.
        const std::string pages =
            *reads < 0.0005 ? std::string("nothing") : report::plain(*reads, 3) + " pages for each operation";
        return reading ? fmt::format("\"{}\" is to find all pages in memory, and the server read {} from storage",
                                     reference.label, pages)
                       : fmt::format("\"{}\" is to read from storage, and the server read {}: the data fit into its "
                                     "memory",
                                     reference.label, pages);
    }
    return {};
}

std::string connectionWarning(const ServerFacts& server)
{
    const std::size_t comma = server.transport.find(", ");
    return comma == std::string::npos ? std::string() : "the connection: " + server.transport.substr(comma + 2);
}

std::string toText(const Shortfall& shortfall)
{
    const std::string what = fmt::format("{} of {} {}", report::count(shortfall.done), report::count(shortfall.wanted),
                                         shortfall.rows ? "rows" : "transactions");
    const std::string seconds = report::seconds(shortfall.seconds);
    return shortfall.moved
               ? fmt::format("{} in the {} s measured since the end of the warm-up was moved", what, seconds)
               : fmt::format("stopped at {} s with {}", seconds, what);
}

bool hasArrivals(const RunSummary& summary)
{
    return summary.arrivals > 0 ||
           (!summary.origin.empty() && !std::isfinite(summary.service.p95Ms) && std::isfinite(summary.response.p95Ms));
}

std::uint64_t unservedArrivals(const StoredSession& session, const StoredRun& run)
{
    constexpr std::uint64_t kFinest = 1000; // of the percentiles that are told, p99.9 is the finest
    const RunSummary& summary = run.summary;
    const bool tells = pointOf(session, run) && summary.backlog > 0 && summary.backlog >= summary.arrivals / kFinest;
    return tells ? summary.backlog : 0;
}

} // namespace dyno
