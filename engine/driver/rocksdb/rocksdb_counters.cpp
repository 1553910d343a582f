// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/rocksdb/rocksdb_counters.h"

#include "driver/counter_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <rocksdb/statistics.h>

namespace dyno {

namespace {

constexpr const char* kServer = "server";

struct Ticker
{
    rocksdb::Tickers ticker;
    const char* name;
    const char* unit;
};

//! Counted up since the database was opened.
constexpr Ticker kTickers[] = {
    {rocksdb::BYTES_WRITTEN, "user_bytes_written", "bytes"},
    {rocksdb::WAL_FILE_BYTES, "wal_bytes_written", "bytes"},
    {rocksdb::WAL_FILE_SYNCED, "wal_syncs", "syncs"},
    {rocksdb::FLUSH_WRITE_BYTES, "flush_bytes_written", "bytes"},
    {rocksdb::COMPACT_READ_BYTES, "compaction_bytes_read", "bytes"},
    {rocksdb::COMPACT_WRITE_BYTES, "compaction_bytes_written", "bytes"},
    {rocksdb::STALL_MICROS, "stall_time", "µs"},
    {rocksdb::BLOCK_CACHE_HIT, "block_cache_hits", "blocks"},
    {rocksdb::BLOCK_CACHE_MISS, "block_cache_misses", "blocks"},
    {rocksdb::MEMTABLE_HIT, "memtable_hits", "reads"},
    {rocksdb::MEMTABLE_MISS, "memtable_misses", "reads"},
    {rocksdb::BLOOM_FILTER_USEFUL, "bloom_filter_useful", "reads"},
};

constexpr std::array kTickerUnits{CounterUnit{"*bytes*", "bytes"}, CounterUnit{"*keys*", "keys"},
                                  CounterUnit{"*micros*", "µs"}, CounterUnit{"*nanos*", "ns"}};

//! The library's other ones, under its own names.
const std::vector<std::pair<rocksdb::Tickers, std::string>>& otherTickers()
{
    static const auto all = [] {
        std::vector<std::pair<rocksdb::Tickers, std::string>> others;
        for (const auto& [ticker, name] : rocksdb::TickersNameMap) {
            const auto isTicker = [id = ticker](const Ticker& one) { return std::uint32_t(one.ticker) == id; };
            if (std::ranges::none_of(kTickers, isTicker))
                others.emplace_back(rocksdb::Tickers(ticker), name);
        }
        return others;
    }();
    return all;
}

struct Level
{
    const std::string& property;
    const char* name;
    const char* unit;
    bool ofFamily; //!< each column family has its own: they are added up
};

//! What holds now.
const std::vector<Level>& levels()
{
    using Properties = rocksdb::DB::Properties;
    static const std::vector<Level> all{
        {Properties::kCurSizeAllMemTables, "memtable_bytes", "bytes", true},
        {Properties::kEstimatePendingCompactionBytes, "pending_compaction_bytes", "bytes", true},
        {Properties::kNumRunningCompactions, "running_compactions", "compactions", false},
        {Properties::kNumRunningFlushes, "running_flushes", "flushes", false},
        {Properties::kActualDelayedWriteRate, "delayed_write_rate", "bytes/s", false},
        {Properties::kIsWriteStopped, "writes_stopped", "", false},
    };
    return all;
}

//! Of each level and of all: under the names that the map of the property "rocksdb.cfstats" has.
struct OfLevel
{
    const char* name;
    const char* unit;
    bool rate;
};
constexpr std::array kOfLevels{
    OfLevel{"NumFiles", "files", false}, OfLevel{"SizeBytes", "bytes", false}, OfLevel{"WriteGB", "GiB", true},
    OfLevel{"WriteAmp", "", false}, //!< the last one: it is no sum
};
constexpr int kLevels = 7; //!< the library's default; one more or less has other places for the same bytes

std::string placeOf(int level)
{
    return level < kLevels ? fmt::format("compaction.L{}", level) : "compaction.Sum";
}

//! How often writes were slowed down or stopped, by cause: the same map's names.
constexpr std::array kStalls{
    "io_stalls.level0_slowdown",
    "io_stalls.level0_numfiles",
    "io_stalls.slowdown_for_pending_compaction_bytes",
    "io_stalls.stop_for_pending_compaction_bytes",
    "io_stalls.memtable_slowdown",
    "io_stalls.memtable_compaction",
};

//! What that map says of all column families together; what it does not have is not a number.
class FamilyStats
{
public:
    explicit FamilyStats(const RocksdbStore& store)
    {
        for (const auto& [name, handle] : store.families()) {
            std::map<std::string, std::string> map;
            if (store.db()->GetMapProperty(handle, rocksdb::DB::Properties::kCFStats, &map))
                add(map);
        }
    }

