// SPDX-License-Identifier: GPL-3.0-or-later
// The PostgreSQL driver against a real server: how connecting and statements fail, and connection knobs.
#include "base/environment.h"
#include "driver/postgresql/postgresql_codes.h"
#include "driver/postgresql/postgresql_environment.h"
#include "postgresql_test.h"
#include "support/suite.h"

#include <dyno/uri_form.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <thread>

namespace dyno::tst_postgresql_outcomes {
using namespace dyno::test;

class TestPostgresqlOutcomes : public dyno::test::PostgresqlTest
{
    Q_OBJECT
private slots:
    void codes_data();
    void codes();
    void rejections_data() { kinds(); }
    void rejections();
    void deadlock();
    void serializationFailure();
    void lockNotAvailable();
    void statementTimeout_data() { kinds(); }
    void statementTimeout();
    void terminated_data() { kinds(); }
    void terminated();
    void commitOfAFailedTransaction_data() { kinds(); }
    void commitOfAFailedTransaction();
    void abortFromAnotherThread();
    void signalsWhileWaiting();
    void wrongPassword();
    void noSuchDatabaseOrRole();
    void tooManyConnections();
    void unreachable_data();
    void unreachable();
    void connectionKnobsAreInForce_data();
    void connectionKnobsAreInForce();
    void faultyKnobIsNamed_data() { kinds(); }
    void faultyKnobIsNamed();
    void valuesDoNotLeaveTheirQuotes();
    void badOptions_data();
    void badOptions();
    void theEnvironmentDecidesNothing();
    void passwordStaysOnThisMachine();

private:
    //! The outcome of COMMIT after `failing` inside a transaction.
    Reply commitAfter(Session& session, std::string_view failing)
    {
        if (finishRequest(session, Request::step(RequestKind::Begin)).outcome != Outcome::Ok ||
            text(session, failing).outcome == Outcome::Ok)
            return {};
        return finishRequest(session, Request::step(RequestKind::Commit));
    }
};

void TestPostgresqlOutcomes::codes_data()
{
    QTest::addColumn<QString>("state");
    QTest::addColumn<int>("code");
    QTest::newRow("digits") << "23505" << 23505;
    QTest::newRow("leading zero") << "08006" << 8006;
    QTest::newRow("letters") << "40P01" << 100'000 + ((4 * 36 * 36 + 0 * 36 + 25) * 36 + 0) * 36 + 1;
    QTest::newRow("only letters at the end") << "0A000" << 100'000 + 10 * 36 * 36 * 36;
    QTest::newRow("largest") << "ZZZZZ" << 100'000 + 60'466'175;
}

void TestPostgresqlOutcomes::codes()
{
    QFETCH(QString, state);
    QFETCH(int, code);
    QCOMPARE(postgresql::codeOf(state.toStdString()), code);
    QCOMPARE(errorCode(state.toStdString()), code);
    QCOMPARE(postgresql::sqlStateOf(code), state.toStdString());
    QCOMPARE(errorName("postgresql", code), state.toStdString());
    QCOMPARE(errorName("null", code), std::to_string(code));
    QCOMPARE(errorName("postgresql", -code), std::to_string(-code)); // of a workload
}

void TestPostgresqlOutcomes::rejections()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 1, 1, 'a')"));
    for (const auto& [command, state] : {std::pair{"INSERT INTO t VALUES (1, 1, 1, 'a')", "23505"},
                                         {"SELECT * FROM missing", "42P01"},
                                         {"SELEKT 1", "42601"},
                                         {"SELECT 1 / 0", "22012"},
                                         {"COPY t FROM STDIN", "0A000"}}) {
        StatementSpec spec = statement(command);
        const auto session = connectedOfKind({spec});
        const Reply executed = std::string_view(state) == "0A000"
                                   ? text(*session, command)
                                   : finishRequest(*session, Request::execute(StatementId{0}, {}));
        QCOMPARE(executed.outcome, Outcome::Rejected);
        QCOMPARE(postgresql::sqlStateOf(executed.code), std::string(state));
        QVERIFY(!session->lastError().empty());
        QCOMPARE(text(*session, "SELECT 1").rows, 1);
    }
}

