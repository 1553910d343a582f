// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/sqlite/sqlite_connection.h"
#include "base/sqlite_file.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <time.h>
#include <utility>

namespace dyno {

namespace {

//! The waits of sqlite3_busy_timeout() in milliseconds (sqliteDefaultBusyCallback() in SQLite's main.c): what is
//! measured here must be what a program with that call would see.
constexpr std::array kBusyDelaysMs = {1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100};

//! Instructions of SQLite's virtual machine between two looks at the abort flag: well below a millisecond.
constexpr int kProgressSteps = 10'000;

OptionSpec choice(const char* name, const char* label, const char* help, const char* value,
                  std::vector<std::string> choices)
{
    return {.name = name,
            .label = label,
            .help = help,
            .type = OptionType::Choice,
            .defaultValue = std::string(value),
            .choices = std::move(choices)};
}

//! Words and numbers as they are, everything else as an SQL string.
std::string pragmaValue(const std::string& text)
{
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
               c == '.';
    });
    return plain ? text : sqliteText(text);
}

const char* remedyFor(int primary)
{
    switch (primary) {
    case SQLITE_NOTADB:
        return "name another file; Dynobench does not overwrite files that are not databases";
    case SQLITE_CORRUPT:
        return "the file is damaged: remove it and load the data again";
    case SQLITE_FULL:
        return "make room on the disk";
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "check the rights of the file and of its folder, in which SQLite keeps its journal";
    case SQLITE_CANTOPEN:
        return "check that the folder exists and may be written to";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another connection holds a lock: end the program that uses the file";
    default:
        return "";
    }
}

} // namespace

std::string sqliteText(std::string_view text)
{
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return quoted + "'";
}

SqliteCountsPtr countsOf(const std::string& file)
{
    static std::mutex mutex;
    static std::map<std::string, SqliteCountsPtr> files;
    std::error_code ignored;
    const std::string name = std::filesystem::weakly_canonical(file, ignored).string();
    const std::lock_guard lock(mutex);
    SqliteCountsPtr& counts = files[name.empty() ? file : name];
    if (!counts)
        counts = std::make_shared<SqliteCounts>();
    return counts;
}

