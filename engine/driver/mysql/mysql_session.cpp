// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_session.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dyno::mysql {

namespace {
constexpr unsigned kServerGone = 2006;
constexpr unsigned kServerLost = 2013;
constexpr unsigned kUnknownStatement = 1243;
constexpr unsigned kNotPreparable = 1295; // ER_UNSUPPORTED_PS
constexpr unsigned kTableAltered = 2057;  // CR_NEW_STMT_METADATA
} // namespace

MysqlSession::MysqlSession(ConnectTargetPtr target, std::shared_ptr<const ConnectOptions> options)
    : m_target(std::move(target))
    , m_options(std::move(options))
{}

MysqlSession::~MysqlSession()
{
    disconnect();
}

Progress MysqlSession::start(const Request& request)
{
    m_reply = {};
    if (request.kind == RequestKind::Connect) {
        doConnect();
        return Progress::Done;
    }
    if (!m_connection) {
        m_reply = {.outcome = Outcome::Disconnected, .code = kServerGone};
        keepError("not connected");
        return Progress::Done;
    }
    switch (request.kind) {
    case RequestKind::Connect:
        break;
    case RequestKind::Prepare:
        doPrepare(request.statement);
        break;
    case RequestKind::Begin:
        finish(sendText(m_connection.get(), "BEGIN"), nullptr);
        break;
    case RequestKind::Commit:
        finish(sendText(m_connection.get(), "COMMIT"), nullptr);
        break;
    case RequestKind::Rollback:
        finish(sendText(m_connection.get(), "ROLLBACK"), nullptr);
        break;
    case RequestKind::Execute:
        doExecute(request.statement, request.params);
        break;
    case RequestKind::Text:
        finish(sendText(m_connection.get(), request.text), nullptr);
        break;
    case RequestKind::Document:
    case RequestKind::KeyValue:
        m_reply = {.outcome = Outcome::Rejected, .code = kNotPreparable};
        keepError("the MySQL driver speaks SQL only");
        break;
    }
    return Progress::Done;
}

void MysqlSession::doConnect()
{
    disconnect();
    {
        const std::lock_guard lock(m_abortLock);
        m_connecting = true;
        m_abortRequested = false;
    }
    Connection connection = newConnection(*m_options);
    const auto connected = connection ? connect(connection.get(), *m_options)
                                      : tl::expected<void, Failure>(tl::unexpected(Failure{2008, "out of memory", {}}));
    const std::lock_guard lock(m_abortLock);
    m_connecting = false;
    if (!connected) {
        m_reply = {.outcome = outcomeOf(connected.error().code), .code = std::int32_t(connected.error().code)};
        keepError(connected.error().statement.empty() ? connected.error().text
                                                      : connected.error().statement + ": " + connected.error().text);
        return;
    }
    if (m_abortRequested) {
        m_reply = {.outcome = Outcome::Disconnected, .code = kServerLost};
        keepError("aborted while connecting");
        return;
    }
    m_connection = std::move(connection);
    m_abortFd = fcntl(mysql_get_socket(m_connection.get()), F_DUPFD_CLOEXEC, 0);
    m_statements.clear();
    m_statements.resize(m_target->statements.size());
}

void MysqlSession::disconnect()
{
    {
        const std::lock_guard lock(m_abortLock);
        if (m_abortFd >= 0)
            ::close(m_abortFd);
        m_abortFd = -1;
    }
    // The connection first: it takes its statements' place at the server with it, without a packet for each.
    m_connection.reset();
    m_statements.clear();
}

void MysqlSession::doPrepare(StatementId id)
{
    const std::size_t index = indexOf(id);
    if (index >= m_statements.size()) {
        m_reply = {.outcome = Outcome::Rejected, .code = kUnknownStatement};
        keepError("no such statement in the workload");
        return;
    }
    const StatementSpec& spec = m_target->statements[index];
    Statement& statement = m_statements[index];
    if (statement.text || statement.prepared.ready())
        return;
    if (m_options->prepared && spec.preparable) {
        const unsigned code = statement.prepared.prepare(m_connection.get(), spec, m_buffers);
        if (code == 0)
            return;
        if (code != kNotPreparable) {
            finish({.code = code}, statement.prepared.error());
            if (m_connection)
                statement.prepared.close();
            return;
        }
        statement.prepared.close();
    }
    statement.text.emplace(spec.text);
}

void MysqlSession::doExecute(StatementId id, std::span<const Param> params)
{
    const std::size_t index = indexOf(id);
    // Not prepared yet: after a reconnect, or because the workload did not ask for it.
    if (index >= m_statements.size() || (!m_statements[index].text && !m_statements[index].prepared.ready())) {
        doPrepare(id);
        if (m_reply.outcome != Outcome::Ok)
            return;
    }
    Statement& statement = m_statements[index];
    if (statement.text) {
        statement.text->write(m_connection.get(), params, m_text);
        finish(sendText(m_connection.get(), m_text), nullptr);
        return;
    }
    const Fetched fetched = statement.prepared.execute(params, m_buffers);
    if (fetched.code == 0) [[likely]] {
        m_reply.rows = fetched.rows;
        m_reply.affected = fetched.affected;
        return;
    }
    finish(fetched, statement.prepared.error());
    // The table was altered: prepared anew at the next call.
    if (fetched.code == kTableAltered && m_connection)
        m_statements[index].prepared.close();
}

//! Fills the reply; `error` is the text, or nullptr when the connection has it.
void MysqlSession::finish(const Fetched& fetched, const char* error)
{
    m_reply.rows = fetched.rows;
    m_reply.affected = fetched.affected;
    if (fetched.code == 0) [[likely]]
        return;
    m_reply.outcome = outcomeOf(fetched.code);
    m_reply.code = std::int32_t(fetched.code);
    keepError(error ? error : mysql_error(m_connection.get()));
    if (m_reply.outcome == Outcome::Disconnected)
        disconnect();
}

void MysqlSession::keepError(std::string_view text)
{
    m_errorSize = std::min(text.size(), m_error.size());
    std::memcpy(m_error.data(), text.data(), m_errorSize);
}

std::string MysqlSession::lastError() const
{
    return {m_error.data(), m_errorSize};
}

void MysqlSession::abort() noexcept
{
    const std::lock_guard lock(m_abortLock);
    if (m_abortFd >= 0)
        ::shutdown(m_abortFd, SHUT_RDWR);
    m_abortRequested = m_connecting;
}

} // namespace dyno::mysql
