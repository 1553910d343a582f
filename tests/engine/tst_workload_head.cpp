// SPDX-License-Identifier: GPL-3.0-or-later
// The head of a .workload file: what is wrong with one and where, the values of its columns, whole runs with its
// tables.
#include "recording_sink.h"
#include "support/mariadb_fixture.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "workload/script/script_parser.h"
#include "workload/script/workload_head.h"

#include <dyno/scripts.h>

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <map>

namespace dyno::tst_workload_head {
using namespace dyno::test;

namespace {

constexpr const char* kShop = R"text(+++
[[tables]]
name = "orders"
rows = "1000 * :scale"
after = ["CREATE INDEX orders_customer ON orders (customer)"]
[tables.columns]
id = { type = "INT PRIMARY KEY", sequence = 1 }
customer = { type = "INT NOT NULL", zipf = [1, 50], s = 1.2 }
placed = { type = "DATE", date = ["2020-02-28", "2020-03-01"] }
state = { type = "VARCHAR(8)", pick = ["new", "paid"], weights = [1, 3], null = 0.2 }
price = { type = "DOUBLE PRECISION", uniform = [0.5, 9.5] }
+++
\set id random(1, 1000 * :scale)
SELECT price FROM orders WHERE id = :id;
)text";

std::string headWith(const std::string& column)
{
    return "+++\n[[tables]]\nname = \"t\"\nrows = 5\n[tables.columns]\na = { type = \"INT\", " + column +
           " }\n+++\nSELECT 1;\n";
}

script::ColumnMaker makerOf(const std::string& column)
{
    const auto head = script::readHead(headWith(column));
    if (!head || !*head)
        throw std::runtime_error(head ? "no head" : script::mistakeText(head.error()));
    return (*head)->tables.front().columns.front().maker;
}

std::vector<Param> drawn(const script::ColumnMaker& maker, int rows)
{
    std::vector<Param> values;
    std::string text;
    for (int row = 1; row <= rows; ++row) {
        Random random = Random::forItem(7, 1, std::uint64_t(row));
        values.push_back(maker.draw(row, random, text));
    }
    return values;
}

} // namespace

