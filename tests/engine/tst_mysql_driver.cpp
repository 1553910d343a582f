// SPDX-License-Identifier: GPL-3.0-or-later
// The MySQL driver against a real server: values, results, both protocols, the control plane.
#include "load/executor/wait_for_reply.h"
#include "mysql_test.h"
#include "support/suite.h"

#include <array>
#include <limits>

namespace dyno::tst_mysql_driver {
using namespace dyno::test;

namespace {
//! Ways of sending a statement: a protocol, prepared also without the library's private parts.
constexpr std::array kWays{"prepared", "prepared, public calls", "text"};

Settings wayOf(std::string way)
{
    const std::size_t comma = way.find(',');
    if (comma == std::string::npos)
        return {{"protocol", std::move(way)}, {"direct", std::string("always")}};
    return {{"protocol", way.substr(0, comma)}, {"direct", std::string("off")}};
}
} // namespace

class TestMysqlDriver : public dyno::test::MysqlTest
{
    Q_OBJECT
private slots:
    void describesItself();
    void facts();
    void protocolsAgree_data();
    void protocolsAgree();
    void parameterKeepsItsValue_data();
    void parameterKeepsItsValue();
    void errorAmidRows_data() { protocolsAgree_data(); }
    void errorAmidRows();
    void longTextAfterShortText_data() { protocolsAgree_data(); }
    void longTextAfterShortText();
    void keptValuesOfAllTypes_data();
    void keptValuesOfAllTypes();
    void keptOfSeveralResults_data() { keptValuesOfAllTypes_data(); }
    void keptOfSeveralResults();
    void keptOfAnAlteredColumn_data() { keptValuesOfAllTypes_data(); }
    void keptOfAnAlteredColumn();

private:
    static Reply finish(Session& session, const Request& request)
    {
        if (session.start(request) == Progress::Pending)
            finishPending(session);
        return session.reply();
    }
    //! A session of the row's protocol and kind, with a statement that keeps its rows.
    SessionPtr keeping(const char* text, Keep keep);

private slots:
    void questionMarksInQuotes();
    void severalResults();
    void affectedMeansChanged();
    void alteredTableIsPreparedAgain();
    void shapeOfATable();
    void globalVariables();
    void sizeOfData();
    void sizeOfCompressedData();
    void settlesAndReads();
};

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
    // What the server would tell of a replica's account stays with it.
    QCOMPARE(cell("SELECT COUNT(*) FROM information_schema.global_variables WHERE variable_name = 'report_password'"),
             std::string("1"));
    QVERIFY(!facts->variables.contains("report_password"));
    for (const char* rule :
         {"report_user", "old_passwords", "disconnect_on_expired_password", "strict_password_validation"})
        QVERIFY2(facts->variables.contains(rule), rule);
}

void TestMysqlDriver::protocolsAgree_data()
{
    QTest::addColumn<QString>("protocol");
    for (const char* way : kWays)
        QTest::newRow(way) << way;
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
    const auto session = connected(statements, wayOf(protocol.toStdString()));
    for (unsigned i = 0; i < statements.size(); ++i)
        COMPARE_OK(*session, run(*session, Request::prepare(StatementId{i})));
    // What the protocol really was: the server counts prepared statements of the connection.
    const std::string prepared =
        cell("SELECT VARIABLE_VALUE FROM information_schema.global_status WHERE VARIABLE_NAME = "
             "'PREPARED_STMT_COUNT'");
    QCOMPARE(prepared, std::string(protocol == "text" ? "0" : "5"));

    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Begin)));
    for (int id = 1; id <= 100; ++id) {
        const std::string c = "row " + std::to_string(id);
        const std::array params = {Param::of(std::int64_t(id)), Param::of(std::int64_t(id) * 10), Param::of(id / 4.0),
                                   Param::of(std::string_view(c))};
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
    for (const char* protocol : kWays) {
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
        row("250 bytes", QByteArray(250, 'x'));
        row("251 bytes", QByteArray(251, 'x'));
        row("65535 bytes", QByteArray(65535, 'x'));
        row("65536 bytes", QByteArray(65536, 'x'));
        row("300 kB", QByteArray(300000, '\''));
    }
}

