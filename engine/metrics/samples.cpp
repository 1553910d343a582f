// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/samples.h>

#include <algorithm>
#include <thread>
#include <array>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::array kStatuses = {RunStatus::Pending, RunStatus::Running, RunStatus::Done,
                                  RunStatus::Failed,  RunStatus::Stopped, RunStatus::Cut};

//! From these shares on, a run counts as limited by its load generator; see SummaryBuilder.
constexpr double kHostFull = 0.95;
constexpr double kWaitShare = 0.05;
constexpr double kOwnShare = 0.5;

void mergeInto(OpInterval& sum, const OpInterval& interval)
{
    sum.count += interval.count;
    sum.errors += interval.errors;
    sum.service.merge(interval.service);
    sum.response.merge(interval.response);
}

} // namespace

const char* toText(Phase phase)
{
    switch (phase) {
    case Phase::Prepare:
        return "prepare";
    case Phase::Connect:
        return "connect";
    case Phase::Warmup:
        return "warm-up";
    case Phase::Measure:
        return "measure";
    case Phase::Done:
        return "done";
    }
    return "";
}

const char* toText(RunStatus status)
{
    switch (status) {
    case RunStatus::Pending:
        return "pending";
    case RunStatus::Running:
        return "running";
    case RunStatus::Done:
        return "done";
    case RunStatus::Failed:
        return "failed";
    case RunStatus::Stopped:
        return "stopped";
    case RunStatus::Cut:
        return "cut";
    }
    return "";
}

RunStatus runStatusFromText(std::string_view text)
{
    for (const RunStatus status : kStatuses) {
        if (text == toText(status))
            return status;
    }
    // What a newer version may have written, or a damaged file holds: such a run did not end as it should.
    return RunStatus::Cut;
}

const char* toText(EventKind kind)
{
    switch (kind) {
    case EventKind::Phase:
        return "phase";
    case EventKind::Knob:
        return "knob";
    case EventKind::Stall:
        return "stall";
    case EventKind::Error:
        return "error";
    case EventKind::Reconnect:
        return "reconnect";
    case EventKind::Server:
        return "server";
    case EventKind::Note:
        return "note";
    }
    return "";
}

LatencySummary summarize(const Histogram& histogram)
{
    const auto atMs = [&histogram](double p) { return histogram.percentileNs(p) * 1e-6; };
    return {.meanMs = histogram.meanNs() * 1e-6,
            .p50Ms = atMs(50),
            .p90Ms = atMs(90),
            .p95Ms = atMs(95),
            .p99Ms = atMs(99),
            .p999Ms = atMs(99.9),
            .maxMs = double(histogram.maxNs()) * 1e-6};
}

SummaryBuilder::SummaryBuilder(std::vector<OperationInfo> operations, bool embedded, int cores)
    : m_operations(std::move(operations))
    , m_ops(m_operations.size())
    , m_embedded(embedded)
    , m_cores(cores > 0 ? cores : std::max(1, int(std::thread::hardware_concurrency())))
{}

void SummaryBuilder::add(const IntervalSample& sample)
{
    m_sums.rssBytes = std::max(m_sums.rssBytes, sample.client.rssBytes);
    if (sample.phase != Phase::Measure)
        return;
    const double seconds = double(sample.lengthNs) * 1e-9;
    m_sums.seconds += seconds;
    m_sums.retried += sample.retried;
    m_sums.dropped += sample.dropped;
    m_sums.reconnects += sample.reconnects;
    m_sums.lockWaits += sample.lockWaits;
    for (const auto& [code, count] : sample.errors)
        m_sums.errors[code] += count;
    m_cpuSeconds += sample.client.cpuSeconds;
    m_hostBusySeconds += sample.client.hostBusy * seconds;
    m_schedDelaySeconds += sample.client.schedDelaySeconds;
    m_separateResponse = m_separateResponse || !sample.transaction.response.empty();
    mergeInto(m_transaction, sample.transaction);
    for (std::size_t i = 0; i < std::min(m_ops.size(), sample.ops.size()); ++i)
        mergeInto(m_ops[i], sample.ops[i]);
}

RunSummary SummaryBuilder::summary() const
{
    RunSummary summary = m_sums;
    summary.transactions = m_transaction.count;
    summary.failed = m_transaction.errors;
    summary.service = summarize(m_transaction.service);
    summary.response = m_separateResponse ? summarize(m_transaction.response) : summary.service;
    for (std::size_t i = 0; i < m_operations.size(); ++i) {
        OperationSummary operation{.name = m_operations[i].name,
                                   .opClass = m_operations[i].opClass,
                                   .count = m_ops[i].count,
                                   .errors = m_ops[i].errors,
                                   .service = summarize(m_ops[i].service),
                                   .response = {}};
        operation.response = summarize(m_ops[i].responseOrService());
        summary.queries += operation.count;
        summary.operations.push_back(std::move(operation));
    }
    if (summary.seconds > 0) {
        summary.tps = double(summary.transactions) / summary.seconds;
        summary.qps = double(summary.queries) / summary.seconds;
    }
    const std::uint64_t units = summary.queries != 0 ? summary.queries : summary.transactions;
    if (units != 0)
        summary.cpuUsPerOp = m_cpuSeconds * 1e6 / double(units);

    const double wanted = m_cpuSeconds + m_schedDelaySeconds;
    const double waited = wanted > 0 ? m_schedDelaySeconds / wanted : 0;
    const double busy = summary.seconds > 0 ? m_hostBusySeconds / summary.seconds : 0;
    // A server that fills the machine it shares with the generator is the limit itself.
    const double used = m_hostBusySeconds * m_cores;
    const double own = used > 0 ? m_cpuSeconds / used : 0;
    summary.clientLimited = !m_embedded && busy >= kHostFull && own >= kOwnShare && waited > kWaitShare;
    if (summary.clientLimited) {
        summary.clientReason = fmt::format(
            "the load generator waited for a core {:.0f} % of the time it wanted to run; the machine's cores "
            "were {:.0f} % busy",
            waited * 100, busy * 100);
    }
    return summary;
}

} // namespace dyno
