// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the Servers page shows in the pictures of the tour: made up, but with the values of a real MariaDB.
#pragma once

#include "servers/servers_page.h"

namespace dyno::gui {

[[nodiscard]] ServerSnapshot sampleServers();

} // namespace dyno::gui
