// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "server/proxy/proxy_recipe.h"

namespace dyno {

//! PgBouncer, with a connection to the server for each user's, from their first statement to their end (session
//! pooling): whatever users may do directly they may do through it. Or, as the path says, with fewer, which each
//! transaction borrows (transaction pooling): then nothing that a connection remembers may be relied on, and prepared
//! statements only from 1.21 on. It signs in to the server itself and ends TLS: it is given the users' password, and
//! encrypts both sides as the users would do it directly. Source: manual pgbouncer(5); tried with 1.18.
[[nodiscard]] const ProxyRecipe& pgbouncerRecipe();

} // namespace dyno
