// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/rocksdb/rocksdb_counters.h"

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
            {kServer, "stall_time", true, "Writes were slowed down until flushes or compactions caught up"},
            {kServer, "level0_files", true, "Files piled up in level 0: compaction fell behind"},
            {kServer, "compaction_bytes_written", true, "Compactions wrote more"},
            {kServer, "flush_bytes_written", true, "Memtables were flushed"},
            {kServer, "block_cache_misses", true, "More blocks were read from files"}};
}

} // namespace dyno
