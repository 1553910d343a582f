// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A target that does nothing, in a time of one's choosing: it measures the load engine itself and plays the part of a
//! server in tests. It speaks all three request models and has neither tables nor rows.
#pragma once

#include "driver/driver.h"
#include <dyno/uri_form.h>

namespace dyno {

//! The one instance. Any thread.
[[nodiscard]] Driver& nullDriver();
//! What its targets are written as; in every build, since it needs no client library.
[[nodiscard]] UriForm nullUriForm();

} // namespace dyno
