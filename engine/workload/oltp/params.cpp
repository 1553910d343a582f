// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/oltp/params.h"

#include "workload/option_makers.h"
#include <dyno/uri_form.h>

#include <fmt/format.h>

#include <algorithm>

namespace dyno::oltp {

namespace {

constexpr std::string_view kSysbenchProfile = "sysbench-1.0.20";
constexpr double kMaxId = 2147483647; // id is an INTEGER
constexpr double kMaxStatements = 10000;
constexpr double kMaxParameters = 10000; // MySQL allows 65 535 in one statement, SQLite 32 766

const char* const kTransaction = "Transaction";
const char* const kTables = "Tables";
const char* const kRandom = "Random numbers";
const char* const kAdvanced = "advanced";

OptionSpec count(std::string name, std::string label, std::string help, std::int64_t value)
{
    return integerOption(std::move(name), std::move(label), std::move(help), value, "statements", 0, kMaxStatements,
                         kTransaction);
}

OptionSpec profileOption()
{
    return choiceOption(
        "profile", "Profile",
        "dynobench: what the workload means to do. sysbench-1.0.20: what that version really does, for comparisons "
        "with its figures: rand_type is special by default, and an error that is not ignored ends the run.",
        "dynobench", {"dynobench", std::string(kSysbenchProfile)}, "");
}

OptionSpec ignoreOption()
{
    return textOption(
        "ignore_errors", "Errors to retry",
        "Error codes (1213, 40P01) after which a transaction is rolled back and begun again, separated by commas, or "
        "\"all\". "
        "Embedded engines also retry when they say busy.",
        "1213,1020,1205", kAdvanced);
}

OptionSpec retrySampleOption()
{
    return choiceOption(
        "retry_sample", "Retries in the latency",
        "inside: a transaction's service time begins with its first attempt, as sysbench counts it. outside: it is "
        "that of the attempt that succeeded; the others are only counted as retried. The response time of an open "
        "loop counts from the arrival either way.",
        "inside", {"inside", "outside"}, kAdvanced);
}

OptionSpecs tableOptions(bool oneTable)
{
    OptionSpecs specs;
    specs.push_back(ofData(integerOption("tables", "Tables", "Number of tables, named sbtest1, sbtest2 and so on.", 1,
                                         "tables", 1, oneTable ? 1 : 100000, "")));
    specs.push_back(ofData(integerOption(
        "table_size", "Rows per table",
        "Number of rows in each table; ids are 1 to this number. A million are about 250 MB in InnoDB, 220 MB in "
        "SQLite.",
        10000, "rows", 1, kMaxId, "")));
    specs.push_back(profileOption());
    return specs;
}

void addTransactionOptions(OptionSpecs& specs)
{
    specs.push_back(choiceOption(
        "table_of_user", "Table of a user",
        "drawn: each group of statements draws one of the tables, as sysbench does it. own: user n uses table n alone, "
        "modulo their number, as when each of several sysbench processes is given a table of its own.",
        "drawn", {"drawn", "own"}, kTransaction));
    specs.push_back(count("point_selects", "Point selects", "SELECTs of one row by id in a transaction.", 10));
    specs.push_back(flagOption("range_selects", "Range selects", "Off leaves out all four kinds of range SELECTs.",
                               true, kTransaction));
    specs.push_back(count("simple_ranges", "Simple ranges", "SELECTs of a range of ids in a transaction.", 1));
    specs.push_back(count("sum_ranges", "Sum ranges", "SELECTs of SUM(k) over a range of ids in a transaction.", 1));
    specs.push_back(
        count("order_ranges", "Ordered ranges", "SELECTs of a range of ids ORDER BY c in a transaction.", 1));
    specs.push_back(count("distinct_ranges", "Distinct ranges",
                          "SELECT DISTINCTs of a range of ids ORDER BY c in a transaction.", 1));
    specs.push_back(
        integerOption("range_size", "Range size",
                      "Ids that a range SELECT spans, in rows; ranges that begin near the end of the table find fewer.",
                      100, "rows", 1, kMaxId, kTransaction));
    specs.push_back(count("index_updates", "Index updates", "UPDATEs of the indexed column k in a transaction.", 1));
    specs.push_back(count("non_index_updates", "Non-index updates", "UPDATEs of the column c in a transaction.", 1));
    specs.push_back(count("delete_inserts", "Delete and insert",
                          "Pairs of a DELETE and an INSERT of the same id in a transaction.", 1));
    specs.push_back(
        flagOption("skip_trx", "No explicit transaction",
                   "On leaves out BEGIN and COMMIT: each statement is a transaction of its own. Needed on document "
                   "stores without transactions.",
                   false, kTransaction));
    specs.push_back(flagOption(
        "reads_outside", "Reads before the transaction",
        "On sends the SELECTs before BEGIN, each a transaction of its own, and only the writes between BEGIN "
        "and COMMIT: what a proxy with a cache may answer itself.",
        false, kTransaction));
    specs.push_back(integerOption("random_points", "Random points", "Values in the IN list of a SELECT.", 10, "values",
                                  1, kMaxParameters, kTransaction));
    specs.push_back(integerOption("number_of_ranges", "Number of ranges", "BETWEEN ranges in a SELECT, joined by OR.",
                                  10, "ranges", 1, kMaxParameters / 2, kTransaction));
    specs.push_back(integerOption("delta", "Range width", "Upper end minus lower end of each BETWEEN range.", 5, "", 0,
                                  kMaxId, kTransaction));
}

void addRandomOptions(OptionSpecs& specs)
{
    specs.push_back(choiceOption(
        "rand_type", "Distribution of ids",
        "Which rows are hit: uniform; gaussian; special (75 % of the draws in a small zone in the middle); pareto and "
        "zipfian (the first ids most). default is uniform, or special in the profile sysbench-1.0.20. As in sysbench "
        "the load draws "
        "column k with it too, and tables keep what they were loaded with: for searches by k load each distribution by "
        "itself.",
        "default", {"default", "uniform", "gaussian", "special", "pareto", "zipfian"}, kRandom));
    specs.push_back(integerOption("rand_spec_iter", "Iterations",
                                  "gaussian and special: uniform numbers averaged for one draw.", 12, "", 1, 100,
                                  kRandom));
    specs.push_back(realOption("rand_spec_pct", "Hot zone", "special: size of the hot zone in percent of the table.", 1,
                               "%", 0, 100, kRandom));
    specs.push_back(realOption("rand_spec_res", "Draws in the hot zone",
                               "special: share of the draws that hit the hot zone, in percent.", 75, "%", 0, 99.999,
                               kRandom));
    specs.push_back(realOption("rand_pareto_h", "Pareto h",
                               "pareto: a share 1 - h of the draws hits a share h of the table; 0.2 is the 80/20 rule.",
                               0.2, "", 1e-6, 1 - 1e-6, kRandom));
    specs.push_back(realOption("rand_zipfian_exp", "Zipfian exponent",
                               "zipfian: the probability of row n falls as n to the power of minus this number.", 0.8,
                               "", 0, 10, kRandom));
}

void addStorageOptions(OptionSpecs& specs)
{
    specs.push_back(ofData(
        flagOption("auto_inc", "Server assigns ids",
                   "On: the id column is AUTO_INCREMENT. Off: the client makes ids; oltp_insert then begins with "
                   "empty tables.",
                   true, kTables)));
    specs.push_back(ofData(flagOption("secondary", "No primary key",
                                      "On: a plain index on id instead of the primary key.", false, kTables)));
    specs.push_back(ofData(flagOption("create_secondary", "Index on k",
                                      "Makes the index k_N on the column k after the load.", true, kTables)));
    specs.push_back(ofData(textOption(
        "storage_engine", "Storage engine",
        "Engine of the tables on MySQL and MariaDB; the table knob engine goes before it.", "innodb", kTables)));
    specs.back().choices = {"innodb", "rocksdb", "aria", "myisam", "memory"};
    specs.push_back(ofData(textOption("create_table_options", "Table options",
                                      "Appended to CREATE TABLE as it is, e.g. ROW_FORMAT=COMPRESSED.", "", kTables)));
    specs.back().risk = kFreeTableOptions;
}

bool common(std::string_view name)
{
    constexpr std::string_view kCommon[] = {"tables",           "table_size",
                                            "profile",          "rand_type",
                                            "rand_spec_iter",   "rand_spec_pct",
                                            "rand_spec_res",    "rand_pareto_h",
                                            "rand_zipfian_exp", "auto_inc",
                                            "secondary",        "create_secondary",
                                            "storage_engine",   "create_table_options",
                                            "ignore_errors",    "retry_sample"};
    return std::ranges::find(kCommon, name) != std::end(kCommon);
}

DistributionSpec distributionOf(const Settings& settings, Profile profile)
{
    DistributionSpec spec;
    const bool compat = profile == Profile::Sysbench1020;
    const DistributionKind byDefault = compat ? DistributionKind::Special : DistributionKind::Uniform;
    spec.kind = distributionFromText(textOf(settings, "rand_type", "default")).value_or(byDefault);
    spec.compat = compat;
    spec.iterations = int(integerOf(settings, "rand_spec_iter", 12));
    spec.specialPercent = realOf(settings, "rand_spec_pct", 1);
    spec.specialShare = realOf(settings, "rand_spec_res", 75);
    spec.paretoH = realOf(settings, "rand_pareto_h", 0.2);
    spec.zipfianExponent = realOf(settings, "rand_zipfian_exp", 0.8);
    return spec;
}

} // namespace

Expected<IgnoredErrors> IgnoredErrors::parse(std::string_view text)
{
    IgnoredErrors list;
    while (!text.empty()) {
        std::string_view item = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), item.size() + 1));
        while (!item.empty() && item.front() == ' ')
            item.remove_prefix(1);
        while (!item.empty() && item.back() == ' ')
            item.remove_suffix(1);
        if (item.empty())
            continue;
        if (item == "all") {
            list.m_all = true;
            continue;
        }
        const std::int32_t code = errorCode(item);
        if (code <= 0)
            return fail({ErrorKind::BadInput, fmt::format("\"{}\" is not an error code", item),
                         "workload.ignore_errors",
                         "list error codes with commas between them, as in 1213,1020,1205, or write all"});
        list.m_codes.push_back(code);
    }
    return list;
}