class TstWorkloadHead : public QObject
{
    Q_OBJECT
private slots:
    void mistakesHaveTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("mistake");
        const auto row = [](const char* name, const std::string& text, const char* mistake) {
            QTest::newRow(name) << QString::fromStdString(text) << mistake;
        };
        row("no end", "+++\ntitle = \"a\"\nSELECT 1;", "line 1, column 1: the head has no end");
        row("TOML", "+++\ntitle = = 1\n+++\nSELECT 1;", "line 2, column 9: ");
        row("unknown key", "+++\nname = 1\n+++\nSELECT 1;", "line 2, column 8: unknown key \"name\"");
        row("unknown maker", headWith("random = 1"), "line 6, column 30: unknown key \"random\"");
        row("no maker", headWith("null = 0.5"), "line 6, column 5: a column needs one way to make its values");
        row("two makers", headWith("sequence = 1, uuid = true"), "line 6, column 5: a column needs one way");
        row("turned", headWith("uniform = [5, 1]"), "line 6, column 35: the end is below the beginning");
        row("no date", headWith("date = [\"2021-02-29\", \"2022-01-01\"]"), "line 6, column 29: this is no date");
        row("stray", headWith("sequence = 1, s = 2"), "line 6, column 39: \"s\" has no place here");
        row("weights", headWith("pick = [1, 2], weights = [1]"), "line 6, column 46: \"weights\" is no list");
        row("long", headWith("text = [1, 100001]"), "line 6, column 28: lengths are from 0 to 100000");
        row("share", headWith("uuid = true, null = 2"), "line 6, column 41: \"null\" is a share");
        row("script", headWith("sequence = 1") + "\\set x ;\n", "line 9, column 8: ");
    }
    void mistakesHaveTheirPlace()
    {
        QFETCH(QString, text);
        QFETCH(QString, mistake);
        const auto parsed = script::parseScripts(text.toStdString());
        QVERIFY(!parsed);
        const std::string found = script::mistakeText(parsed.error());
        QVERIFY2(found.starts_with(mistake.toStdString()), found.c_str());
    }
    void withoutAHeadAllStays()
    {
        const auto head = script::readHead("SELECT 1;\n+++\n");
        QVERIFY(head && !*head);
        QVERIFY(script::headDigest("SELECT 1;").empty());
        const std::string other = std::string(kShop) + "SELECT 2;\n";
        QCOMPARE(script::headDigest(other), script::headDigest(kShop)); // of the head alone
        QVERIFY(script::headDigest(headWith("sequence = 1")) != script::headDigest(headWith("sequence = 2")));
    }
    //! Means, deviations and shares within four deviations of what their formulas say, for a fixed seed.
    void valuesAreDistributedAsTheySay()
    {
        constexpr int kRows = 20'000;
        double sum = 0, squares = 0;
        for (const Param& value : drawn(makerOf("normal = [100, 15]"), kRows)) {
            sum += value.real;
            squares += (value.real - 100) * (value.real - 100);
        }
        QVERIFY(std::abs(sum / kRows - 100) < 4 * 15 / std::sqrt(kRows));
        QVERIFY(std::abs(std::sqrt(squares / kRows) - 15) < 4 * 15 / std::sqrt(2.0 * kRows));
        double zeta = 0;
        for (int rank = 1; rank <= 50; ++rank)
            zeta += std::pow(rank, -1.2);
        std::map<std::int64_t, int> ranks;
        for (const Param& value : drawn(makerOf("zipf = [1, 50], s = 1.2"), kRows))
            ++ranks[value.integer];
        for (const int rank : {1, 2, 10, 50}) {
            const double share = std::pow(rank, -1.2) / zeta;
            QVERIFY(std::abs(ranks[rank] - kRows * share) < 4 * std::sqrt(kRows * share * (1 - share)));
        }
        int paid = 0, nothing = 0;
        for (const Param& value : drawn(makerOf("pick = [1, 2], weights = [1, 3], null = 0.2"), kRows)) {
            nothing += value.type == Param::Type::Null ? 1 : 0;
            paid += value.type == Param::Type::Integer && value.integer == 2 ? 1 : 0;
        }
        QVERIFY(std::abs(nothing - 0.2 * kRows) < 4 * std::sqrt(kRows * 0.16));
        QVERIFY(std::abs(paid - 0.6 * kRows) < 4 * std::sqrt(kRows * 0.24));
        double uniform = 0;
        for (const Param& value : drawn(makerOf("uniform = [2, 4]"), kRows)) {
            QVERIFY(value.integer >= 2 && value.integer <= 4);
            uniform += double(value.integer);
        }
        QVERIFY(std::abs(uniform / kRows - 3) < 4 * std::sqrt(2.0 / 3 / kRows));
    }
    void textsHaveTheirForm()
    {
        const script::ColumnMaker uuid = makerOf("uuid = true"),
                                  date = makerOf("date = [\"2020-02-28\", \"2020-03-01\"]");
        const QRegularExpression version4("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$");
        std::string text;
        std::map<std::string, int> seen, days;
        Random random(3);
        for (int row = 1; row <= 300; ++row) {
            QVERIFY(version4.match(QString::fromStdString(std::string(uuid.draw(row, random, text).text))).hasMatch());
            ++seen[text];
            ++days[std::string(date.draw(row, random, text).text)];
        }
        const script::ColumnMaker letters = makerOf("text = [3, 5]");
        const QRegularExpression threeToFive("^[a-z]{3,5}$");
        std::map<std::size_t, int> lengths;
        for (int row = 1; row <= 300; ++row) {
            const std::string value(letters.draw(row, random, text).text);
            QVERIFY2(threeToFive.match(QString::fromStdString(value)).hasMatch(), value.c_str());
            ++lengths[value.size()];
        }
        QCOMPARE(lengths.size(), std::size_t(3));
        QCOMPARE(seen.size(), std::size_t(300));
        QCOMPARE(days.size(), std::size_t(3)); // a leap year
        QVERIFY(days.contains("2020-02-28") && days.contains("2020-02-29") && days.contains("2020-03-01"));
    }
    //! Rows are the same however many sessions load them.
    void tablesAreMadeAndRead()
    {
        QTemporaryDir folder;
        std::vector<std::vector<std::string>> first;
        for (const int loaders : {1, 3}) {
            const std::string uri = "sqlite:" + folder.filePath(QString("%1.db").arg(loaders)).toStdString();
            checkRun(uri, loaders, first);
        }
    }
    //! The same values as on SQLite.
    void serversHoldTheSameRows()
    {
        QTemporaryDir folder;
        std::vector<std::vector<std::string>> rows;
        checkRun("sqlite:" + folder.filePath("a.db").toStdString(), 2, rows);
        MariadbFixture mariadb;
        DYNO_START_MARIADB(mariadb);
        checkRun(mariadb.uriText(), 2, rows);
        PostgresqlFixture postgresql;
        DYNO_START_POSTGRESQL(postgresql);
        checkRun(postgresql.uriText(), 2, rows);
        QCOMPARE(rows.size(), std::size_t(3));
    }
    void tablesOfOthersStay()
    {
        QTemporaryDir folder;
        const std::string uri = "sqlite:" + folder.filePath("o.db").toStdString();
        auto admin = driverFor("sqlite")->admin(ConnectTarget{.uri = *parseUri(uri)});
        QVERIFY(admin && (*admin)->execute("CREATE TABLE orders (mine INTEGER)"));
        QVERIFY((*admin)->execute("INSERT INTO orders VALUES (3)"));
        RecordingSink sink;
        runInto(uri, kShop, 1, sink);
        QCOMPARE(asked(uri, "SELECT mine FROM orders"), std::vector<std::string>{"3"});
    }
    void aHeadStandsAlone()
    {
        const auto params = scriptParams({{"shop.workload", kShop}}, {});
        QVERIFY(params);
        QCOMPARE(textOf(*params, "scripts"), std::string(kShop));
        QVERIFY(!scriptParams({{"shop.workload", kShop}, {"b.sql", "SELECT 1;"}}, {}));
    }

