// SPDX-License-Identifier: GPL-3.0-or-later
// One transaction of a script, tried on a real database file: what is sent, what comes back, what stays.
#include "recording_sink.h"
#include "support/mariadb_fixture.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/lua_script.h>
#include <dyno/plan.h>
#include <dyno/runner.h>
#include <dyno/script_text.h>
#include <dyno/script_try.h>
#include <dyno/table_script.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <sqlite3.h>

namespace dyno::tst_script_try {
using namespace dyno::test;

namespace {

constexpr const char* kShop = "\\transaction look 9\n"
                              "\\set id 2\n"
                              "SELECT id, price FROM products WHERE id = :id;\n"
                              "\n"
                              "\\transaction order 1\n"
                              "\\set id 1\n"
                              "BEGIN;\n"
                              "SELECT price FROM products WHERE id = :id \\gset\n"
                              "UPDATE products SET price = :price + 1;\n"
                              "COMMIT;\n"
                              "SELECT sum(price) AS sum FROM products;\n"
                              "\\transaction broken 0\n"
                              "UPDATE products SET price = 9;\n"
                              "SELECT * FROM nowhere;\n"
                              "SELECT 1;\n"
                              "\\transaction index 0\n"
                              "CREATE INDEX p ON products (price);\n";

//! "7 BEGIN", "7 COMMIT not sent", "9 UPDATE … : 3 changed"
QStringList linesOf(const ScriptTry& tried)
{
    QStringList lines;
    for (const TriedStatement& one : tried.statements) {
        QString line = QString("%1 %2").arg(one.line).arg(QString::fromStdString(one.text));
        for (const std::string& value : one.parameters)
            line += " <- " + QString::fromStdString(value);
        if (!one.sent)
            line += " not sent";
        if (one.changed > 0)
            line += QString(": %1 changed").arg(one.changed);
        if (!one.lastRow.empty())
            line += QString(": %1").arg(QString::fromStdString(one.lastRow));
        if (!one.error.empty())
            line += " failed";
        lines << line;
    }
    return lines;
}

} // namespace

class TestScriptTry : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void showsWhatIsSent();
    void keepsNothing();
    void parametersOfPreparedStatements();
    void endsAtTheFirstError();
    void saysWhatStays();
    void triesTheChosenSectionOnly();
    void tellsThePlans();
    void tellsWhyThereIsNoPlan();
    void variablesThatBecomeStatements();
    void asksForAnAgreement();
    void needsATargetThatIsThere();
    void canBeStopped();
    void anEventOfLua();
    void luaWithoutEnd();
    void onMariadb();
    void onPostgresql();

private:
    [[nodiscard]] Plan planOf(const std::string& text) const
    {
        Plan plan = smallPlan("sqlite:" + m_file.toStdString(), "script");
        plan.workload.params = {{"scripts", text}, {"schema", std::string("none")}};
        return plan;
    }
    //! The answer of one query, from outside.
    [[nodiscard]] int ask(const char* query) const
    {
        sqlite3* database = nullptr;
        sqlite3_open(m_file.toUtf8().constData(), &database);
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(database, query, -1, &statement, nullptr);
        const int value = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
        sqlite3_finalize(statement);
        sqlite3_close(database);
        return value;
    }
    [[nodiscard]] static RunnerOptions agreed()
    {
        RunnerOptions options;
        options.consent.allow("all");
        return options;
    }

    //! Its tables, a script made for one of them, and plans, on a server. `reserved`: a name in quotes.
    void readsTablesOn(const TargetUri& uri, Admin& admin, const char* key, const char* reserved);
    //! A try on a server with the table of init(); `admin`: to it.
    void tryOn(const TargetUri& uri, Admin& admin, bool createEndsTransaction);

    QTemporaryDir m_folder;
    QString m_file;
};

void TestScriptTry::init()
{
    m_file = m_folder.filePath(QString("%1.db").arg(QTest::currentTestFunction()));
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(m_file.toUtf8().constData(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database,
                          "CREATE TABLE products (id INTEGER PRIMARY KEY, price INT);"
                          "INSERT INTO products VALUES (1, 5), (2, 7), (3, 9)",
                          nullptr, nullptr, nullptr),
             SQLITE_OK);
    sqlite3_close(database);
}