bool IgnoredErrors::contains(std::int32_t code) const
{
    return m_all || std::ranges::find(m_codes, code) != m_codes.end();
}

OptionSpecs options(std::span<const std::string_view> acting, bool oneTable)
{
    OptionSpecs specs = tableOptions(oneTable);
    addTransactionOptions(specs);
    addRandomOptions(specs);
    addStorageOptions(specs);
    specs.push_back(ignoreOption());
    specs.push_back(retrySampleOption());
    for (OptionSpec& option : specs) {
        if (common(option.name) || std::ranges::find(acting, option.name) != acting.end())
            continue;
        option.group = kAdvanced;
        option.help += " Accepted, but without effect in this workload.";
    }
    // What acts goes first, so that a form's folded part holds the rest.
    std::ranges::stable_partition(specs, [](const OptionSpec& option) { return option.group != kAdvanced; });
    return specs;
}

//! `own`, and of the family's options those that act on the tables, whatever a workload does with them.
OptionSpecs withTables(OptionSpecs own, bool oneTable, bool retries)
{
    for (OptionSpec& option : options({}, oneTable)) {
        const bool ofRetries = option.name == "ignore_errors" || option.name == "retry_sample";
        if (ofRetries ? retries : option.group != kAdvanced)
            own.push_back(std::move(option));
    }
    return own;
}

