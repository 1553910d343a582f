// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/library/schema.h"

#include "store/library/new_file.h"
#include "store/library/search_index.h"

#include <dyno/run_fields.h>

#include <fmt/format.h>
#include <utility>
#include <variant>

namespace dyno {

namespace {

// Times are nanoseconds from the start of the run's first phase, *_ms are milliseconds since 1970 (UTC).
// `interval_op.op` is an index into `op`, −1 stands for whole transactions. Histograms are Histogram::toBlob().
// These are the tables of version 1; what came later is added by the steps below, in a new file as well as in an old
// one.
constexpr const char* kTables = R"sql(
CREATE TABLE session(
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    notes TEXT NOT NULL DEFAULT '',
    workload TEXT NOT NULL,
    target TEXT NOT NULL,
    product TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL DEFAULT '',
    software TEXT NOT NULL,
    host TEXT NOT NULL,
    plan TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    finished_ms INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    removed_ms INTEGER,
    writer_pid INTEGER,
    writer_start INTEGER,
    writer_boot TEXT
) STRICT;
CREATE INDEX session_started ON session(started_ms);
CREATE TABLE point(
    session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    label TEXT NOT NULL,
    spec TEXT NOT NULL,
    PRIMARY KEY(session, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE slot(
    session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    point INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    PRIMARY KEY(session, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE run(
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    point INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    data_bytes INTEGER NOT NULL DEFAULT 0,
    effective TEXT NOT NULL,
    summary TEXT,
    UNIQUE(session, idx)
) STRICT;
CREATE TABLE phase(
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    phase TEXT NOT NULL,
    t_ns INTEGER NOT NULL,
    length_ns INTEGER NOT NULL,
    PRIMARY KEY(run, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE op(
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    name TEXT NOT NULL,
    class TEXT NOT NULL,
    PRIMARY KEY(run, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE interval(
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    t_ns INTEGER NOT NULL,
    length_ns INTEGER NOT NULL,
    phase TEXT NOT NULL,
    users INTEGER NOT NULL,
    retried INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    reconnects INTEGER NOT NULL,
    lock_waits INTEGER NOT NULL,
    errors TEXT,
    cpu_s REAL NOT NULL,
    rss_bytes INTEGER NOT NULL,
    host_busy REAL NOT NULL,
    sched_delay_s REAL NOT NULL,
    PRIMARY KEY(run, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE interval_op(
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    interval INTEGER NOT NULL,
    op INTEGER NOT NULL,
    count INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    service BLOB,
    response BLOB,
    PRIMARY KEY(run, interval, op)
) STRICT, WITHOUT ROWID;
CREATE TABLE counter(
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    unit TEXT NOT NULL DEFAULT '',
    UNIQUE(run, source, name)
) STRICT;
CREATE TABLE counter_sample(
    counter INTEGER NOT NULL REFERENCES counter(key) ON DELETE CASCADE,
    t_ns INTEGER NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY(counter, t_ns)
) STRICT, WITHOUT ROWID;
CREATE TABLE event(
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    t_ns INTEGER NOT NULL,
    length_ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY(run, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE fact_set(
    key INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
    variables TEXT NOT NULL
) STRICT;
CREATE INDEX fact_set_session ON fact_set(session);
CREATE TABLE server_facts(
    run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,
    moment TEXT NOT NULL,
    product TEXT NOT NULL,
    version TEXT NOT NULL,
    transport TEXT NOT NULL,
    cipher TEXT NOT NULL,
    round_trip_ms REAL NOT NULL,
    option_file TEXT,
    variables INTEGER NOT NULL REFERENCES fact_set(key) ON DELETE CASCADE,
    PRIMARY KEY(run, moment)
) STRICT, WITHOUT ROWID;
CREATE INDEX server_facts_variables ON server_facts(variables);
CREATE TABLE artefact(
    session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY(session, idx)
) STRICT;
CREATE TABLE annotation(
    session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    run INTEGER,
    t_ns INTEGER,
    created_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY(session, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE tag(
    session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY(session, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE knob_change(
    key INTEGER PRIMARY KEY,
    session TEXT,
    target TEXT NOT NULL,
    name TEXT NOT NULL,
    old_value TEXT NOT NULL,
    new_value TEXT NOT NULL,
    changed_ms INTEGER NOT NULL,
    restored INTEGER NOT NULL DEFAULT 0,
    writer_pid INTEGER,
    writer_start INTEGER,
    writer_boot TEXT
) STRICT;
CREATE INDEX knob_change_open ON knob_change(target) WHERE restored = 0;
)sql";

//! A copy of the file as it is, beside it.
Expected<void> backUp(Database& database, int version)
{
    namespace fs = std::filesystem;
    fs::path copy;
    std::error_code ignored;
    for (int n = 0; n == 0 || fs::exists(copy, ignored); ++n) {
        copy = database.file();
        copy += n == 0 ? fmt::format(".before-v{}", version + 1) : fmt::format(".before-v{}.{}", version + 1, n);
    }
    const Draft draft(copy);
    {
        Statement vacuum(database, "VACUUM INTO ?");
        vacuum << draft.file().string();
        vacuum.run();
    }
    if (auto copied = database.result(); !copied) {
        Error error = copied.error();
        if (error.kind == ErrorKind::Storage)
            error.message =
                "no copy could be made of the library, which is of an older version and would be changed: " +
                error.message;
        return fail(std::move(error));
    }
    return draft.takeName();
}

//! What intervals hold since that version. A count that is new there needs a step, see kMigrations, that says no more.
void addIntervalColumns(Database& database, int version)
{
    for (const RunField* field : intervalFields()) {
        if (field->interval.since != version)
            continue;
        const bool real = std::holds_alternative<double ClientHealth::*>(field->interval.member);
        database.exec(fmt::format("ALTER TABLE interval ADD COLUMN {} {} NOT NULL DEFAULT 0", field->interval.column,
                                  real ? "REAL" : "INTEGER"));
    }
}

//! Open loop, changed rows, more of the generator's health, and a warm-up whose end can be moved.
//! `run.warmup_end_ns`: where the measured time begins, if it was moved after the run; `interval.phase`, `phase` and
//! `recorded_summary` stay as they were recorded, `summary` is of the moved state.
void toVersion2(Database& database)
{
    addIntervalColumns(database, 2);
    for (const char* column : {"warmup_end_ns INTEGER", "warmup_moved_ms INTEGER", "recorded_summary TEXT"})
        database.exec(fmt::format("ALTER TABLE run ADD COLUMN {}", column));
}

//! What a run left on the server: `server_facts` gets a row of the moment "after", `data_part` the sizes in the data
//! folder of a managed server (kinds as in DataPart), `run.server_log` what that server wrote.
void toVersion3(Database& database)
{
    database.exec("ALTER TABLE run ADD COLUMN server_log TEXT");
    database.exec("CREATE TABLE data_part("
                  "run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,"
                  "idx INTEGER NOT NULL,"
                  "kind TEXT NOT NULL,"
                  "name TEXT NOT NULL,"
                  "bytes INTEGER NOT NULL,"
                  "PRIMARY KEY(run, idx)) STRICT, WITHOUT ROWID");
}

//! Archived sessions, named views, and what search looks at: `setting` holds each pair of name and value once,
//! `session_setting` which sessions had it (see search_index.h). The indexes let a list of thousands be read at once.
void toVersion4(Database& database)
{
    database.exec("ALTER TABLE session ADD COLUMN archived_ms INTEGER");
    database.exec("CREATE TABLE view("
                  "session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,"
                  "idx INTEGER NOT NULL,"
                  "name TEXT NOT NULL,"
                  "text TEXT NOT NULL,"
                  "PRIMARY KEY(session, idx)) STRICT, WITHOUT ROWID");
    database.exec("CREATE TABLE setting("
                  "key INTEGER PRIMARY KEY,"
                  "name TEXT NOT NULL COLLATE NOCASE,"
                  "value TEXT NOT NULL COLLATE NOCASE,"
                  "UNIQUE(name, value)) STRICT");
    database.exec("CREATE TABLE session_setting("
                  "setting INTEGER NOT NULL,"
                  "session INTEGER NOT NULL,"
                  "PRIMARY KEY(setting, session)) STRICT, WITHOUT ROWID");
    database.exec("CREATE INDEX run_status ON run(session, status)");
    database.exec("CREATE INDEX session_shown ON session(started_ms, archived_ms) WHERE removed_ms IS NULL");
    indexSessions(database);
}

//! Intervals that are packed together (see interval_blocks.h). Rows of older versions stay as they are until
//! Library::vacuum() packs them.
void toVersion5(Database& database)
{
    database.exec("CREATE TABLE block("
                  "run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,"
                  "part INTEGER NOT NULL,"
                  "series INTEGER NOT NULL,"
                  "first INTEGER NOT NULL,"
                  "intervals INTEGER NOT NULL,"
                  "content BLOB NOT NULL,"
                  "PRIMARY KEY(run, part, series, first)) STRICT");
}

//! Seals (see seals.h). `session.seals` is NULL where there are none: sessions of older versions, and their copies.
void toVersion6(Database& database)
{
    database.exec("ALTER TABLE session ADD COLUMN seals INTEGER");
    database.exec("ALTER TABLE block ADD COLUMN seal INTEGER");
    database.exec("CREATE TABLE seal("
                  "session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,"
                  "part INTEGER NOT NULL,"
                  "idx INTEGER NOT NULL,"
                  "value INTEGER NOT NULL,"
                  "PRIMARY KEY(session, part, idx)) STRICT, WITHOUT ROWID");
}

//! Seals of changed settings. NULL: recorded by an older version.
void toVersion7(Database& database)
{
    database.exec("ALTER TABLE knob_change ADD COLUMN seal INTEGER");
}

//! Counters that are kept and not shown (CounterInfo::hidden): all values of an interval in one row, in the order of
//! their keys (block::writeValues()). With a row each an interval would change as many pages as there are of them.
void toVersion8(Database& database)
{
    database.exec("ALTER TABLE counter ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0");
    database.exec("CREATE TABLE hidden_sample("
                  "run INTEGER NOT NULL REFERENCES run(key) ON DELETE CASCADE,"
                  "t_ns INTEGER NOT NULL,"
                  "content BLOB NOT NULL,"
                  "PRIMARY KEY(run, t_ns)) STRICT, WITHOUT ROWID");
}

constexpr Migration kMigrations[] = {
    {1, &toVersion2}, // brings version 1 to version 2, and so on, one line a version
    {2, &toVersion3}, {3, &toVersion4}, {4, &toVersion5}, {5, &toVersion6}, {6, &toVersion7}, {7, &toVersion8},
};

} // namespace

std::string intervalColumns(int newest)
{
    std::string columns = "idx, t_ns, length_ns, phase";
    bool errors = false;
    for (const RunField* field : intervalFields()) {
        if (field->interval.since > newest)
            continue;
        if (field->interval.ofClient() && !std::exchange(errors, true))
            columns += ", errors";
        columns += fmt::format(", {}", field->interval.column);
    }
    return columns;
}

std::span<const Migration> migrations()
{
    return kMigrations;
}

Expected<void> createSchema(Database& database, int version)
{
    database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
    Transaction transaction(database);
    database.exec(kTables);
    for (const Migration& step : kMigrations) {
        if (step.from < version)
            step.apply(database);
    }
    database.exec(fmt::format("PRAGMA user_version = {}", version));
    return transaction.commit();
}

Expected<void> migrate(Database& database, std::span<const Migration> steps, int target)
{
    auto version = static_cast<int>(database.number("PRAGMA user_version"));
    if (auto read = database.result(); !read)
        return read;
    if (version == target)
        return {};
    if (database.file() != ":memory:") {
        if (auto saved = backUp(database, version); !saved)
            return saved;
    }
    Transaction transaction(database);
    // Another process may have done it while this one waited for the lock.
    version = static_cast<int>(database.number("PRAGMA user_version"));
    for (; version < target && database.ok(); ++version) {
        const Migration* step = nullptr;
        for (const Migration& candidate : steps)
            step = candidate.from == version ? &candidate : step;
        if (!step) {
            return fail({ErrorKind::Storage,
                         fmt::format("this Dynobench cannot read libraries of version {} any more", version),
                         database.file().string(), "open it with an older Dynobench; nothing was changed"});
        }
        step->apply(database);
    }
    database.exec(fmt::format("PRAGMA user_version = {}", target));
    return transaction.commit();
}

} // namespace dyno
