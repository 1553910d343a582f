// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/ycsb/params.h"

#include "workload/option_makers.h"
#include "workload/ycsb/key.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace dyno::ycsb {

namespace {

const char* const kOperations = "Operations";
const char* const kWhich = "Which records";
const char* const kRecords = "Records";
const char* const kAdvanced = "advanced";

constexpr std::string_view kYcsbProfile = "ycsb-0.17";
constexpr double kLargest = 1e12;

//! The core workloads, workloada … workloadf, and what CoreWorkload does when a property is missing.
struct Core
{
    std::string_view name;
    std::array<double, kOps> shares; //!< in the order of Op
    RequestDistribution requests;
    std::int64_t maxScan;
};
constexpr std::array<Core, 7> kCore{{
    {"a", {0.5, 0.5, 0, 0, 0}, RequestDistribution::Zipfian, 1000},
    {"b", {0.95, 0.05, 0, 0, 0}, RequestDistribution::Zipfian, 1000},
    {"c", {1, 0, 0, 0, 0}, RequestDistribution::Zipfian, 1000},
    {"d", {0.95, 0, 0.05, 0, 0}, RequestDistribution::Latest, 1000},
    {"e", {0, 0, 0.05, 0.95, 0}, RequestDistribution::Zipfian, 100},
    {"f", {0.5, 0, 0, 0, 0.5}, RequestDistribution::Zipfian, 1000},
    {"custom", {0, 0, 0, 0, 0}, RequestDistribution::Uniform, 1000},
}};
constexpr std::array<std::string_view, kOps> kShareNames{"read_proportion", "update_proportion", "insert_proportion",
                                                         "scan_proportion", "read_modify_write_proportion"};
constexpr std::array<std::string_view, 6> kRequests{"uniform", "zipfian",     "latest",
                                                    "hotspot", "exponential", "sequential"};
constexpr std::array<std::string_view, 3> kKeyForms{"hashed", "ordered", "hashed_go"}; // of KeyForm
constexpr std::array<std::string_view, 3> kLengths{"constant", "uniform", "zipfian"};

template<std::size_t n>
std::vector<std::string> textsOf(const std::array<std::string_view, n>& names)
{
    return {names.begin(), names.end()};
}

template<std::size_t n>
std::size_t placeOf(const std::array<std::string_view, n>& names, std::string_view name)
{
    return std::size_t(std::ranges::find(names, name) - names.begin());
}

void addBasic(OptionSpecs& specs)
{
    specs.push_back(
        choiceOption("workload", "Core workload",
                     "a: half reads, half updates. b: 95 % reads, 5 % updates. c: reads only. d: 95 % reads of the "
                     "latest records, 5 % inserts. e: 95 % short scans, 5 % inserts. f: half reads, half "
                     "read-modify-writes. custom: the shares below and nothing else.",
                     "a", {"a", "b", "c", "d", "e", "f", "custom"}, ""));
    specs.push_back(ofData(integerOption("recordcount", "Records",
                                         "Records that the load makes; one with ten fields of 100 "
                                         "characters takes about 1.4 kB.",
                                         1000, "records", 1, kLargest, "")));
    specs.push_back(
        choiceOption("profile", "Profile",
                     "dynobench: what the workload means to do. ycsb-0.17: what that version really does, for "
                     "comparisons with its figures: its zipfian is always that of 10 000 million records, and latest "
                     "never reads the very first record.",
                     "dynobench", {"dynobench", std::string(kYcsbProfile)}, ""));
}

void addOperations(OptionSpecs& specs)
{
    constexpr std::array<const char*, kOps> kLabels{"Share of reads", "Share of updates", "Share of inserts",
                                                    "Share of scans", "Share of read-modify-writes"};
    constexpr std::array<const char*, kOps> kHelp{
        "Reads of one record by its key", "Updates of one record", "Inserts of a new record",
        "Scans of records in the order of their keys", "A read and then an update of the same record, timed as one"};
    for (std::size_t i = 0; i < kOps; ++i)
        specs.push_back(
            realOption(std::string(kShareNames[i]), kLabels[i],
                       fmt::format("{}, against the other shares: 0.5 of 1, or 50 of 100. -1: as the core workload "
                                   "says, none in custom.",
                                   kHelp[i]),
                       -1, "", -1, 1e6, kOperations));
    specs.push_back(flagOption("readallfields", "Read all fields", "Off: a read or scan fetches one random field.",
                               true, kOperations));
    specs.push_back(
        flagOption("writeallfields", "Write all fields", "Off: an update sets one random field.", false, kOperations));
    specs.push_back(integerOption("minscanlength", "Shortest scan", "Least number of records in a scan.", 1, "records",
                                  1, 1e6, kOperations));
    specs.push_back(
        integerOption("maxscanlength", "Longest scan",
                      "Greatest number of records in a scan. 0: as the core workload says, 100 in e and 1000 else.", 0,
                      "records", 0, 1e6, kOperations));
    specs.push_back(choiceOption("scanlengthdistribution", "Length of scans", "Which lengths of scans come how often.",
                                 "uniform", {"uniform", "zipfian"}, kOperations));
}

void addWhich(OptionSpecs& specs)
{
    std::vector<std::string> choices = textsOf(kRequests);
    choices.insert(choices.begin(), "default");
    specs.push_back(
        choiceOption("requestdistribution", "Distribution of requests",
                     "Which records are hit. zipfian: a few, spread over all keys, most of the time. latest: those "
                     "inserted last. hotspot: a part of them by most operations. exponential: the last ones most. "
                     "sequential: one after the other. default: as the core workload says, uniform in custom.",
                     "default", std::move(choices), kWhich));
    specs.push_back(choiceOption(
        "zipfian_form", "Form of zipfian",
        "records: over the records that the load makes; the hottest of 1 million gets 6.5 % of the "
        "requests. ycsb: over 10 000 million ranks that are hashed onto the keys, whatever recordcount is; "
        "the hottest gets 3.8 %. default: what the profile says.",
        "default", {"default", "records", "ycsb"}, kWhich));
    specs.push_back(realOption(
        "zipfian_constant", "Zipfian constant",
        "Exponent of zipfian and latest: rank n is hit as often as n to the power of minus this number says.", 0.99, "",
        0.01, 0.9999, kWhich));
    specs.push_back(realOption("hotspotdatafraction", "Hot records",
                               "hotspot: part of the records that is hot, 0 to 1.", 0.2, "", 0, 1, kWhich));
    specs.push_back(realOption("hotspotopnfraction", "Operations on hot records",
                               "hotspot: part of the operations that goes to the hot records, 0 to 1.", 0.8, "", 0, 1,
                               kWhich));
    specs.push_back(
        realOption("exponential_percentile", "Exponential percentile",
                   "exponential: percentage of the requests that goes to the part of the records named next.", 95, "%",
                   1, 99.999, kWhich));
    specs.push_back(realOption("exponential_frac", "Exponential part", "exponential: that part of the records, 0 to 1.",
                               0.8571428571, "", 1e-6, 1, kWhich));
    specs.push_back(integerOption(
        "operationcount", "Operations expected",
        "zipfian in the form ycsb: keys for twice as many inserts as this number of operations would make "
        "are drawn from the beginning. Does not end a run.",
        0, "operations", 0, kLargest, kAdvanced));
}

void addRecords(OptionSpecs& specs)
{
    specs.push_back(ofData(
        integerOption("fieldcount", "Fields", "Fields of a record beside its key.", 10, "fields", 1, 500, kRecords)));
    specs.push_back(
        ofData(integerOption("fieldlength", "Length of a field",
                             "Characters in a field; the greatest number of them unless the lengths are constant.", 100,
                             "characters", 1, 1 << 20, kRecords)));
    specs.push_back(
        ofData(integerOption("minfieldlength", "Shortest field", "Least number of characters where lengths differ.", 1,
                             "characters", 1, 1 << 20, kAdvanced)));
    specs.push_back(ofData(choiceOption("fieldlengthdistribution", "Lengths of fields", "Which lengths come how often.",
                                        "constant", textsOf(kLengths), kRecords)));
    specs.push_back(ofData(
        flagOption("dataintegrity", "Verify values",
                   "Makes each value from its key and field instead of at random, exactly as YCSB's option of this "
                   "name does, and compares every value that a read, scan or read-modify-write fetches. A wrong "
                   "one is error -409. The comparing costs the load generator CPU time, which the times of reads "
                   "and scans leave out, and those of whole transactions hold.",
                   false, kRecords)));
    specs.push_back(ofData(choiceOption(
        "insertorder", "Order of keys",
        "hashed: keys of records that follow each other lie apart, as YCSB has them. ordered: the key is the "
        "number. hashed_go: as go-ycsb hashes, for data that it loads or is to read.",
        "hashed", textsOf(kKeyForms), kRecords)));
    specs.push_back(
        ofData(integerOption("zeropadding", "Digits of a key", "Zeros go before the number up to this many digits.", 1,
                             "digits", 1, double(kMaxPadding), kAdvanced)));
    specs.push_back(ofData(textOption("table", "Table", "Name of the table, collection or key family.",
                                      std::string("usertable"), kAdvanced)));
}

bool plainName(std::string_view text)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !text.empty() && text.size() <= 60 && std::ranges::all_of(text, plain) &&
           !(text[0] >= '0' && text[0] <= '9');
}

} // namespace