void TestPostgresqlOutcomes::deadlock()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 0, 0, ''), (2, 0, 0, '')"));
    const Settings fast = {{"deadlock_timeout", std::string("10ms")}};
    const auto a = connected({}, {}, fast);
    const auto b = connected({}, {}, fast);
    COMPARE_OK(*a, run(*a, Request::step(RequestKind::Begin)));
    COMPARE_OK(*b, run(*b, Request::step(RequestKind::Begin)));
    COMPARE_OK(*a, sql(*a, "UPDATE t SET i = i + 1 WHERE id = 1"));
    COMPARE_OK(*b, sql(*b, "UPDATE t SET i = i + 1 WHERE id = 2"));
    // Whichever comes second closes the circle, and the server picks one of them.
    Reply first;
    std::thread other([&] {
        first = sql(*a, "UPDATE t SET i = i + 1 WHERE id = 2");
        if (first.outcome != Outcome::Ok)
            run(*a, Request::step(RequestKind::Rollback));
    });
    const Reply second = sql(*b, "UPDATE t SET i = i + 1 WHERE id = 1");
    if (second.outcome != Outcome::Ok)
        run(*b, Request::step(RequestKind::Rollback));
    other.join();
    const Reply victim = first.outcome == Outcome::Ok ? second : first;
    const Reply winner = first.outcome == Outcome::Ok ? first : second;
    QCOMPARE(victim.outcome, Outcome::Retryable);
    QCOMPARE(postgresql::sqlStateOf(victim.code), std::string("40P01"));
    QCOMPARE(winner.outcome, Outcome::Ok);
}

void TestPostgresqlOutcomes::serializationFailure()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 0, 0, '')"));
    const Settings serializable = {{"isolation", std::string("SERIALIZABLE")}};
    const auto a = connected({}, serializable);
    const auto b = connected({}, serializable);
    COMPARE_OK(*a, run(*a, Request::step(RequestKind::Begin)));
    COMPARE_OK(*a, sql(*a, "SELECT i FROM t WHERE id = 1"));
    COMPARE_OK(*b, sql(*b, "UPDATE t SET i = i + 1 WHERE id = 1"));
    const Reply reply = sql(*a, "UPDATE t SET i = i + 1 WHERE id = 1");
    QCOMPARE(reply.outcome, Outcome::Retryable);
    QCOMPARE(postgresql::sqlStateOf(reply.code), std::string("40001"));
    // What failed in the transaction decides what its COMMIT is.
    const Reply commit = run(*a, Request::step(RequestKind::Commit));
    QCOMPARE(commit.outcome, Outcome::Retryable);
    QCOMPARE(commit.code, reply.code);
}

void TestPostgresqlOutcomes::lockNotAvailable()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 0, 0, '')"));
    const auto holder = connected();
    COMPARE_OK(*holder, run(*holder, Request::step(RequestKind::Begin)));
    COMPARE_OK(*holder, sql(*holder, "UPDATE t SET i = 1 WHERE id = 1"));
    const auto waiter = connected({}, {}, {{"lock_timeout", std::string("10ms")}});
    for (const char* command : {"UPDATE t SET i = 2 WHERE id = 1", "SELECT i FROM t WHERE id = 1 FOR UPDATE NOWAIT"}) {
        const Reply reply = sql(*waiter, command);
        QCOMPARE(reply.outcome, Outcome::Retryable);
        QCOMPARE(postgresql::sqlStateOf(reply.code), std::string("55P03"));
    }
}

void TestPostgresqlOutcomes::statementTimeout()
{
    const auto session =
        connectedOfKind({statement("SELECT pg_sleep(60)", {}, true)}, {}, {{"statement_timeout", std::int64_t(20)}});
    const Reply reply = finishRequest(*session, Request::execute(StatementId{0}, {}));
    QCOMPARE(reply.outcome, Outcome::TimedOut);
    QCOMPARE(postgresql::sqlStateOf(reply.code), std::string("57014"));
    QCOMPARE(text(*session, "SELECT 1").rows, 1);
}

