// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of workloads on several targets: the same wherever they are, also where tables are made in ways off the beaten
// track or rows are taken away again; what a server lacks is told before anything is made.
#include "load/preflight/server_features.h"
#include "support/suite.h"
#include "workload_targets.h"

namespace dyno::tst_workload_rows {
using namespace dyno::test;

class TstWorkloadRows : public QObject, test::WorkloadTargets
{
    Q_OBJECT

private slots:
    void initTestCase() { startTargets(); }

    void deletesKeepTheSize()
    {
        for (const char* driver : {"sqlite", "mysql", "postgresql"}) {
            if (!whyMissing(driver).isEmpty())
                continue;
            Bench bench;
            open(bench, driver, "iibench", {{"delete_mode", true}, {"rows_per_commit", std::int64_t(10)}});
            QVERIFY(bench.instance);
            load(bench, 5);
            const auto user = bench.user(bench.instance->statements(), {UserId(0), 1, 5});
            QVERIFY(user);
            for (std::uint64_t i = 0; i < 40; ++i)
                QVERIFY2(user->run(*bench.instance, i) == Outcome::Ok, user->session->lastError().c_str());
            QCOMPARE(*bench.admin->rowCount("purchases_index"), bench.rows);
            QCOMPARE(cell(*bench.admin, "SELECT MIN(transactionid) FROM purchases_index"), std::string("201"));
        }
    }

    void aMissingFeatureIsToldBeforeAnythingIsMade()
    {
        const auto asked = [this](const char* workload, const Settings& params) -> Expected<void> {
            Bench bench;
            open(bench, "mysql", workload, params);
            return bench.instance ? checkFeatures(*bench.admin, probesOf(*bench.instance, driverFor("mysql")->info()))
                                  : fail({ErrorKind::Failed, "no server", {}, {}});
        };
        if (!m_whyNoServer.isEmpty())
            QSKIP(qPrintable(m_whyNoServer));
        const std::vector<std::pair<const char*, const char*>> ways{
            {"fulltext", "table.engine"}, {"oltp_read_write", "table.engine"}, {"oltp_read_write", "storage_engine"}};
        for (const auto& [workload, name] : ways) {
            const auto able = asked(workload, {{name, std::string("Aria")}});
            QVERIFY2(able, able ? "" : able.error().text().c_str());
            const auto missing = asked(workload, {{name, std::string("Mroonga")}});
            QVERIFY(!missing);
            QCOMPARE(missing.error().message, std::string("this server has no storage engine Mroonga"));
        }
    }

    //! The records too, whatever model they are in.
    void sameRecordsInEveryModel()
    {
        std::map<QString, std::string> rows;
        for (const char* driver : {"sqlite", "mysql", "mongodb", "postgresql"}) {
            if (!whyMissing(driver).isEmpty())
                continue;
            Bench bench;
            open(bench, driver, "ycsb", {{"recordcount", std::int64_t(500)}});
            QVERIFY(bench.instance);
            load(bench, 21);
            rows[driver] = contents(*bench.admin, "usertable", bench.model);
            QVERIFY(rows[driver].size() > std::size_t(500 * 1000));
            QVERIFY(rows[driver].find("\nuser6284781860667377211|") != std::string::npos);
            QCOMPARE(rows[driver], rows.begin()->second);
        }
        if (rows.size() < 2)
            QSKIP("there is no other target than SQLite");
    }

    //! The rows are the same whatever the target is.
    void sameRowsOnEveryTarget()
    {
        std::map<QString, std::string> rows;
        for (const char* driver : {"sqlite", "mysql", "mongodb", "postgresql"}) {
            if (!whyMissing(driver).isEmpty())
                continue;
            Bench bench;
            open(bench, driver, "oltp_read_write", {{"table_size", kRows}});
            QVERIFY(bench.instance);
            load(bench, 21);
            rows[driver] = contents(*bench.admin, "sbtest2", bench.model);
            if (QString(driver) == "postgresql") { // it answers CHAR(n) filled up with blanks
                for (std::size_t at = 0; (at = rows[driver].find(" |", at)) != std::string::npos;)
                    rows[driver].erase(at, 1);
            }
        }
        QVERIFY(rows["sqlite"].size() > std::size_t(kRows) * 180);
        for (const auto& [driver, text] : rows)
            QVERIFY2(text == rows["sqlite"], qPrintable(driver));
        if (rows.size() < 2)
            QSKIP("there is no other target than SQLite");
    }

    //! Ways to make tables that are off the beaten track.
    void otherTables_data()
    {
        QTest::addColumn<QString>("driver");
        QTest::addColumn<bool>("autoInc");
        QTest::addColumn<bool>("secondary");
        for (const char* driver : {"sqlite", "mysql", "postgresql"}) {
            QTest::addRow("%s, ids by the client", driver) << driver << false << false;
            QTest::addRow("%s, no primary key", driver) << driver << false << true;
            QTest::addRow("%s, no primary key, ids by the server", driver) << driver << true << true;
        }
    }
    void otherTables()
    {
        QFETCH(QString, driver);
        QFETCH(bool, autoInc);
        QFETCH(bool, secondary);
        for (const QString workload : {"oltp_read_write", "oltp_insert"}) {
            if (workload == "oltp_insert" && driver == "sqlite" && autoInc && secondary)
                continue; // refused by bind()
            Bench bench;
            open(bench, driver, workload, {{"auto_inc", autoInc}, {"secondary", secondary}});
            if (!bench.instance)
                return;
            load(bench, 3);
            checkShape(bench);
            const auto before = *bench.admin->rowCount("sbtest1") + *bench.admin->rowCount("sbtest2");
            const auto user = bench.user(bench.instance->statements(), {UserId(0), 1, 3});
            QVERIFY(user);
            for (std::uint64_t i = 0; i < 50; ++i)
                QVERIFY2(user->run(*bench.instance, i) == Outcome::Ok, user->session->lastError().c_str());
            const auto after = *bench.admin->rowCount("sbtest1") + *bench.admin->rowCount("sbtest2");
            QCOMPARE(after - before, std::int64_t(workload == "oltp_insert" ? 50 : 0));
        }
    }
};

} // namespace dyno::tst_workload_rows

DYNO_SUITE(tst_workload_rows, dyno::tst_workload_rows::TstWorkloadRows)
#include "tst_workload_rows.moc"
