// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The control plane of one PostgreSQL server. One thread at a time; blocking.
#pragma once

#include "postgresql_connection.h"

namespace dyno::postgresql {

class PostgresqlAdmin final : public Admin
{
public:
    PostgresqlAdmin(TargetUri uri, Connection connection);

    Expected<void> execute(std::string_view command) override;
    Expected<TextRows> query(std::string_view command) override;
    Expected<std::vector<std::string>> tableNames() override;
    Expected<std::vector<ColumnShape>> describe(std::string_view table) override;
    Expected<ServerFacts> facts() override;
    Expected<std::string> variable(std::string_view name) override;
    Expected<void> setVariable(std::string_view name, const Value& value) override;
    void checkpoint() override;

private:
    [[nodiscard]] Expected<Result> run(std::string_view command);

    TargetUri m_uri;
    Connection m_connection;
};

} // namespace dyno::postgresql
