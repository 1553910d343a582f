// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How much the operations of a workload read, where its definition says so exactly. Rows and bytes read per second are
//! made of it: no sample counts them.
#pragma once

#include "value.h"

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Measures that are made of it.
inline constexpr const char* kRowsReadPerSecond = "rows_read_per_second";
inline constexpr const char* kBytesReadPerSecond = "bytes_read_per_second";

//! What an operation looks at each time it is done.
struct OperationReads
{
    std::string operation;
    double rows = 0;
    double bytes = 0; //!< of the columns' values, before compression; 0 where a row is stored whole, which decides them
};

//! Of the workload with this id and these parameters on a server of this driver; empty where its rows or their order
//! decide that. Any thread.
[[nodiscard]] std::vector<OperationReads> operationReads(std::string_view workload, std::string_view driver,
                                                         const Settings& params);

} // namespace dyno
