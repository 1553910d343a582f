// SPDX-License-Identifier: GPL-3.0-or-later
#include "store_sample.h"

#include "base/random.h"
#include <dyno/catalog.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dyno::sample {

SessionHeader header(const Options& options)
{
    ParsedPlan parsed = parsePlan(options.plan, "sample");
    if (!parsed.plan)
        throw std::runtime_error("sample plan: " + parsed.faults.front().where + " " + parsed.faults.front().what);
    SessionHeader header;
    header.id = options.id;
    header.title = parsed.plan->title;
    header.startedMs = 1763648000000 + static_cast<std::int64_t>(options.seed) * 600000;
    header.software = std::string("dynobench ") + softwareVersion();
    header.host = {.name = "bench1",
                   .os = "Debian GNU/Linux 12 (bookworm)",
                   .kernel = "6.1.0-28-amd64",
                   .cpu = "AMD EPYC 9354P",
                   .cores = 4,
                   .memoryBytes = std::uint64_t(8) << 30};
    header.plan = std::move(*parsed.plan);
    header.plan.source = "durability-sqlite";
    const Expansion expansion = expand(header.plan);
    header.points = expansion.points;
    header.runs = expansion.runs;
    return header;
}

RunHeader runHeader(const SessionHeader& session, int index)
{
    RunHeader run;
    run.index = index;
    run.point = session.runs[static_cast<std::size_t>(index)].point;
    run.repeat = session.runs[static_cast<std::size_t>(index)].repeat;
    const PointSpec& point = session.points[static_cast<std::size_t>(run.point)];
    if (const WorkloadInfo* workload = findWorkload(point.workload.name))
        run.operations = workload->operations;
    run.server.product = "SQLite";
    run.server.version = "3.40.1";
    run.server.transport = "in process";
    run.server.variables = {{"page_size", std::string("4096")},
                            {"cache_size", std::string("-2000")},
                            {"encoding", std::string("UTF-8")},
                            {"journal_mode", std::string("wal")},
                            {"mmap_size", std::string("0")},
                            {"temp_store", std::string("0")},
                            {"wal_autocheckpoint", std::string("1000")},
                            {"synchronous", textOf(point.connection, "synchronous", "FULL")}};
    run.effective = point.connection;
    run.optionFile = "# none: SQLite has no option file\n";
    run.dataBytes = 5 * 1024 * 1024 + 4096 * static_cast<std::uint64_t>(index);
    return run;
}

//! Transactions per second of a point, as a laptop's disk gives them.
double throughput(const PointSpec& point)
{
    const std::string synchronous = textOf(point.connection, "synchronous", "FULL");
    const double alone = synchronous == "OFF" ? 14200 : synchronous == "NORMAL" ? 11800 : 5300;
    return point.users() == 1 ? alone : alone * 0.87;
}

void fill(OpInterval& values, Random& random, std::uint64_t count, double meanNs)
{
    values.count = count;
    // A few hundred draws stand for all of them; log-normal with a heavy tail.
    const std::uint64_t draws = std::min<std::uint64_t>(count, 300);
    for (std::uint64_t i = 0; i < draws; ++i) {
        const double normal = std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(6.283185307179586 * random.unit());
        double ns = meanNs * std::exp(0.35 * normal - 0.061);
        if (random.uniform(0, 199) == 0)
            ns *= 12;
        const std::uint64_t share = count / draws + (i < count % draws ? 1 : 0);
        values.service.record(static_cast<std::uint64_t>(ns), share);
    }
}

//! What an open loop and a health check add to an interval.
void addOpenLoop(IntervalSample& sample, int index)
{
    const std::uint64_t count = sample.transaction.count;
    const std::uint64_t waitNs = 400'000 + 100'000 * static_cast<std::uint64_t>(index % 7);
    for (const Histogram::Bucket& bucket : sample.transaction.service.buckets())
        sample.transaction.response.record(hdr::middleOf(bucket.index) + waitNs, bucket.count);
    sample.dropped = index % 5 == 4 ? 3 : 0;
    sample.backlog = static_cast<std::uint64_t>(index % 4);
    sample.arrivals = count + sample.dropped;
    sample.rows = count * 2;
    sample.rollbacks = count / 100;
    ClientHealth& client = sample.client;
    client.allowedBusy = client.hostBusy;
    client.allowedCores = 4;
    client.busiestThread = 0.35;
    client.switches = count * 2 + 11;
    client.lateStarts = count / 1000;
    client.loopLagMs = 0.25 + 0.125 * (index % 3);
}

