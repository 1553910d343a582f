// SPDX-License-Identifier: GPL-3.0-or-later
// What a workload says its data will take on disk, against what a real load or run takes: within a factor of 1.5.
#include "engine/recording_sink.h"
#include "load/dataset.h"
#include "plan/plan_order.h"
#include "support/mariadb_fixture.h"
#include "support/workload_harness.h"

#include <QTemporaryDir>
#include <QTest>

using namespace dyno;
using namespace dyno::test;

Q_DECLARE_METATYPE(dyno::Settings)

class TstDataSize : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    MariadbFixture m_mariadb;

    //! The first step loads, and the next one makes the index.
    static void makeByStep(const ConnectTarget& target, const std::string& driver, const WorkloadInstance& instance)
    {
        auto session = driverFor(driver)->open(std::make_shared<const ConnectTarget>(target));
        QVERIFY(session);
        TestUser user(std::move(*session), 16, {UserId(0), 1, 11});
        QVERIFY(complete(stepOf(user.context, Request::step(RequestKind::Connect)), user.context).outcome == Outcome::Ok);
        for (std::uint64_t step : {0, 1})
            QVERIFY2(user.run(instance, step) == Outcome::Ok, user.session->lastError().c_str());
    }

private slots:
    void initTestCase()
    {
        const Settings quick {{"innodb_flush_log_at_trx_commit", std::int64_t(0)}}; // nothing must outlive a power cut
        DYNO_START_MARIADB(m_mariadb, quick);
    }

    void asEstimated_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<Settings>("params");
        const std::pair<const char*, std::pair<const char*, Settings>> sets[] = {
            {"sysbench's tables", {"oltp_read_write", {{"table_size", std::int64_t(60000)}}}},
            {"without the index", {"oltp_read_only", {{"table_size", std::int64_t(60000)}, {"create_secondary", false}}}},
            {"ycsb", {"ycsb", {{"recordcount", std::int64_t(20000)}}}},
            {"iibench", {"iibench", {{"initial_rows", std::int64_t(100000)}}}},
            {"iibench, large rows", {"iibench", {{"form", std::string("mongodb")}, {"initial_rows", std::int64_t(1500)}}}},
            {"iibench, narrow rows", {"iibench", {{"form", std::string("purchases")}, {"initial_rows", std::int64_t(100000)}}}},
            {"linkbench", {"linkbench", {{"nodes", std::int64_t(20000)}}}},
            {"brokerage", {"brokerage", {{"customers", std::int64_t(2000)}, {"days", std::int64_t(100)}, {"trades_per_day", std::int64_t(10)}}}},
            {"tpcb", {"tpcb", {}}},
            {"tpcc", {"tpcc", {{"customers", std::int64_t(500)}, {"items", std::int64_t(20000)}}}},
            {"sensordata", {"sensordata", {{"initial_rows", std::int64_t(100000)}}}},
            {"sensordata, by time", {"sensordata", {{"key", std::string("time")}, {"initial_rows", std::int64_t(100000)}}}},
            {"sensordata, small numbers", {"sensordata", {{"values", std::string("pareto")}, {"initial_rows", std::int64_t(100000)}}}},
            {"large values", {"large_values", {{"rows", std::int64_t(800)}}}},
            {"short values", {"large_values", {{"rows", std::int64_t(5000)}, {"size_distribution", std::string("constant")},
                                               {"size", std::int64_t(2100)}}}},
            {"very large values", {"large_values", {{"rows", std::int64_t(300)}, {"size_distribution", std::string("uniform")},
                                                    {"size_max", std::int64_t(100000)}}}},
            {"full text", {"fulltext", {{"documents", std::int64_t(10000)}}}},
            {"full text, pages", {"fulltext", {{"shape", std::string("seo")}, {"documents", std::int64_t(1500)}}}},
        };
        for (const auto& [name, set] : sets) {
            for (const char* driver : {"sqlite", "mysql"})
                QTest::addRow("%s, %s", driver, name) << QString(set.first) << set.second;
        }
    }

    void asEstimated()
    {
        QFETCH(QString, workload);
        QFETCH(Settings, params);
        const std::string driver = QByteArray(QTest::currentDataTag()).startsWith("sqlite") ? "sqlite" : "mysql";
        const std::string file = m_dir.filePath(QString::number(qHash(QByteArray(QTest::currentDataTag()))) + ".db").toStdString();
        const auto uri = parseUri(driver == "sqlite" ? "sqlite:" + file : m_mariadb.uriText());
        QVERIFY(uri);
        ConnectTarget target;
        target.uri = *uri;
        Faults faults;
        target.connection = resolve(driverFor(driver)->info().connection,
                                    driver == "sqlite" ? Settings {{"synchronous", std::string("OFF")}} : Settings(), "connection", faults);
        auto admin = driverFor(driver)->admin(target);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto instance = test::bind(workload.toStdString(), params, driver);
        std::vector<std::string> warnings;
        const DatasetJob job {.driver = *driverFor(driver), .admin = **admin, .target = target, .workload = *instance,
                              .policy = PreparePolicy::Always, .seed = 11};
        const std::uint64_t before = (*admin)->dataBytes();
        const auto loaded = ensureDataset(job, {}, warnings);
        QVERIFY2(loaded, loaded ? "" : loaded.error().text().c_str());
        if (!instance->steps().empty())
            makeByStep(target, driver, *instance);
        const double bytes = double((*admin)->dataBytes() - before), estimated = double(instance->estimatedBytes());
        for (const TableSpec& table : instance->tables())
            QVERIFY((*admin)->execute("DROP TABLE " + table.name));
        QVERIFY2(bytes > 1e6 && estimated > bytes / 1.5 && estimated < bytes * 1.5,
                 qPrintable(QStringLiteral("estimated %1 MiB, really %2 MiB").arg(estimated / 1048576).arg(bytes / 1048576)));
    }

    //! Of runs that end after a number of rows or transactions.
    void growsAsEstimated_data()
    {
        QTest::addColumn<QString>("workload");
        QTest::addColumn<Settings>("params");
        for (const char* driver : {"sqlite", "mysql"}) {
            QTest::addRow("%s, bulk insert", driver) << "bulk_insert" << Settings();
            QTest::addRow("%s, iibench", driver) << "iibench" << Settings {{"rows_per_commit", std::int64_t(1000)}};
            QTest::addRow("%s, sensordata", driver) << "sensordata" << Settings();
            QTest::addRow("%s, sensordata by time", driver) << "sensordata" << Settings {{"key", std::string("time")}};
        }
    }

    void growsAsEstimated()
    {
        QFETCH(QString, workload);
        QFETCH(Settings, params);
        const std::string driver = QByteArray(QTest::currentDataTag()).startsWith("sqlite") ? "sqlite" : "mysql";
        const std::string file = m_dir.filePath(QString("grows %1.db").arg(qHash(QByteArray(QTest::currentDataTag())))).toStdString();
        const std::string uri = driver == "sqlite" ? "sqlite:" + file : m_mariadb.uriText();
        ConnectTarget target;
        target.uri = *parseUri(uri);
        auto admin = driverFor(driver)->admin(target);
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const std::uint64_t before = (*admin)->dataBytes();
        Plan plan = smallPlan(uri, workload.toStdString());
        plan.workload.params = params;
        plan.load.users = {1};
        plan.load.timeSeconds = 0;
        if (workload == "bulk_insert")
            plan.load.events = 1'000'000;
        else
            plan.load.rows = 250'000;
        if (driver == "sqlite")
            plan.set["connection.synchronous"] = std::string("OFF");
        RecordingSink sink;
        runPlan(plan, {}, sink);
        QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
        const auto instance = test::bind(workload.toStdString(), params, driver);
        const double bytes = double((*admin)->dataBytes() - before), estimated = double(estimatedBytes(*instance, plan.load));
        for (const TableSpec& table : instance->tablesFor(1))
            QVERIFY((*admin)->execute("DROP TABLE " + table.name));
        QVERIFY2(bytes > 1e6 && estimated > bytes / 1.5 && estimated < bytes * 1.5,
                 qPrintable(QStringLiteral("estimated %1 MiB, really %2 MiB").arg(estimated / 1048576).arg(bytes / 1048576)));
    }
};

QTEST_GUILESS_MAIN(TstDataSize)
#include "tst_data_size.moc"
