// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The variables of a server with their defaults, and which of them it takes while it runs. Control thread.
#pragma once

#include "driver/driver.h"
#include <dyno/servers.h>

#include <optional>
#include <string_view>
#include <vector>

namespace dyno {

//! All variables, by name. Defaults and dynamic as the server says (MariaDB), else as the catalogue does.
[[nodiscard]] Expected<std::vector<VariableState>> variableStates(Admin& admin, std::string_view driver);

//! Whether the server refuses to change the variable `name` (its own name for it) while it runs; nullopt when neither
//! the server nor the catalogue tells.
[[nodiscard]] std::optional<bool> needsRestart(Admin& admin, std::string_view driver, std::string_view name,
                                               const ServerFacts& facts);

} // namespace dyno