void TestPostgresqlOutcomes::terminated()
{
    const StatementSet statements = {statement("SELECT id FROM t WHERE id = ?", {kInteger}, true)};
    const std::array params = {Param::of(std::int64_t(1))};
    const Request select = Request::execute(StatementId{0}, params);
    const auto kill = [this] {
        return cell("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dynobench' AND "
                    "query LIKE '%marker_of_this_test%' AND pid <> pg_backend_pid()");
    };
    const std::string gone = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE query LIKE "
                             "'%marker_of_this_' || 'test%' AND pid <> pg_backend_pid())";
    for (const bool idle : {true, false}) {
        const auto victim = connectedOfKind(statements);
        const auto other = connectedOfKind(statements);
        COMPARE_OK(*other, finishRequest(*other, select));
        COMPARE_OK(*victim, finishRequest(*victim, select));
        Reply reply;
        if (idle) {
            COMPARE_OK(*victim, text(*victim, "SELECT 1 AS marker_of_this_test"));
            QCOMPARE(kill(), std::string("t"));
            QVERIFY(waitForRow(gone));
            reply = finishRequest(*victim, select);
        } else {
            std::thread user([&] { reply = text(*victim, "SELECT pg_sleep(100) AS marker_of_this_test"); });
            const bool waiting = waitForRow("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
            const std::string killed = kill();
            user.join();
            QVERIFY(waiting);
            QCOMPARE(killed, std::string("t"));
            QCOMPARE(postgresql::sqlStateOf(reply.code), std::string("57P01"));
        }
        QCOMPARE(reply.outcome, Outcome::Disconnected);
        QVERIFY(reply.code != 0);
        QVERIFY(!victim->lastError().empty());
        // Broken for good until it connects again; the others do not notice.
        QCOMPARE(finishRequest(*victim, select).outcome, Outcome::Disconnected);
        COMPARE_OK(*other, finishRequest(*other, select));
        COMPARE_OK(*victim, finishRequest(*victim, Request::step(RequestKind::Connect)));
        COMPARE_OK(*victim, finishRequest(*victim, select));
    }
}

//! The server answers "ROLLBACK" and no error: a workload must not count it as done.
void TestPostgresqlOutcomes::commitOfAFailedTransaction()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 0, 0, '')"));
    const auto session = connectedOfKind({statement("commit")});
    for (int again = 0; again < 2; ++again) {
        const Reply commit = commitAfter(*session, "INSERT INTO t VALUES (1, 1, 1, '')");
        QCOMPARE(commit.outcome, Outcome::Rejected);
        QCOMPARE(postgresql::sqlStateOf(commit.code), std::string("23505"));
        QVERIFY2(session->lastError().find("duplicate key") != std::string::npos, session->lastError().c_str());
        COMPARE_OK(*session, finishRequest(*session, Request::step(RequestKind::Rollback)));
        // One that goes well is one, also after that.
        COMPARE_OK(*session, finishRequest(*session, Request::step(RequestKind::Begin)));
        COMPARE_OK(*session, finishRequest(*session, Request::step(RequestKind::Commit)));
    }
    // Whatever way it is written.
    COMPARE_OK(*session, text(*session, "BEGIN"));
    QCOMPARE(text(*session, "SELECT * FROM missing").outcome, Outcome::Rejected);
    QCOMPARE(text(*session, "SELECT 1").outcome, Outcome::Rejected);
    QCOMPARE(postgresql::sqlStateOf(text(*session, " End;").code), std::string("42P01"));
    COMPARE_OK(*session, finishRequest(*session, Request::prepare(StatementId{0})));
    COMPARE_OK(*session, text(*session, "BEGIN"));
    QCOMPARE(text(*session, "SELECT 1 / 0").outcome, Outcome::Rejected);
    QCOMPARE(postgresql::sqlStateOf(finishRequest(*session, Request::execute(StatementId{0}, {})).code),
             std::string("22012"));
    COMPARE_OK(*session, text(*session, "ROLLBACK"));
}

void TestPostgresqlOutcomes::abortFromAnotherThread()
{
    const auto session = connected();
    Reply reply;
    std::thread user([&] { reply = sql(*session, "SELECT pg_sleep(100) AS marker_of_this_test"); });
    const bool waiting = waitForRow("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    session->abort();
    user.join();
    QVERIFY(waiting);
    QCOMPARE(reply.outcome, Outcome::Disconnected);
    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Connect)));
}

