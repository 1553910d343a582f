// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! May this driver reach past the public calls of the client library? It saves CPU of the client (mysql_packet.h),
//! but the parts it reaches for may change with any version, and the version that is loaded need not be the one this
//! was built with. So it is for statements of many values only.
#pragma once

#include "driver/driver.h"

#include <string>
#include <string_view>

namespace dyno::mysql {

//! What a run records where the direct path is taken: by sessions on threads.
inline constexpr std::string_view kDirect = "on threads";

//! The path that the connection knob `direct` gives with a library: kDirect, or "off" with the reason if it is not the
//! knob. `built` and `loaded` are versions, "3.3.20".
[[nodiscard]] std::string directPath(std::string_view knob, std::string_view built, std::string_view loaded);
//! The same for this build and the library that this process has loaded.
[[nodiscard]] std::string directPath(std::string_view knob);
//! The path that the statements of `target` take, and else why not: what a run records.
[[nodiscard]] std::string directPath(const ConnectTarget& target);

//! Values of a statement from which on the knob "auto" takes the direct path. It saves 170 instructions a value
//! (counted); in pairs, a third of the client's CPU at 500 to 800 values and 2 to 4 % at one to three
//! (tests/bench/direct.sh). Between these the place is estimated, not measured.
inline constexpr std::size_t kDirectFrom = 40;
//! From how many values on the statements of `target` are sent directly; SIZE_MAX: none is. Of sessions on threads.
[[nodiscard]] std::size_t directFrom(const ConnectTarget& target);

} // namespace dyno::mysql
