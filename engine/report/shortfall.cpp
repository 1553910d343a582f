// SPDX-License-Identifier: GPL-3.0-or-later
// What runs were to do and did not.
#include <dyno/report.h>

#include "report/format.h"

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
    return ours && run.summary.point >= 0 && point < session.header.points.size() ? &session.header.points[point] : nullptr;
}

std::uint64_t usersOf(const PointSpec& point)
{
    const Search& search = point.load.search;
    const int most = search.what == Search::What::Users ? int(std::lround(search.to)) : 0;
    return std::uint64_t(std::max({point.users(), most, 0}));
}

} // namespace

std::optional<Shortfall> shortfallOf(const StoredSession& session, const StoredRun& run)
{
    const PointSpec* const point = pointOf(session, run);
    if (!point)
        return {};
    const LoadProfile& load = point->load;
    const RunSummary& summary = run.summary;
    const bool moved = run.recordedWarmupEndNs.has_value();
    const std::uint64_t transactions = summary.transactions + summary.failed;
    // What a user has in work where the warm-up ends may be counted on either side. A search ends by its own rules.
    const std::uint64_t border = load.warms() ? usersOf(*point) : 0;
    const bool ofEvents = load.events > 0 && load.search.what == Search::What::Nothing;
    if ((load.rows > 0 && summary.rows >= load.rows) || (ofEvents && transactions + border >= load.events))
        return {};
    if (load.rows > 0)
        return Shortfall{summary.rows, load.rows, true, summary.seconds, moved};
    if (ofEvents)
        return Shortfall{transactions, load.events, false, summary.seconds, moved};
    return {};
}

std::string toText(const Shortfall& shortfall)
{
    const std::string what = fmt::format("{} of {} {}", report::count(shortfall.done), report::count(shortfall.wanted),
                                         shortfall.rows ? "rows" : "transactions");
    const std::string seconds = report::seconds(shortfall.seconds);
    return shortfall.moved ? fmt::format("{} in the {} s measured since the end of the warm-up was moved", what, seconds)
                           : fmt::format("stopped at {} s with {}", seconds, what);
}

bool hasArrivals(const RunSummary& summary)
{
    return summary.arrivals > 0 || (!summary.origin.empty() && !std::isfinite(summary.service.p95Ms) && std::isfinite(summary.response.p95Ms));
}

std::uint64_t unservedArrivals(const StoredSession& session, const StoredRun& run)
{
    const PointSpec* const point = pointOf(session, run);
    if (!point)
        return 0;
    const RunSummary& summary = run.summary;
    const std::uint64_t ended = summary.transactions + summary.failed + summary.dropped;
    if (summary.arrivals <= ended + usersOf(*point))
        return 0;
    return summary.arrivals - ended;
}

} // namespace dyno
