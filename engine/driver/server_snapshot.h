// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a server does at a moment, part by part, as Admin::snapshot() tells it.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace dyno {

//! A text, or a table.
struct SnapshotPart
{
    static constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

    std::string title = {};
    std::string brief = {}; //!< what an event says of it: "12 statements"; "": nothing
    std::string text = {};  //!< holds no statement, and no value of a row
    std::vector<std::string> columns = {};
    std::vector<std::vector<std::string>> rows = {};
    std::size_t statements = kNoColumn; //!< column with statements as their clients sent them: no literal is kept
};

constexpr std::size_t kSnapshotRows = 200; //!< of a table; a server with thousands of users tells the first ones

//! "1 statement", "12 statements"
[[nodiscard]] inline std::string briefOf(std::size_t count, const std::string& one)
{
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

//! A part that could not be read.
[[nodiscard]] inline SnapshotPart missingPart(std::string title, const std::string& why)
{
    return {std::move(title), {}, "could not be read: " + why + "\n"};
}

} // namespace dyno
