// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/samples.h>

#include <dyno/run_fields.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <thread>

namespace dyno {

namespace {

//! From these shares on, a run counts as limited by its load generator; see ClientVerdict.
constexpr double kFull = 0.95;            //!< of the machine's cores, of those allowed, of a thread
constexpr double kWaitShare = 0.05;       //!< of the time its threads wanted to run, on a full machine
constexpr double kPinnedWaitShare = 0.20; //!< the same, on a part of the machine
constexpr double kOwnShare = 0.5;
constexpr double kLateShare = 0.01;
constexpr double kStarvedShare = 0.01; //!< of the time
//! Share of the arrivals that must have been served for an objective to be met; the rest is under way at the end.
constexpr double kServedShare = 0.97;

void mergeInto(OpInterval& sum, const OpInterval& interval)
{
    sum.count += interval.count;
    sum.errors += interval.errors;
    if (sum.rows && interval.rows)
        *sum.rows += *interval.rows;
    else if (interval.count > 0) // a part is not known, so the sum is not
        sum.rows.reset();
    // The two part with the first interval that has them apart: of those before, the service time was both. A closed
    // loop's part only where calls came back late or not at all.
    if (!sum.response.empty() || !interval.response.empty()) {
        if (sum.response.empty())
            sum.response = sum.service;
        sum.response.merge(interval.responseOrService());
    }
    sum.service.merge(interval.service);
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
    case RunStatus::Skipped:
        return "skipped";
    case RunStatus::Damaged:
        return "damaged";
    }
    return "";
}

RunStatus runStatusFromText(std::string_view text)
{
    for (int one = 0; one <= static_cast<int>(RunStatus::Damaged); ++one) {
        if (text == toText(static_cast<RunStatus>(one)))
            return static_cast<RunStatus>(one);
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

double percentileMs(const Histogram& histogram, double percentile)
{
    const double ns = histogram.percentileNs(percentile);
    // More than 73 minutes, and how much more is not known: no figure.
    const bool isOnlyAbove = histogram.saturated() > 0 && ns == double(hdr::kMaxValue);
    return isOnlyAbove ? std::numeric_limits<double>::quiet_NaN() : ns * 1e-6;
}

LatencySummary summarize(const Histogram& histogram)
{
    const auto atMs = [&histogram](double p) { return percentileMs(histogram, p); };
    return {.meanMs = histogram.meanNs() * 1e-6,
            .p50Ms = atMs(50),
            .p90Ms = atMs(90),
            .p95Ms = atMs(95),
            .p99Ms = atMs(99),
            .p999Ms = atMs(99.9),
            .maxMs = double(histogram.maxNs()) * 1e-6,
            .minMs = atMs(0)};
}

bool RunSummary::tells(std::string_view measure) const
{
    const RunField* field = findRunField(measure);
    if (field && *field->of != '\0') {
        measure = field->of;
        field = findRunField(measure);
    }
    if (field && field->maybe)
        return (this->*field->maybe).has_value();
    return origin.empty() || std::find(told.begin(), told.end(), measure) != told.end();
}

ClientVerdict::ClientVerdict(bool embedded, int cores)
    : ClientVerdict(embedded ? WorkPlace::InProcess : WorkPlace::OnThisMachine, cores)
{
}

ClientVerdict::ClientVerdict(WorkPlace place, int cores)
    : m_place(place)
    , m_cores(cores > 0 ? cores : std::max(1, int(std::thread::hardware_concurrency())))
{
}

void ClientVerdict::setCounters(const std::vector<CounterInfo>& counters)
{
    m_processesCpu.clear();
    m_serverTold = false;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        if (cpuProcessOf(counters[i]).empty())
            continue;
        m_processesCpu.push_back(i);
        m_serverTold = m_serverTold || counters[i].source == kProcessSource;
    }
}

bool ClientVerdict::starved(const IntervalSample& sample) const
{
    // A server on this machine that is not ours uses cores that nobody tells.
    if (m_place == WorkPlace::OnThisMachine && !m_serverTold)
        return false;
    double ours = 0; // what the server and a proxy used
    for (const std::size_t counter : m_processesCpu) {
        if (counter >= sample.counters.size() || !std::isfinite(sample.counters[counter]))
            return false;
        ours += sample.counters[counter] * double(sample.lengthNs) * 1e-9;
    }
    return starvedOfCores(sample, m_cores, ours);
}

void ClientVerdict::add(const IntervalSample& sample)
{
    const double seconds = double(sample.lengthNs) * 1e-9;
    const ClientHealth& client = sample.client;
    ++m_starvation.of;
    m_starvation.ofSeconds += seconds;
    if (starved(sample)) {
        ++m_starvation.intervals;
        m_starvation.seconds += seconds;
        m_starvation.waitedSeconds += client.schedDelaySeconds;
        if (m_starvation.startsNs.size() < Starvation::kMostStarts)
            m_starvation.startsNs.push_back(sample.tNs);
    }
    m_seconds += seconds;
    m_cpuSeconds += client.cpuSeconds;
    m_delaySeconds += client.schedDelaySeconds;
    m_hostBusySeconds += client.hostBusy * seconds;
    m_allowedBusySeconds += client.allowedBusy * seconds;
    m_busiestSeconds += client.busiestThread * seconds;
    m_allowedCores = std::max(m_allowedCores, client.allowedCores);
    m_arrivals += sample.arrivals;
    m_lateStarts += client.lateStarts;
}

std::string ClientVerdict::reason() const
{
    if (m_seconds <= 0)
        return {};
    std::string text;
    const auto say = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (m_starvation.seconds >= kStarvedShare * m_starvation.ofSeconds && m_starvation.intervals > 0)
        say(toText(m_starvation));
    if (m_place == WorkPlace::InProcess)
        return text;

    const double wanted = m_cpuSeconds + m_delaySeconds;
    const double waited = wanted > 0 ? m_delaySeconds / wanted : 0;
    const double busy = m_hostBusySeconds / m_seconds;
    const double allowedBusy = m_allowedBusySeconds / m_seconds;
    // A server that fills the machine it shares with the generator is the limit itself.
    const double used = m_hostBusySeconds * m_cores;
    const double own = used > 0 ? m_cpuSeconds / used : 0;
    if (busy >= kFull && own >= kOwnShare && waited > kWaitShare) {
        say(fmt::format("the load generator waited for a core {:.0f} % of the time it wanted to run; the machine's "
                        "cores were {:.0f} % busy",
                        waited * 100, busy * 100));
    } else if (m_allowedCores > 0 && m_allowedCores < m_cores && allowedBusy >= kFull && waited > kPinnedWaitShare) {
        say(fmt::format("the load generator is pinned to {} of {} cores, which were {:.0f} % busy, and waited for a "
                        "core {:.0f} % of the time it wanted to run",
                        m_allowedCores, m_cores, allowedBusy * 100, waited * 100));
    }
    if (const double busiest = m_busiestSeconds / m_seconds; busiest >= kFull)
        say(fmt::format("one thread of the load generator was on a core {:.0f} % of the time", busiest * 100));
    if (m_arrivals != 0) {
        if (const double late = double(m_lateStarts) / double(m_arrivals); late > kLateShare)
            say(fmt::format("{:.1f} % of the arrivals were taken up more than 1 ms late by a free user", late * 100));
    }
    return text;
}

SummaryBuilder::SummaryBuilder(std::vector<OperationInfo> operations, bool embedded, int cores)
    : SummaryBuilder(std::move(operations), embedded ? WorkPlace::InProcess : WorkPlace::OnThisMachine, cores)
{
}

SummaryBuilder::SummaryBuilder(std::vector<OperationInfo> operations, WorkPlace place, int cores)
    : m_operations(std::move(operations))
    , m_ops(m_operations.size())
    , m_client(place, cores)
{
    for (std::size_t i = 0; i < m_ops.size(); ++i) {
        if (isSummed(m_operations[i].opClass))
            m_ops[i].rows = 0;
    }
}

bool Starvation::holds(std::int64_t tNs) const
{
    return std::ranges::binary_search(startsNs, tNs);
}

bool starvedOfCores(const IntervalSample& sample, int cores, double targetCpuSeconds)
{
    constexpr double kShortest = 0.05; // seconds
    constexpr double kWaits = 0.2;     // of the time wanted
    constexpr double kWaitsLong = 0.1; // of the interval
    constexpr double kUsesAll = 0.75;  // of its cores
    const double seconds = double(sample.lengthNs) * 1e-9;
    const double used = sample.client.cpuSeconds, waited = sample.client.schedDelaySeconds;
    const int own = sample.client.allowedCores > 0 ? sample.client.allowedCores : cores;
    return seconds >= kShortest && waited > kWaits * (used + waited) && waited > kWaitsLong * seconds &&
           used + targetCpuSeconds < kUsesAll * own * seconds;
}

std::string toText(const Starvation& starvation)
{
    if (starvation.intervals == 0)
        return {};
    return fmt::format(
        "other programs had the cores: in {} of {} intervals the threads waited for one, {:.3g} s in all; "
        "latencies are longer and rates lower than the target's own",
        starvation.intervals, starvation.of, starvation.waitedSeconds);
}

std::uint64_t operationCount(const IntervalSample& sample, const std::vector<OperationInfo>& operations)
{
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < sample.ops.size(); ++i) {
        if (i >= operations.size() || isSummed(operations[i].opClass))
            count += sample.ops[i].count;
    }
    return count;
}

void SummaryBuilder::CounterUse::add(const IntervalSample& sample, std::uint64_t operationsOfSample)
{
    bool told = false;
    for (const std::size_t counter : counters) {
        if (counter >= sample.counters.size() || !std::isfinite(sample.counters[counter]))
            continue;
        sum += sample.counters[counter] * double(sample.lengthNs) * 1e-9;
        told = true;
    }
    if (!told)
        return;
    transactions += sample.transaction.count;
    operations += operationsOfSample;
}

std::optional<double> SummaryBuilder::CounterUse::perOperation() const
{
    const std::uint64_t units = operations != 0 ? operations : transactions;
    return units != 0 ? std::optional(sum / double(units)) : std::nullopt;
}

bool hasMean(const CounterInfo& counter)
{
    // Of disks of this machine and of others: means of the requests of an interval.
    const bool isLatency = counter.source != "server" && counter.unit == "ms" && counter.name.ends_with(" latency");
    return counter.source != kStatedSource && !isLatency;
}

std::string cpuProcessOf(const CounterInfo& counter)
{
    const bool is = counter.name == kProcessCpu && counter.source.ends_with(kOfProcess);
    return is ? counter.source.substr(0, counter.source.size() - kOfProcess.size()) : std::string();
}

void SummaryBuilder::setCounters(const std::vector<CounterInfo>& counters, const std::vector<std::string>& storageReads)
{
    m_client.setCounters(counters);
    m_processes.clear();
    for (std::size_t i = 0; i < counters.size(); ++i) {
        if (std::ranges::find(storageReads, counters[i].name) != storageReads.end())
            m_storageReads.counters.push_back(i);
        if (std::string name = cpuProcessOf(counters[i]); !name.empty())
            m_processes.push_back({std::move(name), i});
        if (counters[i].source != kProcessSource)
            continue;
        if (counters[i].name == kProcessCpu)
            m_processCpu.counters = {i};
        else if (counters[i].name == kProcessSwitches)
            m_processSwitches.counters = {i};
    }
}

void SummaryBuilder::setPhases(const std::vector<PhaseSpan>& phases)
{
    m_phases.clear();
    for (const PhaseSpan& span : phases)
        m_phases.push_back({span, 0, {}});
}

void SummaryBuilder::setObjective(double percentile, double limitMs, std::string text)
{
    m_percentile = percentile;
    m_limitMs = limitMs;
    m_objective = std::move(text);
}

ObjectiveVerdict SummaryBuilder::verdict(const RunSummary& summary, const Histogram& response) const
{
    ObjectiveVerdict verdict;
    verdict.text = m_objective;
    const double ms =
        m_percentile >= 100 ? double(response.maxNs()) * 1e-6 : response.percentileNs(m_percentile) * 1e-6;
    if (!response.empty() && std::isfinite(percentileMs(response, m_percentile)))
        verdict.valueMs = ms;
    const double waiting = double(summary.backlog);
    if (summary.unanswered > 0)
        verdict.why = fmt::format("unanswered calls: {}", summary.unanswered);
    else if (summary.failed > 0)
        verdict.why = fmt::format("failed transactions: {}", summary.failed);
    else if (summary.dropped > 0)
        verdict.why = fmt::format("dropped arrivals: {}", summary.dropped);
    else if (summary.transactions == 0)
        verdict.why = "nothing was done";
    else if (waiting > (1 - kServedShare) * double(summary.arrivals))
        verdict.why =
            fmt::format("arrivals that were not served by the end: {} of {}", summary.backlog, summary.arrivals);
    else if (ms > m_limitMs && m_percentile >= 100)
        verdict.why = fmt::format("the maximum is {:.3g} ms", ms);
    else if (ms > m_limitMs)
        verdict.why = fmt::format("p{:g} is {:.3g} ms", m_percentile, ms);
    verdict.met = verdict.why.empty();
    return verdict;
}

void SummaryBuilder::add(const IntervalSample& sample)
{
    using Fold = IntervalField::Fold;
    const bool measured = sample.phase == Phase::Measure;
    for (const RunField* field : intervalFields()) {
        const Fold fold = field->interval.fold;
        if (!field->count || (!measured && fold != Fold::Largest))
            continue;
        std::uint64_t& sum = m_sums.*field->count;
        field->interval.with(sample, [&sum, fold](auto value) {
            const auto count = static_cast<std::uint64_t>(value);
            sum = fold == Fold::Sum ? sum + count : fold == Fold::Last ? count : std::max(sum, count);
        });
    }
    if (!measured)
        return;
    m_sums.seconds += double(sample.lengthNs) * 1e-9;
    for (const auto& [code, count] : sample.errors)
        m_sums.errors[code] += count;
    m_found += sample.found;
    m_wanted += sample.wanted;
    m_client.add(sample);
    const std::uint64_t operations = operationCount(sample, m_operations);
    for (CounterUse* use : {&m_processCpu, &m_processSwitches, &m_storageReads})
        use->add(sample, operations);
    for (ProcessSum& process : m_processes) {
        if (process.counter >= sample.counters.size() || !std::isfinite(sample.counters[process.counter]))
            continue;
        const double seconds = double(sample.lengthNs) * 1e-9;
        process.coreSeconds += sample.counters[process.counter] * seconds;
        process.seconds += seconds;
    }
    mergeInto(m_transaction, sample.transaction);
    const std::int64_t middleNs = sample.tNs + sample.lengthNs / 2;
    for (PhaseSum& phase : m_phases) {
        if (middleNs < phase.span.fromNs || middleNs >= phase.span.toNs)
            continue;
        // The end of the warm-up was moved into it: what is measured of it begins here.
        if (const std::int64_t cutNs = sample.tNs - phase.span.fromNs;
            phase.seconds == 0 && cutNs > sample.lengthNs / 2) {
            phase.span.fromNs = sample.tNs;
            phase.span.rampNs = std::max<std::int64_t>(0, phase.span.rampNs - cutNs);
        }
        phase.seconds += double(sample.lengthNs) * 1e-9;
        mergeInto(phase.transaction, sample.transaction);
    }
    for (std::size_t i = 0; i < std::min(m_ops.size(), sample.ops.size()); ++i)
        mergeInto(m_ops[i], sample.ops[i]);
}

RunSummary SummaryBuilder::summary() const
{
    RunSummary summary = m_sums;
    summary.transactions = m_transaction.count;
    summary.failed = m_transaction.errors;
    summary.service = summarize(m_transaction.service);
    summary.response = summarize(m_transaction.responseOrService());
    summary.times = {m_transaction.service, m_transaction.response};
    if (m_percentile > 0)
        summary.objective = verdict(summary, m_transaction.responseOrService());
    for (std::size_t i = 0; i < m_operations.size(); ++i) {
        OperationSummary operation{.name = m_operations[i].name,
                                   .opClass = m_operations[i].opClass,
                                   .count = m_ops[i].count,
                                   .errors = m_ops[i].errors,
                                   .rows = m_ops[i].rows,
                                   .service = summarize(m_ops[i].service),
                                   .response = {},
                                   .times = {m_ops[i].service, m_ops[i].response}};
        operation.response = summarize(m_ops[i].responseOrService());
        if (isSummed(operation.opClass))
            summary.queries += operation.count;
        summary.operations.push_back(std::move(operation));
    }
    for (const PhaseSum& phase : m_phases) {
        if (phase.seconds <= 0)
            continue;
        const OpInterval& done = phase.transaction;
        summary.phases.push_back({.name = phase.span.name,
                                  .fromNs = phase.span.fromNs,
                                  .rampNs = phase.span.rampNs,
                                  .seconds = phase.seconds,
                                  .transactions = done.count,
                                  .failed = done.errors,
                                  .service = summarize(done.service),
                                  .response = summarize(done.responseOrService()),
                                  .times = {done.service, done.response}});
    }
    if (summary.seconds > 0) {
        summary.tps = double(summary.transactions) / summary.seconds;
        summary.qps = double(summary.queries) / summary.seconds;
    }
    const std::uint64_t units = summary.queries != 0 ? summary.queries : summary.transactions;
    if (units != 0)
        summary.cpuUsPerOp = m_client.cpuSeconds() * 1e6 / double(units);

    if (const auto seconds = m_processCpu.perOperation())
        summary.serverCpuUsPerOp = *seconds * 1e6;
    summary.serverSwitchesPerOp = m_processSwitches.perOperation();
    summary.storageReadsPerOp = m_storageReads.perOperation();
    if (m_wanted > 0)
        summary.recall = double(m_found) / double(m_wanted);
    for (const ProcessSum& process : m_processes) {
        if (summary.processes.empty() && summary.seconds > 0)
            summary.processes.push_back({kGeneratorProcess, m_client.cpuSeconds() / summary.seconds});
        if (process.seconds > 0)
            summary.processes.push_back({process.name, process.coreSeconds / process.seconds});
    }

    summary.starvation = m_client.starvation();
    summary.clientReason = m_client.reason();
    summary.clientLimited = !summary.clientReason.empty();
    return summary;
}

} // namespace dyno
