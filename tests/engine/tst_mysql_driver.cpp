// SPDX-License-Identifier: GPL-3.0-or-later
// The MySQL driver against a real server.
#include "driver/driver.h"
#include "support/mariadb_fixture.h"

#include <QtTest>

#include <array>
#include <chrono>
#include <thread>

using namespace dyno;

namespace {

using SessionPtr = std::unique_ptr<Session>;

SessionPtr openSession(const ConnectTargetPtr& target)
{
    auto session = driverFor("mysql")->open(target);
    return session ? std::move(*session) : nullptr;
}

Reply run(Session& session, const Request& request)
{
    if (session.start(request) != Progress::Done)
        qFatal("the blocking driver must answer Done");
    return session.reply();
}

Reply sql(Session& session, std::string_view text)
{
    return run(session, Request::sql(text));
}

Reply execute(Session& session, unsigned statement, std::span<const Param> params = {})
{
    return run(session, Request::execute(StatementId {statement}, params));
}

StatementSpec statement(std::string text, std::vector<Param::Type> parameters = {}, bool returnsRows = false)
{
    StatementSpec spec;
    spec.text = std::move(text);
    spec.parameters = std::move(parameters);
    spec.returnsRows = returnsRows;
    return spec;
}

constexpr auto kInteger = Param::Type::Integer;
constexpr auto kReal = Param::Type::Real;
constexpr auto kText = Param::Type::Text;

} // namespace

#define COMPARE_OK(session, reply)                                                                                     \
    do {                                                                                                               \
        const Reply replied = (reply);                                                                                 \
        QVERIFY2(replied.outcome == Outcome::Ok, (session).lastError().c_str());                                       \
    } while (false)

class TestMysqlDriver : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void describesItself();
    void facts();
    void protocolsAgree_data();
    void protocolsAgree();
    void parameterKeepsItsValue_data();
    void parameterKeepsItsValue();
    void longTextAfterShortText();
    void questionMarksInQuotes();
    void severalResults();
    void affectedMeansChanged();
    void alteredTableIsPreparedAgain();
    void rejections_data();
    void rejections();
    void deadlock();
    void lockWaitTimeout();
    void statementTimeout();
    void killedConnection();
    void abortFromAnotherThread();
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
    void shapeOfATable();
    void globalVariables();
    void sizeOfData();

private:
    SessionPtr connected(StatementSet statements = {}, const Settings& connection = {}, const Settings& extra = {});
    std::string cell(std::string_view query);
    bool waitForRow(std::string_view query);

    test::MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;
};

void TestMysqlDriver::initTestCase()
{
    DYNO_START_MARIADB(m_server);
    auto admin = m_server.admin();
    QVERIFY(admin);
    m_admin = std::move(*admin);
}

void TestMysqlDriver::init()
{
    QVERIFY(m_admin->execute("DROP TABLE IF EXISTS t"));
    QVERIFY(m_admin->execute("CREATE TABLE t (id INT PRIMARY KEY, i BIGINT, r DOUBLE, c LONGTEXT) ENGINE=InnoDB "
                             "CHARACTER SET utf8mb4"));
}