void TestScriptTry::showsWhatIsSent()
{
    const auto look = tryScript(planOf(kShop), agreed(), {.section = "look"});
    QVERIFY2(look, look ? "" : look.error().text().c_str());
    QCOMPARE(linesOf(*look), QStringList({"0 BEGIN", "3 SELECT id, price FROM products WHERE id = 2: id = 2, price = 7",
                                          "0 ROLLBACK"}));
    QCOMPARE(look->statements[1].rows, std::int64_t(1));
    QVERIFY(look->statements[1].ms > 0 && look->ms >= look->statements[1].ms);
    QVERIFY(look->problem.empty() && look->rolledBack && !look->interrupted);
}

void TestScriptTry::keepsNothing()
{
    const auto order = tryScript(planOf(kShop), agreed(), {.section = "order"});
    QVERIFY2(order, order ? "" : order.error().text().c_str());
    QCOMPARE(linesOf(*order), QStringList({"7 BEGIN", "8 SELECT price FROM products WHERE id = 1: price = 5",
                                           "9 UPDATE products SET price = 5 + 1: 3 changed", "10 COMMIT not sent",
                                           "11 SELECT sum(price) AS sum FROM products: sum = 18", "0 ROLLBACK"}));
    QVERIFY(order->rolledBack);
    QCOMPARE(ask("SELECT sum(price) FROM products"), 21);
}

void TestScriptTry::parametersOfPreparedStatements()
{
    Plan plan = planOf(kShop);
    plan.workload.params["protocol"] = std::string("prepared");
    const auto order = tryScript(plan, agreed(), {.section = "order"}); // the broken one's table is not there
    QVERIFY2(order, order ? "" : order.error().text().c_str());
    QCOMPARE(linesOf(*order).at(2), QString("9 UPDATE products SET price = ? + 1 <- 5: 3 changed"));
    QVERIFY(order->problem.empty());
}

void TestScriptTry::endsAtTheFirstError()
{
    const auto broken = tryScript(planOf(kShop), agreed(), {.section = "broken"});
    QVERIFY2(broken, broken ? "" : broken.error().text().c_str());
    QCOMPARE(linesOf(*broken), QStringList({"0 BEGIN", "13 UPDATE products SET price = 9: 3 changed",
                                            "14 SELECT * FROM nowhere failed", "0 ROLLBACK"}));
    QVERIFY(QString::fromStdString(broken->problem).contains("nowhere"));
    QVERIFY(broken->rolledBack);
    QCOMPARE(ask("SELECT sum(price) FROM products"), 21);
}

void TestScriptTry::saysWhatStays()
{
    QVERIFY(staysAfterTry(planOf(kShop), "order").empty());
    const auto stays = staysAfterTry(planOf(kShop), "index");
    QCOMPARE(stays.size(), std::size_t(1));
    QCOMPARE(stays.front().line, 17);
    QCOMPARE(staysAfterTry(planOf(kShop), "").size(), std::size_t(1));
}

//! The parser alone knows where a transaction begins: the line +++ is no head here.
void TestScriptTry::triesTheChosenSectionOnly()
{
    const Plan plan = planOf("\\transaction look 1\nSELECT 1\n+++\n2 AS three;\n"
                             "\\transaction index 1000000\nCREATE INDEX p ON products (price);\n");
    QVERIFY(staysAfterTry(plan, "look").empty());
    const auto tried = tryScript(plan, agreed(), {.section = "look"});
    QVERIFY2(tried, tried ? "" : tried.error().text().c_str());
    QCOMPARE(linesOf(*tried), QStringList({"0 BEGIN", "2 SELECT 1\n+++\n2 AS three: three = 3", "0 ROLLBACK"}));
    QVERIFY(!tried->mayKeep);
    QVERIFY(!tryScript(plan, agreed(), {.section = "none"}));
}

void TestScriptTry::variablesThatBecomeStatements()
{
    Plan plan = planOf("UPDATE products SET price = 1;\n:ends;\n");
    plan.workload.params["define"] = std::string("ends=COMMIT");
    QCOMPARE(staysAfterTry(plan, "").size(), std::size_t(1));
    const auto asked = tryScript(plan, agreed(), {});
    QVERIFY2(asked, asked ? "" : asked.error().text().c_str());
    QVERIFY(asked->mayKeep && asked->problem.empty());

    // From an answer of the server: nobody can be asked before
    plan = planOf("SELECT '1 UNION SELECT 2' AS a, '1; COMMIT' AS b \\gset\n"
                  "UPDATE products SET price = 100;\nSELECT :a;\nSELECT :b;\nSELECT 5;\n");
    QVERIFY(staysAfterTry(plan, "").empty());
    const auto refused = tryScript(plan, agreed(), {});
    QVERIFY2(refused, refused ? "" : refused.error().text().c_str());
    QCOMPARE(linesOf(*refused).mid(3),
             QStringList({"3 SELECT 1 UNION SELECT 2: 1 = 2", "4 SELECT 1; COMMIT not sent failed", "0 ROLLBACK"}));
    QVERIFY2(refused->problem.starts_with("line 4: "), refused->problem.c_str());
    QVERIFY(refused->rolledBack && !refused->mayKeep);
    QCOMPARE(ask("SELECT max(price) FROM products"), 1);
}

