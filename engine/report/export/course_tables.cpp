// SPDX-License-Identifier: GPL-3.0-or-later
// What happened within the runs, as tables of a post.
#include "report/export/course_tables.h"

#include "report/export/markdown_text.h"
#include "report/format.h"
#include <dyno/chart_kinds.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

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

//! What happened within the runs that ended well.
struct CoursesRead
{
    std::vector<std::pair<const StoredRun*, RunCourse>> runs;
    long long unread = 0; //!< runs whose intervals could not be read
};

CoursesRead readAll(const StoredSession& session, const CoursesOf& courses)
{
    CoursesRead all;
    for (const StoredRun& run : session.runs) {
        if (run.summary.status != RunStatus::Done)
            continue;
        auto course = courses(run);
        if (!course)
            ++all.unread;
        else if (*course)
            all.runs.emplace_back(&run, std::move(**course));
    }
    return all;
}

std::string unreadText(const CoursesRead& courses)
{
    if (courses.unread == 0)
        return {};
    return fmt::format("\n{} could not be read.\n", report::counted(courses.unread, "run", "runs"));
}

std::string spreadSection(const StoredSession& session, const CoursesRead& courses)
{
    std::string rows;
    std::size_t told = 0, more = 0;
    std::vector<double> stretches;
    for (const auto& [run, course] : courses.runs) {
        if (!course.evenness)
            continue;
        if (told >= kMostRunsTold) {
            ++more;
            continue;
        }
        ++told;
        const Evenness& one = *course.evenness;
        stretches.push_back(one.stretchSeconds);
        rows += report::row({report::escaped(runName(session, *run)), report::human(one.least), report::human(one.mean),
                             report::human(one.most), report::human(one.deviation),
                             one.mean > 0 ? report::human(100 * one.deviation / one.mean) + " %" : "–",
                             report::count(one.stretches)});
    }
    const std::string heading = "\n### Spread within the runs\n";
    if (rows.empty())
        return courses.unread > 0 ? heading + unreadText(courses) : std::string();
    const auto [shortest, longest] = std::ranges::minmax(stretches);
    const std::string at = longest - shortest < 0.05 * longest
                               ? report::seconds(longest) + " s"
                               : report::seconds(shortest) + " to " + report::seconds(longest) + " s";
    std::string text =
        heading + "\n" +
        report::row({"run", "least (transactions/s)", "mean", "most", "deviation", "deviation ÷ mean", "stretches"}) +
        report::rule(7) + rows;
    text += fmt::format("\nThroughput in stretches of {} of the measured time; the deviation is the standard deviation "
                        "of the stretches. It says how evenly a run went, not how far its mean can be trusted.\n",
                        at);
    if (more > 0)
        text += fmt::format("{} more are left out.\n", report::counted(static_cast<long long>(more), "run", "runs"));
    return text + unreadText(courses);
}

//! What stallsSection() makes of stalls: rows of those of throughput, and of those of response times.
struct StallRows
{
    std::string ofThroughput, ofTimes;
    std::size_t more = 0; //!< that were too many
};

StallRows stallRows(const StoredSession& session, const CoursesRead& courses)
{
    StallRows rows;
    std::size_t told = 0;
    for (const auto& [run, course] : courses.runs) {
        // Stall::tNs counts from the first phase, a reader from the start of the measured time.
        const double warmup = std::max(0.0, double(run->warmupEndNs) * 1e-9);
        for (const Stall& stall : course.stalls) {
            if (told >= kMostStallsTold) {
                ++rows.more;
                continue;
            }
            ++told;
            const std::string name = report::escaped(runName(session, *run));
            const std::string at = clockText(std::max(0.0, double(stall.tNs) * 1e-9 - warmup));
            const std::string length = report::plain(double(stall.lengthNs) * 1e-9, 1);
            if (stall.isSlow())
                rows.ofTimes += report::row({name, at, length, report::human(stall.highestMs),
                                             report::human(stall.usualMs), report::human(stall.timesSlower()) + "×"});
            else
                rows.ofThroughput +=
                    report::row({name, std::string(stall.word()), at, length, report::human(stall.lowest),
                                 report::human(stall.usual), report::human(100 * stall.depth()) + " %"});
        }
    }
    return rows;
}

std::string stallsSection(const StoredSession& session, const CoursesRead& courses)
{
    const StallRows rows = stallRows(session, courses);
    const auto looked = static_cast<long long>(courses.runs.size());
    if (looked == 0 && courses.unread == 0)
        return {};
    std::string text = "\n### Stalls and dips\n";
    const StallRule rule;
    const std::string runs = report::counted(looked, "run", "runs");
    if (!rows.ofThroughput.empty())
        text += '\n' + report::row({"run", "what", "at", "length (s)", "lowest (transactions/s)", "usual", "depth"}) +
                report::rule(7) + rows.ofThroughput +
                fmt::format("\nA dip is slower than {} % of the median of the intervals around it, a stall falls below "
                            "{} %.\n",
                            report::human(100 * rule.dip), report::human(100 * rule.stall));
    else if (!rows.ofTimes.empty())
        text += fmt::format("\nThroughput has none in {}.\n", runs);
    else if (looked > 0)
        text += fmt::format("\nNone in {}, nor a latency stall.\n", runs);
    if (!rows.ofTimes.empty())
        text += "\n#### Latency stalls\n\n" +
                report::row({"run", "at", "length (s)", "highest p99 (ms)", "usual p99 (ms)", "times"}) +
                report::rule(6) + rows.ofTimes +
                fmt::format("\nThroughput holds there, but the 99th percentile of response times is above {} times the "
                            "median of the intervals around it.\n",
                            report::human(rule.slower));
    if (rows.more > 0)
        text += fmt::format("{} more are left out.\n", report::count(rows.more));
    return text + unreadText(courses);
}

} // namespace

std::string report::courseTables(const StoredSession& session, const CoursesOf& courses)
{
    const std::vector<View>& views = session.header.plan.views;
    const bool spread = std::ranges::any_of(views, [](const View& view) { return view.table == kTableSpread; });
    const bool stalls = std::ranges::any_of(views, wantsStalls);
    if (!courses || (!spread && !stalls))
        return {};
    const CoursesRead read = readAll(session, courses);
    std::string text;
    if (spread)
        text += spreadSection(session, read);
    if (stalls)
        text += stallsSection(session, read);
    return text;
}

} // namespace dyno
