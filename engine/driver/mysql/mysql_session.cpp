// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_session.h"

#include <algorithm>
#include <cstring>

namespace dyno::mysql {

namespace {
constexpr unsigned kFilesRefused = 1148; // ER_NOT_ALLOWED_COMMAND, what a server says that takes no local files
constexpr unsigned kUnknownStatement = 1243;
constexpr unsigned kNotPreparable = 1295; // ER_UNSUPPORTED_PS
constexpr unsigned kTableAltered = 2057;  // CR_NEW_STMT_METADATA
} // namespace

MysqlSession::MysqlSession(ConnectTargetPtr target, std::shared_ptr<const ConnectOptions> options)
    : m_target(std::move(target))
    , m_options(std::move(options))
{
}

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
    if (!hasConnection())
        return Progress::Done;
    switch (request.kind) {
    case RequestKind::Connect:
        break;
    case RequestKind::Prepare:
        doPrepare(request.statement);
        break;
    case RequestKind::Begin:
    case RequestKind::Commit:
    case RequestKind::Rollback:
    case RequestKind::Text:
        finish(sendText(m_connection.get(), sqlOf(request), keeping(request.keep)), nullptr);
        break;
    case RequestKind::Execute:
        doExecute(request.statement, request.params);
        break;
    case RequestKind::Bulk:
        doBulk(request.text, request.value);
        break;
    }
    return Progress::Done;
}

bool MysqlSession::hasConnection()
{
    if (m_connection)
        return true;
    m_reply = {.outcome = Outcome::Disconnected, .code = kServerGone};
    keepError("not connected");
    return false;
}

void MysqlSession::refuse(RequestKind kind)
{
    m_reply = {.outcome = Outcome::Rejected, .code = kNotPreparable};
    keepError(kind == RequestKind::Bulk ? "bulk loading needs a blocking session" : "the MySQL driver speaks SQL only");
}

Connection MysqlSession::beginConnecting()
{
    disconnect();
    {
        const std::lock_guard lock(m_abortLock);
        m_connecting = true;
        m_abortRequested = false;
    }
    Connection connection = newConnection(*m_options);
    if (connection)
        m_bulk.install(connection.get());
    else
        endConnecting({}, Failure{2008, "out of memory", {}});
    return connection;
}

void MysqlSession::endConnecting(Connection connection, const std::optional<Failure>& failure)
{
    const std::lock_guard lock(m_abortLock);
    m_connecting = false;
    if (failure || m_abortRequested) {
        connection.reset();
        m_cutter.detach();
    }
    if (failure) {
        m_reply = {.outcome = outcomeOf(failure->code), .code = std::int32_t(failure->code)};
        keepError(failure->statement.empty() ? failure->text : failure->statement + ": " + failure->text);
        return;
    }
    if (m_abortRequested) {
        m_reply = {.outcome = Outcome::Disconnected, .code = kServerLost};
        keepError("aborted while connecting");
        return;
    }
    m_connection = std::move(connection);
    m_statements.clear();
    m_statements.resize(m_target->statements.size());
}

void MysqlSession::doConnect()
{
    Connection connection = beginConnecting();
    if (!connection)
        return;
    std::optional<Failure> failure = connectOnly(connection.get(), *m_options);
    if (!failure) {
        // Before anything is sent, so that abort() can end the first statements too.
        m_cutter.attach(socketOf(connection.get()));
        failure = sendAtConnect(connection.get(), *m_options);
    }
    endConnecting(std::move(connection), failure);
}

void MysqlSession::disconnect()
{
    // The connection first: it takes its statements' place at the server with it, without a packet for each.
    m_connection.reset();
    m_cutter.detach();
    m_statements.clear();
}

MysqlSession::Statement* MysqlSession::statementToPrepare(StatementId id)
{
    const std::size_t index = indexOf(id);
    if (index >= m_statements.size()) {
        m_reply = {.outcome = Outcome::Rejected, .code = kUnknownStatement};
        keepError("no such statement in the workload");
        return nullptr;
    }
    Statement& statement = m_statements[index];
    return statement.text || statement.prepared.ready() ? nullptr : &statement;
}

MysqlSession::Statement* MysqlSession::readyStatement(StatementId id)
{
    const std::size_t index = indexOf(id);
    if (index >= m_statements.size())
        return nullptr;
    Statement& statement = m_statements[index];
    return statement.text || statement.prepared.ready() ? &statement : nullptr;
}

bool MysqlSession::fallsBackToText(Statement& statement, unsigned code)
{
    if (code == 0)
        return false;
    if (code == kNotPreparable) {
        statement.prepared.close();
        return true;
    }
    finish({.code = code}, statement.prepared.error());
    if (m_connection)
        statement.prepared.close();
    return false;
}

