// SPDX-License-Identifier: GPL-3.0-or-later
// The MySQL driver against a real server: how connecting and statements fail, and connection knobs.
#include "mysql_test.h"
#include "support/suite.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <pthread.h>
#include <thread>

namespace dyno::tst_mysql_outcomes {
using namespace dyno::test;

class TestMysqlOutcomes : public dyno::test::MysqlTest
{
    Q_OBJECT
private slots:
    void rejections_data();
    void rejections();
    void deadlock();
    void lockWaitTimeout();
    void statementTimeout();
    void killedConnection();
    void abortFromAnotherThread();
    void signalsWhileWaiting();
    void wrongPassword();
    void unreachable_data();
    void unreachable();
    void missingDatabase();
    void tlsThatTheServerLacks();
    void connectionKnobsAreInForce_data();
    void connectionKnobsAreInForce();
    void unknownSessionVariable();
    void badOptions_data();
    void badOptions();
    void valuesDoNotLeaveTheirQuotes();
};

void TestMysqlOutcomes::rejections_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("code");
    QTest::newRow("duplicate key") << "INSERT INTO t VALUES (1, 1, 1, 'a')" << 1062;
    QTest::newRow("missing table") << "SELECT * FROM missing" << 1146;
    QTest::newRow("syntax") << "SELEKT 1" << 1064;
    QTest::newRow("too long") << "SET SESSION sql_mode = REPEAT('x', 100)" << 1231;
}

void TestMysqlOutcomes::rejections()
{
    QFETCH(QString, text);
    QFETCH(int, code);
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 1, 1, 'a')"));
    for (const char* protocol : {"prepared", "text"}) {
        const auto session = connected({statement(text.toStdString())}, {{"protocol", std::string(protocol)}});
        const Reply reply = execute(*session, 0);
        QCOMPARE(reply.outcome, Outcome::Rejected);
        QCOMPARE(reply.code, code);
        QVERIFY(!session->lastError().empty());
        QCOMPARE(sql(*session, "SELECT 1").rows, 1);
    }
}

void TestMysqlOutcomes::deadlock()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 0, 0, ''), (2, 0, 0, '')"));
    const auto a = connected();
    const auto b = connected();
    COMPARE_OK(*a, run(*a, Request::step(RequestKind::Begin)));
    COMPARE_OK(*b, run(*b, Request::step(RequestKind::Begin)));
    COMPARE_OK(*a, sql(*a, "UPDATE t SET i = i + 1 WHERE id = 1"));
    COMPARE_OK(*b, sql(*b, "UPDATE t SET i = i + 1 WHERE id = 2"));
    // Whichever comes second closes the circle, and the server picks one of them.
    Reply first;
    std::thread other([&] { first = sql(*a, "UPDATE t SET i = i + 1 WHERE id = 2"); });
    const Reply second = sql(*b, "UPDATE t SET i = i + 1 WHERE id = 1");
    other.join();
    const Reply victim = first.outcome == Outcome::Ok ? second : first;
    const Reply winner = first.outcome == Outcome::Ok ? first : second;
    QCOMPARE(victim.outcome, Outcome::Retryable);
    QCOMPARE(victim.code, 1213);
    QCOMPARE(winner.outcome, Outcome::Ok);
}

void TestMysqlOutcomes::lockWaitTimeout()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 0, 0, '')"));
    const auto holder = connected();
    COMPARE_OK(*holder, run(*holder, Request::step(RequestKind::Begin)));
    COMPARE_OK(*holder, sql(*holder, "UPDATE t SET i = 1 WHERE id = 1"));
    const auto waiter = connected({}, {}, {{"innodb_lock_wait_timeout", std::int64_t(1)}});
    const Reply reply = sql(*waiter, "UPDATE t SET i = 2 WHERE id = 1");
    QCOMPARE(reply.outcome, Outcome::Retryable);
    QCOMPARE(reply.code, 1205);
}

