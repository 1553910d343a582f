// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/session_reader.h"

#include "store/codec/session_codec.h"
#include "store/library/writer_process.h"
#include "store/session/interval_reader.h"
#include "store/session/seals.h"
#include <dyno/load_phases.h>
#include <dyno/server_variables.h>
#include <dyno/uri.h>

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace dyno {

namespace {

constexpr const char* kById = "s.id = ?";
//! Of a run r: no later one of the same point and repeat.
constexpr const char* kEndedSoLast = "NOT EXISTS (SELECT 1 FROM run n WHERE n.session = r.session AND n.point = r.point"
                                     " AND n.repeat = r.repeat AND n.idx > r.idx)";

std::vector<OperationInfo> readOperations(Database& database, std::int64_t run)
{
    std::vector<OperationInfo> operations;
    Statement select(database, "SELECT name, class FROM op WHERE run = ? ORDER BY idx LIMIT ?");
    select << run << static_cast<std::int64_t>(IntervalShape::kMostOperations);
    while (select.row())
        operations.push_back({select.text(0), codec::opClassFromText(select.text(1))});
    return operations;
}

//! `moment` is "before" or "after"; false when nothing was stored of it.
bool readFacts(Database& database, std::int64_t run, const char* moment, ServerFacts& facts, std::string* optionFile)
{
    Statement select(database,
                     "SELECT product, version, transport, cipher, round_trip_ms, f.variables, option_file"
                     " FROM server_facts s JOIN fact_set f ON f.key = s.variables WHERE run = ? AND moment = ?");
    select << run << moment;
    if (select.row()) {
        facts.product = select.text(0);
        facts.version = select.text(1);
        facts.transport = select.text(2);
        facts.cipher = select.text(3);
        facts.roundTripMs = select.real(4);
        facts.variables = codec::readSettings(select.bytes(5));
        if (optionFile && !select.isNull(6))
            *optionFile = select.text(6);
        return true;
    }
    return false;
}

std::optional<RunAftermath> readAftermath(Database& database, std::int64_t run)
{
    RunAftermath aftermath;
    if (!readFacts(database, run, "after", aftermath.server, nullptr))
        return {};
    Statement part(database, "SELECT kind, name, bytes FROM data_part WHERE run = ? ORDER BY idx");
    part << run;
    while (part.row())
        aftermath.dataParts.push_back({part.text(0), part.text(1), part.count(2)});
    Statement log(database, "SELECT server_log FROM run WHERE key = ?");
    log << run;
    if (log.row() && !log.isNull(0))
        aftermath.errorLog = log.text(0);
    return aftermath;
}

WorkPlace placeOf(const std::vector<PointSpec>& points, int point)
{
    if (point < 0 || static_cast<std::size_t>(point) >= points.size())
        return WorkPlace::OnThisMachine;
    const auto uri = parseUri(points[static_cast<std::size_t>(point)].target.uri);
    return uri ? workPlaceOf(*uri) : WorkPlace::OnThisMachine;
}

//! Where the measured time began when the run was recorded; 0 when nothing was measured.
std::int64_t recordedWarmupEnd(Database& database, std::int64_t run)
{
    Statement select(database, "SELECT min(t_ns) FROM phase WHERE run = ? AND phase = ?");
    select << run << toText(Phase::Measure);
    return select.row() ? select.integer(0) : 0;
}

//! Tells of a moved end of the warm-up, where it is now.
std::optional<RunEvent> warmupEvent(Database& database, std::int64_t run)
{
    Statement select(database, "SELECT warmup_end_ns, warmup_moved_ms FROM run WHERE key = ?");
    select << run;
    if (!select.row() || select.isNull(0))
        return {};
    const auto movedAt = static_cast<std::time_t>(select.integer(1) / 1000);
    std::tm day{};
    gmtime_r(&movedAt, &day);
    RunEvent event;
    event.tNs = select.integer(0);
    const SealedRun place = SealedRun::of(database, run);
    const bool whole = Seals(database, place.session).holds(SealPart::Phases, place.index, run);
    const std::string recorded =
        whole ? fmt::format("when recorded it began at {:.1f} s",
                            static_cast<double>(recordedWarmupEnd(database, run)) * 1e-9)
              : Seals::damageOf(SealPart::Phases, place.index) + ", so where it began when recorded is not known";
    event.text = fmt::format("measured time begins here since {:04}-{:02}-{:02}; {}", day.tm_year + 1900,
                             day.tm_mon + 1, day.tm_mday, recorded);
    return event;
}

std::vector<CounterInfo> readCounters(Database& database, std::int64_t run)
{
    std::vector<CounterInfo> counters;
    Statement select(database, "SELECT source, name, unit, hidden FROM counter WHERE run = ? ORDER BY key LIMIT ?");
    select << run << static_cast<std::int64_t>(IntervalShape::kMostCounters);
    while (select.row()) {
        counters.push_back(codec::counterOf(select.text(0), select.text(1), select.text(2)));
        counters.back().hidden = select.integer(3) != 0;
    }
    return counters;
}

SummaryBuilder builderOf(const StoredRun& run, const SessionHeader& session)
{
    SummaryBuilder builder(run.header.operations, placeOf(session.points, run.header.point), session.host.cores);
    builder.setCounters(run.header.counters, storageReadCounters());
    builder.setUnanswered(run.summary.unanswered);
    if (const auto point = static_cast<std::size_t>(run.header.point); point < session.points.size()) {
        const LoadProfile& load = session.points[point].load;
        if (run.phasesDamage.empty()) // phases of the load stay where they were
            builder.setPhases(phaseSpans(load, run.recordedWarmupEndNs.value_or(run.warmupEndNs)));
        if (load.objective.given() && load.search.what == Search::What::Nothing)
            builder.setObjective(load.objective.percentile, load.objective.limitMs, toText(load.objective));
    }
    return builder;
}

//! With what intervals do not tell.
RunSummary summaryOf(const SummaryBuilder& builder, const StoredRun& run)
{
    RunSummary summary = builder.summary();
    summary.point = run.summary.point;
    summary.repeat = run.summary.repeat;
    summary.status = run.summary.status;
    summary.reason = run.summary.reason;
    summary.place = run.summary.place;
    summary.remedy = run.summary.remedy;
    summary.startedMs = run.summary.startedMs;
    summary.beganAfterMs = run.summary.beganAfterMs;
    summary.sitting = run.summary.sitting;
    summary.errorTexts = run.summary.errorTexts;
    summary.found = run.summary.found;
    summary.late = run.summary.late;
    summary.loadRetries = run.summary.loadRetries;
    summary.indexSeconds = run.summary.indexSeconds;
    if (!summary.recall)
        summary.recall = run.summary.recall; // of the time that was measured when it was recorded
    return summary;
}

//! From the run's intervals as they are stored.
RunSummary summaryOf(Database& database, const StoredRun& run, const SessionHeader& session, Reading& reading)
{
    SummaryBuilder builder = builderOf(run, session);
    reading = eachInterval(database, run.id, [&builder](const IntervalSample& sample) { builder.add(sample); });
    return summaryOf(builder, run);
}

constexpr std::int64_t kMostLostRuns = 100;
constexpr std::int64_t kMostReadAgain = 20'000; //!< intervals of a session that was stored without RunSummary::times

//! Whether latency times must be read from the intervals: older versions did not store them.
bool lacksTimes(const StoredRun& run, const SessionHeader& session)
{
    const RunSummary& summary = run.summary;
    const bool known = !summary.times.service.empty() || summary.transactions == 0 || !summary.origin.empty();
    return !known && summary.status == RunStatus::Done &&
           static_cast<std::size_t>(run.header.point) < session.points.size();
}

void addTimes(Database& database, StoredRun& run, const SessionHeader& session)
{
    RunSummary& summary = run.summary;
    Reading reading = Reading::Whole;
    RunSummary again = summaryOf(database, run, session, reading);
    if (reading != Reading::Whole)
        return;
    summary.times = std::move(again.times);
    for (OperationSummary& operation : summary.operations) {
        const auto same = std::ranges::find(again.operations, operation.name, &OperationSummary::name);
        if (same != again.operations.end())
            operation.times = std::move(same->times);
    }
}

//! For all runs or, where that would take long, for none: the figures of a session follow one rule.
void addTimes(Database& database, std::vector<StoredRun>& runs, const SessionHeader& session)
{
    std::int64_t intervals = 0;
    for (const StoredRun& run : runs) {
        if (!lacksTimes(run, session))
            continue;
        Statement count(database, "SELECT (SELECT coalesce(sum(intervals), 0) FROM block WHERE run = ?1 AND part = 0)"
                                  " + (SELECT count(*) FROM interval WHERE run = ?1)");
        count << run.id;
        intervals += count.row() ? std::clamp<std::int64_t>(count.integer(0), 0, kMostReadAgain + 1) : 0;
    }
    if (intervals > kMostReadAgain)
        return;
    for (StoredRun& run : runs) {
        if (lacksTimes(run, session))
            addTimes(database, run, session);
    }
}

std::vector<StoredRun> readRuns(Database& database, const SessionRow& row, const SessionHeader& session)
{
    std::vector<StoredRun> runs;
    Statement select(database, "SELECT key, idx, point, repeat, data_bytes, effective, summary, warmup_end_ns FROM run"
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
        run.header.device = codec::readDevice(select.bytes(5));
        run.header.operations = readOperations(database, run.id);
        run.header.counters = readCounters(database, run.id);
        (void)readFacts(database, run.id, "before", run.header.server, &run.header.optionFile);
        run.aftermath = readAftermath(database, run.id);
        run.warmupEndNs = recordedWarmupEnd(database, run.id);
        if (!select.isNull(7))
            run.recordedWarmupEndNs = std::exchange(run.warmupEndNs, select.integer(7));
        if (!select.isNull(6)) {
            run.summary = codec::readSummary(select.bytes(6));
        } else {
            // The end of this run was not written; its intervals are there.
            run.summary.point = run.header.point;
            run.summary.repeat = run.header.repeat;
            Reading reading = Reading::Whole;
            run.summary = summaryOf(database, run, session, reading);
            const bool running = row.info.status == RunStatus::Running;
            run.summary.status = reading == Reading::Damaged ? RunStatus::Damaged
                                 : running                   ? RunStatus::Running
                                                             : RunStatus::Cut;
            run.summary.reason = running ? "" : kCutRun;
        }
        runs.push_back(std::move(run));
    }
    addTimes(database, runs, session);
    return runs;
}

SessionRow sessionRowOf(const Statement& select)
{
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
    const WriterProcess writer{select.integer(13), select.integer(14), select.text(15)};
    if (info.status == RunStatus::Running && (!writer.alive() || gaveUpRecording(info.id))) {
        info.status = RunStatus::Cut;
        info.reason = kCutSession;
    }
    info.runsDone = static_cast<int>(select.integer(16));
    info.runsPlanned = static_cast<int>(select.integer(17));
    info.archived = !select.isNull(18);
    info.runsFailed = static_cast<int>(select.integer(19));
    info.runsSkipped = static_cast<int>(select.integer(20));
    return row;
}

//! Looks at the seals of what was read, and takes out what is damaged.
class DamageFinder
{
public:
    DamageFinder(Database& database, const SessionRow& row, StoredSession& session)
        : m_database(database)
        , m_row(row)
        , m_session(session)
        , m_seals(database, row.key)
    {
    }

    void look()
    {
        m_session.sealed = m_seals.sealed();
        if (m_session.sealed)
            lookAtSession();
        const std::vector<bool> points = damagedPoints();
        const auto isStray = [this](const RunSlot& slot) {
            return slot.point < 0 || static_cast<std::size_t>(slot.point) >= m_session.header.points.size();
        };
        const bool broken = m_session.sealed && isBroken(SealPart::Order, 0, 0);
        const bool stray = !broken && std::ranges::any_of(m_session.header.runs, isStray);
        if (stray)
            m_session.damage.push_back("the order of the runs names a point that is not there");
        const bool order = broken || stray;
        for (StoredRun& run : m_session.runs)
            lookAtRun(run, points, order);
        if (order)
            m_session.header.runs.clear();
        if (m_session.sealed)
            lookForLostRuns();
    }

private:
    bool isBroken(SealPart part, std::int64_t index, std::int64_t run)
    {
        if (m_seals.holds(part, index, run))
            return false;
        m_session.damage.push_back(Seals::damageOf(part, index));
        return true;
    }

    void lookAtSession()
    {
        SessionInfo& info = m_session.info;
        SessionHeader& header = m_session.header;
        if (isBroken(SealPart::Title, 0, 0))
            info.title = header.title = {};
        if (isBroken(SealPart::Notes, 0, 0))
            info.notes.clear();
        if (isBroken(SealPart::Tags, 0, 0))
            info.tags.clear();
        for (const SealPart part : {SealPart::Annotations, SealPart::Views}) // they are read apart
            (void)isBroken(part, 0, 0);
        if (isBroken(SealPart::Setup, 0, 0)) {
            info.workload = info.target = info.source = header.software = {};
            info.startedMs = header.startedMs = 0;
            header.host = {};
            header.plan = codec::readPlanOf({}, info.title, header.points, header.runs);
        }
        if (isBroken(SealPart::State, 0, 0)) {
            info.product.clear();
            info.finishedMs = 0;
            info.status = RunStatus::Damaged;
            info.reason = m_session.damage.back();
        }
    }

    std::vector<bool> damagedPoints()
    {
        std::vector<bool> damaged;
        for (PointSpec& point : m_session.header.points) {
            damaged.push_back(m_session.sealed &&
                              isBroken(SealPart::Point, static_cast<std::int64_t>(damaged.size()), 0));
            if (damaged.back())
                point = {};
        }
        return damaged;
    }

    void lookAtRun(StoredRun& run, const std::vector<bool>& points, bool order)
    {
        const std::int64_t index = run.header.index;
        if (run.summary.status == RunStatus::Damaged && !m_session.sealed) {
            // Killed amid a write, for all that is known: nothing says that it was changed afterwards.
            run.summary.status = RunStatus::Cut;
            run.summary.reason = "its end was not written, and its intervals cannot be read in full";
        }
        bool gone = run.summary.status == RunStatus::Damaged; // computed from intervals that are
        std::string why;
        const auto lacks = [&](SealPart part) {
            const bool broken = isBroken(part, index, run.id);
            if (broken && why.empty())
                why = m_session.damage.back();
            return broken;
        };
        if (gone)
            m_session.damage.push_back(why = fmt::format("the intervals of run {} are damaged", index + 1));
        if (lacks(SealPart::Run)) {
            gone = true;
            const auto place = static_cast<std::size_t>(index);
            const bool planned = !order && place < m_session.header.runs.size();
            run.header.point = planned ? m_session.header.runs[place].point : 0;
            run.header.repeat = planned ? m_session.header.runs[place].repeat : 1;
            run.header.effective.clear();
            run.header.device.reset();
            run.header.dataBytes = 0;
        }
        for (const SealPart part : {SealPart::Result, SealPart::Warmup})
            gone = lacks(part) || gone;
        if (isBroken(SealPart::Phases, index, run.id)) {
            run.phasesDamage = m_session.damage.back();
            if (!std::exchange(run.recordedWarmupEndNs, std::nullopt)) // a moved end has a seal of its own
                run.warmupEndNs = 0;
        }
        if (const auto point = static_cast<std::size_t>(run.header.point);
            run.header.point >= 0 && point < points.size() && points[point]) {
            gone = true;
            if (why.empty())
                why = Seals::damageOf(SealPart::Point, run.header.point);
        }
        if (isBroken(SealPart::Series, index, run.id)) {
            run.header.operations.clear();
            run.header.counters.clear();
        }
        if (isBroken(SealPart::Facts, index, run.id)) {
            run.header.server = {};
            run.header.optionFile.clear();
            run.aftermath.reset();
        }
        if (!gone)
            return;
        run.summary = {};
        run.summary.point = run.header.point;
        run.summary.repeat = run.header.repeat;
        run.summary.status = RunStatus::Damaged;
        run.summary.reason = why;
        run.warmupEndNs = 0;
        run.recordedWarmupEndNs.reset();
    }

    void lookForLostRuns()
    {
        // Told up to a limit: a file may have any number of seals without runs.
        Statement select(m_database,
                         "SELECT idx FROM seal e WHERE session = ?1 AND part = ?2 AND NOT EXISTS"
                         " (SELECT 1 FROM run r WHERE r.session = ?1 AND r.idx = e.idx) ORDER BY idx LIMIT ?3");
        select << m_row.key << static_cast<int>(SealPart::Run) << kMostLostRuns + 1;
        for (std::int64_t lost = 0; select.row(); ++lost) {
            m_session.damage.push_back(lost < kMostLostRuns
                                           ? Seals::nameOf(SealPart::Run, select.integer(0)) + " is lost"
                                           : std::string("further runs are lost"));
        }
        Statement point(m_database, "SELECT count(*) FROM seal WHERE session = ? AND part = ?");
        point << m_row.key << static_cast<int>(SealPart::Point);
        if (point.row() && point.count(0) != m_session.header.points.size())
            m_session.damage.emplace_back("a point is lost");
    }

    Database& m_database;
    const SessionRow& m_row;
    StoredSession& m_session;
    Seals m_seals;
};

} // namespace

std::vector<SessionRow> readSessions(Database& database, std::optional<std::string_view> id)
{
    SearchCondition condition{id ? kById : "true", {}, {}};
    if (id)
        condition.values.emplace_back(std::string(*id));
    return readSessions(database, condition);
}

std::vector<SessionRow> readSessions(Database& database, const SearchCondition& condition)
{
    std::map<std::int64_t, std::vector<std::string>> tags;
    {
        const bool one = condition.where == kById; // one of thousands: not the tags of all
        Statement select(database,
                         fmt::format("SELECT session, text FROM tag {} ORDER BY session, idx",
                                     one ? "WHERE session IN (SELECT key FROM session s WHERE s.id = ?)" : ""));
        for (const auto& value : condition.values) {
            if (one)
                std::visit([&select](const auto& id) { select << id; }, value);
        }
        while (select.row())
            tags[select.integer(0)].push_back(select.text(1));
    }
    std::vector<SessionRow> rows;
    Statement select(
        database, fmt::format("SELECT key, id, title, notes, workload, target, product, source, started_ms,"
                              " finished_ms, status, reason, removed_ms, writer_pid, writer_start, writer_boot,"
                              " (SELECT count(*) FROM run WHERE session = s.key AND status = 'done'),"
                              " (SELECT count(*) FROM (SELECT DISTINCT point, repeat FROM slot WHERE session = s.key)),"
                              " archived_ms,"
                              " (SELECT count(*) FROM run r WHERE session = s.key AND status = 'failed' AND {0}),"
                              " (SELECT count(*) FROM run r WHERE session = s.key AND status = 'skipped' AND {0})"
                              " FROM session s WHERE {1}"
                              " ORDER BY started_ms DESC, key DESC",
                              kEndedSoLast, condition.where));
    for (const auto& value : condition.values)
        std::visit([&select](const auto& one) { select << one; }, value);
    while (select.row()) {
        SessionRow row = sessionRowOf(select);
        const auto fits = [&row](const auto& wanted) { return (row.info.status == wanted.first) == wanted.second; };
        if (!std::ranges::all_of(condition.statuses, fits))
            continue;
        if (const auto found = tags.find(row.key); found != tags.end())
            row.info.tags = found->second;
        rows.push_back(std::move(row));
    }
    return rows;
}

RunSummary summaryOf(const StoredRun& run, const SessionHeader& session, const std::vector<IntervalSample>& intervals)
{
    SummaryBuilder builder = builderOf(run, session);
    for (const IntervalSample& sample : intervals)
        builder.add(sample);
    return summaryOf(builder, run);
}

std::string sessionOfRun(Database& database, std::int64_t run)
{
    Statement select(database, "SELECT id FROM session WHERE key = (SELECT session FROM run WHERE key = ?)");
    select << run;
    return select.row() ? select.text(0) : std::string();
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
    session.runs = readRuns(database, row, header);
    DamageFinder(database, row, session).look();
    return session;
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
    const auto add = [&events](RunEvent event) {
        const auto later = std::ranges::upper_bound(events, event.tNs, {}, &RunEvent::tNs);
        events.insert(later, std::move(event));
    };
    if (auto moved = warmupEvent(database, run))
        add(std::move(*moved));
    return events;
}

std::vector<RunEvent> readAnnotations(Database& database, std::int64_t run)
{
    std::vector<RunEvent> notes;
    Statement note(database,
                   "SELECT a.t_ns, a.text FROM annotation a JOIN run r ON r.session = a.session AND r.idx = a.run"
                   " WHERE r.key = ? AND a.t_ns IS NOT NULL ORDER BY a.t_ns, a.idx");
    note << run;
    while (note.row())
        notes.push_back({note.integer(0), 0, EventKind::Note, note.text(1)});
    return notes;
}

} // namespace dyno
