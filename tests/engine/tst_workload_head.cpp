// SPDX-License-Identifier: GPL-3.0-or-later
// The head of a .workload file: what is wrong with one and where, the values of its columns, whole runs with its
// tables.
#include "recording_sink.h"
#include "script_mistakes.h"
#include "support/mariadb_fixture.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "support/workload_harness.h"
#include "workload/script/script_parser.h"
#include "workload/script/workload_head.h"
#include "workload/statement_effect.h"

#include <dyno/scripts.h>
#include <dyno/trust.h>

#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cmath>
#include <functional>
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

//! Tables that refer to each other, the later one first to go, and one whose rows SQL makes.
constexpr const char* kFamily = R"text(+++
[[tables]]
name = "shops"
rows = 3
[tables.columns]
seven = { type = "INT DEFAULT 7" }
id = { type = "INT PRIMARY KEY", sequence = 1 }

[[tables]]
name = "bills"
rows = 4000
constraints = ["PRIMARY KEY (shop, number)", "FOREIGN KEY (shop) REFERENCES shops (id)"]
[tables.columns]
shop = { type = "INT NOT NULL", uniform = [1, 3] }
number = { type = "INT NOT NULL", sequence = 1 }

[[tables]]
name = "totals"
rows = 0
after = ["INSERT INTO totals SELECT shop, COUNT(*) * MIN(seven) / 7 FROM bills JOIN shops ON id = shop GROUP BY shop"]
[tables.columns]
shop = { type = "INT" }
bills = { type = "INT", default = true }
+++
\set shop random(1, 3)
UPDATE totals SET bills = bills + 0 WHERE shop = :shop;
)text";

std::string headWith(const std::string& column)
{
    return "+++\n[[tables]]\nname = \"t\"\nrows = 5\n[tables.columns]\na = { type = \"INT\", " + column +
           " }\n+++\nSELECT 1;\n";
}