void TestMysqlOutcomes::statementTimeout()
{
    const auto session = connected({}, {}, {{"max_statement_time", 0.05}});
    const Reply reply =
        sql(*session, "SELECT COUNT(*) FROM information_schema.columns a, information_schema.columns b, "
                      "information_schema.columns c");
    QCOMPARE(reply.outcome, Outcome::TimedOut);
    QCOMPARE(reply.code, 1969);
    QCOMPARE(sql(*session, "SELECT 1").rows, 1);
}

void TestMysqlOutcomes::killedConnection()
{
    for (const char* protocol : {"prepared", "text"}) {
        const Settings knobs = {{"protocol", std::string(protocol)}};
        const StatementSet statements = {statement("SELECT id FROM t WHERE id = ?", {kInteger}, true)};
        const auto victim = connected(statements, knobs);
        const auto other = connected(statements, knobs);
        const std::array params = {Param::of(std::int64_t(1))};
        COMPARE_OK(*victim, execute(*victim, 0, params));
        COMPARE_OK(*victim, sql(*victim, "SET @victim = GET_LOCK('victim', 0)"));
        const std::string id = cell("SELECT IS_USED_LOCK('victim')");
        QVERIFY(m_admin->execute("KILL " + id));
        QVERIFY(waitForRow(
            "SELECT 1 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM information_schema.processlist WHERE id = " + id +
            ")"));
        const Reply reply = execute(*victim, 0, params);
        QCOMPARE(reply.outcome, Outcome::Disconnected);
        QVERIFY2(reply.code == 2006 || reply.code == 2013 || reply.code == 1927, victim->lastError().c_str());
        QVERIFY(!victim->lastError().empty());
        // Broken for good until it connects again; the others do not notice.
        QCOMPARE(execute(*victim, 0, params).outcome, Outcome::Disconnected);
        COMPARE_OK(*other, execute(*other, 0, params));
        COMPARE_OK(*victim, run(*victim, Request::step(RequestKind::Connect)));
        COMPARE_OK(*victim, run(*victim, Request::prepare(StatementId{0})));
        COMPARE_OK(*victim, execute(*victim, 0, params));
    }
}

void TestMysqlOutcomes::abortFromAnotherThread()
{
    const auto session = connected();
    Reply reply;
    std::thread user([&] { reply = sql(*session, "SELECT SLEEP(100) AS marker_of_this_test"); });
    const bool waiting =
        waitForRow("SELECT 1 FROM information_schema.processlist WHERE state = 'User sleep' AND info LIKE "
                   "'SELECT SLEEP(100) AS marker%'");
    session->abort();
    user.join();
    QVERIFY(waiting);
    QCOMPARE(reply.outcome, Outcome::Disconnected);
    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Connect)));
}

