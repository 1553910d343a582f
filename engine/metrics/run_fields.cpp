// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/run_fields.h>

#include "base/none.h"
#include "metrics/process_event.h"
#include <dyno/formula.h>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace dyno {

namespace {

using Latencies = IntervalColumns::Latency;
constexpr LatencyField kLatencyFields[] = {
    {"mean", "Mean {}", "mean", -1, &LatencySummary::meanMs, nullptr},
    {"p50", "Median {}", "p50", 50, &LatencySummary::p50Ms, &Latencies::p50Ms},
    {"p90", "p90 {}", "p90", 90, &LatencySummary::p90Ms, nullptr},
    {"p95", "p95 {}", "p95", 95, &LatencySummary::p95Ms, &Latencies::p95Ms},
    {"p99", "p99 {}", "p99", 99, &LatencySummary::p99Ms, &Latencies::p99Ms},
    {"p999", "p99.9 {}", "p99.9", 99.9, &LatencySummary::p999Ms, &Latencies::p999Ms},
    {"max", "Longest {}", "max", 100, &LatencySummary::maxMs, &Latencies::maxMs},
    {"min", "Shortest {}", "", 0, &LatencySummary::minMs, nullptr},
};

double sumOf(const std::map<std::int32_t, std::uint64_t>& byCode)
{
    return std::accumulate(byCode.begin(), byCode.end(), 0.0,
                           [](double sum, const auto& one) { return sum + static_cast<double>(one.second); });
}

//! What an hour brings for what it costs, in money or in watt-hours: E18's (ops/s × 3600) / price per hour.
double per(double ratePerSecond, double perHour)
{
    constexpr double kSecondsPerHour = 3600;
    return perHour > 0 ? ratePerSecond * kSecondsPerHour / perHour : kNone;
}

//! What each operation cost, for each row that the run changed.
double perRow(const RunSummary& run, std::optional<double> perOperation)
{
    const double operations = static_cast<double>(run.queries != 0 ? run.queries : run.transactions);
    return perOperation && run.rows > 0 ? *perOperation * operations / static_cast<double>(run.rows) : kNone;
}

MeasureInfo named(std::string id)
{
    MeasureInfo info;
    info.id = std::move(id);
    return info;
}

template<class Member>
IntervalField held(Member member, const char* column, const char* heading, int since, int decimals = 0,
                   IntervalField::Fold fold = IntervalField::Fold::Sum)
{
    return {member, column, heading, decimals, fold, since};
}

std::vector<RunField> makeFields()
{
    using R = const RunSummary&;
    using S = const RunSetting&;
    using Run = RunSummary;
    using Sample = IntervalSample;
    using Client = ClientHealth;
    using Fold = IntervalField::Fold;
    using Topic = RunField::Topic;
    using enum RunField::Column;
    using enum RunField::Parts;
    constexpr PriceNeed kNothing = PriceNeed::Nothing, kCost = PriceNeed::CostPerHour, kWatts = PriceNeed::Watts;

    std::vector<RunField> fields{
        {.info = {"tps", "Throughput", "transactions/s", true},
         .topic = Topic::Throughput,
         .real = &Run::tps,
         .parts = Operations},
        {.info = {"qps", "Operations", "operations/s", true},
         .topic = Topic::Throughput,
         .real = &Run::qps,
         .parts = Operations},
        {.info = {"per_minute", "Transactions per minute", "transactions/min", true},
         .topic = Topic::Throughput,
         .derived = [](R r, S) { return r.tps * kSecondsPerMinute; },
         .of = "tps",
         .parts = Operations},
    };
    for (const bool response : {false, true}) {
        const std::string time = response ? "response" : "service";
        for (const LatencyField& one : kLatencyFields) {
            fields.push_back({.info = {fmt::format("{}_{}", time, one.id),
                                       fmt::format(fmt::runtime(one.label), time + " time"), "ms", false},
                              .topic = response ? Topic::ResponseTime : Topic::ServiceTime,
                              .times = response ? &Run::response : &Run::service,
                              .latency = &one,
                              .zeroIsUnknown = true,
                              .parts = Operations});
        }
    }
    std::vector<RunField> others{
        // Of a run that ends at a number of rows or transactions: how long they took, if it got there. Otherwise as
        // long as was asked for.
        {.info = {"seconds", "Measured time", "s", false},
         .real = &Run::seconds,
         .derived = [](R r, S s) { return s.fellShort || !(r.seconds > 0) ? kNone : r.seconds; }},
        {.info = {"transactions", "Transactions", "transactions", true},
         .count = &Run::transactions,
         .parts = Operations},
        {.info = named("queries"), .count = &Run::queries},
        {.info = {"errors", "Errors", "errors", false},
         .topic = Topic::Errors,
         .derived = [](R r, S) { return sumOf(r.errors); },
         .parts = ErrorCodes},
        {.info = {"errors_per_million", "Errors per million transactions", "errors/million", false},
         .topic = Topic::Errors,
         .derived = [](R r, S) { return errorsPerMillion(sumOf(r.errors), r.transactions); },
         .of = "errors",
         .parts = ErrorCodes},
        {.info = {"failed", "Failed transactions", "transactions", false},
         .topic = Topic::Errors,
         .count = &Run::failed,
         .heading = "failed transactions",
         .column = First,
         .longName = "failed"},
        {.info = named("users"), .interval = held(&Sample::users, "users", "", 1)},
        {.info = {"retried", "Retries", "retries", false},
         .topic = Topic::Errors,
         .count = &Run::retried,
         .inDocument = true,
         .heading = "retried transactions",
         .column = First,
         .longName = "retried",
         .interval = held(&Sample::retried, "retried", "retried transactions", 1)},
        {.info = {"dropped", "Dropped arrivals", "transactions", false},
         .topic = Topic::Errors,
         .count = &Run::dropped,
         .inDocument = true,
         .heading = "dropped arrivals",
         .column = First,
         .longName = "dropped arrivals",
         .interval = held(&Sample::dropped, "dropped", "dropped arrivals", 1)},
        {.info = named("unanswered"),
         .count = &Run::unanswered,
         .storedWhereThere = true,
         .inDocument = true,
         .heading = "unanswered"},
        {.info = named("late"), .count = &Run::late, .storedWhereThere = true, .inDocument = true, .heading = "late"},
        {.info = {"reconnects", "Reconnects", "reconnects", false},
         .topic = Topic::Errors,
         .count = &Run::reconnects,
         .inDocument = true,
         .heading = "reconnects",
         .column = First,
         .longName = "reconnects",
         .interval = held(&Sample::reconnects, "reconnects", "reconnects", 1)},
        {.info = {"lock_waits", "Lock waits in the client library", "waits", false},
         .topic = Topic::Errors,
         .count = &Run::lockWaits,
         .heading = "lock waits",
         .column = First,
         .interval = held(&Sample::lockWaits, "lock_waits", "lock waits", 1)},
        {.info = {"arrivals", "Arrivals", "transactions", true},
         .count = &Run::arrivals,
         .inDocument = true,
         .heading = "arrivals",
         .column = Later,
         .interval = held(&Sample::arrivals, "arrivals", "arrivals", 2)},
        {.info = named("backlog"),
         .count = &Run::backlog,
         .interval = held(&Sample::backlog, "backlog", "backlog", 2, 0, Fold::Last)},
        {.info = {"found", "Found by the search", "transactions/s or users", true},
         .topic = Topic::Throughput,
         .real = &Run::found,
         .zeroIsUnknown = true},
        {.info = {"rows", "Changed rows", "rows", true},
         .count = &Run::rows,
         .parts = Rows,
         .inDocument = true,
         .heading = "changed rows",
         .column = Later,
         .interval = held(&Sample::rows, "changed_rows", "changed rows", 2)},
        {.info = {"rows_per_second", "Changed rows per second", "rows/s", true},
         .topic = Topic::Throughput,
         .derived = [](R r, S) { return r.seconds > 0 ? static_cast<double>(r.rows) / r.seconds : kNone; }},
        {.info = {kRowsReadPerSecond, "Rows read per second", "rows/s", true},
         .topic = Topic::Throughput,
         .derived = [](R r, S s) { return readRate(r, s, &OperationReads::rows); },
         .parts = Operations},
        {.info = {kBytesReadPerSecond, "Bytes read per second", "bytes/s", true},
         .topic = Topic::Throughput,
         .derived = [](R r, S s) { return readRate(r, s, &OperationReads::bytes); },
         .parts = Operations},
        {.info = {"cpu_us_per_row", "Generator CPU per row", "µs/row", false},
         .topic = Topic::Resources,
         .derived = [](R r, S) { return r.cpuUsPerOp > 0 ? perRow(r, r.cpuUsPerOp) : kNone; }},
        {.info = {"server_cpu_us_per_row", "Server CPU per row", "µs/row", false},
         .topic = Topic::Resources,
         .derived = [](R r, S) { return perRow(r, r.serverCpuUsPerOp); },
         .of = "server_cpu_us_per_op"},
        {.info = {"server_switches_per_row", "Server context switches per row", "switches/row", false},
         .topic = Topic::Resources,
         .derived = [](R r, S) { return perRow(r, r.serverSwitchesPerOp); },
         .of = "server_switches_per_op"},
        {.info = {"rollbacks", "Rollbacks by definition", "transactions", true},
         .count = &Run::rollbacks,
         .inDocument = true,
         .heading = "rollbacks",
         .column = Later,
         .interval = held(&Sample::rollbacks, "rollbacks", "rollbacks", 2)},
        {.info = named("cpu_s"), .interval = held(&Client::cpuSeconds, "cpu_s", "generator CPU (s)", 1, 6)},
        {.info = named("allowed_busy"),
         .interval = held(&Client::allowedBusy, "allowed_busy", "allowed cores busy (share)", 2, 4)},
        {.info = named("allowed_cores"), .interval = held(&Client::allowedCores, "allowed_cores", "", 2)},
        {.info = named("busiest_thread"),
         .interval = held(&Client::busiestThread, "busiest_thread", "busiest thread (share)", 2, 4)},
        {.info = named("switches"), .interval = held(&Client::switches, "switches", "context switches", 2)},
        {.info = {"late_starts", "Late starts of the generator", "transactions", false},
         .topic = Topic::Errors,
         .count = &Run::lateStarts,
         .heading = "late starts",
         .column = Later,
         .interval = held(&Client::lateStarts, "late_starts", "late starts", 2)},
        {.info = named("loop_lag_ms"), .interval = held(&Client::loopLagMs, "loop_lag_ms", "loop lag (ms)", 2, 6)},
        {.info = {"cpu_us_per_op", "Generator CPU", "µs/operation", false},
         .topic = Topic::Resources,
         .real = &Run::cpuUsPerOp,
         .zeroIsUnknown = true},
        {.info = {"server_cpu_us_per_op", "Server CPU", "µs/operation", false},
         .topic = Topic::Resources,
         .maybe = &Run::serverCpuUsPerOp},
        {.info = {"server_switches_per_op", "Server context switches", "switches/operation", false},
         .topic = Topic::Resources,
         .maybe = &Run::serverSwitchesPerOp},
        {.info = {kServerInstructionsPerOp, "Server instructions", "instructions/operation", false, kNothing, true},
         .topic = Topic::Resources},
        {.info = {kServerIpc, "Server instructions per cycle", "instructions/cycle", true, kNothing, true, false},
         .topic = Topic::Resources},
        {.info = {kServerTlbMissesPerOp, "Server dTLB load misses", "misses/operation", false, kNothing, true},
         .topic = Topic::Resources},
        {.info = {"process_cpu", "CPU of the processes", "cores", false, kNothing, false, false},
         .topic = Topic::Resources,
         .derived =
             [](R r, S) {
                 double cores = r.processes.empty() ? kNone : 0;
                 for (const ProcessUse& process : r.processes)
                     cores += process.cores;
                 return cores;
             },
         .parts = Processes},
        {.info = {"storage_reads_per_op", "Pages read from storage", "pages/operation", false},
         .topic = Topic::Data,
         .maybe = &Run::storageReadsPerOp},
        {.info = {"recall", "Recall", "share", true}, .topic = Topic::Throughput, .maybe = &Run::recall},
        {.info = {"index_seconds", "Making of the indexes", "s", false},
         .topic = Topic::Data,
         .maybe = &Run::indexSeconds},
        {.info = {"rss_bytes", "Generator memory", "bytes", false},
         .topic = Topic::Resources,
         .count = &Run::rssBytes,
         .zeroIsUnknown = true,
         .interval = held(&Client::rssBytes, "rss_bytes", "generator memory (bytes)", 1, 0, Fold::Largest)},
        {.info = named("host_busy"), .interval = held(&Client::hostBusy, "host_busy", "host busy (share)", 1, 4)},
        {.info = named("sched_delay_s"),
         .interval = held(&Client::schedDelaySeconds, "sched_delay_s", "waiting for a core (s)", 1, 6)},
        {.info = {"tx_per_cost", "Transactions per unit of cost", "transactions/unit of cost", true, kCost},
         .topic = Topic::Cost,
         .derived = [](R r, S s) { return per(r.tps, s.price.costPerHour); }},
        {.info = {"ops_per_cost", "Operations per unit of cost", "operations/unit of cost", true, kCost},
         .topic = Topic::Cost,
         .derived = [](R r, S s) { return per(r.qps, s.price.costPerHour); }},
        {.info = {"tx_per_watt_hour", "Transactions per watt-hour", "transactions/Wh", true, kWatts},
         .topic = Topic::Cost,
         .derived = [](R r, S s) { return per(r.tps, s.price.watts); }},
        {.info = {"ops_per_watt_hour", "Operations per watt-hour", "operations/Wh", true, kWatts},
         .topic = Topic::Cost,
         .derived = [](R r, S s) { return per(r.qps, s.price.watts); }},
        {.info = {"load_retries", "Load retries", "retries", false},
         .topic = Topic::Errors,
         .derived = [](R r, S) { return r.loadRetries ? sumOf(*r.loadRetries) : kNone; }},
        {.info = {"data_bytes", "Data on disk", "bytes", false},
         .topic = Topic::Data,
         .derived = [](R, S s) { return s.dataBytes > 0 ? static_cast<double>(s.dataBytes) : kNone; }},
        {.info = {"index_bytes", "Indexes on disk", "bytes", false},
         .topic = Topic::Data,
         .derived = [](R, S s) { return s.indexBytes > 0 ? static_cast<double>(s.indexBytes) : kNone; }},
        {.info = {"off_page_bytes", "Data outside the rows", "bytes", false},
         .topic = Topic::Data,
         .derived = [](R, S s) { return s.offPageBytes ? static_cast<double>(*s.offPageBytes) : kNone; }},
        {.info = {"column_bytes", "Column on disk", "bytes", false}, .topic = Topic::Data, .parts = Columns},
        {.info = {"column_ratio", "Compression ratio of a column", "times", true},
         .topic = Topic::Data,
         .parts = Columns},
        // Told by intervals only: see figures_of_intervals.cpp.
        {.info = {"exit_rate", "Exit velocity", "rows/s", true, kNothing, true},
         .topic = Topic::Throughput,
         .parts = Rows},
        {.info = {"bytes_written_per_op", "Written to storage", "bytes/operation", false, kNothing, true},
         .topic = Topic::Data},
        {.info = {"bytes_ingested_per_op", "Handed to the engine", "bytes/operation", false, kNothing, true, false},
         .topic = Topic::Data},
        {.info = {"write_amplification", "Write amplification", "bytes/byte", false, kNothing, true},
         .topic = Topic::Data},
        {.info = {"log_bytes_per_tx", "Log of a transaction", "bytes/transaction", false, kNothing, true, false},
         .topic = Topic::Data},
        {.info = {"stalls", "Stalls", "stalls", false, kNothing, true}, .topic = Topic::Stalls},
        {.info = {"dips", "Dips", "dips", false, kNothing, true}, .topic = Topic::Stalls},
        {.info = {"stall_seconds", "Time in stalls and dips", "s", false, kNothing, true}, .topic = Topic::Stalls},
        {.info = {"longest_stall", "Longest stall or dip", "s", false, kNothing, true}, .topic = Topic::Stalls},
        {.info = {"stall_missing", "Missing in stalls and dips", "transactions", false, kNothing, true},
         .topic = Topic::Stalls},
        {.info = {"latency_stalls", "Latency stalls", "stalls", false, kNothing, true}, .topic = Topic::Stalls},
        {.info = {"latency_stall_seconds", "Time in latency stalls", "s", false, kNothing, true},
         .topic = Topic::Stalls},
        {.info = {"link_bytes_per_second", "Bytes over the link", "bytes/s", true, kNothing, true, false},
         .topic = Topic::Server},
        {.info = {"counter", "Counter of the server", "", false, kNothing, true, false},
         .topic = Topic::Server,
         .parts = Counters},
        {.info = {std::string(kFormulaMeasure), "Formula", "", false, kNothing, true, false},
         .topic = Topic::Server,
         .parts = RunField::Parts::Formula},
    };
    std::ranges::move(others, std::back_inserter(fields));
    return fields;
}

} // namespace

