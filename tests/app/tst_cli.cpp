// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The command line as scripts see it: the real program, real targets, its output and exit codes.
#include "cli_test.h"
#include "driver/driver.h"
#include "support/dyno_process.h"
#include "support/suite.h"
#include <dyno/catalog.h>
#include <dyno/library.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace dyno::tst_cli {

namespace {

using Result = test::DynoResult;

} // namespace

class TestCli : public QObject, private test::CliRig
{
    Q_OBJECT

    static QStringList keys(const QJsonValue& value)
    {
        QStringList names = value.toObject().keys();
        names.sort();
        return names;
    }

private slots:
    void initTestCase() { QVERIFY(m_dir.isValid()); }

    void helpAndVersion()
    {
        const Result version = dyno({"--version"});
        QCOMPARE(version.code, 0);
        QCOMPARE(version.out.trimmed(), QString("dyno ") + softwareVersion());
        const Result help = dyno({"--help"});
        QCOMPARE(help.code, 0);
        for (const char* command :
             {"drivers", "workloads", "knobs",      "recipes",  "servers",  "check",      "run",
              "prepare", "cleanup",   "check-data", "sessions", "show",     "rename",     "tag",
              "note",    "annotate",  "archive",    "delete",   "library",  "warmup",     "compare",
              "export",  "import",    "recording",  "probe",    "measures", "completion", "man"}) {
            QVERIFY2(help.out.contains(QString("\n  ") + command + " "), command);
            QCOMPARE(dyno({command, "--help"}).code, 0);
        }
        const Result nothing = dyno({});
        QCOMPARE(nothing.code, 2);
        QVERIFY(nothing.out.isEmpty());
    }

    void tellsWhatADiskCanDo()
    {
        const QString folder = m_dir.path();
        const QStringList small{"--size", "2", "--time", "0.05", "--readers", "2"};
        const Result told = dyno(QStringList{"probe", folder} + small);
        QCOMPARE(told.code, 0);
        for (const char* part : {"2.0 MiB", "random reads of 16.0 KiB, 2 at once", "each with a sync", "sequential"})
            QVERIFY2(told.out.contains(part), qPrintable(told.out));
        QVERIFY(told.err.contains("reading, 2 blocks at once"));
        const Result json = dyno(QStringList{"probe", folder, "--json"} + small);
        const QJsonObject document = QJsonDocument::fromJson(json.out.toUtf8()).object();
        QCOMPARE(document["file_bytes"].toDouble(), 2097152.0);
        QVERIFY(document["write_with_sync"].toObject()["per_second"].toDouble() > 0);
        QVERIFY(document["random_read"].toObject()["ms"].toObject()["p99"].toDouble() > 0);
        QCOMPARE(dyno({"probe", folder + "/none"}).code, 2);
        QCOMPARE(dyno({"probe"}).code, 2);
    }

    void tellsWhatALogHolds()
    {
        const QString log =
            write("general.log", "2026-11-28T05:50:00.000000Z\t    8 Query\tselect a from t where b = 'x'\n"
                                 "2026-11-28T05:50:09.000000Z\t    9 Query\tselect a from t where b = 1\n"
                                 "2026-11-28T05:50:09.000000Z\t    9 Quit\t\n");
        const Result told = dyno({"recording", log});
        QCOMPARE(told.code, 0);
        for (const char* part :
             {"mysql-general", "statements  2\n", "sessions    2\n", "users       2: --users 2 ", "9.0 s", "select_t ",
              "select a from t where b = ?", "skipped: 1 × Quit, first in line 3\n"})
            QVERIFY2(told.out.contains(part), qPrintable(told.out));
        QCOMPARE(dyno({"recording", log, "--format", "none"}).code, 2);
        QCOMPARE(dyno({"recording", write("letter", "a letter\n")}).code, 2);
    }

    void lists()
    {
        QVERIFY(dyno({"drivers"}).out.contains("sqlite"));
        QVERIFY(dyno({"drivers", "null"}).out.contains("0…3600000000"));
        QVERIFY(dyno({"drivers", "managed"}).out.contains("socket|tcp"));
        QVERIFY(dyno({"drivers", "sqlite"}).out.contains("sqlite:PATH"));
        QCOMPARE(dyno({"drivers", "nul"}).code, 2);
        QVERIFY(dyno({"workloads"}).out.contains("oltp_point_select"));
        QVERIFY(dyno({"workloads", "oltp_read_write"}).out.contains("range_size"));
        QVERIFY(dyno({"knobs", "sqlite"}).out.contains("connection.synchronous"));
        QVERIFY(dyno({"recipes"}).out.contains("durability-sqlite"));
        QCOMPARE(dyno({"servers"}).code, 0);
        const QString tpcc = dyno({"workloads", "tpcc"}).out;
        QVERIFY(tpcc.contains("1…32767 warehouses") && tpcc.contains("0…1 × specified"));
        QVERIFY(tpcc.contains("Closed loop only.")); // the end of a long text
        QCOMPARE(dyno({"workloads", "no_such"}).code, 2);
        QCOMPARE(dyno({"knobs", "no_such"}).code, 2);
        QCOMPARE(dyno({"recipes", "no_such"}).code, 2);
    }

