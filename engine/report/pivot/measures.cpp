// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/report.h>

#include "base/none.h"
#include "report/export/row_rates.h"
#include "report/format.h"
#include "report/pivot/labels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

namespace dyno {

namespace {

//! Not a number: nothing is known of it.
using Getter = double (*)(const RunSummary& run, const RunSetting& setting);

struct Measure
{
    MeasureInfo info;
    Getter get;
};

constexpr double kSecondsPerHour = 3600;

//! What an hour brings for what it costs, in money or in watt-hours.
double per(double ratePerSecond, double perHour)
{
    return perHour > 0 ? ratePerSecond * kSecondsPerHour / perHour : kNone;
}

//! What each operation cost, for each row that the run changed.
double perRow(const RunSummary& run, std::optional<double> perOperation)
{
    const double operations = static_cast<double>(run.queries != 0 ? run.queries : run.transactions);
    return perOperation && run.rows > 0 ? *perOperation * operations / static_cast<double>(run.rows) : kNone;
}

//! 0 stands for "not known" in what a run cannot have none of.
double known(double value)
{
    return value > 0 ? value : kNone;
}

//! The kinds of latency figures; the same for transactions and for one operation kind.
struct LatencyKind
{
    const char* id;
    const char* label; //!< of "service time"
    double LatencySummary::*member;
};
constexpr LatencyKind kLatencies[] = {
    {"mean", "Mean {}", &LatencySummary::meanMs},  {"p50", "Median {}", &LatencySummary::p50Ms},
    {"p90", "p90 {}", &LatencySummary::p90Ms},     {"p95", "p95 {}", &LatencySummary::p95Ms},
    {"p99", "p99 {}", &LatencySummary::p99Ms},     {"p999", "p99.9 {}", &LatencySummary::p999Ms},
    {"max", "Longest {}", &LatencySummary::maxMs}, {"min", "Shortest {}", &LatencySummary::minMs},
};

const std::vector<Measure>& table()
{
    static const std::vector<Measure> list = {
        {{"tps", "Throughput", "transactions/s", true}, [](const RunSummary& r, const RunSetting&) { return r.tps; }},
        {{"qps", "Operations", "operations/s", true}, [](const RunSummary& r, const RunSetting&) { return r.qps; }},
        {{"per_minute", "Transactions per minute", "transactions/min", true},
         [](const RunSummary& r, const RunSetting&) { return r.tps * report::kSecondsPerMinute; }},
        {{"service_mean", "Mean service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.service.meanMs); }},
        {{"service_p50", "Median service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.service.p50Ms); }},
        {{"service_p90", "p90 service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.service.p90Ms); }},
        {{"service_p95", "p95 service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.service.p95Ms); }},
        {{"service_p99", "p99 service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.service.p99Ms); }},
        {{"service_p999", "p99.9 service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.service.p999Ms); }},
        {{"service_max", "Longest service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.service.maxMs); }},
        {{"service_min", "Shortest service time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.service.minMs); }},
        {{"response_mean", "Mean response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.response.meanMs); }},
        {{"response_p50", "Median response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.response.p50Ms); }},
        {{"response_p90", "p90 response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.response.p90Ms); }},
        {{"response_p95", "p95 response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.response.p95Ms); }},
        {{"response_p99", "p99 response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.response.p99Ms); }},
        {{"response_p999", "p99.9 response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.response.p999Ms); }},
        {{"response_max", "Longest response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.response.maxMs); }},
        {{"response_min", "Shortest response time", "ms", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.response.minMs); }},
        // Of a run that ends at a number of rows or transactions: how long they took, if it got there. Otherwise as
        // long as was asked for.
        {{"seconds", "Measured time", "s", false},
         [](const RunSummary& r, const RunSetting& s) { return s.fellShort ? kNone : known(r.seconds); }},
        {{"transactions", "Transactions", "transactions", true},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.transactions); }},
        {{"errors", "Errors", "errors", false},
         [](const RunSummary& r, const RunSetting&) {
             return std::accumulate(r.errors.begin(), r.errors.end(), 0.0, [](double sum, const auto& error) {
                 return sum + static_cast<double>(error.second);
             });
         }},
        {{"failed", "Failed transactions", "transactions", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.failed); }},
        {{"retried", "Retries", "retries", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.retried); }},
        {{"dropped", "Dropped arrivals", "transactions", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.dropped); }},
        {{"reconnects", "Reconnects", "reconnects", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.reconnects); }},
        {{"lock_waits", "Lock waits in the client library", "waits", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.lockWaits); }},
        {{"arrivals", "Arrivals", "transactions", true},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.arrivals); }},
        {{"found", "Found by the search", "transactions/s or users", true},
         [](const RunSummary& r, const RunSetting&) { return known(r.found); }},
        {{"rows", "Changed rows", "rows", true},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.rows); }},
        {{"rows_per_second", "Changed rows per second", "rows/s", true},
         [](const RunSummary& r, const RunSetting&) {
             return r.seconds > 0 ? static_cast<double>(r.rows) / r.seconds : kNone;
         }},
        {{"cpu_us_per_row", "Generator CPU per row", "µs/row", false},
         [](const RunSummary& r, const RunSetting&) { return r.cpuUsPerOp > 0 ? perRow(r, r.cpuUsPerOp) : kNone; }},
        {{"server_cpu_us_per_row", "Server CPU per row", "µs/row", false},
         [](const RunSummary& r, const RunSetting&) { return perRow(r, r.serverCpuUsPerOp); }},
        {{"server_switches_per_row", "Server context switches per row", "switches/row", false},
         [](const RunSummary& r, const RunSetting&) { return perRow(r, r.serverSwitchesPerOp); }},
        {{"rollbacks", "Rollbacks by definition", "transactions", true},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.rollbacks); }},
        {{"late_starts", "Late starts of the generator", "transactions", false},
         [](const RunSummary& r, const RunSetting&) { return static_cast<double>(r.lateStarts); }},
        {{"cpu_us_per_op", "Generator CPU", "µs/operation", false},
         [](const RunSummary& r, const RunSetting&) { return known(r.cpuUsPerOp); }},
        {{"server_cpu_us_per_op", "Server CPU", "µs/operation", false},
         [](const RunSummary& r, const RunSetting&) { return r.serverCpuUsPerOp.value_or(kNone); }},
        {{"server_switches_per_op", "Server context switches", "switches/operation", false},
         [](const RunSummary& r, const RunSetting&) { return r.serverSwitchesPerOp.value_or(kNone); }},
        {{"rss_bytes", "Generator memory", "bytes", false},
         [](const RunSummary& r, const RunSetting&) { return known(static_cast<double>(r.rssBytes)); }},
        // Price::costPerHour is of an hour, and so many seconds are in one: E18's (ops/s × 3600) / price per hour.
        {{"tx_per_cost", "Transactions per unit of cost", "transactions/unit of cost", true, PriceNeed::CostPerHour},
         [](const RunSummary& r, const RunSetting& s) { return per(r.tps, s.price.costPerHour); }},
        {{"ops_per_cost", "Operations per unit of cost", "operations/unit of cost", true, PriceNeed::CostPerHour},
         [](const RunSummary& r, const RunSetting& s) { return per(r.qps, s.price.costPerHour); }},
        {{"tx_per_watt_hour", "Transactions per watt-hour", "transactions/Wh", true, PriceNeed::Watts},
         [](const RunSummary& r, const RunSetting& s) { return per(r.tps, s.price.watts); }},
        {{"ops_per_watt_hour", "Operations per watt-hour", "operations/Wh", true, PriceNeed::Watts},
         [](const RunSummary& r, const RunSetting& s) { return per(r.qps, s.price.watts); }},
        {{"data_bytes", "Data on disk", "bytes", false},
         [](const RunSummary&, const RunSetting& s) { return known(static_cast<double>(s.dataBytes)); }},
        // Told by intervals only: see interval_figures.cpp.
        {{"exit_rate", "Exit velocity", "rows/s", true, PriceNeed::Nothing, true}, nullptr},
        {{"bytes_written_per_op", "Written by the server", "bytes/operation", false, PriceNeed::Nothing, true},
         nullptr},
        {{"counter", "Counter of the server", "", false, PriceNeed::Nothing, true, false}, nullptr},
    };
    return list;
}

//! "service_p95" → its kind; `response` tells which of the two times.
const LatencyKind* latencyOf(std::string_view base, bool* response = nullptr)
{
    for (const bool ofResponse : {false, true}) {
        const std::string_view prefix = ofResponse ? "response_" : "service_";
        if (!base.starts_with(prefix))
            continue;
        if (response)
            *response = ofResponse;
        for (const LatencyKind& kind : kLatencies) {
            if (base.substr(prefix.size()) == kind.id)
                return &kind;
        }
    }
    return nullptr;
}

std::optional<MeasureInfo> partInfo(std::string_view id)
{
    const auto [base, part] = splitMeasure(id);
    if (part.empty())
        return {};
    const auto number = [&part] {
        long long value = 0;
        const auto read = std::from_chars(part.data(), part.data() + part.size(), value);
        return read.ec == std::errc() && read.ptr == part.data() + part.size() ? std::optional(value) : std::nullopt;
    };
    bool response = false;
    if (const LatencyKind* kind = latencyOf(base, &response)) {
        const std::string time = fmt::format(fmt::runtime(kind->label), response ? "response time" : "service time");
        return MeasureInfo{std::string(id), fmt::format("{} of {}", time, part), "ms", false};
    }
    if (base == "qps")
        return MeasureInfo{std::string(id), fmt::format("Operations {}", part), "operations/s", true};
    if (base == "per_minute") {
        // Never tpmC. HammerDB's NOPM counts the new orders that are in the tables; tpcc rolls one in a hundred back.
        const char* const all = part == "new_order" ? ", with those rolled back" : "";
        return MeasureInfo{std::string(id), fmt::format("{} per minute{}", part, all), "operations/min", true};
    }
    if (base == "transactions")
        return MeasureInfo{std::string(id), fmt::format("Number of {}", part), "operations", true};
    if (base == "errors" && number())
        return MeasureInfo{std::string(id), fmt::format("Errors {}", part), "errors", false};
    if (base == "counter")
        return MeasureInfo{std::string(id), part, "", false, PriceNeed::Nothing, true, false};
    if (const auto rows = number(); base == "exit_rate" && rows && *rows > 0) {
        return MeasureInfo{std::string(id),    fmt::format("Exit velocity, last {} rows", report::human(double(*rows))),
                           "rows/s",           true,
                           PriceNeed::Nothing, true};
    }
    if (const auto rows = report::lastRowsOf(id)) {
        return MeasureInfo{
            std::string(id),    fmt::format("Row rate of the last {} rows", report::human(double(*rows))),
            "rows/s",           true,
            PriceNeed::Nothing, true};
    }
    return {};
}

//! What the summary tells of one operation kind or one error code.
double partOf(const RunSummary& run, std::string_view base, std::string_view part)
{
    if (base == "errors") {
        std::int32_t code = 0;
        if (std::from_chars(part.data(), part.data() + part.size(), code).ec != std::errc())
            return kNone;
        const auto found = run.errors.find(code);
        if (found == run.errors.end()) // another tool's count has no codes
            return run.origin.empty() ? 0 : kNone;
        return static_cast<double>(found->second);
    }
    const auto operation = std::find_if(run.operations.begin(), run.operations.end(),
                                        [&part](const OperationSummary& one) { return one.name == part; });
    if (operation == run.operations.end())
        return kNone;
    if (base == "transactions")
        return static_cast<double>(operation->count);
    if (base == "qps" || base == "per_minute") {
        const double unit = base == "qps" ? 1 : report::kSecondsPerMinute;
        return run.seconds > 0 ? static_cast<double>(operation->count) / run.seconds * unit : kNone;
    }
    bool response = false;
    const LatencyKind* kind = latencyOf(base, &response);
    if (!kind || (operation->count == 0 && (!response || operation->times.response.empty())))
        return kNone;
    return known((response ? operation->response : operation->service).*kind->member);
}

} // namespace

std::string report::counterPart(const CounterInfo& counter)
{
    return counter.source == "server" ? counter.name : counter.source + "/" + counter.name;
}

std::optional<report::LatencyFigure> report::latencyFigure(std::string_view base)
{
    bool response = false;
    const LatencyKind* kind = latencyOf(base, &response);
    return kind ? std::optional(LatencyFigure{kind->member, response}) : std::nullopt;
}

bool report::isOfAll(std::string_view measure)
{
    return measure == "seconds" || measure == "exit_rate"; // exit_rate:N is of N rows, whatever the run did before
}

const std::vector<MeasureInfo>& measures()
{
    static const std::vector<MeasureInfo> infos = [] {
        std::vector<MeasureInfo> list;
        for (const Measure& measure : table())
            list.push_back(measure.info);
        return list;
    }();
    return infos;
}

std::pair<std::string, std::string> splitMeasure(std::string_view id)
{
    const std::size_t colon = id.find(':');
    return {std::string(id.substr(0, colon)),
            colon == std::string_view::npos ? std::string() : std::string(id.substr(colon + 1))};
}

const MeasureInfo* findMeasure(std::string_view id)
{
    for (const MeasureInfo& info : measures()) {
        if (info.id == id)
            return &info;
    }
    // Parts are made when they are first asked for and kept: callers hold pointers.
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<MeasureInfo>, std::less<>> parts;
    const std::lock_guard lock(mutex);
    if (const auto found = parts.find(id); found != parts.end())
        return found->second.get();
    auto made = partInfo(id);
    return made ? parts.emplace(std::string(id), std::make_unique<MeasureInfo>(std::move(*made))).first->second.get()
                : nullptr;
}

std::vector<std::string> measureParts(std::string_view base, const std::vector<StoredSession>& sessions)
{
    std::vector<std::string> parts;
    const auto add = [&parts](std::string part) {
        if (std::find(parts.begin(), parts.end(), part) == parts.end())
            parts.push_back(std::move(part));
    };
    const bool operations = base == "qps" || base == "per_minute" || base == "transactions" || latencyOf(base);
    std::uint64_t rows = 0;
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            for (const OperationSummary& operation : run.summary.operations) {
                if (operations && operation.count > 0)
                    add(operation.name);
            }
            for (const auto& [code, count] : run.summary.errors) {
                if (base == "errors")
                    add(std::to_string(code));
            }
            for (const CounterInfo& counter : run.header.counters) {
                if (base == "counter" && counter.source != kStatedSource)
                    add(report::counterPart(counter));
            }
            rows = std::max(rows, run.summary.rows);
        }
    }
    for (std::uint64_t n = 1000; (base == "exit_rate" || base == "rows") && n <= 1'000'000'000 && n < rows; n *= 10) {
        for (const std::uint64_t most : {n, 2 * n, 5 * n}) {
            if (most < rows)
                add(std::to_string(most));
        }
    }
    return parts;
}

namespace {

//! What a run leaves on disk: its tables' files, what the server says of its collections and indexes, or of all its
//! data; what lay there before the run where nothing was read after it.
std::uint64_t dataBytesAfter(const StoredRun& run)
{
    if (!run.aftermath)
        return run.header.dataBytes;
    const auto sum = [&run](std::initializer_list<std::string_view> kinds) {
        std::uint64_t bytes = 0;
        for (const DataPart& part : run.aftermath->dataParts)
            bytes += std::ranges::find(kinds, part.kind) != kinds.end() ? part.bytes : 0;
        return bytes;
    };
    for (const std::uint64_t bytes : {sum({"table"}), sum({"collection", "index"}), sum({"data"})}) {
        if (bytes > 0)
            return bytes;
    }
    return run.header.dataBytes;
}

} // namespace

RunSetting settingOf(const StoredSession& session, const StoredRun& run)
{
    const auto point = static_cast<std::size_t>(run.summary.point);
    RunSetting setting{dataBytesAfter(run), {}, shortfallOf(session, run).has_value()};
    if (run.summary.point >= 0 && point < session.header.points.size())
        setting.price = session.header.points[point].target.price;
    return setting;
}

bool hasPriceFor(const MeasureInfo& measure, const Price& price)
{
    switch (measure.needs) {
    case PriceNeed::CostPerHour:
        return price.costPerHour > 0;
    case PriceNeed::Watts:
        return price.watts > 0;
    case PriceNeed::Nothing:
        break;
    }
    return true;
}

bool hasPriceFor(const MeasureInfo& measure, const std::vector<StoredSession>& sessions)
{
    const auto inOne = [&measure](const PointSpec& point) { return hasPriceFor(measure, point.target.price); };
    return std::any_of(sessions.begin(), sessions.end(), [&inOne](const StoredSession& session) {
        return std::any_of(session.header.points.begin(), session.header.points.end(), inOne);
    });
}

std::vector<std::pair<std::string, double>> pricedMeasures(const RunSummary& run, const RunSetting& setting)
{
    std::vector<std::pair<std::string, double>> figures;
    for (const Measure& one : table()) {
        if (one.info.needs != PriceNeed::Nothing && hasPriceFor(one.info, setting.price))
            figures.emplace_back(one.info.id, one.get(run, setting));
    }
    return figures;
}

std::optional<double> measureOf(const RunSummary& run, const RunSetting& setting, std::string_view measure)
{
    const auto [base, part] = splitMeasure(measure);
    // Another tool's file tells some measures only; a count that it does not tell is no 0.
    if (part.empty() && !run.tells(measure == "per_minute" ? "tps" : measure))
        return std::nullopt;
    double value = part.empty() ? kNone : partOf(run, base, part);
    for (const Measure& candidate : table()) {
        if (candidate.info.id == measure && candidate.get)
            value = candidate.get(run, setting);
    }
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

} // namespace dyno
