// SPDX-License-Identifier: GPL-3.0-or-later
// Results of other tools than sysbench. Where the files come from: tests/data/import/README.md.
#include "import_test.h"
#include "support/suite.h"

#include <QTemporaryDir>

#include <algorithm>
#include <array>
#include <tuple>
#include <zlib.h>

namespace dyno::tst_import_tools {

class TstImportTools : public QObject
{
    Q_OBJECT
private slots:
    void isRecognised_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("format");
        for (const auto& [file, format] :
             std::array<std::pair<const char*, const char*>, 16>{{{"tpcc-mysql.txt", "tpcc-mysql"},
                                                                  {"ycsb.txt", "ycsb"},
                                                                  {"go-ycsb.txt", "go-ycsb"},
                                                                  {"hammerdb.log", "hammerdb"},
                                                                  {"hammerdb-profile.log", "hammerdb"},
                                                                  {"pgbench.log", "pgbench"},
                                                                  {"pgbench-rate.log", "pgbench"},
                                                                  {"pgbench-transactions.log", "pgbench-log"},
                                                                  {"pgbench-aggregate.log", "pgbench-aggregate"},
                                                                  {"mysqlslap.csv", "mysqlslap"},
                                                                  {"iibench.tsv", "iibench"},
                                                                  {"benchbase.json", "benchbase"},
                                                                  {"flent.flent", "flent"},
                                                                  {"hdr.hlog", "hdr"},
                                                                  {"table-comma.csv", "csv"},
                                                                  {"table-runs.csv", "csv"}}})
            QTest::newRow(file) << QString(file) << QString(format);
    }
    void isRecognised()
    {
        QFETCH(QString, file);
        QFETCH(QString, format);
        const DetectedFormat found = importedMust(detectImportFormat(importData(file.toStdString())));
        QCOMPARE(QString::fromStdString(found.id), format);
        const ImportPreview preview = previewOf(file.toStdString());
        QVERIFY(!preview.runs.empty());
        QCOMPARE(preview.origin.unknownLines, std::uint64_t(0));
    }

    void mysqlslap()
    {
        const ImportPreview preview = previewOf("mysqlslap.csv");
        QCOMPARE(preview.runs.size(), std::size_t(2));
        QCOMPARE(preview.runs[1].users, 4);
        QCOMPARE(preview.runs[0].summary.queries, std::uint64_t(200));
        QVERIFY(near(preview.runs[0].summary.qps, 200 / 0.017, 1e-6));
        QVERIFY(!preview.runs[0].summary.tells("tps") && !preview.runs[0].summary.tells("service_mean"));
    }

    void tpccMysql()
    {
        const ImportedRun run = previewOf("tpcc-mysql.txt").runs.front();
        QCOMPARE(run.intervals, std::size_t(5));
        QCOMPARE(operationOf(run.summary, "New-Order").count, std::uint64_t(12920 + 12666 + 13269 + 12721 + 12573));
        QCOMPARE(operationOf(run.summary, "Delivery").count, std::uint64_t(1293 + 1266 + 1327 + 1272 + 1258));
        QVERIFY(!run.summary.tells("service_p95")); // of intervals only
        QVERIFY(std::isnan(operationOf(run.summary, "New-Order").service.p95Ms));
    }