IntervalSample interval(const SessionHeader& session, const RunHeader& run, int index, Random& random,
                        const Options& options)
{
    const PointSpec& point = session.points[static_cast<std::size_t>(run.point)];
    IntervalSample sample;
    sample.lengthNs = static_cast<std::int64_t>(point.load.intervalSeconds * 1e9);
    sample.tNs = index * sample.lengthNs;
    sample.phase = index < options.warmups ? Phase::Warmup : Phase::Measure;
    sample.users = point.users();
    const double seconds = point.load.intervalSeconds;
    double rate = throughput(point) * options.scale * (0.97 + 0.06 * random.unit());
    if (index < options.warmups)
        rate *= 0.6 + 0.15 * index;
    if (index == 13) // a checkpoint
        rate *= 0.55;
    const auto count = static_cast<std::uint64_t>(rate * seconds);
    const double meanNs = 1e9 * point.users() / rate;
    fill(sample.transaction, random, count, meanNs);
    sample.ops.resize(run.operations.size());
    for (OpInterval& op : sample.ops)
        fill(op, random, count, meanNs * 0.96 / static_cast<double>(sample.ops.size()));
    if (point.users() > 1) {
        sample.lockWaits = count / 90;
        sample.retried = count / 2000;
        if (sample.retried > 0)
            sample.errors[5] = sample.retried;
    }
    sample.client = {.cpuSeconds = 0.61 * seconds + 0.02 * random.unit(),
                     .rssBytes = 31u << 20,
                     .hostBusy = 0.34 + 0.04 * random.unit(),
                     .schedDelaySeconds = 0.002 * random.unit()};
    if (options.openLoop)
        addOpenLoop(sample, index);
    return sample;
}

//! A rate that rises, and a level that is not known in every seventh interval.
//! Hidden ones: one that stands still, one that moves, one that is known in few intervals, and so on.
void addCounters(IntervalSample& sample, int index, int hidden)
{
    sample.counters = {1e6 + 1000.0 * index, index % 7 == 3 ? std::nan("") : 40.0 + index};
    for (int i = 0; i < hidden; ++i) {
        const double moving = 0.25 * ((index * 7 + i) % 1000);
        sample.counters.push_back(i % 3 == 0 ? i : i % 3 == 1 ? moving : index % 5 == 2 ? moving : std::nan(""));
    }
}

RunSummary feedRun(SampleSink& sink, const SessionHeader& session, int index, const Options& options)
{
    RunHeader run = runHeader(session, index);
    if (options.counters)
        run.counters = {{"server", "Innodb_data_written", "bytes", true},
                        {"server", "Threads_running", "threads", false}};
    for (int i = 0; options.counters && i < options.hiddenCounters; ++i)
        run.counters.push_back({"server", "Hidden_" + std::to_string(i), "", i % 2 == 0, true});
    sink.onRunStarted(run);
    Random random = Random::forItem(options.seed, static_cast<std::uint64_t>(index), 0);
    SummaryBuilder builder(run.operations, true);
    sink.onEvent({0, 0, EventKind::Phase, "warm-up"});
    const bool fails = index == options.failedRun;
    Options own = options;
    own.scale *= 0.985 + 0.03 * random.unit(); // runs differ more than intervals of one run
    for (int i = 0; i < (fails ? options.intervals / 2 : options.intervals); ++i) {
        IntervalSample sample = interval(session, run, i, random, own);
        if (options.counters)
            addCounters(sample, i, options.hiddenCounters);
        if (i == options.warmups)
            sink.onEvent({sample.tNs, 0, EventKind::Phase, "measure"});
        if (i == 13)
            sink.onEvent({sample.tNs, sample.lengthNs / 2, EventKind::Stall, "throughput below half for 0.25 s"});
        builder.add(sample);
        sink.onSample(sample);
    }
    RunSummary summary = builder.summary();
    summary.point = run.point;
    summary.repeat = run.repeat;
    summary.status = fails ? RunStatus::Failed : RunStatus::Done;
    summary.reason = fails ? "the target does not answer any more" : "";
    if (summary.errors.contains(5))
        summary.errorTexts[5] = "database is locked";
    if (options.openLoop)
        summary.found = 1000 + index;
    summary.clientReason = options.clientReason;
    summary.clientLimited = !options.clientReason.empty();
    RunAftermath after;
    after.server = run.server;
    after.server.variables.insert_or_assign("wal_autocheckpoint", std::string(index == 1 ? "2000" : "1000"));
    after.dataParts = {{"table", "sbtest1", std::uint64_t(4) << 20}, {"redo log", "", 1u << 20}};
    after.errorLog = "checkpoint of run " + std::to_string(index) + "\n";
    if (!fails)
        sink.onRunAftermath(after);
    sink.onRunFinished(summary);
    return summary;
}

//! Sends a whole session to a sink.
SessionHeader feed(SampleSink& sink, const Options& options)
{
    SessionHeader session = header(options);
    sink.onSessionStarted(session);
    SessionSummary end;
    for (int i = 0; i < static_cast<int>(session.runs.size()); ++i) {
        end.runs.push_back(feedRun(sink, session, i, options));
        if (i == options.stopAfterRun)
            return session;
    }
    end.status = options.failedRun >= 0 ? RunStatus::Failed : RunStatus::Done;
    end.reason = options.failedRun >= 0 ? "1 run failed" : "";
    end.finishedMs = session.startedMs + 125000;
    if (options.finish)
        sink.onSessionFinished(end);
    return session;
}

} // namespace dyno::sample
