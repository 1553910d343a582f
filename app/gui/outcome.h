// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the sub-commands of `dynobench` end with.
#pragma once

#include "core/exit_code.h"

#include <string_view>

namespace dyno::gui {

void say(std::string_view text);   //!< one line to standard error
void print(std::string_view text); //!< one line to standard output
int report(const Error& error);    //!< says it and gives the exit code

} // namespace dyno::gui