OptionSpecs sqliteOptions()
{
    OptionSpec pageSize =
        choice("page_size", "Page size", "Size of a database page in bytes; fixed when the file is made.", "4096",
               {"512", "1024", "2048", "4096", "8192", "16384", "32768", "65536"});
    pageSize.unit = "bytes";
    pageSize.affectsData = true;
    OptionSpec begin = choice("begin", "BEGIN",
                              "How a transaction starts. immediate takes the write lock at once and can wait for it. "
                              "deferred takes it at the first write: a transaction that read before cannot wait for it "
                              "any more and fails as busy. auto: immediate if the workload writes, else deferred.",
                              "auto", {"auto", "immediate", "deferred"});
    begin.group = "advanced";
    OptionSpec locking = choice("locking_mode", "Locking mode",
                                "EXCLUSIVE keeps the file's lock between transactions: faster, but for one user only.",
                                "NORMAL", {"NORMAL", "EXCLUSIVE"});
    locking.group = "advanced";
    OptionSpec autoVacuum =
        choice("auto_vacuum", "Give space back",
               "FULL makes the file smaller at each commit that frees pages, INCREMENTAL keeps what it needs to do so "
               "when it is asked; fixed when the file is made.",
               "NONE", {"NONE", "FULL", "INCREMENTAL"});
    autoVacuum.affectsData = true;
    autoVacuum.group = "advanced";
    OptionSpec tempStore = choice("temp_store", "Temporary tables",
                                  "Where sorts and temporary tables go that do not fit into the page cache; DEFAULT is "
                                  "what the library was built with.",
                                  "DEFAULT", {"DEFAULT", "FILE", "MEMORY"});
    tempStore.group = "advanced";
    OptionSpec foreignKeys = choice(
        "foreign_keys", "Foreign keys",
        "ON enforces the foreign keys that tables were made with. OFF passes over them, as SQLite does by itself.",
        "OFF", {"OFF", "ON"});
    foreignKeys.group = "advanced";
    return {
        choice("journal_mode", "Journal mode",
               "How a transaction is made atomic: WAL writes ahead to a log; the others keep a rollback journal, OFF "
               "keeps "
               "none.",
               "WAL", {"WAL", "DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF"}),
        choice("synchronous", "Synchronous",
               "When SQLite waits for the disk: OFF never; NORMAL at checkpoints (WAL) or at the most critical "
               "moments; FULL "
               "at each commit; EXTRA also for the folder of the journal.",
               "FULL", {"OFF", "NORMAL", "FULL", "EXTRA"}),
        {.name = "cache_size",
         .label = "Page cache",
         .help =
             "Cache of each connection, as the pragma takes it: a positive number counts pages, a negative one KiB. "
             "SQLite's own default is −2000 (2 MB).",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(-2000),
         .minimum = -2147483647.0,
         .maximum = 2147483647.0},
        std::move(pageSize),
        {.name = "mmap_size",
         .label = "Memory map",
         .help = "How much of the file is read through a memory map, in bytes; 0 for none.",
         .type = OptionType::Bytes,
         .defaultValue = std::int64_t(0),
         .unit = "bytes",
         .minimum = 0},
        {.name = "busy_timeout",
         .label = "Wait for a lock",
         .help = "How long a user waits for a lock, in milliseconds, before its transaction fails as busy. Waits are "
                 "counted.",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(5000),
         .unit = "ms",
         .minimum = 0,
         .maximum = 3600000},
        {.name = "wal_autocheckpoint",
         .label = "Checkpoint after",
         .help =
             "WAL only: pages in the log after which the committing user moves them into the database; 0 for never.",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(1000),
         .unit = "pages",
         .minimum = 0,
         .maximum = 2147483647.0,
         .group = "advanced"},
        {.name = "journal_size_limit",
         .label = "Keep of the journal",
         .help = "Bytes that a journal or log may keep after it was used; −1 keeps all, 0 makes it empty.",
         .type = OptionType::Bytes,
         .defaultValue = std::int64_t(-1),
         .unit = "bytes",
         .minimum = -1,
         .group = "advanced"},
        {.name = "threads",
         .label = "Helper threads",
         .help = "Threads that a connection may start beside its own for large sorts; 0 for none.",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(0),
         .unit = "threads",
         .minimum = 0,
         .maximum = 8,
         .group = "advanced"},
        std::move(tempStore),
        std::move(autoVacuum),
        std::move(locking),
        std::move(foreignKeys),
        std::move(begin),
    };
}

Expected<void> SqliteConnection::open(const ConnectTarget& target, SqliteRole role)
{
    namespace fs = std::filesystem;
    close();
    m_file = target.uri.path;
    if (m_file.empty() || m_file == ":memory:") {
        return fail({ErrorKind::BadInput, "each connection would have an empty database of its own",
                     target.uri.display(), "name a file; in /dev/shm it lies in memory"});
    }
    std::error_code ignored;
    const fs::path folder = fs::path(m_file).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, ignored)) {
        return fail({ErrorKind::Unreachable, fmt::format("the folder {} does not exist", folder.string()), m_file,
                     "make the folder first, or name a file in another one"});
    }
    if (fs::is_directory(m_file, ignored))
        return fail({ErrorKind::BadInput, "this is a folder, not a file", m_file, "name a file in it"});
    if (auto ours = role != SqliteRole::User ? refusalAsTarget(m_file) : std::optional<Error>()) // users come after it
        return fail(std::move(*ours));
    if (sqlite3_threadsafe() == 0) {
        return fail({ErrorKind::Refused, "the SQLite library was built without thread safety", m_file,
                     "use a build with SQLITE_THREADSAFE=1 or 2"});
    }

    // Each connection stays on one thread: SQLite's own lock around it would only cost time.
    const bool look = role == SqliteRole::Look;
    const int create = role == SqliteRole::Admin ? SQLITE_OPEN_CREATE : 0;
    const int how = look ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE | create;
    const std::string name = look ? unchangedSqliteUri(m_file) : m_file;
    sqlite3* db = nullptr;
    const int state = sqlite3_open_v2(name.c_str(), &db, how | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    {
        const std::lock_guard lock(m_handleMutex);
        m_db = db;
    }
    Expected<void> done;
    if (state != SQLITE_OK) {
        done = fail(error(state));
    } else {
        m_busyTimeoutMs =
            target.busyTimeoutMs > 0 ? target.busyTimeoutMs : int(integerOf(target.connection, "busy_timeout", 5000));
        sqlite3_busy_handler(m_db, onBusy, this);
        sqlite3_progress_handler(m_db, kProgressSteps, onProgress, this);
        done = applyKnobs(target, role);
    }
    if (!done)
        close();
    return done;
}

