// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/export.h>

#include "report/export/csv_writer.h"
#include "report/export/file_set.h"
#include "report/format.h"
#include "report/pivot/labels.h"

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

constexpr const char* kLatencies[] = {"mean", "p50", "p90", "p95", "p99", "p99.9", "max"};

void latencyHeader(CsvWriter& csv, std::string_view prefix)
{
    for (const char* name : kLatencies)
        csv << fmt::format("{} {} (ms)", prefix, name);
}

void latencies(CsvWriter& csv, const LatencySummary& l)
{
    csv << ms(l.meanMs) << ms(l.p50Ms) << ms(l.p90Ms) << ms(l.p95Ms) << ms(l.p99Ms) << ms(l.p999Ms) << ms(l.maxMs);
}

void noLatencies(CsvWriter& csv)
{
    for (std::size_t i = 0; i < std::size(kLatencies); ++i)
        csv << "";
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

} // namespace

std::string runsCsv(const StoredSession& session)
{
    const std::vector<std::string> axes = axesOf({session});
    std::vector<std::string> operations;
    for (const StoredRun& run : session.runs) {
        for (const OperationSummary& operation : run.summary.operations) {
            if (std::find(operations.begin(), operations.end(), operation.name) == operations.end())
                operations.push_back(operation.name);
        }
    }
    CsvWriter csv;
    csv << "session"
        << "run"
        << "point";
    for (const std::string& axis : axes)
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
        << "operations (1/s)"
        << "failed transactions"
        << "retried transactions"
        << "dropped arrivals"
        << "reconnects"
        << "lock waits"
        << "errors";
    latencyHeader(csv, "service");
    latencyHeader(csv, "response");
    csv << "generator CPU (µs/operation)"
        << "generator memory (bytes)"
        << "client limited"
        << "client reason"
        << "data (bytes)";
    for (const std::string& name : operations)
        csv << name + " (count)" << name + " errors" << name + " service mean (ms)" << name + " service p95 (ms)";
    // later than the rest: at the end, so that the others stay where they were
    csv << "arrivals"
        << "changed rows"
        << "rollbacks"
        << "late starts"
        << "found"
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
        << "sitting"
        << "unanswered"
        << "late";
    csv.endRow();

    for (const StoredRun& run : session.runs) {
        const RunSummary& s = run.summary;
        // Empty for what another tool's file does not tell.
        const auto count = [&s](const char* measure, std::uint64_t value) {
            return s.tells(measure) ? std::to_string(value) : std::string();
        };
        const auto index = static_cast<std::size_t>(run.header.point);
        const PointSpec point = index < session.header.points.size() ? session.header.points[index] : PointSpec();
        csv << session.info.id << run.header.index + 1 << run.header.point + 1;
        for (const std::string& axis : axes)
            csv << report::caseLabel(point, axis);
        csv << run.header.repeat << redactUri(point.target.uri) << run.header.server.product
            << run.header.server.version << toText(s.status) << s.reason
            << (s.origin.empty() || s.seconds > 0 ? plain(s.seconds, 3) : std::string())
            << count("transactions", s.transactions) << plain(s.tps, 3) << count("queries", s.queries)
            << plain(s.qps, 3) << count("failed", s.failed) << count("retried", s.retried)
            << count("dropped", s.dropped) << count("reconnects", s.reconnects) << count("lock_waits", s.lockWaits)
            << count("errors", sumOf(s.errors));
        const bool ours = s.origin.empty(); // another tool's file may tell times without a count
        for (const LatencySummary* times : {&s.service, &s.response}) {
            const bool any = !ours || s.transactions > 0 ||
                             (times == &s.response && (s.unanswered > 0 || !s.times.response.empty()));
            any ? latencies(csv, *times) : noLatencies(csv);
        }
        csv << plain(s.cpuUsPerOp, 3) << count("rss_bytes", s.rssBytes)
            << (!s.origin.empty() ? ""
                : s.clientLimited ? "yes"
                                  : "no")
            << s.clientReason << count("data_bytes", settingOf(session, run).dataBytes);
        for (const std::string& name : operations) {
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
        csv << count("arrivals", s.arrivals) << count("rows", s.rows) << count("rollbacks", s.rollbacks)
            << count("late_starts", s.lateStarts) << (s.found > 0 ? plain(s.found, 3) : std::string())
            << (run.knowsWarmupEnd() ? seconds(run.warmupEndNs) : std::string()) << (run.warmupMoved() ? "yes" : "no");
        prices(csv, s, settingOf(session, run));
        for (const auto& figure : {s.serverCpuUsPerOp, s.serverSwitchesPerOp})
            csv << (figure ? plain(*figure, 3) : std::string());
        csv << s.place << s.remedy << s.sitting << (ours ? std::to_string(s.unanswered) : std::string())
            << (ours ? std::to_string(s.late) : std::string());
        csv.endRow();
    }
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
        << "failed transactions"
        << "retried transactions"
        << "dropped arrivals"
        << "reconnects"
        << "lock waits"
        << "errors";
    latencyHeader(csv, "service");
    latencyHeader(csv, "response");
    csv << "generator CPU (s)"
        << "generator memory (bytes)"
        << "host busy (share)"
        << "waiting for a core (s)";
    for (const OperationInfo& operation : run.header.operations) {
        csv << operation.name + " (count)" << operation.name + " errors" << operation.name + " service p95 (ms)";
    }
    csv << "arrivals"
        << "backlog"
        << "changed rows"
        << "rollbacks"
        << "allowed cores busy (share)"
        << "busiest thread (share)"
        << "context switches"
        << "late starts"
        << "loop lag (ms)";
    for (const CounterInfo& counter : run.header.counters)
        csv << fmt::format("{} {} ({}{})", counter.source, counter.name, counter.unit, counter.rate ? "/s" : "");
    for (const OperationInfo& operation : run.header.operations)
        csv << operation.name + " service p90 (ms)" << operation.name + " response p90 (ms)";
    csv << "kept from the cores";
    csv.endRow();
    // Of another tool's run only what its file tells; the generator was not ours.
    const RunSummary& summary = run.summary;
    const bool own = summary.origin.empty();
    const auto count = [&summary](const char* measure, std::uint64_t value) {
        return summary.tells(measure) ? std::to_string(value) : std::string();
    };
    const auto spread = [&](std::string_view kind, const Histogram& histogram) {
        if (!histogram.empty() && (own || tellsAny(summary, kind)))
            return latencies(csv, summarize(histogram));
        noLatencies(csv);
    };
    const auto generator = [own](const std::string& text) { return own ? text : std::string(); };
    for (const IntervalSample& s : intervals) {
        const double length = static_cast<double>(s.lengthNs) * 1e-9;
        csv << seconds(s.tNs) << seconds(s.lengthNs) << toText(s.phase)
            << (own || s.users > 0 ? std::to_string(s.users) : std::string())
            << count("transactions", s.transaction.count)
            << (summary.tells("transactions")
                    ? plain(length > 0 ? static_cast<double>(s.transaction.count) / length : 0, 3)
                    : std::string())
            << count("failed", s.transaction.errors) << count("retried", s.retried) << count("dropped", s.dropped)
            << count("reconnects", s.reconnects) << count("lock_waits", s.lockWaits)
            << count("errors", sumOf(s.errors));
        spread("service", s.transaction.service);
        spread("response", s.transaction.responseOrService());
        csv << generator(plain(s.client.cpuSeconds, 6)) << generator(std::to_string(s.client.rssBytes))
            << generator(plain(s.client.hostBusy, 4)) << generator(plain(s.client.schedDelaySeconds, 6));
        for (std::size_t i = 0; i < run.header.operations.size(); ++i) {
            const OpInterval none;
            const OpInterval& op = i < s.ops.size() ? s.ops[i] : none;
            csv << op.count << op.errors << percentileText(op.service, 95);
        }
        csv << count("arrivals", s.arrivals) << generator(fmt::format("{}", s.backlog)) << count("rows", s.rows)
            << count("rollbacks", s.rollbacks) << generator(plain(s.client.allowedBusy, 4))
            << generator(plain(s.client.busiestThread, 4)) << generator(fmt::format("{}", s.client.switches))
            << generator(fmt::format("{}", s.client.lateStarts)) << generator(plain(s.client.loopLagMs, 6));
        for (std::size_t i = 0; i < run.header.counters.size(); ++i)
            csv << (i < s.counters.size() ? plain(s.counters[i], 3) : std::string());
        for (std::size_t i = 0; i < run.header.operations.size(); ++i) {
            const OpInterval none;
            const OpInterval& op = i < s.ops.size() ? s.ops[i] : none;
            for (const Histogram* times : {&op.service, &op.responseOrService()})
                csv << percentileText(*times, 90);
        }
        csv << generator(summary.starvation.holds(s.tNs) ? "yes" : "no");
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