    void aPrintedRecipeIsAPlan()
    {
        const Result recipe = dyno({"recipes", "durability-sqlite"});
        QCOMPARE(recipe.code, 0);
        const Result check = dyno({"check", write("recipe.toml", recipe.out.toUtf8())});
        QCOMPARE(check.code, 0);
        QVERIFY2(check.out.contains("6 points, 18 runs"), qPrintable(check.out));
    }

    void checkListsAllFaults()
    {
        const QString plan =
            write("five.toml", "[target]\nuri = \"sqlit:x\"\n[workload]\nname = \"oltp_raed_only\"\n[load]\nusers = 0\n"
                               "time = 30s\ntiem = 3\n");
        const Result result = dyno({"check", plan});
        QCOMPARE(result.code, 2);
        for (const char* place : {"five.toml:2:", "five.toml:4:", "five.toml:6:", "five.toml:7:", "five.toml:8:"})
            QVERIFY2(result.err.contains(place), qPrintable(result.err));
        QVERIFY2(result.err.contains("5 faults"), qPrintable(result.err));
        QVERIFY(result.out.isEmpty());
    }

    void badInput_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        const QStringList target{"run", "--target", "sqlite:x.db"};
        const QStringList full = target + QStringList{"--workload", "oltp_read_only"};
        QTest::newRow("unknown command") << QStringList{"rnu"} << "--help";
        QTest::newRow("unknown option") << (full + QStringList{"--user", "3"}) << "--user";
        QTest::newRow("nothing to run") << QStringList{"run"} << "--target";
        QTest::newRow("no workload") << target << "--workload";
        QTest::newRow("no target") << QStringList{"run", "--workload", "oltp_read_only"} << "--target";
        QTest::newRow("unknown workload") << (target + QStringList{"--workload", "oltp_raed_only"}) << "oltp_read_only";
        QTest::newRow("bad users") << (full + QStringList{"--users", "1,x"}) << "--users";
        QTest::newRow("bad time") << (full + QStringList{"--time", "soon"}) << "--time";
        QTest::newRow("bad parameter") << (full + QStringList{"--param", "tabels=1"}) << "tables";
        QTest::newRow("no assignment") << (full + QStringList{"--param", "tables"}) << "NAME=VALUE";
        QTest::newRow("bad knob") << (full + QStringList{"--knob", "synchronos=OFF"}) << "--knob";
        QTest::newRow("bad knob's value") << (full + QStringList{"--knob", "synchronous=SOMETIMES"}) << "OFF";
        QTest::newRow("closed loop with a rate")
            << (full + QStringList{"--rate", "100", "--arrival", "closed"}) << "--rate";
        QTest::newRow("no rate") << (full + QStringList{"--arrival", "poisson"}) << "--rate";
        QTest::newRow("think time in an open loop")
            << (full + QStringList{"--rate", "9", "--think-time", "1s"}) << "--think-time";
        QTest::newRow("search without an objective") << (full + QStringList{"--search", "rate 1..9"}) << "p99 <= 20ms";
        QTest::newRow("loops") << (full + QStringList{"--executor", "loops"}) << "threads";
        QTest::newRow("users without a value") << (full + QStringList{"--users", ""}) << "--users: its value is empty";
        QTest::newRow("events without a value") << (full + QStringList{"--events="}) << "--events: its value is empty";
        QTest::newRow("a file without a name")
            << (full + QStringList{"--out=", "--json"}) << "--out: its value is empty";
        QTest::newRow("a plan without a name") << QStringList{"check", ""} << "PLAN: its value is empty";
        QTest::newRow("bad scheme") << QStringList{"run", "--target", "sqlit:x", "--workload", "oltp_read_only"}
                                    << "sqlite";
        QTest::newRow("flag with a plan") << QStringList{"run", "durability-sqlite", "--users", "3"} << "--set";
        QTest::newRow("missing plan") << QStringList{"check", "missing.toml"} << "no such file";
        QTest::newRow("a folder as a plan") << QStringList{"run", "."} << "folder";
        QTest::newRow("a binary as a plan") << QStringList{"run", write("binary", QByteArray("\x7f"
                                                                                             "ELF\0\1\2",
                                                                                             7))}
                                            << "not a text file";
        QTest::newRow("a target as a plan") << QStringList{"run", "sqlite:x.db"} << "--target";
        QTest::newRow("unknown recipe") << QStringList{"run", "durability"} << "durability-sqlite";
        QTest::newRow("unknown size") << QStringList{"run", "durability-sqlite", "--size", "huge"} << "quick";
        QTest::newRow("bad set") << QStringList{"run", "durability-sqlite", "--set", "load.users=none"} << "load.users";
        QTest::newRow("two libraries") << (full + QStringList{"--library", "x", "--no-library"}) << "--no-library";
        QTest::newRow("prepare a private file")
            << QStringList{"prepare", "--target", "sqlite:", "--workload", "oltp_read_only"} << "one session";
        QTest::newRow("unknown session") << QStringList{"show", "0123456789"} << "session";
        QTest::newRow("missing session file") << QStringList{"show", "missing.dyno"} << "no such file";
        QTest::newRow("nothing to export") << QStringList{"export", "last"} << "--csv";
        QTest::newRow("compare one") << QStringList{"compare", "last"} << "two";
        QTest::newRow("import a missing file") << QStringList{"import", "missing.dyno"} << "no such file";
        QTest::newRow("another account's option file")
            << QStringList{"run",
                           "--target",
                           "mysql://root@127.0.0.1:1/d",
                           "--workload",
                           "oltp_read_only",
                           "--option-file",
                           write("other.cnf", "[client]\nhost=db1\npassword=s3cret\n")}
            << "is for host db1";
        QTest::newRow("missing option file") << (full + QStringList{"--option-file", "missing.cnf"}) << "option file";
    }
    void badInput()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const Result result = dyno(arguments);
        QVERIFY2(result.code == 2, qPrintable(QString("%1: %2").arg(result.code).arg(result.err)));
        QVERIFY2(result.err.contains(says), qPrintable(result.err));
        QVERIFY2(result.out.isEmpty(), qPrintable(result.out));
        QVERIFY(!QFile::exists(path("x.db")));
    }

    void noPasswordIsEverPrinted_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const QString uri = "mysql://root:s3cret@127.0.0.1:1/d";
        QTest::newRow("target") << QStringList{"run", "--target", uri, "--workload", "oltp_read_only"};
        QTest::newRow("query") << QStringList{"run", "--target", "mysql://root@h/d?password=s3cret", "--workload",
                                              "oltp_read_only"};
        QTest::newRow("plan") << QStringList{"run", uri};
        QTest::newRow("check") << QStringList{"check", uri};
        QTest::newRow("set") << QStringList{"check", "durability-sqlite", "--set", "target.uri=" + uri};
        QTest::newRow("option") << QStringList{"run", "durability-sqlite", "--password", "s3cret"};
        QTest::newRow("option with =") << QStringList{"run", "durability-sqlite", "--password=s3cret"};
        QTest::newRow("mysql's habit") << QStringList{"run", "durability-sqlite", "-ps3cret"};
        QTest::newRow("prepare") << QStringList{"prepare", "--target", uri, "--workload", "oltp_read_only"};
        QTest::newRow("session") << QStringList{"show", uri};
        QTest::newRow("import") << QStringList{"import", uri};
    }
    void noPasswordIsEverPrinted()
    {
        QFETCH(QStringList, arguments);
        const Result result = dyno(arguments);
        QCOMPARE(result.code, 2);
        QVERIFY2(!(result.out + result.err).contains("s3cret"), qPrintable(result.err));
        QVERIFY(!result.err.isEmpty());
    }

    void jsonHasTheKeysOfTheContract()
    {
        const Result result = dyno(quickRun({"--users", "1,2", "--repeats", "2", "--json", "--quiet"}));
        QVERIFY2(result.code == 0, qPrintable(result.err));
        QJsonParseError error{};
        const QJsonDocument document = QJsonDocument::fromJson(result.out.toUtf8(), &error);
        QVERIFY2(error.error == QJsonParseError::NoError, qPrintable(error.errorString()));
        QCOMPARE(keys(document.object()),
                 (QStringList{"damaged", "points", "run_counts", "sealed", "session", "software", "stored_in"}));
        QCOMPARE(document["software"]["name"].toString(), QString("dynobench"));
        QCOMPARE(document["software"]["version"].toString(), QString(softwareVersion()));
        const QJsonArray points = document["points"].toArray();
        QCOMPARE(points.size(), 2);
        const QStringList latency{"max", "mean", "min", "p50", "p90", "p95", "p99", "p999"};
        int loaded = 0; // runs that did: one for all
        for (const QJsonValue& point : points) {
            QCOMPARE(keys(point), (QStringList{"cases", "runs", "target", "users"}));
            QCOMPARE(point["runs"].toArray().size(), 2);
            QVERIFY2(keys(point["cases"]).isEmpty(), "users have a key of their own");
            for (const QJsonValue& run : point["runs"].toArray()) {
                const QStringList wanted{"arrivals",     "client",     "data_bytes",   "dropped",        "errors",
                                         "found",        "in_force",   "late",         "latency_stalls", "load_retries",
                                         "not_served",   "observing",  "operations",   "place",          "qps",
                                         "queries",      "reason",     "reconnects",   "remedy",         "repeat",
                                         "response_ms",  "retried",    "rollbacks",    "rows",           "seconds",
                                         "service_ms",   "sitting",    "stalls",       "status",         "tps",
                                         "transactions", "unanswered", "warmup_moved", "warmup_s",       "warnings"};
                QStringList found = keys(run);
                loaded += found.removeOne("index_seconds") ? 1 : 0;
                QCOMPARE(found, wanted);
                QCOMPARE(run["status"].toString(), QString("done"));
                QCOMPARE(keys(run["service_ms"]), latency);
                QCOMPARE(keys(run["response_ms"]), latency);
                QCOMPARE(keys(run["client"]),
                         (QStringList{"cpu_us_per_op", "late_starts", "limited", "reason", "rss_bytes"}));
                const QJsonObject operations = run["operations"].toObject();
                QVERIFY(operations.contains("point_select"));
                for (const QJsonValue& operation : operations)
                    QCOMPARE(keys(operation), (QStringList{"count", "response_ms", "rows", "service_ms"}));
                // sysbench's counts: ten point selects and twenty queries a transaction
                const double transactions = run["transactions"].toDouble();
                QVERIFY(transactions > 0);
                QVERIFY(run["seconds"].toDouble() > 0.45); // a busy machine ends it late, never early
                QVERIFY(std::abs(run["tps"].toDouble() * run["seconds"].toDouble() / transactions - 1) < 0.01);
            }
        }
        QCOMPARE(loaded, 1);
    }

    //! A broken objective: all is measured, and a script hears of it.
    void anObjectiveHasAVerdict()
    {
        const auto objectiveOf = [](const Result& result) {
            const QJsonDocument document = QJsonDocument::fromJson(result.out.toUtf8());
            return document["points"][0]["runs"][0]["objective"];
        };
        const Result broken = dyno(quickRun({"--objective", "max <= 0.001ms", "--json"}));
        QVERIFY2(broken.code == 4, qPrintable(broken.err));
        QVERIFY2(broken.err.contains("an objective is broken"), qPrintable(broken.err));
        QCOMPARE(keys(objectiveOf(broken)), (QStringList{"met", "text", "value"}));
        QCOMPARE(objectiveOf(broken)["met"].toBool(true), false);
        QCOMPARE(objectiveOf(broken)["text"].toString(), QString("max <= 0.001ms"));
        QVERIFY(objectiveOf(broken)["value"].toDouble() > 0);
        const QJsonValue run = QJsonDocument::fromJson(broken.out.toUtf8())["points"][0]["runs"][0];
        QCOMPARE(run["status"].toString(), QString("done"));
        bool warned = false;
        for (const QJsonValue& warning : run["warnings"].toArray())
            warned = warned || warning["kind"].toString() == "objective";
        QVERIFY(warned);
        // The session knows it, too.
        const Result shown = dyno({"show", "last", "--library", library()});
        QVERIFY2(shown.out.contains("the objective max <= 0.001ms is broken: the maximum is"), qPrintable(shown.out));

        const Result met = dyno(quickRun({"--objective", "max <= 100s"}));
        QVERIFY2(met.code == 0, qPrintable(met.err));
        QVERIFY2(met.out.contains("the objective max <= 100000ms holds"), qPrintable(met.out));
    }

    void statementsOfARun()
    {
        const Result run =
            dyno({"run", "--target", "sqlite:statements.db", "--workload", "oltp_point_select", "--param",
                  "table_size=100", "--time", "0.2", "--interval", "0.1", "--library", library()});
        QVERIFY2(run.code == 0, qPrintable(run.err));
        const Result shown = dyno({"show", "last", "--statements", "--library", library()});
        QVERIFY2(shown.code == 0, qPrintable(shown.err));
        QVERIFY2(shown.out.contains("point_select  100.0 %"), qPrintable(shown.out));
        // operation, share, count, mean, p99, rows: one for each
        const QRegularExpression kind("point_select +100\\.0 % +(\\d+) +\\S+ +\\S+ +(\\d+) +0");
        const auto found = kind.match(shown.out);
        QVERIFY2(found.hasMatch(), qPrintable(shown.out));
        // but for some at the ends of the measured time: the sampler reads one count after the other
        const int count = found.captured(1).toInt();
        QVERIFY2(std::abs(found.captured(2).toInt() - count) <= std::max(20, count / 10), qPrintable(shown.out));
        QVERIFY2(shown.out.contains("    SEARCH sbtest1 USING INTEGER PRIMARY KEY (rowid=?)"), qPrintable(shown.out));
        QVERIFY2(shown.out.contains("CREATE TABLE sbtest1"), qPrintable(shown.out));
        QVERIFY2(shown.out.contains("No statement counts of the server: "), qPrintable(shown.out));
        QCOMPARE(dyno({"show", "last", "--statements", "--run", "9", "--library", library()}).code, 2);
        QCOMPARE(dyno({"show", "last", "--statements", "--json", "--library", library()}).code, 2);
    }

    //! A snapshot of the engine in the run's own process, while the run goes on.
    void aSignalTakesASnapshot()
    {
        if (!dyno({"drivers"}).out.contains("rocksdb"))
            QSKIP("this build has no RocksDB");
        const QString file = path("snapshot.dynolib");
        QProcess process;
        test::prepareDyno(process, m_dir,
                          {"run", "--target", "rocksdb:snapshot.rdb", "--workload", "ycsb", "--param",
                           "recordcount=500", "--time", "600", "--interval", "0.1", "--library", file});
        process.start();
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(intervalsIn(file) >= 2, 120'000);
        QVERIFY(test::signalTo(process, SIGUSR1));
        const auto shown = [&] { return dyno({"show", "last", "--snapshots", "--library", file}).out; };
        QTRY_VERIFY_WITH_TIMEOUT(shown().contains("run 1: 1 snapshot"), 60'000);
        QVERIFY(test::signalTo(process, SIGINT));
        QVERIFY(process.waitForFinished(120'000));
        QCOMPARE(process.exitCode(), 130);
        const QString text = shown();
        QVERIFY2(text.contains("-- Statistics of ") && text.contains("** Compaction Stats"), qPrintable(text));
        auto opened = Library::open(file.toStdString(), Library::Mode::ReadOnly);
        QVERIFY(opened);
        const auto session = (*opened)->session(*(*opened)->resolveId("last"));
        const auto events = (*opened)->events(session->runs.front().id);
        QVERIFY(events && std::ranges::count_if(*events, [](const RunEvent& event) {
                              return event.text.starts_with("snapshot: statistics of ");
                          }) == 1);
        QCOMPARE(dyno({"show", "last", "--snapshots", "--run", "9", "--library", file}).code, 2);
        QCOMPARE(dyno({"show", "last", "--snapshots", "--json", "--library", file}).code, 2);
    }

    void aPlanRunsWithChangedFields()
    {
        const QString plan = write(
            "plan.toml", "title = \"P\"\n[target]\nuri = \"sqlite:plan.db\"\n[workload]\nname = \"oltp_update_index\"\n"
                         "params = { table_size = 100 }\n[load]\ntime = 30\n[[axis]]\nname = \"sync\"\ncases = [\n"
                         "{ label = \"off\", set = { connection.synchronous = \"OFF\" } },\n"
                         "{ label = \"full\", set = { connection.synchronous = \"FULL\" } } ]\n");
        const Result run = dyno({"run", plan, "--set", "load.time=0.3", "--set", "load.interval=0.1", "--set",
                                 "axis.sync=off", "--library", library(), "--json"});
        QVERIFY2(run.code == 0, qPrintable(run.err));
        const QJsonArray points = QJsonDocument::fromJson(run.out.toUtf8())["points"].toArray();
        QCOMPARE(points.size(), 1);
        QCOMPARE(points[0]["cases"]["sync"].toString(), QString("off"));
        QVERIFY2(QFile::exists(path("plan.db")), "a relative path means the folder one is in");
    }

    void aTableWithoutJson()
    {
        const Result run = dyno(quickRun());
        QCOMPARE(run.code, 0);
        QVERIFY(run.out.startsWith("point "));
        QVERIFY(run.out.contains("oltp_read_write"));
        QVERIFY2(run.err.contains("run 1 of 1"), "progress goes to standard error");
        QVERIFY(!run.out.contains("run 1 of 1: point"));
        QVERIFY(!run.err.contains('\x1b'));
        const Result quiet = dyno(quickRun({"--quiet"}));
        QVERIFY2(quiet.err.isEmpty(), qPrintable(quiet.err));
    }

    void prepareAndCleanup()
    {
        const QStringList what{"--target",       "sqlite:prep.db", "--workload",
                               "oltp_read_only", "--param",        "table_size=300"};
        QVERIFY2(dyno(QStringList{"prepare"} + what).code == 0, "prepare");
        QVERIFY(QFile(path("prep.db")).size() > 300 * 100);
        const Result again = dyno(QStringList{"prepare"} + what);
        QVERIFY2(again.code == 0, "what is there is verified");
        QVERIFY2(again.err.contains("the tables were there already: nothing was loaded"), qPrintable(again.err));
        const Result run =
            dyno(QStringList{"run"} + what + QStringList{"--time", "0.2", "--interval", "0.1", "--no-library"});
        QVERIFY2(run.code == 0, qPrintable(run.err));
        QCOMPARE(dyno(QStringList{"cleanup"} + what).code, 0);
        QVERIFY2(dyno(QStringList{"cleanup"} + what).code == 0, "nothing left is no fault");
    }

    //! A library is no place for tables, and nothing to read a plan or a note from.
    void aLibraryIsNoFileForOthers()
    {
        QVERIFY(dyno(quickRun()).code == 0);
        const QStringList what{"--target", "sqlite:library.dynolib", "--workload", "oltp_read_only",
                               "--param",  "table_size=300"};
        for (const QStringList& command :
             {QStringList{"prepare"} + what, QStringList{"cleanup"} + what,
              QStringList{"run"} + what + QStringList{"--time", "0.2", "--no-library"},
              QStringList{"run"} + what + QStringList{"--time", "0.2", "--no-library", "--force"}}) {
            const Result refused = dyno(command);
            QVERIFY2(refused.code != 0 && refused.err.contains("holds sessions"),
                     qPrintable(command.join(' ') + ": " + refused.err));
        }
        QCOMPARE(dyno({"run", library()}).code, 2);
        const Result note = dyno({"note", "last", "--file", library(), "--library", library()});
        QVERIFY2(note.code == 2 && note.err.contains("holds sessions"), qPrintable(note.err));
        const Result kept = dyno(quickRun()); // it is a library still
        QVERIFY2(kept.code == 0, qPrintable(kept.err));
    }

    void keysOfAnEarlierSession_data()
    {
        QTest::addColumn<QStringList>("workload");
        QTest::newRow("orders") << QStringList{"brokerage", "--param", "customers=20", "--param", "days=10"};
        QTest::newRow("ids of clients") << QStringList{"oltp_insert", "--param", "auto_inc=false"};
        QTest::newRow("readings, of which old ones go")
            << QStringList{"sensordata", "--param",           "sensors=10", "--param",     "rows_per_insert=10",
                           "--param",    "initial_rows=1000", "--param",    "retention=20"};
    }

    //! A second session on the same file would insert the keys of the first one again: said before it begins.
    void keysOfAnEarlierSession()
    {
        QFETCH(QStringList, workload);
        QFile::remove(path("keys.db"));
        const QStringList load = QStringList{"run",      "--target", "sqlite:keys.db", "--no-library", "--quiet",
                                             "--events", "300",      "--interval",     "0.1",          "--workload"} +
                                 workload;
        const Result first = dyno(load);
        QVERIFY2(first.code == 0, qPrintable(first.err));
        const Result second = dyno(load);
        QCOMPARE(second.code, 2);
        QVERIFY2(second.err.contains("keys that a run inserts") && second.err.contains("--existing rebuild"),
                 qPrintable(second.err));
        const Result rebuilt = dyno(load + QStringList{"--existing", "rebuild"});
        QVERIFY2(rebuilt.code == 0, qPrintable(rebuilt.err));
        QVERIFY2(!rebuilt.err.contains("1062") && !rebuilt.err.contains("UNIQUE"), qPrintable(rebuilt.err));
        const Result used = dyno(load + QStringList{"--existing", "use"}); // what the refusal is for
        QVERIFY2((used.err + used.out).contains("UNIQUE"), qPrintable(used.err + used.out));
    }

    //! E18's figures from the command line alone: a price of each machine, shares of the best, the middle one of three.
    void pricesOfMachines()
    {
        const auto run = [this](const QString& out, const QStringList& price) {
            return dyno(QStringList{"run", "--target", "null:?service_us=200", "--workload", "oltp_point_select",
                                    "--time", "0.2", "--interval", "0.1", "--repeats", "3", "--no-library", "--quiet",
                                    "--json", "--out", out} +
                        price);
        };
        const Result cheap = run("cheap.dyno", {"--cost-per-hour", "0.25", "--watts", "50", "--currency", "CHF"});
        QVERIFY2(cheap.code == 0, qPrintable(cheap.err));
        const QJsonObject point =
            QJsonDocument::fromJson(cheap.out.toUtf8()).object()["points"].toArray()[0].toObject();
        QCOMPARE(point["price"].toObject()["cost_per_hour"].toDouble(), 0.25);
        QCOMPARE(point["price"].toObject()["currency"].toString(), QString("CHF"));
        const QJsonObject first = point["runs"].toArray()[0].toObject();
        QVERIFY(std::abs(first["tx_per_cost"].toDouble() - first["tps"].toDouble() * 3600 / 0.25) < 10);
        QVERIFY(std::abs(first["tx_per_watt_hour"].toDouble() - first["tps"].toDouble() * 72) < 1);
        QCOMPARE(run("dear.dyno", {"--cost-per-hour", "25", "--currency", "CHF"}).code, 0);
        const Result compared = dyno(
            {"compare", "cheap.dyno", "dear.dyno", "--measure", "tx_per_cost", "--relative-to", "best", "--median"});
        QVERIFY2(compared.code == 0, qPrintable(compared.err));
        QVERIFY2(compared.out.contains("Transactions per CHF (transactions/CHF), median of the runs"),
                 qPrintable(compared.out));
        QVERIFY2(compared.out.contains("100 %") && compared.out.contains("of the best"), qPrintable(compared.out));
        const Result watts = dyno({"compare", "cheap.dyno", "dear.dyno", "--measure", "tx_per_watt_hour"});
        QVERIFY2(watts.out.contains("1 cell is left out: no watts are given"), qPrintable(watts.out));
        const Result bad = run("bad.dyno", {"--cost-per-hour", "-1"});
        QCOMPARE(bad.code, 2);
        QVERIFY2(bad.err.contains("--cost-per-hour") || bad.err.contains("out of range"), qPrintable(bad.err));
        QCOMPARE(dyno({"compare", "cheap.dyno", "dear.dyno", "--relative-to", "worst"}).code, 2);
    }

    void anUnreachableTarget()
    {
        if (!findDriver("mysql"))
            QSKIP("built without the MySQL-family driver");
        const QString socket = path("no.sock");
        const Result result = dyno({"run", "--target", "mysql://root@localhost/d?socket=" + socket, "--workload",
                                    "oltp_point_select", "--time", "0.2", "--library", library(), "--quiet"});
        QVERIFY2(result.code == 3, qPrintable(QString("%1: %2").arg(result.code).arg(result.err)));
        QVERIFY2(result.err.contains("no.sock"), qPrintable(result.err));
    }

    //! Each user of bulk_insert has a table: all of them are asked and dropped.
    void dataOfAllUsers()
    {
        const QStringList what{"--target", "sqlite:bulk.db", "--workload", "bulk_insert", "--users", "3"};
        const Result run =
            dyno(QStringList{"run"} + what + QStringList{"--events", "30", "--quiet", "--library", library()});
        QVERIFY2(run.code == 0, qPrintable(run.err));
        const auto asked = [&what, this] { return dyno(QStringList{"check-data"} + what); };
        const Result good = asked();
        QCOMPARE(good.code, 0);
        QVERIFY2(good.out.contains("sbtest1 to sbtest3"), qPrintable(good.out));
        Faults faults;
        Driver* driver = driverFor("sqlite");
        ConnectTarget target;
        target.uri = *parseUri("sqlite:" + path("bulk.db").toStdString());
        target.connection = resolve(driver->info().connection, {}, "connection", faults);
        auto admin = driver->admin(target);
        QVERIFY(admin && (*admin)->execute("UPDATE sbtest3 SET k = k + 1 WHERE id = 1"));
        QCOMPARE(asked().code, 1);
        // More than SQLite lets an expression nest. Made here: `prepare` reads the names of all again for each.
        constexpr int kMany = 1010;
        const auto create = (*admin)->query("SELECT sql FROM sqlite_master WHERE name = 'sbtest3'");
        QVERIFY(create && create->size() == 1);
        QString script = "BEGIN;";
        for (int i = 1; i <= kMany; ++i)
            script +=
                QString::fromStdString(create->front().front()).replace("sbtest3", QString("sbtest%1").arg(i)) + ";";
        sqlite3* handle = nullptr;
        QCOMPARE(sqlite3_open(path("many.db").toUtf8().constData(), &handle), SQLITE_OK);
        QCOMPARE(sqlite3_exec(handle, (script + "COMMIT").toUtf8().constData(), nullptr, nullptr, nullptr), SQLITE_OK);
        QCOMPARE(sqlite3_close(handle), SQLITE_OK);
        const QStringList many{"--target",    "sqlite:many.db", "--workload",
                               "bulk_insert", "--users",        QString::number(kMany)};
        QCOMPARE(dyno(QStringList{"check-data"} + many).code, 0);
        QCOMPARE(dyno(QStringList{"cleanup"} + what).code, 0);
        for (const char* table : {"sbtest1", "sbtest2", "sbtest3"})
            QVERIFY((*admin)->describe(table) && (*admin)->describe(table)->empty());
    }

    //! TPC-C's conditions: met after a run, seen to be broken after a fault.
    void checksOfTheData()
    {
        const QStringList what{"--target", "sqlite:tpcc.db", "--workload", "tpcc",
                               "--param",  "customers=30",   "--param",    "items=100"};
        const QStringList run = QStringList{"run"} + what +
                                QStringList{"--time", "0.3", "--interval", "0.1", "--quiet", "--library", library()};
        const Result early = dyno(QStringList{"check-data"} + what);
        QCOMPARE(early.code, 2);
        QVERIFY2(early.err.contains("is not there") && early.err.contains("dyno prepare"), qPrintable(early.err));

        const Result good = dyno(run + QStringList{"--check", "--json"});
        QVERIFY2(good.code == 0, qPrintable(good.err));
        const QJsonObject document = QJsonDocument::fromJson(good.out.toUtf8()).object();
        QCOMPARE(document["points"].toArray().size(), 1);
        const QJsonArray checks = document["checks"].toArray();
        QCOMPARE(checks.size(), 10);
        for (const QJsonValue& one : checks) {
            QCOMPARE(keys(one),
                     (QStringList{"error", "holds", "name", "point", "repeat", "target", "violations", "workload"}));
            QVERIFY2(one["holds"].toBool() && one["violations"].toInt(-1) == 0, qPrintable(one["name"].toString()));
            QCOMPARE(one["repeat"].toInt(), 1);
        }
        const Result plain = dyno(run + QStringList{"--json"});
        QVERIFY(!QJsonDocument::fromJson(plain.out.toUtf8()).object().contains("checks"));
        const Result asked = dyno(QStringList{"check-data"} + what);
        QCOMPARE(asked.code, 0);
        QCOMPARE(asked.out.count("  holds "), 10);

        ConnectTarget target;
        target.uri = *parseUri("sqlite:" + path("tpcc.db").toStdString());
        Faults faults;
        Driver* driver = driverFor("sqlite");
        target.connection = resolve(driver->info().connection, {}, "connection", faults);
        auto admin = driver->admin(target);
        QVERIFY(admin);
        QVERIFY((*admin)->execute("UPDATE warehouse SET w_ytd = w_ytd + 1"));
        admin->reset();
        const Result broken = dyno(QStringList{"check-data"} + what + QStringList{"--json"});
        QCOMPARE(broken.code, 1);
        QStringList failing;
        for (const QJsonValue& one : QJsonDocument::fromJson(broken.out.toUtf8()).object()["checks"].toArray()) {
            if (!one["holds"].toBool())
                failing << one["name"].toString().section(':', 0, 0) + "=" + QString::number(one["violations"].toInt());
        }
        QCOMPARE(failing, (QStringList{"1=1", "8=1"}));
        // A run cannot mend it, says so, and keeps it with the session.
        const Result after = dyno(run + QStringList{"--check"});
        QCOMPARE(after.code, 1);
        QCOMPARE(after.out.count("  FAILS "), 2);
        QVERIFY2(after.err.contains("do not meet"), qPrintable(after.err));
        auto opened = Library::open(library().toStdString(), Library::Mode::ReadOnly);
        const auto session = (*opened)->session(*(*opened)->resolveId("last"));
        QVERIFY(session);
        const auto events = (*opened)->events(session->runs.front().id);
        QVERIFY(events && std::any_of(events->begin(), events->end(), [](const RunEvent& event) {
                    return event.kind == EventKind::Error &&
                           event.text.find("w_ytd is the sum of d_ytd") != std::string::npos;
                }));

        const Result none =
            dyno({"run", "--target", "sqlite:", "--workload", "ycsb", "--check", "--library", library()});
        QCOMPARE(none.code, 2);
        QVERIFY2(none.err.contains("no conditions"), qPrintable(none.err));
    }

    void interruptKeepsWhatWasMeasured_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGHUP") << SIGHUP;
    }
    void interruptKeepsWhatWasMeasured()
    {
        QFETCH(int, signal);
        const QString file = path(QString("interrupt%1.dynolib").arg(signal));
        QProcess process;
        process.setChildProcessModifier([] { ::signal(SIGHUP, SIG_DFL); }); // the tests may run under nohup
        startLongRun(process, file);
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(intervalsIn(file) >= 2, 120'000);
        QVERIFY(test::signalTo(process, signal));
        QVERIFY2(process.waitForFinished(120'000), "it does not wait for the end of the run");
        QVERIFY(process.exitStatus() == QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        const QJsonDocument document = QJsonDocument::fromJson(process.readAllStandardOutput());
        const QJsonArray points = document["points"].toArray();
        QCOMPARE(points.size(), 2);
        const QJsonValue run = points[0]["runs"][0];
        QCOMPARE(run["status"].toString(), QString("stopped"));
        QVERIFY(run["transactions"].toDouble() > 0);
        QVERIFY(run["seconds"].toDouble() > 0.1 && run["seconds"].toDouble() < 599);
        QVERIFY2(points[1]["runs"].toArray().isEmpty(), "the second point never started");
        const Result shown = dyno({"show", "last", "--library", file});
        QVERIFY2(shown.out.contains("stopped"), qPrintable(shown.out));
    }

    //! As when ssh is cut: the kernel sends SIGHUP, and nothing can be written to the terminal any more.
    void aLostTerminalKeepsWhatWasMeasured()
    {
        const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0)
            QSKIP("there are no terminals here");
        const QByteArray name = ::ptsname(terminal);
        const QString file = path("terminal.dynolib");
        QProcess process;
        process.setChildProcessModifier([name] {
            ::signal(SIGHUP, SIG_DFL); // the tests may run under nohup
            ::setsid();
            const int side = ::open(name.constData(), O_RDWR);
            if (side < 0 || ::ioctl(side, TIOCSCTTY, 0) != 0 || ::dup2(side, 0) < 0 || ::dup2(side, 2) < 0)
                ::_exit(99);
        });
        startLongRun(process, file);
        QVERIFY(process.waitForStarted());
        QByteArray said(1 << 16, '\0');
        ::fcntl(terminal, F_SETFL, O_NONBLOCK);
        const auto measured = [&] {
            while (::read(terminal, said.data(), std::size_t(said.size())) > 0) { // it must not fill up
            }
            return intervalsIn(file) >= 2 || process.state() == QProcess::NotRunning;
        };
        QTRY_VERIFY_WITH_TIMEOUT(measured(), 120'000);
        QCOMPARE(process.state(), QProcess::Running);
        ::close(terminal);
        QVERIFY(process.waitForFinished(120'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        const QJsonDocument document = QJsonDocument::fromJson(process.readAllStandardOutput());
        QCOMPARE(document["points"][0]["runs"][0]["status"].toString(), QString("stopped"));
        QVERIFY(document["points"][0]["runs"][0]["transactions"].toDouble() > 0);
    }

    void nohupIsHeard()
    {
        const QString file = path("nohup.dynolib");
        QProcess process;
        process.setChildProcessModifier([] { ::signal(SIGHUP, SIG_IGN); });
        startLongRun(process, file);
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(intervalsIn(file) >= 2, 120'000);
        QVERIFY(test::signalTo(process, SIGHUP));
        const std::size_t before = intervalsIn(file);
        QTRY_VERIFY_WITH_TIMEOUT(intervalsIn(file) >= before + 20, 120'000); // it goes on
        QCOMPARE(process.state(), QProcess::Running);
        QVERIFY(test::signalTo(process, SIGTERM));
        QVERIFY(process.waitForFinished(120'000));
        QCOMPARE(process.exitCode(), 130);
    }

private:
    //! Two points of ten minutes each.
    void startLongRun(QProcess& process, const QString& file)
    {
        test::prepareDyno(process, m_dir,
                          {"run", "--target", "sqlite:interrupt.db", "--workload", "oltp_read_only", "--param",
                           "table_size=200", "--users", "1,2", "--time", "600", "--interval", "0.1", "--library", file,
                           "--json"});
        process.start();
    }
    //! Of the first run of the last session there.
    static std::size_t intervalsIn(const QString& file)
    {
        auto opened = Library::open(file.toStdString(), Library::Mode::ReadOnly);
        if (!opened)
            return 0;
        const auto id = (*opened)->resolveId("last");
        const auto session = id ? (*opened)->session(*id) : tl::unexpected(id.error());
        if (!session || session->runs.empty())
            return 0;
        const auto intervals = (*opened)->intervals(session->runs.front().id);
        return intervals ? intervals->size() : 0;
    }
};

} // namespace dyno::tst_cli

DYNO_SUITE(tst_cli, dyno::tst_cli::TestCli)
#include "tst_cli.moc"