void TestMysqlDriver::parameterKeepsItsValue()
{
    QFETCH(QString, protocol);
    QFETCH(QByteArray, text);
    const auto session = connected({statement("INSERT INTO t VALUES (?, ?, ?, ?)", {kInteger, kInteger, kReal, kText})},
                                   wayOf(protocol.toStdString()));
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
    const std::array nulls = {Param::of(std::int64_t(2)), Param{}, Param{}, Param{}};
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
    // Values that are missing.
    const std::array few = {Param::of(std::int64_t(5))};
    COMPARE_OK(*session, execute(*session, 0, few));
    QCOMPARE(cell("SELECT i IS NULL AND r IS NULL AND c IS NULL FROM t WHERE id = 5"), std::string("1"));
}

//! A result that ends with an error after its first row leaves the statement usable, with values of other types too.
void TestMysqlDriver::errorAmidRows()
{
    QFETCH(QString, protocol);
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 10, 1, 'a'), (2, 20, 2, 'b')"));
    const auto session = connected(
        {statement("SELECT i + ?, (SELECT i FROM t x WHERE x.id <= t.id) FROM t ORDER BY id", {kInteger}, true)},
        wayOf(protocol.toStdString()));
    constexpr int kSeveralRows = 1242; // ER_SUBQUERY_NO_1_ROW, of the second row
    const std::array number = {Param::of(std::int64_t(1))};
    const std::array text = {Param::of(std::string_view("1"))};
    for (int i = 0; i < 3; ++i) {
        QCOMPARE(execute(*session, 0, number).code, kSeveralRows);
        QCOMPARE(execute(*session, 0, text).code, kSeveralRows);
    }
    QVERIFY(m_admin->execute("DELETE FROM t WHERE id = 2"));
    QCOMPARE(execute(*session, 0, text).rows, 1);
    QCOMPARE(execute(*session, 0, number).rows, 1);
    QCOMPARE(execute(*session, 0, number).rows, 1);
}

