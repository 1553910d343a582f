// SPDX-License-Identifier: GPL-3.0-or-later
// Logs that sysbench 1.0.20 wrote here (tests/data/import/README.md), against sysbench's own summary, and what logs
// look like when something went wrong.
#include "import_test.h"
#include "support/suite.h"

#include <QTemporaryDir>

#include <array>

namespace dyno::tst_import_sysbench {

class TstImportSysbench : public QObject
{
    Q_OBJECT
private slots:
    void isRecognised_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("format");
        QTest::newRow("log") << "sysbench-oltp.log"
                             << "sysbench";
        QTest::newRow("cpu") << "sysbench-cpu.log"
                             << "sysbench";
        QTest::newRow("csv hook") << "sysbench-hook.csv"
                                  << "sysbench-csv";
        QTest::newRow("json hook") << "sysbench-hook.json"
                                   << "sysbench-json";
    }
    void isRecognised()
    {
        QFETCH(QString, file);
        QFETCH(QString, format);
        const DetectedFormat found = importedMust(detectImportFormat(importData(file.toStdString())));
        QCOMPARE(QString::fromStdString(found.id), format);
        QVERIFY(!found.reason.empty());
    }

    // Figures of the report at the log's end.
    void readsTheReport()
    {
        const ImportPreview preview = previewOf("sysbench-oltp.log");
        QCOMPARE(preview.origin.version, "1.0.20");
        QCOMPARE(preview.origin.latency, "service");
        QCOMPARE(preview.origin.unknownLines, std::uint64_t(0));
        QCOMPARE(preview.runs.size(), std::size_t(1));
        const ImportedRun& run = preview.runs.front();
        QCOMPARE(run.users, 4);
        const Told told = reportOf("sysbench-oltp.log");
        const RunSummary& s = run.summary;
        QCOMPARE(s.status, RunStatus::Done);
        QCOMPARE(double(s.transactions), told.transactions);
        QCOMPARE(s.tps, told.tps);
        QCOMPARE(double(s.queries), told.queries);
        QVERIFY(near(s.seconds, told.seconds, 1e-9));
        QCOMPARE(s.service.meanMs, told.avg);
        QCOMPARE(s.service.p95Ms, told.percentile);
        QCOMPARE(s.service.maxMs, told.max);
        QVERIFY(s.tells("service_p95") && s.tells("service_max") && s.tells("tps") && s.tells("errors"));
        // Closed loop: nothing is said of the intended start; and of p99 only its histogram.
        QVERIFY(!s.tells("response_p95") && std::isnan(s.response.p95Ms));
        QVERIFY(!s.tells("data_bytes") && !s.tells("rows"));
        QCOMPARE(s.operations.size(), std::size_t(3));
        QCOMPARE(s.operations[0].name, "read");
        QCOMPARE(double(s.operations[0].count), told.reads);
        QCOMPARE(run.intervals, told.intervals);
    }

    // The histogram that was printed gives the percentile that was printed, within a bucket of sysbench (1.8 %).
    void histogramAgreesWithThePercentile()
    {
        for (const char* file : {"sysbench-oltp.log", "sysbench-cpu.log", "sysbench-rate.log"}) {
            const ImportPreview preview = previewOf(file);
            const Told told = reportOf(file);
            const RunSummary& s = preview.runs.front().summary;
            const bool open = preview.origin.latency == "response";
            const LatencySummary& latency = open ? s.response : s.service;
            QVERIFY(s.tells(open ? "response_p50" : "service_p50"));
            QVERIFY(latency.p50Ms > 0 && latency.p50Ms <= latency.p90Ms && latency.p90Ms <= latency.p999Ms);
            const double stated = told.percent == 99 ? latency.p99Ms : latency.p95Ms;
            QCOMPARE(stated, told.percentile);
            QVERIFY(told.percent == 99 ? latency.p95Ms <= stated * 1.02 : latency.p99Ms >= stated * 0.98);
        }
    }

