// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/wall_clock.h"
#include "monitor/prometheus/exposition_text.h"

#include <dyno/catalog.h>
#include <dyno/live_metrics.h>
#include <dyno/uri.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

namespace dyno {

namespace {

//! Upper bounds of the histograms' buckets: three a decade from 100 ns (embedded engines) to 100 s. A bucket of ours
//! that lies across one counts above it: it is 1.6 % wide.
constexpr std::array<std::uint64_t, 28> kBoundsNs{
    100,           250,           500,           1'000,          2'500,          5'000,          10'000,
    25'000,        50'000,        100'000,       250'000,        500'000,        1'000'000,      2'500'000,
    5'000'000,     10'000'000,    25'000'000,    50'000'000,     100'000'000,    250'000'000,    500'000'000,
    1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000, 25'000'000'000, 50'000'000'000, 100'000'000'000};
constexpr std::size_t kMostCodes = 200; //!< of errors; a server could make up as many as it likes
constexpr std::array kPhases{Phase::Prepare, Phase::Connect, Phase::Warmup, Phase::Measure, Phase::Done};
constexpr double kNsASecond = 1e9; // divided by: 0.0025 is written, and not what a product makes of it

//! Counts since the process began, in the buckets that are told.
struct TotalTimes
{
    std::array<std::uint64_t, kBoundsNs.size() + 1> counts{}; //!< the last: above all bounds
    std::uint64_t count = 0;
    double seconds = 0;

    void add(const Histogram& times)
    {
        std::size_t bound = 0;
        for (const Histogram::Bucket& bucket : times.buckets()) {
            while (bound < kBoundsNs.size() && hdr::highestOf(bucket.index) > kBoundsNs[bound])
                ++bound;
            counts[bound] += bucket.count;
        }
        count += times.count();
        seconds += double(times.sumNs()) / kNsASecond;
    }
};

struct OperationTotals
{
    OpClass opClass = OpClass::Read;
    std::uint64_t count = 0, errors = 0;
    TotalTimes times;
};

//! Who answers says the scheme, the host and the database: no user, no folder, no options.
std::string publicTarget(const std::string& text)
{
    auto uri = parseUri(text);
    if (!uri)
        return {};
    uri->user.clear();
    uri->query.clear();
    uri->path = std::filesystem::path(uri->path).filename().string();
    return uri->display();
}

//! A text of a plan without what publicTarget() hides: of `uri`, and of whatever else looks like one.
std::string publicText(std::string text, const std::string& uri)
{
    if (!uri.empty()) {
        const std::string told = publicTarget(uri);
        for (std::size_t at = 0; (at = text.find(uri, at)) != std::string::npos; at += told.size())
            text.replace(at, uri.size(), told);
    }
    constexpr std::string_view kSchemeEnd = "://";
    for (std::size_t at = 0; (at = text.find(kSchemeEnd, at)) != std::string::npos;) {
        at += kSchemeEnd.size();
        const std::size_t end = std::min(text.find_first_of(" /,\"\n", at), text.size());
        const std::size_t user = text.rfind('@', end);
        if (user != std::string::npos && user >= at && user < end)
            text.erase(at, user + 1 - at);
    }
    return text;
}

//! What a stranger may read about a point.
struct PointLabels
{
    std::string point, target;
};

//! Of the run that lasts.
struct RunLabels
{
    std::string point, target, repeat, run;
    std::vector<OperationInfo> operations;
    std::vector<CounterInfo> counters;
    std::vector<bool> told; //!< of each counter: it is no exporter's, whose labels are others' to tell
};

struct LiveState
{
    std::string session, title, workload;
    std::size_t runs = 0;
    std::map<RunStatus, std::uint64_t> ended;
    Phase phase = Phase::Prepare;
    bool running = false;
    std::uint64_t transactions = 0, failed = 0, retried = 0, dropped = 0, arrivals = 0, reconnects = 0, rows = 0;
    std::uint64_t lateStarts = 0;
    double cpuSeconds = 0;
    std::map<std::int32_t, std::uint64_t> errors;
    std::uint64_t otherErrors = 0;
    std::map<std::string, OperationTotals> operations;
    TotalTimes response, service;
    std::int64_t sampledMs = 0; //!< when the last interval ended
    // Replaced as a whole, so that whoever reads copies two pointers.
    std::shared_ptr<const RunLabels> run = std::make_shared<RunLabels>();
    std::shared_ptr<const IntervalSample> last; //!< of this run; none yet
};

//! Writes one state down.
class LiveText
{
public:
    explicit LiveText(const LiveState& state)
        : m_state(state)
    {
    }

    std::string write()
    {
        writeRun();
        writeTotals();
        writeOperations();
        writeTimes();
        if (m_state.last)
            writeInterval(*m_state.last);
        writeGenerator();
        if (m_state.last)
            writeSeries(*m_state.last);
        return m_out.text();
    }

private:
    using Labels = ExpositionText::Labels;

    void one(std::string_view name, std::string_view type, std::string_view help, double value, Labels labels = {})
    {
        m_out.metric(name, type, help);
        m_out.sample(value, labels);
    }
    void count(std::string_view name, std::string_view help, std::uint64_t value)
    {
        one(name, "counter", help, double(value));
    }

    void writeRun()
    {
        one("dynobench_build_info", "gauge", "The program that generates the load.", 1,
            {{"version", softwareVersion()}});
        if (m_state.running) {
            const RunLabels& run = *m_state.run;
            one("dynobench_run_info", "gauge", "What is being run; always 1.", 1,
                {{"session", m_state.session},
                 {"title", m_state.title},
                 {"workload", m_state.workload},
                 {"target", run.target},
                 {"point", run.point},
                 {"repeat", run.repeat},
                 {"run", run.run}});
        }
        m_out.metric("dynobench_phase", "gauge", "1 for the phase that the run is in, 0 for the others.");
        for (const Phase phase : kPhases)
            m_out.sample(phase == m_state.phase ? 1 : 0, {{"phase", toText(phase)}});
        one("dynobench_runs", "gauge", "Runs of the session, done or not.", double(m_state.runs));
        m_out.metric("dynobench_runs_ended_total", "counter", "Runs finished, by status.");
        for (const RunStatus status : {RunStatus::Done, RunStatus::Failed, RunStatus::Stopped, RunStatus::Skipped}) {
            const auto ended = m_state.ended.find(status);
            m_out.sample(ended == m_state.ended.end() ? 0 : double(ended->second), {{"status", toText(status)}});
        }
        one("dynobench_users", "gauge", "Users that are connected.", m_state.last ? double(m_state.last->users) : 0.0);
    }

    void writeTotals()
    {
        count("dynobench_transactions_total", "Transactions done, of all runs and phases.", m_state.transactions);
        count("dynobench_transaction_errors_total", "Transactions given up after an error.", m_state.failed);
        count("dynobench_transactions_retried_total", "Transactions started again after an error that passes.",
              m_state.retried);
        count("dynobench_arrivals_total", "Open loop: transactions that were due.", m_state.arrivals);
        count("dynobench_arrivals_dropped_total", "Open loop: arrivals that could not be served.", m_state.dropped);
        count("dynobench_reconnects_total", "Connections made again.", m_state.reconnects);
        count("dynobench_rows_changed_total", "Rows changed and committed.", m_state.rows);
        m_out.metric("dynobench_errors_total", "counter", "Errors by the code that the target gave.");
        for (const auto& [code, number] : m_state.errors)
            m_out.sample(double(number), {{"code", std::to_string(code)}});
        if (m_state.otherErrors > 0)
            m_out.sample(double(m_state.otherErrors), {{"code", "other"}});
    }

    void writeOperations()
    {
        const auto each = [this](std::string_view name, std::string_view help, std::string_view label, bool groups,
                                 std::uint64_t OperationTotals::*value) {
            m_out.metric(name, "counter", help);
            for (const auto& [operation, totals] : m_state.operations) {
                if (isSummed(totals.opClass) != groups)
                    m_out.sample(double(totals.*value), {{label, operation}});
            }
        };
        each("dynobench_operations_total", "Statements and calls done, by kind.", "operation", false,
             &OperationTotals::count);
        each("dynobench_operation_errors_total", "Statements and calls that ended with an error.", "operation", false,
             &OperationTotals::errors);
        each("dynobench_group_transactions_total", "Transactions done, by group of users.", "group", true,
             &OperationTotals::count);
    }

    void histogram(std::string_view name, std::string_view help, const TotalTimes& times)
    {
        m_out.metric(name, "histogram", help);
        std::uint64_t upTo = 0;
        for (std::size_t i = 0; i < kBoundsNs.size(); ++i) {
            upTo += times.counts[i];
            m_out.sample("_bucket", double(upTo), {{"le", expositionNumber(double(kBoundsNs[i]) / kNsASecond)}});
        }
        m_out.sample("_bucket", double(times.count), {{"le", "+Inf"}});
        m_out.sample("_sum", times.seconds);
        m_out.sample("_count", double(times.count));
    }

    //! Two forms of the same: a histogram gives quantiles of any stretch of time, to within its few buckets; a summary
    //! those of the last interval, to within 1.6 %.
    void writeTimes()
    {
        histogram("dynobench_response_seconds", "Transactions by their time from the intended start.",
                  m_state.response);
        histogram("dynobench_service_seconds", "Transactions by their time from the actual start.", m_state.service);
        const IntervalSample* last = m_state.last.get();
        m_out.metric("dynobench_interval_response_seconds", "summary",
                     "Response time of transactions; quantiles cover the last interval, quantile 1 is the longest.");
        summary(last ? &last->transaction.responseOrService() : nullptr, m_state.response);
        m_out.metric("dynobench_interval_service_seconds", "summary",
                     "Service time of transactions; quantiles cover the last interval, quantile 1 is the longest.");
        summary(last ? &last->transaction.service : nullptr, m_state.service);
        operationTimes("dynobench_operation_seconds",
                       "Time of statements and calls, by kind; quantiles are of the last interval.", "operation",
                       false);
        operationTimes("dynobench_group_response_seconds",
                       "Transactions by group of users and their time from the intended start; quantiles are of the "
                       "last interval.",
                       "group", true);
    }

    //! `last`: of the last interval; nullptr where there is none.
    void summary(const Histogram* last, const TotalTimes& totals, std::string_view label = {},
                 std::string_view value = {})
    {
        for (const auto& [name, percentile] : kQuantiles) {
            if (!last || last->empty())
                break;
            const double seconds =
                (percentile >= 100 ? double(last->maxNs()) : last->percentileNs(percentile)) / kNsASecond;
            if (label.empty())
                m_out.sample(seconds, {{"quantile", name}});
            else
                m_out.sample(seconds, {{label, value}, {"quantile", name}});
        }
        for (const auto& [suffix, total] : {std::pair("_sum", totals.seconds), {"_count", double(totals.count)}}) {
            if (label.empty())
                m_out.sample(suffix, total);
            else
                m_out.sample(suffix, total, {{label, value}});
        }
    }

    void operationTimes(std::string_view name, std::string_view help, std::string_view label, bool groups)
    {
        m_out.metric(name, "summary", help);
        std::map<std::string_view, const Histogram*> last;
        const std::vector<OperationInfo>& operations = m_state.run->operations;
        for (std::size_t i = 0; m_state.last && i < std::min(operations.size(), m_state.last->ops.size()); ++i)
            last[operations[i].name] = &m_state.last->ops[i].responseOrService();
        for (const auto& [operation, totals] : m_state.operations) {
            if (isSummed(totals.opClass) == groups)
                continue;
            const auto found = last.find(operation);
            summary(found == last.end() ? nullptr : found->second, totals.times, label, operation);
        }
    }

    void writeInterval(const IntervalSample& last)
    {
        const double seconds = double(last.lengthNs) / kNsASecond;
        one("dynobench_interval_seconds", "gauge", "Length of the last interval.", seconds);
        one("dynobench_interval_end_timestamp_seconds", "gauge", "When it ended, since 1970.",
            double(m_state.sampledMs) / 1e3);
        one("dynobench_transactions_per_second", "gauge", "Throughput of the last interval.",
            seconds > 0 ? double(last.transaction.count) / seconds : 0.0);
        one("dynobench_backlog", "gauge", "Open loop: arrivals that wait for a user.", double(last.backlog));
    }

    void writeGenerator()
    {
        one("dynobench_generator_cpu_seconds_total", "counter", "CPU time of the load generator during intervals.",
            m_state.cpuSeconds);
        count("dynobench_generator_late_starts_total", "Open loop: arrivals taken up late by a free user.",
              m_state.lateStarts);
        if (m_state.last)
            one("dynobench_generator_resident_memory_bytes", "gauge", "Memory of the load generator.",
                double(m_state.last->client.rssBytes));
    }

    void writeSeries(const IntervalSample& last)
    {
        const std::vector<CounterInfo>& counters = m_state.run->counters;
        m_out.metric("dynobench_series", "gauge",
                     "Server and host series of the last interval: levels, and rates a second.");
        std::set<std::tuple<std::string, std::string, std::string>> told; // labels must not repeat
        for (std::size_t i = 0; i < std::min(counters.size(), last.counters.size()); ++i) {
            const CounterInfo& one = counters[i];
            if (m_state.run->told[i] && !std::isnan(last.counters[i]) &&
                told.emplace(one.source, one.name, one.unit).second)
                m_out.sample(last.counters[i], {{"source", one.source},
                                                {"name", one.name},
                                                {"unit", one.unit},
                                                {"kind", one.rate ? "rate" : "level"}});
        }
    }

    static constexpr std::array<std::pair<const char*, double>, 5> kQuantiles{
        {{"0.5", 50}, {"0.95", 95}, {"0.99", 99}, {"0.999", 99.9}, {"1", 100}}};
    const LiveState& m_state;
    ExpositionText m_out;
};

} // namespace

struct LiveMetrics::Private
{
    mutable std::mutex mutex;
    LiveState state; //!< copied for each text
    // Of the session's thread alone:
    std::vector<PointLabels> points;
    std::set<std::string> exporters;
};

LiveMetrics::LiveMetrics()
    : d(std::make_unique<Private>())
{
}

LiveMetrics::~LiveMetrics() = default;

void LiveMetrics::onSessionStarted(const SessionHeader& header)
{
    d->points.clear();
    for (const PointSpec& point : header.points)
        d->points.push_back({publicText(point.label(), point.target.uri), publicTarget(point.target.uri)});
    d->exporters.clear();
    for (const auto& [key, value] : header.plan.set) {
        constexpr std::string_view kExporter = "exporter.";
        if (key.starts_with(kExporter))
            d->exporters.insert(key.substr(kExporter.size()));
    }
    const std::lock_guard lock(d->mutex);
    d->state.session = header.id;
    d->state.title = publicText(header.title, header.plan.target.uri);
    d->state.workload = header.plan.workload.name;
    d->state.runs = header.runs.size();
}

void LiveMetrics::onProgress(const ProgressReport& report)
{
    const std::lock_guard lock(d->mutex);
    d->state.phase = report.phase;
}

void LiveMetrics::onRunStarted(const RunHeader& header)
{
    auto run = std::make_shared<RunLabels>();
    run->repeat = std::to_string(header.repeat);
    run->run = std::to_string(header.index + 1);
    run->operations = header.operations;
    run->counters = header.counters;
    for (const CounterInfo& one : header.counters)
        run->told.push_back(!d->exporters.contains(one.source));
    if (std::size_t(header.point) < d->points.size()) {
        run->point = d->points[std::size_t(header.point)].point;
        run->target = d->points[std::size_t(header.point)].target;
    }
    const std::lock_guard lock(d->mutex);
    for (const OperationInfo& operation : header.operations)
        d->state.operations[operation.name].opClass = operation.opClass;
    d->state.run = std::move(run);
    d->state.last.reset();
    d->state.running = true;
}

void LiveMetrics::onSample(const IntervalSample& sample)
{
    auto copy = std::make_shared<const IntervalSample>(sample); // after the lock, the last one's memory is freed
    const std::lock_guard lock(d->mutex);
    LiveState& state = d->state;
    state.phase = sample.phase;
    state.transactions += sample.transaction.count;
    state.failed += sample.transaction.errors;
    state.retried += sample.retried;
    state.dropped += sample.dropped;
    state.arrivals += sample.arrivals;
    state.reconnects += sample.reconnects;
    state.rows += sample.rows;
    state.lateStarts += sample.client.lateStarts;
    state.cpuSeconds += sample.client.cpuSeconds;
    for (const auto& [code, number] : sample.errors) {
        if (state.errors.size() < kMostCodes || state.errors.contains(code))
            state.errors[code] += number;
        else
            state.otherErrors += number;
    }
    for (std::size_t i = 0; i < std::min(sample.ops.size(), state.run->operations.size()); ++i) {
        OperationTotals& totals = state.operations[state.run->operations[i].name];
        totals.count += sample.ops[i].count;
        totals.errors += sample.ops[i].errors;
        totals.times.add(sample.ops[i].responseOrService());
    }
    state.response.add(sample.transaction.responseOrService());
    state.service.add(sample.transaction.service);
    state.sampledMs = nowMs();
    state.last.swap(copy);
}

void LiveMetrics::onRunFinished(const RunSummary& summary)
{
    const std::lock_guard lock(d->mutex);
    ++d->state.ended[summary.status];
    d->state.running = false;
    d->state.phase = Phase::Done;
    d->state.last.reset();
}

std::string LiveMetrics::text() const
{
    LiveState copy;
    {
        const std::lock_guard lock(d->mutex);
        copy = d->state;
    }
    return LiveText(copy).write();
}

} // namespace dyno
