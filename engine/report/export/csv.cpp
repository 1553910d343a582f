// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/export.h>
#include <dyno/path.h>

#include "report/export/csv_writer.h"
#include "report/export/file_set.h"
#include "report/format.h"
#include "report/pivot/labels.h"
#include <dyno/run_fields.h>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace dyno {

namespace {

using report::CsvWriter;
using report::plain;

//! 6 decimals of a millisecond are nanoseconds.
std::string ms(double value)
{
    return plain(value, 6);
}

std::string seconds(std::int64_t ns)
{
    return plain(static_cast<double>(ns) * 1e-9, 6);
}

void latencyHeader(CsvWriter& csv, std::string_view prefix)
{
    for (const LatencyField& field : latencyFields()) {
        if (*field.heading != '\0')
            csv << fmt::format("{} {} (ms)", prefix, field.heading);
    }
}

//! Empty fields for none.
void latencies(CsvWriter& csv, const LatencySummary* times)
{
    for (const LatencyField& field : latencyFields()) {
        if (*field.heading != '\0')
            csv << (times ? ms(times->*field.member) : std::string());
    }
}

void countHeader(CsvWriter& csv, RunField::Column column)
{
    for (const RunField& field : runFields()) {
        if (*field.heading != '\0' && field.column == column)
            csv << field.heading;
    }
}

//! Empty for what another tool's file does not tell.
void counts(CsvWriter& csv, const RunSummary& run, RunField::Column column)
{
    for (const RunField& field : runFields()) {
        if (*field.heading != '\0' && field.column == column)
            csv << (run.tells(field.info.id) ? std::to_string(run.*field.count) : std::string());
    }
}

//! Columns of what intervals hold, as intervals.csv has them: those of the first version stand before others.
enum class IntervalColumn { Counts, Health, Later, Last };
IntervalColumn columnOf(const IntervalField& field)
{
    constexpr int kLater = 2;
    if (field.since > kLater)
        return IntervalColumn::Last;
    return field.since == kLater ? IntervalColumn::Later
           : field.ofClient()    ? IntervalColumn::Health
                                 : IntervalColumn::Counts;
}

std::vector<const RunField*> fieldsIn(IntervalColumn column)
{
    std::vector<const RunField*> fields;
    for (const RunField* field : intervalFields()) {
        if (*field->interval.heading != '\0' && columnOf(field->interval) == column)
            fields.push_back(field);
    }
    return fields;
}

void intervalHeader(CsvWriter& csv, IntervalColumn column)
{
    for (const RunField* field : fieldsIn(column))
        csv << field->interval.heading;
}

//! One column of what intervals hold, empty for what another tool's file does not tell.
struct ToldColumn
{
    const IntervalField* field;
    bool told;
};

std::vector<ToldColumn> toldColumns(const RunSummary& run, IntervalColumn column)
{
    std::vector<ToldColumn> columns;
    for (const RunField* field : fieldsIn(column))
        columns.push_back({&field->interval, run.tells(field->info.id)});
    return columns;
}

void values(CsvWriter& csv, const IntervalSample& sample, const std::vector<ToldColumn>& columns)
{
    for (const auto& [field, told] : columns) {
        std::string text;
        if (told) {
            field->with(sample, [&text, decimals = field->decimals](auto value) {
                if constexpr (std::is_same_v<decltype(value), double>)
                    text = plain(value, decimals);
                else
                    text = std::to_string(value);
            });
        }
        csv << text;
    }
}

//! Empty where nothing was done: that has no time.
std::string percentileText(const Histogram& times, double percentile)
{
    return times.empty() ? std::string() : ms(percentileMs(times, percentile));
}

//! Empty fields for what the plan does not say.
void prices(CsvWriter& csv, const RunSummary& run, const RunSetting& setting)
{
    const Price& price = setting.price;
    const auto given = [](bool is, const std::string& text) { return is ? text : std::string(); };
    csv << given(price.costPerHour > 0, fmt::format("{}", price.costPerHour))
        << given(price.costPerHour > 0, price.currency) << given(price.watts > 0, fmt::format("{}", price.watts));
    for (const char* measure : {"tx_per_cost", "ops_per_cost", "tx_per_watt_hour", "ops_per_watt_hour"}) {
        const auto figure = measureOf(run, setting, measure);
        csv << given(figure.has_value(), plain(figure.value_or(0), 3));
    }
}

template<class Map>
std::uint64_t sumOf(const Map& errors)
{
    return std::accumulate(errors.begin(), errors.end(), std::uint64_t(0),
                           [](std::uint64_t sum, const auto& error) { return sum + error.second; });
}

//! True when another tool's file tells some latency of this kind.
bool tellsAny(const RunSummary& run, std::string_view kind)
{
    return std::ranges::any_of(run.told, [kind](const std::string& measure) { return measure.starts_with(kind); });
}

//! All kinds of operations of the runs, in order of appearance; or those that have rows: a group's nobody counts.
std::vector<std::string> operationNames(const StoredSession& session, bool withGroups = true)
{
    std::vector<std::string> operations;
    for (const StoredRun& run : session.runs) {
        for (const OperationSummary& operation : run.summary.operations) {
            if (!withGroups && operation.opClass == OpClass::Group)
                continue;
            if (std::find(operations.begin(), operations.end(), operation.name) == operations.end())
                operations.push_back(operation.name);
        }
    }
    return operations;
}

//! Likewise of the phases of their loads.
std::vector<std::string> phaseNames(const StoredSession& session)
{
    std::vector<std::string> phases;
    for (const StoredRun& run : session.runs) {
        for (const PhaseSummary& phase : run.summary.phases) {
            if (std::ranges::find(phases, phase.name) == phases.end())
                phases.push_back(phase.name);
        }
    }
    return phases;
}

//! Of each phase: seconds, transactions, throughput, two latencies, errors.
void phasesOfRun(CsvWriter& csv, const RunSummary& run, const std::vector<std::string>& phases)
{
    for (const std::string& name : phases) {
        const auto found = std::ranges::find(run.phases, name, &PhaseSummary::name);
        if (found == run.phases.end()) {
            for (int column = 0; column < 6; ++column)
                csv << "";
            continue;
        }
        const bool any = found->transactions > 0;
        csv << plain(found->seconds, 3) << found->transactions << plain(found->tps(), 3)
            << (any ? ms(found->service.p95Ms) : std::string())
            << (any || !found->times.response.empty() ? ms(found->response.p95Ms) : std::string()) << found->failed;
    }
}

//! What has columns of its own.
struct ColumnsOf
{
    std::vector<std::string> axes, operations, phases;
    std::vector<std::string> rows; //!< of these operations
    bool withDisk = false;         //!< columns that only sessions with limits of devices have
};

void headOfRuns(CsvWriter& csv, const ColumnsOf& columns)
{
    csv << "session"
        << "run"
        << "point";
    for (const std::string& axis : columns.axes)
        csv << axis;
    csv << "repeat"
        << "target"
        << "product"
        << "version"
        << "status"
        << "reason"
        << "measured (s)"
        << "transactions"
        << "throughput (transactions/s)"
        << "operations"
        << "operations (1/s)";
    countHeader(csv, RunField::Column::First);
    csv << "errors";
    latencyHeader(csv, "service");
    latencyHeader(csv, "response");
    csv << "generator CPU (µs/operation)"
        << "generator memory (bytes)"
        << "client limited"
        << "client reason"
        << "data (bytes)";
    for (const std::string& name : columns.operations)
        csv << name + " (count)" << name + " errors" << name + " service mean (ms)" << name + " service p95 (ms)";
    // later than the rest: at the end, so that the others stay where they were
    countHeader(csv, RunField::Column::Later);
    csv << "found"
        << "warm-up (s)"
        << "warm-up moved"
        << "cost (currency/h)"
        << "currency"
        << "power (W)"
        << "transactions per unit of cost"
        << "operations per unit of cost"
        << "transactions per watt-hour"
        << "operations per watt-hour"
        << "server CPU (µs/operation)"
        << "server context switches (1/operation)"
        << "failed at"
        << "what helps"
        << "sitting";
    countHeader(csv, RunField::Column::Last);
    csv << "path";
    for (const std::string& name : columns.phases)
        csv << name + " measured (s)" << name + " transactions" << name + " throughput (transactions/s)"
            << name + " service p95 (ms)" << name + " response p95 (ms)" << name + " failed";
    for (const DeviceLimitInfo& limit : columns.withDisk ? deviceLimits() : std::vector<DeviceLimitInfo>())
        csv << fmt::format("{} ({})", limit.name, limit.bytes ? "bytes/s" : "1/s");
    for (const std::string& name : columns.rows)
        csv << name + " rows";
    csv.endRow();
}

void rowOfRun(CsvWriter& csv, const StoredSession& session, const StoredRun& run, const ColumnsOf& columns)
{
    const RunSummary& s = run.summary;
    // Empty for what another tool's file does not tell.
    const auto count = [&s](const char* measure, std::uint64_t value) {
        return s.tells(measure) ? std::to_string(value) : std::string();
    };
    const auto index = static_cast<std::size_t>(run.header.point);
    const PointSpec point = index < session.header.points.size() ? session.header.points[index] : PointSpec();
    csv << session.info.id << run.header.index + 1 << run.header.point + 1;
    for (const std::string& axis : columns.axes)
        csv << report::caseLabel(point, axis);
    csv << run.header.repeat << redactUri(point.target.uri) << run.header.server.product << run.header.server.version
        << toText(s.status) << s.reason << (s.origin.empty() || s.seconds > 0 ? plain(s.seconds, 3) : std::string())
        << count("transactions", s.transactions) << plain(s.tps, 3) << count("queries", s.queries) << plain(s.qps, 3);
    counts(csv, s, RunField::Column::First);
    csv << count("errors", sumOf(s.errors));
    const bool ours = s.origin.empty(); // another tool's file may tell times without a count
    for (const LatencySummary* times : {&s.service, &s.response}) {
        const bool any =
            !ours || s.transactions > 0 || (times == &s.response && (s.unanswered > 0 || !s.times.response.empty()));
        latencies(csv, any ? times : nullptr);
    }
    csv << plain(s.cpuUsPerOp, 3) << count("rss_bytes", s.rssBytes)
        << (!s.origin.empty() ? ""
            : s.clientLimited ? "yes"
                              : "no")
        << s.clientReason << count("data_bytes", settingOf(session, run).dataBytes);
    for (const std::string& name : columns.operations) {
        const auto found = std::find_if(s.operations.begin(), s.operations.end(),
                                        [&name](const OperationSummary& o) { return o.name == name; });
        if (found == s.operations.end())
            csv << ""
                << ""
                << ""
                << "";
        else
            csv << found->count << found->errors << (found->count > 0 ? ms(found->service.meanMs) : std::string())
                << (found->count > 0 ? ms(found->service.p95Ms) : std::string());
    }
    counts(csv, s, RunField::Column::Later);
    csv << (s.found > 0 ? plain(s.found, 3) : std::string())
        << (run.knowsWarmupEnd() ? seconds(run.warmupEndNs) : std::string()) << (run.warmupMoved() ? "yes" : "no");
    prices(csv, s, settingOf(session, run));
    for (const auto& figure : {s.serverCpuUsPerOp, s.serverSwitchesPerOp})
        csv << (figure ? plain(*figure, 3) : std::string());
    csv << s.place << s.remedy << s.sitting;
    counts(csv, s, RunField::Column::Last);
    csv << (ours ? point.target.path : std::string());
    phasesOfRun(csv, s, columns.phases);
    for (const DeviceLimitInfo& limit : columns.withDisk ? deviceLimits() : std::vector<DeviceLimitInfo>())
        csv << (run.header.device && limit.value(*run.header.device) > 0 ? plain(limit.value(*run.header.device), 3)
                                                                         : std::string());
    for (const std::string& name : columns.rows) {
        const auto found = std::ranges::find(s.operations, name, &OperationSummary::name);
        csv << (found != s.operations.end() && found->rows ? std::to_string(*found->rows) : std::string());
    }
    csv.endRow();
}

} // namespace

