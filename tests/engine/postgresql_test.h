// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the tests of the PostgreSQL driver share: a base with a server and a table t, and sessions of both kinds.
#pragma once

#include "load/executor/wait_for_reply.h"
#include "session_test.h"
#include "support/patience.h"
#include "support/postgresql_fixture.h"

#include <array>
#include <vector>

namespace dyno::test {

//! Runs a request of either kind of session to its end.
inline Reply finishRequest(Session& session, const Request& request)
{
    if (session.start(request) == Progress::Pending)
        finishPending(session);
    return session.reply();
}

class PostgresqlTest : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { startServer(); }
    void init() { makeTable(); }

protected:
    //! Starts the server once.
    void startServer()
    {
        DYNO_START_POSTGRESQL(m_server);
        auto admin = m_server.admin();
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        m_admin = std::move(*admin);
    }
    //! An empty table for each test.
    void makeTable()
    {
        QVERIFY(m_admin->execute("DROP TABLE IF EXISTS t"));
        QVERIFY(m_admin->execute("CREATE TABLE t (id INTEGER PRIMARY KEY, i BIGINT, r DOUBLE PRECISION, c TEXT)"));
    }
    //! Rows of tests: protocol and kind of session.
    static void kinds()
    {
        QTest::addColumn<QString>("protocol");
        QTest::addColumn<bool>("loop");
        for (const char* protocol : {"prepared", "text", "pipeline"}) {
            QTest::addRow("blocking, %s", protocol) << protocol << false;
            QTest::addRow("event loop, %s", protocol) << protocol << true;
        }
    }
    //! A session of the row's kind, not connected.
    SessionPtr ofKind(StatementSet statements = {}, Settings connection = {}, const Settings& extra = {})
    {
        connection["protocol"] = static_cast<QString*>(QTest::qData("protocol", QMetaType::QString))->toStdString();
        auto target = std::make_shared<ConnectTarget>(*m_server.target(std::move(statements), connection, extra));
        target->eventLoop = *static_cast<bool*>(QTest::qData("loop", QMetaType::Bool));
        return openSession("postgresql", target);
    }
    //! The same, connected; warns when it could not.
    SessionPtr connectedOfKind(StatementSet statements = {}, const Settings& connection = {},
                               const Settings& extra = {})
    {
        return connect(ofKind(std::move(statements), connection, extra));
    }
    //! A blocking session that has connected; warns when it could not.
    SessionPtr connected(StatementSet statements = {}, const Settings& connection = {}, const Settings& extra = {})
    {
        return connect(openSession("postgresql", m_server.target(std::move(statements), connection, extra)));
    }
    static SessionPtr connect(SessionPtr session)
    {
        if (session && finishRequest(*session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok)
            qWarning("%s", session->lastError().c_str());
        return session;
    }
    static Reply text(Session& session, std::string_view command)
    {
        return finishRequest(session, Request::sql(command));
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
        return QTest::qWaitFor(hasRow, kPatienceMs);
    }

    PostgresqlFixture m_server;
    std::unique_ptr<Admin> m_admin;
};

} // namespace dyno::test
