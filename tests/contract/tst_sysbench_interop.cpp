// SPDX-License-Identifier: GPL-3.0-or-later
// With sysbench itself on one MariaDB: its runs on our tables, our transactions on its tables, equal schemas, and equal
// statements in the server's log. Skipped with a message where sysbench or a server is missing.
#include "contract/small_data.h"
#include "contract/sysbench_program.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <dyno/lua_script.h>

#include <QFile>
#include <QRegularExpression>
#include <QTest>

namespace dyno::tst_sysbench_interop {
using dyno::test::complete;
using dyno::test::TestUser;

namespace {

constexpr int kTables = 2;
constexpr int kRows = 1000;

//! A statement without its values, spaces and letter case.
QString shapeOf(QString text)
{
    static const QRegularExpression table("sbtest\\d+"), quoted("'[^']*'"), number("-?\\b\\d+\\b"), space("\\s+");
    return text.replace(table, "sbtestN").replace(quoted, "?").replace(number, "?").replace(space, "").toUpper();
}

} // namespace

class TstSysbenchInterop : public QObject
{
    Q_OBJECT

    //! Fails the test when it does not end well.
    QString sysbench(const QString& script, const QString& command, const QStringList& more)
    {
        return m_sysbench.run(script, command, more);
    }

    std::unique_ptr<TestUser> userOf(const WorkloadInstance& instance, std::string_view workload,
                                     StatementSet statements)
    {
        auto session = driverFor("mysql")->open(m_mariadb.target(std::move(statements)));
        if (!session)
            return nullptr;
        auto user = std::make_unique<TestUser>(std::move(*session), workloadFor(workload)->info().operations.size());
        const Reply reply = complete(test::stepOf(user->context, Request::step(RequestKind::Connect)), user->context);
        (void)instance;
        return reply.outcome == Outcome::Ok ? std::move(user) : nullptr;
    }

    void dropTables()
    {
        for (int i = 1; i <= kTables; ++i)
            QVERIFY(m_admin->drop("sbtest" + std::to_string(i)));
    }

    void prepareByUs(const QString& workload, const Settings& params)
    {
        dropTables();
        const auto instance = test::bind(workload.toStdString(), params, "mysql");
        const auto user = userOf(*instance, workload.toStdString(), instance->loaderStatements());
        QVERIFY(user);
        int number = 0;
        for (const TableSpec& table : instance->tables()) {
            ++number;
            const auto created = m_admin->execute(table.create);
            QVERIFY2(created, created ? "" : created.error().text().c_str());
            if (table.rows > 0) {
                const LoadSlice all{number, 1, table.rows};
                QVERIFY(complete(instance->load(user->context, all), user->context) == Outcome::Ok);
            }
            for (const std::string& after : table.afterLoad)
                QVERIFY(m_admin->execute(after));
        }
    }

    QString showCreate(const std::string& table)
    {
        const auto rows = m_admin->query("SHOW CREATE TABLE " + table);
        if (!rows || rows->empty())
            return rows ? QString("nothing") : QString::fromStdString(rows.error().text());
        static const QRegularExpression counter(" AUTO_INCREMENT=\\d+");
        return QString::fromStdString(rows->front().at(1)).remove(counter);
    }

    //! What the server was asked, from its log; with values as it was, without them only its shape.
    QStringList logged(bool values = false)
    {
        const auto rows = m_admin->query("SELECT argument FROM mysql.general_log WHERE command_type = 'Query' "
                                         "AND argument NOT LIKE '%general_log%' ORDER BY event_time");
        QStringList shapes;
        if (rows) {
            for (const auto& row : *rows)
                shapes << (values ? QString::fromStdString(row.front()).trimmed()
                                  : shapeOf(QString::fromStdString(row.front())));
        }
        return shapes;
    }
    //! Of all rows of a table.
    QString checksum(const std::string& table)
    {
        const auto rows = m_admin->query("CHECKSUM TABLE " + table + " EXTENDED");
        return rows && !rows->empty() ? QString::fromStdString(rows->front().at(1)) : QString("none");
    }
    void setLog(bool on)
    {
        QVERIFY(m_admin->execute("SET GLOBAL log_output = 'TABLE'"));
        QVERIFY(m_admin->execute("TRUNCATE TABLE mysql.general_log"));
        QVERIFY(m_admin->execute(on ? "SET GLOBAL general_log = 1" : "SET GLOBAL general_log = 0"));
    }

