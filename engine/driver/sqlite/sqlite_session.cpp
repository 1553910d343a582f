// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/sqlite/sqlite_session.h"

#include "base/text.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

namespace dyno {

namespace {

Outcome outcomeOf(int code)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return Outcome::Retryable;
    case SQLITE_INTERRUPT:
        return Outcome::TimedOut;
    default:
        return Outcome::Rejected;
    }
}

//! Errors whose text should say which file they are about.
bool isAboutFile(int code)
{
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return true;
    default:
        return false;
    }
}

} // namespace

SqliteSession::SqliteSession(ConnectTargetPtr target)
    : m_target(std::move(target))
    , m_statements(m_target->statements.size())
    , m_counts(countsOf(m_target->uri.path))
{
    // A transaction that reads first and then writes cannot wait for the write lock: SQLite must refuse it at once,
    // since its snapshot may be old by the time the lock is free. So who will write asks for the lock at the start.
    const StatementSet& statements = m_target->statements;
    const bool writes = std::any_of(statements.begin(), statements.end(),
                                    [](const StatementSpec& statement) { return !statement.returnsRows; });
    const std::string how = textOf(m_target->connection, "begin", "auto");
    m_beginText = how == "immediate" || (how == "auto" && writes) ? "BEGIN IMMEDIATE" : "BEGIN";
}

Progress SqliteSession::start(const Request& request)
{
    m_reply = {};
    if (request.kind == RequestKind::Connect)
        connect();
    else if (m_connection.aborted())
        refuse(Outcome::Disconnected, SQLITE_INTERRUPT, "the request was aborted");
    else if (!m_connection.isOpen())
        refuse(Outcome::Disconnected, SQLITE_CANTOPEN, "the session is not connected");
    else
        run(request);
    if (m_counts->asked.load(std::memory_order_relaxed) != m_countedFor)
        countCache();
    // After Disconnected only Connect may follow; what the aborted transaction did is rolled back by closing.
    if (m_reply.outcome == Outcome::Disconnected)
        disconnect();
    return Progress::Done;
}

void SqliteSession::run(const Request& request)
{
    switch (request.kind) {
    case RequestKind::Connect:
        break;
    case RequestKind::Prepare: {
        const std::size_t index = indexOf(request.statement);
        if (index < m_statements.size() && m_target->statements[index].preparable)
            prepare(m_target->statements[index].text, SQLITE_PREPARE_PERSISTENT, m_statements[index]);
        break;
    }
    case RequestKind::Begin:
        executeStep(m_begin, m_beginText);
        break;
    case RequestKind::Commit:
        executeStep(m_commit, "COMMIT");
        break;
    case RequestKind::Rollback:
        // Some errors (disk full, out of memory) have ended the transaction already.
        if (sqlite3_get_autocommit(m_connection.handle()) == 0)
            executeStep(m_rollback, "ROLLBACK");
        break;
    case RequestKind::Execute:
        execute(request);
        break;
    case RequestKind::Text:
        executeText(request.text, request.keep);
        break;
    case RequestKind::Bulk:
        refuse(Outcome::Rejected, SQLITE_MISUSE, "SQLite has no form of load of its own");
        break;
    }
}

void SqliteSession::connect()
{
    disconnect();
    m_connection.clearAbort();
    if (const Expected<void> done = m_connection.open(*m_target, SqliteRole::User); !done)
        return refuse(Outcome::Disconnected, SQLITE_CANTOPEN, done.error().text());
    constexpr std::uint64_t kFrameHeader = 24; // "WAL-mode File Format", 4.1
    m_walFrame = 0;
    const auto mode = m_connection.value("PRAGMA journal_mode");
    const auto page = m_connection.value("PRAGMA page_size");
    if (mode && lowered(*mode) == "wal" && page)
        m_walFrame = std::strtoull(page->c_str(), nullptr, 10) + kFrameHeader;
}

void SqliteSession::countLog()
{
    int pages = 0, highest = 0;
    if (m_walFrame == 0 ||
        sqlite3_db_status(m_connection.handle(), SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 1) != SQLITE_OK)
        return;
    if (pages > 0)
        m_counts->walBytes.fetch_add(std::uint64_t(pages) * m_walFrame, std::memory_order_relaxed);
}

