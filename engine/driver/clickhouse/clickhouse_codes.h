// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The server's numbers of errors and their names; in every build, for results that another one measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dyno::clickhouse {

//! The server's own number for a broken connection; the driver's too, where its library finds the connection broken or
//! could not connect.
inline constexpr std::int32_t kNetworkError = 210;
//! Likewise where nobody answered in time.
inline constexpr std::int32_t kSocketTimeout = 209;
//! For what the driver itself refuses.
inline constexpr std::int32_t kNotImplemented = 48;

//! "TOO_MANY_PARTS"; the number where its name is not known here.
[[nodiscard]] std::string codeName(std::int32_t code);
//! The code again; 0 for what is no such name.
[[nodiscard]] std::int32_t codeNamed(std::string_view name);

} // namespace dyno::clickhouse