SessionPtr TestMysqlDriver::connected(StatementSet statements, const Settings& connection, const Settings& extra)
{
    SessionPtr session = openSession(m_server.target(std::move(statements), connection, extra));
    if (session && run(*session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok)
        qWarning("%s", session->lastError().c_str());
    return session;
}

std::string TestMysqlDriver::cell(std::string_view query)
{
    const auto rows = m_admin->query(query);
    return rows && !rows->empty() ? rows->front().front() : std::string("(no row)");
}

bool TestMysqlDriver::waitForRow(std::string_view query)
{
    return QTest::qWaitFor([&] {
        const auto rows = m_admin->query(query);
        return rows && !rows->empty();
    }, 20000);
}

void TestMysqlDriver::describesItself()
{
    const DriverInfo info = driverFor("mysql")->info();
    QCOMPARE(info.id, std::string("mysql"));
    QVERIFY(info.library.find("Connector/C 3.") != std::string::npos);
    QVERIFY(info.concurrentWriters);
    for (const OptionSpec& option : info.connection) {
        QVERIFY2(!option.label.empty() && !option.help.empty(), option.name.c_str());
        QVERIFY2(coerce(option, option.defaultValue), option.name.c_str());
    }
}

void TestMysqlDriver::facts()
{
    const auto facts = m_admin->facts();
    QVERIFY(facts);
    QCOMPARE(facts->version, cell("SELECT @@version"));
    QCOMPARE(facts->product, std::string("MariaDB"));
    QCOMPARE(facts->transport, std::string("Unix socket"));
    QCOMPARE(facts->cipher, std::string());
    QVERIFY(facts->roundTripMs > 0 && facts->roundTripMs < 1000);
    QVERIFY(facts->variables.size() > 300);
    QCOMPARE(textOf(facts->variables, "innodb_page_size"), cell("SELECT @@innodb_page_size"));
}

void TestMysqlDriver::protocolsAgree_data()
{
    QTest::addColumn<QString>("protocol");
    QTest::newRow("prepared") << "prepared";
    QTest::newRow("text") << "text";
}

void TestMysqlDriver::protocolsAgree()
{
    QFETCH(QString, protocol);
    const StatementSet statements = {
        statement("INSERT INTO t (id, i, r, c) VALUES (?, ?, ?, ?)", {kInteger, kInteger, kReal, kText}),
        statement("SELECT id, i, r, c FROM t WHERE id BETWEEN ? AND ?", {kInteger, kInteger}, true),
        statement("SELECT SUM(i), AVG(r), MAX(c), NOW(), CURRENT_DATE, NULL, CAST(1.5 AS FLOAT) FROM t", {}, true),
        statement("UPDATE t SET i = i + ? WHERE id <= ?", {kInteger, kInteger}),
        statement("DELETE FROM t WHERE c = ?", {kText}),
    };
    const auto session = connected(statements, {{"protocol", protocol.toStdString()}});
    for (unsigned i = 0; i < statements.size(); ++i)
        COMPARE_OK(*session, run(*session, Request::prepare(StatementId {i})));
    // What the protocol really was: the server counts prepared statements of the connection.
    const std::string prepared = cell("SELECT VARIABLE_VALUE FROM information_schema.global_status WHERE VARIABLE_NAME = "
                                      "'PREPARED_STMT_COUNT'");
    QCOMPARE(prepared, std::string(protocol == "prepared" ? "5" : "0"));

    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Begin)));
    for (int id = 1; id <= 100; ++id) {
        const std::string c = "row " + std::to_string(id);
        const std::array params = {Param::of(std::int64_t(id)), Param::of(std::int64_t(id) * 10),
                                   Param::of(id / 4.0), Param::of(std::string_view(c))};
        const Reply reply = execute(*session, 0, params);
        QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
        QCOMPARE(reply.affected, 1);
        QCOMPARE(reply.rows, 0);
    }
    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Commit)));
    QCOMPARE(cell("SELECT CONCAT(COUNT(*), ' ', SUM(i), ' ', SUM(r), ' ', MIN(c), ' ', MAX(c)) FROM t"),
             std::string("100 50500 1262.5 row 1 row 99"));

    const std::array range = {Param::of(std::int64_t(11)), Param::of(std::int64_t(30))};
    Reply reply = execute(*session, 1, range);
    QCOMPARE(reply.rows, 20);
    const std::array nothing = {Param::of(std::int64_t(1000)), Param::of(std::int64_t(2000))};
    reply = execute(*session, 1, nothing);
    QCOMPARE(reply.outcome, Outcome::Ok);
    QCOMPARE(reply.rows, 0);
    reply = execute(*session, 2);
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(reply.rows, 1);

    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Begin)));
    const std::array change = {Param::of(std::int64_t(7)), Param::of(std::int64_t(25))};
    QCOMPARE(execute(*session, 3, change).affected, 25);
    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Rollback)));
    QCOMPARE(cell("SELECT SUM(i) FROM t"), std::string("50500"));
    const std::array which = {Param::of(std::string_view("row 77"))};
    QCOMPARE(execute(*session, 4, which).affected, 1);
    QCOMPARE(cell("SELECT COUNT(*) FROM t WHERE id = 77"), std::string("0"));
}

void TestMysqlDriver::parameterKeepsItsValue_data()
{
    QTest::addColumn<QString>("protocol");
    QTest::addColumn<QByteArray>("text");
    for (const char* protocol : {"prepared", "text"}) {
        const auto row = [&](const char* name, const QByteArray& text) {
            QTest::addRow("%s %s", protocol, name) << protocol << text;
        };
        row("empty", "");
        row("quotes", "it's \"quoted\" `so`");
        row("backslash", "a\\b\\'c\\");
        row("zero byte", QByteArray("a\0b", 3));
        row("line ends", "a\r\nb\x1a");
        row("question mark", "? -- ?");
        row("utf-8", "Grüße, 世界 🎲");
        row("300 kB", QByteArray(300000, '\''));
    }
}

