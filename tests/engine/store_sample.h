// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A session as a real run of the durability plan would send it to its sinks: plausible, and the same for the same
//! seed.
#pragma once

#include "base/random.h"
#include <dyno/catalog.h>
#include <dyno/runner.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace dyno::sample {

inline constexpr const char* kPlan = R"(title = "What does durability cost?"
description = "SQLite's synchronous setting, one updated row to a transaction."

[target]
uri = "sqlite:durability.db"

[workload]
name = "oltp_update_non_index"
params = { tables = 1, table_size = 20000 }

[set]
"connection.journal_mode" = "WAL"

[load]
users = [1, 4]
time = "9s"
warmup = "1s"
interval = "0.5s"
repeats = 2
order = "interleaved"

[[axis]]
name = "synchronous"
cases = [
  { label = "OFF", set = { "connection.synchronous" = "OFF" } },
  { label = "NORMAL", set = { "connection.synchronous" = "NORMAL" } },
  { label = "FULL", set = { "connection.synchronous" = "FULL" } },
]

[[view]]
chart = "bars"
measure = "tps"
x = "users"
series = "synchronous"
baseline = "OFF"
)";

struct Options
{
    std::string id = "5e551011-0000-4000-8000-00000000d1f0";
    std::string plan = kPlan;
    std::uint64_t seed = 7;
    double scale = 1;         //!< of all throughputs
    int hiddenCounters = 0;   //!< behind the others, with `counters`
    int intervals = 20;       //!< in a run, of the plan's interval length
    int warmups = 2;          //!< of them
    int failedRun = -1;       //!< index of a run that fails half way
    int stopAfterRun = -1;    //!< index of the last run that is sent; no end of the session then
    bool finish = true;       //!< sends the end of the session
    std::string clientReason; //!< of all runs: the load generator was their limit
    bool counters = false;    //!< with two counters of the server, of which one has a gap
    bool openLoop = false;    //!< with arrivals, response times and all that is counted with them
};

[[nodiscard]] SessionHeader header(const Options& options = {});
[[nodiscard]] RunHeader runHeader(const SessionHeader& session, int index);
//! Transactions per second of a point, as a laptop's disk gives them.
[[nodiscard]] double throughput(const PointSpec& point);
[[nodiscard]] IntervalSample interval(const SessionHeader& session, const RunHeader& run, int index, Random& random,
                                      const Options& options = {});
//! Sends one run to a sink.
RunSummary feedRun(SampleSink& sink, const SessionHeader& session, int index, const Options& options = {});
//! Sends a whole session to a sink.
SessionHeader feed(SampleSink& sink, const Options& options = {});

} // namespace dyno::sample
