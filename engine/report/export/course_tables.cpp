// SPDX-License-Identifier: GPL-3.0-or-later
// What happened within the runs, as tables of a post.
#include "report/export/course_tables.h"

#include "report/export/markdown_text.h"
#include "report/format.h"
#include <dyno/chart_kinds.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::size_t kMostRunsTold = 200, kMostStallsTold = 60;

//! "isolation = READ COMMITTED" has no place in a cell: the labels, and the repeat where there are several.
std::string runName(const StoredSession& session, const StoredRun& run)
{
    const auto point = static_cast<std::size_t>(run.header.point);
    std::string name = point < session.header.points.size() ? session.header.points[point].label() : std::string();
    if (session.header.plan.load.repeats > 1)
        name += fmt::format("{}#{}", name.empty() ? "" : " ", run.header.repeat);
    return name.empty() ? std::string("the run") : name;
}

bool wantsStalls(const View& view)
{
    return hasChart(view.chart, &ChartKind::intervals) && hasChart(view.chart, &ChartKind::seconds);
}

std::string clockText(double seconds)
{
    return seconds < 60 ? report::plain(seconds, 1) + " s"
                        : fmt::format("{:.0f}:{:04.1f}", std::floor(seconds / 60), std::fmod(seconds, 60));
}

std::string spreadSection(const StoredSession& session, const CoursesOf& courses)
{
    std::string rows;
    std::size_t told = 0, more = 0;
    std::vector<double> stretches;
    for (const StoredRun& run : session.runs) {
        if (run.summary.status != RunStatus::Done)
            continue;
        const auto course = courses(run);
        if (!course || !*course || !(*course)->evenness)
            continue;
        if (told >= kMostRunsTold) {
            ++more;
            continue;
        }
        ++told;
        const Evenness& one = *(*course)->evenness;
        stretches.push_back(one.stretchSeconds);
        rows += report::row({report::escaped(runName(session, run)), report::human(one.least), report::human(one.mean),
                             report::human(one.most), report::human(one.deviation),
                             one.mean > 0 ? report::human(100 * one.deviation / one.mean) + " %" : "–",
                             report::count(one.stretches)});
    }
    if (rows.empty())
        return {};
    const auto [shortest, longest] = std::ranges::minmax(stretches);
    const std::string at = longest - shortest < 0.05 * longest
                               ? report::seconds(longest) + " s"
                               : report::seconds(shortest) + " to " + report::seconds(longest) + " s";
    std::string text = "\n### Spread within the runs\n\n";
    text +=
        report::row({"run", "least (transactions/s)", "mean", "most", "deviation", "deviation ÷ mean", "stretches"}) +
        report::rule(7) + rows;
    text += fmt::format("\nThroughput in stretches of {} of the measured time; the deviation is the standard deviation "
                        "of the stretches. It says how evenly a run went, not how far its mean can be trusted.\n",
                        at);
    if (more > 0)
        text += fmt::format("{} more are left out.\n", report::counted(static_cast<long long>(more), "run", "runs"));
    return text;
}

std::string stallsSection(const StoredSession& session, const CoursesOf& courses)
{
    std::string rows;
    std::size_t told = 0, more = 0, looked = 0;
    for (const StoredRun& run : session.runs) {
        if (run.summary.status != RunStatus::Done)
            continue;
        const auto course = courses(run);
        if (!course || !*course)
            continue;
        ++looked;
        // Stall::tNs counts from the first phase, a reader from the start of the measured time.
        const double warmup = std::max(0.0, double(run.warmupEndNs) * 1e-9);
        for (const Stall& stall : (*course)->stalls) {
            if (told >= kMostStallsTold) {
                ++more;
                continue;
            }
            ++told;
            const double at = std::max(0.0, double(stall.tNs) * 1e-9 - warmup);
            rows += report::row({report::escaped(runName(session, run)), stall.stalled ? "stall" : "dip", clockText(at),
                                 report::plain(double(stall.lengthNs) * 1e-9, 1), report::human(stall.lowest),
                                 report::human(stall.usual), report::human(100 * stall.depth()) + " %"});
        }
    }
    if (looked == 0)
        return {};
    std::string text = "\n### Stalls and dips\n\n";
    if (rows.empty())
        return text + fmt::format("None in {}.\n", report::counted(static_cast<long long>(looked), "run", "runs"));
    text += report::row({"run", "what", "at", "length (s)", "lowest (transactions/s)", "usual", "depth"}) +
            report::rule(7) + rows;
    const StallRule rule;
    text +=
        fmt::format("\nA dip is slower than {} % of the median of the intervals around it, a stall falls below {} %.\n",
                    report::human(100 * rule.dip), report::human(100 * rule.stall));
    if (more > 0)
        text += fmt::format("{} more are left out.\n", report::count(more));
    return text;
}

} // namespace

std::string report::courseTables(const StoredSession& session, const CoursesOf& courses)
{
    if (!courses)
        return {};
    const std::vector<View>& views = session.header.plan.views;
    std::string text;
    if (std::ranges::any_of(views, [](const View& view) { return view.table == kTableSpread; }))
        text += spreadSection(session, courses);
    if (std::ranges::any_of(views, wantsStalls))
        text += stallsSection(session, courses);
    return text;
}

} // namespace dyno
