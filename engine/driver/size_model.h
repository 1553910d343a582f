// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What rows take on disk: a workload says what its rows are, the driver's folder what its storage makes of them. For
//! previews and disk checks, so within a third or so. No state; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! How rows come into a table, or entries into an index, by its key.
enum class KeyOrder : std::uint8_t {
    Rising, //!< each after the last
    Runs,   //!< several sessions side by side, each with a part that rises
    Any,
};

struct ColumnFacts
{
    std::string name;
    double width = 0; //!< bytes, as its type says: 4 of an INT; of a text as long as its usual value is
    double used = 0;  //!< bytes that its usual value needs: 2 of an INT below 32 768
    bool text = false;
};
[[nodiscard]] ColumnFacts numberColumn(std::string name, double width, double used);
[[nodiscard]] ColumnFacts textColumn(std::string name, double length);
//! CHAR(width): some storage fills it up with blanks.
[[nodiscard]] ColumnFacts paddedColumn(std::string name, double width, double length);

struct IndexFacts
{
    std::string columns; //!< "c_w_id, c_d_id"
    KeyOrder order = KeyOrder::Rising;
    bool fullText = false; //!< of the words of these columns
};

struct RowFacts
{
    std::vector<ColumnFacts> columns;
    std::string key;         //!< columns of the primary key; "": none
    bool keyIsRowId = false; //!< INTEGER PRIMARY KEY: where rows have a number of their own, it is this one
    KeyOrder order = KeyOrder::Rising;
    std::vector<IndexFacts> indexes = {};
    //! Positions of the columns that a list of names has.
    [[nodiscard]] std::vector<std::size_t> positions(std::string_view names) const;
};

class SizeModel
{
public:
    virtual ~SizeModel() = default;
    //! Bytes of a row and its entries in the indexes, with what stays empty of their pages.
    [[nodiscard]] virtual double row(const RowFacts& facts) const = 0;
    //! Bytes of the files of a table whose rows take `bytes`, with what they keep free; UINT64_MAX at most. `parts`: of
    //! a partitioned one. Default: `bytes`.
    [[nodiscard]] virtual std::uint64_t file(double bytes, std::int64_t parts = 1) const;
    [[nodiscard]] virtual std::uint64_t table(const RowFacts& facts, std::int64_t rows, std::int64_t parts = 1) const;
};

} // namespace dyno