    //! The first file with those that it requires.
    std::string scriptOf(const QString& folder, const QStringList& names)
    {
        std::vector<LuaSource> files;
        for (const QString& name : names) {
            QFile file(folder + name + ".lua");
            if (!file.open(QIODevice::ReadOnly))
                QTest::qFail(qPrintable(file.fileName()), __FILE__, __LINE__);
            files.push_back({name.toStdString(), file.readAll().toStdString()});
        }
        return luaScriptText(files);
    }
    //! A user's whole life with a script.
    void does(const std::shared_ptr<const WorkloadInstance>& instance, int events)
    {
        const auto user = userOf(*instance, kLuaWorkload, instance->statements());
        QVERIFY(user);
        for (std::size_t i = 0; i < instance->statements().size(); ++i) {
            const Request prepare = Request::prepare(StatementId(i));
            QVERIFY2(complete(test::stepOf(user->context, prepare), user->context).outcome == Outcome::Ok,
                     user->session->lastError().c_str());
        }
        for (int i = 0; i < events; ++i)
            QVERIFY2(user->run(*instance, std::uint64_t(i)) == Outcome::Ok, user->context.errorText().c_str());
        QVERIFY2(complete(instance->finish(user->context), user->context) == Outcome::Ok,
                 user->context.errorText().c_str());
    }

    test::SysbenchProgram m_sysbench;
    test::MariadbFixture m_mariadb;
    std::unique_ptr<Admin> m_admin;

private slots:
    void initTestCase()
    {
        if (const QString why = test::SysbenchProgram::whyMissing(); !why.isEmpty())
            QSKIP(qPrintable(why));
        // Nothing here is measured, and nothing must outlive a power cut.
        DYNO_START_MARIADB(m_mariadb, {{"innodb_flush_log_at_trx_commit", std::int64_t(0)}});
        auto admin = m_mariadb.admin();
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        m_admin = std::move(*admin);
        m_sysbench.server = {"--mysql-socket=" + QString::fromStdString(m_mariadb.socket()), "--mysql-user=root",
                             "--mysql-db=" + QString::fromStdString(m_mariadb.database())};
    }
    void cleanupTestCase() { m_admin.reset(); }

    void schemasAreEqual_data()
    {
        QTest::addColumn<QString>("params");
        for (const char* params : {"auto_inc=on", "auto_inc=off", "secondary=on", "secondary=on auto_inc=off",
                                   "create_secondary=off", "storage_engine=myisam"})
            QTest::newRow(params) << params;
    }
    void schemasAreEqual()
    {
        QFETCH(QString, params);
        const QString all = params + QString(" tables=%1 table_size=10").arg(kTables);
        dropTables();
        sysbench("oltp_read_write", "prepare", test::sysbenchArguments(all));
        QStringList theirs, ours;
        for (int i = 1; i <= kTables; ++i)
            theirs << showCreate("sbtest" + std::to_string(i));
        prepareByUs("oltp_read_write", test::settingsOf(all));
        for (int i = 1; i <= kTables; ++i)
            ours << showCreate("sbtest" + std::to_string(i));
        QCOMPARE(ours, theirs);
        QVERIFY(ours.front().contains("CREATE TABLE `sbtest1`"));
    }

    void bulkInsertSchemasAreEqual()
    {
        dropTables();
        sysbench("bulk_insert", "prepare", {"--threads=2"});
        const QString theirs = showCreate("sbtest2");
        dropTables();
        for (const TableSpec& table : test::bind("bulk_insert", {}, "mysql")->tablesFor(2))
            QVERIFY(m_admin->execute(table.create));
        QCOMPARE(showCreate("sbtest2"), theirs);
    }