//! A signal that a handler takes ends the kernel's wait (EINTR), not the connection.
void TestMysqlOutcomes::signalsWhileWaiting()
{
    struct sigaction taken
    {
    };
    struct sigaction before
    {
    };
    taken.sa_handler = [](int) {}; // without SA_RESTART
    QCOMPARE(::sigaction(SIGUSR1, &taken, &before), 0);
    const auto session = connected({statement("SELECT SLEEP(0.5)", {}, true)});
    std::atomic<bool> done{false};
    const pthread_t waiting = ::pthread_self();
    std::thread sender([&] {
        while (!done) {
            ::pthread_kill(waiting, SIGUSR1);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
    const Reply reply = execute(*session, 0);
    done = true;
    sender.join();
    ::sigaction(SIGUSR1, &before, nullptr);
    QCOMPARE(reply.outcome, Outcome::Ok);
    QCOMPARE(reply.rows, 1);
}

void TestMysqlOutcomes::wrongPassword()
{
    QVERIFY(m_admin->execute("CREATE OR REPLACE USER 'guest'@'localhost' IDENTIFIED BY 'right-1'"));
    QVERIFY(m_admin->execute("GRANT SELECT ON *.* TO 'guest'@'localhost'"));
    auto target = std::make_shared<ConnectTarget>(*m_server.target());
    target->uri.user = "guest";
    target->uri.password = "wrong-secret-7";
    const auto refused = driverFor("mysql")->admin(*target);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Refused);
    const std::string text = refused.error().text();
    QVERIFY2(text.find("the server answers, but refuses the user or password") != std::string::npos, text.c_str());
    QVERIFY2(text.find("DYNO_PASSWORD") != std::string::npos, text.c_str());
    QVERIFY2(text.find("wrong-secret") == std::string::npos, text.c_str());

    const auto session = openSession(target);
    const Reply reply = run(*session, Request::step(RequestKind::Connect));
    QCOMPARE(reply.outcome, Outcome::Rejected);
    QCOMPARE(reply.code, 1045);
    QVERIFY(session->lastError().find("wrong-secret") == std::string::npos);

    auto right = std::make_shared<ConnectTarget>(*target);
    right->uri.password = "right-1";
    QVERIFY(driverFor("mysql")->admin(*right));
    QVERIFY(m_admin->execute("DROP USER 'guest'@'localhost'"));
}

void TestMysqlOutcomes::unreachable_data()
{
    QTest::addColumn<QString>("socket");
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::newRow("no such socket") << "/tmp/dyno-there-is-no-such-socket"
                                    << "" << 0;
    // The discard port: nothing on a test machine listens there.
    QTest::newRow("closed port") << ""
                                 << "127.0.0.1" << 9;
}

void TestMysqlOutcomes::unreachable()
{
    QFETCH(QString, socket);
    QFETCH(QString, host);
    QFETCH(int, port);
    ConnectTarget target = *m_server.target();
    target.uri.query.clear();
    if (!socket.isEmpty())
        target.uri.query["socket"] = socket.toStdString();
    target.uri.host = host.toStdString();
    target.uri.port = port;
    const auto admin = driverFor("mysql")->admin(target);
    QVERIFY(!admin);
    QCOMPARE(admin.error().kind, ErrorKind::Unreachable);
    QVERIFY(!admin.error().remedy.empty());
    const auto session = openSession(std::make_shared<ConnectTarget>(target));
    QCOMPARE(run(*session, Request::step(RequestKind::Connect)).outcome, Outcome::Disconnected);
    QCOMPARE(sql(*session, "SELECT 1").outcome, Outcome::Disconnected);
}

void TestMysqlOutcomes::missingDatabase()
{
    ConnectTarget target = *m_server.target();
    target.uri.database = "there_is_none";
    const auto admin = driverFor("mysql")->admin(target);
    QVERIFY(!admin);
    QCOMPARE(admin.error().kind, ErrorKind::Refused);
    QVERIFY(admin.error().remedy.find("CREATE DATABASE there_is_none") != std::string::npos);
}

void TestMysqlOutcomes::tlsThatTheServerLacks()
{
    if (cell("SELECT @@have_ssl") == "YES")
        QSKIP("this server has TLS");
    for (const bool byUri : {false, true}) {
        auto target = std::make_shared<ConnectTarget>(
            *m_server.target({}, byUri ? Settings{} : Settings{{"tls", std::string("required")}}));
        if (byUri)
            target->uri.query["tls"] = "required";
        const auto admin = driverFor("mysql")->admin(*target);
        QVERIFY(!admin);
        QCOMPARE(admin.error().kind, ErrorKind::Refused);
        QVERIFY2(admin.error().text().find("TLS") != std::string::npos, admin.error().text().c_str());
    }
}

void TestMysqlOutcomes::connectionKnobsAreInForce_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("condition");
    QTest::newRow("isolation") << "isolation"
                               << "READ-COMMITTED"
                               << "@@session.tx_isolation = 'READ-COMMITTED'";
    QTest::newRow("isolation left alone") << "isolation"
                                          << ""
                                          << "@@session.tx_isolation = @@global.tx_isolation";
    QTest::newRow("autocommit off") << "autocommit"
                                    << "false"
                                    << "@@session.autocommit = 0";
    QTest::newRow("autocommit on") << "autocommit"
                                   << "true"
                                   << "@@session.autocommit = 1";
    QTest::newRow("init_sql") << "init_sql"
                              << "SET @a = 5; SET @b = @a + 1"
                              << "@b = 6";
    QTest::newRow("compression")
        << "compression"
        << "on"
        << "(SELECT variable_value FROM information_schema.session_status WHERE variable_name = 'compression') = 'ON'";
    QTest::newRow("no compression")
        << "compression"
        << "off"
        << "(SELECT variable_value FROM information_schema.session_status WHERE variable_name = 'compression') = 'OFF'";
    QTest::newRow("extra number") << "sort_buffer_size"
                                  << "1048576"
                                  << "@@session.sort_buffer_size = 1048576";
    QTest::newRow("extra switch") << "foreign_key_checks"
                                  << "off"
                                  << "@@session.foreign_key_checks = 0";
    QTest::newRow("extra text") << "sql_mode"
                                << "ANSI_QUOTES"
                                << "@@session.sql_mode = 'ANSI_QUOTES'";
    QTest::newRow("extra real") << "max_statement_time"
                                << "12.5"
                                << "@@session.max_statement_time = 12.5";
}

void TestMysqlOutcomes::connectionKnobsAreInForce()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, condition);
    const OptionSpecs known = driverFor("mysql")->info().connection;
    const bool own = std::any_of(known.begin(), known.end(),
                                 [&](const OptionSpec& option) { return option.name == name.toStdString(); });
    const Settings setting = {{name.toStdString(), parseValue(value.toStdString())}};
    const auto session = own ? connected({}, setting) : connected({}, {}, setting);
    const Reply reply = sql(*session, "SELECT 1 FROM DUAL WHERE " + condition.toStdString());
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(reply.rows, 1);
}

