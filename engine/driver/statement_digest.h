// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a server counts of the statements that it runs, by kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! All statements of one kind since the server began to count.
struct DigestEntry
{
    std::string key;    //!< the same for the kind in each answer
    std::string schema; //!< database that they were run in; "": none
    std::string text;   //!< with marks in place of literals
    std::uint64_t count = 0, errors = 0;
    double seconds = 0; //!< in the server, of all
    std::optional<std::uint64_t> rowsSent, rowsExamined;
    std::optional<double> p99Ms; //!< of all since the server began to count
};

} // namespace dyno