void TestScriptTry::asksForAnAgreement()
{
    const auto refused = tryScript(planOf(kShop), {}, {.section = "order"});
    QVERIFY(!refused);
    QVERIFY(QString::fromStdString(refused.error().message).contains("workload.scripts"));
    RunnerOptions others; // to other statements than these
    others.consent.allow(Risk{"workload.scripts", "SELECT 1;", {}});
    others.consent.allow("target.uri");
    QVERIFY(!tryScript(planOf(kShop), others, {.section = "order"}));
}

void TestScriptTry::needsATargetThatIsThere()
{
    Plan plan = planOf(kShop);
    const QString missing = m_folder.filePath("missing.db");
    plan.target.uri = "sqlite:" + missing.toStdString();
    QVERIFY(!tryScript(plan, agreed(), {}));
    QVERIFY(!QFile::exists(missing));
    plan.target.uri = "managed:mariadb";
    const auto managed = tryScript(plan, agreed(), {});
    QVERIFY(!managed);
    QVERIFY(QString::fromStdString(managed.error().message).contains("session"));
    plan = planOf("SELECT 1 \\foo");
    QVERIFY(!tryScript(plan, agreed(), {}));
    plan = smallPlan("sqlite:" + m_file.toStdString(), "oltp_point_select");
    QVERIFY(!tryScript(plan, agreed(), {}));
}

void TestScriptTry::tellsThePlans()
{
    for (const char* protocol : {"simple", "prepared"}) {
        Plan plan = planOf(kShop);
        plan.workload.params["protocol"] = std::string(protocol);
        const auto order = tryScript(plan, agreed(), {.section = "order"});
        QVERIFY2(order, order ? "" : order.error().text().c_str());
        const auto& tried = order->statements;
        QVERIFY(tried[0].plan.empty() && tried[0].noPlan.empty()); // BEGIN
        QCOMPARE(tried[1].plan.size(), std::size_t(1));
        QVERIFY2(QString::fromStdString(tried[1].plan[0].text).contains("PRIMARY KEY"), tried[1].plan[0].text.c_str());
        QCOMPARE(tried[1].plan[0].wholeTable, std::string());
        QCOMPARE(tried[2].plan.size(), std::size_t(1));
        QCOMPARE(tried[2].plan[0].wholeTable, std::string("products"));
        QVERIFY(order->rolledBack);
        QCOMPARE(ask("SELECT sum(price) FROM products"), 21);
    }
    // Also of those before an error, and indented.
    const auto broken = tryScript(
        planOf("SELECT * FROM (SELECT id FROM products UNION SELECT 1) AS x;\nSELECT nothing;"), agreed(), {});
    QVERIFY2(broken, broken ? "" : broken.error().text().c_str());
    QVERIFY(!broken->problem.empty() && broken->rolledBack);
    QVERIFY(broken->statements[1].plan.size() > 2);
    const auto& steps = broken->statements[1].plan;
    QVERIFY(std::ranges::any_of(steps, [](const PlanStep& step) { return step.text.starts_with("    "); }));
    QCOMPARE(std::ranges::count_if(steps, [](const PlanStep& step) { return step.wholeTable == "products"; }), 1);
    QVERIFY(std::ranges::none_of(steps, [](const PlanStep& step) { return step.wholeTable == "x"; }));
}

