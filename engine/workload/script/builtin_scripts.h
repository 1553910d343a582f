// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! pgbench's built-in scripts, in its own language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyno::script {

[[nodiscard]] const std::vector<std::string>& builtinNames(); //!< "tpcb-like", "simple-update", "select-only"
//! Empty for any other name.
[[nodiscard]] std::string builtinText(std::string_view name);

} // namespace dyno::script
