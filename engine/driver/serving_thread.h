// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Finds the thread of a server on this machine that serves a connection, by the number that the server says.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>

namespace dyno {

//! `number` as the kernel's number of a thread of one of these programs; 0 where it is none. A server in a container
//! counts its threads for itself: here the number is that of another program, or of none.
[[nodiscard]] inline std::int64_t threadOfServer(std::string_view number,
                                                 std::initializer_list<std::string_view> programs)
{
    std::int64_t thread = 0;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), thread);
    if (problem != std::errc() || end != number.data() + number.size() || thread <= 0)
        return 0;
    constexpr std::string_view kGroup = "Tgid:\t";
    std::ifstream status("/proc/" + std::to_string(thread) + "/status");
    std::string line, program;
    while (std::getline(status, line) && !line.starts_with(kGroup))
        continue;
    if (!line.starts_with(kGroup))
        return 0;
    std::ifstream name("/proc/" + line.substr(kGroup.size()) + "/comm");
    std::getline(name, program);
    return std::ranges::find(programs, program) == programs.end() ? 0 : thread;
}

} // namespace dyno