    void intervalsAddUp()
    {
        const ImportPreview preview = previewOf("sysbench-hook.csv");
        const RunSummary& s = preview.runs.front().summary;
        double sum = 0;
        std::ifstream file(importData("sysbench-hook.csv"));
        for (std::string line; std::getline(file, line);)
            sum += std::stod(line.substr(line.find(',', line.find(',') + 1) + 1));
        QVERIFY(near(double(s.transactions), sum, 3)); // rates of one second each, rounded
        QVERIFY(!s.tells("service_p95"));              // which percentile it is, is not told
        QCOMPARE(preview.runs.front().series, std::vector<std::string>{"latency, percentile not told (ms)"});
    }

    void jsonWithoutItsEnd()
    {
        std::ifstream file(importData("sysbench-hook.json"));
        std::string text((std::istreambuf_iterator<char>(file)), {});
        const std::size_t whole = previewOf("sysbench-hook.json").runs.front().intervals;
        QVERIFY(whole >= 2);
        text.resize(text.rfind('}') - 3); // killed while it wrote the last object
        const auto cut = importedMust(previewImport({written(m_dir.path(), "cut.json", text)}, {}));
        QCOMPARE(cut.runs.front().intervals, whole - 1);
    }

    void rateIsResponseTime()
    {
        const ImportPreview preview = previewOf("sysbench-rate.log");
        const RunSummary& s = preview.runs.front().summary;
        QCOMPARE(preview.origin.latency, "response");
        QVERIFY(s.tells("response_p95") && !s.tells("service_p95") && std::isnan(s.service.p95Ms));
        const auto& series = preview.runs.front().series;
        QVERIFY(std::find(series.begin(), series.end(), "queue length (events)") != series.end());
    }

    void percentilesMayBeSwitchedOff()
    {
        const RunSummary s = previewOf("sysbench-no-percentile.log").runs.front().summary;
        QVERIFY(!s.tells("service_p95") && s.tells("service_mean") && s.tells("service_max"));
    }

    // --report-checkpoints resets the counters: each part is a run of its own.
    void checkpointsAreSegments()
    {
        const ImportPreview preview = previewOf("sysbench-checkpoints.log");
        QCOMPARE(preview.runs.size(), std::size_t(2));
        QVERIFY(preview.runs[0].label.find('1') != std::string::npos &&
                preview.runs[1].label.find('2') != std::string::npos);
        for (const ImportedRun& run : preview.runs) {
            QVERIFY(run.summary.tells("service_p99"));
            QVERIFY(run.summary.transactions > 1000);
            QCOMPARE(run.users, 8);
        }
        QVERIFY(preview.runs[0].summary.retried > 0); // deadlocks, which sysbench begins again
        // Two lines of a second each are before the checkpoint, though one was printed after its report, and two after
        // it.
        QCOMPARE(preview.runs[0].intervals, std::size_t(2));
        QCOMPARE(preview.runs[1].intervals, std::size_t(2));
        // "total time" is since the start: 2.0007 and 4.0072; rates are of the segment.
        QCOMPARE(preview.runs[0].summary.seconds, 2.0007);
        QVERIFY(near(preview.runs[1].summary.seconds, 4.0072 - 2.0007, 1e-9));
        QCOMPARE(preview.runs[1].summary.tps, 1689.61);
    }

    // Without --report-interval, and without SQL: what the options say holds for each segment.
    void checkpointsWithoutIntervals()
    {
        std::ifstream file(importData("sysbench-rate-checkpoints.log"));
        const std::string one((std::istreambuf_iterator<char>(file)), {});
        const auto twice = importedMust(previewImport({written(m_dir.path(), "twice.log", one + one)}, {}));
        const ImportPreview preview = previewOf("sysbench-rate-checkpoints.log");
        QCOMPARE(preview.runs.size(), std::size_t(2));
        QCOMPARE(preview.origin.unknownLines, std::uint64_t(0));
        QCOMPARE(twice.runs.size(), std::size_t(4));
        QCOMPARE(twice.runs[3].label, preview.runs[1].label); // segments are counted anew
        QCOMPARE(twice.runs[3].summary.repeat, 2);
        const std::array<double, 2> seconds = {2.016, 4.0085 - 2.016}, tps = {98.67, 90.35}, p99 = {0.07, 12.08};
        const std::array<std::uint64_t, 2> events = {199, 180};
        for (std::size_t i = 0; i < 4; ++i) {
            const ImportedRun& run = i < 2 ? preview.runs[i] : twice.runs[i];
            const RunSummary& s = run.summary;
            QCOMPARE(run.users, 2);
            QCOMPARE(s.transactions, events[i % 2]);
            QCOMPARE(s.tps, tps[i % 2]);
            QVERIFY(near(s.seconds, seconds[i % 2], 1e-9));
            QVERIFY(s.tells("response_p99") && !s.tells("service_p99") && std::isnan(s.service.p99Ms));
            QCOMPARE(s.response.p99Ms, p99[i % 2]);
        }
    }

