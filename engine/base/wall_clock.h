// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The time of day. Any thread.
#pragma once

#include <chrono>
#include <cstdint>

namespace dyno {

//! Milliseconds since 1970, UTC.
[[nodiscard]] inline std::int64_t nowMs()
{
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

} // namespace dyno
