// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions of the ClickHouse driver against a real server: values as they are, errors wherever they come, bulk,
// compression.
#include "clickhouse_test.h"
#include "support/suite.h"

#include <array>
#include <fmt/format.h>

namespace dyno::tst_clickhouse_driver {
using namespace dyno::test;

namespace {

StatementSpec kept(std::string text, std::vector<Param::Type> parameters)
{
    StatementSpec spec = statement(std::move(text), std::move(parameters), true);
    spec.keep = Keep::All;
    return spec;
}

} // namespace

class TestClickhouseDriver : public dyno::test::ClickhouseTest
{
    Q_OBJECT
private slots:
    //! Whatever bytes a text has, it is one value.
    void hostileTexts()
    {
        const std::array<std::string, 14> texts{"'",
                                                "\\",
                                                "\\'",
                                                "'); DROP TABLE t; --",
                                                "\\\\'); DROP TABLE t --",
                                                "/* ",
                                                "`\"",
                                                std::string("a\0b'\0", 5),
                                                "\n\t\r\b\f\v",
                                                "\xff\xfe'",
                                                "ü€𝄞",
                                                "?",
                                                "{x:String}",
                                                "\\N"};
        const auto session =
            connected({statement("INSERT INTO t (id, c) VALUES (?, ?)", {kInteger, kText}),
                       kept("SELECT c, c = ?, length(?) FROM t WHERE id = ?", {kText, kText, kInteger})});
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const std::array row{Param::of(std::int64_t(i)), Param::of(std::string_view(texts[i]))};
            COMPARE_OK(*session, execute(*session, 0, row));
            const std::array asked{row[1], row[1], row[0]};
            COMPARE_OK(*session, execute(*session, 1, asked));
            QCOMPARE(session->kept().rows(), std::size_t(1));
            QCOMPARE(session->kept().at(0, 0).text, std::string_view(texts[i]));
            QCOMPARE(session->kept().integer(0, 1), std::int64_t(1));
            QCOMPARE(session->kept().integer(0, 2), std::int64_t(texts[i].size()));
        }
        QCOMPARE(cell("SELECT count() FROM t"), std::to_string(texts.size()));
    }

    void errorsHaveTheirCodes()
    {
        const auto session = connected();
        const auto check = [&](const char* text, int code, Outcome outcome) {
            const Reply reply = sql(*session, text);
            QCOMPARE(reply.code, code);
            QCOMPARE(reply.outcome, outcome);
            QVERIFY(!session->lastError().empty());
        };
        check("SELEKT 1", 62, Outcome::Rejected);
        check("SELECT * FROM nowhere", 60, Outcome::Rejected);
        check("SELECT nothing FROM t", 47, Outcome::Rejected);
        QCOMPARE(sql(*session, "INSERT INTO t (id) VALUES ('x')").outcome,
                 Outcome::Rejected); // versions differ in its code
        check("SELECT sleep(1), number FROM system.numbers SETTINGS max_execution_time = 1, max_block_size = 1", 159,
              Outcome::TimedOut);
        COMPARE_OK(*session, sql(*session, "SELECT 1")); // still there
        const auto reader = m_server.uri();
        TargetUri uri = reader;
        uri.user = kClickhouseReader;
        const auto limited = connect(openSession("clickhouse", ClickhouseFixture::targetAt(uri)));
        QCOMPARE(sql(*limited, "INSERT INTO t (id) VALUES (1)").code, 164);
    }

