// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! From the bytes of a table's rows to what it takes on disk.
#pragma once

#include "driver/driver.h"

namespace dyno {

//! InnoDB keeps free extents in the file of a table that has outgrown its first pages: up to 8 MiB (measured in MariaDB
//! 10.11 with the innodb_file_per_table that all versions have by default).
inline std::uint64_t onDisk(const SqlDialect& sql, std::uint64_t rowBytes)
{
    constexpr std::uint64_t kGrown = 1 << 20, kFree = 8 << 20;
    return sql.namedOptions && rowBytes > kGrown ? rowBytes + kFree : rowBytes;
}

} // namespace dyno
