// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Counters of serverStatus as series.
#include "driver/counter_rules.h"
#include "mongodb_admin.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace dyno::mongodb {

namespace {

struct Known
{
    const char* path; //!< in serverStatus; the counter's name too
    const char* unit;
    bool rate = true;
};

//! Those of them that a server has are watched.
constexpr std::array kKnown = {
    Known{"opcounters.insert", "operations"},
    Known{"opcounters.query", "operations"},
    Known{"opcounters.update", "operations"},
    Known{"opcounters.delete", "operations"},
    Known{"opcounters.getmore", "operations"},
    Known{"opcounters.command", "operations"},
    Known{"wiredTiger.cache.bytes read into cache", "bytes"},
    Known{"wiredTiger.cache.pages read into cache", "pages"},
    Known{"wiredTiger.cache.bytes written from cache", "bytes"},
    Known{"wiredTiger.cache.bytes currently in the cache", "bytes", false},
    Known{"wiredTiger.cache.tracked dirty bytes in the cache", "bytes", false},
    Known{"wiredTiger.cache.modified pages evicted", "pages"},
    Known{"wiredTiger.cache.unmodified pages evicted", "pages"},
    Known{"wiredTiger.cache.pages evicted by application threads", "pages"},
    Known{"wiredTiger.log.log bytes written", "bytes"},
    Known{"wiredTiger.log.log sync operations", "operations"},
    Known{"wiredTiger.log.log sync time duration (usecs)", "µs"},
    Known{"wiredTiger.connection.total read I/Os", "operations"},
    Known{"wiredTiger.connection.total write I/Os", "operations"},
    Known{"wiredTiger.connection.total fsync I/Os", "operations"},
    Known{"wiredTiger.transaction.transaction checkpoints", "checkpoints"},
    Known{"wiredTiger.transaction.transaction checkpoint currently running", "checkpoints", false},
    Known{"wiredTiger.transaction.transaction checkpoint most recent time (msecs)", "ms", false},
    Known{"wiredTiger.concurrentTransactions.read.out", "tickets", false},
    Known{"wiredTiger.concurrentTransactions.write.out", "tickets", false},
    Known{"connections.current", "connections", false},
    Known{"connections.active", "connections", false},
    Known{"globalLock.currentQueue.total", "operations", false},
    Known{"asserts.regular", "asserts"},
    Known{"asserts.warning", "asserts"},
    Known{"asserts.user", "asserts"},
    Known{"network.bytesIn", "bytes"},
    Known{"network.bytesOut", "bytes"},
    Known{"network.numRequests", "requests"},
    Known{"metrics.operation.writeConflicts", "conflicts"},
};

// MongoDB Manual, "serverStatus", says which of them go up and down. WiredTiger's own say it in their names, which
// stand in its source, dist/stat_data.py: "no_clear" there. Counts hold many of the same words ("eviction walk target
// strategy both clean and dirty pages", "pages evicted because they exceeded the in-memory maximum").
constexpr std::array kLevelPaths{"pid",
                                 "ok",
                                 "uptime*",
                                 "bucketCatalog.num*Buckets",
                                 "bucketCatalog.memoryUsage*",
                                 "catalogStats.*",
                                 "connections.current",
                                 "connections.available",
                                 "connections.active",
                                 "connections.threaded",
                                 "connections.loadBalanced",
                                 "connections.queuedForEstablishment",
                                 "connections.exhaust*",
                                 "connections.awaiting*",
                                 "defaultRWConcern.*",
                                 "electionMetrics.average*",
                                 "extra_info.maximum*",
                                 "extra_info.heap_usage*",
                                 "flowControl.targetRateLimit",
                                 "flowControl.sustainerRate",
                                 "flowControl.locksPerKiloOp",
                                 "freeMonitoring.*",
                                 "globalLock.activeClients.*",
                                 "globalLock.currentQueue.*",
                                 "indexStats.*count",
                                 "logicalSessionRecordCache.activeSessionsCount",
                                 "logicalSessionRecordCache.lastSessions*",
                                 "mem.*",
                                 "metrics.cursor.open.*",
                                 "metrics.query*Estimate*",
                                 "metrics.queryStats.max*",
                                 "metrics.repl.buffer.*",
                                 "metrics.repl.executor.*",
                                 "network.serviceExecutors.*",
                                 "opLatencies.*.percentile*",
                                 "queues.*.available",
                                 "queues.*.out",
                                 "queues.*.queueLength",
                                 "queues.*.totalTickets",
                                 "scramCache.*.count",
                                 "storageEngine.*",
                                 "tenantMigrations.current*",
                                 "transactions.current*",
                                 "transactions.lastCommittedTransaction.*",
                                 "twoPhaseCommitCoordinator.current*",
                                 "wiredTiger.concurrentTransactions.*.available",
                                 "wiredTiger.concurrentTransactions.*.out",
                                 "wiredTiger.concurrentTransactions.*.queueLength",
                                 "wiredTiger.concurrentTransactions.*.totalTickets",
                                 "wiredTiger.snapshot-window-settings.*percentage*",
                                 "wiredTiger.snapshot-window-settings.*size in seconds",
                                 "wiredTiger.thread-state.active *",
                                 "wiredTiger.*currently*",
                                 "wiredTiger.*most recent*",
                                 "wiredTiger.*.maximum *",
                                 "wiredTiger.*hazard pointer maximum array length",
                                 "wiredTiger.*max time*",
                                 "wiredTiger.*min time*",
                                 "wiredTiger.*.tracked *",
                                 "wiredTiger.*belonging to*in the cache",
                                 "wiredTiger.*bytes allocated for updates",
                                 "wiredTiger.*updates in uncommitted txn*",
                                 "wiredTiger.*percentage overhead",
                                 "wiredTiger.*eviction state",
                                 "wiredTiger.*eviction worker thread active",
                                 "wiredTiger.*eviction worker thread stable number",
                                 "wiredTiger.*files with active eviction walks",
                                 "wiredTiger.*score",
                                 "wiredTiger.*history store table*on-disk size",
                                 "wiredTiger.*data handle size",
                                 "wiredTiger.*cursor count",
                                 "wiredTiger.*open session count",
                                 "wiredTiger.*generation",
                                 "wiredTiger.*progress state",
                                 "wiredTiger.*scrub dirty target",
                                 "wiredTiger.*fsync duration for checkpoint*",
                                 "wiredTiger.*stop timing stress active",
                                 "wiredTiger.*range of*pinned*",
                                 "wiredTiger.*timestamp of the oldest*",
                                 "wiredTiger.*total log buffer size",
                                 "wiredTiger.*number of pre-allocated log files to create",
                                 "wiredTiger.*threshold to call fsync"};
constexpr std::array kPathUnits{CounterUnit{"*bytes*", "bytes"}, CounterUnit{"*(usecs)*", "µs"},
                                CounterUnit{"*Micros*", "µs"},   CounterUnit{"*(msecs)*", "ms"},
                                CounterUnit{"*Millis*", "ms"},   CounterUnit{"*pages*", "pages"}};

//! Two or three numbers for each name that the server knows, most of them 0: they come last, for where not all are
//! kept.
constexpr std::array kOfNames{"metrics.commands.", "metrics.aggStageCounters.", "metrics.operatorCounters."};

//! Everything but sections that cost the server most and hold none of these.
constexpr const char* kStatusCommand =
    R"({"serverStatus": 1, "repl": 0, "locks": 0, "tcmalloc": 0, "latchAnalysis": 0})";

constexpr int kMostDepth = 8;

//! Gives each number of a document with its path.
template<class Take>
void eachNumber(bson_iter_t& at, std::string& path, const Take& take, int depth = 0)
{
    const std::size_t before = path.size();
    while (bson_iter_next(&at)) {
        path.resize(before);
        path += (before == 0 ? "" : ".");
        path += bson_iter_key(&at);
        if (BSON_ITER_HOLDS_NUMBER(&at)) {
            take(path, bson_iter_as_double(&at));
        } else if (BSON_ITER_HOLDS_DOCUMENT(&at) && depth < kMostDepth) {
            bson_iter_t inside;
            if (bson_iter_recurse(&at, &inside))
                eachNumber(inside, path, take, depth + 1);
        }
    }
    path.resize(before);
}

template<class Take>
void eachNumberOf(const bson_t& document, const Take& take)
{
    bson_iter_t at;
    std::string path;
    if (bson_iter_init(&at, &document))
        eachNumber(at, path, take);
}

//! Not a number when the server has none.
double numberAt(const bson_t& document, const char* path)
{
    bson_iter_t at;
    bson_iter_t found;
    if (bson_iter_init(&at, &document) && bson_iter_find_descendant(&at, path, &found) &&
        BSON_ITER_HOLDS_NUMBER(&found))
        return bson_iter_as_double(&found);
    return std::numeric_limits<double>::quiet_NaN();
}

} // namespace