private:
    static std::vector<std::string> asked(const std::string& uri, const std::string& query)
    {
        const TargetUri target = *parseUri(uri);
        auto admin = driverFor(target.scheme)->admin(ConnectTarget{.uri = target});
        const auto rows = admin ? (*admin)->query(query) : decltype((*admin)->query(query))();
        return rows && !rows->empty() ? rows->front() : std::vector<std::string>();
    }
    static void runInto(const std::string& uri, const std::string& text, int loaders, RecordingSink& sink)
    {
        Plan plan = smallPlan(uri, "script");
        plan.workload.params = {{"scripts", text}, {"scale", std::int64_t(2)}};
        plan.load.loaders = loaders;
        plan.load.timeSeconds = 0;
        plan.load.events = 20;
        RunnerOptions options;
        options.consent.allow("all");
        runPlan(plan, options, sink);
    }
    static void runShop(const std::string& uri, const std::string& text, int loaders)
    {
        RecordingSink sink;
        runInto(uri, text, loaders, sink);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        const RunSummary& run = sink.summaries.front();
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        QCOMPARE(run.transactions, std::uint64_t(20));
        QVERIFY(run.errors.empty());
    }
    static void checkRun(const std::string& uri, int loaders, std::vector<std::vector<std::string>>& first)
    {
        runShop(uri, kShop, loaders);
        QCOMPARE(asked(uri, "SELECT COUNT(*), MIN(id), MAX(id), COUNT(DISTINCT placed) FROM orders"),
                 (std::vector<std::string>{"2000", "1", "2000", "3"}));
        const std::vector<std::string> sums =
            asked(uri, "SELECT SUM(customer * id), COUNT(state), SUM(CASE WHEN price < 5 THEN id ELSE 0 END) FROM "
                       "orders");
        QCOMPARE(sums.size(), std::size_t(3));
        first.push_back(sums);
        QCOMPARE(sums, first.front());
    }
};

} // namespace dyno::tst_workload_head

DYNO_SUITE(tst_workload_head, dyno::tst_workload_head::TstWorkloadHead)
#include "tst_workload_head.moc"
