// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Variables of this process's environment that a library must not see as they are, and how the user had set them.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace dyno {

//! Gives a variable of the environment another value, or removes it where `value` is null. Not while another thread may
//! read the environment: C has no lock for it.
void changeVariable(const std::string& name, const char* value);

//! The changed ones by name, as they were: nothing for one that there was not. For commands of the user. Any thread.
[[nodiscard]] std::map<std::string, std::optional<std::string>, std::less<>> formerVariables();

} // namespace dyno
