// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which sessions had which settings: what `NAME=VALUE` of a search is answered from, without reading any session.
#pragma once

#include "store/library/database.h"
#include <dyno/value.h>

#include <memory>

namespace dyno {

//! Notes names and values of a session; inside transactions of the caller. Names stand without their scope
//! ("server.sync_binlog" is "sync_binlog"); texts of more than 200 bytes are left out.
class SearchIndex
{
public:
    explicit SearchIndex(Database& database);
    ~SearchIndex();
    void add(std::int64_t session, std::string_view name, std::string_view value);
    void add(std::int64_t session, const Settings& settings);
    //! All that is stored of the session: its points, the knobs and variables of its runs, products and versions.
    void addStored(std::int64_t session);

private:
    Database& m_database;
    std::unique_ptr<Statement> m_insert, m_link;
};

//! Notes all sessions that are there.
void indexSessions(Database& database);
//! Forgets sessions that are gone; after deleting some.
void forgetGoneSessions(Database& database);

//! The name without the plan's scope before it.
[[nodiscard]] std::string_view withoutScope(std::string_view name);

} // namespace dyno
