// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/session_copy.h"

#include "base/secret_names.h"
#include "store/codec/session_codec.h"
#include "store/library/schema.h"
#include "store/library/search_index.h"
#include "store/session/interval_blocks.h"
#include "store/session/seals.h"

#include <fmt/format.h>
#include <map>

namespace dyno {

namespace {

//! Copies rows of `table` whose `parent` column is `oldKey`. `columns` are all others, in the table's order.
void copyRows(Database& from, Database& to, std::string_view table, std::string_view parent, std::string_view columns,
              std::int64_t oldKey, std::int64_t newKey)
{
    Statement select(from, fmt::format("SELECT {} FROM {} WHERE {} = ? ORDER BY 1, 2", columns, table, parent));
    select << oldKey;
    std::string places = "?";
    for (int i = 0; i < select.columns(); ++i)
        places += ", ?";
    Statement insert(to, fmt::format("INSERT INTO {}({}, {}) VALUES({})", table, parent, columns, places));
    while (select.row()) {
        insert << newKey;
        for (int i = 0; i < select.columns(); ++i)
            insert.value(select.raw(i));
        insert.run();
    }
}

//! Older versions stored all variables of a server, also its account for replication.
std::string withoutSecrets(std::string_view variables)
{
    Settings settings = codec::readSettings(variables);
    const auto secrets = std::erase_if(settings, [](const auto& one) { return namesSecret(one.first); });
    return secrets > 0 ? codec::write(settings) : std::string(variables);
}

std::int64_t copySessionRow(Database& from, const SessionRow& session, Database& to)
{
    Statement select(from, "SELECT software, host, plan, archived_ms, seals FROM session WHERE key = ?");
    select << session.key;
    if (!select.row())
        return 0;
    const SessionInfo& info = session.info;
    const bool running = info.status == RunStatus::Running;
    Statement insert(to,
                     "INSERT INTO session(id, title, notes, workload, target, product, source, software, host, plan,"
                     " started_ms, finished_ms, status, reason, archived_ms, seals)"
                     " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert << info.id << info.title << info.notes << info.workload << info.target << info.product << info.source
           << select.bytes(0) << select.bytes(1) << select.bytes(2) << info.startedMs << info.finishedMs
           << (running ? toText(RunStatus::Cut) : toText(info.status))
           << (running ? "copied while the session was still running" : info.reason);
    insert.value(select.raw(3));
    insert.value(select.raw(4));
    insert.run();
    return to.lastInsertId();
}

void copyRun(Database& from, std::int64_t oldRun, Database& to, std::int64_t newRun,
             const std::map<std::int64_t, std::int64_t>& factSets)
{
    copyRows(from, to, "phase", "run", "idx, phase, t_ns, length_ns", oldRun, newRun);
    copyRows(from, to, "op", "run", "idx, name, class", oldRun, newRun);
    copyRows(from, to, "interval", "run", intervalColumns(), oldRun, newRun);
    copyRows(from, to, "interval_op", "run", "interval, op, count, errors, service, response", oldRun, newRun);
    copyRows(from, to, "block", "run", "part, series, first, intervals, content, seal", oldRun, newRun);
    copyRows(from, to, "data_part", "run", "idx, kind, name, bytes", oldRun, newRun);
    copyRows(from, to, "event", "run", "idx, t_ns, length_ns, kind, text", oldRun, newRun);
    {
        Statement select(from, "SELECT moment, product, version, transport, cipher, round_trip_ms, option_file,"
                               " variables FROM server_facts WHERE run = ? ORDER BY moment");
        select << oldRun;
        Statement insert(to, "INSERT INTO server_facts(run, moment, product, version, transport, cipher, round_trip_ms,"
                             " option_file, variables) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
        while (select.row()) {
            const auto set = factSets.find(select.integer(7));
            if (set == factSets.end())
                continue;
            insert << newRun;
            for (int i = 0; i < 7; ++i)
                insert.value(select.raw(i));
            insert << set->second;
            insert.run();
        }
    }
    copyRows(from, to, "hidden_sample", "run", "t_ns, content", oldRun, newRun);
    Statement select(from, "SELECT key, source, name, unit, hidden FROM counter WHERE run = ? ORDER BY key");
    select << oldRun;
    while (select.row()) {
        Statement insert(to, "INSERT INTO counter(run, source, name, unit, hidden) VALUES(?, ?, ?, ?, ?)");
        insert << newRun << select.bytes(1) << select.bytes(2) << select.bytes(3) << select.integer(4);
        insert.run();
        copyRows(from, to, "counter_sample", "counter", "t_ns, value", select.integer(0), to.lastInsertId());
    }
}

//! A copy of a running session is cut, and one may lack secrets; what was damaged before stays so.
void sealChanges(Database& from, std::int64_t oldSession, Database& to, std::int64_t newSession, bool facts)
{
    Seals before(from, oldSession), after(to, newSession);
    if (!before.sealed() || !from.ok() || !to.ok())
        return;
    if (before.holds(SealPart::State))
        after.set(SealPart::State);
    Statement select(from, "SELECT idx, key FROM run WHERE session = ? ORDER BY idx");
    Statement own(to, "SELECT key FROM run WHERE session = ? AND idx = ?");
    select << oldSession;
    while (facts && select.row()) {
        own << newSession << select.integer(0);
        if (own.row() && before.holds(SealPart::Facts, select.integer(0), select.integer(1)))
            after.set(SealPart::Facts, select.integer(0), own.integer(0));
        own.reset();
    }
}

} // namespace

void copySession(Database& from, const SessionRow& session, Database& to)
{
    const std::int64_t newSession = copySessionRow(from, session, to);
    if (!from.ok() || !to.ok() || newSession == 0)
        return;
    copyRows(from, to, "point", "session", "idx, label, spec", session.key, newSession);
    copyRows(from, to, "slot", "session", "idx, point, repeat", session.key, newSession);
    copyRows(from, to, "tag", "session", "idx, text", session.key, newSession);
    copyRows(from, to, "annotation", "session", "idx, run, t_ns, created_ms, text", session.key, newSession);
    copyRows(from, to, "view", "session", "idx, name, text", session.key, newSession);
    copyRows(from, to, "artefact", "session", "idx, name, media_type, content", session.key, newSession);

    copyRows(from, to, "seal", "session", "part, idx, value", session.key, newSession);

    std::map<std::int64_t, std::int64_t> factSets;
    bool changed = false;
    {
        Statement select(from, "SELECT key, variables FROM fact_set WHERE session = ? ORDER BY key");
        select << session.key;
        Statement insert(to, "INSERT INTO fact_set(session, variables) VALUES(?, ?)");
        while (select.row()) {
            const std::string variables = withoutSecrets(select.bytes(1));
            changed = changed || variables != select.bytes(1);
            insert << newSession << variables;
            insert.run();
            factSets[select.integer(0)] = to.lastInsertId();
        }
    }
    Statement select(
        from, "SELECT key, idx, point, repeat, status, reason, data_bytes, effective, summary,"
              " warmup_end_ns, warmup_moved_ms, recorded_summary, server_log FROM run WHERE session = ? ORDER BY idx");
    select << session.key;
    Statement insert(to, "INSERT INTO run(session, idx, point, repeat, status, reason, data_bytes, effective, summary,"
                         " warmup_end_ns, warmup_moved_ms, recorded_summary, server_log)"
                         " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    while (select.row()) {
        insert << newSession;
        for (int i = 1; i < select.columns(); ++i)
            insert.value(select.raw(i));
        insert.run();
        if (to.ok())
            copyRun(from, select.integer(0), to, to.lastInsertId(), factSets);
    }
    sealChanges(from, session.key, to, newSession, changed);
    if (to.ok()) {
        packSession(to, newSession);
        SearchIndex(to).addStored(newSession);
    }
}

} // namespace dyno
