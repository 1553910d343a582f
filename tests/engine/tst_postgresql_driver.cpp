// SPDX-License-Identifier: GPL-3.0-or-later
// The PostgreSQL driver against a real server: values, results, all protocols, sending together, and loading in bulk.
#include "driver/postgresql/postgresql_codes.h"
#include "postgresql_test.h"
#include "support/suite.h"

#include <fmt/format.h>

#include <limits>

namespace dyno::tst_postgresql_driver {
using namespace dyno::test;

class TestPostgresqlDriver : public dyno::test::PostgresqlTest
{
    Q_OBJECT
private slots:
    void describesItself();
    void protocolsAgree_data() { kinds(); }
    void protocolsAgree();
    void parametersKeepTheirValues_data();
    void parametersKeepTheirValues();
    void valuesThatDoNotFit();
    void keptValuesOfAllTypes_data() { kinds(); }
    void keptValuesOfAllTypes();
    void severalResults_data() { kinds(); }
    void severalResults();
    void copyOut_data() { kinds(); }
    void copyOut();
    void alteredTableIsPreparedAgain_data() { kinds(); }
    void alteredTableIsPreparedAgain();
    void largeResultsAndStatements_data() { kinds(); }
    void largeResultsAndStatements();
    void questionMarksInQuotes_data() { kinds(); }
    void questionMarksInQuotes();
    void bulk();
    void bulkFaults();
    void bulkIsForLoadersOnly();
    void batch_data();
    void batch();
    void batchStopsAtTheFirstFailure_data() { batch_data(); }
    void batchStopsAtTheFirstFailure();
    void batchOutsideOfATransaction_data() { batch_data(); }
    void batchOutsideOfATransaction();
    void batchThatIsNotSent_data() { batch_data(); }
    void batchThatIsNotSent();
    void otherProtocolsHaveNoBatch();

private:
    static Reply send(Session& session)
    {
        if (session.batch()->send() == Progress::Pending)
            finishPending(session);
        return session.reply();
    }
    static void add(Session& session, RequestKind kind) { session.batch()->add(Request::step(kind)); }
    SessionPtr loader()
    {
        auto target = std::make_shared<ConnectTarget>(*m_server.target());
        target->loader = true;
        return connect(openSession("postgresql", target));
    }
    static Reply load(Session& session, std::string_view table, std::string_view rows)
    {
        return run(session, {.kind = RequestKind::Bulk, .text = table, .value = rows});
    }
};

void TestPostgresqlDriver::describesItself()
{
    const DriverInfo info = driverFor("postgresql")->info();
    QVERIFY(info.library.starts_with("libpq 1"));
    QVERIFY(info.eventLoop);
    for (const OptionSpec& option : info.connection) {
        QVERIFY2(!option.label.empty() && !option.help.empty(), option.name.c_str());
        QVERIFY2(coerce(option, option.defaultValue), option.name.c_str());
    }
}

void TestPostgresqlDriver::protocolsAgree()
{
    QFETCH(QString, protocol);
    const StatementSet statements = {
        statement("INSERT INTO t (id, i, r, c) VALUES (?, ?, ?, ?)", {kInteger, kInteger, kReal, kText}),
        statement("SELECT id, i, r, c FROM t WHERE id BETWEEN ? AND ?", {kInteger, kInteger}, true),
        statement("SELECT SUM(i), AVG(r), MAX(c), now(), current_date, NULL FROM t", {}, true),
        statement("UPDATE t SET i = i + ? WHERE id <= ?", {kInteger, kInteger}),
        statement("DELETE FROM t WHERE c = ? RETURNING id", {kText}, true),
    };
    const auto session = connectedOfKind(statements);
    for (unsigned i = 0; i < statements.size(); ++i)
        COMPARE_OK(*session, finishRequest(*session, Request::prepare(StatementId{i})));
    const auto execute = [&session](unsigned id, std::span<const Param> params) {
        return finishRequest(*session, Request::execute(StatementId{id}, params));
    };
    // What the protocol really was.
    const Reply prepared = text(*session, "SELECT name FROM pg_prepared_statements");
    QCOMPARE(prepared.rows, protocol == "text" ? 0 : 5);

    COMPARE_OK(*session, finishRequest(*session, Request::step(RequestKind::Begin)));
    for (int id = 1; id <= 100; ++id) {
        const std::string c = "row " + std::to_string(id);
        const std::array params = {Param::of(std::int64_t(id)), Param::of(std::int64_t(id) * -10), Param::of(id / 4.0),
                                   Param::of(std::string_view(c))};
        const Reply reply = execute(0, params);
        QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
        QCOMPARE(reply.affected, 1);
        QCOMPARE(reply.rows, 0);
    }
    COMPARE_OK(*session, finishRequest(*session, Request::step(RequestKind::Commit)));
    QCOMPARE(cell("SELECT concat_ws(' ', COUNT(*), SUM(i), SUM(r), MIN(c), MAX(c)) FROM t"),
             std::string("100 -50500 1262.5 row 1 row 99"));
    const std::array range = {Param::of(std::int64_t(11)), Param::of(std::int64_t(20))};
    const Reply found = execute(1, range);
    QCOMPARE(found.rows, 10);
    QCOMPARE(found.affected, 0);
    QCOMPARE(execute(2, {}).rows, 1);
    const std::array update = {Param::of(std::int64_t(-5)), Param::of(std::int64_t(30))};
    QCOMPARE(execute(3, update).affected, 30);
    const std::array which = {Param::of(std::string_view("row 7"))};
    const Reply removed = execute(4, which);
    QCOMPARE(removed.affected, 1);
    QCOMPARE(removed.rows, 1);
    QCOMPARE(cell("SELECT concat_ws(' ', COUNT(*), SUM(i)) FROM t"), std::string("99 -50575"));
}

void TestPostgresqlDriver::parametersKeepTheirValues_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("value"); //!< as SQL
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("given");
    const auto row = [](const char* type, const char* value, Param::Type kind, const char* given) {
        QTest::addRow("%s from %s", type, given) << type << value << int(kind) << given;
    };
    for (const char* type :
         {"bigint", "integer", "smallint", "numeric", "double precision", "real", "text", "varchar(20)"}) {
        row(type, "'-32768'", kInteger, "-32768");
        row(type, "'12'", kReal, "12");
        row(type, "'77'", kText, "77");
    }
    row("bigint", "-9223372036854775808", kInteger, "-9223372036854775808");
    row("bigint", "9223372036854775807", kInteger, "9223372036854775807");
    row("numeric", "9223372036854775807", kInteger, "9223372036854775807");
    row("double precision", "0.1", kReal, "0.1");
    row("double precision", "1e300", kReal, "1e300");
    row("double precision", "'-Infinity'", kReal, "-inf");
    row("numeric(12,2)", "-1234.56", kReal, "-1234.56");
    row("real", "1.5", kReal, "1.5");
    row("boolean", "true", kInteger, "1");
    row("boolean", "false", kText, "f");
    row("date", "'2024-02-29'", kText, "2024-02-29");
    row("timestamp", "'2024-02-29 12:30:00'", kText, "2024-02-29 12:30:00");
    row("char(5)", "'ab'", kText, "ab");
    row("jsonb", "'{\"a\": 1}'", kText, "{\"a\":1}");
    row("uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", kText, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11");
    row("text", "E'it''s \\\\ \\\"q\\\" ; -- \\u00e9'", kText, "it's \\ \"q\" ; -- \u00e9");
    row("text", "''", kText, "");
}

void TestPostgresqlDriver::parametersKeepTheirValues()
{
    QFETCH(QString, type);
    QFETCH(QString, value);
    QFETCH(int, kind);
    QFETCH(QString, given);
    const std::string bytes = given.toStdString();
    Param param = Param::of(std::string_view(bytes));
    if (Param::Type(kind) == kInteger)
        param = Param::of(std::int64_t(given.toLongLong()));
    else if (Param::Type(kind) == kReal)
        param = Param::of(given.toDouble());
    QVERIFY(m_admin->execute(fmt::format("DROP TABLE IF EXISTS v; CREATE TABLE v (x {})", type.toStdString())));
    for (const char* protocol : {"prepared", "text"}) {
        if (std::string_view(protocol) == "text" && type == "boolean" && Param::Type(kind) == kInteger)
            continue; // an integer literal is no boolean, and nobody knows the type in this protocol
        const auto session =
            connected({statement("INSERT INTO v VALUES (?)", {param.type})}, {{"protocol", std::string(protocol)}});
        const Reply reply = execute(*session, 0, std::array{param});
        QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
        QCOMPARE(cell(fmt::format("SELECT count(*) FROM v WHERE x = CAST({} AS {})", value.toStdString(),
                                  type.toStdString())),
                 std::string("1"));
        QVERIFY(m_admin->execute("DELETE FROM v"));
    }
    QVERIFY(m_admin->execute("DROP TABLE v"));
}

//! Never cut in silence.
void TestPostgresqlDriver::valuesThatDoNotFit()
{
    QVERIFY(m_admin->execute("DROP TABLE IF EXISTS v; CREATE TABLE v (a integer, b smallint, d date, x bytea)"));
    const auto session = connected(
        {statement("INSERT INTO v (a) VALUES (?)", {kInteger}), statement("INSERT INTO v (b) VALUES (?)", {kInteger}),
         statement("INSERT INTO v (a) VALUES (?)", {kReal}), statement("INSERT INTO v (d) VALUES (?)", {kText}),
         statement("INSERT INTO v (x) VALUES (?)", {kText})});
    const std::string zero("2024-02-29\0x", 12);
    const std::array<std::pair<Param, const char*>, 4> wrong = {{{Param::of(std::int64_t(2147483648)), "22003"},
                                                                 {Param::of(std::int64_t(-32769)), "22003"},
                                                                 {Param::of(1.5), "22P02"},
                                                                 {Param::of(std::string_view(zero)), "22021"}}};
    for (unsigned i = 0; i < wrong.size(); ++i) {
        const Reply reply = execute(*session, i, std::array{wrong[i].first});
        QCOMPARE(reply.outcome, Outcome::Rejected);
        QCOMPARE(postgresql::sqlStateOf(reply.code), std::string(wrong[i].second));
        QVERIFY(!session->lastError().empty());
    }
    QCOMPARE(cell("SELECT count(*) FROM v"), std::string("0"));
    // Bytes of all values are right for bytea, in each protocol.
    std::string all;
    for (int i = 0; i < 256; ++i)
        all += char(i);
    for (const char* protocol : {"prepared", "text"}) {
        const auto other =
            connected({statement("INSERT INTO v (x) VALUES (?)", {kText})}, {{"protocol", std::string(protocol)}});
        COMPARE_OK(*other, execute(*other, 0, std::array{Param::of(std::string_view(all))}));
    }
    QCOMPARE(cell("SELECT count(*) FROM v WHERE length(x) = 256 AND get_byte(x, 0) = 0 AND get_byte(x, 255) = 255"),
             std::string("2"));
    QVERIFY(m_admin->execute("DROP TABLE v"));
}

void TestPostgresqlDriver::keptValuesOfAllTypes()
{
    // The second one has a numeric among its columns, so that it comes as text.
    for (const char* more : {"", ", 12345678901234567890.5::numeric"}) {
        StatementSpec spec =
            statement(fmt::format("SELECT (-1)::smallint, 2147483647::integer, (-9223372036854775807 - 1)::bigint, "
                                  "1.5::real, 0.1::double precision, true, 'it''s'::text, 'ab'::char(4), ''::varchar, "
                                  "'\\x00ff41'::bytea, NULL::integer, 4294967295::oid{}",
                                  more),
                      {}, true);
        spec.keep = Keep::All;
        const auto session = connectedOfKind({spec});
        COMPARE_OK(*session, finishRequest(*session, Request::execute(StatementId{0}, {})));
        const KeptRows& kept = session->kept();
        QCOMPARE(kept.rows(), std::size_t(1));
        const auto isInteger = [&kept](std::size_t column, std::int64_t value) {
            const Param one = kept.at(0, column);
            return one.type == kInteger && one.integer == value;
        };
        QVERIFY(isInteger(0, -1));
        QVERIFY(isInteger(1, 2147483647));
        QVERIFY(isInteger(2, std::numeric_limits<std::int64_t>::min()));
        QVERIFY(kept.at(0, 3).type == kReal && kept.at(0, 3).real == 1.5);
        QVERIFY(kept.at(0, 4).type == kReal && kept.at(0, 4).real == 0.1);
        QVERIFY(isInteger(5, 1));
        QCOMPARE(kept.at(0, 6).text, std::string_view("it's"));
        QCOMPARE(kept.at(0, 7).text, std::string_view("ab  "));
        QVERIFY(kept.at(0, 8).type == kText && kept.at(0, 8).text.empty());
        QCOMPARE(kept.at(0, 9).text, std::string_view("\0\xff"
                                                      "A",
                                                      3));
        QVERIFY(kept.at(0, 10).type == Param::Type::Null);
        QVERIFY(isInteger(11, 4294967295));
        if (*more)
            QCOMPARE(kept.at(0, 12).text, std::string_view("12345678901234567890.5"));
    }
}

void TestPostgresqlDriver::severalResults()
{
    const auto session = connectedOfKind();
    const Reply reply = text(*session, "INSERT INTO t VALUES (1, 1, 1, 'a'), (2, 2, 2, 'b'); SELECT * FROM t; UPDATE t "
                                       "SET i = 5; SELECT 1 WHERE false;;");
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(reply.rows, 2);
    QCOMPARE(reply.affected, 4);
    // All is undone where one of them fails, and those after it are not done.
    QCOMPARE(text(*session, "DELETE FROM t; SELECT * FROM missing; SELECT 1").outcome, Outcome::Rejected);
    QCOMPARE(cell("SELECT count(*) FROM t"), std::string("2"));
    COMPARE_OK(*session, text(*session, ""));
}

void TestPostgresqlDriver::copyOut()
{
    QVERIFY(m_admin->execute("INSERT INTO t SELECT n, n, n, repeat('x', 100) FROM generate_series(1, 5000) n"));
    const auto session = connectedOfKind();
    const Reply reply = text(*session, "COPY t TO STDOUT");
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(reply.rows, 5000);
    QCOMPARE(reply.affected, 0);
    QCOMPARE(text(*session, "UPDATE t SET i = 1 WHERE id < 3").affected, 2);
}

void TestPostgresqlDriver::alteredTableIsPreparedAgain()
{
    StatementSpec all = statement("SELECT * FROM t", {}, true);
    all.keep = Keep::All;
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 2, 3, 'a')"));
    const auto session = connectedOfKind({all});
    const Request select = Request::execute(StatementId{0}, {});
    COMPARE_OK(*session, finishRequest(*session, select));
    QVERIFY(m_admin->execute("ALTER TABLE t ALTER COLUMN i TYPE text"));
    const Reply stale = finishRequest(*session, select);
    QVERIFY(stale.outcome == Outcome::Ok || stale.outcome == Outcome::Rejected); // the protocol decides
    COMPARE_OK(*session, finishRequest(*session, select));
    QCOMPARE(session->kept().at(0, 1).text, std::string_view("2"));
}

