// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a user may do, from the lines of SHOW GRANTS (ClickHouse 20.5 and newer).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyno::clickhouse {

class Grants
{
public:
    //! One line: GRANT … ON … TO …, REVOKE … ON … FROM …, or GRANT ROLE TO ….
    void add(std::string_view line);

    //! True when the user has `right` ("CREATE TABLE"), or the group that holds it ("CREATE", "ALL"), on all tables of
    //! `database` or on at least one of them: which tables are granted one by one is not looked at, the server will
    //! say.
    [[nodiscard]] bool has(std::string_view right, std::string_view database) const;
    //! True when the user has roles, whose rights have no lines of their own.
    [[nodiscard]] bool hasRoles() const { return m_roles; }

private:
    struct Scope
    {
        std::string database; //!< "" = *.*; with '*' at its end all that begin so
        bool table = false;   //!< a single table of it
        bool revoked = false;
        std::vector<std::string> rights;
    };
    [[nodiscard]] static bool covers(const Scope& scope, std::string_view right, std::string_view database);

    std::vector<Scope> m_scopes;
    bool m_roles = false;
};

} // namespace dyno::clickhouse
