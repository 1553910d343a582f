// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/rocksdb/rocksdb_options.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <utility>

namespace dyno {

namespace {

//! Where a knob goes.
enum class Place {
    Ours,   //!< not an option that a database is opened with
    Whole,  //!< DBOptions
    Family, //!< ColumnFamilyOptions
    Table,  //!< BlockBasedTableOptions, under names of ours
};

struct Knob
{
    Place place;
    OptionSpec spec;
};

constexpr std::int64_t kMiB = 1 << 20;
constexpr double kMostBytes = 1e15;

OptionSpec flag(const char* name, const char* label, const char* help, bool value, const char* group = "")
{
    return {
        .name = name, .label = label, .help = help, .type = OptionType::Bool, .defaultValue = value, .group = group};
}

OptionSpec choice(const char* name, const char* label, const char* help, std::vector<std::string> choices,
                  const char* value)
{
    return {.name = name,
            .label = label,
            .help = help,
            .type = OptionType::Choice,
            .defaultValue = std::string(value),
            .choices = std::move(choices)};
}

OptionSpec bytes(const char* name, const char* label, const char* help, std::int64_t value, const char* group = "")
{
    return {.name = name,
            .label = label,
            .help = help,
            .type = OptionType::Bytes,
            .defaultValue = value,
            .unit = "bytes",
            .minimum = 0,
            .maximum = kMostBytes,
            .group = group};
}

OptionSpec number(const char* name, const char* label, const char* help, std::int64_t value, double most,
                  const char* unit, const char* group = "")
{
    return {.name = name,
            .label = label,
            .help = help,
            .type = OptionType::Integer,
            .defaultValue = value,
            .unit = unit,
            .minimum = 0,
            .maximum = most,
            .group = group};
}

OptionSpec atLeast(double least, OptionSpec spec)
{
    spec.minimum = least;
    return spec;
}

//! Data on disk have another form with it.
OptionSpec ofData(OptionSpec spec)
{
    spec.affectsData = true;
    return spec;
}

const std::vector<std::string>& compressions()
{
    static const std::vector<std::string> names{"kNoCompression",    "kSnappyCompression", "kLZ4Compression",
                                                "kLZ4HCCompression", "kZlibCompression",   "kZSTD"};
    return names;
}

std::vector<Knob> transactionKnobs()
{
    return {
        {Place::Ours,
         choice("transactions", "Transactions",
                "none collects the writes of a transaction and applies them at once at commit; its reads do not see "
                "them "
                "before. optimistic finds conflicts at commit, pessimistic locks each key that is written.",
                {"none", "optimistic", "pessimistic"}, "none")},
        {Place::Ours, flag("sync", "Sync at commit", "A commit waits until the write-ahead log is on disk.", false)},
        {Place::Ours,
         flag("disable_wal", "No write-ahead log",
              "Writes go to memory only until a memtable is flushed. It cannot be combined with sync.", false)},
        {Place::Ours,
         flag("snapshot", "Snapshot",
              "A transaction reads the state at its begin, and fails as busy when a key that it writes was "
              "changed since. Without transactions it does nothing.",
              true, "advanced")},
        {Place::Ours, number("lock_timeout", "Wait for a lock",
                             "Pessimistic: how long a write waits for a key's lock, in milliseconds, before the "
                             "transaction may be retried.",
                             1000, 3600000, "ms", "advanced")},
        {Place::Ours, flag("deadlock_detect", "Find deadlocks",
                           "Pessimistic: look for a circle of waits at each wait, instead of waiting for the timeout.",
                           false, "advanced")},
        {Place::Ours,
         flag("verify_checksums", "Verify checksums", "Reads check the checksum of each block.", true, "advanced")},
        {Place::Ours,
         flag("fill_cache", "Fill the cache", "Blocks that are read go to the block cache.", true, "advanced")},
    };
}

std::vector<Knob> writeKnobs()
{
    return {
        {Place::Family,
         atLeast(65536, bytes("write_buffer_size", "Memtable",
                              "Size at which a memtable is flushed to a file, for each column family.", 64 * kMiB))},
        {Place::Family, atLeast(2, number("max_write_buffer_number", "Memtables",
                                          "Memtables of a column family at most; writes stop while all are full.", 2,
                                          1000, "memtables"))},
        {Place::Whole, flag("allow_concurrent_memtable_write", "Concurrent memtable writes",
                            "Threads of one write group put their rows into the memtable side by side.", true)},
        {Place::Whole, flag("enable_write_thread_adaptive_yield", "Adaptive yield",
                            "A writer spins a little before it sleeps while it waits for its group.", true)},
        {Place::Whole, flag("enable_pipelined_write", "Pipelined writes",
                            "Log and memtable are written by different groups at the same time.", false)},
        {Place::Whole, flag("unordered_write", "Unordered writes",
                            "Writes become visible in any order: faster, but a snapshot may change while it is read.",
                            false, "advanced")},
        {Place::Whole,
         flag("manual_wal_flush", "Flush the log by hand",
              "The log stays in the program's memory until its buffer is full: a crash of the program loses it.", false,
              "advanced")},
        {Place::Whole, bytes("max_total_wal_size", "Log size",
                             "Size of all logs at which the oldest memtables are flushed; 0 takes four times the "
                             "memtables.",
                             0, "advanced")},
        {Place::Whole,
         bytes("wal_bytes_per_sync", "Log bytes per sync",
               "Ask the system to write the log out after this many bytes; 0 leaves it to the system.", 0, "advanced")},
        {Place::Whole, bytes("bytes_per_sync", "File bytes per sync",
                             "The same for files that flushes and compactions write.", 0, "advanced")},
        {Place::Whole, flag("use_direct_io_for_flush_and_compaction", "Direct writes",
                            "Flushes and compactions pass by the system's page cache.", false, "advanced")},
        {Place::Whole,
         flag("use_direct_reads", "Direct reads", "Reads pass by the system's page cache.", false, "advanced")},
    };
}

std::vector<Knob> compactionKnobs()
{
    return {
        {Place::Whole, atLeast(1, number("max_background_jobs", "Background jobs",
                                         "Flushes and compactions at the same time.", 2, 1000, "jobs"))},
        {Place::Whole, atLeast(1, number("max_subcompactions", "Subcompactions",
                                         "Threads that share one compaction of level 0 into the next.", 1, 1000,
                                         "threads", "advanced"))},
        {Place::Family, atLeast(1, number("level0_file_num_compaction_trigger", "Level 0 files",
                                          "Files in level 0 at which its compaction begins.", 4, 10000, "files"))},
        {Place::Family,
         atLeast(1, number("level0_slowdown_writes_trigger", "Slow down at",
                           "Files in level 0 at which writes are slowed down.", 20, 10000, "files", "advanced"))},
        {Place::Family, atLeast(1, number("level0_stop_writes_trigger", "Stop at",
                                          "Files in level 0 at which writes stop.", 36, 10000, "files", "advanced"))},
        {Place::Family, atLeast(65536, bytes("max_bytes_for_level_base", "Level 1 size",
                                             "Size of level 1; each level after it is "
                                             "ten times as large.",
                                             256 * kMiB))},
        {Place::Family, ofData(atLeast(65536, bytes("target_file_size_base", "File size", "Size of a file in level 1.",
                                                    64 * kMiB, "advanced")))},
        {Place::Family,
         ofData(choice("compaction_style", "Compaction", "How files are merged.",
                       {"kCompactionStyleLevel", "kCompactionStyleUniversal"}, "kCompactionStyleLevel"))},
        {Place::Family,
         choice("compaction_pri", "Compaction order", "Which file of a level is compacted first.",
                {"kByCompensatedSize", "kOldestLargestSeqFirst", "kOldestSmallestSeqFirst", "kMinOverlappingRatio"},
                "kMinOverlappingRatio")},
        {Place::Family, ofData(choice("compression", "Compression", "Compression of blocks in files.", compressions(),
                                      "kSnappyCompression"))},
    };
}

std::vector<Knob> readKnobs()
{
    std::vector<std::string> bottommost = compressions();
    bottommost.insert(bottommost.begin(), "kDisableCompressionOption");
    OptionSpec options{.name = "options",
                       .label = "More options",
                       .help = "Options in the library's own form: name=value;name=value. Only those that are numbers, "
                               "switches or words of the library: no paths, no nested ones.",
                       .affectsData = true,
                       .group = "advanced"};
    OptionSpec blockSize =
        atLeast(1024, bytes("block_size", "Block size", "Data in a block of a file, before compression.", 4096));
    return {
        {Place::Family,
         ofData(choice("bottommost_compression", "Last level",
                       "Compression of the last level; kDisableCompressionOption takes that of the others.",
                       std::move(bottommost), "kDisableCompressionOption"))},
        {Place::Table, bytes("block_cache", "Block cache",
                             "Memory for blocks that were read, of all column families together.", 8 * kMiB)},
        {Place::Table, ofData(std::move(blockSize))},
        {Place::Table, ofData(number("bloom_bits", "Bloom filter",
                                     "Bits for each key in a filter of each file; 0 for "
                                     "none.",
                                     0, 100, "bits"))},
        {Place::Table, std::move(options)},
    };
}

const std::vector<Knob>& knobList()
{
    static const std::vector<Knob> all = [] {
        std::vector<Knob> list;
        for (auto part : {transactionKnobs(), writeKnobs(), compactionKnobs(), readKnobs()})
            list.insert(list.end(), part.begin(), part.end());
        return list;
    }();
    return all;
}

rocksdb::ConfigOptions strict()
{
    rocksdb::ConfigOptions how;
    how.ignore_unknown_options = false;
    how.ignore_unsupported_options = false;
    how.input_strings_escaped = false;
    return how;
}

Error refused(const rocksdb::Status& status, std::string where)
{
    return {ErrorKind::BadInput, fmt::format("RocksDB says: {}", status.ToString()), std::move(where),
            "see `dyno knobs rocksdb`, or the library's options.h"};
}

//! A number, a switch, or a word of the library: what names no place and no program.
bool isPlain(std::string_view value)
{
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view ofWords = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (value == "true" || value == "false")
        return true;
    if (value.starts_with('k'))
        return value.size() > 1 && value.find_first_not_of(ofWords) == std::string_view::npos;
    const std::string_view unsignedPart = value.substr(value.starts_with('-') ? 1 : 0);
    if (unsignedPart.empty() || digits.find(unsignedPart.front()) == std::string_view::npos)
        return false; // "inf" and "nan" are numbers only to the library below
    double number = 0;
    return std::from_chars(value.data(), value.data() + value.size(), number).ptr == value.data() + value.size();
}

RocksdbValues mapOf(const std::string& text)
{
    RocksdbValues values;
    if (!rocksdb::StringToMap(text, &values).ok())
        values.clear();
    return values;
}

RocksdbValues wholeValues(const rocksdb::DBOptions& options)
{
    std::string text;
    return rocksdb::GetStringFromDBOptions(strict(), options, &text).ok() ? mapOf(text) : RocksdbValues();
}

RocksdbValues familyValues(const rocksdb::ColumnFamilyOptions& options)
{
    std::string text;
    return rocksdb::GetStringFromColumnFamilyOptions(strict(), options, &text).ok() ? mapOf(text) : RocksdbValues();
}

RocksdbValues tableValues(const rocksdb::TableFactory& factory)
{
    std::string text;
    return factory.GetOptionString(strict(), &text).ok() ? mapOf(text) : RocksdbValues();
}

//! Sorts the options of a text by where they belong. Only those pass that are plain by default: an option that is empty
//! there may be a path, and one that is a name may be something to load.
struct FreeOptions
{
    RocksdbValues whole, family, table;
};

Expected<FreeOptions> freeOptionsOf(const std::string& text)
{
    const std::string where = "connection.options";
    FreeOptions sorted;
    RocksdbValues given;
    if (const rocksdb::Status read = rocksdb::StringToMap(text, &given); !read.ok())
        return fail(refused(read, where));
    const RocksdbValues whole = wholeValues({}), family = familyValues({});
    const std::unique_ptr<rocksdb::TableFactory> factory(rocksdb::NewBlockBasedTableFactory());
    const RocksdbValues table = tableValues(*factory);
    for (auto& [name, value] : given) {
        if (name == "max_log_file_size" || name == "log_file_time_to_roll")
            return fail(
                {ErrorKind::BadInput,
                 fmt::format("\"{}={}\" is not taken: Dynobench writes the file LOG itself, in one piece", name, value),
                 where, "remove it"});
        const auto at = [&name](const RocksdbValues& values) {
            const auto found = values.find(name);
            return found == values.end() ? nullptr : &found->second;
        };
        const std::string *ofWhole = at(whole), *ofFamily = at(family), *ofTable = at(table);
        const std::string* usual = ofWhole ? ofWhole : ofFamily ? ofFamily : ofTable;
        if (!usual) {
            // The library has the words for what it does not know. It is not asked with a value that names something.
            rocksdb::DBOptions madeWhole;
            rocksdb::ColumnFamilyOptions madeFamily;
            const rocksdb::Status asWhole = rocksdb::GetDBOptionsFromMap(strict(), {}, {{name, "0"}}, &madeWhole);
            const rocksdb::Status asFamily =
                rocksdb::GetColumnFamilyOptionsFromMap(strict(), {}, {{name, "0"}}, &madeFamily);
            if (!asWhole.ok() && !asFamily.ok())
                return fail(refused(asFamily, where));
        }
        if (!usual || !isPlain(*usual) || !isPlain(value))
            return fail({ErrorKind::BadInput,
                         fmt::format("\"{}={}\" is not taken: only options that are numbers, switches or words of the "
                                     "library are",
                                     name, value),
                         where, "remove it"});
        (ofWhole ? sorted.whole : ofFamily ? sorted.family : sorted.table).emplace(name, std::move(value));
    }
    return sorted;
}

Expected<std::shared_ptr<rocksdb::TableFactory>> tableFactoryOf(const Settings& connection, const RocksdbValues& more)
{
    rocksdb::BlockBasedTableOptions table;
    table.block_size = std::size_t(integerOf(connection, "block_size", 4096));
    const std::int64_t cache = integerOf(connection, "block_cache", 8 * kMiB);
    if (cache > 0)
        table.block_cache = rocksdb::NewLRUCache(std::size_t(cache));
    else
        table.no_block_cache = true;
    if (const std::int64_t bits = integerOf(connection, "bloom_bits"); bits > 0)
        table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(double(bits)));
    std::string text;
    for (const auto& [name, value] : more)
        text += fmt::format("{}={};", name, value);
    rocksdb::BlockBasedTableOptions made;
    if (const rocksdb::Status status = rocksdb::GetBlockBasedTableOptionsFromString(strict(), table, text, &made);
        !status.ok())
        return fail(refused(status, "connection.options"));
    return std::shared_ptr<rocksdb::TableFactory>(rocksdb::NewBlockBasedTableFactory(made));
}

} // namespace

