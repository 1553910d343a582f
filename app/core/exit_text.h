// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the exit codes mean, a row each: the manual's page follows from it.
#pragma once

#include "core/exit_code.h"

#include <span>

namespace dyno {

struct ExitMeaning
{
    Exit code;
    const char* meaning;
    const char* next; //!< what a script does about it
};
[[nodiscard]] std::span<const ExitMeaning> exitMeanings();

} // namespace dyno
