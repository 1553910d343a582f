// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "server/proxy/proxy_recipe.h"

namespace dyno {

//! MySQL Router as a plain way to one server. It reads the protocol's greeting and passes the rest on, so TLS and
//! passwords are between user and server. It keeps no connections for later and spreads no reads (both want a cluster's
//! metadata). Source: manual of MySQL Router 9.7, "Configuration file options"; tried with 9.7.4.
[[nodiscard]] const ProxyRecipe& mysqlRouterRecipe();

} // namespace dyno
