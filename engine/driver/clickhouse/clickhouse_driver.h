// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! ClickHouse over its HTTP interface, by libcurl.
#pragma once

#include "driver/driver.h"
#include <dyno/uri_form.h>

namespace dyno {

[[nodiscard]] Driver& clickhouseDriver();
//! What its targets are written as; in every build.
[[nodiscard]] UriForm clickhouseUriForm();

} // namespace dyno
