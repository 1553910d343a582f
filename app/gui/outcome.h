// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the sub-commands of `dynobench` end with.
#pragma once

#include <dyno/error.h>

#include <string_view>

namespace dyno::gui {

//! The contract's exit codes, the same as dyno's.
enum Exit : int { kDone = 0, kFailed = 1, kBadInput = 2, kUnreachable = 3, kInterrupted = 130 };

[[nodiscard]] int exitCodeOf(ErrorKind kind);
void say(std::string_view text);   //!< one line to standard error
void print(std::string_view text); //!< one line to standard output
int report(const Error& error);    //!< says it and gives the exit code

} // namespace dyno::gui
