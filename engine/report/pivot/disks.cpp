// SPDX-License-Identifier: GPL-3.0-or-later
// What the disks of a session can do, in words.
#include "report/format.h"
#include <dyno/report.h>

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

std::vector<DeviceFigures> disksOf(const StoredSession& session)
{
    std::vector<DeviceFigures> disks;
    std::vector<std::string> known;  // the same figures are of the same measuring
    constexpr std::size_t kMost = 8; // a stranger's file may have others in each of its runs
    for (const StoredRun& run : session.runs) {
        if (disks.size() == kMost)
            break;
        if (!run.header.device)
            continue;
        std::string text = toJson(*run.header.device);
        if (std::ranges::find(known, text) != known.end())
            continue;
        known.push_back(std::move(text));
        disks.push_back(*run.header.device);
    }
    return disks;
}

std::string diskText(const DeviceFigures& figures)
{
    std::string where = figures.fileSystem;
    if (!figures.source.empty())
        where += (where.empty() ? "" : " on ") + figures.source;
    return fmt::format("{}{}{} random reads of {} a second one at a time, {} a second with {} at once; {} writes with "
                       "a sync a second; {}/s written in order (measured by {}{})",
                       where, where.empty() ? "" : ": ", report::human(figures.read.perSecond),
                       report::bytes(static_cast<double>(figures.blockBytes)), report::human(figures.reads.perSecond),
                       figures.readers, report::human(figures.sync.perSecond), report::bytes(figures.bytesPerSecond),
                       figures.tool.empty() ? "Dynobench" : figures.tool,
                       figures.direct ? "" : ", through the page cache: reads may have come from memory");
}

} // namespace dyno
