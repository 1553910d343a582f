// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/size_model.h"

#include <algorithm>

namespace dyno {

ColumnFacts numberColumn(std::string name, double width, double used)
{
    return {std::move(name), width, used, false};
}

ColumnFacts textColumn(std::string name, double length)
{
    return {std::move(name), length, length, true};
}

ColumnFacts paddedColumn(std::string name, double width, double length)
{
    return {std::move(name), width, length, true};
}

std::vector<std::size_t> RowFacts::positions(std::string_view names) const
{
    constexpr std::string_view kBetween = ", ";
    std::vector<std::size_t> found;
    while (!names.empty()) {
        const std::size_t end = std::min(names.find(kBetween), names.size());
        const auto column = std::ranges::find(columns, names.substr(0, end), &ColumnFacts::name);
        if (column != columns.end())
            found.push_back(std::size_t(column - columns.begin()));
        names.remove_prefix(std::min(end + kBetween.size(), names.size()));
    }
    return found;
}

std::uint64_t SizeModel::file(double bytes, std::int64_t /*parts*/) const
{
    constexpr double kEnd = 18446744073709551616.0; // 2^64
    return bytes < kEnd ? std::uint64_t(bytes) : UINT64_MAX;
}

std::uint64_t SizeModel::table(const RowFacts& facts, std::int64_t rows, std::int64_t parts) const
{
    return file(double(rows) * row(facts), parts);
}

} // namespace dyno
