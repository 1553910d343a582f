// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! May this driver reach past the public calls of the client library? It saves CPU of the client (mysql_packet.h),
//! but the parts it reaches for may change with any version, and the version that is loaded need not be the one this was
//! built with.
#pragma once

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

} // namespace dyno::mysql
