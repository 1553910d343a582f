// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! ClickHouse as a server that can be started here.
#pragma once

#include "server/lifecycle/server_recipe.h"

namespace dyno {

[[nodiscard]] const ServerRecipe& clickhouseRecipe();

} // namespace dyno