//! A signal that a handler takes ends the kernel's wait (EINTR), not the connection.
void TestPostgresqlOutcomes::signalsWhileWaiting()
{
    struct sigaction taken
    {
    };
    struct sigaction before
    {
    };
    taken.sa_handler = [](int) {}; // without SA_RESTART
    QCOMPARE(::sigaction(SIGUSR1, &taken, &before), 0);
    const auto session = connected({statement("SELECT pg_sleep(0.3)", {}, true)});
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

void TestPostgresqlOutcomes::wrongPassword()
{
    auto target = std::make_shared<ConnectTarget>(*PostgresqlFixture::targetAt(m_server.networkUri()));
    QVERIFY(driverFor("postgresql")->admin(*target));
    target->uri.password = "wrong-secret-7";
    const auto refused = driverFor("postgresql")->admin(*target);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Refused);
    const std::string words = refused.error().text();
    QVERIFY2(words.find("the server answers, but refuses the user or password") != std::string::npos, words.c_str());
    QVERIFY2(words.find("DYNO_PASSWORD") != std::string::npos, words.c_str());
    QVERIFY2(words.find("wrong-secret") == std::string::npos, words.c_str());
    QVERIFY2(words.find("auth.c") == std::string::npos, words.c_str()); // no place in the server's source

    const auto session = openSession("postgresql", target);
    const Reply reply = run(*session, Request::step(RequestKind::Connect));
    QCOMPARE(reply.outcome, Outcome::Rejected);
    QCOMPARE(postgresql::sqlStateOf(reply.code), std::string("28P01"));
    QVERIFY(session->lastError().find("wrong-secret") == std::string::npos);

    target->uri.password.clear();
    const auto none = driverFor("postgresql")->admin(*target);
    QVERIFY(!none);
    QCOMPARE(none.error().kind, ErrorKind::Refused);
}

void TestPostgresqlOutcomes::noSuchDatabaseOrRole()
{
    ConnectTarget target = *m_server.target();
    target.uri.database = "there_is_none";
    const auto admin = driverFor("postgresql")->admin(target);
    QVERIFY(!admin);
    QCOMPARE(admin.error().kind, ErrorKind::Refused);
    QVERIFY2(admin.error().remedy.find("CREATE DATABASE there_is_none") != std::string::npos,
             admin.error().text().c_str());
    target = *m_server.target();
    target.uri.user = "nobody_of_this_name";
    const auto other = driverFor("postgresql")->admin(target);
    QVERIFY(!other);
    QCOMPARE(other.error().kind, ErrorKind::Refused);
    QVERIFY2(other.error().text().find("nobody_of_this_name") != std::string::npos, other.error().text().c_str());
}

void TestPostgresqlOutcomes::tooManyConnections()
{
    QVERIFY(m_admin->execute("DROP ROLE IF EXISTS single"));
    QVERIFY(m_admin->execute("CREATE ROLE single LOGIN CONNECTION LIMIT 1"));
    auto target = std::make_shared<ConnectTarget>(*m_server.target());
    target->uri.user = "single";
    const auto first = openSession("postgresql", target);
    COMPARE_OK(*first, run(*first, Request::step(RequestKind::Connect)));
    const auto second = openSession("postgresql", target);
    QCOMPARE(postgresql::sqlStateOf(run(*second, Request::step(RequestKind::Connect)).code), std::string("53300"));
    const auto admin = driverFor("postgresql")->admin(*target);
    QVERIFY(!admin);
    QVERIFY2(admin.error().text().find("takes no more connections") != std::string::npos, admin.error().text().c_str());
}

void TestPostgresqlOutcomes::unreachable_data()
{
    QTest::addColumn<QString>("socket");
    QTest::addColumn<QString>("host");
    QTest::addColumn<bool>("loop");
    for (const bool loop : {false, true}) {
        QTest::addRow("no such socket%s", loop ? ", event loop" : "") << "/tmp/dyno-there-is-no-such-folder"
                                                                      << "" << loop;
        // The discard port: nothing on a test machine listens there.
        QTest::addRow("closed port%s", loop ? ", event loop" : "") << ""
                                                                   << "127.0.0.1" << loop;
    }
}

void TestPostgresqlOutcomes::unreachable()
{
    QFETCH(QString, socket);
    QFETCH(QString, host);
    QFETCH(bool, loop);
    ConnectTarget target = *m_server.target();
    target.uri.query.clear();
    if (!socket.isEmpty())
        target.uri.query["socket"] = socket.toStdString();
    target.uri.host = host.toStdString();
    target.uri.port = 9;
    target.eventLoop = loop;
    const auto admin = driverFor("postgresql")->admin(target);
    QVERIFY(!admin);
    QCOMPARE(admin.error().kind, ErrorKind::Unreachable);
    QVERIFY(!admin.error().remedy.empty());
    const auto session = openSession("postgresql", std::make_shared<ConnectTarget>(target));
    QCOMPARE(finishRequest(*session, Request::step(RequestKind::Connect)).outcome, Outcome::Disconnected);
    QVERIFY(!session->lastError().empty());
    QCOMPARE(text(*session, "SELECT 1").outcome, Outcome::Disconnected);
}

