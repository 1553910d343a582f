// SPDX-License-Identifier: GPL-3.0-or-later
// As the manual's chapter "Database Physical Storage" has it, with pages of 8 KiB.
#include "driver/postgresql/postgresql_sizes.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace dyno {

namespace {

constexpr double kHeapPage = 8192, kPageHeader = 24, kLinePointer = 4, kTupleHeader = 24, kIndexHeader = 8, kAlign = 8;

double aligned(double bytes)
{
    return std::ceil(bytes / kAlign) * kAlign;
}

double textBytes(double length)
{
    constexpr double kShortText = 126, kShortHeader = 1, kLongHeader = 4;
    return length + (length > kShortText ? kLongHeader : kShortHeader);
}

double valuesOf(const RowFacts& facts, const std::vector<std::size_t>& columns)
{
    double bytes = 0;
    for (const std::size_t column : columns) {
        const ColumnFacts& one = facts.columns[column];
        bytes += one.text ? textBytes(one.width) : one.width; // CHAR(n) has its blanks
    }
    return bytes;
}

class PostgresqlSizes final : public SizeModel
{
public:
    [[nodiscard]] double row(const RowFacts& facts) const override
    {
        // Of a row that is longer than a quarter of a page the longest texts are compressed, then moved to a table of
        // their own, until it is not.
        constexpr double kLongest = 2000, kPressed = 0.6; // measured with texts of which half is random
        constexpr double kChunk = 1996, kChunkTuple = 2040, kChunksPointer = 18;
        std::vector<double> texts;
        double values = 0, apart = 0;
        for (const ColumnFacts& one : facts.columns) {
            const double width = one.text ? textBytes(one.width) : one.width;
            values += width;
            if (one.text)
                texts.push_back(width);
        }
        std::ranges::sort(texts, std::greater());
        for (double& text : texts) {
            if (kTupleHeader + values <= kLongest)
                break;
            values -= text * (1 - kPressed);
            text *= kPressed;
        }
        for (const double text : texts) {
            if (kTupleHeader + values <= kLongest)
                break;
            values -= text - kChunksPointer;
            apart += std::ceil(text / kChunk) * (std::min(text, kChunkTuple) + entry(kChunksPointer, KeyOrder::Rising));
        }
        const double tuple = kTupleHeader + aligned(values) + kLinePointer;
        double bytes = kHeapPage / std::max(1.0, std::floor((kHeapPage - kPageHeader) / tuple)) + apart;
        if (const auto key = facts.positions(facts.key); !key.empty())
            bytes += entry(valuesOf(facts, key), facts.order);
        for (const IndexFacts& index : facts.indexes) {
            const double columns = valuesOf(facts, facts.positions(index.columns));
            bytes += index.fullText ? kWords * columns : entry(columns, index.order);
        }
        return bytes;
    }

private:
    static constexpr double kWords = 1.2; //!< of a text's length: its words in a GIN index (measured)

    static double entry(double values, KeyOrder order)
    {
        constexpr double kFilled = 0.9, kSplit = 0.69; // fillfactor of a rising key; of any order, B-trees of old
        return (kIndexHeader + aligned(values) + kLinePointer) / (order == KeyOrder::Any ? kSplit : kFilled);
    }
};

} // namespace

const SizeModel& postgresqlSizes()
{
    static const PostgresqlSizes sizes;
    return sizes;
}

} // namespace dyno
