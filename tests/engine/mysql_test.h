// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the tests of the MySQL driver share: sessions that run one request after the other, and a base with a server
//! and a table t.
#pragma once

#include "session_test.h"
#include "support/mariadb_fixture.h"

#include <vector>

namespace dyno::test {

inline SessionPtr openSession(const ConnectTargetPtr& target)
{
    return openSession("mysql", target);
}

class MysqlTest : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { startServer(); }
    void init() { makeTable(); }

protected:
    //! Starts the server once.
    void startServer()
    {
        DYNO_START_MARIADB(m_server);
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
    }
    //! An empty table for each test.
    void makeTable()
    {
        QVERIFY(m_admin->execute("DROP TABLE IF EXISTS t"));
        QVERIFY(m_admin->execute("CREATE TABLE t (id INT PRIMARY KEY, i BIGINT, r DOUBLE, c LONGTEXT) ENGINE=InnoDB "
                                 "CHARACTER SET utf8mb4"));
    }
    //! A session that has connected; warns when it could not.
    SessionPtr connected(StatementSet statements = {}, const Settings& connection = {}, const Settings& extra = {})
    {
        SessionPtr session = openSession(m_server.target(std::move(statements), connection, extra));
        if (session && run(*session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok)
            qWarning("%s", session->lastError().c_str());
        return session;
    }
    //! The first cell of a result.
    std::string cell(std::string_view query)
    {
        const auto rows = m_admin->query(query);
        return rows && !rows->empty() ? rows->front().front() : std::string("(no row)");
    }
    //! Waits until the query has a row.
    bool waitForRow(std::string_view query)
    {
        const auto hasRow = [&] {
            const auto rows = m_admin->query(query);
            return rows && !rows->empty();
        };
        return QTest::qWaitFor(hasRow, 20000);
    }

    MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;
};

} // namespace dyno::test