void TestMysqlDriver::parameterKeepsItsValue()
{
    QFETCH(QString, protocol);
    QFETCH(QByteArray, text);
    const auto session = connected({statement("INSERT INTO t VALUES (?, ?, ?, ?)", {kInteger, kInteger, kReal, kText})},
                                   {{"protocol", protocol.toStdString()}});
    constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
    const std::array params = {Param::of(std::int64_t(1)), Param::of(kSmallest), Param::of(0.1),
                               Param::of(std::string_view(text.constData(), std::size_t(text.size())))};
    COMPARE_OK(*session, execute(*session, 0, params));
    const auto row = m_admin->query("SELECT i, r = 0.1e0, HEX(c) FROM t WHERE id = 1");
    QVERIFY(row);
    QCOMPARE(row->at(0).at(0), std::to_string(kSmallest));
    QCOMPARE(row->at(0).at(1), std::string("1"));
    QCOMPARE(row->at(0).at(2), text.toHex().toUpper().toStdString());

    // NULL everywhere, also where a value was before.
    const std::array nulls = {Param::of(std::int64_t(2)), Param {}, Param {}, Param {}};
    COMPARE_OK(*session, execute(*session, 0, nulls));
    QCOMPARE(cell("SELECT i IS NULL AND r IS NULL AND c IS NULL FROM t WHERE id = 2"), std::string("1"));
    // A value of another type than declared.
    const std::array others = {Param::of(std::int64_t(3)), Param::of(std::string_view("42")),
                               Param::of(std::int64_t(7)), Param::of(2.5)};
    COMPARE_OK(*session, execute(*session, 0, others));
    QCOMPARE(cell("SELECT CONCAT(i, ' ', r, ' ', c) FROM t WHERE id = 3"), std::string("42 7 2.5"));
    const std::array again = {Param::of(std::int64_t(4)), Param::of(std::int64_t(1)), Param::of(1.5),
                              Param::of(std::string_view("x"))};
    COMPARE_OK(*session, execute(*session, 0, again));
    QCOMPARE(cell("SELECT CONCAT(i, ' ', r, ' ', c) FROM t WHERE id = 4"), std::string("1 1.5 x"));
}

//! Statements share their buffers: one that makes a buffer grow must not leave the other with the old one.
void TestMysqlDriver::longTextAfterShortText()
{
    const auto session = connected({statement("UPDATE t SET c = ? WHERE id = ?", {kText, kInteger}),
                                    statement("UPDATE t SET c = CONCAT(?, c) WHERE id = ?", {kText, kInteger})});
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 1, 1, '')"));
    const std::string longText(100000, 'z');
    const std::array shortOne = {Param::of(std::string_view("short")), Param::of(std::int64_t(1))};
    const std::array longOne = {Param::of(std::string_view(longText)), Param::of(std::int64_t(1))};
    COMPARE_OK(*session, execute(*session, 0, shortOne));
    COMPARE_OK(*session, execute(*session, 1, longOne));
    QCOMPARE(cell("SELECT CONCAT(LENGTH(c), RIGHT(c, 6)) FROM t"), std::string("100005zshort"));
    COMPARE_OK(*session, execute(*session, 0, shortOne));
    QCOMPARE(cell("SELECT c FROM t"), std::string("short"));
}

void TestMysqlDriver::questionMarksInQuotes()
{
    for (const char* protocol : {"prepared", "text"}) {
        const auto session = connected(
            {statement("SELECT '?', \"it''s ?\", `id`, '\\'?' /* ? */ FROM t -- ?\n WHERE id = ? # ?", {kInteger}, true)},
            {{"protocol", std::string(protocol)}});
        QVERIFY(m_admin->execute("REPLACE INTO t VALUES (5, 1, 1, '')"));
        const std::array params = {Param::of(std::int64_t(5))};
        const Reply reply = execute(*session, 0, params);
        QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
        QCOMPARE(reply.rows, 1);
    }
}

