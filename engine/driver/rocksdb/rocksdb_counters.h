// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the library counts while a run lasts.
#pragma once

#include "driver/rocksdb/rocksdb_store.h"
#include "driver/server_snapshot.h"

#include <dyno/counter_groups.h>
#include <dyno/event_rules.h>
#include <dyno/main_counters.h>

namespace dyno {

[[nodiscard]] std::vector<CounterInfo> rocksdbCounters();
//! In the order of rocksdbCounters(). Any thread; some microseconds.
[[nodiscard]] std::vector<double> rocksdbCounterValues(const RocksdbStore& store);
//! See Driver.
[[nodiscard]] std::vector<MainCounter> rocksdbMainCounters();
[[nodiscard]] std::vector<MoveReading> rocksdbMoveReadings();
[[nodiscard]] std::vector<EventRule> rocksdbEventRules();
[[nodiscard]] std::vector<SnapshotPart> rocksdbSnapshot(const RocksdbStore& store);
[[nodiscard]] std::vector<CounterGroup> rocksdbCounterGroups();

} // namespace dyno
