// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace dyno {

//! The SHA-256 (FIPS 180-4) of bytes in 64 hexadecimal digits; "" where the library refuses. Any thread.
[[nodiscard]] std::string sha256Of(std::string_view bytes);

} // namespace dyno