    // The first line that is left of a long log is of one interval, not of all that went before.
    void headsMayBeCutOff()
    {
        const auto line = [](int at, const char* tps) {
            return "[ " + std::to_string(at) + "s ] thds: 4 tps: " + tps +
                   " qps: 40.00 (r/w/o: 20.00/10.00/10.00) lat (ms,95%): 1.00 "
                   "err/s: 1.00 reconn/s: 0.00\n";
        };
        const std::string lines = line(600, "900.00") + line(602, "100.00") + line(604, "100.00");
        const std::string told = "Number of threads: 4\nReport intermediate results every 2 second(s)\n";
        const std::string csv =
            "600,4,900,40,20,10,10,1.0,1,0\n602,4,100,40,20,10,10,1.0,1,0\n604,4,100,40,20,10,10,1.0,1,0\n";
        for (const std::string& text : {lines, told + lines, csv}) {
            const ImportedRun run =
                importedMust(previewImport({written(m_dir.path(), "cut.log", text)}, {})).runs.front();
            QCOMPARE(run.intervals, std::size_t(3));
            QCOMPARE(run.summary.seconds, 6.0);
            QCOMPARE(run.summary.transactions, std::uint64_t(2 * (900 + 100 + 100)));
            QCOMPARE(run.summary.retried, std::uint64_t(6));
            QCOMPARE(run.summary.operations[0].count, std::uint64_t(120));
        }
        const ImportedRun one =
            importedMust(previewImport({written(m_dir.path(), "one.log", told + line(600, "900.00"))}, {}))
                .runs.front();
        QCOMPARE(one.summary.transactions, std::uint64_t(1800));
    }

    void olderAndOddLines()
    {
        const std::string log =
            "sysbench 0.5:  multi-threaded system evaluation benchmark\r\n\r\n"
            "Number of threads: 128\r\n"
            "[  10s] threads: 128, tps: 375.20, reads: 5674.56, writes: 1600.29, response time: 33.58ms (95%), errors: "
            "0.00, reconnects:  0.00\r\n"
            "[  20s] threads: 128, tps: 0.00, reads/s: 0.00, writes/s: 0.00, response time: 0.00ms (95%)\r\n"
            "(last message repeated 2 times)\r\n"
            "[ 30s ] thds: 128 tps: 100.00 qps: 2000.00 (r/w/o: 1400.00/400.00/200.00) lat (ms,95%): 20.00 err/s 4.00 "
            "reconn/s: 0.00\r\n"
            "what is this\r\n[ 40s ] thds: 12";
        const auto preview = importedMust(previewImport({written(m_dir.path(), "old.log", log)}, {}));
        const ImportedRun& run = preview.runs.front();
        QCOMPARE(run.intervals, std::size_t(3));
        QCOMPARE(run.summary.transactions, std::uint64_t(3752 + 1000));
        QCOMPARE(run.summary.retried, std::uint64_t(40));
        QCOMPARE(run.summary.status, RunStatus::Cut); // no report at its end
        QCOMPARE(preview.origin.unknownLines, std::uint64_t(2));
        QCOMPARE(preview.origin.unknown[0].line, std::int64_t(8));
        QCOMPARE(preview.origin.unknown[0].text, "what is this");
        QCOMPARE(preview.origin.version, "0.5");
        QVERIFY(!run.summary.tells("service_p95")); // of intervals only: never put together
    }

