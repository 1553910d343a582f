// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where MariaDB and MySQL differ in what a plan may ask of them.
#pragma once

#include <cstdint>

namespace dyno {

struct MysqlLimits
{
    std::uint64_t statements; //!< largest max_prepared_stmt_count
    bool threadPool;          //!< has one built in
};

inline constexpr MysqlLimits kMariadbLimits{1'048'576, true};
inline constexpr MysqlLimits kMysqlLimits{4'194'304, false}; // since 8.0.18

} // namespace dyno
