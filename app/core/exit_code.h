// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The contract's exit codes, of `dyno` and of the sub-commands of `dynobench`. kObjective: all was done, and an
//! objective of the plan is broken.
#pragma once

#include <dyno/error.h>

namespace dyno {

enum Exit : int { kDone = 0, kFailed = 1, kBadInput = 2, kUnreachable = 3, kObjective = 4, kInterrupted = 130 };

[[nodiscard]] int exitCodeOf(ErrorKind kind);

} // namespace dyno