//! Values are found anew at each execution: neither another statement's nor a longer text before may stay.
void TestMysqlDriver::longTextAfterShortText()
{
    QFETCH(QString, protocol);
    const auto session = connected({statement("UPDATE t SET c = ? WHERE id = ?", {kText, kInteger}),
                                    statement("UPDATE t SET c = CONCAT(?, c) WHERE id = ?", {kText, kInteger})},
                                   wayOf(protocol.toStdString()));
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

void TestMysqlDriver::keptValuesOfAllTypes_data()
{
    QTest::addColumn<QString>("protocol");
    QTest::addColumn<bool>("loop");
    for (const char* protocol : kWays) {
        QTest::addRow("%s", protocol) << protocol << false;
        if (driverFor("mysql")->info().eventLoop) // not under the sanitizers, see mysql_async_session.h
            QTest::addRow("%s, event loop", protocol) << protocol << true;
    }
}

//! Each row's own values, whatever the row before has left: NULL after a value, a short text after one longer than any
//! buffer.
void TestMysqlDriver::keptValuesOfAllTypes()
{
    QFETCH(QString, protocol);
    QFETCH(bool, loop);
    QVERIFY(m_admin->execute("DROP TABLE IF EXISTS every"));
    QVERIFY(m_admin->execute(
        "CREATE TABLE every (id INT PRIMARY KEY, tiny TINYINT, small SMALLINT UNSIGNED, medium MEDIUMINT, "
        "whole INT UNSIGNED, big BIGINT, year YEAR, single FLOAT, twice DOUBLE, exact DECIMAL(12,2), at DATETIME, "
        "short VARCHAR(10), text LONGTEXT, bytes BLOB)"));
    const auto insert = [&](const std::string& values) {
        return bool(m_admin->execute("INSERT INTO every VALUES (" + values + ")"));
    };
    QVERIFY(insert("1, -128, 65535, -8388608, 4294967295, -9223372036854775808, 1901, 0.25, 1e300, -1234567890.12, "
                   "'2026-11-22 17:00:00', 'it''s', REPEAT('x', 5000), REPEAT('y', 512)"));
    QVERIFY(insert("2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"));
    QVERIFY(insert("3, 127, 0, 8388607, 0, 9223372036854775807, 2155, -1.5, -0.1, 0.05, '1970-01-01 00:00:01', '', "
                   "'z', REPEAT('w', 513)"));
    struct Row
    {
        std::vector<std::int64_t> integers;
        double single, twice;
        std::vector<std::string> texts;
    };
    const std::vector<Row> wanted{
        {{1, -128, 65535, -8388608, 4294967295, std::numeric_limits<std::int64_t>::min(), 1901},
         0.25,
         1e300,
         {"-1234567890.12", "2026-11-22 17:00:00", "it's", std::string(5000, 'x'), std::string(512, 'y')}},
        {},
        {{3, 127, 0, 8388607, 0, std::numeric_limits<std::int64_t>::max(), 2155},
         -1.5,
         -0.1,
         {"0.05", "1970-01-01 00:00:01", "", "z", std::string(513, 'w')}}};
    for (const Keep keep : {Keep::All, Keep::Last}) {
        StatementSpec forwards = statement("SELECT * FROM every WHERE id >= ? ORDER BY id", {kInteger}, true);
        StatementSpec backwards = statement("SELECT * FROM every WHERE id >= ? ORDER BY id DESC", {kInteger}, true);
        forwards.keep = backwards.keep = keep;
        auto target =
            std::make_shared<ConnectTarget>(*m_server.target({forwards, backwards}, wayOf(protocol.toStdString())));
        target->eventLoop = loop;
        const SessionPtr session = openSession(target);
        COMPARE_OK(*session, finish(*session, Request::step(RequestKind::Connect)));
        // Rows in either order, then none: the long texts come first, last and in between.
        for (const auto& [which, first, order] :
             {std::tuple(0U, 1, std::vector{1, 2, 3}), std::tuple(1U, 1, std::vector{3, 2, 1}),
              std::tuple(0U, 2, std::vector{2, 3}), std::tuple(1U, 2, std::vector{3, 2}),
              std::tuple(0U, 4, std::vector<int>())}) {
            const std::array from{Param::of(std::int64_t(first))};
            COMPARE_OK(*session, finish(*session, Request::execute(StatementId{which}, from)));
            const KeptRows& kept = session->kept();
            std::vector<int> rows = order;
            if (keep == Keep::Last && rows.size() > 1)
                rows.erase(rows.begin(), rows.end() - 1);
            QCOMPARE(kept.rows(), rows.size());
            for (std::size_t r = 0; r < rows.size(); ++r) {
                QCOMPARE(kept.columns(r), std::size_t(14));
                QCOMPARE(kept.integer(r, 0), std::int64_t(rows[r]));
                const Row& row = wanted[std::size_t(rows[r] - 1)];
                if (row.integers.empty()) {
                    for (std::size_t i = 1; i < 14; ++i)
                        QVERIFY(kept.at(r, i).type == Param::Type::Null);
                    continue;
                }
                for (std::size_t i = 0; i < row.integers.size(); ++i) {
                    QVERIFY(kept.at(r, i).type == Param::Type::Integer);
                    QCOMPARE(kept.integer(r, i), row.integers[i]);
                }
                QCOMPARE(kept.real(r, 7), row.single);
                QCOMPARE(kept.real(r, 8), row.twice);
                for (std::size_t i = 0; i < row.texts.size(); ++i)
                    QVERIFY2(kept.at(r, 9 + i).text == row.texts[i],
                             qPrintable(QStringLiteral("row %1, text %2: %3 bytes")
                                            .arg(rows[r])
                                            .arg(i)
                                            .arg(kept.at(r, 9 + i).text.size())));
            }
        }
    }
}

SessionPtr TestMysqlDriver::keeping(const char* text, Keep keep)
{
    StatementSpec spec = statement(text, {}, true);
    spec.keep = keep;
    const QString protocol = *static_cast<QString*>(QTest::qData("protocol", qMetaTypeId<QString>()));
    auto target = std::make_shared<ConnectTarget>(*m_server.target({spec}, wayOf(protocol.toStdString())));
    target->eventLoop = *static_cast<bool*>(QTest::qData("loop", qMetaTypeId<bool>()));
    SessionPtr session = openSession(target);
    if (finish(*session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok)
        qWarning("%s", session->lastError().c_str());
    return session;
}

//! The rows of the last one count, also when it has none.
void TestMysqlDriver::keptOfSeveralResults()
{
    for (const bool empty : {false, true}) {
        QVERIFY(m_admin->execute("DROP PROCEDURE IF EXISTS several"));
        QVERIFY(m_admin->execute(
            std::string(
                "CREATE PROCEDURE several() BEGIN SELECT 1, 2 UNION SELECT 3, 4; SELECT 'last' FROM DUAL WHERE ") +
            (empty ? "1 = 0" : "1 = 1") + "; END"));
        for (const Keep keep : {Keep::All, Keep::Last}) {
            const SessionPtr session = keeping("CALL several()", keep);
            for (int again = 0; again < 2; ++again) {
                const Reply reply = finish(*session, Request::execute(StatementId{0}, {}));
                QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
                QCOMPARE(reply.rows, empty ? 2 : 3);
                QCOMPARE(session->kept().rows(), std::size_t(empty ? 0 : 1));
                QVERIFY(empty || session->kept().at(0, 0).text == "last");
            }
        }
    }
}

//! As many columns as before, of another type: nothing is forced into the old one.
void TestMysqlDriver::keptOfAnAlteredColumn()
{
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 7, 1, 'a')"));
    const SessionPtr session = keeping("SELECT i FROM t", Keep::Last);
    COMPARE_OK(*session, finish(*session, Request::execute(StatementId{0}, {})));
    QCOMPARE(session->kept().integer(0, 0), std::int64_t(7));
    for (const auto& [type, value] :
         {std::pair("DECIMAL(10,2)", "1.25"), std::pair("VARCHAR(20)", "words"), std::pair("BIGINT", "8")}) {
        QVERIFY(m_admin->execute("DELETE FROM t"));
        QVERIFY(m_admin->execute(std::string("ALTER TABLE t MODIFY i ") + type));
        QVERIFY(m_admin->execute(std::string("INSERT INTO t VALUES (1, '") + value + "', 1, 'a')"));
        if (finish(*session, Request::execute(StatementId{0}, {})).outcome !=
            Outcome::Ok) // told once, then prepared again
            COMPARE_OK(*session, finish(*session, Request::execute(StatementId{0}, {})));
        QCOMPARE(session->kept().rows(), std::size_t(1));
        const Param kept = session->kept().at(0, 0);
        QCOMPARE(kept.type == Param::Type::Text ? std::string(kept.text) : std::to_string(kept.integer),
                 std::string(value));
    }
}

void TestMysqlDriver::questionMarksInQuotes()
{
    for (const char* protocol : {"prepared", "text"}) {
        const auto session =
            connected({statement("SELECT '?', \"it''s ?\", `id`, '\\'?' /* ? */ FROM t -- ?\n WHERE id = ? # ?",
                                 {kInteger}, true)},
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
    QVERIFY(
        m_admin->execute("CREATE PROCEDURE p() BEGIN SELECT id FROM t; UPDATE t SET i = i + 1; SELECT id, c FROM t; "
                         "END"));
    for (const char* protocol : kWays) {
        const auto session =
            connected({statement("CALL p()", {}, true), statement("SELECT id FROM t", {}, true)}, wayOf(protocol));
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
        const auto session =
            connected({statement("UPDATE t SET c = 'a' WHERE id = 1")}, {{"protocol", std::string(protocol)}});
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
    const std::uint64_t before = m_admin->dataBytes({});
    QVERIFY(before > 0); // table t
    QVERIFY(m_admin->execute("INSERT INTO t SELECT seq, 0, 0, REPEAT('x', 2000) FROM seq_1_to_3000"));
    const std::uint64_t after = m_admin->dataBytes({});
    QVERIFY2(after >= before + 6000000, std::to_string(after).c_str());
    QVERIFY(after < before + 30000000);
}

//! Its file has no size before its pages are written; and tables of others do not count.
void TestMysqlDriver::sizeOfCompressedData()
{
    QVERIFY(m_admin->execute(
        "CREATE TABLE squeezed (id INT PRIMARY KEY, c VARCHAR(2000)) ENGINE=InnoDB PAGE_COMPRESSED=1"));
    QVERIFY(m_admin->execute("CREATE TABLE other (id INT PRIMARY KEY, c VARCHAR(2000)) ENGINE=InnoDB"));
    for (const char* table : {"squeezed", "other"})
        QVERIFY(m_admin->execute(std::string("INSERT INTO ") + table +
                                 " SELECT seq, REPEAT('x', 2000) FROM seq_1_to_4000"));
    QVERIFY(m_admin->dataParts({"squeezed", "other"}).empty()); // but writes the pages
    const std::uint64_t squeezed = m_admin->dataBytes({"squeezed"});
    const std::uint64_t other = m_admin->dataBytes({"other"});
    QVERIFY2(squeezed > 500'000, std::to_string(squeezed).c_str()); // each page keeps a block of the file system
    QVERIFY2(other > 2 * squeezed, std::to_string(other).c_str());
    QVERIFY(m_admin->dataBytes({"squeezed", "other"}) == squeezed + other);
    QVERIFY(m_admin->dataBytes({}) >= squeezed + other);
    QVERIFY(m_admin->execute("DROP TABLE squeezed, other"));
}

void TestMysqlDriver::settlesAndReads()
{
    const auto status = [this](const char* name) {
        const auto rows = m_admin->query(std::string("SHOW GLOBAL STATUS LIKE '") + name + "'");
        return rows && !rows->empty() ? std::stoll(rows->front().at(1)) : -1LL;
    };
    QVERIFY(m_admin->execute("CREATE TABLE read_me (id INT PRIMARY KEY, k INT, c CHAR(200), KEY (k)) ENGINE=InnoDB"));
    QVERIFY(m_admin->execute("INSERT INTO read_me SELECT seq, seq * 7, REPEAT('x', 200) FROM seq_1_to_8000"));
    QVERIFY(m_admin->execute("DELETE FROM read_me WHERE id % 3 = 0"));
    const long long before = status("Innodb_data_written");
    const auto settled = m_admin->settle({"read_me"});
    QVERIFY2(settled, settled ? "" : settled.error().text().c_str());
    QVERIFY2(status("Innodb_data_written") - before > 1'000'000, "the pages are written");
    QVERIFY(m_admin->execute("INSERT INTO read_me VALUES (100000, 1, 'x')")); // nothing stays locked
    const long long requests = status("Innodb_buffer_pool_read_requests");
    const auto read = m_admin->prewarm({"read_me", "t"});
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QVERIFY2(status("Innodb_buffer_pool_read_requests") - requests > 100, "each page of the table and its index");
    QVERIFY(!m_admin->prewarm({"no_such_table"}));
    QVERIFY(m_admin->execute("DROP TABLE read_me"));
}

} // namespace dyno::tst_mysql_driver

DYNO_SUITE(tst_mysql_driver, dyno::tst_mysql_driver::TestMysqlDriver)
#include "tst_mysql_driver.moc"
