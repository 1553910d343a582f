// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! From the bytes of a table's rows to what it takes on disk.
#pragma once

#include "driver/driver.h"

namespace dyno {

//! A table that has outgrown its first pages has free extents too.
inline std::uint64_t onDisk(const SqlDialect& sql, std::uint64_t rowBytes)
{
    constexpr std::uint64_t kGrown = 1 << 20;
    return rowBytes > kGrown ? rowBytes + sql.freeExtents : rowBytes;
}

} // namespace dyno