std::string runsCsv(const StoredSession& session)
{
    const ColumnsOf columns{axesOf({session}), operationNames(session), phaseNames(session),
                            operationNames(session, false), !disksOf(session).empty()};
    CsvWriter csv;
    headOfRuns(csv, columns);
    for (const StoredRun& run : session.runs)
        rowOfRun(csv, session, run, columns);
    return csv.take();
}

std::string intervalsCsv(const StoredRun& run, const std::vector<IntervalSample>& intervals)
{
    CsvWriter csv;
    csv << "start (s)"
        << "length (s)"
        << "phase"
        << "users"
        << "transactions"
        << "throughput (transactions/s)"
        << "failed transactions";
    intervalHeader(csv, IntervalColumn::Counts);
    csv << "errors";
    latencyHeader(csv, "service");
    latencyHeader(csv, "response");
    intervalHeader(csv, IntervalColumn::Health);
    for (const OperationInfo& operation : run.header.operations) {
        csv << operation.name + " (count)" << operation.name + " errors" << operation.name + " service p95 (ms)";
    }
    intervalHeader(csv, IntervalColumn::Later);
    std::vector<std::size_t> shown; // counters
    for (std::size_t i = 0; i < run.header.counters.size(); ++i) {
        if (!run.header.counters[i].hidden)
            shown.push_back(i);
    }
    for (const std::size_t i : shown) {
        const CounterInfo& counter = run.header.counters[i];
        csv << fmt::format("{} {} ({}{})", counter.source, counter.name, counter.unit, counter.rate ? "/s" : "");
    }
    for (const OperationInfo& operation : run.header.operations)
        csv << operation.name + " service p90 (ms)" << operation.name + " response p90 (ms)";
    csv << "kept from the cores";
    intervalHeader(csv, IntervalColumn::Last);
    csv.endRow();
    // Of another tool's run only what its file tells; the generator was not ours.
    const RunSummary& summary = run.summary;
    const bool own = summary.origin.empty();
    const auto count = [&summary](const char* measure, std::uint64_t value) {
        return summary.tells(measure) ? std::to_string(value) : std::string();
    };
    const auto spread = [&](std::string_view kind, const Histogram& histogram) {
        const bool any = !histogram.empty() && (own || tellsAny(summary, kind));
        const LatencySummary times = any ? summarize(histogram) : LatencySummary();
        latencies(csv, any ? &times : nullptr);
    };
    const auto inFirst = toldColumns(summary, IntervalColumn::Counts),
               ofHealth = toldColumns(summary, IntervalColumn::Health),
               later = toldColumns(summary, IntervalColumn::Later), last = toldColumns(summary, IntervalColumn::Last);
    for (const IntervalSample& s : intervals) {
        const double length = static_cast<double>(s.lengthNs) * 1e-9;
        csv << seconds(s.tNs) << seconds(s.lengthNs) << toText(s.phase)
            << (own || s.users > 0 ? std::to_string(s.users) : std::string())
            << count("transactions", s.transaction.count)
            << (summary.tells("transactions")
                    ? plain(length > 0 ? static_cast<double>(s.transaction.count) / length : 0, 3)
                    : std::string())
            << count("failed", s.transaction.errors);
        values(csv, s, inFirst);
        csv << count("errors", sumOf(s.errors));
        spread("service", s.transaction.service);
        spread("response", s.transaction.responseOrService());
        values(csv, s, ofHealth);
        for (std::size_t i = 0; i < run.header.operations.size(); ++i) {
            const OpInterval none;
            const OpInterval& op = i < s.ops.size() ? s.ops[i] : none;
            csv << op.count << op.errors << percentileText(op.service, 95);
        }
        values(csv, s, later);
        for (const std::size_t i : shown)
            csv << (i < s.counters.size() ? plain(s.counters[i], 3) : std::string());
        for (std::size_t i = 0; i < run.header.operations.size(); ++i) {
            const OpInterval none;
            const OpInterval& op = i < s.ops.size() ? s.ops[i] : none;
            for (const Histogram* times : {&op.service, &op.responseOrService()})
                csv << percentileText(*times, 90);
        }
        csv << (!own ? "" : summary.starvation.holds(s.tNs) ? "yes" : "no");
        values(csv, s, last);
        csv.endRow();
    }
    return csv.take();
}

Expected<std::vector<std::filesystem::path>> exportCsv(Library& library, const StoredSession& session,
                                                       const std::filesystem::path& dir)
{
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    if (error) {
        return fail({ErrorKind::Storage, fmt::format("the folder cannot be made ({})", error.message()), dir.string(),
                     "choose another folder"});
    }
    FileSet files;
    for (const auto& [name, text] :
         {std::pair("runs.csv", runsCsv(session)), std::pair("runs-long.csv", runsLongCsv(session))}) {
        if (auto written = files.add(dir / name, text); !written)
            return fail(std::move(written.error()));
    }
    for (const StoredRun& run : session.runs) {
        const auto intervals = library.intervals(run.id);
        if (!intervals)
            return fail(intervals.error());
        const auto file = dir / fmt::format("intervals-{}.csv", run.header.index + 1);
        if (auto written = files.add(file, intervalsCsv(run, *intervals)); !written)
            return fail(std::move(written.error()));
    }
    return files.finish();
}

} // namespace dyno
