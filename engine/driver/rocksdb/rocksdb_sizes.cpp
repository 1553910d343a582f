// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/rocksdb/rocksdb_sizes.h"

namespace dyno {

namespace {

//! An entry's two lengths, its eight bytes of sequence number and type, and its share of index and restart points.
constexpr double kEntry = 14;
//! What Snappy makes of values of random printable characters, and of keys that share their beginnings (measured).
constexpr double kStored = 1.0;

class RocksdbSizes final : public SizeModel
{
public:
    [[nodiscard]] double row(const RowFacts& facts) const override
    {
        double bytes = kEntry;
        for (const ColumnFacts& column : facts.columns)
            bytes += column.used;
        return bytes * kStored;
    }
};

} // namespace

const SizeModel& rocksdbSizes()
{
    static const RocksdbSizes sizes;
    return sizes;
}

} // namespace dyno