OptionSpecs options()
{
    OptionSpecs specs;
    addBasic(specs);
    addOperations(specs);
    addWhich(specs);
    addRecords(specs);
    return specs;
}

std::vector<Op> opsOf(const Params& params)
{
    std::vector<Op> ops;
    for (std::size_t i = 0; i < kOps; ++i) {
        if (params.shares[i] > 0)
            ops.push_back(Op(i));
    }
    return ops;
}

std::vector<std::string> namesOf(const std::vector<Op>& ops)
{
    std::vector<std::string> names;
    for (const Op op : ops) {
        const std::string_view share = kShareNames[std::size_t(op)];
        names.emplace_back(share.substr(0, share.rfind('_')));
    }
    return names;
}

Expected<Params> parse(const Settings& settings)
{
    Params params;
    const std::string name = textOf(settings, "workload", "a");
    const auto core = std::ranges::find(kCore, name, &Core::name);
    if (core == kCore.end())
        return wrongParameter(fmt::format("YCSB has no core workload \"{}\"", name), "workload",
                              "use a to f, or custom");
    params.shares = core->shares;
    for (std::size_t i = 0; i < kOps; ++i) {
        if (const double given = realOf(settings, kShareNames[i], -1); given >= 0)
            params.shares[i] = given;
    }
    const double sum = std::accumulate(params.shares.begin(), params.shares.end(), 0.0);
    if (!(sum > 0))
        return wrongParameter("the shares of all operations are 0: a transaction would do nothing", "read_proportion",
                              "choose one of the core workloads a to f, or give at least one share a value above 0");
    for (double& share : params.shares)
        share /= sum;

    params.recordCount = integerOf(settings, "recordcount", params.recordCount);
    params.fieldCount = int(integerOf(settings, "fieldcount", params.fieldCount));
    params.fieldLength = integerOf(settings, "fieldlength", params.fieldLength);
    params.minFieldLength = integerOf(settings, "minfieldlength", params.minFieldLength);
    params.fieldLengths =
        LengthDistribution(placeOf(kLengths, textOf(settings, "fieldlengthdistribution", "constant")));
    if (params.minFieldLength > params.fieldLength)
        return wrongParameter(fmt::format("the shortest field has {} characters, the longest {}", params.minFieldLength,
                                          params.fieldLength),
                              "minfieldlength", "make fieldlength the greater of the two");
    constexpr std::int64_t kMaxRecord = 15 << 20; // documents may have 16 MiB
    if (params.fieldLength * params.fieldCount > kMaxRecord)
        return wrongParameter(fmt::format("a record would have {} bytes", params.fieldLength * params.fieldCount),
                              "fieldlength", "stay below 15 MiB, which every kind of target takes");
    params.dataIntegrity = boolOf(settings, "dataintegrity", params.dataIntegrity);
    if (params.dataIntegrity && params.fieldLengths != LengthDistribution::Constant)
        return wrongParameter("values whose lengths are drawn at random cannot be verified", "fieldlengthdistribution",
                              "use constant with dataintegrity, as YCSB does");
    params.readAllFields = boolOf(settings, "readallfields", params.readAllFields);
    params.writeAllFields = boolOf(settings, "writeallfields", params.writeAllFields);

    const bool compat = textOf(settings, "profile") == kYcsbProfile;
    const std::string requests = textOf(settings, "requestdistribution", "default");
    params.requests = requests == "default" ? core->requests : RequestDistribution(placeOf(kRequests, requests));
    const std::string form = textOf(settings, "zipfian_form", "default");
    params.zipfianOfYcsb = form == "default" ? compat : form == "ycsb";
    params.latestOfYcsb = compat;
    params.zipfianConstant = realOf(settings, "zipfian_constant", params.zipfianConstant);
    params.operationCount = integerOf(settings, "operationcount", params.operationCount);
    params.hotspotData = realOf(settings, "hotspotdatafraction", params.hotspotData);
    params.hotspotOperations = realOf(settings, "hotspotopnfraction", params.hotspotOperations);
    params.exponentialPercentile = realOf(settings, "exponential_percentile", params.exponentialPercentile);
    params.exponentialShare = realOf(settings, "exponential_frac", params.exponentialShare);

    params.minScan = integerOf(settings, "minscanlength", params.minScan);
    params.maxScan = integerOf(settings, "maxscanlength", 0);
    if (params.maxScan == 0)
        params.maxScan = std::max(params.minScan, core->maxScan);
    if (params.minScan > params.maxScan)
        return wrongParameter(
            fmt::format("the shortest scan has {} records, the longest {}", params.minScan, params.maxScan),
            "minscanlength", "make maxscanlength the greater of the two");
    params.scanLengths = textOf(settings, "scanlengthdistribution", "uniform") == "zipfian"
                             ? LengthDistribution::Zipfian
                             : LengthDistribution::Uniform;
    params.keys = KeyForm(placeOf(kKeyForms, textOf(settings, "insertorder", "hashed")));
    params.zeroPadding = int(integerOf(settings, "zeropadding", params.zeroPadding));
    params.table = textOf(settings, "table", params.table);
    if (!plainName(params.table))
        return wrongParameter(fmt::format("\"{}\" cannot be the name of a table", params.table), "table",
                              "use letters, digits and _, a letter first, 60 characters at most");
    return params;
}

} // namespace dyno::ycsb