    //! The answer has begun with status 200 when the error comes.
    void errorAfterRows()
    {
        const auto session = connected();
        const Reply reply =
            sql(*session,
                "SELECT number, throwIf(number = 3000000) FROM (SELECT number FROM system.numbers LIMIT 4000000)");
        QCOMPARE(reply.code, 395);
        QCOMPARE(reply.outcome, Outcome::Rejected);
        QVERIFY(reply.rows > 100'000); // they had come before
        QVERIFY2(session->lastError().find("throwIf") != std::string::npos, session->lastError().c_str());
        COMPARE_OK(*session, sql(*session, "SELECT 1"));
    }

    void rowsAreCounted_data()
    {
        QTest::addColumn<QString>("compression");
        QTest::newRow("as they are") << "off";
        QTest::newRow("compressed") << "gzip";
    }
    void rowsAreCounted()
    {
        QFETCH(QString, compression);
        const auto session = connected({}, {{"compression", compression.toStdString()}}, {}, true);
        Reply reply = sql(*session, "SELECT number, toString(number) FROM system.numbers LIMIT 1000000");
        COMPARE_OK(*session, reply);
        QCOMPARE(reply.rows, std::int64_t(1'000'000));
        std::string rows, statement = "INSERT INTO t (id, c) VALUES ";
        for (int i = 0; i < 20'000; ++i) {
            rows += fmt::format("{}\t{}\t\\N\ttext {}\n", i, i, i);
            statement += fmt::format("{}({}, 'v({})')", i == 0 ? "" : ",", i, i);
        }
        reply = run(*session, {.kind = RequestKind::Bulk, .text = "t (id, i, r, c)", .value = rows});
        COMPARE_OK(*session, reply);
        QCOMPARE(reply.affected, std::int64_t(20'000));
        reply = sql(*session, statement);
        COMPARE_OK(*session, reply);
        QCOMPARE(reply.affected, std::int64_t(20'000));
        QCOMPARE(cell("SELECT count() FROM t"), std::string("40000"));
        QCOMPARE(cell("SELECT sum(id) FROM t"), std::string("399980000"));
        QCOMPARE(cell("SELECT count() FROM t WHERE c = concat('text ', toString(id))"), std::string("20000"));
    }

    void bulkAsLoadDataHasIt()
    {
        const auto session = connected({}, {}, {}, true);
        const Reply reply =
            run(*session,
                {.kind = RequestKind::Bulk, .text = "t (id, c)", .value = "1\ta\\tb\\nc\\\\d\\'e\\xf\n2\t\\N\n3\t\\Z"});
        COMPARE_OK(*session, reply);
        QCOMPARE(reply.affected, std::int64_t(3));
        QCOMPARE(m_admin->query("SELECT c FROM t WHERE id = 1")->at(0).at(0), std::string("a\tb\nc\\d'exf"));
        QCOMPARE(cell("SELECT count() FROM t WHERE id = 2 AND isNull(c)"), std::string("1"));
        QCOMPARE(m_admin->query("SELECT c FROM t WHERE id = 3")->at(0).at(0), std::string("\x1a"));
        const Reply wrong = run(*session, {.kind = RequestKind::Bulk, .text = "t (id, c)", .value = "1\ta\nx\tb\n"});
        QCOMPARE(wrong.outcome, Outcome::Rejected);
        QCOMPARE(wrong.affected, std::int64_t(0));
        QCOMPARE(cell("SELECT count() FROM t"), std::string("3")); // all rows of a request or none
        const auto plain = connected();
        QCOMPARE(run(*plain, {.kind = RequestKind::Bulk, .text = "t (id)", .value = "1\n"}).outcome, Outcome::Rejected);
    }

    void settingsOfTheConnection()
    {
        const auto session = connected({}, {}, {{"max_result_rows", std::int64_t(10)}});
        QCOMPARE(sql(*session, "SELECT number FROM system.numbers LIMIT 100").code, 396);
        const auto target = m_server.target({}, {}, {{"query", std::string("DROP TABLE t")}});
        const auto refused = driverFor("clickhouse")->open(target);
        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("query") != std::string::npos, refused.error().text().c_str());
        const auto unknown = openSession("clickhouse", m_server.target({}, {}, {{"no_such", std::int64_t(1)}}));
        QCOMPARE(run(*unknown, Request::step(RequestKind::Connect)).code, 115);
        QVERIFY(m_admin->describe("t")->size() == 4);
    }

    void wrongNumberOfValues()
    {
        const auto session = connected({statement("SELECT ?, ?", {kInteger, kInteger}, true)});
        const std::array one{Param::of(std::int64_t(1))};
        QCOMPARE(execute(*session, 0, one).outcome, Outcome::Rejected);
        QCOMPARE(execute(*session, 7, one).outcome, Outcome::Rejected);
    }

    //! Nothing but the plan decides where a connection goes.
    void environmentDecidesNothing()
    {
        const std::array<const char*, 4> names{"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"};
        for (const char* name : names)
            qputenv(name, "http://127.0.0.1:1");
        const auto session = openSession("clickhouse", m_server.target());
        const Reply reply = run(*session, Request::step(RequestKind::Connect));
        for (const char* name : names)
            qunsetenv(name);
        QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    }
};

} // namespace dyno::tst_clickhouse_driver

DYNO_SUITE(tst_clickhouse_driver, dyno::tst_clickhouse_driver::TestClickhouseDriver)
#include "tst_clickhouse_driver.moc"
