// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/library/database.h"

#include "base/sqlite_file.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <utility>

namespace dyno {

namespace {

// Long enough for another process to finish a big commit or a purge, short enough to end.
constexpr int kBusyMs = 15000;

//! Far above what our own statements and values need (sqlite.org/limits.html).
constexpr std::pair<int, int> kLimits[] = {
    {SQLITE_LIMIT_LENGTH, 256 << 20},   // the largest value: an imported original
    {SQLITE_LIMIT_SQL_LENGTH, 1 << 16}, // also of a table's definition
    {SQLITE_LIMIT_COLUMN, 100},
    {SQLITE_LIMIT_EXPR_DEPTH, 100},
    {SQLITE_LIMIT_COMPOUND_SELECT, 20},
    {SQLITE_LIMIT_FUNCTION_ARG, 20},
    {SQLITE_LIMIT_ATTACHED, 2}, // VACUUM attaches one
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 2048},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 5000},
};

//! A file: URI for SQLite, with everything encoded that has a meaning there.
std::string sqliteUri(const std::filesystem::path& file, std::string_view query)
{
    if (file == ":memory:")
        return file.string();
    return fmt::format("file:{}{}", sqliteUriPath(std::filesystem::absolute(file)), query);
}

} // namespace

bool isHeld(int code)
{
    return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
}

Error storageError(int code, std::string_view sqliteText, const std::filesystem::path& file)
{
    Error error{ErrorKind::Storage, {}, file.string(), {}};
    if (code == SQLITE_CONSTRAINT_COMMITHOOK) {
        error.message = "the library was moved or deleted meanwhile";
        error.remedy = "do it again; nothing was changed";
        return error;
    }
    switch (code & 0xff) {
    case SQLITE_NOTADB:
        error.message = "this is not a Dynobench library, or its beginning is destroyed";
        error.remedy = "choose another file; nothing was changed";
        break;
    case SQLITE_CORRUPT:
        error.message = fmt::format("the file is damaged ({})", sqliteText);
        error.remedy = "restore a backup, or save what is left with: sqlite3 FILE .recover; nothing was changed";
        break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        error.message = "the library cannot be written";
        error.remedy = "choose another library with --library FILE, or make the file and its folder writable";
        break;
    case SQLITE_CANTOPEN:
        error.message = "the file cannot be opened";
        error.remedy = "check that it is there and that you may read it, or choose another one with --library FILE";
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        error.message = "another program holds the library for too long";
        error.remedy = "end the other program, or choose another library with --library FILE";
        break;
    case SQLITE_INTERRUPT:
        error.kind = ErrorKind::Interrupted;
        error.message = "it was cancelled";
        error.remedy = "nothing was changed";
        break;
    case SQLITE_TOOBIG:
        error.message = "a value in it is larger than anything that Dynobench writes";
        error.remedy = "choose another file; nothing was changed";
        break;
    case SQLITE_FULL:
        error.message = "the disk is full";
        error.remedy = "make room, or choose a library on another disk with --library FILE";
        break;
    case SQLITE_IOERR:
        error.message = fmt::format("reading or writing failed ({})", sqliteText);
        error.remedy = "check the disk, or choose another library with --library FILE";
        break;
    default:
        error.message = fmt::format("the library answers: {} (SQLite code {})", sqliteText, code);
    }
    return error;
}

Database::Database(sqlite3* handle, std::filesystem::path file)
    : m_handle(handle)
    , m_file(std::move(file))
{
    sqlite3_extended_result_codes(m_handle, 1);
    sqlite3_busy_timeout(m_handle, kBusyMs);
    // A crafted file must not be able to run code through views or triggers, nor take memory or time without end.
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    for (const auto& [limit, value] : kLimits)
        sqlite3_limit(m_handle, limit, value);
}