void SqliteConnection::close() noexcept
{
    sqlite3* db = nullptr;
    {
        const std::lock_guard lock(m_handleMutex);
        db = std::exchange(m_db, nullptr);
    }
    // Outside the lock: the last connection moves the log into the database, which takes its time.
    sqlite3_close_v2(db);
}

void SqliteConnection::abort() noexcept
{
    const std::lock_guard lock(m_handleMutex);
    m_aborted.store(true);
    if (m_db)
        sqlite3_interrupt(m_db);
}

int SqliteConnection::onBusy(void* self, int calls)
{
    auto* connection = static_cast<SqliteConnection*>(self);
    if (connection->aborted())
        return 0;
    int waitedMs = 0;
    for (int i = 0; i < calls; ++i)
        waitedMs += kBusyDelaysMs[std::min(std::size_t(i), kBusyDelaysMs.size() - 1)];
    const int left = connection->m_busyTimeoutMs - waitedMs;
    if (left <= 0)
        return 0;
    if (calls == 0)
        connection->m_busyWaits.fetch_add(1, std::memory_order_relaxed);
    const int delayMs = std::min(kBusyDelaysMs[std::min(std::size_t(calls), kBusyDelaysMs.size() - 1)], left);
    const timespec delay{.tv_sec = 0, .tv_nsec = long(delayMs) * 1'000'000};
    nanosleep(&delay, nullptr);
    return 1;
}

int SqliteConnection::onProgress(void* self)
{
    return static_cast<SqliteConnection*>(self)->aborted() ? 1 : 0;
}

//! What the file keeps, or what locks it.
Expected<void> SqliteConnection::applyFileKnobs(const ConnectTarget& target, SqliteRole role)
{
    // What the first write fixes comes first, and switching to WAL writes: the page size, and whether space is given
    // back. In a file that has pages already the page size changes nothing; Admin::facts() tells what is in force.
    Expected<void> done = setPragma("page_size", textOf(target.connection, "page_size", "4096"));
    if (done) {
        const Expected<std::string> pages = value("PRAGMA page_count");
        if (!pages)
            return fail(pages.error());
        if (*pages == "0") // in a file that is there FULL and INCREMENTAL would change places for good
            done = setPragma("auto_vacuum", textOf(target.connection, "auto_vacuum", "NONE"));
    }
    // The control plane never takes the file for itself: users come while it is there.
    if (done)
        done = setPragma("locking_mode",
                         role == SqliteRole::Admin ? "NORMAL" : textOf(target.connection, "locking_mode", "NORMAL"));
    if (!done)
        return done;
    const std::string journal = textOf(target.connection, "journal_mode", "WAL");
    const Expected<std::string> inForce = value("PRAGMA journal_mode=" + pragmaValue(journal));
    if (!inForce)
        return fail(inForce.error());
    if (lowered(*inForce) != lowered(journal)) {
        return fail({ErrorKind::Refused, fmt::format("the journal mode stays {}, {} was asked for", *inForce, journal),
                     m_file,
                     "WAL needs a file system with shared memory; leaving WAL needs every other connection closed"});
    }
    return {};
}

