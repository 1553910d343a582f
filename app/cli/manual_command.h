// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno manual [PAGE]: the manual's pages, as text and as HTML, and those of them that are made from tables.
#pragma once

#include "cli/console.h"

namespace dyno::cli {

//! To be called last: its pages tell of all other commands.
void addManualCommand(CLI::App& app, ExitCode code);

} // namespace dyno::cli