OptionSpecs analyticOptions()
{
    OptionSpecs specs;
    specs.push_back(choiceOption(
        "query", "Queries",
        "all: one of the four is drawn for each transaction. aggregate: COUNT, SUM, MIN, MAX and AVG. group: the "
        "same kind by the first two digits of c, 100 groups. join: with the next table, by k and id. order: the "
        "first rows by pad, which has no index.",
        "all", {"all", "aggregate", "group", "join", "order"}, ""));
    specs.push_back(integerOption("scan_rows", "Rows of a query",
                                  "Rows that a query reads, from a random id on. 0: the whole table.", 0, "rows", 0,
                                  kMaxId, ""));
    specs.push_back(integerOption("order_limit", "Rows of an order",
                                  "The first rows that the query with an order fetches.", 10, "rows", 1, 1e6,
                                  kTransaction));
    return withTables(std::move(specs), false, true);
}

OptionSpecs ddlOptions()
{
    OptionSpecs specs;
    specs.push_back(integerOption("rounds", "Rounds",
                                  "How often the whole list of steps is done; each step is measured every time.", 3,
                                  "rounds", 1, 1000, ""));
    specs.push_back(choiceOption(
        "algorithm", "Algorithm",
        "The ALGORITHM of the steps that change the copy's columns and indexes, in MySQL and MariaDB. inplace: without "
        "a copy of the table where that can be. copy: row by row into a new table, with writers locked out. default: "
        "the "
        "best that the server can do. A server that cannot do a step that way ends the run with its own words. SQLite "
        "has "
        "no choice.",
        "default", {"default", "inplace", "copy"}, ""));
    return withTables(std::move(specs), true, false);
}