void TestPostgresqlOutcomes::connectionKnobsAreInForce_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("condition");
    QTest::newRow("isolation") << "isolation"
                               << "REPEATABLE READ"
                               << "current_setting('transaction_isolation') = 'repeatable read'";
    QTest::newRow("isolation left alone") << "isolation"
                                          << ""
                                          << "current_setting('transaction_isolation') = 'read committed'";
    QTest::newRow("init_sql") << "init_sql"
                              << "SET my.a = 5; SET my.b = 6"
                              << "current_setting('my.b') = '6'";
    QTest::newRow("extra number") << "work_mem"
                                  << "2048"
                                  << "current_setting('work_mem') = '2MB'";
    QTest::newRow("extra switch") << "enable_seqscan"
                                  << "off"
                                  << "current_setting('enable_seqscan') = 'off'";
    QTest::newRow("extra text") << "search_path"
                                << "pg_catalog"
                                << "current_setting('search_path') = 'pg_catalog'";
    QTest::newRow("extra with a unit") << "statement_timeout"
                                       << "12s"
                                       << "current_setting('statement_timeout') = '12s'";
}

void TestPostgresqlOutcomes::connectionKnobsAreInForce()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, condition);
    const OptionSpecs known = driverFor("postgresql")->info().connection;
    const bool own = std::any_of(known.begin(), known.end(),
                                 [&](const OptionSpec& option) { return option.name == name.toStdString(); });
    const Settings setting = {{name.toStdString(), parseValue(value.toStdString())}};
    const auto session = own ? connected({}, setting) : connected({}, {}, setting);
    const Reply reply = sql(*session, "SELECT 1 WHERE " + condition.toStdString());
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(reply.rows, 1);
}

void TestPostgresqlOutcomes::faultyKnobIsNamed()
{
    const auto session = ofKind({}, {}, {{"no_such_thing", std::int64_t(1)}});
    const Reply reply = finishRequest(*session, Request::step(RequestKind::Connect));
    QCOMPARE(reply.outcome, Outcome::Rejected);
    QCOMPARE(postgresql::sqlStateOf(reply.code), std::string("42704"));
    QVERIFY(session->lastError().find("no_such_thing") != std::string::npos);
    QCOMPARE(text(*session, "SELECT 1").outcome, Outcome::Disconnected);
}

void TestPostgresqlOutcomes::valuesDoNotLeaveTheirQuotes()
{
    const std::string value = "\\'; CREATE TABLE hole (x int); --";
    for (const char* conforming : {"on", "off"}) {
        const auto session = connected({}, {}, {{"a.first", std::string(conforming)}, {"my.value", value}});
        COMPARE_OK(*session, sql(*session, std::string("SET standard_conforming_strings = ") + conforming));
        QCOMPARE(sql(*session, "SELECT 1 WHERE current_setting('my.value') LIKE '%CREATE TABLE hole%--'").rows, 1);
        QCOMPARE(cell("SELECT count(*) FROM pg_class WHERE relname = 'hole'"), std::string("0"));
    }
    // In statements too.
    const auto session =
        connected({statement("SELECT 1 WHERE ? = ?", {kText, kText}, true)}, {{"protocol", std::string("text")}},
                  {{"standard_conforming_strings", false}, {"escape_string_warning", false}});
    const std::array params = {Param::of(std::string_view(value)), Param::of(std::string_view(value))};
    const Reply reply = execute(*session, 0, params);
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(reply.rows, 1);
}

void TestPostgresqlOutcomes::badOptions_data()
{
    QTest::addColumn<QString>("uri");
    QTest::addColumn<QString>("knob");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("words");
    QTest::newRow("isolation") << ""
                               << "isolation"
                               << "SERIALIZABLE; DROP TABLE t"
                               << "isolation";
    QTest::newRow("protocol") << ""
                              << "protocol"
                              << "magic"
                              << "protocol";
    QTest::newRow("tls") << "postgresql://u@h/d"
                         << "tls"
                         << "maybe"
                         << "tls";
    QTest::newRow("key without certificate") << "postgresql://u@h/d?tls=required"
                                             << "tls_key"
                                             << "/dev/null"
                                             << "tls_";
    QTest::newRow("version") << "postgresql://u@h/d?tls=required"
                             << "tls_min_version"
                             << "1.0"
                             << "tls_min_version";
    QTest::newRow("variable") << ""
                              << "x = 1; DROP TABLE t; SET y"
                              << "1"
                              << "session variable";
    QTest::newRow("TLS over a socket") << ""
                                       << "tls"
                                       << "required"
                                       << "Unix socket";
    QTest::newRow("list of sockets") << "postgresql://u@/d?socket=/a,/b"
                                     << ""
                                     << ""
                                     << "socket";
}

