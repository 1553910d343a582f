// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a script's statements are written in. Pure function; any thread.
#pragma once

#include "catalog.h"

#include <string_view>

namespace dyno {

//! Document where its statements are commands in JSON; Sql for any other, also one with a mistake.
[[nodiscard]] DataModel scriptModel(std::string_view text);

} // namespace dyno
