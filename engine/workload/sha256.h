// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace dyno {

//! 64 digits by which a result tells scripts apart.
[[nodiscard]] std::string sha256Of(std::string_view text);

} // namespace dyno
