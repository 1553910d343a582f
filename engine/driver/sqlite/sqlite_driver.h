// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The driver for SQLite in this process: one file, one connection a user, always blocking.
#pragma once

#include "driver/driver.h"
#include <dyno/uri_form.h>

namespace dyno {

//! The one instance. Any thread.
[[nodiscard]] Driver& sqliteDriver();
//! What its targets are written as; in every build, since it needs no client library.
[[nodiscard]] UriForm sqliteUriForm();

} // namespace dyno
