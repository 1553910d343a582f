// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/snapshots/snapshot_text.h"

#include "load/statements/digest_difference.h"
#include "store/session/snapshots_file.h"
#include "store/session/statements_file.h"

#include <dyno/figures.h>
#include <dyno/visible_text.h>
#include <fmt/format.h>

#include <algorithm>

namespace dyno {

namespace {

constexpr std::size_t kWidestCell = 60; //!< a wider one moves those after it
constexpr std::string_view kColumnGap = "  ";

std::size_t charactersOf(std::string_view text)
{
    return std::size_t(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

//! One line; of a stranger's server.
std::string cellText(const SnapshotPart& part, const std::vector<std::string>& row, std::size_t column)
{
    if (column >= row.size())
        return {};
    return visibleText(column == part.statements ? keptClientStatement(row[column]) : keptText(row[column]));
}

std::string partAsTable(const SnapshotPart& part)
{
    std::vector<std::vector<std::string>> cells{part.columns};
    for (std::size_t i = 0; i < std::min(part.rows.size(), kSnapshotRows); ++i) {
        std::vector<std::string>& row = cells.emplace_back();
        for (std::size_t column = 0; column < part.columns.size(); ++column)
            row.push_back(cellText(part, part.rows[i], column));
    }
    std::vector<std::size_t> widths(part.columns.size(), 0);
    for (const std::vector<std::string>& row : cells) {
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], std::min(kWidestCell, charactersOf(row[column])));
    }
    std::string text;
    for (const std::vector<std::string>& row : cells) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::size_t length = charactersOf(row[column]);
            line += row[column];
            if (column + 1 < row.size())
                line += std::string(widths[column] - std::min(widths[column], length), ' ') + std::string(kColumnGap);
        }
        while (line.ends_with(' '))
            line.pop_back();
        text += line + '\n';
    }
    if (part.rows.size() > kSnapshotRows)
        text += fmt::format("and more: {} are kept\n", kSnapshotRows);
    return part.rows.empty() ? std::string("none\n") : text;
}

} // namespace

std::vector<SnapshotText> keptTexts(const std::vector<SnapshotPart>& parts)
{
    std::vector<SnapshotText> texts;
    std::size_t left = kKeptSnapshot;
    const std::size_t kept = std::min(parts.size(), kMostSnapshotTexts);
    for (std::size_t i = 0; i < kept; ++i) {
        const SnapshotPart& part = parts[i];
        const std::size_t share = left / (kept - i); // a large text leaves room for the tables after it
        std::string text = part.columns.empty() ? part.text : part.text + partAsTable(part);
        if (text.size() > share)
            text = keptText(text, share) + "\n(the rest is not kept)\n";
        left -= std::min(left, text.size());
        texts.push_back({part.title, std::move(text)});
    }
    for (std::size_t i = kept; i < parts.size() && kept > 0; ++i)
        texts.back().text += fmt::format("{}: not kept, the snapshot is full\n", parts[i].title);
    return texts;
}

std::string snapshotEvent(const std::vector<SnapshotPart>& parts, const RunSnapshot& snapshot)
{
    std::string text(kSnapshotEvent);
    for (const SnapshotPart& part : parts) {
        if (!part.brief.empty()) // of more rows than were read the first ones are counted
            text += fmt::format("{}{}, ", part.rows.size() > kSnapshotRows ? "at least " : "", part.brief);
    }
    text += timeText(snapshot.ms);
    return snapshot.stalled ? text + " (at a stall)" : text;
}

std::string eventText(const CounterEvent& event)
{
    if (event.times > 0)
        return fmt::format("{}: in {} of {} readings", event.sentence, event.times, event.of);
    return event.amount ? fmt::format("{}: {}", event.sentence, amountText(*event.amount, event.unit)) : event.sentence;
}

} // namespace dyno
