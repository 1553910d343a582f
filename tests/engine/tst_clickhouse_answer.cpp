// SPDX-License-Identifier: GPL-3.0-or-later
// What the ClickHouse driver reads and writes, without a server: answers with errors at any place, values in
// statements, rows in bulk, tables.
#include "driver/clickhouse/clickhouse_answer.h"
#include "driver/clickhouse/clickhouse_bulk.h"
#include "driver/clickhouse/clickhouse_codes.h"
#include "driver/clickhouse/clickhouse_dialect.h"
#include "driver/clickhouse/clickhouse_statement.h"
#include "support/suite.h"
#include "workload/workload.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace dyno::tst_clickhouse_answer {
using namespace dyno::clickhouse;

namespace {

//! An answer in pieces of `step` bytes.
void read(AnswerReader& reader, std::string_view answer, std::size_t step)
{
    for (; !answer.empty(); answer.remove_prefix(std::min(step, answer.size())))
        reader.take(answer.substr(0, step));
    reader.end();
}

std::string bound(std::string_view text, const std::vector<Param>& params)
{
    StatementSpec spec;
    spec.text = text;
    std::string out;
    BoundStatement(spec).write(out, params);
    return out;
}

Param text(std::string_view value)
{
    return Param::of(value);
}

} // namespace

