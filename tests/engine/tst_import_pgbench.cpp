// SPDX-License-Identifier: GPL-3.0-or-later
// What pgbench prints and the files of its -l, against pgbench's own summaries. Where the files come from:
// tests/data/import/README.md.
#include "import_test.h"
#include "support/suite.h"

#include <QTemporaryDir>

#include <array>

namespace dyno::tst_import_pgbench {

class TstImportPgbench : public QObject
{
    Q_OBJECT
private slots:
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

    // Each began when its summary says so: two scripts, then one; pgbench's own words are in the file.
    void pgbenchSummariesInOneFile()
    {
        const ImportPreview preview = previewOf("pgbench-scripts.log");
        QCOMPARE(preview.runs.size(), std::size_t(2));
        QCOMPARE(preview.origin.unknownLines, std::uint64_t(0));
        QCOMPARE(preview.runs[0].users, 2);
        QCOMPARE(preview.runs[0].summary.tps, 3757.138563);
        QCOMPARE(operationOf(preview.runs[0].summary, "two.sql").count, std::uint64_t(52));
        QCOMPARE(preview.runs[1].users, 4);
        QCOMPARE(preview.runs[1].summary.transactions, std::uint64_t(200));
        QCOMPARE(preview.runs[1].summary.tps, 4720.320982);
        QVERIFY(preview.runs[1].summary.operations.empty());
        // Progress of one run after another, whose first was stopped; and a log whose head is cut off.
        const std::string cut = "progress: 600.0 s, 900.0 tps, lat 1.000 ms stddev 0.1\nprogress: 610.0 s, 100.0 tps, "
                                "lat 1.000 ms stddev 0.1\n";
        const std::string next = "progress: 5.0 s, 10.0 tps, lat 1.000 ms stddev 0.1\n";
        const auto stopped = importedMust(previewImport({written(m_dir.path(), "stopped.log", cut + next)}, {}));
        QCOMPARE(stopped.runs.size(), std::size_t(2));
        QCOMPARE(stopped.runs[0].summary.status, RunStatus::Cut);
        QCOMPARE(stopped.runs[0].summary.seconds, 20.0);
        QCOMPARE(stopped.runs[0].summary.transactions, std::uint64_t(10'000));
        QCOMPARE(stopped.runs[1].summary.transactions, std::uint64_t(50));
    }

    void pgbenchThatConnectsForEachTransaction()
    {
        const ImportedRun run = previewOf("pgbench-connect.log").runs.front(); // -C: one line, with connecting
        QCOMPARE(run.summary.tps, 145.738254);
        QVERIFY(hasFigure(run, "average connection time", "6.420 ms"));
        const std::string older =
            "transaction type: <builtin: TPC-B (sort of)>\nnumber of transactions actually processed: 100/100\n"
            "tps = 90.5 (including connections establishing)\ntps = 95.25 (excluding connections establishing)\n";
        const ImportedRun two =
            importedMust(previewImport({written(m_dir.path(), "older.log", older)}, {})).runs.front();
        QCOMPARE(two.summary.tps, 95.25);
        QVERIFY(hasFigure(two, "tps including connecting", "90.5"));
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
        // Columns 5 and 6 say when each ended: the last at …251.975837; the first began at …251.913268, which is
        // 0.062569 s.
        QVERIFY(near(s.seconds, 0.062569, 1e-9));
        QVERIFY(near(s.tps, 300 / 0.062569, 1e-6));
        QVERIFY(near(s.tps, 4552.352049, 4552 * 0.06)); // which pgbench printed for another run of these options
    }

    // Two threads, two files: pgbench's own summary is in pgbench-threads.txt.
    void pgbenchThreadsAreOneRun()
    {
        const auto preview = importedMust(
            previewImport({importData("pgbench-threads.10052"), importData("pgbench-threads.10052.1")}, {}));
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
        QCOMPARE(importedMust(
                     previewImport({importData("pgbench-threads.10052"), importData("pgbench-transactions.log")}, {}))
                     .runs.size(),
                 std::size_t(2));
        QCOMPARE(
            importedMust(previewImport({importData("pgbench-threads.10052"), importData("pgbench-threads.10052")}, {}))
                .runs.size(),
            std::size_t(2));
    }

    // A client of one transaction each 100 ms from …000.5 to …010.5, but none ends from …003 to …006; lines not in
    // order.
    void pgbenchStallIsSeen()
    {
        std::string log;
        int number = 0;
        for (int tenth = 6; tenth <= 105; ++tenth) {
            if (tenth < 30 || tenth >= 60)
                log += "5 " + std::to_string(++number) + " 100000 0 " + std::to_string(1'700'000'000 + tenth / 10) +
                       " " + std::to_string(tenth % 10 * 100'000) + "\n";
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
        const auto intervals =
            importedMust(opened->intervals(importedMust(opened->session(result.session)).runs.front().id));
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
            {importData("pgbench-agg.10223"), importData("pgbench-agg.10223.1"), importData("pgbench-agg.10223.2")},
            {}));
        QCOMPARE(threads.runs.size(), std::size_t(1));
        const RunSummary& all = threads.runs.front().summary;
        QCOMPARE(all.transactions, std::uint64_t(5911 + 8726 + 8713 + 6772 + 10380 + 10335 + 6891 + 10145 + 10759));
        QVERIFY(near(all.tps, 29547.272298, 29547 * 0.005));
        QCOMPARE(all.service.maxMs, 13.180);
        QVERIFY(near(all.service.meanMs, 0.102, 0.001));
    }

private:
    QTemporaryDir m_dir;
};

} // namespace dyno::tst_import_pgbench

DYNO_SUITE(tst_import_pgbench, dyno::tst_import_pgbench::TstImportPgbench)
#include "tst_import_pgbench.moc"
