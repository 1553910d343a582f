// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Workload "script": what people have as scripts for pgbench, unchanged, and pgbench's built-in ones. Each statement
//! is an operation of its own; variables belong to a user and keep their values from one transaction to the next.
//!
//! Other than pgbench: a statement that fails fails its transaction, which is rolled back, and the user goes on;
//! debug() is silent; a NULL that \gset reads is NULL and no empty text.
#pragma once

#include "workload/workload.h"

namespace dyno::script {

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::script
