// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! db_bench's randomtransaction (RocksDB, tools/db_bench_tool.cc of version 4.4, RandomTransaction()): several sets of
//! keys with a number each. A transaction draws an increment of 1 to 100, and for each set in turn one key, reads its
//! number for update and writes it back increased. So the numbers of all sets add up to the same sum, whatever ran, if
//! transactions keep what they promise.
//!
//! db_bench's --transaction_sets is "number of keys each transaction will modify", and --num the keys of each set: what
//! reports of it call the batch size is the number of sets.
//!
//! Other than db_bench: all keys are there from the start, with the number 0 (db_bench begins with none and takes a
//! missing one as 0), and a transaction that met a conflict is retried with the same keys (db_bench counts it as
//! aborted and draws others). Later versions of RocksDB take the sets in a random order and read half of the keys
//! without a lock, to test the library: that is not here.
#pragma once

#include "workload/workload.h"

namespace dyno::randomtransaction {

struct Params
{
    std::int64_t keys = 1'000'000; //!< of each set
    std::int64_t sets = 2;
};

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::randomtransaction