Database::~Database()
{
    // SQLite leaves the log of a file that has moved where it is: its name may be that of another file's log. Where
    // nothing stands, somebody has given the file another name by hand; what only the log has is put into it.
    struct stat there
    {
    };
    if (hasMoved() && ::stat(m_file.c_str(), &there) != 0)
        sqlite3_exec(m_handle, "PRAGMA wal_checkpoint(TRUNCATE)", nullptr, nullptr, nullptr);
    sqlite3_close_v2(m_handle);
}

Expected<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file, Access access)
{
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    flags |= access == Access::Create      ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
             : access == Access::ReadWrite ? SQLITE_OPEN_READWRITE
                                           : SQLITE_OPEN_READONLY;
    sqlite3* handle = nullptr;
    const std::string uri = sqliteUri(file, access == Access::Immutable ? "?immutable=1" : "");
    const int code = sqlite3_open_v2(uri.c_str(), &handle, flags, nullptr);
    if (code != SQLITE_OK) {
        Error error = storageError(code, handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code), file);
        sqlite3_close_v2(handle);
        return fail(std::move(error));
    }
    std::unique_ptr<Database> database(new Database(handle, file));
    // SQLite falls back to reading a write-protected file without a word.
    if ((flags & SQLITE_OPEN_READWRITE) && sqlite3_db_readonly(handle, "main") == 1)
        return fail(storageError(SQLITE_READONLY, "read-only", file));
    if ((flags & SQLITE_OPEN_READWRITE) && file != ":memory:")
        database->watchPlace();
    database->exec("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON");
    if (auto done = database->result(); !done)
        return fail(std::move(done.error()));
    return database;
}

void Database::watchPlace()
{
    struct stat facts
    {
    };
    if (::stat(m_file.c_str(), &facts) != 0)
        return note(SQLITE_CANTOPEN);
    m_device = facts.st_dev;
    // Who moves a library holds its write lock meanwhile, and so does who is about to commit.
    const auto refuses = [](void* data) { return static_cast<const Database*>(data)->hasMoved() ? 1 : 0; };
    sqlite3_commit_hook(m_handle, refuses, this);
}