std::vector<MainCounter> mainCounters()
{
    return {{CounterRole::ServerCpu, kProcessSource, kProcessCpu},
            {CounterRole::Syncs, "server", "wiredTiger.connection.total fsync I/Os"},
            {CounterRole::DirtyPages, "server", "wiredTiger.cache.tracked dirty bytes in the cache"}};
}

// MongoDB Manual, "serverStatus", says what each of them counts.
std::vector<MoveReading> moveReadings()
{
    return {{"server", "wiredTiger.cache.pages evicted by application threads", true,
             "The cache was full, so the users' own operations had to evict pages from it"},
            {"server", "wiredTiger.transaction.transaction checkpoint currently running", true,
             "A checkpoint was being written"},
            {"server", "metrics.operation.writeConflicts", true,
             "Operations met each other's changes and had to be repeated"},
            {"server", "globalLock.currentQueue.total", true, "Operations queued for a lock"}};
}

//! Versions have WiredTiger's checkpoints in different places.
std::vector<EventRule> eventRules()
{
    return {{.sentence = "checkpoint",
             .counts = {"wiredTiger.transaction.transaction checkpoints",
                        "wiredTiger.checkpoint.total succeed number of checkpoints"}},
            {.sentence = "election called",
             .counts = {"electionMetrics.stepUpCmd.called", "electionMetrics.priorityTakeover.called",
                        "electionMetrics.catchUpTakeover.called", "electionMetrics.electionTimeout.called"}}};
}

