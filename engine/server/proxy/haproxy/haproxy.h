// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "server/proxy/proxy_recipe.h"

namespace dyno {

//! HAProxy in TCP mode: it passes bytes on and reads none of them, so TLS and passwords are between user and server.
[[nodiscard]] const ProxyRecipe& haproxyRecipe();

} // namespace dyno
