// SPDX-License-Identifier: GPL-3.0-or-later
// As the manual's chapter "Database Physical Storage" has it, with pages of 8 KiB.
#include "driver/postgresql/postgresql_sizes.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr double kPage = 8192, kPageHeader = 24, kLinePointer = 4, kTupleHeader = 24, kIndexHeader = 8, kAlign = 8;

double aligned(double bytes)
{
    return std::ceil(bytes / kAlign) * kAlign;
}

double valuesOf(const RowFacts& facts, const std::vector<std::size_t>& columns)
{
    constexpr double kShortText = 126, kShortHeader = 1, kLongHeader = 4;
    double bytes = 0;
    for (const std::size_t column : columns) {
        const ColumnFacts& one = facts.columns[column];
        const double header = one.used > kShortText ? kLongHeader : kShortHeader;
        bytes += one.text ? one.used + header : one.width;
    }
    return bytes;
}

class PostgresqlSizes final : public SizeModel
{
public:
    [[nodiscard]] double row(const RowFacts& facts) const override
    {
        std::vector<std::size_t> all(facts.columns.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = i;
        const double tuple = kTupleHeader + aligned(valuesOf(facts, all)) + kLinePointer;
        double bytes = kPage / std::max(1.0, std::floor((kPage - kPageHeader) / tuple));
        if (const auto key = facts.positions(facts.key); !key.empty())
            bytes += entry(valuesOf(facts, key), facts.order);
        for (const IndexFacts& index : facts.indexes)
            bytes += entry(valuesOf(facts, facts.positions(index.columns)), index.order);
        return bytes;
    }

private:
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
