// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One virtual user. Each request is one HTTP request, on a connection that is kept alive.
#pragma once

#include "clickhouse_http.h"
#include "clickhouse_statement.h"

#include <optional>

namespace dyno::clickhouse {

class ClickhouseSession final : public Session
{
public:
    ClickhouseSession(ConnectTargetPtr target, std::shared_ptr<const ConnectOptions> options);

    Progress start(const Request& request) override;
    void abort() noexcept override { m_connection.abort(); }
    [[nodiscard]] std::string lastError() const override { return m_result.text; }

private:
    void execute(StatementId id, std::span<const Param> params);
    void bulk(std::string_view table, std::string_view rows);
    //! `rowsGiven`: that it inserts; −1 when it inserts none.
    void post(std::string_view statement, std::string_view data, Keep keep, std::int64_t rowsGiven);
    void refuse(std::int32_t code, std::string text);
    //! Else the reply says that it is not.
    [[nodiscard]] bool connected();
    //! There is nothing to prepare on the server; cuts the statement once. False: the reply says why.
    [[nodiscard]] bool prepare(StatementId id);

    ConnectTargetPtr m_target;
    std::shared_ptr<const ConnectOptions> m_options;
    HttpConnection m_connection;
    AnswerReader m_reader;
    HttpResult m_result;
    std::vector<std::optional<BoundStatement>> m_statements;
    std::string m_text, m_rows; //!< keep their capacity
};

} // namespace dyno::clickhouse