void TestPostgresqlOutcomes::badOptions()
{
    QFETCH(QString, uri);
    QFETCH(QString, knob);
    QFETCH(QString, value);
    QFETCH(QString, words);
    auto target = std::make_shared<ConnectTarget>(*m_server.target());
    if (!uri.isEmpty()) {
        const auto parsed = parseUri(uri.toStdString());
        QVERIFY2(parsed, parsed ? "" : parsed.error().text().c_str());
        target->uri = *parsed;
    }
    const OptionSpecs known = driverFor("postgresql")->info().connection;
    const bool own = std::any_of(known.begin(), known.end(),
                                 [&](const OptionSpec& option) { return option.name == knob.toStdString(); });
    if (!knob.isEmpty())
        (own ? target->connection : target->connectionExtra)[knob.toStdString()] = value.toStdString();
    const auto session = driverFor("postgresql")->open(target);
    QVERIFY(!session);
    QCOMPARE(session.error().kind, ErrorKind::BadInput);
    QVERIFY(!session.error().remedy.empty());
    QVERIFY2(session.error().text().find(words.toStdString()) != std::string::npos, session.error().text().c_str());
}

//! Each of these would change where libpq connects, as whom, or what the session does.
void TestPostgresqlOutcomes::theEnvironmentDecidesNothing()
{
    const std::array<std::pair<const char*, const char*>, 13> variables = {{{"PGHOST", "192.0.2.1"},
                                                                            {"PGHOSTADDR", "192.0.2.1"},
                                                                            {"PGPORT", "1"},
                                                                            {"PGUSER", "someone_else"},
                                                                            {"PGDATABASE", "other"},
                                                                            {"PGPASSWORD", kPostgresqlPassword},
                                                                            {"PGSERVICE", "there_is_none"},
                                                                            {"PGOPTIONS", "-c work_mem=77MB"},
                                                                            {"PGSSLMODE", "verify-full"},
                                                                            {"PGCHANNELBINDING", "require"},
                                                                            {"PGTARGETSESSIONATTRS", "standby"},
                                                                            {"PGTZ", "Asia/Tokyo"},
                                                                            {"PGREQUIREPEER", "someone_else"}}};
    // Done already when the driver was first asked for, without the variables of this test.
    QCOMPARE(std::string(qgetenv("PGLOCALEDIR")), std::string("/dev/null/none"));
    for (const auto& [name, value] : variables)
        ::setenv(name, value, 1);
    postgresql::forgetEnvironment();
    for (const auto& [name, value] : variables) {
        QVERIFY2(!qEnvironmentVariableIsSet(name), name);
        QCOMPARE(formerVariables()[name], std::optional<std::string>(value));
    }
    const auto session = connected();
    const Reply reply = sql(*session, "SELECT 1 WHERE current_setting('work_mem') <> '77MB' AND "
                                      "current_setting('TimeZone') <> 'Asia/Tokyo'");
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(reply.rows, 1);
    // No password of the environment either.
    ConnectTarget target = *PostgresqlFixture::targetAt(m_server.networkUri());
    target.uri.password.clear();
    const auto admin = driverFor("postgresql")->admin(target);
    QVERIFY(!admin);
}

void TestPostgresqlOutcomes::passwordStaysOnThisMachine()
{
    TargetUri uri = m_server.networkUri();
    uri.host = "db.example.com";
    uri.query["tls"] = "off";
    const auto session = driverFor("postgresql")->open(PostgresqlFixture::targetAt(uri));
    QVERIFY(!session);
    QVERIFY2(session.error().remedy.find("tls=verify") != std::string::npos, session.error().text().c_str());
    QVERIFY(session.error().text().find(kPostgresqlPassword) == std::string::npos);
    // A proxy of this machine that passes everything on to another one.
    auto distant = std::make_shared<ConnectTarget>(*PostgresqlFixture::targetAt(m_server.networkUri()));
    distant->connection["tls"] = std::string("off");
    QVERIFY(driverFor("postgresql")->open(distant));
    auto proxied = std::make_shared<ConnectTarget>(*distant);
    proxied->distant = true;
    QVERIFY(!driverFor("postgresql")->open(proxied));
}

} // namespace dyno::tst_postgresql_outcomes

DYNO_SUITE(tst_postgresql_outcomes, dyno::tst_postgresql_outcomes::TestPostgresqlOutcomes)
#include "tst_postgresql_outcomes.moc"
