// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! PostgreSQL over libpq.
#pragma once

#include "driver/driver.h"
#include <dyno/uri_form.h>

namespace dyno {

[[nodiscard]] Driver& postgresqlDriver();
//! What its targets are written as; in every build.
[[nodiscard]] UriForm postgresqlUriForm();

} // namespace dyno