class TstClickhouseAnswer : public QObject
{
    Q_OBJECT
private slots:
    void rows_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const char* answer, int rows, int code = 0) {
            QTest::newRow(name) << QByteArray(answer) << rows << code;
        };
        row("nothing", "", 0);
        row("no rows", "a\nInt32\n", 0);
        row("rows", "a\tb\nInt32\tString\n1\tx\n2\ty\n", 2);
        row("empty texts", "a\nString\n\n\n\n", 3);
        row("line breaks and tabs in texts", "a\nString\nx\\ny\\tz\n", 1);
        row("totals", "a\tb\nInt32\tUInt64\n1\t2\n\n0\t2\n", 1);
        row("old error after rows",
            "a\tb\nInt32\tString\n1\tx\nCode: 395, e.displayText() = DB::Exception: too large, e.what() = "
            "DB::Exception\n",
            1, 395);
        row("old error of one column",
            "a\nString\nx\nCode: 395, e.displayText() = DB::Exception: too large, e.what() = DB::Exception\n", 1, 395);
        row("error without a line break", "a\nInt32\n1\nCode: 241. DB::Exception: Memory limit (total) exceeded", 1,
            241);
        row("error alone", "Code: 62. DB::Exception: Syntax error. (SYNTAX_ERROR) (version 24.3.1)\n", 0, 62);
        row("tagged error",
            "a\nString\n__exception__\n\r\n__exception__\r\nabcdefghijklmnop\r\nCode: 395. DB::Exception: no. (X) "
            "(version 26.1)\n47 "
            "abcdefghijklmnop\r\n__exception__\r\n",
            1, 395);
        row("text that begins as an error", "a\nString\nCode: 12 is a door\nCode: x\n", 2);
        row("row that reads as an error's beginning", "a\tb\nString\tString\nCode: 5\ty\n", 1);
    }
    void rows()
    {
        QFETCH(QByteArray, answer);
        QFETCH(int, rows);
        QFETCH(int, code);
        AnswerReader reader;
        KeptRows kept;
        for (const std::size_t step : {std::size_t(1), std::size_t(3), std::size_t(7), std::size_t(100'000)}) {
            for (const Keep keep : {Keep::Nothing, Keep::All}) {
                kept.begin(keep);
                reader.begin(keep, &kept);
                read(reader, {answer.data(), std::size_t(answer.size())}, step);
                QCOMPARE(reader.rows(), std::int64_t(rows));
                QCOMPARE(reader.code(), code);
                QCOMPARE(reader.error().empty(), code == 0);
                QCOMPARE(kept.rows(), std::size_t(keep == Keep::All ? rows : 0));
            }
        }
    }

    void values()
    {
        AnswerReader reader;
        KeptRows kept;
        kept.begin(Keep::All);
        reader.begin(Keep::All, &kept);
        read(reader,
             "a\tb\tc\td\te\n"
             "Nullable(Int64)\tFloat64\tLowCardinality(Nullable(String))\tUInt64\tDecimal(9, 2)\n"
             "-5\t1e300\ta\\\\b\\tc\\n\\'\\0\t18446744073709551615\t1.25\n"
             "\\N\tnan\t\\\\N\t7\t0.00\n",
             5);
        QCOMPARE(kept.rows(), std::size_t(2));
        QVERIFY(kept.at(0, 0).type == Param::Type::Integer);
        QCOMPARE(kept.integer(0, 0), std::int64_t(-5));
        QCOMPARE(kept.real(0, 1), 1e300);
        QCOMPARE(kept.at(0, 2).text, std::string_view("a\\b\tc\n'\0", 8));
        QCOMPARE(kept.at(0, 3).text, std::string_view("18446744073709551615")); // more than 63 bits
        QCOMPARE(kept.real(0, 4), 1.25);
        QVERIFY(kept.at(1, 0).type == Param::Type::Null);
        QVERIFY(std::isnan(kept.real(1, 1)));
        QCOMPARE(kept.at(1, 2).text, std::string_view("\\N")); // a text, and no NULL
        QCOMPARE(kept.integer(1, 3), std::int64_t(7));
    }

    void errorsOnOneLine()
    {
        QCOMPARE(errorText("Code: 60, e.displayText() = DB::Exception: Table a.b doesn't exist., e.what() = "
                           "DB::Exception\n"),
                 std::string("Table a.b doesn't exist."));
        QCOMPARE(errorText("Code: 60. DB::Exception: Table a.b\ndoes not exist. (UNKNOWN_TABLE) (version 24.8.4.13)\n"),
                 std::string("Table a.b does not exist. (UNKNOWN_TABLE)"));
        QCOMPARE(errorText("There is no handle /x"), std::string("There is no handle /x"));
        QCOMPARE(codeName(252), std::string("TOO_MANY_PARTS"));
        QCOMPARE(codeNamed("TOO_MANY_PARTS"), 252);
        QCOMPARE(codeName(99'999), std::string("99999"));
        QCOMPARE(codeNamed("40P01"), 0);
    }

    void statements()
    {
        using P = Param;
        QCOMPARE(bound("SELECT ?, ?, ?, ?", {P::of(std::int64_t(-3)), P::of(0.1), text("it's"), P()}),
                 std::string("SELECT -3, 0.1, 'it\\'s', NULL"));
        QCOMPARE(bound("SELECT 5-?", {P::of(std::int64_t(-3))}), std::string("SELECT 5- -3")); // no comment
        QCOMPARE(bound("SELECT '?' AS `a?\\`?`, \"?\" --?\n, ? /* ? */ # ?", {text("\\")}),
                 std::string("SELECT '?' AS `a?\\`?`, \"?\" --?\n, '\\\\' /* ? */ # ?"));
        QCOMPARE(bound("?", {text(std::string_view("a\0b", 3))}), std::string("'a\\0b'"));
        QCOMPARE(bound("?", {P::of(std::numeric_limits<std::int64_t>::min())}), std::string("-9223372036854775808"));
        QCOMPARE(nameQuoted("a`b\\"), std::string("`a\\`b\\\\`"));
        QCOMPARE(rowsGiven("INSERT INTO t (a, b) VALUES (1, '), ('), (2, f(3))"), std::int64_t(2));
        QCOMPARE(rowsGiven(" insert into t values (1),(2),(3)"), std::int64_t(3));
        QCOMPARE(rowsGiven("SELECT 1"), std::int64_t(-1));
    }

    void bulk()
    {
        std::string out;
        const std::string same = "1\ta\\\\b\\tc\\nd\\N\n2\t\\N\n";
        QCOMPARE(bulkRows(same, out).data(), same.data()); // nothing is copied
        QCOMPARE(bulkRows("1\ta\\Zb\n", out), std::string_view("1\ta\x1a"
                                                               "b\n"));
        QCOMPARE(bulkRows("1\ta\\xb\\e\\'\n", out), std::string_view("1\taxbe'\n"));
        QCOMPARE(bulkRows("1\ta\\\nb\n", out), std::string_view("1\ta\\nb\n"));
        QCOMPARE(bulkRows("1\ta", out), std::string_view("1\ta\n"));
    }

    //! Of the SQL workloads only those that add and read rows are offered, and only as far as they do no more.
    void workloads()
    {
        const DriverInfo* driver = findDriver("clickhouse");
        QVERIFY(driver);
        std::vector<std::string> offered;
        for (const Workload* workload : builtinWorkloads()) {
            if (commonModel(workload->info(), *driver))
                offered.push_back(workload->info().id);
        }
        for (const char* wanted : {"oltp_point_select", "bulk_insert", "sensordata"})
            QVERIFY2(std::ranges::find(offered, wanted) != offered.end(), wanted);
        for (const char* wrong : {"oltp_read_write", "oltp_read_only", "oltp_insert", "iibench", "tpcc", "tpcb"})
            QVERIFY2(std::ranges::find(offered, wrong) == offered.end(), wrong);
        const auto refusal = [&](const char* id, const Settings& params) {
            Faults faults;
            const Workload* workload = workloadFor(id);
            const auto bound =
                workload->bind(resolve(workload->info().options, params, "workload", faults), *driver, {});
            return bound ? std::string() : bound.error().text();
        };
        QCOMPARE(refusal("sensordata", {}), std::string());
        QVERIFY(refusal("sensordata", {{"retention", std::int64_t(500)}}).find("retention") != std::string::npos);
        QCOMPARE(refusal("sensordata_file", {}), std::string());
        QVERIFY(refusal("sensordata_file", {{"by", std::string("inserts")}}).find("transactions") != std::string::npos);
    }

    void tables()
    {
        QCOMPARE(
            mergeTreeTable("CREATE TABLE t (id INTEGER NOT NULL, c CHAR(120) NOT NULL DEFAULT '', n DOUBLE, PRIMARY "
                           "KEY (id)) SETTINGS a = 1"),
            std::string("CREATE TABLE t (id Int32, c String DEFAULT '', n Nullable(Float64)) ENGINE = MergeTree "
                        "ORDER BY (id) SETTINGS a = 1"));
        QCOMPARE(
            mergeTreeTable("CREATE TABLE t (id BIGINT UNSIGNED NOT NULL PRIMARY KEY, w VARCHAR(20) NOT NULL DEFAULT "
                           "'a, (b')"),
            std::string("CREATE TABLE t (id UInt64, w String DEFAULT 'a, (b') ENGINE = MergeTree ORDER BY id"));
        QCOMPARE(mergeTreeTable("CREATE TABLE t (a UInt32 NOT NULL)"),
                 std::string("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY tuple()"));
    }
};

} // namespace dyno::tst_clickhouse_answer

DYNO_SUITE(tst_clickhouse_answer, dyno::tst_clickhouse_answer::TstClickhouseAnswer)
#include "tst_clickhouse_answer.moc"
