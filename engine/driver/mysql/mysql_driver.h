// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The driver for MariaDB, MySQL, Percona Server and what speaks their protocol, on MariaDB Connector/C.
#pragma once

#include "driver/driver.h"

namespace dyno {

//! The one instance. Any thread.
[[nodiscard]] Driver& mysqlDriver();

} // namespace dyno
