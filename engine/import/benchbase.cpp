// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The summary that BenchBase (and OLTP-Bench before it) writes as JSON (util/ResultWriter.java). Latencies are µs.
#include "import/format.h"
#include "import/line_reader.h"
#include "import/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dyno::import {

namespace {

using Json = nlohmann::json;
constexpr std::size_t kMostBytes = 64u << 20;

std::optional<double> number(const Json& json, const char* key)
{
    const auto found = json.find(key);
    if (found == json.end())
        return std::nullopt;
    if (found->is_number())
        return found->get<double>();
    // Some versions write numbers as texts.
    return found->is_string() ? numberOf(found->get<std::string>()) : std::nullopt;
}

std::string text(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? shown(found->get<std::string>(), 80) : std::string();
}

void readLatencies(const Json& json, Run& run)
{
    // Keys say "(microseconds)": the minimum too.
    for (const auto& [key, value] : json.items()) {
        if (!value.is_number())
            continue;
        const double ms = value.get<double>() / 1000;
        const std::string name = key.substr(0, key.find(" ("));
        double percent = 0;
        if (name == "Average Latency")
            run.latency.mean = ms;
        else if (name == "Maximum Latency")
            run.latency.max = ms;
        else if (name == "Median Latency")
            run.latency.p50 = ms;
        else if (!(Scan(name).number(percent) && name.find("Percentile") != std::string::npos &&
                   run.latency.set(percent, ms)))
            run.figure(name, fmt::format("{}", ms), "ms");
    }
}

Expected<void> read(const std::filesystem::path& file, Collector& collector)
{
    const auto content = readWhole(file, kMostBytes);
    if (!content)
        return fail(content.error());
    const Json json = Json::parse(*content, nullptr, false);
    if (!json.is_object()) {
        return fail({ErrorKind::BadInput, "this is no whole JSON object: the file is cut off or of another format",
                     file.string(), "name BenchBase's …summary.json"});
    }
    collector.origin.tool = "BenchBase";
    collector.origin.sample = "transaction, from when a worker took it up";
    collector.origin.precision = "1 µs, every sample kept";
    collector.origin.warmup = "left out";
    Run& run = collector.begin();
    run.clock = Clock::Service;
    run.product = text(json, "DBMS Type");
    run.productVersion = text(json, "DBMS Version");
    run.workload = text(json, "Benchmark Type");
    constexpr double kMostMs = 1e14; // the year 5138
    if (const auto ms = number(json, "Start timestamp (milliseconds)"); ms && *ms > 0 && *ms < kMostMs)
        run.startedMs = std::llround(*ms);
    if (const auto ns = number(json, "Elapsed Time (nanoseconds)"))
        run.seconds = *ns * 1e-9;
    run.transactions = number(json, "Measured Requests").value_or(kNone);
    run.tps = number(json, "Throughput (requests/second)").value_or(kNone);
    if (const auto good = number(json, "Goodput (requests/second)"))
        run.figure("goodput", fmt::format("{}", *good), "requests/s");
    if (const auto terminals = number(json, "terminals"); terminals && *terminals > 0)
        run.users = static_cast<int>(std::min(*terminals, 1e7));
    for (const char* key : {"scalefactor", "Final State", "isolation"}) {
        if (const auto found = json.find(key); found != json.end())
            run.options[key] = parseValue(shown(found->is_string() ? found->get<std::string>() : found->dump(), 80));
    }
    if (const std::string state = text(json, "Final State"); !state.empty() && state != "EXIT" && state != "DONE") {
        run.status = RunStatus::Stopped;
        run.reason = "BenchBase's final state was " + state;
    }
    const auto latencies = json.find("Latency Distribution");
    if (latencies != json.end() && latencies->is_object())
        readLatencies(*latencies, run);
    return {};
}

} // namespace

Format benchbase()
{
    return {.info = {"benchbase", "BenchBase summary", "The summary.json of BenchBase or OLTP-Bench"},
            .recognise = [](const Head& head) -> std::string {
                for (const char* key :
                     {"\"Throughput (requests/second)\"", "\"Measured Requests\"", "\"Latency Distribution\""}) {
                    if (head.text.find(key) == std::string::npos)
                        return {};
                }
                return "it is an object with the keys of BenchBase's summary";
            },
            .document = &read};
}

} // namespace dyno::import