OptionSpecs rocksdbOptions()
{
    OptionSpecs specs;
    for (const Knob& knob : knobList())
        specs.push_back(knob.spec);
    return specs;
}

RocksdbTransactions transactionsOf(const Settings& connection)
{
    const std::string how = textOf(connection, "transactions", "none");
    if (how == "optimistic")
        return RocksdbTransactions::Optimistic;
    return how == "pessimistic" ? RocksdbTransactions::Pessimistic : RocksdbTransactions::None;
}

Expected<rocksdb::Options> openOptionsOf(const Settings& connection, const Settings& extra)
{
    std::string text = textOf(connection, "options");
    for (const auto& [name, value] : extra)
        text += fmt::format("{}{}={}", text.empty() ? "" : ";", name, toText(value));
    auto more = freeOptionsOf(text);
    if (!more)
        return fail(more.error());
    RocksdbValues whole, family;
    for (const Knob& knob : knobList()) {
        const auto found = connection.find(knob.spec.name);
        const std::string value = toText(found == connection.end() ? knob.spec.defaultValue : found->second);
        if (knob.place == Place::Whole)
            whole[knob.spec.name] = value;
        else if (knob.place == Place::Family)
            family[knob.spec.name] = value;
    }
    for (auto& [name, value] : more->whole)
        whole[name] = value;
    for (auto& [name, value] : more->family)
        family[name] = value;

    auto table = tableFactoryOf(connection, more->table);
    if (!table)
        return fail(table.error());
    rocksdb::DBOptions wholeMade;
    if (const rocksdb::Status status = rocksdb::GetDBOptionsFromMap(strict(), {}, whole, &wholeMade); !status.ok())
        return fail(refused(status, "connection"));
    rocksdb::ColumnFamilyOptions familyMade;
    if (const rocksdb::Status status = rocksdb::GetColumnFamilyOptionsFromMap(strict(), {}, family, &familyMade);
        !status.ok())
        return fail(refused(status, "connection"));
    rocksdb::Options options(wholeMade, familyMade);
    options.table_factory = std::move(*table);
    options.statistics = rocksdb::CreateDBStatistics();
    // Counters only: times would ask for the clock at each operation.
    options.statistics->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
    return options;
}

std::string openKeyOf(const Settings& connection, const Settings& extra)
{
    std::string key = textOf(connection, "transactions", "none");
    for (const Knob& knob : knobList()) {
        if (knob.place == Place::Ours)
            continue;
        const auto found = connection.find(knob.spec.name);
        key += fmt::format(";{}={}", knob.spec.name,
                           toText(found == connection.end() ? knob.spec.defaultValue : found->second));
    }
    for (const auto& [name, value] : extra)
        key += fmt::format(";{}={}", name, toText(value));
    return key;
}

Settings formOf(const Settings& connection)
{
    Settings form;
    for (const Knob& knob : knobList()) {
        const auto found = connection.find(knob.spec.name);
        if (knob.spec.affectsData)
            form.emplace(knob.spec.name, found == connection.end() ? knob.spec.defaultValue : found->second);
    }
    return form;
}

RocksdbValues valuesOf(const rocksdb::Options& options)
{
    RocksdbValues all = wholeValues(options);
    all.merge(familyValues(options));
    if (options.table_factory)
        all.merge(tableValues(*options.table_factory));
    return all;
}

} // namespace dyno
