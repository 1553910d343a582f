// SPDX-License-Identifier: GPL-3.0-or-later
// Scaling law, drift, pairs, outliers and stalls against outside values: tests/data/analysis.json (SciPy and
// pyMannKendall; the script is in the file). Distributions against counting.
#include "support/suite.h"

#include <dyno/analysis.h>
#include <dyno/export.h>
#include <dyno/sync_constant.h>

#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

namespace dyno::tst_analysis {
using Json = nlohmann::json;

namespace {

bool near(double got, double wanted, double relative, double absolute = 0)
{
    return std::fabs(got - wanted) <= std::max(absolute, relative * std::fabs(wanted));
}

std::vector<IntervalSample> intervalsOf(const std::vector<std::uint64_t>& counts, double seconds)
{
    std::vector<IntervalSample> intervals;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        IntervalSample sample;
        sample.lengthNs = static_cast<std::int64_t>(seconds * 1e9);
        sample.tNs = static_cast<std::int64_t>(i) * sample.lengthNs;
        sample.transaction.count = counts[i];
        intervals.push_back(std::move(sample));
    }
    return intervals;
}

//! One run a figure; run i is of point i modulo `points`.
StoredSession sessionOf(const std::vector<double>& tps, int points)
{
    StoredSession session;
    session.header.points.resize(std::size_t(points));
    for (std::size_t i = 0; i < tps.size(); ++i) {
        StoredRun run;
        run.header.index = int(i);
        run.header.point = run.summary.point = int(i) % points;
        run.header.repeat = run.summary.repeat = 1 + int(i) / points;
        run.summary.status = RunStatus::Done;
        run.summary.tps = tps[i];
        session.runs.push_back(std::move(run));
    }
    return session;
}

} // namespace

