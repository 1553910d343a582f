// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Runs that did not do all that was asked for, and what is told where a figure would mislead.
#include "figure_sessions.h"
#include "support/suite.h"
#include <dyno/export.h>
#include <dyno/report.h>

#include <QTest>

namespace dyno::tst_shortfall {
using namespace dyno::test;

namespace {

//! Loads that end at 4 million rows or after 120 s: A gets there, B does not, C does in one of its runs.
StoredSession loading()
{
    StoredSession session = sessionOf("load", {{"A", 4, {100, 101, 99}}, {"B", 4, {50, 51}}, {"C", 4, {80, 81}}});
    for (PointSpec& point : session.header.points) {
        point.load.rows = 4'000'000;
        point.load.timeSeconds = 120;
    }
    for (StoredRun& run : session.runs) {
        const bool reached = run.header.point == 0 || (run.header.point == 2 && run.header.repeat == 1);
        run.summary.rows = reached ? 4'000'100 : 1'200'000;
        run.summary.seconds = reached ? 60 + run.header.repeat : 120;
    }
    return session;
}

} // namespace

class TestShortfall : public QObject
{
    Q_OBJECT

private slots:
    //! A run that its time ended says nothing of how long all rows take: no bar of "120 s", and no comparison with it.
    void runsThatFellShort()
    {
        const StoredSession session = loading();
        const std::string text = "stopped at 120 s with 1\u202f200\u202f000 of 4\u202f000\u202f000 rows";
        QVERIFY(!shortfallOf(session, session.runs[0]));
        const auto shortfall = shortfallOf(session, session.runs[3]);
        QVERIFY(shortfall && shortfall->rows);
        QCOMPARE(shortfall->done, std::uint64_t(1'200'000));
        QCOMPARE(shortfall->wanted, std::uint64_t(4'000'000));
        QCOMPARE(toText(*shortfall), text);
        QVERIFY(!measureOf(session.runs[3].summary, settingOf(session, session.runs[3]), "seconds"));
        QCOMPARE(measureOf(session.runs[0].summary, settingOf(session, session.runs[0]), "seconds"),
                 std::optional(61.0));
        for (const char* measure : {"seconds", "exit_rate"}) {
            PivotRequest request;
            request.measure = measure;
            const IntervalFigures figures{"exit_rate", {std::vector<double>(session.runs.size(), 77)}};
            const Pivot p = pivot({session}, request, &figures);
            QCOMPARE(p.cell("4", "A")->estimate.runs.size(), std::size_t(3));
            QVERIFY(p.cell("4", "B")->estimate.runs.empty());
            QCOMPARE(p.cell("4", "B")->shortRuns, (Texts{text, text}));
            QCOMPARE(p.cell("4", "C")->estimate.runs.size(), std::size_t(1));
            QCOMPARE(p.hint(),
                     "Runs that did not do all that was asked for are left out: B: " + text + "; C: " + text + ".");
            const std::string table = markdownTable(p);
            QVERIFY2(table.find("– (2 runs fell short)") != std::string::npos &&
                         table.find("(1 run fell short)") != std::string::npos,
                     table.c_str());
            QVERIFY2(table.find("120 ") == table.find(text) + 11, table.c_str()); // nowhere but in the note
        }
        QCOMPARE(pivot({session}, {}).cell("4", "B")->estimate.runs.size(),
                 std::size_t(2)); // their throughput is known
        QVERIFY(pivot({session}, {}).hint().empty());
        const std::string report = markdownReport({session}, {});
        for (const std::string& part : Texts{"Run 4 (B, 4 users, repeat 1): " + text,
                                             "until rows are changed: 1\u202f200\u202f000 to 4\u202f000\u202f000 of "
                                             "4\u202f000\u202f000 rows",
                                             std::string("61 to 120 s measured of at most 120 s")})
            QVERIFY2(report.find(part) != std::string::npos, (part + " is missing in\n" + report).c_str());

        // Of many runs, two say enough.
        StoredSession many = session;
        for (StoredRun& run : many.runs)
            run.summary.rows = 1000 + std::uint64_t(run.header.index);
        PivotRequest times;
        times.measure = "seconds";
        QVERIFY2(pivot({many}, times)
                         .hint()
                         .find("A: stopped at 61 s with 1000 of 4\u202f000\u202f000 rows, stopped at 62 s with 1001 of "
                               "4\u202f000\u202f000 rows, and 1 more run; B: ") != std::string::npos,
                 pivot({many}, times).hint().c_str());

        // Two that fell short do not take the same time.
        StoredSession both = session;
        both.header.points.erase(both.header.points.begin());
        both.runs.erase(both.runs.begin(), both.runs.begin() + 3);
        for (StoredRun& run : both.runs) {
            run.header.point = run.summary.point -= 1;
            run.summary.rows = 1'200'000;
        }
        PivotRequest request;
        request.measure = "seconds";
        const std::string sentence = verdictSentence(pivot({both}, request));
        QVERIFY2(sentence.find("o difference") == std::string::npos && sentence.find(text) != std::string::npos,
                 sentence.c_str());
    }

