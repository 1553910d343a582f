// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/session_recorder.h"

#include "base/none.h"
#include "base/wall_clock.h"
#include "store/codec/session_codec.h"
#include "store/library/change_notes.h"
#include "store/library/knob_changes.h"
#include "store/library/schema.h"
#include "store/session/artefacts.h"
#include "store/session/interval_blocks.h"
#include "store/session/session_reader.h"

#include <dyno/path.h>
#include <dyno/run_fields.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace dyno {

namespace {

//! Distinct targets of the points, with their paths and without passwords.
std::string targetsOf(const SessionHeader& header)
{
    std::vector<std::string> targets;
    if (header.points.empty())
        targets.push_back(targetText(header.plan.target));
    for (const PointSpec& point : header.points) {
        std::string target = targetText(point.target);
        if (std::ranges::find(targets, target) == targets.end())
            targets.push_back(std::move(target));
    }
    std::string text;
    for (const std::string& target : targets)
        text += (text.empty() ? "" : ", ") + target;
    return text;
}

std::string productOf(const ServerFacts& facts)
{
    return facts.version.empty() ? facts.product : facts.product + " " + facts.version;
}

//! "?, ?, ?" for "a, b, c"
std::string placesFor(std::string_view columns)
{
    std::string places = "?";
    for (std::ptrdiff_t i = std::ranges::count(columns, ','); i > 0; --i)
        places += ", ?";
    return places;
}

} // namespace

SessionRecorder::SessionRecorder(Database& database)
    : m_database(database)
    , m_search(database)
    , m_interval(std::make_unique<Statement>(database, fmt::format("INSERT INTO interval(run, {}) VALUES(?, {})",
                                                                   intervalColumns(), placesFor(intervalColumns()))))
    , m_operation(std::make_unique<Statement>(
          database, "INSERT INTO interval_op(run, interval, op, count, errors, service, response)"
                    " VALUES(?, ?, ?, ?, ?, ?, ?)"))
    , m_event(std::make_unique<Statement>(
          database, "INSERT INTO event(run, idx, t_ns, length_ns, kind, text) VALUES(?, ?, ?, ?, ?, ?)"))
    , m_phase(std::make_unique<Statement>(database,
                                          "INSERT INTO phase(run, idx, phase, t_ns, length_ns) VALUES(?, ?, ?, ?, ?)"
                                          " ON CONFLICT(run, idx) DO UPDATE SET length_ns = excluded.length_ns"))
    , m_counter(std::make_unique<Statement>(database, "INSERT OR IGNORE INTO counter_sample(counter, t_ns, value)"
                                                      " VALUES(?, ?, ?)"))
    , m_hiddenRow(std::make_unique<Statement>(database, "INSERT OR IGNORE INTO hidden_sample(run, t_ns, content)"
                                                        " VALUES(?, ?, ?)"))
{
}

Error continuedElsewhere(std::string title)
{
    return {ErrorKind::BadInput, "another process continued this session meanwhile, so nothing was measured here",
            std::move(title), "run `dyno show` and try again"};
}

//! The rows of a session that goes on stay; only its end is taken back.
void SessionRecorder::continueSession(const SessionHeader& header)
{
    const std::vector<SessionRow> rows = readSessions(m_database, header.id);
    if (!m_database.ok())
        return;
    const std::int64_t key = rows.empty() ? 0 : rows.front().key;
    const auto slots = m_database.number(fmt::format("SELECT count(*) FROM slot WHERE session = {}", key));
    if (rows.empty() || rows.front().info.status == RunStatus::Running || slots != std::int64_t(header.firstRun)) {
        m_refusal = continuedElsewhere(header.title);
        return;
    }
    m_session = key;
    m_seals = std::make_unique<Seals>(m_database, m_session); // a session of an older version has none
    {
        Statement select(m_database, "SELECT status, reason, finished_ms FROM session WHERE key = ?");
        select << m_session;
        if (select.row())
            m_endBefore = End{select.text(0), select.text(1), select.integer(2)};
    }
    Statement update(m_database, "UPDATE session SET status = 'running', reason = '', writer_pid = ?, writer_start = ?,"
                                 " writer_boot = ? WHERE key = ?");
    update << m_self.pid << m_self.start << m_self.boot << m_session;
    update.run();
}