void TestMysqlOutcomes::unknownSessionVariable()
{
    const auto session = openSession(m_server.target({}, {}, {{"no_such_thing", std::int64_t(1)}}));
    const Reply reply = run(*session, Request::step(RequestKind::Connect));
    QCOMPARE(reply.outcome, Outcome::Rejected);
    QCOMPARE(reply.code, 1193);
    QVERIFY(session->lastError().find("no_such_thing") != std::string::npos);
}

//! Where a backslash is the second half of a letter, an escaped quote ends the text.
void TestMysqlOutcomes::valuesDoNotLeaveTheirQuotes()
{
    const std::string value = "\xe3\x81\xbf\\', @hole=1 -- ";
    const auto session = openSession(
        m_server.target({}, {}, {{"character_set_client", std::string("gbk")}, {"default_master_connection", value}}));
    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Connect)));
    const Reply reply = sql(*session, "SELECT 1 FROM (SELECT 1 AS one) d WHERE @hole IS NULL AND "
                                      "HEX(@@default_master_connection) = 'E381BF5C272C2040686F6C653D31202D2D20'");
    COMPARE_OK(*session, reply);
    QCOMPARE(reply.rows, 1);
    // Global ones, read back as they were given.
    const std::string before = *m_admin->variable("init_connect");
    const std::string text = "SET @a='\xc3\xa9\\'";
    QVERIFY(m_admin->setVariable("init_connect", text));
    QCOMPARE(*m_admin->variable("init_connect"), text);
    QVERIFY(m_admin->setVariable("init_connect", before));
}

void TestMysqlOutcomes::badOptions_data()
{
    QTest::addColumn<QString>("extra");
    QTest::addColumn<QString>("tls");
    QTest::newRow("name with a space") << "a b"
                                       << "";
    QTest::newRow("name with SQL") << "x=1;drop"
                                   << "";
    QTest::newRow("tls") << ""
                         << "perhaps";
}

void TestMysqlOutcomes::badOptions()
{
    QFETCH(QString, extra);
    QFETCH(QString, tls);
    auto target = std::make_shared<ConnectTarget>(*m_server.target());
    if (!extra.isEmpty())
        target->connectionExtra[extra.toStdString()] = std::int64_t(1);
    if (!tls.isEmpty())
        target->uri.query["tls"] = tls.toStdString();
    const auto session = driverFor("mysql")->open(target);
    QVERIFY(!session);
    QCOMPARE(session.error().kind, ErrorKind::BadInput);
    QVERIFY(!session.error().remedy.empty());
}

} // namespace dyno::tst_mysql_outcomes

DYNO_SUITE(tst_mysql_outcomes, dyno::tst_mysql_outcomes::TestMysqlOutcomes)
#include "tst_mysql_outcomes.moc"