    void transactionsThatFellShort()
    {
        StoredSession session = sessionOf("s", {{"A", 8, {100}}});
        LoadProfile& load = session.header.points[0].load;
        RunSummary& run = session.runs[0].summary;
        load.events = 1000;
        run.seconds = 9.87;
        run.transactions = 890;
        run.failed = 10;
        QCOMPARE(toText(*shortfallOf(session, session.runs[0])),
                 std::string("stopped at 9.87 s with 900 of 1000 transactions"));
        run.failed = 110; // what failed is charged to the budget too
        QVERIFY(!shortfallOf(session, session.runs[0]));
        run.failed = 103; // seven users have one in work where the warm-up ends
        QVERIFY(shortfallOf(session, session.runs[0]));
        load.warmupSeconds = 1;
        QVERIFY(!shortfallOf(session, session.runs[0]));
        run.failed = 101;
        QVERIFY(shortfallOf(session, session.runs[0]));
        session.runs[0].recordedWarmupEndNs = 1'000'000'000;
        QCOMPARE(toText(*shortfallOf(session, session.runs[0])),
                 std::string("991 of 1000 transactions in the 9.87 s measured since the end of the warm-up was moved"));
        load.rows = 10; // whichever comes first
        run.rows = 10;
        QVERIFY(!shortfallOf(session, session.runs[0]));
        run.rows = 9;
        QVERIFY(shortfallOf(session, session.runs[0])->rows);
        run.status = RunStatus::Stopped; // left out anyway
        QVERIFY(!shortfallOf(session, session.runs[0]));
        run.status = RunStatus::Done;
        run.origin = "pgbench 17.0";
        QVERIFY(!shortfallOf(session, session.runs[0]));
    }

