// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Passwords from an option file as MySQL's own clients read it.
#pragma once

#include <dyno/error.h>
#include <dyno/uri.h>

#include <filesystem>
#include <optional>
#include <string>

namespace dyno {

//! The value of `password` in the sections [client] and [dyno] (the latter wins). An error when the file cannot be read
//! or holds no password; it never repeats a line of the file.
[[nodiscard]] Expected<std::string> passwordFromOptionFile(const std::filesystem::path& file);

//! The same for `receiver`, the server and user that will get it. What the file says beside its password (user, host,
//! port, socket) must be so there: a plan decides whom it connects to, but not whose password that is. Without a
//! receiver a file that names none of them is taken, and any other is an error.
[[nodiscard]] Expected<std::string> passwordFromOptionFile(const std::filesystem::path& file,
                                                           const std::optional<TargetUri>& receiver);

} // namespace dyno