    [[nodiscard]] double sum(const std::string& name) const
    {
        const auto found = m_sums.find(name);
        return found == m_sums.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    }
    //! Bytes that a level, or all, got written for each that came to it.
    [[nodiscard]] double amplification(const std::string& place) const
    {
        const auto input = m_inputs.find(place);
        return input == m_inputs.end() || input->second <= 0 ? 0 : sum(place + ".WriteGB") / input->second;
    }

private:
    void add(const std::map<std::string, std::string>& map)
    {
        const auto number = [&map](const std::string& name) {
            const auto found = map.find(name);
            return found == map.end() ? std::numeric_limits<double>::quiet_NaN()
                                      : std::strtod(found->second.c_str(), nullptr);
        };
        const auto count = [&](const std::string& name) {
            if (const double value = number(name); std::isfinite(value))
                m_sums[name] += value;
        };
        for (const char* stall : kStalls)
            count(stall);
        for (int level = 0; level <= kLevels; ++level) {
            const std::string place = placeOf(level);
            for (const OfLevel& one : kOfLevels)
                count(fmt::format("{}.{}", place, one.name));
            const double written = number(place + ".WriteGB"), times = number(place + ".WriteAmp");
            if (written > 0 && times > 0)
                m_inputs[place] += written / times; // the map has no such figure
        }
    }