Expected<void> SqliteConnection::applyKnobs(const ConnectTarget& target, SqliteRole role)
{
    Expected<void> done = role == SqliteRole::Look ? Expected<void>() : applyFileKnobs(target, role);
    for (const auto& [name, fallback] :
         {std::pair("synchronous", "FULL"), std::pair("cache_size", "-2000"), std::pair("mmap_size", "0"),
          std::pair("wal_autocheckpoint", "1000"), std::pair("foreign_keys", "OFF"), std::pair("temp_store", "DEFAULT"),
          std::pair("journal_size_limit", "-1"), std::pair("threads", "0")}) {
        if (!done)
            return done;
        done = setPragma(name, textOf(target.connection, name, fallback));
    }
    return done ? applyExtra(target.connectionExtra, role) : done;
}

Expected<void> SqliteConnection::applyExtra(const Settings& extra, SqliteRole role)
{
    for (const auto& [name, wanted] : extra) {
        // SQLite passes over a pragma that it does not know without a word.
        const Expected<std::string> known =
            value(fmt::format("SELECT name FROM pragma_pragma_list WHERE name = lower({})", sqliteText(name)));
        if (!known)
            return fail(known.error());
        if (known->empty()) {
            return fail({ErrorKind::BadInput, fmt::format("SQLite {} has no pragma \"{}\"", sqlite3_libversion(), name),
                         "connection." + name, "see `dyno knobs sqlite`"});
        }
        if (role == SqliteRole::Look)
            continue; // user_version and its like would be written
        if (Expected<void> done = setPragma(name, toText(wanted)); !done)
            return done;
    }
    return {};
}

Expected<void> SqliteConnection::setPragma(const std::string& name, const std::string& text)
{
    const Expected<std::string> done = value(fmt::format("PRAGMA {}={}", name, pragmaValue(text)));
    if (!done)
        return fail(done.error());
    return {};
}

Expected<std::string> SqliteConnection::value(const std::string& sql)
{
    const Expected<TextRows> all = rows(sql);
    if (!all)
        return fail(all.error());
    return all->empty() || all->front().empty() ? std::string() : all->front().front();
}

Expected<TextRows> SqliteConnection::rows(std::string_view sql)
{
    TextRows result;
    while (!sql.empty()) {
        sqlite3_stmt* prepared = nullptr;
        const char* tail = nullptr;
        int state = sqlite3_prepare_v2(m_db, sql.data(), int(sql.size()), &prepared, &tail);
        if (state != SQLITE_OK)
            return fail(error(state));
        const StatementHandle statement(prepared);
        sql.remove_prefix(std::size_t(tail - sql.data()));
        if (!statement)
            continue; // a comment, or the blank after the last semicolon
        while ((state = sqlite3_step(prepared)) == SQLITE_ROW) {
            std::vector<std::string> row;
            for (int column = 0; column < sqlite3_column_count(prepared); ++column) {
                const auto* text = static_cast<const char*>(sqlite3_column_blob(prepared, column));
                const int size = sqlite3_column_bytes(prepared, column);
                row.emplace_back(text ? std::string(text, std::size_t(size)) : std::string());
            }
            result.push_back(std::move(row));
        }
        if (state != SQLITE_DONE)
            return fail(error(state));
    }
    return result;
}

Error SqliteConnection::error(int code) const
{
    const int primary = code & 0xff;
    const bool unusable = primary == SQLITE_NOTADB || primary == SQLITE_READONLY || primary == SQLITE_PERM ||
                          primary == SQLITE_CORRUPT || primary == SQLITE_BUSY || primary == SQLITE_LOCKED;
    ErrorKind kind = unusable ? ErrorKind::Refused : ErrorKind::Failed;
    if (primary == SQLITE_CANTOPEN)
        kind = ErrorKind::Unreachable;
    const char* text = m_db ? sqlite3_errmsg(m_db) : sqlite3_errstr(code);
    const char* remedy = code == SQLITE_READONLY_ROLLBACK
                             ? "a program was cut off while it wrote this file; open it with that program once"
                             : remedyFor(primary);
    return {kind, fmt::format("SQLite says: {} (code {})", text, code), m_file, remedy};
}

} // namespace dyno
