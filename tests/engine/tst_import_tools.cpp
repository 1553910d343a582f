// SPDX-License-Identifier: GPL-3.0-or-later
// Results of other tools than sysbench. Where the files come from: tests/data/import/README.md.
#include "import_test.h"

#include <QTemporaryDir>

#include <array>
#include <zlib.h>

using namespace dyno;

namespace {

const OperationSummary& operationOf(const RunSummary& summary, const std::string& name)
{
    for (const OperationSummary& one : summary.operations)
        if (one.name == name)
            return one;
    qFatal("there is no operation %s", name.c_str());
}

bool hasFigure(const ImportedRun& run, const std::string& name, const std::string& value)
{
    for (const ImportFigure& one : run.figures)
        if (one.name == name)
            return one.value == value;
    return false;
}

} // namespace

class TstImportTools : public QObject
{
    Q_OBJECT
private slots:
    void isRecognised_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("format");
        for (const auto& [file, format] : std::array<std::pair<const char*, const char*>, 16>{
                 {{"tpcc-mysql.txt", "tpcc-mysql"},
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

    void pgbench()
    {
        const ImportPreview preview = previewOf("pgbench.log");
        QCOMPARE(preview.origin.version, "15.20");
        const ImportedRun& run = preview.runs.front();
        QCOMPARE(run.users, 4);
        QCOMPARE(run.intervals, std::size_t(5));
        QCOMPARE(run.summary.transactions, std::uint64_t(3043));
        QCOMPARE(run.summary.tps, 609.074225);
        QCOMPARE(run.summary.service.meanMs, 6.481);
        QVERIFY(!run.summary.tells("service_p95") && std::isnan(run.summary.service.p95Ms));
        QVERIFY(hasFigure(run, "latency stddev", "4.064 ms"));
        QCOMPARE(previewOf("pgbench-rate.log").origin.latency, "response");
    }

    void pgbenchTransactions()
    {
        const RunSummary s = previewOf("pgbench-transactions.log").runs.front().summary;
        QCOMPARE(s.transactions, std::uint64_t(300)); // -c 2 -t 150
        // the mean and the largest of the file's third column
        double sum = 0, most = 0;
        std::ifstream file(importData("pgbench-transactions.log"));
        for (std::string a, b, us, rest; file >> a >> b >> us && std::getline(file, rest);) {
            sum += std::stod(us);
            most = std::max(most, std::stod(us));
        }
        QVERIFY(near(s.service.meanMs, sum / 300 / 1000, 1e-9));
        QVERIFY(near(s.service.maxMs, most / 1000, 1e-9));
        QVERIFY(s.tells("service_p99") && s.service.p99Ms > 0);
        // Columns 5 and 6 say when each ended: the last at …251.975837; the first began at …251.913268, which is 0.062569 s.
        QVERIFY(near(s.seconds, 0.062569, 1e-9));
        QVERIFY(near(s.tps, 300 / 0.062569, 1e-6));
        QVERIFY(near(s.tps, 4552.352049, 4552 * 0.06)); // which pgbench printed for another run of these options
    }

    // Two threads, two files: pgbench's own summary is in pgbench-threads.txt.
    void pgbenchThreadsAreOneRun()
    {
        const auto preview = importedMust(previewImport({importData("pgbench-threads.10052"), importData("pgbench-threads.10052.1")}, {}));
        QCOMPARE(preview.runs.size(), std::size_t(1));
        const ImportedRun& run = preview.runs.front();
        QCOMPARE(run.users, 4);
        QCOMPARE(run.summary.transactions, std::uint64_t(240));
        QVERIFY(near(run.summary.tps, 3956.283072, 3956 * 0.005));
        // One of them alone has half of all; its clients are 2 and 3, which are two users.
        const ImportedRun half = previewOf("pgbench-threads.10052.1").runs.front();
        QCOMPARE(half.users, 2);
        QCOMPARE(half.summary.transactions, std::uint64_t(120));
        // Files of different runs stay apart, and so does the same file twice.
        QCOMPARE(importedMust(previewImport({importData("pgbench-threads.10052"), importData("pgbench-transactions.log")}, {})).runs.size(),
                 std::size_t(2));
        QCOMPARE(importedMust(previewImport({importData("pgbench-threads.10052"), importData("pgbench-threads.10052")}, {})).runs.size(),
                 std::size_t(2));
    }

    // A client of one transaction each 100 ms from …000.5 to …010.5, but none ends from …003 to …006; lines not in order.
    void pgbenchStallIsSeen()
    {
        std::string log;
        int number = 0;
        for (int tenth = 6; tenth <= 105; ++tenth) {
            if (tenth < 30 || tenth >= 60)
                log += "5 " + std::to_string(++number) + " 100000 0 " + std::to_string(1'700'000'000 + tenth / 10) + " " +
                       std::to_string(tenth % 10 * 100'000) + "\n";
        }
        const auto preview = importedMust(previewImport({written(m_dir.path(), "stall.log", log)}, {}));
        const ImportedRun& run = preview.runs.front();
        QCOMPARE(run.users, 1);
        QCOMPARE(run.summary.seconds, 10.0);
        QCOMPARE(run.summary.transactions, std::uint64_t(70));
        QCOMPARE(run.summary.tps, 7.0);
        const auto library = std::filesystem::path(m_dir.path().toStdString()) / "stall.dynolib";
        const ImportResult result = importedMust(importResults(library, {written(m_dir.path(), "stall.log", log)}, {}));
        const auto opened = importedMust(Library::open(library, Library::Mode::ReadOnly));
        const auto intervals = importedMust(opened->intervals(importedMust(opened->session(result.session)).runs.front().id));
        // …000.5 to …001, nine whole seconds, …010 to …010.5
        QCOMPARE(intervals.size(), std::size_t(11));
        const std::array<std::uint64_t, 11> counts = {4, 10, 10, 0, 0, 0, 10, 10, 10, 10, 6};
        double at = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            QCOMPARE(intervals[i].transaction.count, counts[i]);
            QVERIFY(near(double(intervals[i].tNs) * 1e-9, at, 1e-6));
            at += double(intervals[i].lengthNs) * 1e-9;
        }
        QVERIFY(near(at, 10, 1e-6));
    }

    // Clients count their transactions: a second run in the same file begins at 1 again.
    void pgbenchRunsInOneFile()
    {
        const std::string run = "0 1 1000 0 1700000000 1000\n0 2 1000 0 1700000000 2000\n";
        const std::string other = "0 1 1000 0 1700003600 1000\n0 2 3000 0 1700003600 4000\n";
        const auto preview = importedMust(previewImport({written(m_dir.path(), "two.log", run + other)}, {}));
        QCOMPARE(preview.runs.size(), std::size_t(2));
        QVERIFY(near(preview.runs[0].summary.seconds, 0.002, 1e-9));
        QVERIFY(near(preview.runs[1].summary.seconds, 0.004, 1e-9));
        QVERIFY(near(preview.runs[1].summary.tps, 500, 1e-6));
    }

    // Latest line first: nothing is lost, and the figures are those of the ordered file.
    void pgbenchLinesBackwards()
    {
        std::string log;
        for (int second = 2000; second > 0; --second)
            log += std::to_string(second) + " 1 500000 0 " + std::to_string(1'700'000'000 + second) + " 0\n";
        const ImportedRun run = importedMust(previewImport({written(m_dir.path(), "back.log", log)}, {})).runs.front();
        QCOMPARE(run.summary.transactions, std::uint64_t(2000));
        QCOMPARE(run.users, 2000);
        QCOMPARE(run.summary.seconds, 1999.5);
    }

    void pgbenchAggregates()
    {
        const ImportedRun run = previewOf("pgbench-aggregate.log").runs.front();
        QCOMPARE(run.intervals, std::size_t(4));
        QCOMPARE(run.summary.transactions, std::uint64_t(444 + 422 + 753 + 581));
        QVERIFY(near(run.summary.service.meanMs, (1917278.0 + 1993589 + 1991552 + 1993099) / 2200 / 1000, 1e-6));
        QCOMPARE(run.summary.service.maxMs, 23.951);
        QVERIFY(!run.summary.tells("service_p95"));
        QCOMPARE(run.summary.tps, (422.0 + 753 + 581) / 3); // pgbench begins the first one before the run
        // Three threads: counts of all files, and pgbench's own summary (pgbench-agg.txt).
        const auto threads = importedMust(previewImport(
            {importData("pgbench-agg.10223"), importData("pgbench-agg.10223.1"), importData("pgbench-agg.10223.2")}, {}));
        QCOMPARE(threads.runs.size(), std::size_t(1));
        const RunSummary& all = threads.runs.front().summary;
        QCOMPARE(all.transactions, std::uint64_t(5911 + 8726 + 8713 + 6772 + 10380 + 10335 + 6891 + 10145 + 10759));
        QVERIFY(near(all.tps, 29547.272298, 29547 * 0.005));
        QCOMPARE(all.service.maxMs, 13.180);
        QVERIFY(near(all.service.meanMs, 0.102, 0.001));
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
        const std::string line = "2026-01-31 10:00:10:000 10 sec: 100 operations; 10,5 current ops/sec; est completion in 5 seconds "
                                 "[READ: Count=100, Max=203, Min=112, Avg=150,25, 99=201] \n";
        const auto preview = importedMust(previewImport({written(m_dir.path(), "de.txt", line)}, {}));
        QCOMPARE(preview.runs.front().summary.transactions, std::uint64_t(100));
        const auto& series = preview.runs.front().series;
        QVERIFY(std::find(series.begin(), series.end(), "READ latency mean (ms)") != series.end());
    }

    void goYcsb()
    {
        const ImportPreview preview = previewOf("go-ycsb.txt");
        const ImportedRun& run = preview.runs.front();
        QCOMPARE(run.users, 4);
        QCOMPARE(run.summary.seconds, 11.5);
        QCOMPARE(run.summary.transactions, std::uint64_t(2000));
        QCOMPARE(run.summary.service.p999Ms, 11.001);
        QCOMPARE(operationOf(run.summary, "READ").service.p95Ms, 1.004); // of the last line, which is of the whole run
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

    void benchbase()
    {
        const ImportedRun run = previewOf("benchbase.json").runs.front();
        QCOMPARE(run.users, 16);
        QCOMPARE(run.summary.tps, 701.6642);
        QCOMPARE(run.summary.transactions, std::uint64_t(42100));
        QCOMPARE(run.summary.service.p95Ms, 48.12);
        QCOMPARE(run.summary.service.maxMs, 512.001);
        QVERIFY(!run.summary.tells("service_p999"));
        QVERIFY(!previewImport({written(m_dir.path(), "half.json", "{\"Measured Requests\": 1, \"Latency Distribution\": {\"Throughput (requests/second)\"")}, {}));
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

        ImportOptions wrong;
        wrong.map = {{"throughput", "nothing"}};
        const auto refused = previewImport({importData("table-runs.csv")}, wrong);
        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("the columns are: threads, tps") != std::string::npos, refused.error().text().c_str());
        ImportMap map;
        QVERIFY(!setImportField(map, "speed=3"));
        QVERIFY(!setImportField(map, "clock=maybe"));
        const auto file = written(m_dir.path(), "map.toml", "time = \"zeit\"\np95 = 3\nlatency_unit = \"us\"\n");
        QCOMPARE(importedMust(readImportMap(file)).at("p95"), "3");
        QVERIFY(!readImportMap(written(m_dir.path(), "bad.toml", "time = [1]\n")));
        QVERIFY(!readImportMap(written(m_dir.path(), "worse.toml", "time =\n")));
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

QTEST_GUILESS_MAIN(TstImportTools)
#include "tst_import_tools.moc"
