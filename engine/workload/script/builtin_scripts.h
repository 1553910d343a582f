// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! pgbench's built-in scripts, in its own language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::script {

[[nodiscard]] const std::vector<std::string>& builtinNames(); //!< "tpcb-like", "simple-update", "select-only"
//! Empty for any other name. `accounts`: of a branch.
[[nodiscard]] std::string builtinText(std::string_view name, std::int64_t accounts = 100'000);

} // namespace dyno::script