void SessionRecorder::takeBackSitting()
{
    if (m_session == 0 || !m_endBefore)
        return;
    Statement slots(m_database, "DELETE FROM slot WHERE session = ? AND idx >= ?");
    slots << m_session << static_cast<std::int64_t>(m_firstSlot);
    slots.run();
    Statement update(m_database, "UPDATE session SET status = ?, reason = ?, finished_ms = ?, writer_pid = NULL,"
                                 " writer_start = NULL, writer_boot = NULL WHERE key = ?");
    update << m_endBefore->status << m_endBefore->reason << m_endBefore->finishedMs << m_session;
    update.run();
    m_seals->set(SealPart::State);
    m_seals->set(SealPart::Order);
    leaveKnobChanges();
    m_early.clear();
    m_endBefore.reset();
    m_session = m_run = 0;
}

void SessionRecorder::beginSession(const SessionHeader& header)
{
    Statement insert(
        m_database, "INSERT INTO session(id, title, workload, target, source, software, host, plan, started_ms, status,"
                    " seals, writer_pid, writer_start, writer_boot)"
                    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', 1, ?, ?, ?)");
    insert << header.id << header.title << header.plan.workload.name << targetsOf(header) << header.plan.source
           << header.software << codec::write(header.host) << writePlan(header.plan) << header.startedMs << m_self.pid
           << m_self.start << m_self.boot;
    insert.run();
    m_session = m_database.lastInsertId();
    m_seals = std::make_unique<Seals>(m_database, m_session, header.id);
    Statement point(m_database, "INSERT INTO point(session, idx, label, spec) VALUES(?, ?, ?, ?)");
    for (std::size_t i = 0; i < header.points.size(); ++i) {
        point << m_session << static_cast<std::int64_t>(i) << header.points[i].label()
              << codec::write(header.points[i]);
        point.run();
    }
}

void SessionRecorder::write(const SessionHeader& header)
{
    header.sitting > 1 ? continueSession(header) : beginSession(header);
    if (m_session == 0)
        return;
    m_id = header.id;
    m_run = m_factSet = 0;
    m_runIndex = -1;
    m_variables.clear();
    m_slots = header.runs;
    m_firstSlot = header.firstRun;
    Statement slot(m_database, "INSERT INTO slot(session, idx, point, repeat) VALUES(?, ?, ?, ?)");
    for (std::size_t i = header.firstRun; i < header.runs.size(); ++i) {
        slot << m_session << static_cast<std::int64_t>(i) << header.runs[i].point << header.runs[i].repeat;
        slot.run();
    }
    m_search.addStored(m_session); // its points
    if (header.sitting > 1) {      // the rest stays as it was sealed, or without seals
        m_seals->set(SealPart::State);
        m_seals->set(SealPart::Order);
        return;
    }
    for (int part = int(SealPart::Setup); part <= int(SealPart::Order); ++part)
        m_seals->set(SealPart(part));
    for (std::size_t i = 0; i < header.points.size(); ++i)
        m_seals->set(SealPart::Point, static_cast<std::int64_t>(i));
}

void SessionRecorder::beginRun(const RunHeader& header)
{
    Statement insert(m_database, "INSERT INTO run(session, idx, point, repeat, status, data_bytes, effective)"
                                 " VALUES(?, ?, ?, ?, 'running', ?, ?)");
    insert << m_session << header.index << header.point << header.repeat << header.dataBytes
           << codec::write(header.effective, header.device);
    insert.run();
    m_run = m_database.lastInsertId();
    m_search.add(m_session, header.effective);
    m_runIndex = header.index;
    m_nextInterval = m_nextEvent = 0;
    m_counters.clear();
    m_stated.clear();
    m_hidden.clear();
    m_phaseIndex = -1;
    m_lastStart = -1;
    m_currentPhase.reset();
    m_seals->setRun(m_runIndex, m_run);
}

void SessionRecorder::write(const RunHeader& header)
{
    if (m_session == 0)
        return;
    beginRun(header);
    Statement op(m_database, "INSERT INTO op(run, idx, name, class) VALUES(?, ?, ?, ?)");
    for (std::size_t i = 0; i < header.operations.size(); ++i) {
        op << m_run << static_cast<std::int64_t>(i) << header.operations[i].name
           << codec::toText(header.operations[i].opClass);
        op.run();
    }
    writeCounters(header.counters);
    writeFacts(header.server, "before", header.optionFile);
    Statement product(m_database, "UPDATE session SET product = ? WHERE key = ? AND product = ''");
    product << productOf(header.server) << m_session;
    product.run();
    m_seals->set(SealPart::State);
    m_seals->set(SealPart::Series, m_runIndex, m_run);
    m_seals->set(SealPart::Facts, m_runIndex, m_run);
    for (const RunEvent& event : std::exchange(m_early, {}))
        write(event);
}

void SessionRecorder::writeCounters(const std::vector<CounterInfo>& counters)
{
    Statement insert(m_database, "INSERT INTO counter(run, source, name, unit, hidden) VALUES(?, ?, ?, ?, ?)");
    std::set<std::pair<std::string_view, std::string_view>> known;
    for (std::size_t i = 0; i < counters.size(); ++i) {
        m_stated.push_back(counters[i].source == kStatedSource);
        m_hidden.push_back(counters[i].hidden);
        if (!known.emplace(counters[i].source, counters[i].name).second) {
            m_counters.push_back(0); // a name that comes twice is stored once
            continue;
        }
        insert << m_run << counters[i].source << counters[i].name << codec::unitText(counters[i])
               << std::int64_t(counters[i].hidden ? 1 : 0);
        insert.run();
        m_counters.push_back(m_database.lastInsertId());
    }
}

void SessionRecorder::write(const RunAftermath& aftermath)
{
    if (m_run == 0)
        return;
    writeFacts(aftermath.server, "after", {});
    Statement part(m_database, "INSERT INTO data_part(run, idx, kind, name, bytes) VALUES(?, ?, ?, ?, ?)");
    std::int64_t index = 0;
    for (const DataPart& one : aftermath.dataParts) {
        part << m_run << index++ << one.kind << one.name << one.bytes;
        part.run();
    }
    Statement log(m_database, "UPDATE run SET server_log = ? WHERE key = ?");
    log << aftermath.errorLog << m_run;
    log.run();
    m_seals->set(SealPart::Facts, m_runIndex, m_run);
}

void SessionRecorder::writeFacts(const ServerFacts& facts, const char* moment, const std::string& optionFile)
{
    std::string variables = codec::write(facts.variables);
    if (m_factSet == 0 || variables != m_variables) {
        Statement set(m_database, "INSERT INTO fact_set(session, variables) VALUES(?, ?)");
        set << m_session << variables;
        set.run();
        m_factSet = m_database.lastInsertId();
        m_variables = std::move(variables);
        m_search.add(m_session, facts.variables);
    }
    m_search.add(m_session, "product", facts.product);
    m_search.add(m_session, "version", facts.version);
    Statement insert(m_database, "INSERT INTO server_facts(run, moment, product, version, transport, cipher,"
                                 " round_trip_ms, option_file, variables) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert << m_run << moment << facts.product << facts.version << facts.transport << facts.cipher << facts.roundTripMs;
    if (optionFile.empty())
        insert << nullptr;
    else
        insert << optionFile;
    insert << m_factSet;
    insert.run();
}

void SessionRecorder::writePhase(const IntervalSample& sample)
{
    if (m_currentPhase != sample.phase) {
        m_currentPhase = sample.phase;
        m_phaseStart = sample.tNs;
        ++m_phaseIndex;
    }
    *m_phase << m_run << m_phaseIndex << toText(sample.phase) << m_phaseStart
             << sample.tNs + sample.lengthNs - m_phaseStart;
    m_phase->run();
    m_seals->set(SealPart::Phases, m_runIndex, m_run);
}

void SessionRecorder::writeOperation(std::int64_t op, const OpInterval& values)
{
    if (values.count == 0 && values.errors == 0 && values.service.empty() && values.response.empty())
        return;
    *m_operation << m_run << m_nextInterval << op << values.count << values.errors;
    m_operation->blob(values.service.empty() ? std::string() : values.service.toBlob());
    m_operation->blob(values.response.empty() ? std::string() : values.response.toBlob());
    m_operation->run();
}

void SessionRecorder::writeHidden(const IntervalSample& sample)
{
    std::vector<double> values;
    for (std::size_t i = 0; i < std::min(sample.counters.size(), m_counters.size()); ++i) {
        if (m_counters[i] != 0 && m_hidden[i])
            values.push_back(std::isfinite(sample.counters[i]) ? block::kept(sample.counters[i]) : kNone);
    }
    if (std::ranges::all_of(values, [](double value) { return std::isnan(value); }))
        return;
    *m_hiddenRow << m_run << sample.tNs;
    m_hiddenRow->blob(block::writeValues(values));
    m_hiddenRow->run();
}

void SessionRecorder::write(const IntervalSample& sample)
{
    if (m_run == 0)
        return;
    *m_interval << m_run << m_nextInterval << sample.tNs << sample.lengthNs << toText(sample.phase);
    bool errorsWritten = false;
    for (const RunField* field : intervalFields()) {
        if (field->interval.ofClient() && !std::exchange(errorsWritten, true)) {
            if (sample.errors.empty())
                *m_interval << nullptr;
            else
                *m_interval << codec::write(sample.errors);
        }
        field->interval.with(sample, [this](const auto& value) { *m_interval << value; });
    }
    m_interval->run();
    writeOperation(-1, sample.transaction);
    for (std::size_t i = 0; i < sample.ops.size(); ++i)
        writeOperation(static_cast<std::int64_t>(i), sample.ops[i]);
    for (std::size_t i = 0; i < std::min(sample.counters.size(), m_counters.size()); ++i) {
        if (m_counters[i] == 0 || m_hidden[i] || !std::isfinite(sample.counters[i]))
            continue;
        *m_counter << m_counters[i] << sample.tNs
                   << (m_stated[i] ? sample.counters[i] : block::kept(sample.counters[i]));
        m_counter->run();
    }
    writeHidden(sample);
    writePhase(sample);
    m_seals->add(SealPart::Rows, m_runIndex, m_run, m_nextInterval);
    // Counters have one value at a time: a second one is not taken.
    if (sample.tNs > m_lastStart)
        m_seals->add(SealPart::Counters, m_runIndex, m_run, sample.tNs);
    else
        m_seals->set(SealPart::Counters, m_runIndex, m_run);
    m_lastStart = std::max(m_lastStart, sample.tNs);
    ++m_nextInterval;
    if (m_nextInterval % static_cast<std::int64_t>(block::kIntervals) == 0)
        packIntervals(m_database, m_run, false, 1);
}

void SessionRecorder::write(const RunEvent& event)
{
    if (m_run == 0) {
        m_early.push_back(event);
        return;
    }
    *m_event << m_run << m_nextEvent << event.tNs << event.lengthNs << toText(event.kind) << event.text;
    m_event->run();
    m_seals->add(SealPart::Events, m_runIndex, m_run, m_nextEvent++);
}

void SessionRecorder::write(const RunSummary& summary)
{
    if (m_session == 0)
        return;
    const auto matches = [&summary](const RunSlot& slot) {
        return slot.point == summary.point && slot.repeat == summary.repeat;
    };
    const auto slot = std::find_if(m_slots.begin() + std::ptrdiff_t(m_firstSlot), m_slots.end(), matches);
    const int index = static_cast<int>(slot - m_slots.begin());
    // A run may fail before it starts, e.g. because its server does not come up.
    if (slot != m_slots.end() && (m_run == 0 || m_runIndex != index)) {
        RunHeader header;
        header.index = index;
        header.point = summary.point;
        header.repeat = summary.repeat;
        beginRun(header);
    }
    if (m_run == 0)
        return;
    Statement update(m_database, "UPDATE run SET status = ?, reason = ?, summary = ? WHERE key = ?");
    update << toText(summary.status) << summary.reason << codec::write(summary) << m_run;
    update.run();
    m_seals->set(SealPart::Result, m_runIndex, m_run);
    packIntervals(m_database, m_run, true, 2);
}

void SessionRecorder::write(const SessionSummary& summary)
{
    if (m_session == 0)
        return;
    Statement update(m_database, "UPDATE session SET status = ?, reason = ?, finished_ms = ?, writer_pid = NULL,"
                                 " writer_start = NULL, writer_boot = NULL WHERE key = ?");
    update << toText(summary.status) << summary.reason << summary.finishedMs << m_session;
    update.run();
    m_seals->set(SealPart::State);
    leaveKnobChanges();
    m_session = m_run = 0;
}

void SessionRecorder::writeFile(const std::string& name, const std::string& text)
{
    if (m_session != 0)
        writeArtefact(m_database, m_session, name, kGzip, packed(text));
}

void SessionRecorder::writeKnobChange(const std::string& target, const std::string& name, const std::string& oldValue,
                                      const std::string& newValue)
{
    const std::int64_t now = nowMs();
    noteChange(redactUri(target), name, oldValue, newValue);
    Statement insert(m_database, "INSERT INTO knob_change(session, target, name, old_value, new_value, changed_ms,"
                                 " writer_pid, writer_start, writer_boot, seal) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, 0)");
    insert << m_id << redactUri(target) << name << oldValue << newValue << now << m_self.pid << m_self.start
           << m_self.boot;
    insert.run();
    sealKnobChange(m_database, m_database.lastInsertId());
}

void SessionRecorder::writeKnobsRestored(const std::string& target, const std::vector<std::string>& except)
{
    Statement select(m_database, "SELECT key, name FROM knob_change WHERE session = ? AND target = ? AND restored = 0");
    select << m_id << redactUri(target);
    std::vector<std::int64_t> done;
    while (select.row()) {
        if (std::find(except.begin(), except.end(), select.text(1)) == except.end())
            done.push_back(select.integer(0));
    }
    for (const std::int64_t key : done)
        markRestored(m_database, key);
}

//! The process goes on, but this session will not put anything back any more: others may.
void SessionRecorder::leaveKnobChanges()
{
    Statement update(m_database, "UPDATE knob_change SET writer_pid = NULL WHERE session = ? AND restored = 0");
    update << m_id;
    update.run();
}

void SessionRecorder::takeOver(const SessionRecorder& other)
{
    restore(other.state());
    m_factSet = 0; // the next facts are written whole
    m_variables.clear();
    const auto keyOf = [](Statement& select) {
        const std::int64_t key = select.row() ? select.integer(0) : 0;
        select.reset();
        return key;
    };
    if (m_session != 0) {
        Statement select(m_database, "SELECT key FROM session WHERE id = ?");
        select << m_id;
        m_session = keyOf(select);
        m_seals = std::make_unique<Seals>(m_database, m_session);
    }
    if (m_run != 0) {
        Statement select(m_database, "SELECT key FROM run WHERE session = ? AND idx = ?");
        select << m_session << m_runIndex;
        m_run = keyOf(select);
    }
    Statement name(other.m_database, "SELECT source, name FROM counter WHERE key = ?");
    Statement own(m_database, "SELECT key FROM counter WHERE run = ? AND source = ? AND name = ?");
    for (std::int64_t& key : m_counters) {
        if (key == 0)
            continue;
        name << key;
        if (name.row()) {
            own << m_run << name.bytes(0) << name.bytes(1);
            key = keyOf(own);
        } else {
            key = 0;
        }
        name.reset();
    }
}

void SessionRecorder::abandon()
{
    leaveKnobChanges();
    Statement update(m_database, "UPDATE session SET writer_pid = NULL WHERE key = ?");
    update << m_session;
    update.run();
    m_session = m_run = 0;
}

} // namespace dyno
