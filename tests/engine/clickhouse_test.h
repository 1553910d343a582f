// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the tests of the ClickHouse driver share: a base with a server and a table t.
#pragma once

#include "session_test.h"
#include "support/clickhouse_fixture.h"
#include "support/patience.h"

#include <string>

namespace dyno::test {

class ClickhouseTest : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { startServer(); }
    void init() { makeTable(); }

protected:
    void startServer(bool tls = false)
    {
        DYNO_START_CLICKHOUSE(m_server, tls);
        auto admin = m_server.admin();
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        m_admin = std::move(*admin);
    }
    void makeTable()
    {
        for (const char* command : {"DROP TABLE IF EXISTS t", "CREATE TABLE t (id Int32, i Nullable(Int64), r "
                                                              "Nullable(Float64), c Nullable(String)) ENGINE = "
                                                              "MergeTree ORDER BY id"}) {
            const auto done = m_admin->execute(command);
            QVERIFY2(done, done ? "" : done.error().text().c_str());
        }
    }
    //! Connected; warns when it could not.
    SessionPtr connected(StatementSet statements = {}, const Settings& connection = {}, const Settings& extra = {},
                         bool bulk = false)
    {
        auto target = std::make_shared<ConnectTarget>(*m_server.target(std::move(statements), connection, extra));
        target->bulk = bulk;
        return connect(openSession("clickhouse", target));
    }
    static SessionPtr connect(SessionPtr session)
    {
        if (session && run(*session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok)
            qWarning("%s", session->lastError().c_str());
        return session;
    }
    //! The first cell of a result.
    std::string cell(std::string_view query)
    {
        const auto rows = m_admin->query(query);
        return !rows ? rows.error().text() : rows->empty() ? "(no row)" : rows->front().front();
    }

    ClickhouseFixture m_server;
    std::unique_ptr<Admin> m_admin;
};

} // namespace dyno::test