void SqliteSession::countCache()
{
    m_countedFor = m_counts->asked.load(std::memory_order_relaxed);
    const auto statusOf = [this](int what, bool reset) {
        int now = 0, highest = 0;
        const bool known = m_connection.isOpen() &&
                           sqlite3_db_status(m_connection.handle(), what, &now, &highest, reset ? 1 : 0) == SQLITE_OK;
        return known ? std::max(now, 0) : 0;
    };
    const auto add = [](std::atomic<std::uint64_t>& count, std::uint64_t more) {
        if (more > 0)
            count.fetch_add(more, std::memory_order_relaxed);
    };
    add(m_counts->hits, std::uint64_t(statusOf(SQLITE_DBSTATUS_CACHE_HIT, true)));
    add(m_counts->misses, std::uint64_t(statusOf(SQLITE_DBSTATUS_CACHE_MISS, true)));
    add(m_counts->spills, std::uint64_t(statusOf(SQLITE_DBSTATUS_CACHE_SPILL, true)));
    const std::uint64_t waits = m_connection.busyWaits();
    add(m_counts->busyWaits, waits - std::exchange(m_waitsCounted, waits));
    const std::int64_t bytes = statusOf(SQLITE_DBSTATUS_CACHE_USED, false);
    m_counts->cacheBytes.fetch_add(bytes - std::exchange(m_cacheBytes, bytes), std::memory_order_relaxed);
}

void SqliteSession::disconnect()
{
    countCache();
    m_counts->cacheBytes.fetch_sub(std::exchange(m_cacheBytes, 0), std::memory_order_relaxed);
    for (Prepared& statement : m_statements)
        statement = {};
    for (Prepared* step : {&m_begin, &m_commit, &m_rollback})
        *step = {};
    m_connection.close();
}

bool SqliteSession::prepare(std::string_view sql, unsigned flags, Prepared& into)
{
    into = {};
    sqlite3_stmt* handle = nullptr;
    if (!check(sqlite3_prepare_v3(m_connection.handle(), sql.data(), int(sql.size()), flags, &handle, nullptr)))
        return false;
    if (!handle) {
        refuse(Outcome::Rejected, SQLITE_MISUSE, "the statement is empty");
        return false;
    }
    into.handle.reset(handle);
    into.parameters = sqlite3_bind_parameter_count(handle);
    into.writes = sqlite3_stmt_readonly(handle) == 0;
    return true;
}

void SqliteSession::execute(const Request& request)
{
    const std::size_t index = indexOf(request.statement);
    if (index >= m_statements.size()) {
        refuse(Outcome::Rejected, SQLITE_MISUSE, fmt::format("there is no statement {}", index));
        return;
    }
    const StatementSpec& spec = m_target->statements[index];
    if (!spec.preparable) {
        Prepared once;
        if (prepare(spec.text, 0, once) && bind(once, request.params))
            finish(once, spec.keep);
        return;
    }
    Prepared& statement = m_statements[index];
    if (!statement.handle && !prepare(spec.text, SQLITE_PREPARE_PERSISTENT, statement))
        return;
    if (bind(statement, request.params))
        finish(statement, spec.keep);
}

void SqliteSession::executeText(std::string_view sql, Keep keep)
{
    Reply sum;
    while (!sql.empty()) {
        sqlite3_stmt* handle = nullptr;
        const char* tail = nullptr;
        if (!check(sqlite3_prepare_v2(m_connection.handle(), sql.data(), int(sql.size()), &handle, &tail)))
            return;
        sql.remove_prefix(std::size_t(tail - sql.data()));
        if (!handle)
            continue; // a comment, or the blank after the last semicolon
        const Prepared once{StatementHandle(handle), 0, sqlite3_stmt_readonly(handle) == 0};
        if (!finish(once, keep))
            return;
        sum.rows = keep == Keep::Nothing ? sum.rows + m_reply.rows : m_reply.rows; // kept are the last one's
        sum.affected += m_reply.affected;
    }
    m_reply = sum;
}

void SqliteSession::executeStep(Prepared& step, std::string_view sql)
{
    if (step.handle || prepare(sql, SQLITE_PREPARE_PERSISTENT, step))
        finish(step);
}

