// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! YCSB's core workload (B. F. Cooper et al., "Benchmarking cloud serving systems with YCSB", SoCC 2010; facts from
//! YCSB 0.17's CoreWorkload) for SQL (the mapping of its JDBC binding), documents (that of its MongoDB binding) and
//! key-value stores (that of its RocksDB binding). Records made here can be read by YCSB, and the other way round.
//!
//! An operation of YCSB is a transaction here and is counted and timed as one operation, also when it takes two
//! requests: a read-modify-write, and in a key-value store an update. YCSB counts the read and the update inside a
//! read-modify-write once more on their own; here operations per second are YCSB's, and nothing is counted twice.
//!
//! What a transaction does is a function of (seed, user, sequence number) but for two things that depend on timing: the
//! number of a record to insert, which comes from one counter for all users, and, in a run with inserts, what latest,
//! exponential and YCSB's own form of zipfian read, since they look at the last insert that the target has confirmed.
//! Uniform, hotspot, sequential and zipfian over the records draw from those that the load made.
#pragma once

#include "workload/workload.h"

namespace dyno::ycsb {

[[nodiscard]] const std::vector<const Workload*>& workloads();

} // namespace dyno::ycsb