bool Database::hasMoved() const
{
    if (m_device == 0)
        return false;
    // SQLite compares with the file that it has open, but for its disk.
    int moved = 0;
    sqlite3_file_control(m_handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    struct stat now
    {
    };
    return moved != 0 || ::stat(m_file.c_str(), &now) != 0 || now.st_dev != m_device;
}

Expected<std::unique_ptr<Database>> Database::openInMemory()
{
    return open(":memory:", Access::Create);
}

void Database::note(int code)
{
    if (m_code != SQLITE_OK || code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return;
    m_code = code;
    m_message = sqlite3_errmsg(m_handle);
}

void Database::exec(const std::string& sql)
{
    if (ok())
        note(sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t Database::number(const std::string& sql)
{
    Statement statement(*this, sql);
    return statement.row() ? statement.integer(0) : 0;
}

std::string Database::text(const std::string& sql)
{
    Statement statement(*this, sql);
    return statement.row() ? statement.text(0) : std::string();
}

std::int64_t Database::lastInsertId() const
{
    return sqlite3_last_insert_rowid(m_handle);
}

std::int64_t Database::changes() const
{
    return sqlite3_changes64(m_handle);
}

Expected<void> Database::result()
{
    if (ok())
        return {};
    Error error = storageError(m_code, m_message, m_file);
    m_code = SQLITE_OK;
    m_message.clear();
    return fail(std::move(error));
}

void Database::setBusyTimeout(int milliseconds)
{
    sqlite3_busy_timeout(m_handle, milliseconds);
}

void Database::addFunction(const char* name, std::function<std::string(std::string_view)> call)
{
    using Call = std::function<std::string(std::string_view)>;
    const auto run = [](sqlite3_context* context, int, sqlite3_value** values) {
        const auto* text = static_cast<const char*>(sqlite3_value_blob(values[0]));
        if (!text) {
            sqlite3_result_value(context, values[0]); // NULL and the empty text
            return;
        }
        const auto size = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
        const std::string result = (*static_cast<Call*>(sqlite3_user_data(context)))({text, size});
        sqlite3_result_text64(context, result.data(), result.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    };
    const auto destroy = [](void* data) { delete static_cast<Call*>(data); };
    if (ok()) {
        note(sqlite3_create_function_v2(m_handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                                        new Call(std::move(call)), run, nullptr, nullptr, destroy));
    }
}

void Database::allowDamage()
{
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
}

void Database::copyFrom(Database& source)
{
    sqlite3_backup* backup = sqlite3_backup_init(m_handle, "main", source.m_handle, "main");
    if (!backup) {
        note(sqlite3_errcode(m_handle));
        return;
    }
    sqlite3_backup_step(backup, -1);
    note(sqlite3_backup_finish(backup));
}

Statement::Statement(Database& database, std::string_view sql)
    : m_database(database)
{
    if (database.ok()) {
        database.note(
            sqlite3_prepare_v2(database.m_handle, sql.data(), static_cast<int>(sql.size()), &m_statement, nullptr));
    }
}

Statement::~Statement()
{
    sqlite3_finalize(m_statement);
}

Statement& Statement::operator<<(std::int64_t value)
{
    if (m_statement)
        m_database.note(sqlite3_bind_int64(m_statement, ++m_bound, value));
    return *this;
}

Statement& Statement::operator<<(double value)
{
    if (m_statement)
        m_database.note(sqlite3_bind_double(m_statement, ++m_bound, value));
    return *this;
}

Statement& Statement::operator<<(std::string_view text)
{
    // A null pointer would bind NULL; an empty text is a text.
    const char* data = text.data() ? text.data() : "";
    if (m_statement)
        m_database.note(sqlite3_bind_text64(m_statement, ++m_bound, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    return *this;
}

Statement& Statement::operator<<(std::nullptr_t)
{
    if (m_statement)
        m_database.note(sqlite3_bind_null(m_statement, ++m_bound));
    return *this;
}

Statement& Statement::blob(std::string_view bytes)
{
    if (bytes.empty())
        return *this << nullptr;
    if (m_statement)
        m_database.note(sqlite3_bind_blob64(m_statement, ++m_bound, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
    return *this;
}

Statement& Statement::value(sqlite3_value* value)
{
    if (m_statement)
        m_database.note(sqlite3_bind_value(m_statement, ++m_bound, value));
    return *this;
}

bool Statement::row()
{
    if (!m_statement || !m_database.ok())
        return false;
    const int code = sqlite3_step(m_statement);
    m_database.note(code);
    return code == SQLITE_ROW;
}

void Statement::run()
{
    while (row()) {
    }
    reset();
}

void Statement::reset()
{
    if (m_statement)
        sqlite3_reset(m_statement);
    m_bound = 0;
}

int Statement::columns() const
{
    return m_statement ? sqlite3_column_count(m_statement) : 0;
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}

int Statement::type(int column) const
{
    return sqlite3_column_type(m_statement, column);
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement, column);
}

double Statement::real(int column) const
{
    return sqlite3_column_double(m_statement, column);
}

std::string Statement::text(int column) const
{
    return std::string(bytes(column));
}

std::string_view Statement::bytes(int column) const
{
    const void* data = sqlite3_column_blob(m_statement, column);
    const int size = sqlite3_column_bytes(m_statement, column);
    return data ? std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size)) : std::string_view();
}

sqlite3_value* Statement::raw(int column) const
{
    return sqlite3_column_value(m_statement, column);
}

Transaction::Transaction(Database& database, Kind kind)
    : m_database(database)
{
    m_database.exec(kind == Kind::Write ? "BEGIN IMMEDIATE" : "BEGIN");
    m_open = m_database.ok();
}

Transaction::~Transaction()
{
    // After some errors SQLite has rolled back by itself; then this fails and that is fine.
    if (m_open)
        sqlite3_exec(m_database.m_handle, "ROLLBACK", nullptr, nullptr, nullptr);
}

Expected<void> Transaction::commit()
{
    m_database.exec("COMMIT");
    if (m_database.ok())
        m_open = false;
    return m_database.result();
}

} // namespace dyno
