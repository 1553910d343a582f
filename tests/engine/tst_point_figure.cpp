// SPDX-License-Identifier: GPL-3.0-or-later
// One rule for the figures of a point, in everything that shows them: known answers by hand.
#include "figure_sessions.h"
#include "store/codec/session_codec.h"
#include "support/long_form.h"
#include "support/suite.h"

#include <dyno/analysis.h>
#include <dyno/report.h>

#include <QTest>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

namespace dyno::tst_point_figure {
using namespace dyno::test;

namespace {

//! So many transactions that took so long; below 128 ns each nanosecond has a bucket of its own.
Histogram times(std::vector<std::pair<std::uint64_t, std::uint64_t>> nsAndCount)
{
    Histogram histogram;
    for (const auto& [ns, count] : nsAndCount)
        histogram.record(ns, count);
    return histogram;
}

void setTimes(RunSummary& run, const Histogram& histogram)
{
    run.times.service = histogram;
    run.service = run.response = summarize(histogram);
    run.transactions = histogram.count();
}

constexpr double kNs = 1e-6; //!< in milliseconds

//! Two runs of one point. A: 100 transactions of 10 ns, p95 = 10 ns. B: 90 of 10 ns and 10 of 100 ns, p95 = 100 ns. Of
//! all 200, the 190th takes 10 ns: the point's p95 is 10 ns, not 55 (their mean and median).
StoredSession knownSession()
{
    StoredSession session = sessionOf("known", {{"OFF", 4, {100, 100}}});
    setTimes(session.runs[0].summary, times({{10, 100}}));
    setTimes(session.runs[1].summary, times({{10, 90}, {100, 10}}));
    session.header.runs = {{0, 1}, {0, 2}};
    return session;
}

bool near(double a, double b)
{
    return std::fabs(a - b) < 1e-12;
}

} // namespace

class TestPointFigure : public QObject
{
    Q_OBJECT
private slots:
    void aPercentileIsOfAllTransactions()
    {
        const StoredSession session = knownSession();
        std::vector<RunFigure> figures;
        for (const StoredRun& run : session.runs)
            figures.push_back(figureOfRun(run.summary, settingOf(session, run), "service_p95").value());
        QVERIFY(near(figures[0].value, 10 * kNs) && near(figures[1].value, 100 * kNs));
        const Estimate point = figureOfPoint(figures, "service_p95");
        QVERIFY(point.merged);
        QVERIFY(near(point.mean, 10 * kNs));
        QVERIFY(near(point.median, 55 * kNs)); // of the runs, for whoever asks for it
        QCOMPARE(point.runs.size(), std::size_t(2));
        // The runs' own figures, 10 and 100 ns, in proportion: their mean is the figure, and none is below 0.
        QVERIFY(near(point.shares.at(0), 10 * 10 / 55.0 * kNs) && near(point.shares.at(1), 100 * 10 / 55.0 * kNs));
        QVERIFY(point.low && point.high && *point.low < point.mean && point.mean < *point.high);
        QVERIFY2(*point.low > 0, "a time below 0");
    }
    //! Two points that do not differ, each of so many runs, whose times differ by 1 % from run to run: less than a
    //! histogram's bucket is wide. A difference is shown in one of twenty comparisons, not oftener.
    void noiseIsNoDifference_data()
    {
        QTest::addColumn<int>("runs");
        QTest::addColumn<QString>("measure");
        QTest::newRow("p95 of five") << 5 << "service_p95";
        QTest::newRow("median of ten") << 10 << "service_p50";
    }
    void noiseIsNoDifference()
    {
        QFETCH(const int, runs);
        QFETCH(const QString, measure);
        std::mt19937_64 random(20);
        std::normal_distribution<double> noise(1.0, 0.01), spread(0.0, 0.25);
        const auto point = [&] {
            std::vector<RunSummary> made(static_cast<std::size_t>(runs));
            for (RunSummary& run : made) {
                Histogram histogram;
                const double usual = 5e6 * noise(random);
                for (int i = 0; i < 300; ++i)
                    histogram.record(static_cast<std::uint64_t>(usual * std::exp(spread(random))), 1);
                setTimes(run, histogram);
            }
            return made;
        };
        // Of a tenth of the tries the rates say nothing: a sanitizer only looks on.
        const bool rates = everyOf() == 1;
        const int tries = rates ? 800 : 80;
        int shown = 0, without = 0;
        for (int i = 0; i < tries; ++i) {
            std::vector<Estimate> points;
            for (int side = 0; side < 2; ++side) {
                const std::vector<RunSummary> made = point();
                std::vector<RunFigure> figures;
                for (const RunSummary& run : made)
                    figures.push_back(figureOfRun(run, {}, measure.toStdString()).value());
                points.push_back(figureOfPoint(figures, measure.toStdString()));
                QVERIFY(points.back().merged && points.back().low && *points.back().low > 0);
                without += *points.back().low == *points.back().high ? 1 : 0;
            }
            const auto ratios = compareTogether({{points[0].shares, points[1].shares}}, false, 0);
            shown += ratios.at(0).verdict == Verdict::Better || ratios.at(0).verdict == Verdict::Worse ? 1 : 0;
        }
        QVERIFY2(!rates || shown <= tries * 8 / 100,
                 qPrintable(QString::number(shown))); // 40 are expected; 64 lie four standard errors above
        QVERIFY2(!rates || without <= tries / 20, qPrintable(QString::number(without)));
    }
    //! The more runs, the longer the longest of them: it says nothing about the point, so each run's counts as any
    //! other's.
    void theLongestIsTheMeanOfTheRuns()
    {
        const StoredSession session = knownSession();
        PivotRequest request;
        request.measure = "service_max";
        const PivotCell cell = pivot({session}, request).cells.front();
        QVERIFY(!cell.estimate.merged);
        QVERIFY(near(cell.estimate.mean, 55 * kNs));
    }
    void aMeanWeighsTransactionsNotRuns()
    {
        StoredSession session = knownSession();
        setTimes(session.runs[0].summary, times({{10, 300}}));
        PivotRequest request;
        request.measure = "service_mean";
        // (390 × 10 + 10 × 100) / 400
        QVERIFY(near(pivot({session}, request).cells.front().estimate.mean, 12.25 * kNs));
    }
    void equalRunsHaveTheirOwnSpread()
    {
        // With as many transactions in each run, the shares of a mean are the runs' own means.
        StoredSession session = knownSession();
        setTimes(session.runs[1].summary, times({{30, 100}}));
        PivotRequest request;
        request.measure = "service_mean";
        const PivotCell cell = pivot({session}, request).cells.front();
        QVERIFY(near(cell.estimate.mean, 20 * kNs));
        QVERIFY(near(cell.estimate.shares.at(0), 10 * kNs) && near(cell.estimate.shares.at(1), 30 * kNs));
        const Estimate ofRuns = estimateOfFigures({10 * kNs, 30 * kNs});
        QVERIFY(near(*cell.estimate.low, *ofRuns.low) && near(*cell.estimate.high, *ofRuns.high));
    }
    //! The chart, the column beside it, the ratio, the tables, the exports and the command line.
    void everythingShowsTheSame()
    {
        StoredSession session = knownSession();
        StoredSession other = knownSession();
        other.info.id = "other";
        other.info.title = other.header.title = "other";
        setTimes(other.runs[0].summary, times({{20, 100}}));
        setTimes(other.runs[1].summary, times({{20, 90}, {100, 10}}));
        PivotRequest request;
        request.measure = "service_p95";
        const Pivot p = pivot({session, other}, request);
        const PivotCell& first = p.cells.front();
        QVERIFY(near(first.estimate.mean, 10 * kNs));
        QVERIFY(near(first.p95Ms, 10 * kNs));
        QVERIFY(near(p.figure(first).value, 10 * kNs));
        QCOMPARE(p.cells.back().ratio.value, 2.0); // of the figures that are shown
        QCOMPARE(centreText(p), std::string("of all transactions of the runs together"));
        QVERIFY(spreadText(p).starts_with("all transactions of 2 runs together"));
        for (const TableForm form : {TableForm::Markdown, TableForm::Html, TableForm::Text}) {
            const std::string table = ratioTable(p, form);
            QVERIFY2(table.find("of all transactions of the runs together") != std::string::npos, table.c_str());
            QVERIFY2(table.find("10.0\u00a0ns") != std::string::npos || table.find("10.0 ns") != std::string::npos,
                     table.c_str());
        }
        // The document has all digits of each number, however they are written: 10 × 1e-6 is not the double nearest to
        // 1e-5.
        const auto json = nlohmann::json::parse(comparisonJson({session, other}, p));
        QVERIFY(near(json["cells"].front()["value"].get<double>(), 10 * kNs));
        QVERIFY(near(json["cells"].front()["runs"][1].get<double>(), 100 * kNs));
        QVERIFY(near(json["cells"].back()["value"].get<double>(), 20 * kNs));
        QCOMPARE(json["cells"].back()["ratio"]["value"].get<double>(), 2.0);
        request.measure = "tps";
        QVERIFY(near(pivot({session}, request).cells.front().p95Ms, 10 * kNs)); // beside another measure, too
        QCOMPARE(centreText(pivot({session}, request)), std::string("mean of the runs"));
        Published published;
        published.measure = "service_p95";
        published.values = {{{{"durability", "OFF"}}, 1.0}};
        session.header.plan.axes = {{"durability", {{"OFF", {}, 0}}, 0}};
        const auto rows = publishedBeside(session, published);
        QVERIFY(rows.at(0).own && near(rows.at(0).own->mean, 10 * kNs));
    }
    void withoutTimesItIsTheMeanOfTheRunsAndSaysSo()
    {
        StoredSession session = knownSession();
        for (StoredRun& run : session.runs)
            run.summary.times = {};
        PivotRequest request;
        request.measure = "service_p95";
        const Pivot p = pivot({session}, request);
        QVERIFY(near(p.cells.front().estimate.mean, 55 * kNs) && near(p.cells.front().p95Ms, 55 * kNs));
        QCOMPARE(centreText(p), std::string("mean of the runs"));
        // A figure that another tool told is not what these times give.
        session = knownSession();
        session.runs[0].summary.service.p95Ms = 7 * kNs;
        QVERIFY(!pivot({session}, request).cells.front().estimate.merged);
    }
    void timesAreStoredWithTheSummary()
    {
        RunSummary run;
        setTimes(run, times({{0, 1}, {10, 90}, {5'000'000, 7}, {hdr::kMaxValue + 5, 2}}));
        run.times.response = times({{20, 3}});
        run.operations.push_back({.name = "read", .times = {times({{30, 4}}), {}}});
        run.place = "while loading the data";
        run.remedy = "make room";
        run.sitting = 3;
        run.startedMs = 12345;
        run.status = RunStatus::Skipped;
        const RunSummary read = codec::readSummary(codec::write(run));
        QVERIFY(read.times.service == run.times.service);
        QVERIFY(read.times.response == run.times.response);
        QVERIFY(read.operations.at(0).times.service == run.operations.at(0).times.service);
        QCOMPARE(read.place, run.place);
        QCOMPARE(read.remedy, run.remedy);
        QCOMPARE(read.sitting, 3);
        QCOMPARE(read.startedMs, std::int64_t(12345));
        QCOMPARE(read.status, RunStatus::Skipped);
        for (const char* bad : {"1 2", "x", "1 2 0 5", "1 2 0 99999 1", "1 2 0 1 0", "1 2 0 1 1 0 1",
                                "1 2 0 1 18446744073709551615 1 5"}) {
            const RunSummary none =
                codec::readSummary(QByteArray("{\"service_times\": \"").append(bad).append("\"}").toStdString());
            QVERIFY2(none.times.service.empty(), bad);
        }
    }
};

} // namespace dyno::tst_point_figure

DYNO_SUITE(tst_point_figure, dyno::tst_point_figure::TestPointFigure)
#include "tst_point_figure.moc"
