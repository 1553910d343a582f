// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Expressions of \set, \if and \elif: pgbench's operators with its precedence, CASE, its functions.
#pragma once

#include "workload/script/program.h"
#include "workload/script/source.h"

#include <functional>
#include <tl/expected.hpp>

namespace dyno::script {

//! Reads an expression up to the end of its line and adds its instructions to the program. `reads` is told each
//! variable and where it stands.
[[nodiscard]] tl::expected<Expression, Mistake>
parseExpression(Source& source, Program& program,
                const std::function<void(std::uint32_t slot, std::size_t place)>& reads);

//! Of the functions that an expression may call.
[[nodiscard]] std::vector<std::string> functionNames();

} // namespace dyno::script
