// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Checks of a .workload file's head, and its expressions.
#pragma once

#include "workload/script/program.h"
#include "workload/script/workload_head.h"
#include "workload/workload.h"

namespace dyno::script {

//! Of an expression with :scale, the plan's variables and, where there is one, :value. An error says what is wrong.
//! `params`: of the workload.
[[nodiscard]] tl::expected<Scalar, std::string> valueInHead(const std::string& expression, const Settings& params,
                                                            const Scalar* value = nullptr);

//! They are asked in a transaction that is rolled back, in a session that refuses to change data: what a SELECT calls
//! may do more than its words say. `readOnly`: the statement that makes one, see SqlDialect; "": the server has none.
[[nodiscard]] Expected<std::vector<DataCheck>> bindChecks(const std::vector<HeadCheck>& checks, const Settings& params,
                                                          const std::string& readOnly);

} // namespace dyno::script
