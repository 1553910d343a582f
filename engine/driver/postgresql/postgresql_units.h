// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings of the server as this program says them: sizes in bytes, everything else in the unit that pg_settings has
//! for it. The server counts sizes in kB, or in pages of 8 kB.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace dyno::postgresql {

//! SQL: a column of pg_settings with values (setting, boot_val), sizes as bytes. -1 and its like, which are none, stay.
[[nodiscard]] inline std::string inBytes(std::string_view column)
{
    // Inside the first CASE only sizes are looked at: what is no number must not be read as one.
    return fmt::format("CASE WHEN unit ~ 'B$' THEN CASE WHEN {0}::numeric > 0 THEN ({0}::numeric * CASE unit WHEN 'B' "
                       "THEN 1 ELSE pg_size_bytes(CASE WHEN unit ~ '^[0-9]' THEN unit ELSE '1' || unit END) END)::text "
                       "ELSE {0} END ELSE {0} END",
                       column);
}

} // namespace dyno::postgresql