void TestPostgresqlDriver::largeResultsAndStatements()
{
    QVERIFY(m_admin->execute("INSERT INTO t SELECT n, n, n, repeat('x', 1000) FROM generate_series(1, 20000) n"));
    const std::string longText(5'000'000, 'y');
    const auto session = connectedOfKind(
        {statement("SELECT * FROM t", {}, true), statement("INSERT INTO t (id, c) VALUES (0, ?)", {kText})});
    QCOMPARE(finishRequest(*session, Request::execute(StatementId{0}, {})).rows, 20000);
    const std::array params = {Param::of(std::string_view(longText))};
    COMPARE_OK(*session, finishRequest(*session, Request::execute(StatementId{1}, params)));
    QCOMPARE(cell("SELECT length(c) FROM t WHERE id = 0"), std::string("5000000"));
    QCOMPARE(text(*session, "SELECT 1").rows, 1);
}

void TestPostgresqlDriver::questionMarksInQuotes()
{
    StatementSpec spec =
        statement("SELECT '?', \"c\" /* ? */, ?::text FROM t -- ?\n WHERE id = ?", {kText, kInteger}, true);
    spec.keep = Keep::All;
    QVERIFY(m_admin->execute("INSERT INTO t VALUES (1, 1, 1, 'c')"));
    const auto session = connectedOfKind({spec});
    const std::array params = {Param::of(std::string_view("x")), Param::of(std::int64_t(1))};
    COMPARE_OK(*session, finishRequest(*session, Request::execute(StatementId{0}, params)));
    QCOMPARE(session->kept().at(0, 0).text, std::string_view("?"));
    QCOMPARE(session->kept().at(0, 2).text, std::string_view("x"));
}

