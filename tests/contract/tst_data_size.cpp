// SPDX-License-Identifier: GPL-3.0-or-later
// What a workload says its data will take on disk, against what a real load or run takes: within a factor of 1.5.
#include "engine/recording_sink.h"
#include "load/data/dataset.h"
#include "plan/plan_order.h"
#include "support/long_form.h"
#include "support/mariadb_fixture.h"
#include "support/postgresql_fixture.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace dyno::tst_data_size {
using namespace dyno::test;

namespace {

constexpr std::int64_t kRows = 120'000; //!< that a run inserts

} // namespace

class TstDataSize : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    MariadbFixture m_mariadb;
    PostgresqlFixture m_postgresql;
    std::string m_whyNoPostgresql;

    //! The driver that a row of a test is of.
    static std::string driverOfRow()
    {
        const QByteArray name = QTest::currentDataTag();
        return name.left(name.indexOf(',')).toStdString();
    }
    [[nodiscard]] std::string uriOf(const std::string& driver, const std::string& file) const
    {
        return driver == "sqlite"       ? "sqlite:" + file
               : driver == "postgresql" ? m_postgresql.uriText()
                                        : m_mariadb.uriText();
    }

    //! The first step loads, and the next one makes the index.
    static void makeByStep(const ConnectTarget& target, const std::string& driver, const WorkloadInstance& instance)
    {
        auto session = driverFor(driver)->open(std::make_shared<const ConnectTarget>(target));
        QVERIFY(session);
        TestUser user(std::move(*session), 16, {UserId(0), 1, 11});
        QVERIFY(complete(stepOf(user.context, Request::step(RequestKind::Connect)), user.context).outcome ==
                Outcome::Ok);
        for (std::uint64_t step : {0, 1})
            QVERIFY2(user.run(instance, step) == Outcome::Ok, user.session->lastError().c_str());
    }

