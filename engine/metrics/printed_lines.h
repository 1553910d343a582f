// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace dyno {

//! Begins the note of a run with a line that its script printed, which may hold anything.
inline constexpr std::string_view kPrintedByScript = "script: ";

} // namespace dyno
