// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/library/search_index.h"

#include "store/codec/session_codec.h"

#include <vector>

namespace dyno {

namespace {

constexpr std::size_t kLongest = 200;
constexpr std::string_view kScopes[] = {"target.", "server.", "connection.", "table.",
                                        "client.", "host.",   "workload.",   "load."};

} // namespace

std::string_view withoutScope(std::string_view name)
{
    for (const std::string_view scope : kScopes) {
        if (name.starts_with(scope))
            return name.substr(scope.size());
    }
    return name;
}

SearchIndex::SearchIndex(Database& database)
    : m_database(database)
    , m_insert(std::make_unique<Statement>(database, "INSERT OR IGNORE INTO setting(name, value) VALUES(?, ?)"))
    , m_link(std::make_unique<Statement>(database, "INSERT OR IGNORE INTO session_setting(setting, session)"
                                                   " SELECT key, ? FROM setting WHERE name = ? AND value = ?"))
{
}

SearchIndex::~SearchIndex() = default;

void SearchIndex::add(std::int64_t session, std::string_view name, std::string_view value)
{
    name = withoutScope(name);
    if (name.empty() || name.size() > kLongest || value.size() > kLongest)
        return;
    *m_insert << name << value;
    m_insert->run();
    *m_link << session << name << value;
    m_link->run();
}

void SearchIndex::add(std::int64_t session, const Settings& settings)
{
    for (const auto& [name, value] : settings)
        add(session, name, toText(value));
}

void SearchIndex::addStored(std::int64_t session)
{
    {
        Statement select(m_database, "SELECT spec FROM point WHERE session = ? ORDER BY idx");
        select << session;
        while (select.row()) {
            const PointSpec point = codec::readPoint(select.bytes(0));
            for (const Settings* settings :
                 {&point.workload.params, &point.server, &point.connection, &point.table, &point.host})
                add(session, *settings);
            add(session, "users", std::to_string(point.allUsers()));
        }
    }
    for (const char* sql :
         {"SELECT effective FROM run WHERE session = ?", "SELECT variables FROM fact_set WHERE session = ?"}) {
        Statement select(m_database, sql);
        select << session;
        while (select.row())
            add(session, codec::readSettings(select.bytes(0)));
    }
    Statement select(m_database, "SELECT DISTINCT product, version FROM server_facts"
                                 " WHERE run IN (SELECT key FROM run WHERE session = ?)");
    select << session;
    while (select.row()) {
        add(session, "product", select.bytes(0));
        add(session, "version", select.bytes(1));
    }
}

void indexSessions(Database& database)
{
    std::vector<std::int64_t> keys;
    {
        Statement select(database, "SELECT key FROM session ORDER BY key");
        while (select.row())
            keys.push_back(select.integer(0));
    }
    if (keys.empty())
        return;
    SearchIndex index(database);
    for (const std::int64_t key : keys)
        index.addStored(key);
}

void forgetGoneSessions(Database& database)
{
    database.exec("DELETE FROM session_setting WHERE session NOT IN (SELECT key FROM session)");
    database.exec("DELETE FROM setting WHERE key NOT IN (SELECT setting FROM session_setting)");
}

} // namespace dyno
