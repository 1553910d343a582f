// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! OptionSpec::risk of what several drivers take: completes "This plan wants to …".
#pragma once

namespace dyno {

inline constexpr const char* kForeignAuthority = "trust the authority of a file that it names: whoever has that "
                                                 "authority's key can pose as the server and read your password";
inline constexpr const char* kForeignKey =
    "read a certificate or key from a file that it names, and prove with it to a server who you are";

} // namespace dyno