std::string inTable(const std::string& line)
{
    std::string text = headWith("sequence = 1");
    return text.insert(text.find("[tables.columns]"), line + "\n");
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
        row("no default", headWith("default = false"), "line 6, column 31: \"default\" has one value only");
        row("default and more", headWith("default = true, null = 0.5"), "line 6, column 44: unknown key \"null\"");
        row("two makers", headWith("sequence = 1, uuid = true"), "line 6, column 5: a column needs one way");
        row("turned", headWith("uniform = [5, 1]"), "line 6, column 35: the end is below the beginning");
        row("no date", headWith("date = [\"2021-02-29\", \"2022-01-01\"]"), "line 6, column 29: this is no date");
        row("stray", headWith("sequence = 1, s = 2"), "line 6, column 39: \"s\" has no place here");
        row("weights", headWith("pick = [1, 2], weights = [1]"), "line 6, column 46: \"weights\" is no list");
        row("long", headWith("text = [1, 100001]"), "line 6, column 28: lengths are from 0 to 100000");
        row("share", headWith("uuid = true, null = 2"), "line 6, column 41: \"null\" is a share");
        const auto more = [](const std::string& lines) { return "+++\n" + lines + "\n+++\nSELECT 1;"; };
        row("empty head", "+++\n\n+++\nSELECT 1;", "line 2, column 1: the head is empty");
        row("check that writes", more("[[checks]]\nsql = \"DELETE FROM t\"\nexpect = 1"),
            "line 3, column 7: a check may only read");
        row("check with two statements", more("[[checks]]\nsql = \"SELECT 1; DROP TABLE t\"\nexpect = 1"),
            "line 3, column 7: a check may only read");
        row("check of nothing", more("[[checks]]\nsql = \"SELECT 1\""), "line 3, column 7: a check has one of");
        row("check of two", more("[[checks]]\nsql = \"SELECT 1\"\nexpect = 1\nexpression = \"1\""),
            "line 5, column 14: a check has one of");
        row("no list of checks", more("checks = 1"), "line 2, column 10: \"checks\" is no list of tables");
        row("cleanup alone", more("cleanup = [\"DROP VIEW v\"]"), "line 2, column 11: \"cleanup\" without tables");
        row("unknown section", more("[think_time]\nread = { constant = 1 }"),
            "line 3, column 1: there is no transaction \"read\"");
        row("unknown distribution", more("[think_time]\nscript = { pareto = 1 }"),
            "line 3, column 10: there is no distribution \"pareto\"");
        row("negative think time", more("[think_time]\nscript = { uniform = [-1, 5] }"),
            "line 3, column 22: the think time is out of range");
        row("script", headWith("sequence = 1") + "\\set x ;\n", "line 9, column 8: ");
        row("constraint", inTable("constraints = [\"PRIMARY KEY (a); DROP TABLE t\"]"),
            "line 5, column 16: \"constraints\" holds a semicolon");
        row("no list of constraints", inTable("constraints = \"PRIMARY KEY (a)\""),
            "line 5, column 15: \"constraints\" is no list");
        row("options", inTable("options = \"ENGINE=MyISAM; \""), "line 5, column 11: \"options\" holds a semicolon");
    }
    void mistakesHaveTheirPlace() { checkScriptMistake(); }
    void withoutAHeadAllStays()
    {
        const auto head = script::readHead("SELECT 1;\n+++\n");
        QVERIFY(head && !*head);
        QVERIFY(script::headDigest("SELECT 1;").empty());
        const std::string other = std::string(kShop) + "SELECT 2;\n";
        QCOMPARE(script::headDigest(other), script::headDigest(kShop)); // of the head alone
        QVERIFY(script::headDigest(headWith("sequence = 1")) != script::headDigest(headWith("sequence = 2")));
    }
    //! Data that are there need no second load where only these have changed.
    void checksAreNoPartOfTheData()
    {
        const auto with = [](const std::string& more) {
            std::string text = kShop;
            return text.insert(4, more);
        };
        const std::string check = "cleanup = [\"SELECT 2\"]\nchecks = [{ sql = \"SELECT 1\", expect = 1 }]\n";
        const std::string one = script::headDigest(with(check));
        QVERIFY(!one.empty());
        QCOMPARE(script::headDigest(with("think_time = { script = { constant = 3 } }\n")), one);
        std::string other = with(check);
        other.replace(other.find("[1, 50]"), 7, "[1, 60]");
        QVERIFY(script::headDigest(other) != one);
        other = with(check);
        const std::string id = "id = { type = \"INT PRIMARY KEY\", sequence = 1 }\n";
        other.erase(other.find(id), id.size()).insert(other.find("+++\n\\set"), id); // another order of columns
        QVERIFY(script::headDigest(other) != one);
        QVERIFY(script::headDigest("+++\nchecks = [{ sql = \"SELECT 1\", expect = 1 }]\n+++\nSELECT 1;").empty());
    }
    //! The mean and the deviation of an exponential distribution are the same; no draw is above ten means.
    void thinkTimesAreDistributedAsTheySay()
    {
        constexpr int kDraws = 20'000;
        const auto moments = [](const script::ThinkTime& time) {
            Random random(5);
            double sum = 0, squares = 0, least = 1e300, most = 0;
            for (int i = 0; i < kDraws; ++i) {
                const double ms = double(time.drawNs(random)) / 1e6;
                sum += ms;
                squares += ms * ms;
                least = std::min(least, ms);
                most = std::max(most, ms);
            }
            const double mean = sum / kDraws;
            return std::array{mean, std::sqrt(squares / kDraws - mean * mean), least, most};
        };
        using Kind = script::ThinkTime::Kind;
        const auto constant = moments({"a", Kind::Constant, 7, 7});
        QVERIFY(constant[2] == 7 && constant[3] == 7);
        const auto uniform = moments({"a", Kind::Uniform, 10, 50});
        QVERIFY(std::abs(uniform[0] - 30) < 4 * 40 / std::sqrt(12.0 * kDraws));
        QVERIFY(std::abs(uniform[1] - 40 / std::sqrt(12.0)) < 0.3);
        QVERIFY(uniform[2] >= 10 && uniform[3] <= 50);
        const auto negexp = moments({"a", Kind::Negexp, 20, 20});
        QVERIFY(std::abs(negexp[0] - 20) < 4 * 20 / std::sqrt(kDraws));
        QVERIFY(std::abs(negexp[1] - 20) < 1);
        QVERIFY(negexp[3] <= 200);
    }
    //! Each user thinks after the transactions of that name alone, and draws the same transactions as without.
    void usersThink()
    {
        const std::string script = "\\transaction fast 1\nSELECT 1;\n\\transaction slow 1\nSELECT 2;\n";
        QTemporaryDir folder;
        const std::string uri = "sqlite:" + folder.filePath("t.db").toStdString();
        const auto run = [&uri](const std::string& text) {
            RecordingSink sink;
            Plan plan = shopPlan(uri, text, 1, "none");
            plan.load.users = {1};
            RunnerOptions options;
            options.consent.allow("all");
            runPlan(plan, options, sink);
            return sink.summaries.empty() ? RunSummary() : sink.summaries.front();
        };
        const RunSummary without = run(script);
        const RunSummary with = run("+++\n[think_time]\nslow = { constant = 20 }\n+++\n" + script);
        QVERIFY2(with.status == RunStatus::Done, with.reason.c_str());
        QCOMPARE(with.transactions, without.transactions);
        QCOMPARE(with.operations.size(), std::size_t(2));
        QCOMPARE(with.operations[1].count, without.operations[1].count);
        const double thought = double(with.operations[1].count) * 0.02;
        QVERIFY(thought > 0);
        // The last one may be followed by none.
        QVERIFY2(with.seconds >= thought - 0.021, qPrintable(QString::number(with.seconds)));
        QVERIFY(with.seconds < thought + 2);
        QVERIFY(without.seconds < with.seconds);
    }
    void checksAreAskedAfterTheRun_data()
    {
        QTest::addColumn<QString>("check");
        QTest::addColumn<QString>("fault"); // "": it holds
        const auto row = [](const char* name, const char* check, const char* fault = "") {
            QTest::newRow(name) << check << fault;
        };
        row("number", "sql = \"SELECT COUNT(*) FROM orders\"\nexpect = 2000");
        row("wrong number", "name = \"all there\"\nsql = \"SELECT COUNT(*) FROM orders\"\nexpect = 1999",
            "\"all there\": the answer is 2000, and 1999 was expected");
        row("text", "sql = \"SELECT MIN(placed) FROM orders\"\nexpect = \"2020-02-28\"");
        row("wrong text", "name = \"n\"\nsql = \"SELECT 'b'\"\nexpect = \"a\"",
            "\"n\": the answer is b, and \"a\" was expected");
        row("fraction", "sql = \"SELECT 0.1 + 0.2\"\nexpect = 0.3");
        row("expression", "sql = \"SELECT COUNT(*) FROM orders\"\nexpression = \"1000 * :scale\"");
        row("condition", "sql = \"SELECT COUNT(*) FROM orders\"\nexpression = \":value > 1 and :value < 2001\"");
        row("wrong condition", "name = \"few\"\nsql = \"SELECT 5\"\nexpression = \":value < 5\"",
            "\"few\": the answer is 5, for which \":value < 5\" is not true");
        row("no number", "name = \"n\"\nsql = \"SELECT 'x'\"\nexpression = \":value < 5\"", "is no number");
        row("two rows", "name = \"n\"\nsql = \"SELECT 1 UNION SELECT 2\"\nexpect = 1", "the answer has 2 rows");
        row("no table", "name = \"n\"\nsql = \"SELECT 1 FROM nowhere\"\nexpect = 1", "\"n\" could not be asked");
    }
    void checksAreAskedAfterTheRun()
    {
        QFETCH(QString, check);
        QFETCH(QString, fault);
        if (!m_shop.isValid() || !QFileInfo::exists(m_shop.filePath("c.db")))
            runShop("sqlite:" + m_shop.filePath("c.db").toStdString(), kShop, 1);
        std::string text = kShop;
        text.insert(text.rfind("+++\n"), "[[checks]]\n" + check.toStdString() + "\n");
        RecordingSink sink;
        runInto("sqlite:" + m_shop.filePath("c.db").toStdString(), text, 1, sink);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        const RunSummary& run = sink.summaries.front();
        QCOMPARE(run.transactions, std::uint64_t(20));
        const RunEvent* told = nullptr;
        for (const RunEvent& event : sink.events.front()) {
            if (event.text.starts_with("data: ") || event.text.starts_with("the data meet"))
                told = &event;
        }
        QVERIFY(told);
        QCOMPARE(told->kind, fault.isEmpty() ? EventKind::Note : EventKind::Error);
        QCOMPARE(run.status, fault.isEmpty() ? RunStatus::Done : RunStatus::Failed);
        QVERIFY2(told->text.find(fault.toStdString()) != std::string::npos, told->text.c_str());
        if (!fault.isEmpty())
            QCOMPARE(run.reason, told->text);
    }
    void wrongExpressionsOfChecksAreFaults()
    {
        Plan plan = smallPlan("sqlite:/nowhere/x.db", "script");
        plan.workload.params = {
            {"schema", std::string("none")},
            {"scripts", std::string("+++\n[[checks]]\nsql = \"SELECT 1\"\nexpression = \":value + :other\"\n+++\n"
                                    "SELECT 1;")}};
        const Faults faults = checkPlan(plan);
        QVERIFY(!faults.empty());
        QVERIFY2(faults.front().what.find(":other") != std::string::npos, faults.front().what.c_str());
    }
    //! Before the tables go, for a new load and at the end.
    void cleanupIsSentBeforeTheTablesGo()
    {
        QTemporaryDir folder;
        const std::string uri = "sqlite:" + folder.filePath("v.db").toStdString();
        std::string text = kShop;
        text.replace(text.find("after = ["), 9, "after = [\"CREATE VIEW paid AS SELECT id FROM orders\", ");
        text.insert(4, "cleanup = [\"DROP VIEW paid\"]\n");
        text += "UPDATE orders SET price = 1 WHERE id = :id;\n"; // loads the tables again for each run
        runShop(uri, text, 1);
        QCOMPARE(asked(uri, "SELECT COUNT(*) FROM paid"), std::vector<std::string>{"2000"});
        runShop(uri, text, 1); // the view would be there already
        Plan plan = shopPlan(uri, text, 1);
        RunnerOptions options;
        options.consent.allow("all");
        const auto done = cleanupData(plan, options);
        QVERIFY2(done, done ? "" : done.error().text().c_str());
        QCOMPARE(asked(uri, "SELECT COUNT(*) FROM sqlite_master"), std::vector<std::string>{"0"});
    }
    //! What the server refuses comes before the first table goes.
    void tablesStayWhereCleanupFails()
    {
        QTemporaryDir folder;
        const std::string uri = "sqlite:" + folder.filePath("f.db").toStdString();
        runShop(uri, kShop, 1);
        std::string text = kShop;
        text.insert(4, "cleanup = [\"DROP VIEW nowhere\"]\n");
        Plan plan = shopPlan(uri, text, 1);
        plan.workload.prepare = PreparePolicy::Always;
        RunnerOptions options;
        options.consent.allow("all");
        const auto done = prepareData(plan, options, {});
        QVERIFY(!done);
        QVERIFY2(done.error().text().find("cleanup, \"DROP VIEW nowhere\"") != std::string::npos,
                 done.error().text().c_str());
        QCOMPARE(asked(uri, "SELECT COUNT(*) FROM orders"), std::vector<std::string>{"2000"});
        QCOMPARE(asked(uri, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'dynobench_loading'"),
                 std::vector<std::string>{"0"});
        plan.workload.params["scripts"] = std::string(kShop);
        plan.workload.prepare = PreparePolicy::Never; // the note of the load is still there
        const auto whole = prepareData(plan, options, {});
        QVERIFY2(whole, whole ? "" : whole.error().text().c_str());
    }
    //! A view of a table that is kept would be gone for good.
    void cleanupGoesWithALoadOfAllTables()
    {
        QTemporaryDir folder;
        const std::string uri = "sqlite:" + folder.filePath("t.db").toStdString();
        std::string text = kShop;
        text.replace(text.find("after = ["), 9, "after = [\"CREATE VIEW paid AS SELECT id FROM orders\", ");
        text.insert(text.rfind("+++\n"), "[[tables]]\nname = \"lines\"\nrows = 3\n[tables.columns]\n"
                                         "id = { type = \"INT\", sequence = 1 }\n");
        text.insert(4, "cleanup = [\"DROP VIEW paid\"]\n");
        runShop(uri, text, 1);
        auto admin = driverFor("sqlite")->admin(ConnectTarget{.uri = *parseUri(uri)});
        QVERIFY(admin && (*admin)->execute("DROP TABLE lines"));
        runShop(uri, text, 1);
        QCOMPARE(asked(uri, "SELECT COUNT(*), (SELECT COUNT(*) FROM lines) FROM paid"),
                 (std::vector<std::string>{"2000", "3"}));
    }
    //! A group's script has checks of its own, which the plan's does not know.
    void checksOfGroupsAreAsked()
    {
        QTemporaryDir folder;
        Plan plan = shopPlan("sqlite:" + folder.filePath("g.db").toStdString(), "SELECT 1;", 1, "none");
        plan.load.events = 0; // groups end by the time
        plan.load.timeSeconds = 1;
        plan.load.groups.resize(2);
        plan.load.groups[0].name = "plain";
        plan.load.groups[1].name = "checked";
        plan.load.groups[1].params = {
            {"scripts",
             std::string("+++\n[[checks]]\nname = \"two\"\nsql = \"SELECT 3\"\nexpect = 2\n+++\nSELECT 2;")}};
        plan.load.groups[0].users = plan.load.groups[1].users = 1;
        RunnerOptions options;
        options.consent.allow("all");
        RecordingSink sink;
        runPlan(plan, options, sink);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        QCOMPARE(sink.summaries.front().status, RunStatus::Failed);
        QCOMPARE(QString::fromStdString(sink.summaries.front().reason),
                 QString("data: \"two\": the answer is 3, and 2 was expected"));
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
    //! Servers refuse statements of tens of megabytes.
    void insertsOfLongTextsHaveFewRows()
    {
        const auto rows = [](const std::string& column) {
            const auto instance =
                test::bind("script", {{"scripts", headWith(column)}, {"schema", std::string("none")}}, "null");
            return instance->loaderStatements().at(1).parameters.size();
        };
        QCOMPARE(rows("sequence = 1"), std::size_t(200));
        QCOMPARE(rows("text = [0, 100000]"), std::size_t(9)); // 1 MB
    }

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
        checkLuaBesideABuiltinWorkload(mariadb.uriText());
        checkFamily(mariadb.uriText());
        checkDropInParts(mariadb.uriText());
        std::string myisam = kFamily;
        myisam.replace(myisam.find("rows = 0\n"), 9, "rows = 0\noptions = \"ENGINE=MyISAM\"\n");
        checkFamily(mariadb.uriText(), myisam, [&mariadb] {
            QCOMPARE(asked(mariadb.uriText(), "SELECT GROUP_CONCAT(engine ORDER BY table_name) FROM "
                                              "information_schema.tables WHERE table_name IN ('shops', 'totals')"),
                     std::vector<std::string>{"InnoDB,MyISAM"});
        });
        checkChangesNothing(mariadb.uriText(),
                            "CREATE FUNCTION gone() RETURNS INT BEGIN DELETE FROM orders; RETURN 1; END",
                            "SELECT gone()", "SELECT COUNT(*) FROM orders", "2000");
        PostgresqlFixture postgresql;
        DYNO_START_POSTGRESQL(postgresql);
        checkRun(postgresql.uriText(), 2, rows);
        checkFamily(postgresql.uriText());
        checkChangesNothing(postgresql.uriText(), "CREATE SEQUENCE numbers", "SELECT nextval('numbers')",
                            "SELECT is_called FROM numbers", "f");
        QCOMPARE(rows.size(), std::size_t(3));
    }
    //! Keys of several columns, keys of other tables, rows made by SQL; loaded twice, as a table goes only after those
    //! that refer to it.
    void tablesReferToEachOther()
    {
        QTemporaryDir folder;
        checkFamily("sqlite:" + folder.filePath("k.db").toStdString());
    }
    //! All rows are there, but not what a table gets from the others': the load is not complete, and the next one makes
    //! it.
    void stoppedBeforeRowsMadeBySql()
    {
        QTemporaryDir folder;
        const std::string uri = "sqlite:" + folder.filePath("k.db").toStdString();
        std::string endless = kFamily;
        const std::size_t made = endless.find("SELECT shop"), end = endless.find("\"]", made);
        endless.replace(
            made, end - made,
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i FROM n WHERE i < 0");
        const Plan plan = shopPlan(uri, endless, 2);
        RunnerOptions options;
        options.consent.allow("all");
        for (int load = 0; load < 2; ++load) {
            const auto stopped = prepareData(plan, options, [](const ProgressReport& now) {
                return now.text.find("indexes") == std::string::npos; // this is when they are made
            });
            QVERIFY2(!stopped, "what is not whole was taken for loaded");
            QCOMPARE(stopped.error().kind, ErrorKind::Interrupted);
        }
    }
    //! Those of a table without rows of its own wait for the others' rows.
    void statementsMayMakeRows()
    {
        for (const char* makes :
             {"INSERT INTO a SELECT 1", "/* all */ INSERT INTO a SELECT 1", "CALL fill()", "COPY a FROM '/f'",
              "MERGE INTO a USING b ON a.i = b.i WHEN NOT MATCHED THEN INSERT VALUES (b.i)", "SELECT fill()",
              R"({"insert": "a", "documents": [{}]})",
              R"({"aggregate": "b", "pipeline": [{"$out": "a"}], "cursor": {}})"})
            QVERIFY2(mayMakeRows(makes), makes);
        for (const char* defines : {"CREATE INDEX i ON a (i)", "-- x\nANALYZE a", "SET x = 1", "",
                                    R"({"createIndexes": "a", "indexes": [{"key": {"n": 1}, "name": "n"}]})"})
            QVERIFY2(!mayMakeRows(defines), defines);
        std::string text = kFamily;
        const auto last = [&text] {
            return test::bind("script", {{"scripts", text}, {"schema", std::string("none")}}, "sqlite")->tables().at(2);
        };
        QVERIFY(last().derived && last().afterAll.size() == 1 && last().afterLoad.empty());
        text.replace(text.find("INSERT INTO totals"), 18, "CREATE TABLE copy AS");
        QVERIFY(!last().derived && last().afterAll.size() == 1 && last().afterLoad.empty());
    }
    //! A table with rows has something to say of each.
    void rowsNeedValues()
    {
        const Settings params{{"scripts", std::string("+++\n[[tables]]\nname = \"t\"\nrows = \":scale - 1\"\n"
                                                      "[tables.columns]\na = { type = \"INT\" }\n+++\nSELECT 1;\n")}};
        const auto bound = [&params](std::int64_t scale) {
            Settings all = params;
            all["scale"] = scale;
            return workloadFor("script")->bind(all, driverFor("sqlite")->info(), {});
        };
        QVERIFY(bound(1));
        const auto refused = bound(2);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.find("no column of the table t") != std::string::npos,
                 refused.error().text().c_str());
    }
    void aHeadKnowsItsConstraints()
    {
        const std::string plain = script::headDigest(kFamily);
        QVERIFY(!plain.empty());
        std::string other = kFamily;
        other.replace(other.find("(shop, number)"), 14, "(number, shop)");
        QVERIFY(script::headDigest(other) != plain);
        for (const char* word : {"constraints", "options"})
            QVERIFY(std::ranges::find(script::headWords(), word) != script::headWords().end());
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
    static Plan shopPlan(const std::string& uri, const std::string& text, int loaders,
                         const std::string& schema = "pgbench")
    {
        Plan plan = smallPlan(uri, "script");
        plan.workload.params = {{"scripts", text}, {"scale", std::int64_t(2)}, {"schema", schema}};
        plan.load.loaders = loaders;
        plan.load.timeSeconds = 0;
        plan.load.events = 20;
        return plan;
    }
    static void runInto(const std::string& uri, const std::string& text, int loaders, RecordingSink& sink,
                        const std::string& schema = "pgbench")
    {
        const Plan plan = shopPlan(uri, text, loaders, schema);
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
    //! A check whose words read, and whose function writes.
    static void checkChangesNothing(const std::string& uri, const char* makes, const std::string& check,
                                    const char* looks, const char* found)
    {
        const TargetUri target = *parseUri(uri);
        auto admin = driverFor(target.scheme)->admin(ConnectTarget{.uri = target});
        QVERIFY(admin);
        const auto made = (*admin)->execute(makes);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        RecordingSink sink;
        runInto(uri, "+++\n[[checks]]\nsql = \"" + check + "\"\nexpect = 1\n+++\nSELECT 1;", 1, sink, "none");
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        const RunSummary& run = sink.summaries.front();
        QCOMPARE(run.status, RunStatus::Failed);
        QVERIFY2(run.reason.find("could not be asked") != std::string::npos, run.reason.c_str());
        QCOMPARE(asked(uri, looks), std::vector<std::string>{found});
    }
    //! On the tables that the plan's workload loads.
    static void checkLuaBesideABuiltinWorkload(const std::string& uri)
    {
        if (!workloadFor("lua"))
            return; // built without its interpreter
        Plan plan = smallPlan(uri, "oltp_write_only");
        plan.workload.params = {{"tables", std::int64_t(1)}, {"table_size", std::int64_t(100)}};
        plan.load.timeSeconds = 0.5;
        plan.load.events = 0;
        plan.load.groups.resize(2);
        plan.load.groups[0].name = "writes";
        plan.load.groups[1].name = "own";
        plan.load.groups[1].workload = "lua";
        plan.load.groups[1].params = {
            {"script", std::string("function thread_init() con = sysbench.sql.driver():connect() end\n"
                                   "function event()\n"
                                   "   assert(con:query_row('SELECT COUNT(*) FROM sbtest1 WHERE id <= 100'))\n"
                                   "end\n")}};
        plan.load.groups[0].users = plan.load.groups[1].users = 1;
        RunnerOptions options;
        options.consent.allow("all");
        RecordingSink sink;
        runPlan(plan, options, sink);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        const RunSummary& run = sink.summaries.front();
        QVERIFY2(run.status == RunStatus::Done, run.reason.c_str());
        for (const char* name : {"writes", "own.select"}) {
            const auto found = std::ranges::find(run.operations, std::string(name), &OperationSummary::name);
            QVERIFY2(found != run.operations.end() && found->count > 0, name);
        }
    }
    //! Whatever was there before goes.
    static void checkFamily(const std::string& uri, const std::string& text = kFamily,
                            const std::function<void()>& look = {})
    {
        Plan plan = shopPlan(uri, text, 2);
        plan.workload.prepare = PreparePolicy::Always;
        RunnerOptions options;
        options.consent.allow("all");
        for (int load = 0; load < 2; ++load) {
            const auto done = prepareData(plan, options, {});
            QVERIFY2(done, done ? "" : done.error().text().c_str());
        }
        QCOMPARE(asked(uri, "SELECT COUNT(*), SUM(bills) FROM totals"), (std::vector<std::string>{"3", "4000"}));
        plan.workload.prepare = PreparePolicy::Auto; // what SQL made is as it should be
        RecordingSink sink;
        runPlan(plan, options, sink);
        QCOMPARE(sink.summaries.size(), std::size_t(1));
        QVERIFY2(sink.summaries.front().status == RunStatus::Done, sink.summaries.front().reason.c_str());
        const TargetUri target = *parseUri(uri);
        auto admin = driverFor(target.scheme)->admin(ConnectTarget{.uri = target});
        QVERIFY(admin);
        if (target.kind == TargetKind::Remote)
            QVERIFY(!(*admin)->execute("INSERT INTO bills VALUES (9, 9)")); // there is no such shop
        QVERIFY(!(*admin)->execute("INSERT INTO bills SELECT shop, number FROM bills"));
        admin->reset();
        if (look)
            look();
        const auto gone = cleanupData(plan, options);
        QVERIFY2(gone, gone ? "" : gone.error().text().c_str());
    }
    //! One of our tables cannot go, as somebody else's refers to it. Nothing is known any more of those that went: a
    //! table of such a name that is made later is somebody else's too.
    static void checkDropInParts(const std::string& uri)
    {
        const Plan plan = shopPlan(uri, kFamily, 2);
        RunnerOptions options;
        for (const Risk& risk : risksOf(plan))
            options.consent.allow(risk);
        const auto loaded = prepareData(plan, options, {});
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        auto admin = driverFor("mysql")->admin(ConnectTarget{.uri = *parseUri(uri)});
        QVERIFY(admin);
        QVERIFY((*admin)->execute("CREATE TABLE strangers (shop INT, FOREIGN KEY (shop) REFERENCES shops (id))"));
        const auto kept = cleanupData(plan, options);
        QVERIFY(!kept);
        QCOMPARE(asked(uri, "SELECT COUNT(*) FROM shops"), std::vector<std::string>{"3"});
        QVERIFY((*admin)->execute("CREATE TABLE bills (shop INT, number INT)"));
        const auto refused = cleanupData(plan, options);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.find("the table bills is there and carries no note") != std::string::npos,
                 refused.error().text().c_str());
        QVERIFY((*admin)->execute("DROP TABLE strangers, bills"));
        admin->reset();
        const auto gone = cleanupData(plan, options);
        QVERIFY2(gone, gone ? "" : gone.error().text().c_str());
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

    QTemporaryDir m_shop;
};

} // namespace dyno::tst_workload_head

DYNO_SUITE(tst_workload_head, dyno::tst_workload_head::TstWorkloadHead)
#include "tst_workload_head.moc"
