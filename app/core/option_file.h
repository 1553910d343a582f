// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Passwords from an option file as MySQL's own clients read it.
#pragma once

#include <dyno/error.h>

#include <filesystem>
#include <string>

namespace dyno {

//! The value of `password` in the sections [client] and [dyno] (the latter wins). An error when the file cannot be read
//! or holds no password; it never repeats a line of the file.
[[nodiscard]] Expected<std::string> passwordFromOptionFile(const std::filesystem::path& file);

} // namespace dyno
