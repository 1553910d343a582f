// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reads scripts as `pgbench -f` of PostgreSQL 17 does, but for \shell and \setshell, which are refused.
#pragma once

#include "workload/script/program.h"
#include "workload/script/source.h"

#include <string_view>
#include <tl/expected.hpp>

namespace dyno::script {

//! One script, or several: each after a line `\transaction NAME [WEIGHT]`, which pgbench does not have (it takes a file
//! for each). `definitions`: NAME=VALUE, with line breaks or semicolons between them, as of pgbench's -D.
[[nodiscard]] tl::expected<Program, Mistake> parseScripts(std::string_view text, std::string_view definitions = {});
//! The same without a look at the whole: weights may all be 0, and variables may have no value. For a list of the
//! scripts. `weights` is not set.
[[nodiscard]] tl::expected<Program, Mistake> parseUnchecked(std::string_view text);

//! "\set" and the others.
[[nodiscard]] std::vector<std::string> commandNames();

//! "line 3, column 7: unexpected "x" (expected: …)"
[[nodiscard]] std::string mistakeText(const Mistake& mistake);

} // namespace dyno::script