    void insertWithClientIdsBeginsEmptyInBoth()
    {
        dropTables();
        sysbench("oltp_insert", "prepare", {"--auto_inc=off", "--tables=1"});
        const QString theirs = showCreate("sbtest1");
        QCOMPARE(*m_admin->rowCount("sbtest1"), std::int64_t(0));
        prepareByUs("oltp_insert", {{"auto_inc", false}});
        QCOMPARE(showCreate("sbtest1"), theirs);
        QCOMPARE(*m_admin->rowCount("sbtest1"), std::int64_t(0));
    }

    //! Two seconds with four threads, as a person would.
    void sysbenchRunsOnOurTables()
    {
        const QString params = QString("tables=%1 table_size=%2").arg(kTables).arg(kRows);
        prepareByUs("oltp_read_write", test::settingsOf(params));
        const QString output =
            sysbench("oltp_read_write", "run", test::sysbenchArguments(params + " threads=4 time=2"));
        static const QRegularExpression transactions("transactions:\\s+(\\d+)");
        QVERIFY2(transactions.match(output).captured(1).toInt() > 10, qPrintable(output));
        // A delete and an insert each time: as many rows as before.
        for (int i = 1; i <= kTables; ++i)
            QCOMPARE(*m_admin->rowCount("sbtest" + std::to_string(i)), std::int64_t(kRows));
    }

    void bothRunOnEachOthersTables_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<int>("tables");
        for (const char* workload : {"oltp_read_only", "oltp_write_only", "oltp_point_select", "oltp_update_index",
                                     "oltp_update_non_index", "oltp_insert", "oltp_delete"})
            QTest::newRow(workload) << workload << kTables;
        for (const char* workload : {"select_random_points", "select_random_ranges"})
            QTest::newRow(workload) << workload << 1;
    }
    void bothRunOnEachOthersTables()
    {
        QFETCH(QString, workload);
        QFETCH(int, tables);
        const QString params = QString("tables=%1 table_size=%2").arg(tables).arg(kRows);
        prepareByUs(workload, test::settingsOf(params));
        sysbench(workload, "run", test::sysbenchArguments(params + " threads=2 events=100 time=0"));

        dropTables();
        sysbench(workload, "prepare", test::sysbenchArguments(params));
        const auto instance = test::bind(workload.toStdString(), test::settingsOf(params), "mysql");
        for (const TableSpec& table : instance->tables()) {
            const auto columns = m_admin->describe(table.name);
            QVERIFY(columns);
            QCOMPARE(columns->size(), table.columns.size());
            for (std::size_t i = 0; i < columns->size(); ++i)
                QCOMPARE((*columns)[i].name, table.columns[i]);
            QCOMPARE(*m_admin->rowCount(table.name), table.rows);
        }
        const auto user = userOf(*instance, workload.toStdString(), instance->statements());
        QVERIFY(user);
        for (std::uint64_t i = 0; i < 100; ++i)
            QVERIFY2(user->run(*instance, i) == Outcome::Ok, user->session->lastError().c_str());
    }