void TestMysqlDriver::severalResults()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 1, 1, 'a'), (2, 2, 2, 'b')"));
    QVERIFY(m_admin->execute("DROP PROCEDURE IF EXISTS p"));
    QVERIFY(m_admin->execute("CREATE PROCEDURE p() BEGIN SELECT id FROM t; UPDATE t SET i = i + 1; SELECT id, c FROM t; "
                             "END"));
    for (const char* protocol : {"prepared", "text"}) {
        const auto session = connected({statement("CALL p()", {}, true), statement("SELECT id FROM t", {}, true)},
                                       {{"protocol", std::string(protocol)}});
        for (int i = 0; i < 3; ++i) {
            Reply reply = execute(*session, 0);
            QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
            QCOMPARE(reply.rows, 4);
            reply = execute(*session, 1);
            QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
            QCOMPARE(reply.rows, 2);
        }
        QCOMPARE(sql(*session, "SELECT 1; SELECT id FROM t; DO 1").rows, 3);
        // An error in the second statement is seen, and the connection stays in step.
        const Reply reply = sql(*session, "SELECT 1; SELECT nothing FROM nowhere");
        QCOMPARE(reply.outcome, Outcome::Rejected);
        QCOMPARE(reply.code, 1146);
        QCOMPARE(sql(*session, "SELECT 1").rows, 1);
    }
}

void TestMysqlDriver::affectedMeansChanged()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 1, 1, 'a')"));
    for (const char* protocol : {"prepared", "text"}) {
        const auto session
            = connected({statement("UPDATE t SET c = 'a' WHERE id = 1")}, {{"protocol", std::string(protocol)}});
        QCOMPARE(execute(*session, 0).affected, 0);
    }
}

void TestMysqlDriver::alteredTableIsPreparedAgain()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 1, 1, 'a')"));
    const auto session = connected({statement("SELECT * FROM t", {}, true)});
    QCOMPARE(execute(*session, 0).rows, 1);
    QVERIFY(m_admin->execute("ALTER TABLE t ADD COLUMN more VARCHAR(20) DEFAULT 'x'"));
    // The library cannot go on with the old columns and says so once; nothing hangs and nothing is lost.
    const Reply reply = execute(*session, 0);
    QVERIFY(reply.outcome == Outcome::Ok || reply.outcome == Outcome::Rejected);
    QCOMPARE(execute(*session, 0).rows, 1);
}

void TestMysqlDriver::rejections_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("code");
    QTest::newRow("duplicate key") << "INSERT INTO t VALUES (1, 1, 1, 'a')" << 1062;
    QTest::newRow("missing table") << "SELECT * FROM missing" << 1146;
    QTest::newRow("syntax") << "SELEKT 1" << 1064;
    QTest::newRow("too long") << "SET SESSION sql_mode = REPEAT('x', 100)" << 1231;
}

void TestMysqlDriver::rejections()
{
    QFETCH(QString, text);
    QFETCH(int, code);
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 1, 1, 'a')"));
    for (const char* protocol : {"prepared", "text"}) {
        const auto session
            = connected({statement(text.toStdString())}, {{"protocol", std::string(protocol)}});
        const Reply reply = execute(*session, 0);
        QCOMPARE(reply.outcome, Outcome::Rejected);
        QCOMPARE(reply.code, code);
        QVERIFY(!session->lastError().empty());
        QCOMPARE(sql(*session, "SELECT 1").rows, 1);
    }
}

void TestMysqlDriver::deadlock()
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

void TestMysqlDriver::lockWaitTimeout()
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

void TestMysqlDriver::statementTimeout()
{
    const auto session = connected({}, {}, {{"max_statement_time", 0.05}});
    const Reply reply = sql(*session, "SELECT COUNT(*) FROM information_schema.columns a, information_schema.columns b, "
                                      "information_schema.columns c");
    QCOMPARE(reply.outcome, Outcome::TimedOut);
    QCOMPARE(reply.code, 1969);
    QCOMPARE(sql(*session, "SELECT 1").rows, 1);
}

void TestMysqlDriver::killedConnection()
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
        QVERIFY(waitForRow("SELECT 1 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM information_schema.processlist WHERE id = "
                           + id + ")"));
        const Reply reply = execute(*victim, 0, params);
        QCOMPARE(reply.outcome, Outcome::Disconnected);
        QVERIFY2(reply.code == 2006 || reply.code == 2013 || reply.code == 1927, victim->lastError().c_str());
        QVERIFY(!victim->lastError().empty());
        // Broken for good until it connects again; the others do not notice.
        QCOMPARE(execute(*victim, 0, params).outcome, Outcome::Disconnected);
        COMPARE_OK(*other, execute(*other, 0, params));
        COMPARE_OK(*victim, run(*victim, Request::step(RequestKind::Connect)));
        COMPARE_OK(*victim, run(*victim, Request::prepare(StatementId {0})));
        COMPARE_OK(*victim, execute(*victim, 0, params));
    }
}

