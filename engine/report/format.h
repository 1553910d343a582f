// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Numbers as text, the same in every locale. Anything for a machine uses plain(), anything for a person human().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dyno::report {

//! Fixed decimals, '.' as the point, no grouping, never "-0"; "" for what is not a number.
[[nodiscard]] std::string plain(double value, int decimals);
//! About three significant digits: "12 345" (thin spaces), "123", "12.3", "1.23", "0.0123"; "–" for what is not a
//! number.
[[nodiscard]] std::string human(double value);
//! A whole number, grouped as human() does: "7", "5000", "1 200 000".
[[nodiscard]] std::string count(std::uint64_t number);
//! Seconds of a run: "0.3", "4.13", "120".
[[nodiscard]] std::string seconds(double value);
//! A ratio: "0.38", "1.02", "12.5", "0.042", "12 300": three significant digits from 1000 on.
[[nodiscard]] std::string ratio(double value);
//! Bytes in KiB, MiB, GiB: "5.2 MiB".
[[nodiscard]] std::string bytes(double value);
//! Rounded to decimals, for JSON; what is not a number stays so, and is null there.
[[nodiscard]] double rounded(double value, int decimals);
//! UTC, "2026-11-20 14:03"; "" for 0.
[[nodiscard]] std::string timeUtc(long long millisecondsSince1970);
//! "1 run", "3 runs".
[[nodiscard]] std::string counted(long long n, std::string_view one, std::string_view many);

} // namespace dyno::report
