// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session_reader.h"

#include "store/session_codec.h"
#include "store/writer_mark.h"
#include <dyno/uri.h>

#include <fmt/format.h>
#include <map>

namespace dyno {

namespace {

std::vector<OperationInfo> readOperations(Database& database, std::int64_t run)
{
    std::vector<OperationInfo> operations;
    Statement select(database, "SELECT name, class FROM op WHERE run = ? ORDER BY idx");
    select << run;
    while (select.row())
        operations.push_back({select.text(0), codec::opClassFromText(select.text(1))});
    return operations;
}

ServerFacts readFacts(Database& database, std::int64_t run)
{
    ServerFacts facts;
    Statement select(database,
                     "SELECT product, version, transport, cipher, round_trip_ms, f.variables FROM server_facts s"
                     " JOIN fact_set f ON f.key = s.variables WHERE run = ? AND moment = 'before'");
    select << run;
    if (select.row()) {
        facts.product = select.text(0);
        facts.version = select.text(1);
        facts.transport = select.text(2);
        facts.cipher = select.text(3);
        facts.roundTripMs = select.real(4);
        facts.variables = codec::readSettings(select.bytes(5));
    }
    return facts;
}

//! What the intervals say of a run whose end was not written.
RunSummary summaryOfIntervals(Database& database, std::int64_t run, const RunHeader& header, bool embedded)
{
    SummaryBuilder builder(header.operations, embedded);
    for (const IntervalSample& sample : readIntervals(database, run))
        builder.add(sample);
    RunSummary summary = builder.summary();
    summary.point = header.point;
    summary.repeat = header.repeat;
    return summary;
}

bool isEmbedded(const std::vector<PointSpec>& points, int point)
{
    if (point < 0 || static_cast<std::size_t>(point) >= points.size())
        return false;
    const auto uri = parseUri(points[static_cast<std::size_t>(point)].target.uri);
    return uri && uri->kind == TargetKind::Embedded;
}

std::vector<StoredRun> readRuns(Database& database, const SessionRow& row, const std::vector<PointSpec>& points)
{
    std::vector<StoredRun> runs;
    Statement select(database, "SELECT key, idx, point, repeat, data_bytes, effective, summary FROM run"
                               " WHERE session = ? ORDER BY idx");
    select << row.key;
    while (select.row()) {
        StoredRun run;
        run.id = select.integer(0);
        run.header.index = static_cast<int>(select.integer(1));
        run.header.point = static_cast<int>(select.integer(2));
        run.header.repeat = static_cast<int>(select.integer(3));
        run.header.dataBytes = select.count(4);
        run.header.effective = codec::readSettings(select.bytes(5));
        run.header.operations = readOperations(database, run.id);
        run.header.server = readFacts(database, run.id);
        if (!select.isNull(6)) {
            run.summary = codec::readSummary(select.bytes(6));
        } else {
            run.summary = summaryOfIntervals(database, run.id, run.header, isEmbedded(points, run.header.point));
            const bool running = row.info.status == RunStatus::Running;
            run.summary.status = running ? RunStatus::Running : RunStatus::Cut;
            run.summary.reason = running ? "" : kCutRun;
        }
        runs.push_back(std::move(run));
    }
    return runs;
}

} // namespace

std::vector<SessionRow> readSessions(Database& database, std::optional<std::string_view> id)
{
    std::map<std::int64_t, std::vector<std::string>> tags;
    {
        Statement select(database, "SELECT session, text FROM tag ORDER BY session, idx");
        while (select.row())
            tags[select.integer(0)].push_back(select.text(1));
    }
    std::vector<SessionRow> rows;
    Statement select(database,
                     fmt::format("SELECT key, id, title, notes, workload, target, product, source, started_ms,"
                                 " finished_ms, status, reason, removed_ms, writer_pid, writer_start, writer_boot,"
                                 " (SELECT count(*) FROM run WHERE session = s.key AND status = 'done'),"
                                 " (SELECT count(*) FROM slot WHERE session = s.key) FROM session s {}"
                                 " ORDER BY started_ms DESC, key DESC",
                                 id ? "WHERE id = ?" : ""));
    if (id)
        select << *id;
    while (select.row()) {
        SessionRow row;
        row.key = select.integer(0);
        SessionInfo& info = row.info;
        info.id = select.text(1);
        info.title = select.text(2);
        info.notes = select.text(3);
        info.workload = select.text(4);
        info.target = select.text(5);
        info.product = select.text(6);
        info.source = select.text(7);
        info.startedMs = select.integer(8);
        info.finishedMs = select.integer(9);
        info.status = runStatusFromText(select.text(10));
        info.reason = select.text(11);
        row.removed = !select.isNull(12);
        const WriterMark writer{select.integer(13), select.integer(14), select.text(15)};
        if (info.status == RunStatus::Running && !writer.alive()) {
            info.status = RunStatus::Cut;
            info.reason = kCutSession;
        }
        info.runsDone = static_cast<int>(select.integer(16));
        info.runsPlanned = static_cast<int>(select.integer(17));
        if (const auto found = tags.find(row.key); found != tags.end())
            info.tags = found->second;
        rows.push_back(std::move(row));
    }
    return rows;
}

StoredSession readSession(Database& database, const SessionRow& row)
{
    StoredSession session;
    session.info = row.info;
    SessionHeader& header = session.header;
    header.id = row.info.id;
    header.title = row.info.title;
    header.startedMs = row.info.startedMs;
    {
        Statement select(database, "SELECT spec FROM point WHERE session = ? ORDER BY idx");
        select << row.key;
        while (select.row())
            header.points.push_back(codec::readPoint(select.bytes(0)));
    }
    {
        Statement select(database, "SELECT point, repeat FROM slot WHERE session = ? ORDER BY idx");
        select << row.key;
        while (select.row())
            header.runs.push_back({static_cast<int>(select.integer(0)), static_cast<int>(select.integer(1))});
    }
    {
        Statement select(database, "SELECT software, host, plan FROM session WHERE key = ?");
        select << row.key;
        if (select.row()) {
            header.software = select.text(0);
            header.host = codec::readHost(select.bytes(1));
            header.plan = codec::readPlanOf(select.bytes(2), row.info.title, header.points, header.runs);
            header.plan.source = row.info.source;
        }
    }
    session.runs = readRuns(database, row, header.points);
    return session;
}

std::vector<IntervalSample> readIntervals(Database& database, std::int64_t run, bool* damaged)
{
    const std::size_t operations = readOperations(database, run).size();
    Statement ops(database, "SELECT interval, op, count, errors, service, response FROM interval_op"
                            " WHERE run = ? ORDER BY interval, op");
    ops << run;
    bool more = ops.row();
    std::vector<IntervalSample> samples;
    Statement select(database,
                     "SELECT idx, t_ns, length_ns, phase, users, retried, dropped, reconnects, errors, cpu_s,"
                     " rss_bytes, host_busy, sched_delay_s, lock_waits FROM interval WHERE run = ? ORDER BY idx");
    select << run;
    while (select.row()) {
        IntervalSample sample;
        const std::int64_t index = select.integer(0);
        sample.tNs = select.integer(1);
        sample.lengthNs = select.integer(2);
        sample.phase = codec::phaseFromText(select.bytes(3));
        sample.users = static_cast<int>(select.integer(4));
        sample.retried = select.count(5);
        sample.dropped = select.count(6);
        sample.reconnects = select.count(7);
        sample.errors = codec::readCounts(select.bytes(8));
        sample.client.cpuSeconds = select.real(9);
        sample.client.rssBytes = select.count(10);
        sample.client.hostBusy = select.real(11);
        sample.client.schedDelaySeconds = select.real(12);
        sample.lockWaits = select.count(13);
        sample.ops.resize(operations);
        for (; more && ops.integer(0) <= index; more = ops.row()) {
            const std::int64_t op = ops.integer(1);
            if (ops.integer(0) < index || op < -1 || op >= static_cast<std::int64_t>(operations))
                continue;
            OpInterval& target = op < 0 ? sample.transaction : sample.ops[static_cast<std::size_t>(op)];
            target.count = ops.count(2);
            target.errors = ops.count(3);
            for (const int column : {4, 5}) {
                if (ops.isNull(column))
                    continue;
                bool readable = true;
                (column == 4 ? target.service : target.response) = Histogram::fromBlob(ops.bytes(column), &readable);
                if (!readable && damaged)
                    *damaged = true;
            }
        }
        samples.push_back(std::move(sample));
    }
    return samples;
}

std::vector<RunEvent> readEvents(Database& database, std::int64_t run)
{
    std::vector<RunEvent> events;
    Statement select(database, "SELECT t_ns, length_ns, kind, text FROM event WHERE run = ? ORDER BY t_ns, idx");
    select << run;
    while (select.row()) {
        events.push_back(
            {select.integer(0), select.integer(1), codec::eventKindFromText(select.bytes(2)), select.text(3)});
    }
    return events;
}

} // namespace dyno