std::vector<CounterGroup> counterGroups()
{
    return {{"WiredTiger cache",
             {"server/wiredTiger.cache.bytes currently in the cache",
              "server/wiredTiger.cache.tracked dirty bytes in the cache",
              "server/wiredTiger.cache.bytes read into cache", "server/wiredTiger.cache.bytes written from cache",
              "server/wiredTiger.cache.modified pages evicted", "server/wiredTiger.cache.unmodified pages evicted",
              "server/wiredTiger.cache.pages evicted by application threads",
              "server/wiredTiger.transaction.transaction checkpoint currently running"}},
            {"Locks and tickets",
             {"server/globalLock.currentQueue.total", "server/globalLock.activeClients.total",
              "server/wiredTiger.concurrentTransactions.read.out", "server/wiredTiger.concurrentTransactions.write.out",
              "server/queues.execution.read.out", "server/queues.execution.write.out",
              "server/metrics.operation.writeConflicts"}}};
}

std::vector<CounterInfo> countersOf(const bson_t& status)
{
    std::vector<CounterInfo> counters;
    std::set<std::string, std::less<>> taken;
    for (const Known& known : kKnown) {
        const double value = numberAt(status, known.path);
        if (value != value)
            continue;
        taken.emplace(known.path);
        counters.push_back({"server", known.path, known.unit, known.rate});
    }
    for (const bool ofNames : {false, true}) {
        eachNumberOf(status, [&](const std::string& path, double) {
            const auto begins = [&path](const char* with) { return path.starts_with(with); };
            if (counters.size() < kMostCounters && std::ranges::any_of(kOfNames, begins) == ofNames &&
                taken.insert(path).second)
                counters.push_back(hiddenCounter(path, kLevelPaths, kPathUnits));
        });
    }
    return counters;
}

ServerSelf selfOf(const bson_t& status)
{
    ServerSelf self;
    // A member of a set is known there by a name that may differ from its machine's, and that one without a valid
    // configuration does not tell.
    self.identity = textAt(status, "host");
    self.name = textAt(status, "repl.me");
    if (self.name.empty())
        self.name = self.identity;
    std::string primary = textAt(status, "repl.isWritablePrimary");
    if (primary.empty())
        primary = textAt(status, "repl.ismaster");
    if (!primary.empty())
        self.writes = primary == "true";
    return self;
}

std::vector<CounterInfo> MongodbAdmin::counters()
{
    m_counterPlaces.clear();
    std::vector<CounterInfo> counters;
    const auto status = run(kStatusCommand);
    if (!status)
        return counters;
    counters = countersOf(**status);
    for (std::size_t i = 0; i < counters.size(); ++i)
        m_counterPlaces.emplace(counters[i].name, i);
    return counters;
}

Expected<std::vector<double>> MongodbAdmin::counterValues()
{
    if (m_counterPlaces.empty() && counters().empty()) // the first question on this connection
        return std::vector<double>();
    auto status = run(kStatusCommand);
    if (!status)
        return fail(std::move(status.error()));
    m_self = selfOf(**status);
    std::vector<double> values(m_counterPlaces.size(), std::numeric_limits<double>::quiet_NaN());
    eachNumberOf(**status, [&](const std::string& path, double value) {
        if (const auto place = m_counterPlaces.find(path); place != m_counterPlaces.end())
            values[place->second] = value;
    });
    return values;
}

} // namespace dyno::mongodb
