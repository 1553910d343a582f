// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a user may do, from the lines of SHOW GRANTS (MariaDB and MySQL).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::mysql {

//! "ann@%" → 'ann'@'%': as GRANT takes it.
[[nodiscard]] std::string quotedAccount(std::string_view account);

class Grants
{
public:
    //! One line: GRANT … ON … TO …, or REVOKE … ON … FROM … (MySQL's partial revokes). Lines about roles, routines and
    //! proxies are passed over: the rights of a role in force have lines of their own.
    void add(std::string_view line);

    //! True when the user has `right` ("SELECT") on all tables of `database`, or on at least one of them: which tables
    //! are granted one by one is not looked at, the server will say.
    [[nodiscard]] bool has(std::string_view right, std::string_view database) const;
    //! True when the user has `right` on *.*.
    [[nodiscard]] bool hasGlobal(std::string_view right) const;
    //! True when the user may change some global variables: SUPER, or one of the rights that split it up.
    [[nodiscard]] bool maySetGlobals() const;

private:
    struct Scope
    {
        std::string database; //!< a pattern of LIKE; "" = *.*
        bool table = false;   //!< a single table of it, whose database is no pattern
        bool revoked = false;
        std::set<std::string, std::less<>> rights;
    };
    [[nodiscard]] static bool gives(const Scope& scope, std::string_view right);

    std::vector<Scope> m_scopes;
};

} // namespace dyno::mysql
