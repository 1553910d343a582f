// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_session.h"

#include "driver/sql_text.h"

#include <charconv>
#include <fmt/format.h>

namespace dyno::postgresql {

std::string numbered(std::string_view text)
{
    const auto pieces = piecesBetweenMarks(text, {});
    std::string result(pieces.front());
    for (std::size_t i = 1; i < pieces.size(); ++i)
        result += fmt::format("${}{}", i, pieces[i]);
    return result;
}

PostgresqlSession::PostgresqlSession(ConnectTargetPtr target, ConnectOptions options)
    : m_target(std::move(target))
    , m_options(std::move(options))
{
    for (const StatementSpec& spec : m_target->statements)
        m_statements.push_back({numbered(spec.text), false});
}

Progress PostgresqlSession::start(const Request& request)
{
    m_reply = {};
    m_error.clear();
    m_kept.begin(Keep::Nothing);
    if (request.kind == RequestKind::Connect) {
        doConnect();
        return Progress::Done;
    }
    if (!m_connection) {
        m_reply.outcome = Outcome::Disconnected;
        m_reply.code = kConnectionFailure;
        m_error = "there is no connection";
        return Progress::Done;
    }
    switch (request.kind) {
    case RequestKind::Prepare:
        doPrepare(request.statement);
        break;
    case RequestKind::Begin:
        doText("BEGIN");
        break;
    case RequestKind::Commit:
        doText("COMMIT");
        break;
    case RequestKind::Rollback:
        doText("ROLLBACK");
        break;
    case RequestKind::Execute:
        doExecute(request.statement, request.params);
        break;
    case RequestKind::Text:
        doText(request.text);
        break;
    default:
        refuse(request.kind);
    }
    return Progress::Done;
}

void PostgresqlSession::refuse(RequestKind /*kind*/)
{
    m_reply.outcome = Outcome::Rejected;
    m_reply.code = codeOf("0A000"); // feature_not_supported
    m_error = "this driver has no such request";
}

void PostgresqlSession::doConnect()
{
    m_connection.reset();
    for (Statement& statement : m_statements)
        statement.ready = false;
    auto connection = connect(m_options);
    if (!connection) {
        m_reply.outcome = Outcome::Disconnected;
        m_reply.code = connection.error().code;
        m_error = connection.error().text;
        return;
    }
    m_connection = std::move(*connection);
}

void PostgresqlSession::doPrepare(StatementId id)
{
    Statement& statement = m_statements[indexOf(id)];
    if (statement.ready || !m_options.prepared || !m_target->statements[indexOf(id)].preparable)
        return;
    const std::string name = fmt::format("s{}", indexOf(id));
    const Result result(PQprepare(m_connection.get(), name.c_str(), statement.text.c_str(), 0, nullptr));
    finish(result.get(), Keep::Nothing);
    statement.ready = m_reply.outcome == Outcome::Ok;
}

void PostgresqlSession::doExecute(StatementId id, std::span<const Param> params)
{
    const StatementSpec& spec = m_target->statements[indexOf(id)];
    Statement& statement = m_statements[indexOf(id)];
    doPrepare(id);
    if (m_reply.outcome != Outcome::Ok)
        return;
    std::vector<std::string> texts(spec.parameters.size());
    std::vector<const char*> values(spec.parameters.size(), nullptr);
    for (std::size_t i = 0; i < texts.size() && i < params.size(); ++i) {
        const Param& param = params[i];
        if (param.type == Param::Type::Null)
            continue;
        texts[i] = param.type == Param::Type::Integer ? fmt::format("{}", param.integer)
                   : param.type == Param::Type::Real  ? fmt::format("{}", param.real)
                                                      : std::string(param.text);
        values[i] = texts[i].c_str();
    }
    const int count = int(values.size());
    const Result result(statement.ready ? PQexecPrepared(m_connection.get(), fmt::format("s{}", indexOf(id)).c_str(),
                                                         count, values.data(), nullptr, nullptr, 0)
                                        : PQexecParams(m_connection.get(), statement.text.c_str(), count, nullptr,
                                                       values.data(), nullptr, nullptr, 0));
    finish(result.get(), spec.keep);
}

void PostgresqlSession::doText(std::string_view text)
{
    const Result result(PQexec(m_connection.get(), std::string(text).c_str()));
    finish(result.get(), Keep::Nothing);
}

void PostgresqlSession::finish(const PGresult* result, Keep keep)
{
    if (!succeeded(result)) {
        const Failure failure = failureOf(m_connection.get(), result);
        m_reply.code = failure.code;
        m_error = failure.text;
        const bool broken = PQstatus(m_connection.get()) == CONNECTION_BAD;
        m_reply.outcome = broken ? Outcome::Disconnected : outcomeOf(failure.code);
        if (m_reply.outcome == Outcome::Disconnected)
            m_connection.reset();
        return;
    }
    m_reply.rows = PQntuples(result);
    const std::string_view affected = PQcmdTuples(const_cast<PGresult*>(result));
    if (PQresultStatus(result) == PGRES_COMMAND_OK)
        std::from_chars(affected.data(), affected.data() + affected.size(), m_reply.affected);
    if (keep != Keep::Nothing)
        keepRows(result, keep);
}

void PostgresqlSession::keepRows(const PGresult* result, Keep keep)
{
    m_kept.begin(keep);
    for (int row = 0; row < PQntuples(result); ++row) {
        m_kept.beginRow();
        for (int column = 0; column < PQnfields(result); ++column) {
            if (PQgetisnull(result, row, column))
                m_kept.add({});
            else
                m_kept.add(Param::of(
                    std::string_view(PQgetvalue(result, row, column), std::size_t(PQgetlength(result, row, column)))));
        }
    }
}

} // namespace dyno::postgresql