void TestScriptTry::tellsWhyThereIsNoPlan()
{
    const auto tried =
        tryScript(planOf("SELECT 1 \\; SELECT 2;\n/* why */ SELECT 3;\nCREATE TABLE t (a INT);"), agreed(), {});
    QVERIFY2(tried, tried ? "" : tried.error().text().c_str());
    const auto find = [&tried](const char* part) {
        return std::ranges::find_if(
            tried->statements, [part](const TriedStatement& one) { return one.text.find(part) != std::string::npos; });
    };
    const auto several = find("SELECT 2");
    QVERIFY(several != tried->statements.end() && several->plan.empty());
    QVERIFY2(QString::fromStdString(several->noPlan).contains("semicolon"), several->noPlan.c_str());
    const auto create = find("CREATE");
    QVERIFY(create != tried->statements.end() && create->plan.empty() && create->noPlan.empty());
    QVERIFY(!find("SELECT 3")->plan.empty());
}

void TestScriptTry::readsTablesOn(const TargetUri& uri, Admin& admin, const char* key, const char* reserved)
{
    RunnerOptions options = agreed();
    options.password = uri.password;
    QVERIFY(admin.execute(std::string("CREATE TABLE items (id ") + key +
                          ", label VARCHAR(20) NOT NULL, price DECIMAL(6,2) NOT NULL, pieces SMALLINT, since TIMESTAMP "
                          "DEFAULT CURRENT_TIMESTAMP, day DATE NOT NULL)"));
    QVERIFY(
        admin.execute("CREATE TABLE pieces_of (part INTEGER, line INTEGER, pieces INTEGER, PRIMARY KEY (part, line))"));
    QVERIFY(
        admin.execute("INSERT INTO items (label, price, day) VALUES ('a', 1, '2024-01-01'), ('b', 2, '2024-01-01')"));
    QVERIFY(admin.execute(std::string("CREATE TABLE ") + reserved + " (id INTEGER PRIMARY KEY)"));
    QVERIFY(admin.execute("CREATE VIEW dear AS SELECT * FROM items WHERE price > 100"));
    Plan plan = planOf("SELECT 1;");
    plan.target.uri = uri.display();
    const auto read = readTables(plan, options);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const auto find = [&read](const char* name) {
        return std::ranges::find(read->tables, std::string(name), &TableInfo::name);
    };
    const auto items = find("items"), lines = find("pieces_of"), dear = find("dear");
    QVERIFY(items != read->tables.end() && lines != read->tables.end() && dear != read->tables.end());
    QVERIFY(dear->view && !items->view);
    QVERIFY(std::ranges::find(read->tables, std::string(reserved), &TableInfo::written) != read->tables.end());
    QCOMPARE(items->columns.size(), std::size_t(6));
    const ColumnInfo &id = items->columns[0], &price = items->columns[2], &since = items->columns[4];
    QVERIFY(id.keyPlace == 1 && id.whole && id.filled);
    QVERIFY(price.number && !price.whole && !price.filled && !price.nullable);
    QVERIFY(since.filled && !since.computed);
    QCOMPARE(lines->columns[0].keyPlace, 1);
    QCOMPARE(lines->columns[1].keyPlace, 2);
    const auto made = readTableScript(plan, options, *items);
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    QVERIFY2(made->find("random(1, 2)") != std::string::npos, made->c_str());
    for (const char* protocol : {"simple", "prepared"}) {
        plan.workload.params = {
            {"scripts", *made}, {"schema", std::string("none")}, {"protocol", std::string(protocol)}};
        for (const ScriptSection& one : scriptSections(*made)) {
            const auto tried = tryScript(plan, options, {.section = one.name});
            QVERIFY2(tried, tried ? "" : tried.error().text().c_str());
            QVERIFY2(tried->problem.empty(), (one.name + ": " + tried->problem).c_str());
            const TriedStatement& statement = tried->statements[1];
            QVERIFY2(!statement.plan.empty(), (one.name + ": " + statement.noPlan).c_str());
            const QString text = QString::fromStdString(statement.plan.front().text);
            QVERIFY2(text.contains("items", Qt::CaseInsensitive), qPrintable(text));
        }
        plan.workload.params["scripts"] = std::string("SELECT * FROM items WHERE pieces = 3;");
        const auto scan = tryScript(plan, options, {});
        QVERIFY2(scan && !scan->statements[1].plan.empty(), scan ? scan->statements[1].noPlan.c_str() : "");
        QCOMPARE(scan->statements[1].plan.front().wholeTable, std::string("items"));
    }
    const auto rows = admin.query("SELECT COUNT(*) FROM items");
    QVERIFY(rows && rows->front().front() == "2");
}