void TestMysqlDriver::abortFromAnotherThread()
{
    const auto session = connected();
    Reply reply;
    std::thread user([&] { reply = sql(*session, "SELECT SLEEP(100) AS marker_of_this_test"); });
    const bool waiting = waitForRow("SELECT 1 FROM information_schema.processlist WHERE state = 'User sleep' AND info LIKE "
                                    "'SELECT SLEEP(100) AS marker%'");
    session->abort();
    user.join();
    QVERIFY(waiting);
    QCOMPARE(reply.outcome, Outcome::Disconnected);
    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Connect)));
}

void TestMysqlDriver::wrongPassword()
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
    QVERIFY2(text.find("wrong user or password") != std::string::npos, text.c_str());
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

void TestMysqlDriver::unreachable_data()
{
    QTest::addColumn<QString>("socket");
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::newRow("no such socket") << "/tmp/dyno-there-is-no-such-socket" << "" << 0;
    // The discard port: nothing on a test machine listens there.
    QTest::newRow("closed port") << "" << "127.0.0.1" << 9;
}

void TestMysqlDriver::unreachable()
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

void TestMysqlDriver::missingDatabase()
{
    ConnectTarget target = *m_server.target();
    target.uri.database = "there_is_none";
    const auto admin = driverFor("mysql")->admin(target);
    QVERIFY(!admin);
    QCOMPARE(admin.error().kind, ErrorKind::Refused);
    QVERIFY(admin.error().remedy.find("CREATE DATABASE there_is_none") != std::string::npos);
}

void TestMysqlDriver::tlsThatTheServerLacks()
{
    if (cell("SELECT @@have_ssl") == "YES")
        QSKIP("this server has TLS");
    for (const bool byUri : {false, true}) {
        auto target = std::make_shared<ConnectTarget>(
            *m_server.target({}, byUri ? Settings {} : Settings {{"tls", std::string("required")}}));
        if (byUri)
            target->uri.query["tls"] = "required";
        const auto admin = driverFor("mysql")->admin(*target);
        QVERIFY(!admin);
        QCOMPARE(admin.error().kind, ErrorKind::Refused);
        QVERIFY2(admin.error().text().find("TLS") != std::string::npos, admin.error().text().c_str());
    }
}

void TestMysqlDriver::connectionKnobsAreInForce_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("condition");
    QTest::newRow("isolation") << "isolation" << "READ-COMMITTED" << "@@session.tx_isolation = 'READ-COMMITTED'";
    QTest::newRow("isolation left alone") << "isolation" << "" << "@@session.tx_isolation = @@global.tx_isolation";
    QTest::newRow("autocommit off") << "autocommit" << "false" << "@@session.autocommit = 0";
    QTest::newRow("autocommit on") << "autocommit" << "true" << "@@session.autocommit = 1";
    QTest::newRow("init_sql") << "init_sql" << "SET @a = 5; SET @b = @a + 1" << "@b = 6";
    QTest::newRow("compression")
        << "compression" << "on"
        << "(SELECT variable_value FROM information_schema.session_status WHERE variable_name = 'compression') = 'ON'";
    QTest::newRow("no compression")
        << "compression" << "off"
        << "(SELECT variable_value FROM information_schema.session_status WHERE variable_name = 'compression') = 'OFF'";
    QTest::newRow("extra number") << "sort_buffer_size" << "1048576" << "@@session.sort_buffer_size = 1048576";
    QTest::newRow("extra switch") << "foreign_key_checks" << "off" << "@@session.foreign_key_checks = 0";
    QTest::newRow("extra text") << "sql_mode" << "ANSI_QUOTES" << "@@session.sql_mode = 'ANSI_QUOTES'";
    QTest::newRow("extra real") << "max_statement_time" << "12.5" << "@@session.max_statement_time = 12.5";
}

void TestMysqlDriver::connectionKnobsAreInForce()
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

void TestMysqlDriver::unknownSessionVariable()
{
    const auto session = openSession(m_server.target({}, {}, {{"no_such_thing", std::int64_t(1)}}));
    const Reply reply = run(*session, Request::step(RequestKind::Connect));
    QCOMPARE(reply.outcome, Outcome::Rejected);
    QCOMPARE(reply.code, 1193);
    QVERIFY(session->lastError().find("no_such_thing") != std::string::npos);
}

