// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace dyno::lua {

//! Runs before any script: sysbench's functions, and the closed room that a script lives in. Takes the interpreter's
//! own functions and its setup; returns `make` (a user's environment) and `run` (a user's life).
extern const char* const kPrelude;

} // namespace dyno::lua
