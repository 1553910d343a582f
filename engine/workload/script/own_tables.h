// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The tables that the head of a .workload file describes; on a target that keeps documents its collections, with the
//! columns as fields.
#pragma once

#include "workload/script/workload_head.h"
#include "workload/workload.h"

namespace dyno::script {

//! An instance that loads and has no transactions. `params`: of the workload, for :scale and variables in numbers of
//! rows.
[[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
bindOwnTables(Head head, const Settings& params, const DriverInfo& driver, const Settings& tableKnobs);

} // namespace dyno::script
