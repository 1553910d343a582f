// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! MariaDB and MySQL as servers that can be started here.
#pragma once

#include "server/lifecycle/server_recipe.h"

namespace dyno {

[[nodiscard]] const ServerRecipe& mariadbRecipe();
[[nodiscard]] const ServerRecipe& mysqlRecipe();
[[nodiscard]] inline bool isMariadb(const ServerBinaries& server)
{
    return server.recipe == &mariadbRecipe();
}
[[nodiscard]] inline bool isMysql(const ServerBinaries& server)
{
    return server.recipe == &mysqlRecipe();
}

} // namespace dyno
