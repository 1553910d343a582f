// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_async_session.h"

#include <fcntl.h>

#include <utility>

namespace dyno::mysql {

AsyncMysqlSession::~AsyncMysqlSession()
{
    // In the middle of a call the library would wait for the server once more.
    if (m_waiter)
        abort();
    m_task = {};
}

Progress AsyncMysqlSession::start(const Request& request)
{
    m_reply = {};
    m_freshSocket = std::exchange(m_justConnected, false);
    if (request.kind != RequestKind::Connect && !hasConnection())
        return Progress::Done;
    // The one that matters goes without another frame around it.
    m_task = request.kind == RequestKind::Execute ? executeAsync(request.statement, request.params) : perform(request);
    m_task.start();
    return progress();
}

Progress AsyncMysqlSession::send()
{
    m_freshSocket = std::exchange(m_justConnected, false);
    if (!beginBatch())
        return Progress::Done;
    m_task = sendAsync();
    m_task.start();
    return progress();
}

Progress AsyncMysqlSession::resume(IoEvents events)
{
    const int happened = (events.read ? MYSQL_WAIT_READ : 0) | (events.write ? MYSQL_WAIT_WRITE : 0) |
                         (events.timeout ? MYSQL_WAIT_TIMEOUT : 0);
    if (happened == 0 || !m_waiter)
        return Progress::Pending;
    m_wanted = m_continueCall(m_call, happened);
    if (m_wanted != 0)
        return Progress::Pending;
    coro::run(std::exchange(m_waiter, {}));
    return progress();
}

Progress AsyncMysqlSession::progress()
{
    if (!m_task.done())
        return Progress::Pending;
    // The frame goes back to the pool of the thread that made it.
    Task<void> finished = std::exchange(m_task, {});
    finished.result();
    return Progress::Done;
}

IoWait AsyncMysqlSession::ioWait() const
{
    IoWait wait;
    MYSQL* mysql = m_connectingHandle ? m_connectingHandle : handle();
    wait.fd = mysql_get_socket(mysql);
    wait.read = (m_wanted & (MYSQL_WAIT_READ | MYSQL_WAIT_EXCEPT)) != 0;
    wait.write = (m_wanted & MYSQL_WAIT_WRITE) != 0;
    if ((m_wanted & MYSQL_WAIT_TIMEOUT) != 0)
        wait.timeoutMs = int(mysql_get_timeout_value_ms(mysql));
    wait.fresh =
        m_connectingHandle != nullptr || m_freshSocket; // a host with several addresses is tried with several sockets
    return wait;
}

Task<void> AsyncMysqlSession::perform(Request request)
{
    switch (request.kind) {
    case RequestKind::Connect: {
        co_await connectAsync();
        break;
    }
    case RequestKind::Prepare: {
        co_await prepareAsync(request.statement);
        break;
    }
    case RequestKind::Execute:
        break; // see start()
    case RequestKind::Begin:
    case RequestKind::Commit:
    case RequestKind::Rollback:
    case RequestKind::Text: {
        const Fetched fetched = co_await query(sqlOf(request), keeping(request.keep));
        finish(fetched, nullptr);
        break;
    }
    case RequestKind::Bulk:
        refuse(request.kind);
        break;
    }
}

Task<void> AsyncMysqlSession::connectAsync()
{
    Connection connection = beginConnecting();
    if (!connection)
        co_return;
    MYSQL* mysql = connection.get();
    mysql_options(mysql, MYSQL_OPT_NONBLOCK, nullptr);
    m_connectingHandle = mysql;
    MYSQL* connected = nullptr;
    co_await ended<&mysql_real_connect_cont>(startConnect(&connected, mysql, options()), &connected, mysql);
    std::optional<Failure> failure = afterConnect(connected != nullptr, mysql, options());
    if (!failure) {
        // The library leaves a TLS socket blocking, so that one user would stop all others of its loop.
        const int fd = mysql_get_socket(mysql);
        ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
        socketCutter().watch(fd); // abort() can end the first statements too
        for (const std::string& statement : options().atConnect) {
            const Fetched fetched = co_await query(statement);
            if (fetched.code == 0)
                continue;
            failure = Failure{fetched.code, mysql_error(mysql), statement};
            break;
        }
    }
    m_connectingHandle = nullptr;
    endConnecting(std::move(connection), failure);
    m_justConnected = true;
}

Task<void> AsyncMysqlSession::prepareAsync(StatementId id)
{
    Statement* statement = statementToPrepare(id);
    if (!statement)
        co_return;
    const StatementSpec& spec = specOf(id);
    if (preparesOnServer(spec)) {
        unsigned code = statement->prepared.open(handle());
        if (code == 0) {
            int failed = 0;
            co_await ended<&mysql_stmt_prepare_cont>(
                mysql_stmt_prepare_start(&failed, statement->prepared.handle(), spec.text.data(), spec.text.size()),
                &failed, statement->prepared.handle());
            code = failed != 0 ? statement->prepared.errorCode() : statement->prepared.opened(spec);
        }
        if (!fallsBackToText(*statement, code))
            co_return;
    }
    statement->text.emplace(spec.text);
}

Task<void> AsyncMysqlSession::executeAsync(StatementId id, std::span<const Param> params)
{
    Statement* statement = readyStatement(id);
    if (!statement) {
        // Not prepared yet: after a reconnect, or because the workload did not ask for it.
        co_await prepareAsync(id);
        statement = readyStatement(id);
        if (!statement)
            co_return;
    }
    if (statement->text) {
        const std::string_view text = writeText(*statement, params);
        const Fetched fetched = co_await query(text, keeping(specOf(id).keep));
        finish(fetched, nullptr);
        co_return;
    }
    Fetched fetched;
    KeptRows* const kept = keeping(specOf(id).keep);
    MYSQL_STMT* prepared = statement->prepared.handle();
    int failed = statement->prepared.bind(params) ? 0 : 1;
    co_await ended<&mysql_stmt_execute_cont>(failed ? 0 : mysql_stmt_execute_start(&failed, prepared), &failed,
                                             prepared);
    // Rows are stored as a whole: fetching one by one would switch stacks for each.
    while (failed == 0) {
        if (mysql_stmt_field_count(prepared) == 0) {
            fetched.affected += std::int64_t(mysql_stmt_affected_rows(prepared));
        } else {
            co_await ended<&mysql_stmt_store_result_cont>(mysql_stmt_store_result_start(&failed, prepared), &failed,
                                                          prepared);
            if (failed != 0)
                break;
            fetched.rows += std::int64_t(mysql_stmt_num_rows(prepared));
            if (kept)
                fetched.code = statement->prepared.keepStored(*kept);
            mysql_stmt_free_result(prepared); // and forgets errors
            if (fetched.code != 0)
                break;
        }
        if (mysql_stmt_more_results(prepared) == 0)
            break;
        co_await ended<&mysql_stmt_next_result_cont>(mysql_stmt_next_result_start(&failed, prepared), &failed,
                                                     prepared);
        if (failed < 0) { // there was none after all
            failed = 0;
            break;
        }
    }
    if (failed != 0)
        fetched.code = statement->prepared.errorCode();
    executed(*statement, fetched);
}

Task<void> AsyncMysqlSession::sendAsync()
{
    const Fetched fetched = co_await query(batchText(), keepingBatch(), &answersToFill());
    endBatch(fetched);
}

Task<Fetched> AsyncMysqlSession::query(std::string_view text, KeptRows* kept, Answers* answers)
{
    MYSQL* mysql = m_connectingHandle ? m_connectingHandle : handle();
    Fetched fetched;
    int failed = 0;
    co_await ended<&mysql_real_query_cont>(mysql_real_query_start(&failed, mysql, text.data(), text.size()), &failed,
                                           mysql);
    while (failed == 0) {
        Reply one;
        if (mysql_field_count(mysql) == 0) {
            one.affected = std::int64_t(mysql_affected_rows(mysql));
        } else {
            MYSQL_RES* result = nullptr;
            co_await ended<&mysql_store_result_cont>(mysql_store_result_start(&result, mysql), &result, mysql);
            if (!result)
                break;
            one.rows = std::int64_t(mysql_num_rows(result));
            if (kept) {
                kept->restart();
                if (kept->keepsNames() && !answers)
                    fetched.rows = 0; // those that are kept count
                while (const MYSQL_ROW row = mysql_fetch_row(result))
                    keepTextRow(result, row, *kept);
            }
            mysql_free_result(result);
        }
        fetched.rows += one.rows;
        fetched.affected += one.affected;
        if (answers)
            noteAnswer(*answers, one);
        if (mysql_more_results(mysql) == 0)
            co_return fetched;
        co_await ended<&mysql_next_result_cont>(mysql_next_result_start(&failed, mysql), &failed, mysql);
    }
    // There is more, so −1 is a failure too: the connection ended within the columns.
    fetched.code = mysql_errno(mysql) ? mysql_errno(mysql) : kServerLost;
    co_return fetched;
}

} // namespace dyno::mysql