void TestScriptTry::canBeStopped()
{
    // Longer than anybody waits; the connection is broken.
    const Plan plan = planOf("UPDATE products SET price = 1;\n"
                             "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) "
                             "SELECT count(*) FROM n;\nSELECT 1;\n");
    RunnerOptions options = agreed();
    const auto begin = std::chrono::steady_clock::now();
    options.stopped = [begin] { return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(200); };
    const auto tried = tryScript(plan, options, {});
    QVERIFY2(tried, tried ? "" : tried.error().text().c_str());
    QVERIFY(tried->interrupted);
    QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    QCOMPARE(ask("SELECT sum(price) FROM products"), 21);
}

void TestScriptTry::tryOn(const TargetUri& uri, Admin& admin, bool createEndsTransaction)
{
    RunnerOptions options = agreed();
    options.password = uri.password;
    const auto sum = [&admin] {
        const auto rows = admin.query("SELECT sum(price) FROM products");
        return rows && !rows->empty() ? rows->front().front() : std::string("?");
    };
    QVERIFY(admin.execute("CREATE TABLE products (id INTEGER PRIMARY KEY, price INTEGER)"));
    QVERIFY(admin.execute("INSERT INTO products VALUES (1, 5), (2, 7), (3, 9)"));
    for (const char* protocol : {"simple", "prepared"}) {
        Plan plan = planOf(kShop);
        plan.target.uri = uri.display();
        plan.workload.params["protocol"] = std::string(protocol);
        const auto order = tryScript(plan, options, {.section = "order"});
        QVERIFY2(order, order ? "" : order.error().text().c_str());
        QVERIFY2(order->problem.empty(), order->problem.c_str());
        QCOMPARE(order->statements.size(), std::size_t(6));
        QCOMPARE(order->statements[1].lastRow, std::string("price = 5"));
        QCOMPARE(order->statements[2].changed, std::int64_t(3));
        QVERIFY(order->rolledBack && !order->mayKeep);
        QCOMPARE(sum(), std::string("21"));
        const auto broken = tryScript(plan, options, {.section = "broken"});
        QVERIFY2(broken, broken ? "" : broken.error().text().c_str());
        QVERIFY(!broken->problem.empty());
        QVERIFY(!broken->statements[2].error.empty());
        QCOMPARE(sum(), std::string("21"));
    }
    Plan plan = planOf("UPDATE products SET price = 1;\nCREATE INDEX p ON products (price);\n");
    plan.target.uri = uri.display();
    const auto index = tryScript(plan, options, {});
    QVERIFY2(index, index ? "" : index.error().text().c_str());
    QVERIFY(index->mayKeep);
    QCOMPARE(sum(), std::string(createEndsTransaction ? "3" : "21"));
}

//! With what it prepares, and its own BEGIN and COMMIT.
void TestScriptTry::anEventOfLua()
{
    if (!findWorkload(kLuaWorkload))
        QSKIP("built without the interpreter of sysbench's scripts");
    Plan plan = smallPlan("sqlite:" + m_file.toStdString(), kLuaWorkload);
    plan.workload.params = {{kLuaOptionsParam, std::string("least=2")}, {"command", std::string("prepare")}};
    plan.workload.params[kLuaScriptParam] =
        std::string("sysbench.cmdline.options = { least = { 'price', 1 } }\n"
                    "function thread_init()\n"
                    "   con = sysbench.sql.driver():connect()\n"
                    "   look = con:prepare('SELECT id, price FROM products WHERE id = ?')\n"
                    "   id = look:bind_create(sysbench.sql.type.INT)\n"
                    "   look:bind_param(id)\n"
                    "end\n"
                    "function prepare() sysbench.sql.driver():connect():query('DROP TABLE products') end\n"
                    "function event()\n"
                    "   con:query('BEGIN')\n"
                    "   id:set(sysbench.opt.least)\n"
                    "   look:execute()\n"
                    "   local row = con:query_row('SELECT price FROM products WHERE id = 1')\n"
                    "   con:query('UPDATE products SET price = price + ' .. row)\n"
                    "   con:query('COMMIT')\n"
                    "end\n");
    const auto tried = tryScript(plan, agreed(), {});
    QVERIFY2(tried, tried ? "" : tried.error().text().c_str());
    QVERIFY2(tried->problem.empty(), tried->problem.c_str());
    const QStringList lines = linesOf(*tried);
    QCOMPARE(lines.size(), 6);
    QCOMPARE(lines[0], QString("0 BEGIN"));
    QVERIFY2(lines[1].startsWith("0 SELECT id, price FROM products WHERE id = ? <- 2"), qPrintable(lines[1]));
    QCOMPARE(tried->statements[1].rows, 1);
    QVERIFY2(lines[2].startsWith("0 SELECT price FROM products WHERE id = 1"), qPrintable(lines[2]));
    QCOMPARE(lines[3], QString("0 UPDATE products SET price = price + 5: 3 changed"));
    QCOMPARE(lines[4], QString("0 COMMIT not sent"));
    QCOMPARE(lines[5], QString("0 ROLLBACK"));
    QVERIFY(tried->statements[0].ofScript && tried->statements[4].ofScript && !tried->statements[5].ofScript);
    QVERIFY(!tried->statements[1].plan.empty() && !tried->statements[3].plan.empty());
    QVERIFY(tried->rolledBack && !tried->mayKeep);
    QCOMPARE(ask("SELECT sum(price) FROM products"), 21);
    QVERIFY(staysAfterTry(plan, "").empty());
    QVERIFY(!tryScript(plan, agreed(), {.section = "look"}));
    QVERIFY(!tryScript(plan, {}, {})); // nobody agreed to the script
    // What no rollback undoes is never sent, as nobody could be asked about it.
    plan.workload.params.erase(kLuaOptionsParam);
    plan.workload.params[kLuaScriptParam] =
        std::string("function event() sysbench.sql.driver():connect():query('VACUUM') end\n");
    const auto refused = tryScript(plan, agreed(), {});
    QVERIFY2(refused, refused ? "" : refused.error().text().c_str());
    QVERIFY2(refused->problem.find("no rollback undoes") != std::string::npos, refused->problem.c_str());
    QVERIFY(!refused->mayKeep);
}

