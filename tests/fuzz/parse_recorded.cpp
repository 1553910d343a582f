// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/parsers.h"
#include "workload/recorded/logs.h"
#include "workload/recorded/replay.h"

#include <algorithm>
#include <sqlite3.h>

namespace dyno::fuzz {

namespace {

//! What is sent where nothing may be changed, on a server that reads a text in its own way.
void readsChangeNothing(const std::string& file, const std::string& format)
{
    using namespace dyno::recorded;
    const auto reads = readReplay({.file = file, .format = format}, [] { return true; });
    if (!reads)
        return;
    sqlite3* database = nullptr;
    require(sqlite3_open(":memory:", &database) == SQLITE_OK, "a database in memory is opened");
    int steps = 0;
    sqlite3_progress_handler(
        database, 1000, [](void* count) { return ++*static_cast<int*>(count) > 100 ? 1 : 0; }, &steps);
    sqlite3_exec(database, "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)", nullptr, nullptr, nullptr);
    const std::int64_t before = sqlite3_total_changes64(database);
    for (const ReplayText& text : reads->texts)
        sqlite3_exec(database, text.text.c_str(), nullptr, nullptr, nullptr);
    const std::int64_t after = sqlite3_total_changes64(database);
    sqlite3_close(database);
    require(before == 2 && after == before, "what only reads changes nothing");
}

} // namespace

//! In each form that there is: what is kept of a log points to what is there, in order of time.
void readRecordedLog(std::string_view input)
{
    using namespace dyno::recorded;
    const InputFile file(input, ".log");
    for (const LogFormat& one : logFormats()) {
        const std::string format = one.id;
        const auto summary = summariseRecording(file.path().string(), format);
        require(summary.has_value(), "a log of a form that was named is read");
        std::int64_t statements = 0;
        for (const RecordedKind& kind : summary->kinds)
            statements += kind.statements;
        require(statements == summary->statements, "each statement is of a kind");

        const auto replay = readReplay({.file = file.path().string(),
                                        .format = format,
                                        .model = one.language.model,
                                        .writes = true,
                                        .sessions = true},
                                       [] { return true; });
        require(replay ? std::int64_t(replay->entries.size()) == statements : statements == 0,
                "all statements can be run again");
        readsChangeNothing(file.path().string(), format);
        if (!replay)
            continue;
        require(std::ranges::is_sorted(replay->entries, {}, &ReplayEntry::atUs), "statements are by time");
        for (const ReplayEntry& entry : replay->entries) {
            require(entry.text < replay->texts.size() && entry.session < replay->sessions.size(),
                    "a statement has a text and a session");
            require(indexOf(replay->texts[entry.text].op) < replay->operations.size(), "a statement is of a kind");
        }
    }
}

} // namespace dyno::fuzz
