// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/console.h"

namespace dyno::cli {

//! dyno import FILE…
void addImportCommand(CLI::App& app, ExitCode code);

} // namespace dyno::cli