class TestAnalysis : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        std::ifstream file(DYNO_TEST_DATA "/analysis.json");
        m_data = Json::parse(file);
        QVERIFY(m_data["usl"].size() >= 7);
    }

    //! Figure 2 of Kneedle's paper, and the samples of the library kneed with the knees that it finds.
    void knees()
    {
        const auto kneeOf = [](const std::vector<double>& y) {
            std::vector<LinePoint> points;
            for (std::size_t i = 0; i < y.size(); ++i)
                points.push_back({double(i), y[i]});
            const auto knee = findKnee(points);
            return knee ? int(*knee) : -1;
        };
        std::vector<LinePoint> figure;
        for (int i = 0; i < 10; ++i)
            figure.push_back({i / 9.0, -1 / (i / 9.0 + 0.1) + 5});
        const auto knee = findKnee(figure);
        QVERIFY(knee && near(figure[*knee].x, 0.222, 0.002));
        QCOMPARE(kneeOf({0, 60, 80, 85, 90, 95, 96, 97, 98, 99}), 2);
        QCOMPARE(kneeOf({99, 98, 97, 96, 95, 90, 85, 80, 60, 0}), 7);
        QCOMPARE(kneeOf({1, 2, 3, 4, 5, 10, 15, 20, 40, 100}), 7);
        QCOMPARE(kneeOf({100, 40, 20, 15, 10, 5, 4, 3, 2, 1}), 2);
        QCOMPARE(kneeOf({7305.0, 6979.0, 6666.6, 6463.2, 6326.5, 6048.8, 6032.8, 5762.0, 5742.8, 5398.2, 5256.8, 5227.0,
                         5001.7, 4942.0, 4854.2, 4734.6, 4558.7, 4491.1, 4411.6, 4333.0, 4234.6, 4139.1, 4056.8, 4022.5,
                         3868.0, 3808.3, 3745.3, 3692.3, 3645.6, 3618.3, 3574.3, 3504.3, 3452.4, 3401.2, 3382.4, 3340.7,
                         3301.1, 3247.6, 3190.3, 3180.0, 3154.2, 3089.5, 3045.6, 2989.0, 2993.6, 2941.3, 2875.6, 2866.3,
                         2834.1, 2785.1, 2759.7, 2763.2, 2720.1, 2660.1, 2690.2, 2635.7, 2632.9, 2574.6, 2556.0, 2545.7,
                         2513.4, 2491.6, 2496.0, 2466.5, 2442.7, 2420.5, 2381.5, 2388.1, 2340.6, 2335.0, 2318.9, 2319.0,
                         2308.2, 2262.2, 2235.8, 2259.3, 2221.0, 2202.7, 2184.3, 2170.1, 2160.0, 2127.7, 2134.7, 2102.0,
                         2101.4, 2066.4, 2074.3, 2063.7, 2048.1, 2031.9}),
                 26);
        QCOMPARE(kneeOf({1, 2, 3, 4, 5, 6}), -1);                                              // a straight line
        QCOMPARE(kneeOf({9744.06, 9774.96, 9805.86, 9836.76, 9867.66, 9898.56, 9929.46}), -1); // rounded
        QCOMPARE(kneeOf({100, 201, 299, 402, 498, 601, 700, 799}), -1);                        // and a noisy one
        QCOMPARE(kneeOf({10, 9.9, 60, 80, 90, 95, 96}), 3); // no end of a curve is one, whatever its first step does
        QCOMPARE(kneeOf({950, 951, 500, 100, 20, 5, 4}), 3);
        QCOMPARE(kneeOf({3, 3, 3, 3}), -1);
        QCOMPARE(kneeOf({1, 9}), -1);
        QVERIFY(!findKnee({{0, 0}, {1, 9}, {1, 10}, {2, 10}})); // two figures of one x
        QVERIFY(!findKnee({{0, 0}, {1, std::nan("")}, {2, 10}, {3, 10}}));
    }

    //! Along x stands what the cases set: by places alone the curve of doubled sizes would bend elsewhere, or nowhere.
    void kneesOfPivots()
    {
        const std::vector<double> figures{950, 900, 800, 600, 200, 5, 4};
        StoredSession session = sessionOf(figures, int(figures.size()));
        Axis axis{"cache", {}};
        for (std::size_t i = 0; i < figures.size(); ++i) {
            const std::string label = std::to_string(1 << i) + " MiB";
            axis.cases.push_back({label, {{"server.key_buffer_size", std::int64_t(1) << (20 + i)}}});
            session.header.points[i].cases = {{"cache", label}};
        }
        session.header.plan.axes = {axis};
        View view;
        view.x = "cache";
        view.knee = true;
        const Pivot bent = pivot({session}, requestOf(view));
        QCOMPARE(bent.knees.size(), std::size_t(1));
        QCOMPARE(bent.knees[0].x, std::string("16 MiB"));
        const std::string text = ratioTable(bent, TableForm::Markdown);
        QVERIFY2(text.find("Knee of the curve (Kneedle): cache = 16 MiB.") != std::string::npos, text.c_str());
        view.knee = false;
        QVERIFY(pivot({session}, requestOf(view)).knees.empty());
        QVERIFY(ratioTable(pivot({session}, requestOf(view)), TableForm::Markdown).find("Knee") == std::string::npos);
    }

    void scalingLaw()
    {
        for (const Json& row : m_data["usl"]) {
            std::vector<ScalingPoint> points;
            for (std::size_t i = 0; i < row["users"].size(); ++i)
                points.push_back({row["users"][i], row["throughput"][i]});
            const auto fit = fitUsl(points);
            QVERIFY2(fit.has_value(), row.dump().c_str());
            const std::string got = row.dump() + " got " + std::to_string(fit->lambda) + " " +
                                    std::to_string(fit->sigma) + " " + std::to_string(fit->kappa) + " " +
                                    std::to_string(fit->rSquared);
            QVERIFY2(near(fit->lambda, row["lambda"], 1e-5), got.c_str());
            QVERIFY2(near(fit->sigma, row["sigma"], 1e-4, 1e-7), got.c_str());
            QVERIFY2(near(fit->kappa, row["kappa"], 1e-4, 1e-9), got.c_str());
            QVERIFY2(near(fit->rSquared, row["r_squared"], 1e-8), got.c_str());
            QCOMPARE(fit->runs, int(points.size()));
        }
    }

    void theLawsPeak()
    {
        // Without noise the fit gives back what the points were made of, and N* and X(N*) follow by hand.
        std::vector<ScalingPoint> points;
        for (const double n : {1, 2, 4, 8, 16, 32, 64})
            points.push_back({n, 1000 * n / (1 + 0.04 * (n - 1) + 0.0006 * n * (n - 1))});
        auto fit = fitUsl(points);
        QVERIFY(fit);
        QVERIFY(near(*fit->bestUsers(), 40, 1e-6)); // √(0.96 / 0.0006)
        QVERIFY(near(*fit->peak(), 1000 * 40 / (1 + 0.04 * 39 + 0.0006 * 40 * 39), 1e-6));
        QVERIFY(fit->peakWasMeasured());
        points.resize(5); // to 16 users
        fit = fitUsl(points);
        QVERIFY(fit && fit->bestUsers() && !fit->peakWasMeasured());
        QVERIFY(toText(*fit, "transactions/s").find("beyond the 16 users measured") != std::string::npos);
        points.resize(3);
        QVERIFY(!fitUsl(points)); // as many points as parameters: anything would fit
        points = {{1, 100}, {2, 200}, {3, 300}, {4, 400}};
        fit = fitUsl(points);
        QVERIFY(fit && !fit->bestUsers());
        QVERIFY(toText(*fit, "").find("no peak") != std::string::npos);
        points[2].throughput = 0;
        QVERIFY(!fitUsl(points));
    }

    //! The data set Norris of NIST's Statistical Reference Datasets, with its certified values.
    void lineByLeastSquares()
    {
        std::vector<LinePoint> points{
            {0.2, 0.1},     {337.4, 338.8}, {118.2, 118.1}, {884.6, 888.0}, {10.1, 9.2},    {226.5, 228.1},
            {666.3, 668.5}, {996.3, 998.5}, {448.6, 449.1}, {777.0, 778.9}, {558.2, 559.2}, {0.4, 0.3},
            {0.6, 0.1},     {775.5, 778.1}, {666.9, 668.8}, {338.0, 339.3}, {447.5, 448.9}, {11.6, 10.8},
            {556.0, 557.7}, {228.1, 228.3}, {995.8, 998.0}, {887.6, 888.8}, {120.2, 119.6}, {0.3, 0.3},
            {0.3, 0.6},     {556.8, 557.6}, {339.1, 339.3}, {887.2, 888.0}, {999.0, 998.5}, {779.0, 778.9},
            {11.1, 10.2},   {118.3, 117.6}, {229.2, 228.9}, {669.1, 668.4}, {448.9, 449.2}, {0.5, 0.2}};
        QCOMPARE(points.size(), std::size_t(36));
        auto fit = fitLine(points);
        QVERIFY(fit);
        QVERIFY(near(fit->intercept, -0.262323073774029, 1e-11));
        QVERIFY(near(fit->slope, 1.00211681802045, 1e-13));
        QVERIFY(near(fit->interceptError, 0.232818234301152, 1e-11));
        QVERIFY(near(fit->slopeError, 0.429796848199937e-03, 1e-11));
        QVERIFY(near(fit->residualDeviation, 0.884796396144373, 1e-11));
        QVERIFY(near(fit->rSquared, 0.999993745883712, 1e-13));
        QVERIFY(near(fit->slopeHalf / fit->slopeError, 2.032244509, 1e-8)); // Student's t, 34 degrees of freedom, 0.975
        QVERIFY(near(fit->interceptHalf / fit->interceptError, 2.032244509, 1e-8));
        QCOMPARE(fit->points, 36);
        // Far from 0 the digits that differ must not be lost.
        for (LinePoint& point : points)
            point.x += 5e5;
        fit = fitLine(points);
        QVERIFY(fit && near(fit->slope, 1.00211681802045, 1e-8));
        points.resize(2);
        QVERIFY(!fitLine(points)); // any two points lie on a line
        QVERIFY(!fitLine({{1, 1}, {1, 2}, {1, 3}}));
        QVERIFY(!fitLine({{1000, 1}, {1000.5, 2}, {1001, 3}})); // the same but for rounding
        QVERIFY(fitLine({{1000, 1}, {1005, 2}, {1010, 3}}));
        QVERIFY(!fitLine({{1, 1}, {2, std::nan("")}, {3, 3}}));
    }

    //! E33: commits that take 2 ms and what 100 MB/s need for their bytes.
    void whatASyncCosts()
    {
        StoredSession session;
        IntervalFigures bytes{kLogBytes, {{}}};
        for (const std::string sync : {"on", "off"}) {
            for (const int rows : {10, 1, 1000, 100}) {
                PointSpec point;
                point.cases = {{"rows", std::to_string(rows)}, {"sync", sync}};
                for (const int repeat : {1, 2}) {
                    StoredRun run;
                    run.header.index = int(session.runs.size());
                    run.summary.point = int(session.header.points.size());
                    run.summary.repeat = repeat;
                    run.summary.status = RunStatus::Done;
                    run.summary.service.meanMs = 500;
                    const double size = 400.0 * rows + repeat;
                    OperationSummary commit;
                    commit.name = "commit";
                    commit.count = 7;
                    run.summary.transactions = 14; // every other one only reads
                    commit.service.meanMs = (sync == "on" ? 2 : 0.5) + size * (sync == "on" ? 1e-5 : 0);
                    run.summary.operations = {commit};
                    bytes.values[0].push_back(size / 2);
                    session.runs.push_back(run);
                }
                session.header.points.push_back(point);
            }
        }
        View view;
        view.chart = "sync";
        view.x = "rows";
        view.series = "sync";
        QCOMPARE(requestOf(view).measure, std::string(kLogBytes)); // whatever the view's measure
        const auto of = [&] { return syncCostsOf({session}, pivot({session}, requestOf(view), &bytes)); };
        SyncCosts costs = of();
        QVERIFY(costs.what == SyncCosts::What::Commits);
        QCOMPARE(costs.list.size(), std::size_t(2));
        const SyncCost& on = costs.list[0];
        QCOMPARE(on.series, std::string("on"));
        QCOMPARE(on.means.size(), std::size_t(4));
        QCOMPARE(on.means[1].x, std::string("10")); // by their bytes
        QCOMPARE(on.means[1].bytes, 4001.5);
        QCOMPARE(on.runs.size(), std::size_t(8));
        QVERIFY(on.fit && on.rate() && near(*on.rate(), 100, 1e-9) && near(on.fit->intercept, 2, 1e-9));
        QVERIFY(near(on.rateLow(), 100, 1e-6) && on.rateHigh() && near(*on.rateHigh(), 100, 1e-6));
        QVERIFY2(toText(on).starts_with("R = 100 MB/s (100 to 100), K = 2 ms (2 to 2)") ||
                     toText(on).starts_with("R = 100 MB/s (100 to 100), K = 2.00 ms (2.00 to 2.00)"),
                 toText(on).c_str());
        QVERIFY(!costs.list[1].rate()); // level
        QVERIFY2(toText(costs.list[1]).find("larger commits take no longer") != std::string::npos,
                 toText(costs.list[1]).c_str());
        // The post tells the line, and what it leaves over at each size.
        session.header.plan.views = {view};
        const auto figures = [&bytes](const StoredSession&, const std::string&) { return bytes.values[0]; };
        const std::string post = markdownPost({session}, requestOf(view), {}, figures, {});
        QVERIFY2(post.find("R = 100 MB/s") != std::string::npos && post.find("left over |") != std::string::npos,
                 post.c_str());
        // A run without the figure is no point, and two sizes are no line.
        bytes.values[0][0] = std::nan("");
        QCOMPARE(of().list[0].runs.size(), std::size_t(7));
        for (std::size_t i = 0; i < 4; ++i)
            bytes.values[0][i] = std::nan("");
        QVERIFY(!of().list[0].fit);
        // Where no commit was measured by itself: the whole transaction, each series by itself.
        for (std::size_t i = session.runs.size() / 2; i < session.runs.size(); ++i)
            session.runs[i].summary.operations.clear();
        costs = of();
        QVERIFY(costs.what == SyncCosts::What::Both);
        QCOMPARE(costs.list.size(), std::size_t(2));
        QVERIFY(costs.list[0].ofCommits && !costs.list[1].ofCommits);
        QCOMPARE(costs.list[1].means[0].ms, 500.0);
        QCOMPARE(costs.list[1].means[0].bytes, 200.75); // of a transaction
        QVERIFY2(toText(costs.list[1]).ends_with("of whole transactions"), toText(costs.list[1]).c_str());
        for (StoredRun& run : session.runs)
            run.summary.operations.clear();
        QVERIFY(of().what == SyncCosts::What::Transactions);
        QVERIFY(syncCostsOf({session}, pivot({session}, {})).list.empty());
    }

    //! What few runs cannot tell, and no time can be, is said in words; the numbers stay.
    void constantOfASync()
    {
        const auto textOf = [](std::vector<double> times) {
            SyncCost cost;
            std::vector<LinePoint> points;
            for (std::size_t i = 0; i < times.size(); ++i)
                points.push_back({1000.0 * double(1 + i), times[i]});
            cost.fit = fitLine(points);
            return std::pair(cost, toText(cost));
        };
        using enum SyncConstant;
        const auto [clear, k] = textOf({3.0, 4.01, 5.0, 5.99});
        QVERIFY2(constantOf(clear) == Clear && k.find("K = 2") != std::string::npos, k.c_str());
        const auto [unclear, little] = textOf({0.8, 2.4, 2.5, 4.3});
        QVERIFY2(constantOf(unclear) == Unclear, little.c_str());
        QVERIFY2(little.find("K may be 0 (at most ") != std::string::npos, little.c_str());
        QVERIFY2(unclear.fit->intercept < 0 && little.find("K = ") == std::string::npos, little.c_str());
        QVERIFY2(little.find('-') == std::string::npos && little.find("−") == std::string::npos, little.c_str());
        const auto [below, bent] = textOf({0.1, 1.11, 2.1, 3.09});
        QVERIFY2(constantOf(below) == BelowZero && highestConstant(below) < 0, bent.c_str());
        QVERIFY2(bent.find("no K: the line falls below 0") != std::string::npos, bent.c_str());
        QVERIFY(constantOf(textOf({1}).first) == None);
    }

    //! E29: two versions of a server, the second with the faster single user, the first with the smaller gap.
    void lessSlowAgainstFaster()
    {
        StoredSession session;
        for (const char* version : {"before", "after"}) {
            const bool after = version == std::string("after");
            for (const int users : {1, 8}) {
                PointSpec point;
                point.cases = {{"version", version}, {"users", std::to_string(users)}};
                point.load.users = {users};
                StoredRun run;
                run.summary.point = int(session.header.points.size());
                run.summary.status = RunStatus::Done;
                run.summary.tps = users == 1 ? (after ? 1000 : 800) : (after ? 5000 : 4800);
                run.summary.response.meanMs = users * 1000 / run.summary.tps;
                session.header.points.push_back(point);
                session.runs.push_back(run);
            }
        }
        PivotRequest request;
        request.x = "version";
        const std::vector<Scaling> list = scalingOf({session}, request);
        QCOMPARE(list.size(), std::size_t(2));
        QCOMPARE(list[0].series, std::string("before"));
        QCOMPARE(*list[0].singleUserMs, 1.25);
        QCOMPARE(*list[0].gapToLinear, 0.25);
        QCOMPARE(*list[1].singleUserMs, 1.0);
        QCOMPARE(*list[1].gapToLinear, 0.375);
        QVERIFY(!list[0].fit);         // two numbers of users are no law
        StoredSession mixed = session; // one of the versions with several groups of users at once
        mixed.header.points[2].load.groups.emplace_back();
        QCOMPARE(scalingOf({mixed}, request).size(), std::size_t(1));
        StoredSession changing = session; // one of them with a phase in which nobody takes part
        changing.header.points[2].load.phases.emplace_back().pace.users = 0;
        QCOMPARE(scalingOf({changing}, request).size(), std::size_t(1));
        session.runs.erase(session.runs.begin());
        QCOMPARE(scalingOf({session}, request).size(), std::size_t(1));
    }

    void drift()
    {
        for (const Json& row : m_data["drift"]) {
            const auto runs = row["runs"].get<std::vector<double>>();
            const StoredSession session = sessionOf(runs, row["points"]);
            const Drift drift = driftOf(session, "tps");
            const std::string got = row.dump() + " got " + std::to_string(drift.score) + " " + std::to_string(drift.p) +
                                    " " + std::to_string(drift.perSession);
            QVERIFY2(near(drift.score, row["score"], 0), got.c_str());
            QVERIFY2(near(drift.p, row["p"], 1e-9), got.c_str());
            QVERIFY2(near(drift.perSession, row["per_session"], 1e-9), got.c_str());
            QCOMPARE(drift.runs, int(runs.size()));
            QCOMPARE(drift.shown(), double(row["p"]) < 0.05);
        }
    }

    void driftNeedsRepeats()
    {
        const StoredSession single = sessionOf({5, 4, 3, 2, 1}, 5);
        QVERIFY(!driftOf(single, "tps").tested());
        QVERIFY(toText(driftOf(single, "tps")).find("not tested") != std::string::npos);
        StoredSession failed = sessionOf({9, 8, 7, 6, 5, 4}, 1);
        QVERIFY(driftOf(failed, "tps").shown());
        QVERIFY(toText(driftOf(failed, "tps")).starts_with("drifted by −"));
        failed.runs[2].summary.status = failed.runs[3].summary.status = RunStatus::Failed;
        QCOMPARE(driftOf(failed, "tps").runs, 4);
        QVERIFY(!driftOf(failed, "tps").tested());
    }

    void pairs()
    {
        for (const Json& row : m_data["paired"]) {
            const Ratio ratio = pairedRatio(row["value"], row["baseline"], true);
            QVERIFY2(near(ratio.value, row["ratio"], 1e-12), row.dump().c_str());
            QVERIFY2(near(ratio.low.value(), row["low"], 1e-9), row.dump().c_str());
            QVERIFY2(near(ratio.high.value(), row["high"], 1e-9), row.dump().c_str());
            QCOMPARE(ratio.verdict != Verdict::NoDifferenceShown, double(row["p"]) < 0.05);
            QCOMPARE(ratio.pairs, int(row["value"].size()));
        }
        QVERIFY(pairedRatio({1}, {2}, true).verdict == Verdict::TooFewRuns);
        QVERIFY(!pairedRatio({1, 0}, {2, 2}, true).low);
    }

    void outliers()
    {
        for (const Json& row : m_data["outliers"])
            QVERIFY2(outliersOf(row["runs"]) == row["marks"].get<std::vector<bool>>(), row.dump().c_str());
    }

    void stalls()
    {
        int all = 0;
        for (const Json& row : m_data["stalls"]) {
            const auto found = findStalls(intervalsOf(row["counts"], row["seconds"]));
            QCOMPARE(found.size(), row["found"].size());
            for (std::size_t i = 0; i < found.size(); ++i, ++all) {
                const Json& wanted = row["found"][i];
                QVERIFY2(near(double(found[i].tNs) * 1e-9, wanted["start_s"], 1e-9, 1e-9), wanted.dump().c_str());
                QVERIFY2(near(double(found[i].lengthNs) * 1e-9, wanted["length_s"], 1e-9), wanted.dump().c_str());
                QVERIFY2(near(found[i].usual, wanted["usual"], 1e-9), wanted.dump().c_str());
                QVERIFY2(near(found[i].lowest, wanted["lowest"], 1e-9, 1e-9), wanted.dump().c_str());
                QVERIFY2(near(found[i].missing, wanted["missing"], 1e-9), wanted.dump().c_str());
                QCOMPARE(found[i].stalled, bool(wanted["stalled"]));
            }
        }
        QVERIFY(all >= 8);
    }

    //! One that fills more than half of the window, or never ends, is one stall, and not what is usual.
    void hangs()
    {
        const auto stallsOf = [](int from, int to, std::uint64_t left) {
            std::vector<std::uint64_t> counts;
            for (int i = 0; i < 180; ++i)
                counts.push_back(i >= from && i < to ? left : 100);
            return findStalls(intervalsOf(counts, 1));
        };
        for (const auto& [from, to] : {std::pair(60, 90), {60, 91}, {60, 120}, {60, 180}, {0, 40}, {0, 100}}) {
            for (const std::uint64_t left : {0, 2}) {
                if (left > 0 && from == 0)
                    continue; // nothing tells what comes first from what is usual
                const auto found = stallsOf(from, to, left);
                QVERIFY2(found.size() == 1, qPrintable(QString("%1 to %2: %3").arg(from).arg(to).arg(found.size())));
                QCOMPARE(found[0].tNs, from * 1'000'000'000ll);
                QCOMPARE(found[0].lengthNs, (to - from) * 1'000'000'000ll);
                QCOMPARE(found[0].usual, 100.0);
                QCOMPARE(found[0].missing, double(to - from) * double(100 - left));
                QVERIFY(found[0].stalled);
            }
        }
        QVERIFY(stallsOf(60, 120, 30).empty()); // another level, for long
        QVERIFY(stallsOf(0, 180, 0).empty());
        // Slow workloads: intervals without a transaction are chance, as is a median of 0 after one of 1.
        for (unsigned seed = 1; seed <= 20; ++seed) {
            std::mt19937 random(seed);
            std::vector<std::uint64_t> steady, falling;
            for (int i = 0; i < 600; ++i) {
                steady.push_back(std::poisson_distribution<std::uint64_t>(0.5)(random));
                falling.push_back(std::poisson_distribution<std::uint64_t>(i < 200 ? 2 : 0.6)(random));
            }
            QVERIFY2(findStalls(intervalsOf(steady, 1)).empty(), qPrintable(QString::number(seed)));
            const auto found = findStalls(intervalsOf(falling, 1)); // by chance, at the step
            QVERIFY2(found.size() <= 1, qPrintable(QString("%1: %2").arg(seed).arg(found.size())));
        }
    }

    //! In stretches of a second whatever the intervals are; a piece at the end is none.
    void evennessWithinARun()
    {
        IntervalColumns columns;
        const auto add = [&columns](Phase phase, double seconds, std::uint64_t count) {
            const std::int64_t at = columns.size() == 0 ? 0 : columns.tNs.back() + columns.lengthNs.back();
            columns.tNs.push_back(at);
            columns.lengthNs.push_back(std::int64_t(seconds * 1e9));
            columns.phase.push_back(phase);
            columns.transaction.count.push_back(count);
        };
        add(Phase::Warmup, 1, 1);
        for (const int rate : {100, 200, 300, 200}) {
            for (int i = 0; i < 4; ++i)
                add(Phase::Measure, 0.25, std::uint64_t(rate / 4));
        }
        add(Phase::Measure, 0.1, 1);
        const auto one = evennessOf(columns);
        QVERIFY(one.has_value());
        QCOMPARE(one->stretches, std::size_t(4));
        QCOMPARE(one->stretchSeconds, 1.0);
        QCOMPARE(one->least, 100.0);
        QCOMPARE(one->most, 300.0);
        QCOMPARE(one->mean, 200.0);
        QVERIFY(std::abs(one->deviation - 81.6497) < 0.001); // √(20 000 / 3)
        // Too short for three seconds: single intervals.
        IntervalColumns brief;
        std::swap(columns, brief);
        for (const std::uint64_t count : {10, 20, 30, 40})
            add(Phase::Measure, 0.5, count);
        const auto short_ = evennessOf(columns);
        QVERIFY(short_ && short_->stretches == 4 && short_->stretchSeconds == 0.5);
        QCOMPARE(short_->least, 20.0);
        QVERIFY(!evennessOf(IntervalColumns()));
    }

    void stallsLeaveTheWarmupOut()
    {
        auto intervals = intervalsOf(std::vector<std::uint64_t>(60, 500), 1);
        for (int i = 0; i < 10; ++i) {
            intervals[std::size_t(i)].phase = Phase::Warmup;
            intervals[std::size_t(i)].transaction.count = 0;
        }
        QVERIFY(findStalls(intervals).empty());
        intervals[30].transaction.count = 0;
        const auto found = findStalls(intervals);
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].depth(), 1.0);
        QCOMPARE(toText(found[0]), std::string("stall of 1.0 s: 0 transactions/s where 500 are usual, 500 missing"));
        for (IntervalSample& sample : intervals)
            sample.ops.resize(1);
        QVERIFY(findStalls(intervals, {}, 1).empty()); // there is no such operation
    }

    //! Throughput holds and p99 does not: from two intervals on, by ten times, and above what a wait for a core takes.
    void latencyStalls_data()
    {
        QTest::addColumn<double>("usual");
        QTest::addColumn<double>("slow"); // ms
        QTest::addColumn<int>("length");  // intervals
        QTest::addColumn<int>("lost");    // of 500 transactions, in the slow ones
        QTest::addColumn<bool>("found");
        QTest::newRow("fifty times") << 4.0 << 200.0 << 3 << 0 << true;
        QTest::newRow("two intervals") << 4.0 << 200.0 << 2 << 0 << true;
        QTest::newRow("one interval is chance") << 4.0 << 200.0 << 1 << 0 << false;
        QTest::newRow("nine times") << 4.0 << 36.0 << 3 << 0 << false;
        QTest::newRow("ten times next to nothing") << 0.1 << 5.0 << 3 << 0 << false;
        QTest::newRow("above the floor") << 0.1 << 12.0 << 3 << 0 << true;
        QTest::newRow("more than half of the window") << 4.0 << 200.0 << 50 << 0 << true;
        QTest::newRow("to the end") << 4.0 << 200.0 << 80 << 0 << true;
        QTest::newRow("a fifth less throughput") << 4.0 << 200.0 << 3 << 100 << true;
        QTest::newRow("a dip of throughput") << 4.0 << 200.0 << 3 << 300 << false;
        QTest::newRow("too few to have a percentile") << 4.0 << 200.0 << 3 << 490 << false;
    }
    void latencyStalls()
    {
        QFETCH(double, usual);
        QFETCH(double, slow);
        QFETCH(int, length);
        QFETCH(int, lost);
        QFETCH(bool, found);
        constexpr int kFrom = 100;
        auto intervals = intervalsOf(std::vector<std::uint64_t>(180, 500), 1);
        for (int i = 0; i < int(intervals.size()); ++i) {
            const bool isSlow = i >= kFrom && i < kFrom + length;
            OpInterval& what = intervals[std::size_t(i)].transaction;
            what.count -= isSlow ? std::uint64_t(lost) : 0;
            what.service.record(std::uint64_t(usual * 1e6), what.count - what.count / 50);
            what.service.record(std::uint64_t((isSlow ? slow : usual) * 1e6), what.count / 50);
        }
        std::vector<Stall> all = findStalls(intervals);
        QCOMPARE(std::ranges::count_if(all, [](const Stall& one) { return !one.isSlow(); }), lost > 250 ? 1 : 0);
        std::erase_if(all, [](const Stall& one) { return !one.isSlow(); });
        QCOMPARE(all.size(), std::size_t(found ? 1 : 0));
        StallRule throughput;
        throughput.slower = 0;
        for (const Stall& one : findStalls(intervals, throughput))
            QVERIFY(!one.isSlow());
        if (!found)
            return;
        QCOMPARE(all[0].tNs, kFrom * 1'000'000'000LL);
        // After a whole window it is another level.
        QCOMPARE(all[0].lengthNs, std::min(length, 60) * 1'000'000'000LL);
        QVERIFY(near(all[0].usualMs, usual, 0.02) && near(all[0].highestMs, slow, 0.02));
        QVERIFY(!all[0].stalled && all[0].missing == 0);
        // An open loop's are judged by the response time.
        for (IntervalSample& one : intervals)
            one.transaction.response.record(50'000'000, 500);
        QVERIFY(std::ranges::none_of(findStalls(intervals), &Stall::isSlow));
    }

    //! Many short intervals do not make a stall that is shorter than a second, nor do those with too few transactions
    //! to have a 99th percentile.
    void whatIsNoLatencyStall()
    {
        for (const auto& [slow, count, found] : {std::tuple(9, 500, 0), {10, 500, 1}, {20, 99, 0}, {20, 100, 1}}) {
            auto intervals = intervalsOf(std::vector<std::uint64_t>(300, std::uint64_t(count)), 0.1);
            for (int i = 0; i < 300; ++i)
                intervals[std::size_t(i)].transaction.service.record(
                    i >= 100 && i < 100 + slow ? 200'000'000 : 4'000'000, std::uint64_t(count));
            QVERIFY2(int(findStalls(intervals).size()) == found, qPrintable(QString("%1 of %2").arg(slow).arg(count)));
        }
    }

    //! Those of a stored run are found in its columns: by response times where it has them.
    void stallsOfColumns()
    {
        for (const bool open : {false, true}) {
            auto intervals = intervalsOf(std::vector<std::uint64_t>(180, 500), 1);
            IntervalColumns columns;
            for (int i = 0; i < 180; ++i) {
                IntervalSample& one = intervals[std::size_t(i)];
                one.phase = i < 5 ? Phase::Warmup : Phase::Measure;
                one.transaction.count = i == 60 ? 5 : 500;
                one.transaction.service.record(i >= 100 && i < 103 && !open ? 200'000'000 : 4'000'000, 500);
                if (open)
                    one.transaction.response.record(i >= 140 && i < 144 ? 900'000'000 : 8'000'000, 500);
                columns.tNs.push_back(one.tNs);
                columns.lengthNs.push_back(one.lengthNs);
                columns.phase.push_back(one.phase);
                columns.transaction.count.push_back(one.transaction.count);
                columns.transaction.service.p99Ms.push_back(one.transaction.service.percentileNs(99) * 1e-6);
                if (open)
                    columns.transaction.response.p99Ms.push_back(one.transaction.response.percentileNs(99) * 1e-6);
            }
            const std::vector<Stall> wanted = findStalls(intervals), found = findStalls(columns);
            QCOMPARE(wanted.size(), std::size_t(2));
            QCOMPARE(found.size(), wanted.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                QCOMPARE(found[i].kind, wanted[i].kind);
                QCOMPARE(found[i].tNs, wanted[i].tNs);
                QCOMPARE(found[i].lengthNs, wanted[i].lengthNs);
                QCOMPARE(found[i].missing, wanted[i].missing);
                QCOMPARE(found[i].highestMs, wanted[i].highestMs);
            }
            QVERIFY(found[1].isSlow() && found[1].tNs == (open ? 140 : 100) * 1'000'000'000LL);
        }
    }

    void latencyStallText()
    {
        Stall stall;
        stall.kind = Stall::Kind::Latency;
        stall.lengthNs = 3'000'000'000;
        stall.usualMs = 105;
        stall.highestMs = 420;
        QCOMPARE(toText(stall), std::string("latency stall of 3.0 s: p99 420 ms where 105 ms is usual"));
        QCOMPARE(stall.timesSlower(), 4.0);
    }

    void spectrum()
    {
        Histogram histogram;
        for (int i = 1; i <= 1000; ++i)
            histogram.record(std::uint64_t(i) * 1'000'000);
        const auto curve = spectrumOf(histogram);
        QVERIFY(curve.size() > 20 && curve.size() <= 402);
        QCOMPARE(curve.back().ms, 1000.0);
        QVERIFY(near(curve.back().percentile, 99.95, 1e-12)); // 1 − 1/(2·1000)
        for (std::size_t i = 0; i < curve.size(); ++i) {
            QVERIFY(i == 0 || (curve[i].percentile > curve[i - 1].percentile && curve[i].ms > curve[i - 1].ms));
            if (i + 1 < curve.size()) // of values 1, 2 … 1000 the share up to v is v / 1000
                QVERIFY(near(curve[i].ms, 10 * curve[i].percentile, 0.016, 1));
        }
        QVERIFY(spectrumOf({}).empty());
    }

    void heatMapKeepsEveryValue()
    {
        auto intervals = intervalsOf(std::vector<std::uint64_t>(1000, 0), 1);
        std::uint64_t recorded = 0;
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            intervals[i].phase = i < 100 ? Phase::Warmup : Phase::Measure;
            intervals[i].transaction.service.record(2'000'000 + 1000 * i, 10);
            recorded += 10;
        }
        intervals[777].transaction.service.record(9'000'000'000); // one spike among all
        const HeatMap map = heatMapOf(intervals, 200);
        QCOMPARE(map.columns, std::size_t(200));
        QCOMPARE(map.columnSeconds, 5.0);
        QCOMPARE(map.fromSeconds, -100.0);
        double sum = 0;
        for (const double count : map.counts)
            sum += count;
        QCOMPARE(sum, double(recorded + 1));
        QCOMPARE(map.at(155, map.rows - 1), 1.0); // 777 / 5
        const double top = map.lowestMs * std::pow(map.rowFactor, double(map.rows));
        QVERIFY(top > 9000 && top < 9000 * 1.1);
        QCOMPARE(heatMapOf({}).columns, std::size_t(0));
    }

private:
    Json m_data;
};

} // namespace dyno::tst_analysis

DYNO_SUITE(tst_analysis, dyno::tst_analysis::TestAnalysis)
#include "tst_analysis.moc"