    //! The first of two numbers ends a run: nobody did the other one, and nothing fell short.
    void whatEndedARunOfTwoNumbers()
    {
        StoredSession session = sessionOf("s", {{"A", 4, {100, 100}}});
        LoadProfile& load = session.header.points[0].load;
        load.events = 1000;
        load.rows = 1'000'000;
        load.timeSeconds = 60;
        const auto did = [&session](std::size_t run, std::uint64_t transactions, std::uint64_t rows) {
            session.runs[run].summary.transactions = transactions;
            session.runs[run].summary.rows = rows;
            session.runs[run].summary.seconds = 20;
        };
        const auto has = [&session](const std::string& part) {
            return captionOf({session}).find(part) != std::string::npos;
        };
        const auto loadIs = [&session](const std::string& part) {
            return markdownReport({session}, {}).find(part) != std::string::npos;
        };
        const auto why = [&session] { return captionOf({session}) + "\n" + markdownReport({session}, {}); };
        did(0, 1000, 50'000);
        did(1, 1000, 51'000);
        QVERIFY2(has("2 runs a point, 1000 transactions, 20 s measured"), why().c_str());
        QVERIFY2(loadIs("until transactions are done: 1000 transactions") &&
                     loadIs("until rows are changed: 1\u202f000\u202f000 (another end came first)"),
                 why().c_str());
        load.warmupSeconds = 1; // three of four users had theirs counted as warm-up
        did(0, 997, 50'000);
        QVERIFY2(has("2 runs a point, 1000 transactions, 20 s measured"), why().c_str());
        load.warmupSeconds = 0;
        load.events = 1'000'000;
        did(0, 900, 1'000'000);
        did(1, 901, 1'000'003);
        QVERIFY2(has("2 runs a point, 1\u202f000\u202f000 rows, 20 s measured"), why().c_str());
        // Each run by another one: what both did of both.
        load.events = 1000;
        did(0, 1000, 50'000);
        QVERIFY2(has("901 to 1000 of 1000 transactions, 50\u202f000 to 1\u202f000\u202f000 of 1\u202f000\u202f000 "
                     "rows, 20 s"),
                 why().c_str());
        // Time ended both.
        did(0, 900, 50'000);
        did(1, 900, 50'000);
        QVERIFY2(has("900 of 1000 transactions, 50\u202f000 of 1\u202f000\u202f000 rows, 20 s"), why().c_str());
        QCOMPARE(toText(*shortfallOf(session, session.runs[0])),
                 std::string("stopped at 20 s with 50\u202f000 of 1\u202f000\u202f000 rows"));
    }

    //! A facet all of whose runs fell short is one of its own: it keeps its table, and a step its row.
    void whatFellShortKeepsItsPlace()
    {
        Pivot p;
        p.request.measure = "seconds";
        p.request.x = "operation";
        p.request.series = "durability";
        p.request.facet = "size";
        p.xs = {"load", "scan"};
        p.series = {"OFF"};
        p.facets = {"small", "large"};
        for (const char* facet : {"small", "large"}) {
            for (const char* x : {"load", "scan"}) {
                PivotCell& cell = p.cells.emplace_back();
                cell.x = cell.operation = x;
                cell.series = "OFF";
                cell.facet = facet;
                cell.p95Ms = 1;
                if (cell.facet == "large")
                    cell.shortRuns = {"stopped at 120 s with 3 of 4 rows"};
                else
                    cell.estimate = estimate({10, 11});
            }
        }
        const std::string table = markdownTable(p);
        QVERIFY2(table.find("large") != std::string::npos && table.find("– (1 run fell short)") != std::string::npos,
                 table.c_str());
    }

    //! Overload: what still waits at the end has no time, so that percentiles look better than they are.
    void arrivalsThatWereNotServed()
    {
        StoredSession session = sessionOf("s", {{"A", 8, {100}}});
        RunSummary& run = session.runs[0].summary;
        session.header.points[0].load.arrival.model = ArrivalModel::Poisson;
        run.transactions = 700;
        run.failed = 20;
        run.dropped = 30;
        run.arrivals = 2001;
        run.backlog = 1; // fewer than one in a thousand: no percentile that is told would be another one
        QCOMPARE(unservedArrivals(session, session.runs[0]), std::uint64_t(0));
        QVERIFY(markdownReport({session}, {}).find("not served") == std::string::npos);
        run.backlog = 0; // stored before it was kept
        QCOMPARE(unservedArrivals(session, session.runs[0]), std::uint64_t(0));
        run.arrivals = 1250;
        run.backlog = 500;
        run.status = RunStatus::Stopped;
        QCOMPARE(unservedArrivals(session, session.runs[0]), std::uint64_t(0));
        run.status = RunStatus::Done;
        QCOMPARE(unservedArrivals(session, session.runs[0]), std::uint64_t(500));
        const std::string report = markdownReport({session}, {});
        QVERIFY2(report.find("500 of 1250 arrivals not served by the end; their times are in no percentile.") !=
                     std::string::npos,
                 report.c_str());
    }

    //! Others' scripts read these files.
    void namesOfColumnsStay()
    {
        const StoredSession session = durability();
        const std::string runs = runsCsv(session), intervals = intervalsCsv(session.runs[0], {});
        for (const std::string* csv : {&runs, &intervals})
            QVERIFY2(csv->find(",failed transactions,retried transactions,dropped arrivals,") != std::string::npos,
                     csv->c_str());
    }

    //! Above 73 minutes only that bound is known: no figure, and never the bound as one.
    void timesBeyondAHistogramAreNoFigure()
    {
        StoredRun run;
        run.header.operations = {{"read", OpClass::Read}};
        IntervalSample sample;
        sample.lengthNs = 1'000'000'000;
        sample.ops.resize(1);
        for (Histogram* times : {&sample.transaction.service, &sample.ops[0].service})
            times->record(std::uint64_t(90) * 60 * 1'000'000'000, 2),
                times->record(std::uint64_t(100) * 60 * 1'000'000'000, 2);
        sample.transaction.count = sample.ops[0].count = 4;
        const std::string csv = intervalsCsv(run, {sample});
        QVERIFY2(csv.find("4398046") == std::string::npos && csv.find(",6000000") != std::string::npos, csv.c_str());
    }
};

} // namespace dyno::tst_shortfall

DYNO_SUITE(tst_shortfall, dyno::tst_shortfall::TestShortfall)
#include "tst_shortfall.moc"
