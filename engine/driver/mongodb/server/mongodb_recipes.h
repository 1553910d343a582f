// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! MongoDB and FerretDB 1 as servers that can be started here.
#pragma once

#include "server/lifecycle/server_recipe.h"

namespace dyno {

[[nodiscard]] const ServerRecipe& mongodbRecipe();
[[nodiscard]] const ServerRecipe& ferretdbRecipe();
[[nodiscard]] inline bool isFerretdb(const ServerBinaries& server)
{
    return server.recipe == &ferretdbRecipe();
}

} // namespace dyno