void TestPostgresqlDriver::bulk()
{
    QVERIFY(m_admin->execute("DROP TABLE IF EXISTS v; CREATE TABLE v (id integer, x bytea, c text)"));
    const auto session = loader();
    // As MySQL's LOAD DATA reads them: \Z is Ctrl-Z, an unknown letter stands for itself.
    const Reply reply =
        load(*session, "v (id, c)", "1\ta\\tb\\nc\\\\d\n2\t\\N\n3\t\\Z\\x\\v\\.\n4\t\n5\tno \r return\n");
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(reply.affected, 5);
    QCOMPARE(cell("SELECT count(*) FROM v WHERE (id = 1 AND c = E'a\\tb\\nc\\\\d') OR (id = 2 AND c IS NULL) OR (id = "
                  "3 AND c = E'\\x1axv.') OR (id = 4 AND c = '') OR (id = 5 AND c = E'no \\r return')"),
             std::string("5"));
    const std::string binary("6\t\\0\\\\\xff\\t\n7\t\n8\t\\N\n", 17);
    const Reply bytes = load(*session, "v (id, x)", binary);
    QVERIFY2(bytes.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(cell("SELECT x FROM v WHERE id = 6"), std::string("\\x005cff09"));
    QCOMPARE(cell("SELECT count(*) FROM v WHERE id = 7 AND x = '' OR id = 8 AND x IS NULL"), std::string("2"));
    // Larger than any buffer on the way.
    std::string rows;
    for (int id = 100; id < 20'100; ++id)
        rows += fmt::format("{}\t{}\n", id, std::string(200, 'z'));
    QCOMPARE(load(*session, "v (id, c)", rows).affected, 20'000);
    QCOMPARE(text(*session, "SELECT 1").rows, 1);
    QVERIFY(m_admin->execute("DROP TABLE v"));
}

void TestPostgresqlDriver::bulkFaults()
{
    const auto session = loader();
    std::string rows;
    for (int id = 1; id < 20'000; ++id)
        rows += fmt::format("{}\t{}\n", id, id);
    const std::array<std::pair<std::string, const char*>, 4> wrong = {
        {{rows + "1\t1\n", "23505"}, {"x\t1\n" + rows, "22P02"}, {"1\t2\t3\n", "22P04"}, {"1\n", "22P04"}}};
    for (const auto& [bad, state] : wrong) {
        const Reply reply = load(*session, "t (id, i)", bad);
        QCOMPARE(reply.outcome, Outcome::Rejected);
        QCOMPARE(postgresql::sqlStateOf(reply.code), std::string(state));
        QVERIFY(!session->lastError().empty());
        QCOMPARE(cell("SELECT count(*) FROM t"), std::string("0"));
    }
    QCOMPARE(postgresql::sqlStateOf(load(*session, "missing (id)", "1\n").code), std::string("42P01"));
    QCOMPARE(load(*session, "t (id, i)", rows).affected, 19'999);
}

void TestPostgresqlDriver::bulkIsForLoadersOnly()
{
    const auto session = connected();
    QCOMPARE(load(*session, "t (id, i)", "1\t1\n").outcome, Outcome::Rejected);
    COMPARE_OK(*session, sql(*session, "SELECT 1"));
}

void TestPostgresqlDriver::batch_data()
{
    QTest::addColumn<QString>("protocol");
    QTest::addColumn<bool>("loop");
    QTest::newRow("blocking") << "pipeline" << false;
    QTest::newRow("event loop") << "pipeline" << true;
}

void TestPostgresqlDriver::batch()
{
    StatementSpec select = statement("SELECT id, c FROM t WHERE id < ?", {kInteger}, true);
    select.keep = Keep::All;
    StatementSpec unprepared = statement("INSERT INTO t (id, c) VALUES (?, ?)", {kInteger, kText});
    unprepared.preparable = false;
    const auto session =
        connectedOfKind({statement("INSERT INTO t (id, c) VALUES (?, ?)", {kInteger, kText}), select, unprepared});
    for (int again = 0; again < 3; ++again) {
        session->batch()->clear();
        add(*session, RequestKind::Begin);
        for (int i = 0; i < 3; ++i) {
            // What the request points to goes at once.
            const std::string word = "it's " + std::to_string(i);
            const std::array params = {Param::of(std::int64_t(again * 10 + i)), Param::of(std::string_view(word))};
            session->batch()->add(Request::execute(StatementId{i == 1 ? 2u : 0u}, params));
        }
        session->batch()->add(Request::sql("UPDATE t SET r = 1"));
        const std::array most = {Param::of(std::int64_t(1000))};
        session->batch()->add(Request::execute(StatementId{1}, most));
        add(*session, RequestKind::Commit);
        const Reply reply = send(*session);
        QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
        const auto answers = session->batch()->answers();
        QCOMPARE(answers.size(), std::size_t(7));
        QCOMPARE(answers[1].reply.affected, 1);
        QCOMPARE(answers[4].reply.affected, (again + 1) * 3);
        QCOMPARE(answers[5].reply.rows, (again + 1) * 3);
        for (std::size_t i = 1; i < answers.size(); ++i)
            QVERIFY(answers[i].arrivedNs >= answers[i - 1].arrivedNs);
    }
    // The last one's rows can be looked at.
    session->batch()->clear();
    const std::array most = {Param::of(std::int64_t(2))};
    session->batch()->add(Request::execute(StatementId{1}, most));
    COMPARE_OK(*session, send(*session));
    QCOMPARE(session->kept().rows(), std::size_t(2));
    QCOMPARE(session->kept().at(1, 1).text, std::string_view("it's 1"));
    // One by one still works between batches.
    QCOMPARE(finishRequest(*session, Request::execute(StatementId{1}, most)).rows, 2);
    QCOMPARE(text(*session, "SELECT 1; SELECT 2").rows, 2);
}

void TestPostgresqlDriver::batchStopsAtTheFirstFailure()
{
    const auto session = connectedOfKind(
        {statement("INSERT INTO t (id) VALUES (?)", {kInteger}), statement("SELECT * FROM missing", {}, true)});
    const std::array one = {Param::of(std::int64_t(1))};
    const std::array large = {Param::of(std::int64_t(1) << 40)};
    for (const auto& [params, state] : {std::pair{one, "23505"}, {large, "22003"}}) {
        session->batch()->clear();
        add(*session, RequestKind::Begin);
        session->batch()->add(Request::execute(StatementId{0}, one));
        session->batch()->add(Request::execute(StatementId{0}, params));
        session->batch()->add(Request::sql("INSERT INTO t VALUES (5)"));
        add(*session, RequestKind::Commit);
        const Reply reply = send(*session);
        QCOMPARE(reply.outcome, Outcome::Rejected);
        QCOMPARE(postgresql::sqlStateOf(reply.code), std::string(state));
        QVERIFY(!session->lastError().empty());
        const auto answers = session->batch()->answers();
        QCOMPARE(answers.size(), std::size_t(3));
        QCOMPARE(answers[1].reply.outcome, Outcome::Ok);
        QCOMPARE(answers[2].reply.code, reply.code);
        COMPARE_OK(*session, finishRequest(*session, Request::step(RequestKind::Rollback)));
        QCOMPARE(cell("SELECT count(*) FROM t"), std::string("0"));
    }
    // What cannot be prepared: nothing was sent.
    session->batch()->clear();
    add(*session, RequestKind::Begin);
    session->batch()->add(Request::execute(StatementId{1}, {}));
    QCOMPARE(postgresql::sqlStateOf(send(*session).code), std::string("42P01"));
    QCOMPARE(session->batch()->answers().size(), std::size_t(1));
    QCOMPARE(text(*session, "SELECT 1").rows, 1);
    // A commit in a batch of its own, after an error that came before it.
    COMPARE_OK(*session, finishRequest(*session, Request::step(RequestKind::Begin)));
    QCOMPARE(text(*session, "SELECT 1 / 0").outcome, Outcome::Rejected);
    session->batch()->clear();
    add(*session, RequestKind::Commit);
    QCOMPARE(postgresql::sqlStateOf(send(*session).code), std::string("22012"));
    // The connection is lost on the way.
    session->batch()->clear();
    add(*session, RequestKind::Begin);
    session->batch()->add(Request::sql("SELECT pg_terminate_backend(pg_backend_pid())"));
    add(*session, RequestKind::Commit);
    QCOMPARE(send(*session).outcome, Outcome::Disconnected);
    QCOMPARE(session->batch()->answers().back().reply.outcome, Outcome::Disconnected);
    QCOMPARE(send(*session).outcome, Outcome::Disconnected);
    COMPARE_OK(*session, finishRequest(*session, Request::step(RequestKind::Connect)));
}

//! Each of them is a transaction of its own, as when they are sent one by one.
void TestPostgresqlDriver::batchOutsideOfATransaction()
{
    const auto session = connectedOfKind({statement("INSERT INTO t (id) VALUES (?)", {kInteger})});
    const std::array one = {Param::of(std::int64_t(1))};
    const std::array two = {Param::of(std::int64_t(2))};
    session->batch()->add(Request::execute(StatementId{0}, one));
    session->batch()->add(Request::execute(StatementId{0}, one));
    session->batch()->add(Request::execute(StatementId{0}, two));
    QCOMPARE(postgresql::sqlStateOf(send(*session).code), std::string("23505"));
    QCOMPARE(session->batch()->answers().size(), std::size_t(2));
    QCOMPARE(cell("SELECT string_agg(id::text, ' ') FROM t"), std::string("1"));
    // A transaction that was begun before goes on.
    COMPARE_OK(*session, finishRequest(*session, Request::step(RequestKind::Begin)));
    session->batch()->clear();
    session->batch()->add(Request::execute(StatementId{0}, two));
    session->batch()->add(Request::execute(StatementId{0}, one));
    QCOMPARE(send(*session).outcome, Outcome::Rejected);
    COMPARE_OK(*session, finishRequest(*session, Request::step(RequestKind::Rollback)));
    QCOMPARE(cell("SELECT string_agg(id::text, ' ') FROM t"), std::string("1"));
}

void TestPostgresqlDriver::batchThatIsNotSent()
{
    const auto session = connectedOfKind({statement("INSERT INTO t (id, c) VALUES (?, ?)", {kInteger, kText})});
    const std::string longText(200'000, 'x'); // more than the library would keep to itself
    const std::array params = {Param::of(std::int64_t(1)), Param::of(std::string_view(longText))};
    session->batch()->add(Request::execute(StatementId{0}, params));
    session->batch()->clear();
    QCOMPARE(text(*session, "SELECT 1").rows, 1);
    COMPARE_OK(*session, send(*session));
    QVERIFY(session->batch()->answers().empty());
    QCOMPARE(cell("SELECT count(*) FROM t"), std::string("0"));
    // Many large ones: the server answers while it is still being sent to.
    add(*session, RequestKind::Begin);
    for (int i = 0; i < 40; ++i) {
        const std::array row = {Param::of(std::int64_t(i)), Param::of(std::string_view(longText))};
        session->batch()->add(Request::execute(StatementId{0}, row));
        session->batch()->add(Request::sql("SELECT repeat('y', 200000)"));
    }
    add(*session, RequestKind::Commit);
    COMPARE_OK(*session, send(*session));
    QCOMPARE(session->batch()->answers().size(), std::size_t(82));
    QCOMPARE(cell("SELECT count(*) FROM t"), std::string("40"));
}

void TestPostgresqlDriver::otherProtocolsHaveNoBatch()
{
    for (const char* protocol : {"prepared", "text"})
        QVERIFY(!connected({}, {{"protocol", std::string(protocol)}})->batch());
    // A load is not made of transactions whose answers may come later.
    auto loading = std::make_shared<ConnectTarget>(*m_server.target({}, {{"protocol", std::string("pipeline")}}));
    loading->loader = true;
    QVERIFY(!openSession("postgresql", loading)->batch());
}

} // namespace dyno::tst_postgresql_driver

DYNO_SUITE(tst_postgresql_driver, dyno::tst_postgresql_driver::TestPostgresqlDriver)
#include "tst_postgresql_driver.moc"
