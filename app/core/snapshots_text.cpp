// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots_text.h"

#include "core/text_table.h"

#include <dyno/figures.h>
#include <dyno/visible_text.h>

#include <fmt/format.h>

namespace dyno {

std::string snapshotsText(const StoredRun& run, const std::vector<RunSnapshot>& snapshots)
{
    std::string text = fmt::format("run {}: {}\n", run.header.index + 1,
                                   snapshots.empty() ? std::string("no snapshots")
                                                     : countedText(snapshots.size(), "snapshot", "snapshots"));
    for (const RunSnapshot& snapshot : snapshots) {
        text += fmt::format("\n== at {:.1f} s{}, asked in {} ==\n", double(snapshot.tNs) * 1e-9,
                            snapshot.stalled ? ", at a stall" : "", timeText(snapshot.ms));
        for (const SnapshotText& one : snapshot.texts)
            text += fmt::format("\n-- {} --\n{}", visibleText(one.title), visibleText(one.text, TextLayout::Keep));
    }
    return text;
}

} // namespace dyno
