// SPDX-License-Identifier: GPL-3.0-or-later
// What stands above and below pictures, and in a post below its charts.
#include <dyno/analysis.h>
#include <dyno/export.h>

#include "report/export/texts.h"
#include "report/format.h"
#include "report/pivot/labels.h"
#include "report/pivot/load_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <ranges>

namespace dyno {

namespace {

using report::addDistinct;
using report::joinedBy;

constexpr std::size_t kMostDifferences = 4;

//! Where a line stands.
enum class CaptionPlace {
    Text,   //!< in a post
    Picture //!< below a chart: not what is written in the chart itself
};

std::string differencesLine(const std::vector<StoredSession>& sessions, CaptionPlace place)
{
    std::vector<std::string> parts;
    std::vector<Difference> all = differences(sessions);
    if (place == CaptionPlace::Picture) // they stand along x, among the series, or in the chart's second line
        std::erase_if(all, [](const Difference& one) { return one.name == "load.users"; });
    for (const Difference& one : all) {
        if (parts.size() == kMostDifferences)
            break;
        parts.push_back(fmt::format("{} {}", one.name, joinedBy(one.values, " / ")));
    }
    std::string text = joinedBy(parts, ", ");
    if (all.size() > parts.size())
        text += fmt::format(", and {} more",
                            report::counted(static_cast<long long>(all.size() - parts.size()), "setting", "settings"));
    return text;
}

//! What the intervals of figures are, where no chart says it.
std::string intervalsText(const std::vector<StoredSession>& sessions)
{
    const bool relative = std::ranges::any_of(sessions, [](const StoredSession& session) {
        return std::ranges::any_of(session.header.plan.views,
                                   [](const View& view) { return view.relativeTo != RelativeTo::Nothing; });
    });
    return relative ? "intervals where shown: 95 %, of means by Student's t, of ratios by Welch's t on logarithms "
                      "(pairs: t of logarithms), from runs"
                    : "intervals where shown: 95 % of the mean by Student's t, from runs";
}

//! "3 runs a point, 30 s measured after 5 s of warm-up; intervals where shown: 95 % of the mean by Student's t, from
//! runs"
std::string repeatsLine(const std::vector<StoredSession>& sessions, const std::vector<Pivot>& charts,
                        CaptionPlace place)
{
    std::map<std::pair<std::size_t, int>, int> done;
    std::vector<std::string> lengths;
    std::size_t limited = 0, runs = 0, unserved = 0;
    for (std::size_t s = 0; s < sessions.size(); ++s) {
        for (const StoredRun& run : sessions[s].runs) {
            if (run.summary.status != RunStatus::Done)
                continue;
            ++done[{s, run.header.point}];
            ++runs;
            limited += run.summary.clientLimited ? 1 : 0;
            unserved += unservedArrivals(sessions[s], run) > 0 ? 1 : 0;
        }
        if (!report::isImported(sessions[s])) // its plan says nothing of how it was run
            addDistinct(lengths, report::measuredText(sessions[s]));
    }
    if (done.empty())
        return "no run is complete";
    const auto [least, most] = std::ranges::minmax(done | std::views::values);
    std::string text = least == most ? report::counted(most, "run", "runs") : fmt::format("{} to {} runs", least, most);
    text += " a point";
    if (!lengths.empty())
        text += ", " + joinedBy(lengths, "; ");
    std::vector<std::string> spreads;
    for (const Pivot& chart : charts)
        addDistinct(spreads, spreadText(chart));
    if (place == CaptionPlace::Text) // of a picture the chart's second line says it
        text += "; " + (most <= 1         ? "no intervals, these need two runs"
                        : spreads.empty() ? intervalsText(sessions)
                                          : joinedBy(spreads, "; "));
    if (unserved > 0)
        text += fmt::format("; arrivals that were not served by the end, in no percentile, in {} of {} runs", unserved,
                            runs);
    if (limited > 0)
        text += fmt::format("; the load generator was the limit in {} of {} runs", limited, runs);
    return text;
}

std::string hardwareLine(const std::vector<StoredSession>& sessions)
{
    std::vector<std::string> machines;
    for (const StoredSession& session : sessions) {
        const HostFacts& host = session.header.host;
        if (host.cpu.empty() && host.cores == 0)
            continue;
        addDistinct(machines, fmt::format("{}, {}, {}{}{}", host.cpu, report::counted(host.cores, "core", "cores"),
                                          report::bytes(static_cast<double>(host.memoryBytes)),
                                          host.os.empty() ? "" : ", ", host.os));
    }
    return machines.empty() ? std::string() : "load generator: " + joinedBy(machines, "; ");
}

std::vector<std::string> linesAt(CaptionPlace place, const std::vector<StoredSession>& sessions,
                                 const std::vector<Pivot>& charts)
{
    std::vector<std::string> products;
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            const ServerFacts& server = run.header.server;
            addDistinct(products, server.version.empty() ? server.product : server.product + " " + server.version);
        }
        if (session.runs.empty())
            addDistinct(products, session.info.product);
    }
    std::vector<std::string> lines;
    std::vector<std::string> scopes;
    std::string gaps;
    for (const DurabilityGap& one : durabilityGaps(sessions)) {
        if (one.decides)
            gaps += (gaps.empty() ? "⚠ not equally durable: " : "; ") + one.text;
    }
    for (const Pivot& chart : charts)
        addDistinct(scopes, chart.scope());
    for (const std::string& line :
         {joinedBy(products, "; "), joinedBy(scopes, " "), gaps, differencesLine(sessions, place),
          hardwareLine(sessions), repeatsLine(sessions, charts, place)}) {
        if (!line.empty())
            lines.push_back(line);
    }
    return lines;
}

