// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The driver for MariaDB, MySQL, Percona Server and what speaks their protocol, on MariaDB Connector/C.
#pragma once

#include "driver/driver.h"
#include <dyno/uri_form.h>

namespace dyno {

//! The one instance. Any thread.
[[nodiscard]] Driver& mysqlDriver();
//! What its targets are written as; in every build, since it needs no client library.
[[nodiscard]] UriForm mysqlUriForm();

} // namespace dyno