bool SqliteSession::bind(const Prepared& statement, std::span<const Param> params)
{
    if (params.size() != std::size_t(statement.parameters)) {
        refuse(Outcome::Rejected, SQLITE_RANGE,
               fmt::format("{} parameters were given, the statement has {}", params.size(), statement.parameters));
        return false;
    }
    sqlite3_stmt* handle = statement.handle.get();
    int code = SQLITE_OK;
    for (int i = 0; i < statement.parameters && code == SQLITE_OK; ++i) {
        const Param& param = params[std::size_t(i)];
        switch (param.type) {
        case Param::Type::Null:
            code = sqlite3_bind_null(handle, i + 1);
            break;
        case Param::Type::Integer:
            code = sqlite3_bind_int64(handle, i + 1, param.integer);
            break;
        case Param::Type::Real:
            code = sqlite3_bind_double(handle, i + 1, param.real);
            break;
        case Param::Type::Text:
            // Not copied: the request's texts live until the reply, and every parameter is bound anew each time.
            // An empty view may hold a null pointer, which SQLite would take for NULL.
            code = sqlite3_bind_text64(handle, i + 1, param.text.empty() ? "" : param.text.data(), param.text.size(),
                                       SQLITE_STATIC, SQLITE_UTF8);
            break;
        }
    }
    return check(code);
}

void SqliteSession::keepRow(sqlite3_stmt* statement)
{
    m_kept.beginRow();
    const int columns = sqlite3_data_count(statement);
    for (int column = 0; column < columns; ++column) {
        switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            m_kept.add(Param::of(std::int64_t(sqlite3_column_int64(statement, column))));
            break;
        case SQLITE_FLOAT:
            m_kept.add(Param::of(sqlite3_column_double(statement, column)));
            break;
        case SQLITE_NULL:
            m_kept.add({});
            break;
        default: {
            const auto* const text = static_cast<const char*>(sqlite3_column_blob(statement, column));
            m_kept.add(
                Param::of(std::string_view(text ? text : "", std::size_t(sqlite3_column_bytes(statement, column)))));
        }
        }
        if (m_kept.keepsNames())
            m_kept.name(sqlite3_column_name(statement, column));
    }
}

bool SqliteSession::finish(const Prepared& statement, Keep keep)
{
    sqlite3_stmt* handle = statement.handle.get();
    const int changesBefore = statement.writes ? sqlite3_total_changes(m_connection.handle()) : 0;
    std::int64_t rows = 0;
    if (keep != Keep::Nothing)
        m_kept.begin(keep);
    while (sqlite3_step(handle) == SQLITE_ROW) {
        ++rows;
        if (keep != Keep::Nothing) {
            keepRow(handle);
            continue;
        }
        const int columns = sqlite3_data_count(handle);
        for (int column = 0; column < columns; ++column) {
            switch (sqlite3_column_type(handle, column)) {
            case SQLITE_INTEGER:
                m_bytesRead += std::uint64_t(sqlite3_column_int64(handle, column));
                break;
            case SQLITE_FLOAT:
                m_bytesRead += sqlite3_column_double(handle, column) != 0.0 ? 1 : 0;
                break;
            case SQLITE_NULL:
                break;
            default:
                m_bytesRead += sqlite3_column_blob(handle, column) != nullptr ? 1 : 0;
                m_bytesRead += std::uint64_t(sqlite3_column_bytes(handle, column));
            }
        }
    }
    // reset() gives the code of the statement's end and lets go of its locks
    if (!check(sqlite3_reset(handle)))
        return false;
    m_reply.rows = rows;
    if (statement.writes || &statement == &m_commit)
        countLog();
    m_reply.affected = statement.writes ? sqlite3_total_changes(m_connection.handle()) - changesBefore : 0;
    return true;
}

bool SqliteSession::check(int code)
{
    if (code == SQLITE_OK)
        return true;
    if ((code & 0xff) == SQLITE_NOMEM)
        refuse(Outcome::Rejected, code, "SQLite is out of memory");
    else if (m_connection.aborted())
        refuse(Outcome::Disconnected, code, "the request was aborted");
    else if (isAboutFile(code))
        refuse(outcomeOf(code), code,
               fmt::format("{}: {}", m_connection.file(), sqlite3_errmsg(m_connection.handle())));
    else
        refuse(outcomeOf(code), code, sqlite3_errmsg(m_connection.handle()));
    return false;
}

void SqliteSession::refuse(Outcome outcome, int code, std::string text)
{
    m_reply = {.outcome = outcome, .code = code};
    m_error = std::move(text);
}

} // namespace dyno