//! "1.2 GiB of data", "0.8 to 1.2 GiB of data"; "" where it was not read.
std::string dataText(const StoredSession& session)
{
    std::uint64_t least = 0, most = 0;
    for (const StoredRun& run : session.runs) {
        const std::uint64_t bytes = settingOf(session, run).dataBytes;
        if (bytes == 0)
            continue;
        least = least == 0 ? bytes : std::min(least, bytes);
        most = std::max(most, bytes);
    }
    if (most == 0)
        return {};
    const std::string from = report::bytes(static_cast<double>(least)), to = report::bytes(static_cast<double>(most));
    return from == to ? to + " of data" : fmt::format("{} to {} of data", from, to);
}

//! "oltp_update_index, table_size = 1 000 000, tables = 4, 0.9 GiB of data".
std::string workloadAndData(const StoredSession& session)
{
    std::vector<std::string> parts;
    addDistinct(parts, report::workloadText(session));
    addDistinct(parts, dataText(session));
    return joinedBy(parts, ", ");
}

} // namespace

std::string report::workloadText(const StoredSession& session)
{
    std::vector<std::string> workloads;
    for (const PointSpec& point : session.header.points)
        addDistinct(workloads, point.workload.name);
    if (workloads.empty())
        addDistinct(workloads, session.header.plan.workload.name);
    std::vector<std::string> parts;
    addDistinct(parts, joinedBy(workloads, " / "));
    for (const auto& [name, value] : report::commonParameters(session).changed) {
        const auto* whole = std::get_if<std::int64_t>(&value);
        parts.push_back(fmt::format(
            "{} = {}", name, whole && *whole >= 0 ? report::count(static_cast<std::uint64_t>(*whole)) : toText(value)));
    }
    return joinedBy(parts, ", ");
}

std::vector<std::string> captionLines(const std::vector<StoredSession>& sessions, const std::vector<Pivot>& charts)
{
    return linesAt(CaptionPlace::Text, sessions, charts);
}

std::string captionOf(const std::vector<StoredSession>& sessions, const std::vector<Pivot>& charts)
{
    return joinedBy(captionLines(sessions, charts), " · ");
}

PictureText pictureText(const std::vector<StoredSession>& sessions, const std::vector<Pivot>& charts)
{
    std::vector<std::string> titles, facts;
    for (const StoredSession& session : sessions) {
        addDistinct(titles, session.info.title);
        addDistinct(facts, workloadAndData(session));
    }
    return {joinedBy(titles, "; "), joinedBy(facts, "; "),
            joinedBy(linesAt(CaptionPlace::Picture, sessions, charts), " · ")};
}

} // namespace dyno
