// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Bytes made short (zlib streams, RFC 1950) and written as text (base64, RFC 4648). Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dyno {

//! Of less than 1 GiB. `level`: 1, fast, to 9; "" where there is no memory for it.
[[nodiscard]] std::string deflated(std::string_view plain, int level);
//! Of a stream that ends exactly with `packed`; nothing: it is damaged, or has more than `most` bytes.
[[nodiscard]] std::optional<std::string> inflated(std::string_view packed, std::size_t most);

[[nodiscard]] std::string base64(std::string_view bytes); //!< with padding
//! Nothing: it is not base64. Padding may be missing.
[[nodiscard]] std::optional<std::string> fromBase64(std::string_view text);

} // namespace dyno