private slots:
    void initTestCase()
    {
        const Settings quick{{"innodb_flush_log_at_trx_commit", std::int64_t(0)}}; // nothing must outlive a power cut
        DYNO_START_MARIADB(m_mariadb, quick);
        m_whyNoPostgresql = PostgresqlFixture::whyMissing();
        if (!m_whyNoPostgresql.empty())
            return;
        // Nothing but what a test does changes a table.
        const auto started = m_postgresql.start({.settings = {"autovacuum=off"}});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
    }

    void asEstimated_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<Settings>("params");
        using Sets = std::vector<std::pair<const char*, std::pair<const char*, Settings>>>;
        Sets sets = {
            {"sysbench's tables", {"oltp_read_write", {{"table_size", std::int64_t(60000)}}}},
            {"ycsb", {"ycsb", {{"recordcount", std::int64_t(20000)}}}},
            {"iibench", {"iibench", {{"initial_rows", std::int64_t(100000)}}}},
            {"linkbench", {"linkbench", {{"nodes", std::int64_t(20000)}}}},
            {"brokerage",
             {"brokerage",
              {{"customers", std::int64_t(2000)}, {"days", std::int64_t(100)}, {"trades_per_day", std::int64_t(10)}}}},
            {"tpcb", {"tpcb", {}}},
            {"random transaction", {"randomtransaction", {{"keys", std::int64_t(30000)}}}},
            {"tpcc", {"tpcc", {{"customers", std::int64_t(500)}, {"items", std::int64_t(20000)}}}},
            {"sensordata", {"sensordata", {{"initial_rows", std::int64_t(100000)}}}},
            {"large values", {"large_values", {{"rows", std::int64_t(800)}}}},
            {"full text", {"fulltext", {{"documents", std::int64_t(10000)}}}},
        };
        const Sets variants = {
            {"brokerage, full",
             {"brokerage",
              {{"model", std::string("full")},
               {"customers", std::int64_t(2000)},
               {"days", std::int64_t(100)},
               {"trades_per_day", std::int64_t(10)}}}},
            {"several values of a row",
             {"large_values",
              {{"rows", std::int64_t(500)},
               {"values", std::int64_t(2)},
               {"size_distribution", std::string("constant")},
               {"size", std::int64_t(7000)}}}},
            {"without the index",
             {"oltp_read_only", {{"table_size", std::int64_t(60000)}, {"create_secondary", false}}}},
            {"iibench, large rows",
             {"iibench", {{"form", std::string("mongodb")}, {"initial_rows", std::int64_t(1500)}}}},
            {"iibench, narrow rows",
             {"iibench", {{"form", std::string("purchases")}, {"initial_rows", std::int64_t(100000)}}}},
            {"sensordata, by time",
             {"sensordata", {{"key", std::string("time")}, {"initial_rows", std::int64_t(100000)}}}},
            {"sensordata, small numbers",
             {"sensordata", {{"values", std::string("pareto")}, {"initial_rows", std::int64_t(100000)}}}},
            {"short values",
             {"large_values",
              {{"rows", std::int64_t(5000)},
               {"size_distribution", std::string("constant")},
               {"size", std::int64_t(2100)}}}},
            {"very large values",
             {"large_values",
              {{"rows", std::int64_t(300)},
               {"size_distribution", std::string("uniform")},
               {"size_max", std::int64_t(100000)}}}},
            {"full text, pages", {"fulltext", {{"shape", std::string("seo")}, {"documents", std::int64_t(1500)}}}},
        };
        if (longForm())
            sets.insert(sets.end(), variants.begin(), variants.end());
        for (const auto& [name, set] : sets) {
            for (const char* driver : {"sqlite", "mysql", "postgresql"})
                QTest::addRow("%s, %s", driver, name) << QString(set.first) << set.second;
        }
    }

    void asEstimated()
    {
        QFETCH(QString, workload);
        QFETCH(Settings, params);
        const std::string driver = driverOfRow();
        if (driver == "postgresql" && !m_whyNoPostgresql.empty())
            QSKIP(m_whyNoPostgresql.c_str());
        const std::string file =
            m_dir.filePath(QString::number(qHash(QByteArray(QTest::currentDataTag()))) + ".db").toStdString();
        const auto uri = parseUri(uriOf(driver, file));
        QVERIFY(uri);
        ConnectTarget target;
        target.uri = *uri;
        Faults faults;
        target.connection = resolve(driverFor(driver)->info().connection,
                                    driver == "sqlite" ? Settings{{"synchronous", std::string("OFF")}} : Settings(),
                                    "connection", faults);
        auto admin = driverFor(driver)->admin(target);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto instance = test::bind(workload.toStdString(), params, driver);
        std::vector<std::string> warnings;
        const DatasetJob job{.driver = *driverFor(driver),
                             .admin = **admin,
                             .target = target,
                             .workload = *instance,
                             .policy = PreparePolicy::Always,
                             .seed = 11};
        const std::uint64_t before = (*admin)->dataBytes({});
        const auto loaded = ensureDataset(job, {}, warnings);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        if (!instance->steps().empty())
            makeByStep(target, driver, *instance);
        const double bytes = double((*admin)->dataBytes({}) - before), estimated = double(instance->estimatedBytes());
        for (const TableSpec& table : instance->tables())
            QVERIFY((*admin)->execute("DROP TABLE " + table.name));
        qInfo("%.2f MiB of %.2f", bytes / 1048576, estimated / 1048576);
        QVERIFY2(bytes > 1e6 && estimated > bytes / 1.5 && estimated < bytes * 1.5,
                 qPrintable(
                     QStringLiteral("estimated %1 MiB, really %2 MiB").arg(estimated / 1048576).arg(bytes / 1048576)));
    }

    //! What the load writes is one thing, the copies of a run are another: two in a server; in SQLite one, and twice
    //! the file with both tables while it is rebuilt. ("In other words, … as much as twice the size":
    //! sqlite.org/lang_vacuum.html)
    void copiesAreNotLoaded()
    {
        const Settings params{{"table_size", std::int64_t(100'000)}};
        for (const auto& [driver, copies] : {std::pair("mysql", 2u), std::pair("sqlite", 5u)}) {
            const auto changes = test::bind("oltp_ddl", params, driver),
                       reads = test::bind("oltp_point_select", params, driver);
            QCOMPARE(changes->estimatedBytes(), reads->estimatedBytes());
            QCOMPARE(changes->scratchBytes(), copies * reads->estimatedBytes());
            QCOMPARE(reads->scratchBytes(), std::uint64_t(0));
        }
    }

    //! ANALYZE TABLE answers with a row that says Error, and the statement is Ok all the same.
    void anErrorInTheAnswerFailsTheStep()
    {
        const auto instance =
            test::bind("oltp_ddl", {{"table_size", std::int64_t(10)}, {"rounds", std::int64_t(1)}}, "mysql");
        ConnectTarget target = *m_mariadb.target();
        target.statements = instance->statements();
        auto session = driverFor("mysql")->open(std::make_shared<const ConnectTarget>(target));
        QVERIFY(session);
        TestUser user(std::move(*session), 16, {UserId(0), 1, 11});
        QVERIFY(complete(stepOf(user.context, Request::step(RequestKind::Connect)), user.context).outcome ==
                Outcome::Ok);
        constexpr std::uint64_t kAnalyze = 4;
        QVERIFY(user.run(*instance, kAnalyze) == Outcome::Rejected); // of a copy that is not there
        const std::string text = user.context.errorText();
        QVERIFY2(text.find("dynobench_copy' doesn't exist") != std::string::npos, text.c_str());
        QVERIFY(complete(stepOf(user.context, Request::sql("CREATE TABLE dynobench_copy (id INT PRIMARY KEY)")),
                         user.context)
                    .outcome == Outcome::Ok);
        QVERIFY(user.run(*instance, kAnalyze) == Outcome::Ok);
        QVERIFY(complete(stepOf(user.context, Request::sql("DROP TABLE dynobench_copy")), user.context).outcome ==
                Outcome::Ok);
    }

    //! Of runs that end after a number of rows or transactions.
    void growsAsEstimated_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<Settings>("params");
        QTest::addColumn<int>("transactions"); // 0: kRows
        QTest::addColumn<int>("grown");        // tables for which InnoDB begins to reserve extents
        const auto number = [](std::int64_t value) { return Value(value); };
        Settings nodes{{"nodes", number(1000)}};
        for (const char* request : {"add_link", "delete_link", "update_link", "count_links", "get_links",
                                    "get_link_list", "update_node", "delete_node", "get_node"})
            nodes.emplace(std::string(request) + "_percent", 0.0);
        const Settings accounts{{"accounts_per_branch", number(1000)}, {"script", std::string("simple-update")}};
        struct Row
        {
            const char *name, *workload;
            Settings params;
            int transactions, grown;
            bool onServer = true, always = true; //!< always: in the short form too
            bool inserts = false;                //!< nothing else: rows that change take room until a vacuum
        };
        const Row rows[] = {
            {"bulk insert", "bulk_insert", {}, 400'000, 1, true, true, true},
            {"iibench", "iibench", {{"rows_per_commit", number(1000)}}, 0, 1, true, true, true},
            {"sensordata", "sensordata", {}, 0, 1, true, true, true},
            {"sensordata by time", "sensordata", {{"key", std::string("time")}}, 0, 1, true, false},
            {"insert", "oltp_insert", {{"table_size", number(100)}}, 30000, 1, true, true, true},
            {"insert anywhere", "oltp_insert", {{"auto_inc", false}}, 30000, 1, true, false},
            {"tpcb", "tpcb", {{"accounts_per_branch", number(1000)}}, 60000, 1, true, false},
            {"tpcb without tellers", "tpcb", accounts, 60000, 1, false, false},
            {"tpcc", "tpcc", {{"customers", number(300)}, {"items", number(1000)}}, 6000, 3},
            {"brokerage", "brokerage", {{"customers", number(1000)}, {"days", number(10)}}, 120'000, 1, true, false},
            {"brokerage, full",
             "brokerage",
             {{"model", std::string("full")}, {"customers", number(1000)}, {"days", number(10)}},
             30'000,
             1,
             true,
             false},
            {"large values", "large_values", {{"rows", number(50)}, {"insert", number(20)}}, 4000, 1},
            {"linkbench", "linkbench", {{"nodes", number(20000)}}, 100'000, 0, false, false}, // its tables have room
                                                                                              // enough in InnoDB
            {"linkbench, nodes", "linkbench", nodes, 20000, 1},
            {"linkbench's load",
             "linkbench",
             {{"nodes", number(20000)}, {"phase", std::string("load")}},
             113,
             3,
             true,
             true,
             true}, // the whole graph
        };
        for (const Row& row : rows) {
            for (const char* driver : {"sqlite", "mysql", "postgresql"}) {
                if (QByteArray(driver) == "postgresql" && !row.inserts)
                    continue;
                const bool server = QByteArray(driver) != "sqlite", slow = server && QByteArray(row.workload) == "tpcc";
                if ((row.onServer || !server) && ((row.always && !slow) || longForm()))
                    QTest::addRow("%s, %s", driver, row.name)
                        << QString(row.workload) << row.params << row.transactions << row.grown;
            }
        }
    }

    //! Without what is free in the files: a short run would be lost in it.
    static double inUse(Admin& admin, const std::string& driver)
    {
        if (driver != "mysql")
            return double(admin.dataBytes({}));
        const auto free = admin.query(
            "SELECT COALESCE(SUM(DATA_FREE), 0) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()");
        return free ? double(admin.dataBytes({})) - std::stod(free->at(0).at(0)) : 0;
    }

    void growsAsEstimated()
    {
        QFETCH(QString, workload);
        QFETCH(Settings, params);
        QFETCH(int, transactions);
        QFETCH(int, grown);
        const std::string driver = driverOfRow();
        if (driver == "postgresql" && !m_whyNoPostgresql.empty())
            QSKIP(m_whyNoPostgresql.c_str());
        const std::string file =
            m_dir.filePath(QString("grows %1.db").arg(qHash(QByteArray(QTest::currentDataTag())))).toStdString();
        const std::string uri = uriOf(driver, file);
        ConnectTarget target;
        target.uri = *parseUri(uri);
        Faults faults;
        target.connection = resolve(driverFor(driver)->info().connection,
                                    driver == "sqlite" ? Settings{{"synchronous", std::string("OFF")}} : Settings(),
                                    "connection", faults);
        auto admin = driverFor(driver)->admin(target);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        Plan plan = smallPlan(uri, workload.toStdString());
        plan.workload.params = params;
        plan.workload.prepare = PreparePolicy::Use;
        plan.load.users = {1};
        plan.load.timeSeconds = 0;
        if (transactions > 0)
            plan.load.events = transactions;
        else
            plan.load.rows = kRows;
        if (driver == "sqlite")
            plan.set["connection.synchronous"] = std::string("OFF");
        const auto instance = test::bind(workload.toStdString(), params, driver);
        std::vector<std::string> warnings;
        const DatasetJob job{.driver = *driverFor(driver),
                             .admin = **admin,
                             .target = target,
                             .workload = *instance,
                             .policy = PreparePolicy::Always,
                             .seed = std::uint64_t(plan.load.seed)};
        const auto loaded = ensureDataset(job, {}, warnings);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        const double before = inUse(**admin, driver);
        RecordingSink sink;
        RunnerOptions options;
        options.consent.allow("target.uri"); // the tables carry no note
        runPlan(plan, options, sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        const double bytes = inUse(**admin, driver) - before;
        for (const TableSpec& table : instance->tablesFor(1))
            QVERIFY((*admin)->execute("DROP TABLE " + table.name));
        const std::vector<TableSpec> tables = instance->tables();
        const bool loads = std::ranges::any_of(tables, [](const TableSpec& table) { return table.rows > 0; });
        const double estimated =
            double(estimatedBytes(*instance, plan.load) - (loads ? instance->estimatedBytes() : 0));
        const RunSummary& run = sink.summaries.at(0);
        const double rows = double(run.rows) / double(run.transactions), said = instance->growth().rowsPerTransaction;
        qInfo("%.2f MiB of %.2f, %.4f rows of %.4f", bytes / 1048576, estimated / 1048576, rows, said);
        QVERIFY2(said > rows / 1.1 && said < rows * 1.1,
                 qPrintable(QStringLiteral("said %1 rows a transaction, really %2").arg(said).arg(rows)));
        const double reserved =
            driver == "mysql" ? grown * 4 * 1048576.0 : 0; // four extents, once a table is larger than a few
        QVERIFY2(bytes - reserved > 1e6 && estimated > (bytes - reserved) / 1.5 && estimated < bytes * 1.5,
                 qPrintable(
                     QStringLiteral("estimated %1 MiB, really %2 MiB").arg(estimated / 1048576).arg(bytes / 1048576)));
    }
};

} // namespace dyno::tst_data_size

DYNO_SUITE(tst_data_size, dyno::tst_data_size::TstDataSize)
#include "tst_data_size.moc"
