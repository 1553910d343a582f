// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/driver.h"

#include <fmt/format.h>

#include <charconv>

namespace dyno {

Expected<std::int64_t> Admin::rowCount(std::string_view table)
{
    auto rows = query(fmt::format("SELECT COUNT(*) FROM {}", table));
    if (!rows)
        return tl::unexpected(rows.error());
    std::int64_t count = 0;
    if (!rows->empty() && !rows->front().empty()) {
        const std::string& text = rows->front().front();
        std::from_chars(text.data(), text.data() + text.size(), count);
    }
    return count;
}

Expected<void> Admin::drop(std::string_view table)
{
    return execute(fmt::format("DROP TABLE IF EXISTS {}", table));
}

} // namespace dyno
