// SPDX-License-Identifier: GPL-3.0-or-later
// Loads that are cut: the process killed or interrupted in the middle, and a disk that fills up. Loading again makes
// the data whole, and their conditions hold.
#include "support/dyno_process.h"
#include "support/frozen.h"
#include "support/long_form.h"
#include "support/mariadb_fixture.h"
#include "support/small_disk.h"
#include "support/workload_harness.h"

#include <QCoreApplication>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <optional>

namespace dyno::tst_load_faults {
using namespace dyno::test;

namespace {

const QStringList kData{"--workload", "tpcc", "--param", "customers=1000", "--param", "items=5000"};

std::string g_forbidden; //!< why nothing can be mounted here
constexpr std::size_t kMiB = 1024 * 1024;

//! The process that fills a data folder below `folder`; 0 when there is none.
pid_t installerBelow(const QString& folder)
{
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile file("/proc/" + name + "/cmdline");
        if (name.toInt() <= 1 || !file.open(QIODevice::ReadOnly))
            continue;
        const QByteArray command = file.readAll();
        if (command.contains("--bootstrap") && command.contains(folder.toUtf8()))
            return name.toInt();
    }
    return 0;
}

} // namespace

class TstLoadFaults : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    MariadbFixture m_mariadb;

private slots:
    void initTestCase() { QVERIFY(m_dir.isValid()); }

    void cutInTheMiddle_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("killed") << SIGKILL;
        QTest::newRow("interrupted") << SIGINT;
    }
    void cutInTheMiddle()
    {
        QFETCH(int, signal);
        DYNO_START_MARIADB(m_mariadb, {{"innodb_flush_log_at_trx_commit", std::int64_t(0)}});
        auto admin = m_mariadb.admin();
        QVERIFY(admin);
        const QStringList target = QStringList{"--target", QString::fromStdString(m_mariadb.uriText())} + kData;
        const std::vector<TableSpec> tables =
            test::bind("tpcc", {{"customers", std::int64_t(1000)}, {"items", std::int64_t(5000)}}, "mysql")->tables();

        QProcess load;
        prepareDyno(load, m_dir, QStringList{"prepare"} + target);
        load.start();
        const auto begun = [&] {
            const auto rows = (*admin)->query("SELECT 1 FROM order_line LIMIT 1");
            return rows && !rows->empty();
        };
        QTRY_VERIFY2_WITH_TIMEOUT(begun() || load.state() == QProcess::NotRunning, "nothing was loaded", 120'000);
        QVERIFY(signalTo(load, signal));
        QVERIFY(load.waitForFinished(120'000));
        const QString said = QString::fromUtf8(load.readAllStandardError());
        auto unfinished = (*admin)->unfinishedLoads();
        QVERIFY(unfinished);
        const bool known = std::ranges::find(*unfinished, "stock") != unfinished->end();
        QCOMPARE(known, signal == SIGKILL); // else it has taken away what is not whole
        if (signal == SIGINT) {
            QCOMPARE(load.exitStatus(), QProcess::NormalExit);
            QVERIFY2(said.contains("the incomplete tables were removed"), qPrintable(said));
            QVERIFY((*admin)->describe("stock")->empty());
        } else {
            const DynoResult run = runDyno(m_dir, QStringList{"run", "--time", "0.1", "--existing", "use"} + target);
            QVERIFY2(run.code != 0 && (run.out + run.err).contains("incomplete: its load was interrupted"),
                     qPrintable(run.out + run.err));
            const DynoResult half = runDyno(m_dir, QStringList{"check-data"} + target);
            QVERIFY2(half.code != 0 && half.err.contains("incomplete: its load was interrupted"),
                     qPrintable(half.out + half.err));
        }

        const DynoResult again = runDyno(m_dir, QStringList{"prepare"} + target);
        QVERIFY2(again.code == 0, qPrintable(again.err));
        QCOMPARE(again.err.contains("stock was incomplete, because its load was interrupted, and was loaded again"),
                 known);
        for (const TableSpec& table : tables)
            QCOMPARE((*admin)->rowCount(table.name).value_or(-1), table.rows);
        QVERIFY((*admin)->unfinishedLoads()->empty());
        const DynoResult check = runDyno(m_dir, QStringList{"check-data"} + target);
        QVERIFY2(check.code == 0, qPrintable(check.out + check.err));
        QVERIFY(runDyno(m_dir, QStringList{"cleanup"} + target).code == 0);
    }

    //! A server that answers nothing any more and is not gone: one Ctrl-C is enough.
    void aFrozenServer()
    {
        if (!MariadbFixture::whyMissing(true).empty())
            QSKIP(MariadbFixture::whyMissing(true).c_str());
        DYNO_START_MARIADB(m_mariadb, {{"innodb_flush_log_at_trx_commit", std::int64_t(0)}});
        if (!m_mariadb.managed())
            QSKIP("somebody else's server is not frozen");
        auto admin = m_mariadb.admin();
        QVERIFY(admin);
        const QStringList target{"--target",   QString::fromStdString(m_mariadb.uriText()),
                                 "--workload", "tpcc",
                                 "--param",    "customers=3000",
                                 "--param",    "items=100000"}; // long enough to be met in the middle
        QProcess load;
        prepareDyno(load, m_dir, QStringList{"prepare"} + target);
        load.start();
        const auto begun = [&] {
            const auto rows = (*admin)->query("SELECT 1 FROM order_line LIMIT 1");
            return rows && !rows->empty();
        };
        QTRY_VERIFY2_WITH_TIMEOUT(begun() || load.state() == QProcess::NotRunning, "nothing was loaded", 120'000);
        Frozen frozen(m_mariadb.managed()->process());
        QVERIFY(frozen.holds());
        QVERIFY2(signalTo(load, SIGINT), "the load ended before the server was frozen");
        const bool ended = load.waitForFinished(200'000); // it would wait for as long as the server is frozen
        frozen.thaw();
        QVERIFY2(ended, "it still waits for the server");
        QCOMPARE(load.exitStatus(), QProcess::NormalExit);
        QCOMPARE(load.exitCode(), 130);
        const QString said = QString::fromUtf8(load.readAllStandardError());
        QVERIFY2(said.contains("the next load replaces them"), qPrintable(said));

        QStringList smaller = target;
        smaller.replaceInStrings("customers=3000", "customers=30").replaceInStrings("items=100000", "items=100");
        const DynoResult again = runDyno(m_dir, QStringList{"prepare"} + smaller);
        QVERIFY2(again.code == 0, qPrintable(again.err));
        QVERIFY((*admin)->unfinishedLoads()->empty());
        QVERIFY(runDyno(m_dir, QStringList{"cleanup"} + smaller).code == 0);
    }

    //! Nor does a data folder that is being made: one Ctrl-C, and the next run makes it anew.
    void aFrozenInstaller()
    {
        if (!MariadbFixture::whyMissing(true).empty())
            QSKIP(MariadbFixture::whyMissing(true).c_str());
        QString fresh;
        const auto prepare = [&](QProcess& process) {
            prepareDyno(process, m_dir,
                        {"run", "--target", "managed:mariadb", "--workload", "oltp_point_select", "--param",
                         "table_size=100", "--time", "0.1", "--quiet"});
            QProcessEnvironment environment = process.processEnvironment();
            environment.insert("XDG_DATA_HOME", fresh); // without the data folders of other tests
            process.setProcessEnvironment(environment);
        };
        // The installer may end before it is stopped: then it is tried again with data that is not there yet.
        constexpr int kAttempts = 5;
        std::optional<QProcess> tried;
        std::optional<Frozen> frozen;
        bool seen = false;
        for (int attempt = 0; attempt < kAttempts && !frozen; ++attempt) {
            fresh = m_dir.filePath(QString("fresh%1").arg(attempt));
            prepare(tried.emplace());
            tried->start();
            pid_t installer = 0;
            QTRY_VERIFY2_WITH_TIMEOUT((installer = installerBelow(fresh)) > 0 || tried->state() == QProcess::NotRunning,
                                      "nothing was made", 120'000);
            seen = seen || installer > 0;
            if (installer > 0)
                frozen.emplace(installer);
            if (frozen && frozen->holds() && installerBelow(fresh) == installer) // one that has ended has no command
                break;
            frozen.reset();
            QVERIFY2(tried->waitForFinished(120'000), "it does not end");
        }
        if (!seen)
            QSKIP("this server's data folder is not made by its own program");
        QVERIFY2(frozen, "the program that makes the data folder ended each time before it was stopped");
        QProcess& run = *tried;
        QElapsedTimer stopped;
        stopped.start();
        QVERIFY2(signalTo(run, SIGINT), qPrintable(QString::fromUtf8(run.readAllStandardError())));
        QVERIFY2(run.waitForFinished(60'000), "it still waits for the data folder");
        QVERIFY2(stopped.elapsed() < 10'000, qPrintable(QString::number(stopped.elapsed())));
        QCOMPARE(run.exitStatus(), QProcess::NormalExit);
        QCOMPARE(run.exitCode(), 130);
        for (const QString& name : QDir(fresh + "/dynobench/templates").entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            QVERIFY2(name.startsWith("unfinished-"), qPrintable(name));

        QProcess again;
        prepare(again);
        again.start();
        QVERIFY(again.waitForFinished(120'000));
        QVERIFY2(again.exitCode() == 0, qPrintable(QString::fromUtf8(again.readAllStandardError())));
    }

    //! Rebuilding for a storage engine that is not there is refused before the tables that are there are dropped.
    void aMissingEngine()
    {
        DYNO_START_MARIADB(m_mariadb, {{"innodb_flush_log_at_trx_commit", std::int64_t(0)}});
        auto admin = m_mariadb.admin();
        QVERIFY(admin);
        const QStringList data{"--target",   QString::fromStdString(m_mariadb.uriText()),
                               "--workload", "tpcb",
                               "--param",    "accounts_per_branch=500"};
        QVERIFY(runDyno(m_dir, QStringList{"prepare"} + data).code == 0);
        const QStringList rebuild = QStringList{"run",        "--time",  "0.1",    "--no-library",
                                                "--existing", "rebuild", "--knob", "table.engine=Mroonga"} +
                                    data;
        for (const QStringList& more : {QStringList(), QStringList{"--force"}}) {
            const DynoResult refused = runDyno(m_dir, rebuild + more);
            QVERIFY(refused.code != 0);
            QVERIFY2((refused.out + refused.err).contains("this server has no storage engine Mroonga"),
                     qPrintable(refused.out + refused.err));
            QCOMPARE((*admin)->rowCount("pgbench_accounts").value_or(-1), std::int64_t(500));
        }
        QVERIFY(runDyno(m_dir, QStringList{"cleanup"} + data).code == 0);
    }

    void aFullDisk()
    {
        if (!g_forbidden.empty())
            QSKIP(g_forbidden.c_str());
        SmallDisk disk(60 * kMiB);
        QVERIFY(disk.isMounted());
        disk.leave(8 * kMiB);
        const QStringList data =
            QStringList{"--target", QString::fromStdString("sqlite:" + disk.file("full.db").string())} + kData;
        const DynoResult full = runDyno(m_dir, QStringList{"prepare"} + data);
        QCOMPARE(full.code, 1);
        for (const char* part : {"disk is full", "tables complete", "make room", "the next load replaces them"})
            QVERIFY2(full.err.contains(part), qPrintable(full.err));
        disk.makeRoom();
        const DynoResult again = runDyno(m_dir, QStringList{"prepare"} + data);
        QVERIFY2(again.code == 0, qPrintable(again.err));
        const DynoResult check = runDyno(m_dir, QStringList{"check-data"} + data);
        QVERIFY2(check.code == 0 && check.out.count("  holds ") == 10, qPrintable(check.out + check.err));
    }

    //! Of a library in this program, which must not end it; and a disk that may only be read.
    void aFullDiskOfAStore()
    {
        if (!g_forbidden.empty())
            QSKIP(g_forbidden.c_str());
        if (!findDriver("rocksdb"))
            QSKIP("this build has no RocksDB driver");
        SmallDisk disk(60 * kMiB);
        QVERIFY(disk.isMounted());
        disk.leave(4 * kMiB);
        const QStringList data{"--target",   QString::fromStdString("rocksdb:" + disk.file("db").string()),
                               "--workload", "ycsb",
                               "--param",    "recordcount=20000"};
        const DynoResult full = runDyno(m_dir, QStringList{"prepare"} + data);
        QVERIFY2(full.code == 1, qPrintable(QString::number(full.code) + full.err));
        for (const char* part : {"No space left on device", "make room", "the next load replaces them"})
            QVERIFY2(full.err.contains(part), qPrintable(full.err));
        disk.makeRoom();
        const DynoResult again = runDyno(m_dir, QStringList{"prepare"} + data);
        QVERIFY2(again.code == 0, qPrintable(again.err));
        QVERIFY(disk.makeReadOnly());
        const DynoResult refused = runDyno(m_dir, QStringList{"prepare"} + data);
        QVERIFY2(refused.code == 3, qPrintable(QString::number(refused.code) + refused.err));
        for (const char* part : {"Read-only file system", "check that the folder can be written"})
            QVERIFY2(refused.err.contains(part), qPrintable(refused.err));
    }

    //! Of a server: what is whole is kept, the rest is removed, and the run says why it failed.
    void aFullDiskOfAServer()
    {
        if (!g_forbidden.empty())
            QSKIP(g_forbidden.c_str());
        if (!MariadbFixture::whyMissing(true).empty())
            QSKIP(MariadbFixture::whyMissing(true).c_str());
        SmallDisk disk(420 * kMiB);
        QVERIFY(disk.isMounted());
        disk.leave(160 * kMiB);
        const auto run = [&] {
            QProcess dyno;
            prepareDyno(dyno, m_dir,
                        {"run", "--time", "0.2", "--check", "--library", m_dir.filePath("library"), "--target",
                         "managed:mariadb", "--workload", "tpcc", "--param", "items=10000", "--loaders", "1"});
            QProcessEnvironment environment = dyno.processEnvironment();
            environment.insert("XDG_DATA_HOME", QString::fromStdString(disk.file("home").string()));
            dyno.setProcessEnvironment(environment);
            dyno.start();
            const bool ended = dyno.waitForFinished(120'000);
            return DynoResult{ended ? dyno.exitCode() : -1, QString::fromUtf8(dyno.readAllStandardOutput()),
                              QString::fromUtf8(dyno.readAllStandardError())};
        };
        const DynoResult full = run();
        QCOMPARE(full.code, 1);
        for (const char* part : {"loading order_line failed: The table 'order_line' is full", "make room",
                                 "the incomplete tables were removed"})
            QVERIFY2(full.err.contains(part), qPrintable(full.err));
        // One session loads one table after the other: history and new_orders are whole when order_line fills the disk.
        QVERIFY2(full.err.contains("2 of 9 tables complete"), qPrintable(full.err));
        disk.makeRoom();
        const DynoResult again = run();
        QVERIFY2(again.code == 0, qPrintable(again.err));
        QCOMPARE(again.out.count("  holds "), 10);
    }

    //! For tables of these engines a server gives no error: it waits for somebody to make room ("How MySQL Handles a
    //! Full Disk" in MySQL's manual; MariaDB 10.11 does the same).
    void aFullDiskThatTheServerWaitsFor_data()
    {
        QTest::addColumn<QString>("engine");
        QTest::newRow("MyISAM") << "MyISAM";
        if (longForm())
            QTest::newRow("Aria") << "Aria";
    }
    void aFullDiskThatTheServerWaitsFor()
    {
        QFETCH(QString, engine);
        if (!g_forbidden.empty())
            QSKIP(g_forbidden.c_str());
        if (!MariadbFixture::whyMissing(true).empty())
            QSKIP(MariadbFixture::whyMissing(true).c_str());
        SmallDisk disk(420 * kMiB);
        QVERIFY(disk.isMounted());
        const auto prepare = [&](const char* rows, const char* existing, const QStringList& command = {"prepare"}) {
            QProcess dyno;
            prepareDyno(dyno, m_dir,
                        command + QStringList{"--target", "managed:mariadb?name=full", "--workload", "oltp_read_write",
                                              "--param", QStringLiteral("table_size=%1").arg(rows), "--knob",
                                              "table.engine=" + engine, "--knob",
                                              "server.innodb_log_file_size=16777216", "--existing", existing});
            QProcessEnvironment environment = dyno.processEnvironment();
            environment.insert("XDG_DATA_HOME", QString::fromStdString(disk.file("home").string()));
            dyno.setProcessEnvironment(environment);
            dyno.start();
            const bool ended = dyno.waitForFinished(400'000);
            return DynoResult{ended ? dyno.exitCode() : -1, QString::fromUtf8(dyno.readAllStandardOutput()),
                              QString::fromUtf8(dyno.readAllStandardError())};
        };
        const DynoResult small = prepare("10", "refuse");
        QVERIFY2(small.code == 0, qPrintable(small.err));
        disk.leave(40 * kMiB); // of which the server takes some when it starts; 250 000 rows are more
        // Pre-flight sees the little space, so it is forced. A session whose next point, and whose dropping of tables,
        // would wait as well.
        const DynoResult full = prepare("250000", "rebuild",
                                        {"run", "--prepare", "--cleanup", "--users", "1,2", "--time", "1", "--quiet",
                                         "--force", "--library", m_dir.filePath("full.dyno")});
        QVERIFY2(full.code == 1, qPrintable(full.err));
        for (const char* part :
             {"loading sbtest1 stands still: no space is left in ", "make room", "the next load replaces them"})
            QVERIFY2(full.err.contains(part), qPrintable(full.err));
        disk.makeRoom();
        const DynoResult again = prepare("250000", "refuse");
        QVERIFY2(
            again.code == 0 &&
                again.err.contains("sbtest1 was incomplete, because its load was interrupted, and was loaded again"),
            qPrintable(again.err));
    }
};

} // namespace dyno::tst_load_faults

int tst_load_faults(int argc, char** argv)
{
    using namespace dyno::tst_load_faults;
    g_forbidden = mayMount(); // while there is one thread
    QCoreApplication app(argc, argv);
    TstLoadFaults test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_load_faults.moc"
