// SPDX-License-Identifier: GPL-3.0-or-later
// As SQLite's description of its file format has it, with its usual pages of 4 KiB; compared with dbstat's figures.
#include "driver/sqlite/sqlite_sizes.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr double kPage = 4096, kOfLeaf = kPage - 8, kOverflow = kPage - 4, kLongest = kPage - 35, kLeast = 489;
constexpr double kRowId = 3, kPointer = 2;

//! A record: a header of a byte a column, two where a text is longer, and values as short as they can be.
double payload(const RowFacts& facts, const std::vector<std::size_t>& columns)
{
    constexpr double kLongText = 57;
    double bytes = 1;
    for (const std::size_t column : columns)
        bytes += 1 + facts.columns[column].used +
                 (facts.columns[column].text && facts.columns[column].used > kLongText ? 1 : 0);
    return bytes;
}

//! What does not fit goes to overflow pages, so that these are full; a leaf holds whole records.
double onLeaf(double bytes)
{
    double local = bytes;
    if (bytes > kLongest) {
        local = kLeast + std::fmod(bytes - kLeast, kOverflow);
        local = local > kLongest ? kLeast : local;
    }
    const double cell = local + (local > 127 ? 2 : 1) + kRowId + kPointer;
    return kPage / std::max(1.0, std::floor(kOfLeaf / cell)) + std::ceil((bytes - local) / kOverflow) * kPage;
}

class SqliteSizes final : public SizeModel
{
public:
    [[nodiscard]] double row(const RowFacts& facts) const override
    {
        std::vector<std::size_t> all;
        const std::vector<std::size_t> key = facts.positions(facts.key);
        for (std::size_t i = 0; i < facts.columns.size(); ++i) {
            if (!facts.keyIsRowId || key != std::vector{i}) // the row id itself is no value
                all.push_back(i);
        }
        constexpr double kSplit = 0.71; // rows whose numbers come in no order leave pages half empty (measured)
        double bytes = onLeaf(payload(facts, all)) / (facts.keyIsRowId && facts.order == KeyOrder::Any ? kSplit : 1);
        if (!key.empty() && !facts.keyIsRowId)
            bytes += entry(payload(facts, key), facts.order);
        for (const IndexFacts& index : facts.indexes) {
            const double own = payload(facts, facts.positions(index.columns));
            bytes += index.fullText ? words(own) : entry(own, index.order);
        }
        return bytes;
    }

private:
    static double entry(double own, KeyOrder order)
    {
        constexpr double kSplit = 0.85; // measured
        return (own + 1 + kRowId + 1 + kPointer) / (order == KeyOrder::Any ? kSplit : 1);
    }
    static double words(double texts)
    {
        constexpr double kOfText = 0.9, kOfRow = 15; // measured, FTS5
        return kOfRow + kOfText * texts;
    }
};

} // namespace

const SizeModel& sqliteSizes()
{
    static const SqliteSizes sizes;
    return sizes;
}

} // namespace dyno