    void severalRunsInOneFile()
    {
        std::ifstream file(importData("sysbench-oltp.log"));
        const std::string one((std::istreambuf_iterator<char>(file)), {});
        std::string other = one;
        other.replace(other.find("Number of threads: 4"), 20, "Number of threads: 9");
        const auto preview = importedMust(previewImport({written(m_dir.path(), "two.log", one + one + other)}, {}));
        QCOMPARE(preview.runs.size(), std::size_t(3));
        QCOMPARE(preview.runs[1].summary.repeat, 2);
        QCOMPARE(preview.runs[2].users, 9);
        QCOMPARE(preview.runs[2].summary.repeat, 1);
    }

    void refusesJunk()
    {
        std::string junk;
        for (int i = 0; i < 100'000; ++i)
            junk += char((i * 7919) >> 3);
        const auto detected = detectImportFormat(written(m_dir.path(), "junk", junk));
        QVERIFY(!detected && detected.error().kind == ErrorKind::BadInput && !detected.error().remedy.empty());
        ImportOptions options;
        options.format = "sysbench";
        const auto forced = previewImport({written(m_dir.path(), "junk", junk)}, options);
        QVERIFY(!forced);
        QVERIFY2(forced.error().text().find("nothing in it was understood") != std::string::npos,
                 forced.error().text().c_str());
        QVERIFY(!detectImportFormat(written(m_dir.path(), "empty", "")));
        QVERIFY(!detectImportFormat(m_dir.path().toStdString()));
        QVERIFY(!previewImport({"/no/such/file"}, {}));
    }

    void longLogsAreKeptCoarser()
    {
        std::string log = "sysbench 1.0.20\nNumber of threads: 4\n";
        for (int i = 1; i <= 300'000; ++i)
            log += "[ " + std::to_string(i) +
                   "s ] thds: 4 tps: 100.00 qps: 200.00 (r/w/o: 200.00/0.00/0.00) lat (ms,95%): " +
                   (i == 77'777 ? "99.00" : "1.00") + " err/s: 0.00 reconn/s: 0.00\n";
        const auto preview = importedMust(previewImport({written(m_dir.path(), "long.log", log)}, {}));
        const ImportedRun& run = preview.runs.front();
        QCOMPARE(run.folded, std::uint32_t(4));
        QVERIFY(run.intervals <= std::size_t(1) << 17);
        QCOMPARE(run.summary.transactions, std::uint64_t(30'000'000)); // counts are sums
        QCOMPARE(run.summary.seconds, 300'000.0);
        QCOMPARE(run.series.front(), "latency p95 (highest of 4 intervals) (ms)");
    }

private:
    //! The report's figures, read in the plainest way.
    struct Told
    {
        double transactions = 0, tps = 0, queries = 0, reads = 0, seconds = 0, avg = 0, max = 0, percent = 0,
               percentile = 0;
        std::size_t intervals = 0;
    };
    static Told reportOf(const char* name)
    {
        Told told;
        std::ifstream file(importData(name));
        for (std::string line; std::getline(file, line);) {
            double first = 0, second = 0;
            told.intervals += line.find("s ] thds:") != std::string::npos ? 1 : 0;
            (void)std::sscanf(line.c_str(), " transactions: %lf (%lf per sec.)", &told.transactions, &told.tps);
            (void)std::sscanf(line.c_str(), " total: %lf", &told.queries);
            (void)std::sscanf(line.c_str(), " read: %lf", &told.reads);
            (void)std::sscanf(line.c_str(), " total time: %lfs", &told.seconds);
            (void)std::sscanf(line.c_str(), " avg: %lf", &told.avg);
            (void)std::sscanf(line.c_str(), " max: %lf", &told.max);
            if (std::sscanf(line.c_str(), " %lfth percentile: %lf", &first, &second) == 2) {
                told.percent = first;
                told.percentile = second;
            }
        }
        return told;
    }

    QTemporaryDir m_dir;
};

} // namespace dyno::tst_import_sysbench

DYNO_SUITE(tst_import_sysbench, dyno::tst_import_sysbench::TstImportSysbench)
#include "tst_import_sysbench.moc"