void TestMysqlDriver::badOptions_data()
{
    QTest::addColumn<QString>("extra");
    QTest::addColumn<QString>("tls");
    QTest::newRow("name with a space") << "a b" << "";
    QTest::newRow("name with SQL") << "x=1;drop" << "";
    QTest::newRow("tls") << "" << "perhaps";
}

void TestMysqlDriver::badOptions()
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

void TestMysqlDriver::shapeOfATable()
{
    QVERIFY(m_admin->execute("DROP TABLE IF EXISTS shape"));
    QVERIFY(m_admin->execute("CREATE TABLE shape (Id INT NOT NULL, c CHAR(120) DEFAULT '')"));
    const auto columns = m_admin->describe("shape");
    QVERIFY(columns);
    QCOMPARE(columns->size(), std::size_t(2));
    QCOMPARE(columns->at(0).name, std::string("id"));
    QCOMPARE(columns->at(0).type, std::string("int(11)"));
    QCOMPARE(columns->at(1).type, std::string("char(120)"));
    const auto missing = m_admin->describe("there_is_none");
    QVERIFY(missing && missing->empty());
}

void TestMysqlDriver::globalVariables()
{
    const auto before = m_admin->variable("innodb_io_capacity");
    QVERIFY(before);
    QVERIFY(m_admin->setVariable("innodb_io_capacity", std::int64_t(321)));
    QCOMPARE(*m_admin->variable("innodb_io_capacity"), std::string("321"));
    QVERIFY(m_admin->setVariable("innodb_io_capacity", *before));
    QCOMPARE(*m_admin->variable("innodb_io_capacity"), *before);

    QVERIFY(m_admin->setVariable("binlog_row_image", std::string("MINIMAL")));
    QCOMPARE(*m_admin->variable("binlog_row_image"), std::string("MINIMAL"));
    QVERIFY(m_admin->setVariable("binlog_row_image", std::string("FULL")));
    QVERIFY(m_admin->setVariable("innodb_adaptive_hash_index", true));
    QCOMPARE(*m_admin->variable("innodb_adaptive_hash_index"), std::string("ON"));
    QVERIFY(m_admin->setVariable("innodb_adaptive_hash_index", std::string("OFF")));
    QVERIFY(m_admin->setVariable("sync_binlog", true)); // a count that a plan gives as a switch
    QCOMPARE(*m_admin->variable("sync_binlog"), std::string("1"));
    QVERIFY(m_admin->setVariable("sync_binlog", std::int64_t(0)));
    QVERIFY(m_admin->setVariable("key_buffer_size", std::string("64M")));
    QCOMPARE(*m_admin->variable("key_buffer_size"), std::string("67108864"));
    // One setting under its two names.
    QVERIFY(m_admin->setVariable("transaction_isolation", std::string("READ-COMMITTED")));
    QCOMPARE(*m_admin->variable("transaction_isolation"), std::string("READ-COMMITTED"));
    QCOMPARE(*m_admin->variable("tx_isolation"), std::string("READ-COMMITTED"));
    QVERIFY(m_admin->setVariable("tx_isolation", std::string("REPEATABLE-READ")));

    const auto fixed = m_admin->setVariable("log_bin", true);
    QVERIFY(!fixed);
    QVERIFY2(fixed.error().message.find("restart") != std::string::npos, fixed.error().message.c_str());
    const auto unknown = m_admin->variable("no_such_variable");
    QVERIFY(!unknown && unknown.error().message.find("no_such_variable") != std::string::npos);
    const auto wrong = m_admin->setVariable("binlog_row_image", std::string("SOME"));
    QVERIFY(!wrong && wrong.error().message.find("SOME") != std::string::npos);
    QVERIFY(!m_admin->setVariable("x = 1; DROP DATABASE", true));
}

void TestMysqlDriver::sizeOfData()
{
    const std::uint64_t before = m_admin->dataBytes();
    QVERIFY(before > 0); // table t
    QVERIFY(m_admin->execute("INSERT INTO t SELECT seq, 0, 0, REPEAT('x', 2000) FROM seq_1_to_3000"));
    const std::uint64_t after = m_admin->dataBytes();
    QVERIFY2(after >= before + 6000000, std::to_string(after).c_str());
    QVERIFY(after < before + 30000000);
}

QTEST_GUILESS_MAIN(TestMysqlDriver)
#include "tst_mysql_driver.moc"
