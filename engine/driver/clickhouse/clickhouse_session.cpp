// SPDX-License-Identifier: GPL-3.0-or-later
#include "clickhouse_session.h"

#include "clickhouse_bulk.h"
#include "driver/clickhouse/clickhouse_codes.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno::clickhouse {

namespace {

constexpr std::int32_t kBadArguments = 36;

} // namespace

ClickhouseSession::ClickhouseSession(ConnectTargetPtr target, std::shared_ptr<const ConnectOptions> options)
    : m_target(std::move(target))
    , m_options(std::move(options))
    , m_connection(m_options)
    , m_statements(m_target->statements.size())
{
}

Progress ClickhouseSession::start(const Request& request)
{
    m_reply = {};
    switch (request.kind) {
    case RequestKind::Connect:
        m_connection.connect(m_result);
        m_reply = {.outcome = m_result.code == 0 ? Outcome::Ok : outcomeOf(m_result), .code = m_result.code};
        break;
    case RequestKind::Prepare:
        (void)prepare(request.statement);
        break;
    case RequestKind::Begin:
    case RequestKind::Commit:
        if (connected())
            refuse(kNotImplemented, "ClickHouse has no transactions");
        break;
    case RequestKind::Rollback: // of nothing
        (void)connected();
        break;
    case RequestKind::Execute:
        execute(request.statement, request.params);
        break;
    case RequestKind::Text:
        post(request.text, {}, Keep::Nothing, rowsGiven(request.text));
        break;
    case RequestKind::Bulk:
        bulk(request.text, request.value);
        break;
    }
    return Progress::Done;
}

void ClickhouseSession::refuse(std::int32_t code, std::string text)
{
    m_reply = {.outcome = Outcome::Rejected, .code = code};
    m_result.text = std::move(text);
}

bool ClickhouseSession::connected()
{
    if (m_connection.connected())
        return true;
    m_reply = {.outcome = Outcome::Disconnected, .code = kNetworkError};
    m_result.text = "not connected";
    return false;
}

bool ClickhouseSession::prepare(StatementId id)
{
    if (!connected())
        return false;
    if (indexOf(id) >= m_statements.size()) {
        refuse(kBadArguments, "no such statement in the workload");
        return false;
    }
    std::optional<BoundStatement>& statement = m_statements[indexOf(id)];
    if (!statement)
        statement.emplace(m_target->statements[indexOf(id)]);
    return true;
}

void ClickhouseSession::execute(StatementId id, std::span<const Param> params)
{
    if (!prepare(id))
        return;
    const BoundStatement& statement = *m_statements[indexOf(id)];
    if (params.size() != statement.parameters()) {
        refuse(kBadArguments, fmt::format("the statement has {} parameters, and {} values came", statement.parameters(),
                                          params.size()));
        return;
    }
    statement.write(m_text, params);
    post(m_text, {}, m_target->statements[indexOf(id)].keep, statement.rowsGiven());
}

void ClickhouseSession::bulk(std::string_view table, std::string_view rows)
{
    if (!m_options->bulk) {
        refuse(kNotImplemented, "these sessions send no rows in bulk");
        return;
    }
    m_text = fmt::format("INSERT INTO {} FORMAT TabSeparated\n", table);
    const std::string_view sent = bulkRows(rows, m_rows);
    post(m_text, sent, Keep::Nothing, std::ranges::count(sent, '\n'));
}

void ClickhouseSession::post(std::string_view statement, std::string_view data, Keep keep, std::int64_t rowsGiven)
{
    m_kept.begin(keep);
    m_reader.begin(keep, &m_kept);
    m_connection.post(statement, data, m_reader, m_result);
    m_reply.code = m_result.code;
    m_reply.outcome = outcomeOf(m_result);
    m_reply.rows = m_reader.rows();
    if (m_reply.outcome != Outcome::Ok || rowsGiven < 0)
        return;
    const std::int64_t written = m_connection.writtenRows();
    m_reply.affected = written >= 0 ? written : rowsGiven;
}

} // namespace dyno::clickhouse
