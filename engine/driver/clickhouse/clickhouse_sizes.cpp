// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/clickhouse/clickhouse_sizes.h"

namespace dyno {

namespace {

class MergeTreeSizes final : public SizeModel
{
public:
    //! Each column is a file of its own without anything between the values; a text has its length before it. All is
    //! compressed by LZ4, which shrinks numbers that a key has in order, and little of random texts. Neither the sparse
    //! index nor the marks count: a few bytes for 8192 rows.
    [[nodiscard]] double row(const RowFacts& facts) const override
    {
        double bytes = 0;
        for (const ColumnFacts& column : facts.columns)
            bytes += column.text ? column.used + 1 : column.used;
        return bytes;
    }
};

} // namespace

const SizeModel& clickhouseSizes()
{
    static const MergeTreeSizes sizes;
    return sizes;
}

} // namespace dyno