    //! The installed scripts themselves, made to run by us: tables by prepare with the same rows as sysbench's, and
    //! none after cleanup; with sysbench's seed the same statements with the same values in the same order as text; and
    //! with what they prepare prepared by the server.
    void installedScriptsRun_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<int>("count");
        for (const auto& [script, count] :
             {std::pair("oltp_read_write", 20), std::pair("oltp_read_only", 16), std::pair("oltp_write_only", 6),
              std::pair("oltp_point_select", 1), std::pair("oltp_update_index", 1),
              std::pair("oltp_update_non_index", 1), std::pair("oltp_insert", 1), std::pair("oltp_delete", 1),
              std::pair("select_random_points", 1), std::pair("select_random_ranges", 1), std::pair("bulk_insert", 1)})
            QTest::newRow(script) << script << count;
    }
    void installedScriptsRun()
    {
        if (!workloadFor(kLuaWorkload))
            QSKIP("built without the interpreter of sysbench's scripts");
        QFETCH(QString, script);
        QFETCH(int, count);
        const std::string text = scriptOf("/usr/share/sysbench/", {script, "oltp_common"});
        const bool bulk = script == "bulk_insert"; // keeps its rows for the end
        const std::string sizes = bulk ? "" : "table_size=" + std::to_string(kRows);
        const int events = bulk ? 1 : 3;
        const auto bound = [&](const std::string& command, const std::string& mode) {
            return test::bind(
                kLuaWorkload,
                {{"script", text}, {"options", sizes + " rand-seed=5"}, {"command", command}, {"db_ps_mode", mode}},
                "mysql");
        };
        dropTables();
        sysbench(script, "prepare", test::sysbenchArguments(QString::fromStdString(sizes)));
        const QString rows = checksum("sbtest1");
        dropTables();
        does(bound("prepare", "auto"), 1);
        if (QTest::currentTestFailed())
            return;
        QCOMPARE(*m_admin->rowCount("sbtest1"), std::int64_t(bulk ? 0 : kRows));
        QCOMPARE(checksum("sbtest1"), rows);
        setLog(true);
        sysbench(
            script, "run",
            test::sysbenchArguments(QString::fromStdString(sizes) +
                                    QString(" db-ps-mode=disable events=%1 time=0 threads=1 rand-seed=5").arg(events)));
        QStringList theirs = logged(true);
        if (bulk) // the same row would be there already
            QVERIFY(m_admin->execute("DELETE FROM sbtest1 /* general_log */"));
        setLog(true);
        does(bound("run", "disable"), events);
        QStringList ours = logged(true);
        setLog(false);
        if (QTest::currentTestFailed())
            return;
        for (QStringList* list : {&theirs, &ours})
            list->removeIf([](const QString& text) { return text.startsWith("SET") || text.startsWith("SELECT @@"); });
        QCOMPARE(theirs.size(), count * events);
        QCOMPARE(ours, theirs);
        const auto prepared = bound("run", "auto");
        QCOMPARE(prepared->statements().empty(), script.endsWith("insert"));
        if (bulk)
            QVERIFY(m_admin->execute("DELETE FROM sbtest1"));
        does(prepared, 20);
        if (QTest::currentTestFailed())
            return;
        does(bound("cleanup", "auto"), 1);
        const auto columns = m_admin->describe("sbtest1");
        QVERIFY(columns && columns->empty());
    }

    //! A script in the manner of those for TPC-C, from several files: our tables are good for sysbench, which runs the
    //! same files; both leave data that the script's own check likes.
    void scriptsOfSeveralFilesRun()
    {
        if (!workloadFor(kLuaWorkload))
            QSKIP("built without the interpreter of sysbench's scripts");
        const QString folder = QString(DYNO_TEST_DATA) + "/sysbench/";
        const std::string text = scriptOf(folder, {"orders", "orders_common", "orders_run"});
        const auto bound = [&text](const std::string& command) {
            return test::bind(
                kLuaWorkload,
                {{"script", text}, {"options", std::string("scale=3 tables=2 trx_level=RC")}, {"command", command}},
                "mysql");
        };
        const auto numberOf = [this](const char* query) {
            const auto rows = m_admin->query(query);
            return rows ? QString::fromStdString(rows->front().front()).toDouble() : -1.0;
        };
        does(bound("prepare"), 1);
        if (QTest::currentTestFailed())
            return;
        QCOMPARE(numberOf("SELECT COUNT(*) FROM stock2"), 150.0);
        m_sysbench.folder = folder;
        const QString output =
            sysbench("orders.lua", "run", {"--scale=3", "--tables=2", "--threads=2", "--events=200", "--time=0"});
        m_sysbench.folder.clear();
        QVERIFY2(output.contains("total number of events:              200"), qPrintable(output));
        const double theirs = numberOf("SELECT COUNT(*) FROM orders1"),
                     paid = numberOf("SELECT SUM(d_ytd) FROM district1");
        QVERIFY(theirs > 0 && paid > 0);
        const auto run = bound("run");
        QCOMPARE(run->statements().size(), std::size_t(2)); // one for each set of tables
        does(run, 200);
        if (QTest::currentTestFailed())
            return;
        QVERIFY(numberOf("SELECT COUNT(*) FROM orders1") > theirs);
        QVERIFY(numberOf("SELECT SUM(d_ytd) FROM district1") > paid);
        does(bound("check"), 1);
        QVERIFY(m_admin->execute("DELETE FROM orders2 LIMIT 1"));
        const auto check = bound("check");
        const auto user = userOf(*check, kLuaWorkload, {});
        QVERIFY(user && user->run(*check, 0) != Outcome::Ok);
        const QString why = QString::fromStdString(user->context.errorText());
        QVERIFY2(why.startsWith("orders_common.lua:") && why.contains("and the last one is"), qPrintable(why));
        does(bound("cleanup"), 1);
        const auto columns = m_admin->describe("orders1");
        QVERIFY(columns && columns->empty());
    }

    void statementsAreEqual_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<QString>("params");
        QTest::addColumn<int>("count");
        for (const Workload* workload : builtinWorkloads()) {
            const std::string script = workload->info().id + ".lua"; // its own, not only made like one of its
            if (!workload->info().source.starts_with("sysbench") ||
                workload->info().source.find(script) == std::string::npos)
                continue;
            const QString id = QString::fromStdString(workload->info().id);
            const int count = id == "oltp_read_write"   ? 20
                              : id == "oltp_read_only"  ? 16
                              : id == "oltp_write_only" ? 6
                                                        : 1;
            QTest::newRow(workload->info().id.c_str()) << id << "" << count;
        }
        QTest::newRow("read/write, other counts")
            << "oltp_read_write"
            << "point_selects=2 simple_ranges=3 sum_ranges=0 distinct_ranges=2 index_updates=2 delete_inserts=3" << 19;
        QTest::newRow("read/write, no transaction") << "oltp_read_write"
                                                    << "skip_trx=on range_selects=off" << 14;
        QTest::newRow("insert, ids by the client") << "oltp_insert"
                                                   << "auto_inc=off" << 1;
        QTest::newRow("points") << "select_random_points"
                                << "random_points=3" << 1;
        QTest::newRow("ranges") << "select_random_ranges"
                                << "number_of_ranges=4" << 1;
    }
    //! One transaction each, sent as text: the server's log holds the same statements in the same order.
    void statementsAreEqual()
    {
        QFETCH(QString, workload);
        QFETCH(QString, params);
        QFETCH(int, count);
        const bool bulk = workload == "bulk_insert";
        dropTables();
        const QString sizes = bulk ? QString() : QString(" table_size=%1").arg(kRows);
        sysbench(workload, "prepare", test::sysbenchArguments(params + sizes));
        const auto instance = test::bind(workload.toStdString(), test::settingsOf(params + sizes), "mysql");
        setLog(true);
        sysbench(workload, "run",
                 test::sysbenchArguments(params + sizes + " db-ps-mode=disable events=1 time=0 threads=1"));
        QStringList theirs = logged();
        setLog(true);
        TestUser user(
            std::move(*driverFor("mysql")->open(m_mariadb.target(instance->statements(), {{"protocol", "text"}}))),
            workloadFor(workload.toStdString())->info().operations.size());
        QVERIFY(complete(test::stepOf(user.context, Request::step(RequestKind::Connect)), user.context).outcome ==
                Outcome::Ok);
        if (bulk) // the same row would be there already
            QVERIFY(m_admin->execute("DELETE FROM sbtest1 /* general_log */"));
        QVERIFY2(user.run(*instance, 0) == Outcome::Ok, user.session->lastError().c_str());
        QVERIFY(complete(instance->finish(user.context), user.context) == Outcome::Ok);
        QStringList ours = logged();
        setLog(false);
        for (QStringList* list : {&theirs, &ours}) {
            // What the client libraries say when they connect.
            list->removeIf([](const QString& text) { return text.startsWith("SET") || text.startsWith("SELECT@@"); });
        }
        QCOMPARE(theirs.size(), count);
        QCOMPARE(ours, theirs);
    }
};

} // namespace dyno::tst_sysbench_interop

DYNO_SUITE(tst_sysbench_interop, dyno::tst_sysbench_interop::TstSysbenchInterop)
#include "tst_sysbench_interop.moc"
