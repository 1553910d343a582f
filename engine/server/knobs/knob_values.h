// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Whether a value in force is the one that was asked for, and setting a dynamic variable until it is. Control thread.
#pragma once

#include "driver/driver.h"

#include <chrono>
#include <string>
#include <string_view>

namespace dyno {

//! Compares what a plan says with what a server prints: ON, 1, true and yes are one value, 64M and 67108864 are, and
//! 90 and 90.000000; words in any case; lists in any order. A wanted list of switches such as "a=on,b=off" matches when
//! all its items are in `actual`; of another list, which replaces what was there, both must hold the same.
[[nodiscard]] bool sameSetting(const Value& wanted, std::string_view actual);

//! A wanted value as a server prints it that prints `now`: 1G as 1073741824, true as ON, 5 as 5.000000; else as it is.
[[nodiscard]] std::string printedLike(const Value& wanted, std::string_view now);

//! Sets a dynamic variable and reads it back until it is in force: some changes (buffer pool, redo log) go on after the
//! statement returned. Returns the value as the server prints it; the error names both values.
[[nodiscard]] Expected<std::string> setAndVerify(Admin& admin, std::string_view name, const Value& value,
                                                 std::chrono::milliseconds patience = std::chrono::seconds(30));

//! Why a value may not stand in a line of an option file, in which it could end the line or be cut into several; ""
//! when it may. `name` is what its line begins with. Refused are control characters and lines longer than
//! kLongestOptionLine.
[[nodiscard]] std::string unfitText(std::string_view name, std::string_view value);

//! Bytes of one line of an option file, its quotes and escapes included: the servers read 4 KiB at a time and take what
//! is left for the next line.
inline constexpr std::size_t kLongestOptionLine = 4000;

//! The error for a value that the server did not take.
[[nodiscard]] Error notTaken(std::string_view name, const Value& wanted, std::string_view actual);

} // namespace dyno
