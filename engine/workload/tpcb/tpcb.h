// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A workload like TPC-B, as pgbench has it (PostgreSQL's documentation of pgbench, "What is the “Transaction” Actually
//! Performed in pgbench?"): a bank of branches, tellers and accounts, whose balances change together. Tables, columns,
//! scripts and distributions are pgbench's. Results are no TPC-B results and must not be called so.
//!
//! Other than pgbench: the primary keys are there while rows are loaded, and history is not emptied before a run: where
//! one changes the balances the next one starts from newly loaded data, so that the conditions of checks() hold at any
//! time.
#pragma once

#include "workload/workload.h"

namespace dyno::tpcb {

//! pgbench's built-in scripts.
enum class Script : std::uint8_t {
    TpcbLike,     //!< -b tpcb-like
    SimpleUpdate, //!< -b simple-update (-N): without tellers and branches, whose few rows everybody wants
    SelectOnly,   //!< -b select-only (-S)
};

struct Params
{
    std::int64_t scale = 1; //!< branches
    std::int64_t accountsPerBranch = 100'000;
    Script script = Script::TpcbLike;
    [[nodiscard]] std::int64_t accounts() const { return scale * accountsPerBranch; }
    [[nodiscard]] std::int64_t tellers() const { return scale * 10; }
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::tpcb
