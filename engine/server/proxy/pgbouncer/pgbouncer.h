// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "server/proxy/proxy_recipe.h"

namespace dyno {

//! PgBouncer with a connection to the server for each user's, from their first statement to their end (session
//! pooling): whatever users may do directly they may do through it. It signs in to the server itself and ends TLS, so
//! only servers of this machine fit, reached without TLS. Source: manual pgbouncer(5); tried with 1.18.
[[nodiscard]] const ProxyRecipe& pgbouncerRecipe();

} // namespace dyno
