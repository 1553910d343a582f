// SPDX-License-Identifier: GPL-3.0-or-later
// The record format is that of the manual's "InnoDB Row Formats" (DYNAMIC, pages of 16 KiB); what stays empty of pages
// was measured in MariaDB 10.11 with innodb_file_per_table, which all versions have on.
#include "driver/mysql/mysql_sizes.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr double kPage = 16384, kOfOverflowPage = 16327, kLongestRecord = 8126, kPointer = 20;
constexpr double kHeader = 5, kTransaction = 6 + 7, kRowId = 6;

double stored(const ColumnFacts& column)
{
    constexpr double kOneByteLength = 127;
    const double length = column.text ? (column.width > kOneByteLength ? 2 : 1) : 0;
    return column.width + length;
}

//! Records that come in no order leave pages half empty, and each loader's part ends within a page.
double withRoom(double bytes, KeyOrder order)
{
    constexpr double kFull = 0.87, kSplit = 0.6;
    if (order == KeyOrder::Rising)
        return bytes / kFull;
    if (order == KeyOrder::Runs)
        return bytes / kFull + std::min(bytes * 0.8, 40.0);
    return bytes / kSplit + std::min(bytes, 30.0);
}

class InnodbSizes final : public SizeModel
{
public:
    [[nodiscard]] double row(const RowFacts& facts) const override
    {
        double record =
            kHeader + kTransaction + std::ceil(double(facts.columns.size()) / 8) + (facts.key.empty() ? kRowId : 0);
        std::vector<double> texts;
        for (const ColumnFacts& column : facts.columns) {
            record += stored(column);
            if (column.text && column.width > 2 * kPointer)
                texts.push_back(column.width);
        }
        // Of a row that is longer than half a page the longest texts go to pages of their own until it is not.
        double apart = 0;
        std::ranges::sort(texts, std::greater());
        for (const double text : texts) {
            if (record <= kLongestRecord)
                break;
            record -= text - kPointer;
            apart += std::ceil(text / kOfOverflowPage) * kPage;
        }
        double bytes = withRoom(record, facts.order) + apart;
        for (const IndexFacts& index : facts.indexes)
            bytes += index.fullText ? words(facts, index) : withRoom(entry(facts, index), index.order);
        return bytes;
    }

    //! A table that has outgrown its first pages has free extents too. Each partition is a file of its own, and below
    //! 32 MiB a file grows by one extent at a time.
    [[nodiscard]] std::uint64_t file(double bytes, std::int64_t parts) const override
    {
        constexpr double kMiB = 1 << 20, kFree = 8 * kMiB;
        if (parts <= 1)
            return SizeModel::file(bytes + (bytes > kMiB ? kFree : 0));
        const double each = bytes / double(parts);
        return SizeModel::file(bytes + double(parts) * (each < kMiB / 2 ? 0 : each < 32 * kMiB ? 3 * kMiB : kFree));
    }

    //! A full-text index is many small tables (measured).
    [[nodiscard]] std::uint64_t table(const RowFacts& facts, std::int64_t rows, std::int64_t parts) const override
    {
        constexpr double kFullTextTables = 1.5e6;
        const bool words = std::ranges::any_of(facts.indexes, &IndexFacts::fullText);
        const double bytes = double(rows) * row(facts);
        return words ? SizeModel::file(bytes + kFullTextTables) : file(bytes, parts);
    }

private:
    //! An index holds its columns and those of the key.
    static double entry(const RowFacts& facts, const IndexFacts& index)
    {
        const std::vector<std::size_t> own = facts.positions(index.columns), key = facts.positions(facts.key);
        double bytes = kHeader + 1 + (key.empty() ? kRowId : 0);
        for (const std::size_t column : own)
            bytes += stored(facts.columns[column]);
        for (const std::size_t column : key)
            bytes += std::ranges::find(own, column) == own.end() ? stored(facts.columns[column]) : 0;
        return bytes;
    }

    static double words(const RowFacts& facts, const IndexFacts& index)
    {
        constexpr double kOfText = 1.65, kOfRow = 30; // measured
        double bytes = kOfRow;
        for (const std::size_t column : facts.positions(index.columns))
            bytes += kOfText * facts.columns[column].width;
        return bytes;
    }
};

} // namespace

const SizeModel& innodbSizes()
{
    static const InnodbSizes sizes;
    return sizes;
}

} // namespace dyno