std::span<const LatencyField> latencyFields()
{
    return kLatencyFields;
}

double readRate(const RunSummary& run, const RunSetting& setting, double OperationReads::*what,
                std::string_view operation)
{
    double amount = 0, seconds = 0;
    for (const OperationSummary& one : run.operations) {
        if (one.count == 0 || !isSummed(one.opClass) || (!operation.empty() && one.name != operation))
            continue;
        const auto reads = std::ranges::find(setting.reads, one.name, &OperationReads::operation);
        if (reads == setting.reads.end() || !((*reads).*what > 0))
            return kNone;
        amount += static_cast<double>(one.count) * (*reads).*what;
        seconds += static_cast<double>(one.count) * one.service.meanMs * 1e-3;
    }
    return seconds > 0 ? amount / seconds : kNone;
}

double RunField::figure(const RunSummary& run, const RunSetting& setting) const
{
    if (derived)
        return derived(run, setting);
    const double value = count     ? static_cast<double>(run.*count)
                         : real    ? run.*real
                         : maybe   ? (run.*maybe).value_or(kNone)
                         : latency ? run.*times.*latency->member
                                   : kNone;
    return value > 0 || !zeroIsUnknown ? value : kNone;
}

const std::vector<RunField>& runFields()
{
    static const std::vector<RunField> fields = makeFields();
    return fields;
}

const RunField* findRunField(std::string_view id)
{
    const auto found =
        std::ranges::find(runFields(), id, [](const RunField& field) -> const auto& { return field.info.id; });
    return found == runFields().end() ? nullptr : &*found;
}

const std::vector<const RunField*>& intervalFields()
{
    static const std::vector<const RunField*> fields = [] {
        std::vector<const RunField*> list;
        for (const RunField& field : runFields()) {
            if (field.interval.isThere())
                list.push_back(&field);
        }
        std::ranges::stable_sort(list, {}, [](const RunField* field) {
            return std::pair(field->interval.since, field->interval.since == 1 && field->interval.ofClient());
        });
        return list;
    }();
    return fields;
}

} // namespace dyno
