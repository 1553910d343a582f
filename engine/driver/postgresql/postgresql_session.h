// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One connection of one virtual user, blocking.
#pragma once

#include "postgresql_connection.h"

namespace dyno::postgresql {

class PostgresqlSession final : public Session
{
public:
    PostgresqlSession(ConnectTargetPtr target, ConnectOptions options);

    Progress start(const Request& request) override;
    [[nodiscard]] std::string lastError() const override { return m_error; }

private:
    struct Statement
    {
        std::string text; //!< with $1 for the first parameter
        bool ready = false;
    };

    void doConnect();
    void doPrepare(StatementId id);
    void doExecute(StatementId id, std::span<const Param> params);
    void doText(std::string_view text);
    void refuse(RequestKind kind);
    void finish(const PGresult* result, Keep keep);
    void keepRows(const PGresult* result, Keep keep);

    ConnectTargetPtr m_target;
    ConnectOptions m_options;
    Connection m_connection;
    std::vector<Statement> m_statements;
    std::string m_error;
};

//! `text` with $1, $2 … in the places of its marks.
[[nodiscard]] std::string numbered(std::string_view text);

} // namespace dyno::postgresql
