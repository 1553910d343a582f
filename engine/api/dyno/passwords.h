// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The one rule about passwords: each is for one host, port and user, and goes nowhere else.
//! - One that a person gave for a plan or a command (an option file, a field of the window, else DYNO_PASSWORD) is for
//!   one server: the plan's first remote one.
//! - DYNO_PASSWORD_NAME is for the server that this user remembered under that name, with the user of its URI
//!   (`dyno servers add URI --name NAME`). In NAME letters are capitals, and what is neither letter nor digit is _.
#pragma once

#include "plan.h"
#include "uri.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace dyno {

//! What all variables of the environment that hold passwords begin with. No program that is started gets them.
inline constexpr std::string_view kPasswordVariable = "DYNO_PASSWORD";

//! The same server (see sameServer()) and the same user.
[[nodiscard]] bool sameAccount(const TargetUri& a, const TargetUri& b);

//! Whom the password of a plan is for: its target when that is a remote one, else the first remote one among its cases.
[[nodiscard]] std::optional<TargetUri> passwordOwner(const Plan& plan);

//! The password for `server`, "" = none. `given` ("" = DYNO_PASSWORD) counts only when `server` is `owner`, by
//! sameAccount(). `file` empty: remoteServersFile(). Any thread.
[[nodiscard]] std::string passwordFor(const TargetUri& server, const std::optional<TargetUri>& owner,
                                      const std::string& given = {}, const std::filesystem::path& file = {});

} // namespace dyno
