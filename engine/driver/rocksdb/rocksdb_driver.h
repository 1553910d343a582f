// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The driver for RocksDB in this process: one folder, opened once for all of its users, always blocking.
//!
//! It talks to the library's C++ interface. The C interface has no status codes (a conflict, a lock that timed out and
//! a broken file are all texts), no counters one by one, and does not tell which options are in force.
#pragma once

#include "driver/driver.h"
#include <dyno/uri_form.h>

namespace dyno {

//! The one instance. Any thread.
[[nodiscard]] Driver& rocksdbDriver();
//! What its targets are written as; in every build, since it needs no library.
[[nodiscard]] UriForm rocksdbUriForm();

} // namespace dyno