OptionSpecs bulkOptions()
{
    OptionSpecs specs;
    specs.push_back(profileOption());
    OptionSpecs storage;
    addStorageOptions(storage);
    for (OptionSpec& option : storage) {
        if (option.name == "storage_engine" || option.name == "create_table_options")
            specs.push_back(std::move(option));
    }
    specs.push_back(ignoreOption());
    specs.push_back(retrySampleOption());
    return specs;
}

Expected<Params> parse(const Settings& settings)
{
    Params params;
    params.profile = textOf(settings, "profile") == kSysbenchProfile ? Profile::Sysbench1020 : Profile::Dynobench;
    if (params.profile == Profile::Sysbench1020 && textOf(settings, "rand_type") == "zipfian")
        return fail({ErrorKind::BadInput, "sysbench 1.0.20 has no zipfian distribution", "workload.rand_type",
                     "use the profile \"dynobench\", or special or pareto"});
    auto ignored = IgnoredErrors::parse(textOf(settings, "ignore_errors", "1213,1020,1205"));
    if (!ignored)
        return tl::unexpected(ignored.error());
    params.ignored = std::move(*ignored);
    params.retriesInSample = textOf(settings, "retry_sample", "inside") != "outside";
    params.distribution = distributionOf(settings, params.profile);
    const auto number = [&settings](std::string_view name, int fallback) {
        return int(integerOf(settings, name, fallback));
    };
    params.tables = number("tables", params.tables);
    params.ownTable = textOf(settings, "table_of_user") == "own";
    params.tableSize = integerOf(settings, "table_size", params.tableSize);
    params.rangeSize = integerOf(settings, "range_size", params.rangeSize);
    params.pointSelects = number("point_selects", params.pointSelects);
    params.simpleRanges = number("simple_ranges", params.simpleRanges);
    params.sumRanges = number("sum_ranges", params.sumRanges);
    params.orderRanges = number("order_ranges", params.orderRanges);
    params.distinctRanges = number("distinct_ranges", params.distinctRanges);
    params.indexUpdates = number("index_updates", params.indexUpdates);
    params.nonIndexUpdates = number("non_index_updates", params.nonIndexUpdates);
    params.deleteInserts = number("delete_inserts", params.deleteInserts);
    params.rangeSelects = boolOf(settings, "range_selects", params.rangeSelects);
    params.autoInc = boolOf(settings, "auto_inc", params.autoInc);
    params.skipTrx = boolOf(settings, "skip_trx", params.skipTrx);
    params.readsOutside = boolOf(settings, "reads_outside", params.readsOutside);
    params.secondary = boolOf(settings, "secondary", params.secondary);
    params.createSecondary = boolOf(settings, "create_secondary", params.createSecondary);
    params.storageEngine = textOf(settings, "storage_engine", params.storageEngine);
    params.createTableOptions = textOf(settings, "create_table_options", params.createTableOptions);
    params.randomPoints = number("random_points", params.randomPoints);
    params.numberOfRanges = number("number_of_ranges", params.numberOfRanges);
    params.delta = integerOf(settings, "delta", params.delta);
    if (settings.contains("query"))
        params.query = textOf(settings, "query");
    params.analyticRows = integerOf(settings, "scan_rows", params.analyticRows);
    params.orderLimit = integerOf(settings, "order_limit", params.orderLimit);
    params.rounds = number("rounds", params.rounds);
    if (const std::string algorithm = textOf(settings, "algorithm"); algorithm != "default")
        params.algorithm = algorithm;
    return params;
}

} // namespace dyno::oltp