void MysqlSession::doPrepare(StatementId id)
{
    Statement* statement = statementToPrepare(id);
    if (!statement)
        return;
    const StatementSpec& spec = specOf(id);
    if (preparesOnServer(spec) &&
        !fallsBackToText(*statement, statement->prepared.prepare(m_connection.get(), spec, m_buffer)))
        return;
    statement->text.emplace(spec.text);
}

std::string_view MysqlSession::writeText(const Statement& statement, std::span<const Param> params)
{
    m_text.clear();
    statement.text->append(m_connection.get(), params, m_text);
    return m_text;
}

MysqlSession::Statement* MysqlSession::statementToExecute(StatementId id)
{
    if (Statement* statement = readyStatement(id)) [[likely]]
        return statement;
    // Not prepared yet: after a reconnect, or because the workload did not ask for it.
    doPrepare(id);
    return readyStatement(id);
}

void MysqlSession::doExecute(StatementId id, std::span<const Param> params)
{
    Statement* statement = statementToExecute(id);
    if (!statement)
        return;
    if (statement->text)
        finish(sendText(m_connection.get(), writeText(*statement, params), keeping(specOf(id).keep)), nullptr);
    else {
        const bool direct = params.size() >= m_options->directFrom;
        executed(*statement,
                 statement->prepared.execute(params, direct ? &m_packet : nullptr, m_buffer, keeping(specOf(id).keep)));
    }
}

KeptRows* MysqlSession::keeping(Keep keep)
{
    if (keep == Keep::Nothing) [[likely]]
        return nullptr;
    m_kept.begin(keep);
    return &m_kept;
}

void MysqlSession::clear()
{
    m_batchText.clear();
    m_answers.clear();
    m_batchFault = {};
    m_batchKeep = Keep::Nothing;
}

void MysqlSession::add(const Request& request)
{
    if (!m_connection || m_batchFault.outcome != Outcome::Ok)
        return; // send() tells
    if (!m_batchText.empty())
        m_batchText += ';';
    m_reply = {};
    m_batchKeep = Keep::Nothing;
    switch (request.kind) {
    case RequestKind::Begin:
    case RequestKind::Commit:
    case RequestKind::Rollback:
    case RequestKind::Text:
        m_batchText += sqlOf(request);
        break;
    case RequestKind::Execute: {
        // A session that batches prepares nothing on the server: this sends nothing.
        const Statement* statement = statementToExecute(request.statement);
        if (statement && statement->text) {
            statement->text->append(m_connection.get(), request.params, m_batchText);
            m_batchKeep = specOf(request.statement).keep;
        }
        break;
    }
    default:
        refuse(request.kind);
        break;
    }
    m_batchFault = m_reply;
}

bool MysqlSession::beginBatch()
{
    m_reply = {};
    m_answers.clear();
    if (hasConnection())
        m_reply = m_batchFault;
    if (m_reply.outcome != Outcome::Ok)
        noteAnswer(m_answers, m_reply);
    return m_reply.outcome == Outcome::Ok && !m_batchText.empty();
}

void MysqlSession::endBatch(const Fetched& fetched)
{
    if (fetched.code == 0) [[likely]] {
        m_reply = m_answers.back().reply;
        return;
    }
    finish({.code = fetched.code}, nullptr);
    noteAnswer(m_answers, m_reply);
}

Progress MysqlSession::send()
{
    if (beginBatch())
        endBatch(sendText(m_connection.get(), m_batchText, keepingBatch(), &m_answers));
    return Progress::Done;
}

void MysqlSession::executed(Statement& statement, const Fetched& fetched)
{
    if (fetched.code == 0) [[likely]] {
        m_reply.rows = fetched.rows;
        m_reply.affected = fetched.affected;
        return;
    }
    finish(fetched, statement.prepared.error());
    // The table was altered: prepared anew at the next call.
    if (fetched.code == kTableAltered && m_connection)
        statement.prepared.close();
}

void MysqlSession::doBulk(std::string_view table, std::string_view rows)
{
    if (!m_options->bulk) {
        m_reply = {.outcome = Outcome::Rejected, .code = kFilesRefused};
        keepError("bulk loading is off for this connection");
        return;
    }
    std::string error;
    const Fetched fetched = m_bulk.send(m_connection.get(), table, rows, error);
    finish(fetched, error.empty() ? nullptr : error.c_str());
}

void MysqlSession::finish(const Fetched& fetched, const char* error)
{
    m_reply.rows = fetched.rows;
    m_reply.affected = fetched.affected;
    if (fetched.code == 0) [[likely]]
        return;
    m_reply.outcome = outcomeOf(fetched.code);
    m_reply.code = std::int32_t(fetched.code);
    // A connection that ends within an answer leaves no text with the statement, and sometimes none at all.
    const char* text = error && *error ? error : mysql_error(m_connection.get());
    keepError(*text ? text : "the connection ended within an answer");
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
    {
        const std::lock_guard lock(m_abortLock);
        m_abortRequested = m_connecting;
    }
    m_cutter.cut();
}

} // namespace dyno::mysql