    // for c in 16 32: one log.
    void tpccRunsInOneFile()
    {
        const auto run = [](const char* users, const char* count) {
            return std::string("***************************************\n*** ###easy### TPC-C Load Generator ***\n"
                               "***************************************\n<Parameters>\n     [server]: db1\n  "
                               "[warehouse]: 10\n [connection]: ") +
                   users +
                   "\n     [rampup]: 10 (sec.)\n    [measure]: 20 (sec.)\n\nRAMP-UP TIME.(10 sec.)\n\nMEASURING "
                   "START.\n\n  10, trx: " +
                   count +
                   ", 95%: 9.483, 99%: 18.738, max_rt: 213.169, 0|0.0, 0|0.0, 0|0.0, 0|0.0\n  20, trx: 5, 95%: 9.483, "
                   "99%: 18.738, max_rt: 213.169, 0|0.0, 0|0.0, 0|0.0, 0|0.0\n\n"
                   "STOPPING THREADS\n\n<Raw Results>\n  [0] sc:" +
                   count +
                   " lt:5  rt:1  fl:2 avg_rt: 24.5 (5)\n  [1] sc:0 lt:0  rt:0  fl:0 avg_rt: 0.0 (5)\n"
                   "<Raw Results2(sum ver.)>\n  [0] sc:" +
                   count + "  lt:5  rt:1  fl:2 \n\n<TpmC>\n                 " + users + ".5 TpmC\n";
        };
        const auto preview =
            importedMust(previewImport({written(m_dir.path(), "tpcc.log", run("16", "1000") + run("32", "3000"))}, {}));
        QCOMPARE(preview.runs.size(), std::size_t(2));
        QCOMPARE(preview.origin.unknownLines, std::uint64_t(0));
        const char* tpm = "New-Order transactions a minute, as the tool prints them (\"TpmC\")";
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE(preview.runs[i].users, i == 0 ? 16 : 32);
            QCOMPARE(preview.runs[i].intervals, std::size_t(2));
            QCOMPARE(preview.runs[i].summary.transactions, std::uint64_t(i == 0 ? 1005 : 3005));
            QCOMPARE(preview.runs[i].summary.tps, i == 0 ? 1005 / 20.0 : 3005 / 20.0);
            QVERIFY(hasFigure(preview.runs[i], tpm, i == 0 ? "16.5" : "32.5"));
        }
        // A head that is cut off: counts are of ten seconds, whatever the first line's time is.
        std::ifstream file(importData("tpcc-mysql.txt"));
        std::string text((std::istreambuf_iterator<char>(file)), {});
        text = text.substr(text.find("  40,"));
        const ImportedRun cut = importedMust(previewImport({written(m_dir.path(), "cut.txt", text)}, {})).runs.front();
        QCOMPARE(cut.summary.seconds, 20.0);
        QCOMPARE(operationOf(cut.summary, "New-Order").count, std::uint64_t(12721 + 12573));
        QCOMPARE(cut.summary.tps, (12721 + 12721 + 1271 + 1272 + 1272 + 12573 + 12573 + 1258 + 1258 + 1257) / 20.0);
    }

    void ycsb()
    {
        const ImportPreview preview = previewOf("ycsb.txt");
        const ImportedRun& run = preview.runs.front();
        QCOMPARE(preview.origin.version, "0.17.0");
        QCOMPARE(run.users, 4);
        QCOMPARE(run.summary.seconds, 15.0);
        QCOMPARE(run.summary.transactions, std::uint64_t(20000));
        QCOMPARE(run.intervals, std::size_t(2));
        const OperationSummary& read = operationOf(run.summary, "READ");
        QCOMPARE(read.count, std::uint64_t(10000));
        QCOMPARE(read.service.p95Ms, 1.011);
        QCOMPARE(read.service.p99Ms, 1.967);
        QVERIFY(std::isnan(read.service.p50Ms) && std::isnan(read.response.p95Ms));
    }

    void ycsbOfAnotherLocale()
    {
        const std::string line =
            "2026-01-31 10:00:10:000 10 sec: 100 operations; 10,5 current ops/sec; est completion in 5 seconds "
            "[READ: Count=100, Max=203, Min=112, Avg=150,25, 99=201] \n";
        const auto preview = importedMust(previewImport({written(m_dir.path(), "de.txt", line)}, {}));
        QCOMPARE(preview.runs.front().summary.transactions, std::uint64_t(100));
        const auto& series = preview.runs.front().series;
        QVERIFY(std::find(series.begin(), series.end(), "READ latency mean (ms)") != series.end());
    }

    // ycsb load >>f; ycsb run >>f
    void ycsbLoadsAndRunsInOneFile()
    {
        const std::string load =
            "[OVERALL], RunTime(ms), 4000\n[OVERALL], Throughput(ops/sec), 250.0\n[INSERT], Operations, 1000\n"
            "[INSERT], AverageLatency(us), 900.0\n[INSERT], Return=OK, 1000\n";
        std::ifstream file(importData("ycsb.txt"));
        const std::string run((std::istreambuf_iterator<char>(file)), {});
        for (const std::string& second : {run, run.substr(run.find("[OVERALL]"))}) { // with and without standard error
            const auto preview = importedMust(previewImport({written(m_dir.path(), "both.txt", load + second)}, {}));
            QCOMPARE(preview.runs.size(), std::size_t(2));
            QCOMPARE(preview.runs[0].summary.seconds, 4.0);
            QCOMPARE(preview.runs[0].summary.tps, 250.0);
            QCOMPARE(preview.runs[0].summary.queries, std::uint64_t(1000));
            QCOMPARE(preview.runs[0].summary.operations.size(), std::size_t(1));
            QCOMPARE(preview.runs[1].summary.seconds, 15.0);
            QCOMPARE(preview.runs[1].summary.queries, std::uint64_t(20000));
            QCOMPARE(preview.runs[1].summary.operations.size(), std::size_t(3));
            QCOMPARE(preview.runs[1].summary.repeat, 1); // another workload, not the same one again
        }
    }

    // With measurement.interval=intended plain names are from the intended start; with "both" they are not.
    void ycsbSaysWhatItMeasures()
    {
        const auto with = [this](const std::string& interval) {
            const std::string text =
                "Command line: -t -db site.ycsb.BasicDB -P workloads/workloada -p measurement.interval=" + interval +
                " -target 100\nYCSB Client 0.17.0\n[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 100\n"
                "[READ], Operations, 100\n[READ], 99thPercentileLatency(us), 5000\n" +
                (interval == "both"
                     ? "[Intended-READ], Operations, 100\n[Intended-READ], 99thPercentileLatency(us), 7000\n"
                     : "");
            return importedMust(previewImport({written(m_dir.path(), "interval.txt", text)}, {}));
        };
        const ImportPreview intended = with("intended"), both = with("both"), op = with("op");
        QCOMPARE(intended.origin.latency, "response");
        QCOMPARE(operationOf(intended.runs.front().summary, "READ").response.p99Ms, 5.0);
        QVERIFY(std::isnan(operationOf(intended.runs.front().summary, "READ").service.p99Ms));
        QCOMPARE(operationOf(op.runs.front().summary, "READ").service.p99Ms, 5.0);
        QCOMPARE(operationOf(both.runs.front().summary, "READ").service.p99Ms, 5.0);
        QCOMPARE(operationOf(both.runs.front().summary, "Intended-READ").response.p99Ms, 7.0);
    }

    // Of calls beyond the last bucket the time is not told: 10 of 1000 are, so that p95 is known and p99.9 is not.
    void ycsbHistogramHasAnEnd()
    {
        const std::string text =
            "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 1000\n[READ], Operations, 1000\n"
            "[READ], 0, 900\n[READ], 1, 80\n[READ], 2, 10\n[READ], >3, 10\n";
        const ImportedRun run =
            importedMust(previewImport({written(m_dir.path(), "buckets.txt", text)}, {})).runs.front();
        const LatencySummary& read = operationOf(run.summary, "READ").service;
        QVERIFY(near(read.p50Ms, 0.5, 0.01) && near(read.p95Ms, 1.5, 0.02));
        QVERIFY(near(read.p99Ms, 2.5, 0.04)); // the 990th of them
        QVERIFY(std::isnan(read.p999Ms) && std::isnan(read.maxMs));
    }

    void goYcsbRunsInOneFile()
    {
        const auto line = [](const std::string& name, const char* takes, int count) {
            return name + " - Takes(s): " + takes + ", Count: " + std::to_string(count) +
                   ", OPS: 50.0, Avg(us): 81, Min(us): 40, Max(us): 900, 50th(us): 75, 90th(us): 99, 95th(us): 100\n";
        };
        const std::string end = "Run finished, takes ";
        const std::string load = line("INSERT", "10.0", 500) + end + "20.5s\n" + line("INSERT", "20.5", 1025);
        const std::string figures = line("READ", "10.0", 100) + line("UPDATE", "9.9", 200) + end + "11.5s\n" +
                                    line("READ", "11.5", 120) + line("UPDATE", "11.4", 230);
        const std::string head = "***************** properties *****************\n\"threadcount\"=\"4\"\n"
                                 "**********************************************\n";
        const auto preview =
            importedMust(previewImport({written(m_dir.path(), "go.txt", load + head + figures + figures)}, {}));
        QCOMPARE(preview.runs.size(), std::size_t(3));
        QCOMPARE(preview.runs[0].summary.seconds, 20.5);
        QCOMPARE(preview.runs[0].summary.transactions, std::uint64_t(1025));
        QCOMPARE(preview.runs[1].users, 4);
        for (std::size_t i : {std::size_t(1), std::size_t(2)}) {
            QCOMPARE(preview.runs[i].summary.seconds, 11.5);
            QCOMPARE(preview.runs[i].summary.transactions, std::uint64_t(350));
            QCOMPARE(preview.runs[i].intervals, std::size_t(2));
            QCOMPARE(operationOf(preview.runs[i].summary, "UPDATE").count, std::uint64_t(230));
        }
    }

    void goYcsb()
    {
        const ImportPreview preview = previewOf("go-ycsb.txt");
        const ImportedRun& run = preview.runs.front();
        QCOMPARE(run.users, 4);
        QCOMPARE(run.summary.seconds, 3.744837584);
        QCOMPARE(run.summary.transactions, std::uint64_t(21982));
        QCOMPARE(run.summary.service.p999Ms, 27.967);
        QCOMPARE(operationOf(run.summary, "READ").service.p95Ms, 3.533); // of the last line, which is of the whole run
        QCOMPARE(run.intervals, std::size_t(2));
    }

    void hammerDb()
    {
        const ImportedRun run = previewOf("hammerdb.log").runs.front();
        QCOMPARE(run.users, 4);
        QCOMPARE(run.summary.tps, 399.0 / 60);
        QVERIFY(hasFigure(run, "NOPM (new orders a minute)", "53"));
        QCOMPARE(run.summary.seconds, 120.0);
        const ImportedRun profile = previewOf("hammerdb-profile.log").runs.front();
        const OperationSummary& order = operationOf(profile.summary, "NEWORD");
        QCOMPARE(order.count, std::uint64_t(80240)); // of the summary, not of single users
        QCOMPARE(order.service.p99Ms, 10.036);
        QCOMPARE(order.service.meanMs, 4.257);
    }

    // What hammerdb.sql puts into its tables.
    void hammerDatabase()
    {
        const DetectedFormat found = importedMust(detectImportFormat(importData("hammerdb.db")));
        QCOMPARE(found.id, "hammerdb-sqlite");
        const ImportPreview preview = previewOf("hammerdb.db");
        QCOMPARE(preview.origin.tool, "HammerDB");
        QCOMPARE(preview.origin.latency, "service");
        QCOMPARE(preview.runs.size(), std::size_t(3)); // the job that checks a schema measures nothing
        const ImportedRun& a = preview.runs[0];
        QCOMPARE(a.users, 4);
        QCOMPARE(a.summary.tps, 27900 / 60.0);
        QVERIFY(hasFigure(a, "NOPM (new orders a minute)", "12000"));
        QCOMPARE(a.summary.seconds, 120.0);
        QCOMPARE(a.intervals, std::size_t(4));
        QCOMPARE(a.summary.transactions, std::uint64_t(27000 + 28800)); // a minute each, without the minute of ramp-up
        const OperationSummary& order = operationOf(a.summary, "NEWORD");
        QCOMPARE(order.count, std::uint64_t(24100)); // of all users, not of each
        QCOMPARE(order.service.meanMs, 4.1);
        QCOMPARE(order.service.maxMs, 91.0);
        QCOMPARE(order.service.p50Ms, 3.05);
        QCOMPARE(order.service.p95Ms, 7.25);
        QCOMPARE(order.service.p99Ms, 9.25);
        QCOMPARE(operationOf(a.summary, "SLEV").opClass, OpClass::Read);
        const ImportedRun& b = preview.runs[1];
        QCOMPARE(b.users, 8);
        QCOMPARE(b.summary.tps, 700.0); // 42000 a minute
        QVERIFY(hasFigure(b, "NOPM (new orders a minute)", "18100"));
        QVERIFY(b.summary.operations.empty()); // percentiles of single users are not put together
        const ImportedRun& d = preview.runs[2];
        QCOMPARE(d.series, std::vector<std::string>{"qph"});
        QVERIFY(!d.summary.tells("tps") && !d.summary.tells("transactions"));
        const ImportResult stored =
            importedMust(importResults(m_dir.path().toStdString() + "/h.dynolib", {importData("hammerdb.db")}, {}));
        const auto library =
            importedMust(Library::open(m_dir.path().toStdString() + "/h.dynolib", Library::Mode::ReadOnly));
        QCOMPARE(importedMust(library->session(stored.session)).header.startedMs,
                 std::int64_t(1769853600000)); // 2026-01-31 10:00 UTC
    }

    // Files are written on: each test is a run, with its own counter and profile.
    void hammerRunsInOneFile()
    {
        const std::string counter =
            "Hammerdb Transaction Counter Log @ Sat Jan 31 10:00:00 GMT 2026\n"
            "0 MariaDB tpm @ Sat Jan 31 10:00:00 GMT 2026\n60000 MariaDB tpm @ Sat Jan 31 10:00:10 GMT 2026\n";
        std::string later = counter;
        for (std::size_t at = later.find(" 10:00"); at != std::string::npos; at = later.find(" 10:00"))
            later.replace(at, 6, " 15:30");
        const auto counters =
            importedMust(previewImport({written(m_dir.path(), "hdbtcount.log", counter + later)}, {}));
        QCOMPARE(counters.runs.size(), std::size_t(2));
        for (const ImportedRun& run : counters.runs) {
            QCOMPARE(run.summary.seconds, 10.0);
            QCOMPARE(run.summary.transactions, std::uint64_t(10'000));
        }
        std::ifstream file(importData("hammerdb-profile.log"));
        const std::string profile((std::istreambuf_iterator<char>(file)), {});
        const auto profiles =
            importedMust(previewImport({written(m_dir.path(), "hdbxtprofile.log", profile + profile)}, {}));
        QCOMPARE(profiles.runs.size(), std::size_t(2));
        for (const ImportedRun& run : profiles.runs)
            QCOMPARE(operationOf(run.summary, "NEWORD").count, std::uint64_t(80240));
    }

    void benchbase()
    {
        const ImportedRun run = previewOf("benchbase.json").runs.front();
        QCOMPARE(run.users, 16);
        QCOMPARE(run.summary.tps, 701.6642);
        QCOMPARE(run.summary.transactions, std::uint64_t(42100));
        QCOMPARE(run.summary.service.p95Ms, 48.12);
        QCOMPARE(run.summary.service.maxMs, 512.001);
        QVERIFY(!run.summary.tells("service_p999"));
        QVERIFY(!previewImport(
            {written(m_dir.path(), "half.json",
                     "{\"Measured Requests\": 1, \"Latency Distribution\": {\"Throughput (requests/second)\"")},
            {}));
    }

    void flent()
    {
        const ImportPreview preview = previewOf("flent.flent");
        const ImportedRun& run = preview.runs.front();
        QCOMPARE(run.intervals, std::size_t(3));
        QCOMPARE(run.series, (std::vector<std::string>{"Ping (ms) ICMP (ms)", "TCP download (Mbits/s)"}));
        QVERIFY(!run.summary.tells("tps") && std::isnan(run.summary.tps));
        std::ifstream file(importData("flent.flent"));
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        const std::string packed = (m_dir.path() + "/x.flent.gz").toStdString();
        gzFile out = gzopen(packed.c_str(), "wb");
        QCOMPARE(gzwrite(out, text.data(), unsigned(text.size())), int(text.size()));
        gzclose(out);
        QCOMPARE(importedMust(previewImport({packed}, {})).runs.front().intervals, std::size_t(3));
    }

    void iibench()
    {
        const ImportedRun run = previewOf("iibench.tsv").runs.front();
        QCOMPARE(run.summary.rows, std::uint64_t(980'000));
        QCOMPARE(operationOf(run.summary, "query").count, std::uint64_t(2380));
        QCOMPARE(run.summary.retried, std::uint64_t(1));
        QVERIFY(!run.summary.tells("tps"));
    }

    // The first interval of HdrHistogram's own example log (jHiccup, README of HdrHistogram_c): 45 values, 2.769 ms the
    // longest.
    void hdrLog()
    {
        ImportOptions options;
        const ImportPreview preview = previewOf("hdr.hlog", options);
        const ImportedRun& run = preview.runs.front();
        QVERIFY(run.summary.transactions > 0);
        QVERIFY(run.summary.tells("service_p99"));
        QVERIFY(near(run.summary.service.maxMs, hdrLongest(), hdrLongest() * 0.01));
    }

    // What the log's head says of its values holds; of several logs in one file each has its own.
    void hdrLogSaysWhatItHas()
    {
        std::ifstream file(importData("hdr.hlog"));
        const std::string log((std::istreambuf_iterator<char>(file)), {});
        const std::string head =
            "#[Written by Dynobench 1.0]\n#[Values are response times (from the intended start) in nanoseconds, "
            "without the warm-up; lines without a tag are whole transactions]\n";
        const ImportPreview response = importedMust(previewImport({written(m_dir.path(), "r.hlog", head + log)}, {}));
        QCOMPARE(response.origin.latency, "response");
        const RunSummary& s = response.runs.front().summary;
        QVERIFY(s.tells("response_p99") && !s.tells("service_p99") &&
                near(s.response.maxMs, hdrLongest(), hdrLongest() * 0.01));
        for (const std::string& note : response.origin.notes)
            QVERIFY2(note.find("does not tell") == std::string::npos, note.c_str());
        const auto two = importedMust(previewImport({written(m_dir.path(), "two.hlog", log + head + log)}, {}));
        QCOMPARE(two.runs.size(), std::size_t(2));
        QCOMPARE(two.origin.latency, "service, or response where there was a rate");
        ImportOptions options; // what a person says counts more
        options.map = {{"clock", "service"}};
        QCOMPARE(importedMust(previewImport({written(m_dir.path(), "s.hlog", head + log)}, options)).origin.latency,
                 "service");
    }

    void figuresThatCannotBe()
    {
        std::ifstream file(importData("benchbase.json"));
        std::string text((std::istreambuf_iterator<char>(file)), {});
        const std::string key = "\"Start timestamp (milliseconds)\": ";
        const std::size_t at = text.find(key) + key.size();
        QVERIFY(at > key.size());
        text.replace(at, text.find_first_of(",\n", at) - at, "9.2e18");
        QVERIFY(importResults(m_dir.path().toStdString() + "/b.dynolib", {written(m_dir.path(), "b.json", text)}, {}));
        for (const char* line :
             {"[ 1e300s ] thds: 4 eps: 1.00 lat (ms,95%): 1.00\n", "progress: 1e300 s, 1.0 tps, lat 1.0 ms\n",
              "2026-01-31 10:00:00:000 1e300 sec: 5 operations; 1 current ops/sec;\n"})
            QVERIFY2(!previewImport({written(m_dir.path(), "far.log", std::string("YCSB Client 0.17.0\n") + line)}, {}),
                     line);
    }

    // Each table counts its retries anew.
    void iibenchTables()
    {
        std::ifstream file(importData("iibench.tsv"));
        const std::string one((std::istreambuf_iterator<char>(file)), {});
        const auto two = importedMust(previewImport({written(m_dir.path(), "two.tsv", one + one)}, {}));
        QCOMPARE(two.runs.size(), std::size_t(2));
        QCOMPARE(two.runs[1].summary.retried, std::uint64_t(1));
    }

    void tables()
    {
        const ImportPreview comma = previewOf("table-comma.csv", [] {
            ImportOptions options;
            options.map = {{"time", "zeit"}, {"throughput", "durchsatz"}, {"p95", "3"}};
            return options;
        }());
        QCOMPARE(comma.runs.front().summary.transactions, std::uint64_t(1205 + 1198 + 1210));
        QCOMPARE(comma.runs.front().intervals, std::size_t(3));
        const ImportPreview runs = previewOf("table-runs.csv"); // by its headings
        QCOMPARE(runs.runs.size(), std::size_t(3));
        QCOMPARE(runs.runs[2].users, 16);
        QCOMPARE(runs.runs[2].summary.tps, 3100.0);
        QCOMPARE(runs.runs[2].summary.service.p95Ms, 8.8);
        QVERIFY(!runs.runs[2].summary.tells("service_p99"));

        // With semicolons too, a point is a decimal sign when the rows say so: three digits after it are no group.
        const auto semicolons = [this](const std::string& rows) {
            return importedMust(previewImport({written(m_dir.path(), "semicolon.csv", "time;tps;p95\n" + rows)}, {}));
        };
        for (const auto& [rows, tps, uncertain] :
             {std::tuple{"1;1234.567;0.123\n2;1234.567;12.345\n", 1234.567,
                         false},                                            // a group has no first one of four, or of 0
              std::tuple{"1;12.345;1.500\n2;12.345;1.500\n", 12.345, true}, // either: no comma anywhere
              std::tuple{"1;1.234,5;0,123\n2;1.234,5;12,345\n", 1234.5, false},
              std::tuple{"1;12,345;1,500\n2;12,345;1,500\n", 12.345, true},
              std::tuple{"1;1.234.567;3\n2;1.234.567;3\n", 1234567.0, false}}) {
            const ImportPreview table = semicolons(rows);
            QVERIFY2(near(table.runs.front().summary.tps, tps, tps / 20), rows); // whole transactions of 2 s
            QCOMPARE(
                std::ranges::any_of(table.origin.notes,
                                    [](const auto& note) { return note.find("decimal sign") != std::string::npos; }),
                uncertain);
        }
        // A row that does not fit is named with its line.
        const ImportPreview bad = semicolons("1;1234.567;1\n2;what;1\n3;100;1\n");
        QCOMPARE(bad.origin.unknownLines, std::uint64_t(1));
        QCOMPARE(bad.origin.unknown.front().line, std::int64_t(3));
        // The head is cut off: the first row is as long as the second.
        const RunSummary cut = semicolons("600;900;1\n602;100;1\n604;100;1\n").runs.front().summary;
        QCOMPARE(cut.seconds, 6.0);
        QCOMPARE(cut.transactions, std::uint64_t(2200));
        QCOMPARE(semicolons("4;100;1\n10;100;1\n").runs.front().summary.seconds, 10.0); // it did not begin before 0

        ImportOptions wrong;
        wrong.map = {{"throughput", "nothing"}};
        const auto refused = previewImport({importData("table-runs.csv")}, wrong);
        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("the columns are: threads, tps") != std::string::npos,
                 refused.error().text().c_str());
        ImportMap map;
        QVERIFY(!setImportField(map, "speed=3"));
        QVERIFY(!setImportField(map, "clock=maybe"));
        const auto file = written(m_dir.path(), "map.toml", "time = \"zeit\"\np95 = 3\nlatency_unit = \"us\"\n");
        QCOMPARE(importedMust(readImportMap(file)).at("p95"), "3");
        QVERIFY(!readImportMap(written(m_dir.path(), "bad.toml", "time = [1]\n")));
        QVERIFY(!readImportMap(written(m_dir.path(), "worse.toml", "time =\n")));
        const auto huge = readImportMap(written(m_dir.path(), "huge.toml", "time = 1\np95 = 1e300\n"));
        QVERIFY(!huge);
        QVERIFY2(QString::fromStdString(huge.error().text()).contains("huge.toml:2"), huge.error().text().c_str());
    }

private:
    //! Column Interval_Max of the log, milliseconds.
    static double hdrLongest()
    {
        double longest = 0;
        std::ifstream file(importData("hdr.hlog"));
        for (std::string line; std::getline(file, line);) {
            double start = 0, length = 0, most = 0;
            if (std::sscanf(line.c_str(), "%lf,%lf,%lf,", &start, &length, &most) == 3)
                longest = std::max(longest, most);
        }
        return longest;
    }

    QTemporaryDir m_dir;
};

} // namespace dyno::tst_import_tools

DYNO_SUITE(tst_import_tools, dyno::tst_import_tools::TstImportTools)
#include "tst_import_tools.moc"