void TestScriptTry::luaWithoutEnd()
{
    if (!findWorkload(kLuaWorkload))
        QSKIP("built without the interpreter of sysbench's scripts");
    const auto problemOf = [this](const char* event) {
        Plan plan = smallPlan("sqlite:" + m_file.toStdString(), kLuaWorkload);
        plan.workload.params = {{kLuaScriptParam, std::string("function event()\n"
                                                              "   local con = sysbench.sql.driver():connect()\n") +
                                                      event + "\nend\n"}};
        const auto tried = tryScript(plan, agreed(), {});
        if (tried && tried->statements.size() > 900 &&
            !std::ranges::all_of(tried->statements, [](const TriedStatement& one) { return one.plan.empty(); }))
            return std::string("a thousand statements were explained");
        return tried ? tried->problem : tried.error().text();
    };
    const std::string computes = problemOf("while true do end");
    QVERIFY2(computes.find("script.lua:3") != std::string::npos, computes.c_str());
    const std::string sends = problemOf("while true do con:query('UPDATE products SET price = 0') end");
    const std::string stopped = "the try was stopped after 1000 statements and rolled back; the script may loop";
    QCOMPARE(sends, stopped);
    QCOMPARE(problemOf("while true do pcall(con.query, con, 'UPDATE products SET price = 0') end"), stopped);
    // Also where the script goes on to its end.
    QCOMPARE(problemOf("for i = 1, 1100 do pcall(con.query, con, 'UPDATE products SET price = 0') end"), stopped);
    const std::string caught = problemOf("pcall(con.query, con, 'VACUUM') con:query('UPDATE products SET price = 0')");
    QCOMPARE(caught, std::string("the statement may do what no rollback undoes; it was not sent"));
    QCOMPARE(ask("SELECT sum(price) FROM products"), 21);
}

void TestScriptTry::onMariadb()
{
    MariadbFixture server;
    DYNO_START_MARIADB(server);
    const auto admin = server.admin();
    QVERIFY(admin);
    tryOn(server.uri(), **admin, true);
    readsTablesOn(server.uri(), **admin, "INTEGER AUTO_INCREMENT PRIMARY KEY", "`lines`");
}

void TestScriptTry::onPostgresql()
{
    PostgresqlFixture server;
    DYNO_START_POSTGRESQL(server);
    const auto admin = server.admin();
    QVERIFY(admin);
    tryOn(server.uri(), **admin, false);
    readsTablesOn(server.uri(), **admin, "INTEGER GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY", "\"order\"");
}

} // namespace dyno::tst_script_try

DYNO_SUITE(tst_script_try, dyno::tst_script_try::TestScriptTry)
#include "tst_script_try.moc"