    std::map<std::string, double> m_sums, m_inputs;
};

constexpr const char* kLevelZero = "level0_files";
constexpr const char* kStored = "storage_bytes_written";
constexpr const char* kAmplification = "write_amplification";

//! Bytes that went to storage since the database was opened: by the log, flushes and compactions.
double storedBytes(const rocksdb::Statistics& statistics)
{
    double stored = 0;
    for (const rocksdb::Tickers ticker :
         {rocksdb::WAL_FILE_BYTES, rocksdb::FLUSH_WRITE_BYTES, rocksdb::COMPACT_WRITE_BYTES})
        stored += double(statistics.getTickerCount(ticker));
    return stored;
}

} // namespace

std::vector<CounterInfo> rocksdbCounters()
{
    std::vector<CounterInfo> all;
    for (const Ticker& one : kTickers)
        all.push_back({kServer, one.name, one.unit, true});
    for (const Level& one : levels())
        all.push_back({kServer, one.name, one.unit, false});
    all.push_back({kServer, kLevelZero, "files", false});
    all.push_back({kServer, kStored, "bytes", true});
    all.push_back({kServer, kAmplification, "", false});
    for (int level = 0; level <= kLevels; ++level) {
        for (const OfLevel& one : kOfLevels)
            all.push_back({kServer, fmt::format("{}.{}", placeOf(level), one.name), one.unit, one.rate});
    }
    for (const char* stall : kStalls)
        all.push_back({kServer, stall, "stalls", true});
    for (const auto& [ticker, name] : otherTickers())
        all.push_back(hiddenCounter(name, {}, kTickerUnits));
    return all;
}

std::vector<double> rocksdbCounterValues(const RocksdbStore& store)
{
    std::vector<double> values;
    for (const Ticker& one : kTickers)
        values.push_back(double(store.statistics().getTickerCount(one.ticker)));
    const auto families = store.families();
    for (const Level& one : levels()) {
        std::uint64_t value = 0;
        if (one.ofFamily)
            store.db()->GetAggregatedIntProperty(one.property, &value);
        else
            store.db()->GetIntProperty(one.property, &value);
        values.push_back(double(value));
    }
    double files = 0;
    for (const auto& [name, handle] : families) {
        std::string text;
        if (store.db()->GetProperty(handle, rocksdb::DB::Properties::kNumFilesAtLevelPrefix + "0", &text))
            files += std::strtod(text.c_str(), nullptr);
    }
    values.push_back(files);
    const double user = double(store.statistics().getTickerCount(rocksdb::BYTES_WRITTEN));
    const double stored = storedBytes(store.statistics());
    values.push_back(stored);
    values.push_back(user > 0 ? stored / user : 0); // bytes to storage for each that a user wrote
    const FamilyStats stats(store);
    for (int level = 0; level <= kLevels; ++level) {
        const std::string place = placeOf(level);
        for (const OfLevel& one : kOfLevels) {
            const bool isSum = &one != &kOfLevels.back();
            // A level that has never had a file is not in the map.
            const double value = isSum ? stats.sum(fmt::format("{}.{}", place, one.name)) : stats.amplification(place);
            values.push_back(std::isfinite(value) ? value : 0);
        }
    }
    for (const char* stall : kStalls)
        values.push_back(stats.sum(stall));
    for (const auto& [ticker, name] : otherTickers())
        values.push_back(double(store.statistics().getTickerCount(ticker)));
    return values;
}

std::vector<MainCounter> rocksdbMainCounters()
{
    return {{CounterRole::Syncs, kServer, "wal_syncs"},
            {CounterRole::DirtyPages, kServer, "memtable_bytes"},
            {CounterRole::DiskWrites, kServer, kStored}};
}

std::vector<MoveReading> rocksdbMoveReadings()
{
    return {{kServer, "writes_stopped", true, "Writes stopped until flushes or compactions caught up"},
            {kServer, "io_stalls.memtable_compaction", true, "Writes stopped until a memtable was flushed"},
            {kServer, "io_stalls.level0_numfiles", true, "Writes stopped until compaction had emptied level 0"},
            {kServer, "io_stalls.stop_for_pending_compaction_bytes", true, "Writes stopped until compaction caught up"},
            {kServer, "stall_time", true, "Writes were slowed down until flushes or compactions caught up"},
            {kServer, "level0_files", true, "Files piled up in level 0: compaction fell behind"},
            {kServer, "compaction_bytes_written", true, "Compactions wrote more"},
            {kServer, "flush_bytes_written", true, "Memtables were flushed"},
            {kServer, "block_cache_misses", true, "More blocks were read from files"}};
}

std::vector<EventRule> rocksdbEventRules()
{
    constexpr double kMsOfMicros = 1e-3;
    return {{.sentence = "writes were slowed down or stopped",
             .counts = {"stall_time"},
             .amount = "stall_time",
             .unit = "ms",
             .scale = kMsOfMicros},
            {.sentence = "compaction",
             .counts = {"compaction_bytes_read", "compaction_bytes_written"},
             .amount = "compaction_bytes_written",
             .unit = "bytes"},
            {.sentence = "flush of a memtable",
             .counts = {"flush_bytes_written"},
             .amount = "flush_bytes_written",
             .unit = "bytes"}};
}

std::vector<SnapshotPart> rocksdbSnapshot(const RocksdbStore& store)
{
    std::vector<SnapshotPart> parts;
    for (const auto& [name, handle] : store.families()) {
        std::string text;
        if (store.db()->GetProperty(handle, rocksdb::DB::Properties::kStats, &text))
            parts.push_back({fmt::format("Statistics of {}", name), {}, text + '\n'});
    }
    if (!parts.empty())
        parts.front().brief =
            fmt::format("statistics of {}", parts.size() == 1 ? "a column family" : "column families");
    return parts;
}

std::vector<CounterGroup> rocksdbCounterGroups()
{
    return {{"Compaction",
             {"server/compaction_bytes_written", "server/compaction_bytes_read", "server/flush_bytes_written",
              "server/storage_bytes_written", "server/write_amplification", "server/pending_compaction_bytes",
              "server/running_compactions", "server/level0_files"}},
            {"Stalls",
             {"server/stall_time", "server/writes_stopped", "server/delayed_write_rate",
              "server/io_stalls.memtable_compaction", "server/io_stalls.level0_slowdown",
              "server/io_stalls.slowdown_for_pending_compaction_bytes", "server/memtable_bytes",
              "server/running_flushes"}}};
}

} // namespace dyno
