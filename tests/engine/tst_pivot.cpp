// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure_sessions.h"
#include "support/suite.h"
#include <dyno/report.h>

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

namespace dyno::tst_pivot {
using namespace dyno::test;

class TestPivot : public QObject
{
    Q_OBJECT

private slots:
    //! A best figure at the last x of its series has more beyond it perhaps, though other series go on.
    void peaksAtTheEndOfTheirSeries()
    {
        const StoredSession session = sessionOf("s", {{"OFF", 1, {100}},
                                                      {"OFF", 2, {200}},
                                                      {"OFF", 4, {300}},
                                                      {"NORMAL", 1, {90}},
                                                      {"NORMAL", 2, {180}},
                                                      {"NORMAL", 4, {170}},
                                                      {"FULL", 1, {10}},
                                                      {"FULL", 2, {20}}});
        PivotRequest request;
        request.series = "durability";
        const Pivot shown = pivot({session}, request);
        std::map<std::string, std::pair<std::string, bool>> found;
        for (const Peak& peak : peaksOf(shown))
            found[peak.series] = {peak.x, peak.atEnd};
        QCOMPARE(found.size(), std::size_t(3));
        QCOMPARE(found["OFF"], std::pair(std::string("4"), true));
        QCOMPARE(found["NORMAL"], std::pair(std::string("2"), false));
        QCOMPARE(found["FULL"], std::pair(std::string("2"), true));
    }

    void axes()
    {
        QCOMPARE(axesOf({durability()}), (Texts{"durability", "users"}));
        QCOMPARE(axesOf({durability(), durability()}), (Texts{"durability", "users", "session"}));
    }

    //! Labels may be a stranger's: none is a formula in a spreadsheet.
    void noFormulasInCsv()
    {
        Pivot p = pivot({durability()}, {});
        p.xs = {"=1+1", "-2", "@a,b"};
        p.series = {"+cmd"};
        const std::string csv = ratioTable(p, TableForm::Csv, false);
        QVERIFY2(csv.find(",'+cmd (") != std::string::npos && csv.find("\n'=1+1,") != std::string::npos, csv.c_str());
        QVERIFY2(csv.find("\n-2,") != std::string::npos && csv.find("\n\"'@a,b\",") != std::string::npos, csv.c_str());
    }

    void cells()
    {
        const Pivot p = pivot({durability()}, {});
        QCOMPARE(p.request.series, std::string("durability"));
        QCOMPARE(p.request.baseline, std::string("OFF"));
        QCOMPARE(p.xs, (Texts{"2", "16"})); // as numbers, not as the plan lists them
        QVERIFY(p.numericX);
        QCOMPARE(p.series, (Texts{"OFF", "FULL"}));
        QCOMPARE(p.facets, (Texts{""}));
        QCOMPARE(p.cells.size(), std::size_t(4));
        const PivotCell* full = p.cell("16", "FULL");
        QVERIFY(full);
        QCOMPARE(full->estimate.mean, 380.0);
        QCOMPARE(full->p95Ms, (1000.0 / 380 + 1000.0 / 384 + 1000.0 / 376) / 3); // no times are stored: the mean
        QCOMPARE(full->ratio.value, 0.38);
        QVERIFY(full->ratio.verdict == Verdict::Worse);
        QVERIFY(p.cell("16", "OFF")->ratio.verdict == Verdict::Baseline);
        QVERIFY(!p.cell("4", "OFF"));
    }

    //! E06: cases that set the number of users themselves (one client has one table, more have eight) tell it: it is no
    //! facet beside.
    void usersThatAnAxisTells()
    {
        StoredSession session = durability();
        for (PointSpec& point : session.header.points) {
            for (CaseRef& one : point.cases) {
                if (one.axis == "users")
                    one.axis = "clients";
            }
        }
        PivotRequest request;
        request.x = "clients";
        request.series = "durability";
        const Pivot told = pivot({session}, request);
        QCOMPARE(told.request.facet, std::string());
        QCOMPARE(told.xs, (Texts{"2", "16"}));
        QCOMPARE(told.cell("16", "FULL")->estimate.mean, pivot({durability()}, {}).cell("16", "FULL")->estimate.mean);
        request.x = "durability"; // clients are what is left, and tell the users again
        request.series.clear();
        QCOMPARE(pivot({session}, request).request.series, std::string("clients"));
        QCOMPARE(pivot({session}, request).request.facet, std::string());
        // And what was published as percent of one number of clients has one's own percent beside it: 1000 of 500.
        session.header.plan.axes = {
            {"clients",
             {{"2", {{"load.users", std::int64_t(2)}}, 0}, {"16", {{"load.users", std::int64_t(16)}}, 0}},
             0}};
        Published post;
        post.source = "a post";
        post.relativeTo = "2";
        post.values = {{{{"durability", "OFF"}, {"clients", "16"}}, 180}};
        const auto rows = publishedBeside(session, post);
        QVERIFY(rows.at(0).own);
        QCOMPARE(rows.at(0).own->median, 200.0);
        // Not when a case has several numbers: other users are no repeats of it.
        for (PointSpec& point : session.header.points) {
            for (CaseRef& one : point.cases)
                one.label = one.axis == "clients" ? "any" : one.label;
        }
        request.x = "clients";
        request.series = "durability";
        QCOMPARE(pivot({session}, request).request.facet, std::string("users"));
    }

    //! E27: every step of a run beside each other, and of each its shortest, mean and longest time.
    void stepsBesideEachOther()
    {
        StoredSession session = durability();
        const auto step = [](const std::string& name, std::uint64_t count, double meanMs) {
            OperationSummary one;
            one.name = name;
            one.count = count;
            one.service.meanMs = meanMs;
            one.service.minMs = meanMs / 2;
            one.service.maxMs = meanMs * 3;
            one.service.p95Ms = meanMs * 2;
            return one;
        };
        for (StoredRun& run : session.runs) {
            const bool off = run.header.point < 2;
            run.header.operations = {{"load"}, {"add_index"}, {"never"}, {"search"}};
            // Summaries need not be in the workload's order, and one case knows a step that the other has not.
            run.summary.operations = {step("search", 10, off ? 4 : 6), step("load", 1, 100), step("never", 0, 0)};
            if (off)
                run.summary.operations.push_back(step("add_index", 1, 50));
        }
        const StoredSession original = session;
        QCOMPARE(pivotAxesOf({session}), (Texts{"durability", "users", "operation", "spread"}));
        QCOMPARE(pivotAxesOf({durability()}), (Texts{"durability", "users", "spread"}));
        QCOMPARE(axesOf({session}), (Texts{"durability", "users"}));

        PivotRequest request;
        request.measure = "service_mean";
        request.x = "operation";
        const Pivot steps = pivot({session}, request);
        QCOMPARE(steps.xs, (Texts{"load", "add_index", "search"}));
        QCOMPARE(steps.request.series, std::string("durability"));
        QCOMPARE(steps.request.facet, std::string("users")); // other numbers of users are no repeats
        QCOMPARE(steps.facets, (Texts{"2", "16"}));
        const PivotCell* full = steps.cell("search", "FULL", "16");
        QVERIFY(full && full->estimate.runs.size() == 3);
        QCOMPARE(full->estimate.mean, 6.0);
        QCOMPARE(full->p95Ms, 12.0);
        QCOMPARE(full->operation, std::string("search"));
        QCOMPARE(full->ratio.value, 1.5);
        QVERIFY(full->ratio.verdict == Verdict::Worse || full->ratio.verdict == Verdict::NoDifferenceShown);
        QVERIFY(steps.cell("add_index", "FULL", "2")->estimate.runs.empty());
        PivotRequest often = request; // a step that was not done has no count, not even 0
        often.measure = "transactions";
        for (StoredRun& run : session.runs) {
            if (run.header.point >= 2)
                run.summary.operations.push_back(step("add_index", 0, 0));
        }
        const Pivot counts = pivot({session}, often);
        QVERIFY(counts.cell("add_index", "FULL", "2")->estimate.runs.empty());
        QCOMPARE(counts.cell("search", "FULL", "2")->estimate.mean, 10.0);
        session = original;

        Published post; // figures of steps name them among their cases
        post.source = "a post";
        post.measure = "service_mean";
        post.values = {{{{"durability", "OFF"}, {"operation", "search"}}, 8},
                       {{{"durability", "FULL"}, {"operation", "search"}}, 9}};
        QCOMPARE(publishedAt(post, steps.request, *steps.cell("search", "FULL", "16")), std::optional(9.0));
        QVERIFY(!publishedAt(post, steps.request, *steps.cell("load", "FULL", "16")));
        const auto rows = publishedBeside(session, post);
        QCOMPARE(rows.at(0).own->median, 4.0);
        QCOMPARE(rows.at(1).own->median, 6.0);
        PivotRequest ofOne;
        ofOne.measure = "service_mean:search";
        ofOne.x = "durability";
        const Pivot alone = pivot({session}, ofOne);
        QCOMPARE(publishedAt(post, alone.request, alone.cells.front()), std::optional(8.0));
        ofOne.measure = "service_mean:load";
        const Pivot other = pivot({session}, ofOne);
        QVERIFY(!publishedAt(post, other.request, other.cells.front()));

        request.series = "durability × spread";
        const Pivot spread = pivot({session}, request);
        QCOMPARE(spread.series, (Texts{"OFF, min", "OFF, mean", "OFF, max", "FULL, min", "FULL, mean", "FULL, max"}));
        QCOMPARE(spread.cell("search", "OFF, min", "2")->estimate.mean, 2.0);
        QCOMPARE(spread.cell("search", "FULL, max", "2")->estimate.mean, 18.0);
        QVERIFY(!spread.ratios);
        QCOMPARE(spread.cell("search", "FULL, max", "2")->ratio.value, 0.0);
        const std::string table = markdownTable(spread);
        QVERIFY2(table.find("| operation | OFF, min | OFF, mean | OFF, max | FULL, min |") != std::string::npos,
                 table.c_str());
        QVERIFY(table.find("÷") == std::string::npos);
        const std::string sentence = verdictSentence(spread);
        QVERIFY2(sentence.starts_with("Mean service time is largest for load: 300 ms"), sentence.c_str());
        QVERIFY(ratioTable(spread, TableForm::Csv).find(" ratio") == std::string::npos);

        // A measure that operations do not have becomes their rate; a part gives way to the axis.
        request = {};
        request.x = "operation";
        request.measure = "errors:1213";
        QCOMPARE(pivot({session}, request).request.measure, std::string("qps"));
        request.measure = "response_p90:load";
        QCOMPARE(pivot({session}, request).request.measure, std::string("response_p90"));
        request.x = "users";
        request.series = "spread";
        request.measure = "service_p99:load";
        const Pivot ofLoad = pivot({session}, request);
        QCOMPARE(ofLoad.request.measure, std::string("service_mean:load"));
        QCOMPARE(ofLoad.cell("16", "max", "OFF")->estimate.mean, 300.0);
        QCOMPARE(ofLoad.cell("16", "max", "OFF")->operation, std::string());
    }

    //! What is left open never takes an axis that stands elsewhere already.
    void openAxesDoNotRepeat()
    {
        PivotRequest request;
        request.x.clear();
        request.series = "durability";
        QCOMPARE(pivot({durability()}, request).request.x, std::string("users"));
        StoredSession session = durability();
        std::erase_if(session.header.points, [](const PointSpec& point) { return point.users() != 16; });
        for (StoredRun& run : session.runs) // points 0 and 2 of four are left
            run.summary.point = run.summary.point % 2 == 0 ? run.summary.point / 2 : -1;
        const Pivot open = pivot({session}, request);
        QCOMPARE(open.request.x, std::string("users")); // the only axis that varies is the series
        QCOMPARE(open.cell("16", "FULL")->ratio.value, 0.38);
    }

    //! A plan may have an axis of that name: it is the plan's.
    void axisNamedOperation()
    {
        StoredSession session = durability();
        for (PointSpec& point : session.header.points)
            point.cases.front().axis = "operation";
        for (StoredRun& run : session.runs) {
            run.summary.operations.resize(1);
            run.summary.operations[0].name = "read";
            run.summary.operations[0].count = 1;
        }
        QCOMPARE(pivotAxesOf({session}), (Texts{"operation", "users", "spread"}));
        PivotRequest request;
        request.x = "operation";
        const Pivot p = pivot({session}, request);
        QCOMPARE(p.request.measure, std::string("tps"));
        QCOMPARE(p.xs, (Texts{"OFF", "FULL"}));
    }

    //! E18: (ops/s × 3600) / price per hour, so that the best machine is 100 %.
    void pricedMachines()
    {
        StoredSession session = durability();
        for (PointSpec& point : session.header.points) {
            const bool off = point.cases[0].label == "OFF";
            point.target.price = {off ? 0.5 : 0.1, off ? 200.0 : 0.0, "€"};
        }
        PivotRequest request;
        request.measure = "tx_per_cost";
        request.relativeTo = RelativeTo::Best;
        const Pivot p = pivot({session}, request);
        QCOMPARE(p.currency, std::string("€"));
        QCOMPARE(p.measure().unit, std::string("transactions/€"));
        QCOMPARE(p.measure().label, std::string("Transactions per €"));
        QCOMPARE(p.shown().unit, std::string("%"));
        const PivotCell* off = p.cell("16", "OFF");
        const PivotCell* full = p.cell("16", "FULL");
        QCOMPARE(off->estimate.mean, 1000 * 3600 / 0.5);
        QCOMPARE(full->estimate.mean, 380 * 3600 / 0.1);
        QVERIFY(p.best("") == full); // slower, but cheaper by more than that
        QVERIFY(full->ratio.verdict == Verdict::Baseline);
        QCOMPARE(p.figure(*full).value, 100.0);
        QVERIFY(std::fabs(p.figure(*off).value - 100 * 7.2 / 13.68) < 1e-9);
        QVERIFY(p.figure(*off).low && *p.figure(*off).low < p.figure(*off).value);
        QVERIFY(std::fabs(p.figure(*p.cell("2", "FULL")).value - 100 * 300.0 / 380) < 1e-9); // one best for the chart
        const std::string sentence = verdictSentence(p);
        QVERIFY2(sentence.find("FULL is best at 16 users") == 0 &&
                     sentence.find("transactions/€") != std::string::npos &&
                     sentence.find("OFF reaches 52.6 % of it") != std::string::npos,
                 sentence.c_str());
        const std::string table = markdownTable(p);
        QVERIFY2(table.find("| OFF, of the best |") != std::string::npos && table.find("100 %") != std::string::npos,
                 table.c_str());

        request.measure = "tx_per_watt_hour"; // FULL has none
        const Pivot watts = pivot({session}, request);
        QVERIFY(watts.cell("16", "FULL")->noPrice);
        QVERIFY(std::isnan(watts.figure(*watts.cell("16", "FULL")).value));
        QCOMPARE(watts.cell("16", "OFF")->estimate.mean, 1000 * 3600 / 200.0);
        QVERIFY2(watts.hint().find("2 cells are left out: no watts are given") == 0, watts.hint().c_str());
        QVERIFY(markdownTable(watts).find("– (no price)") != std::string::npos);

        request.measure = "tx_per_cost";
        session.header.points[0].target.price.currency = "$";
        const Pivot mixed = pivot({session}, request);
        QVERIFY(mixed.mixedCurrencies && !mixed.hint().empty());
        QVERIFY(!mixed.best(""));
        QCOMPARE(mixed.measure().unit, std::string("transactions/unit of cost"));
        QVERIFY(std::isnan(mixed.figure(*mixed.cell("16", "FULL")).value));
    }

    void noPriceIsNoFigure()
    {
        PivotRequest request;
        request.measure = "tx_per_cost";
        const Pivot p = pivot({durability()}, request);
        for (const PivotCell& cell : p.cells)
            QVERIFY(cell.noPrice && cell.estimate.runs.empty() && std::isnan(p.figure(cell).value));
        QVERIFY(!hasPriceFor(*findMeasure("tx_per_cost"), std::vector{durability()}));
        QVERIFY(hasPriceFor(*findMeasure("tps"), std::vector{durability()}));
        QCOMPARE(verdictSentence(p), p.hint());
    }

    //! The middle one of three repeats, as E18 keeps it. Of medians there is no interval and no test.
    void medians()
    {
        PivotRequest request;
        request.centre = Centre::Median;
        const StoredSession session = sessionOf("s", {{"OFF", 1, {100, 110, 400}}, {"FULL", 1, {50, 54, 55}}});
        Pivot p = pivot({session}, request);
        const PivotCell* off = p.cell("1", "OFF");
        const PivotCell* full = p.cell("1", "FULL");
        QCOMPARE(p.figure(*off).value, 110.0);
        QVERIFY(!p.figure(*off).low && off->estimate.low);
        QCOMPARE(full->ratio.value, 54.0 / 110);
        QVERIFY(!full->ratio.low && !full->ratio.high);
        QVERIFY(full->ratio.verdict == Verdict::Untested);
        QVERIFY2(verdictSentence(p).find("medians") != std::string::npos, verdictSentence(p).c_str());
        const std::string report = markdownReport({session}, request);
        QVERIFY2(report.find("| 1 | 110 | 54.0 | 0.49 |") != std::string::npos &&
                     report.find("Figures are medians of the runs,") != std::string::npos &&
                     report.find("Student's t") == std::string::npos,
                 report.c_str());
        request.relativeTo = RelativeTo::Baseline;
        p = pivot({session}, request);
        QCOMPARE(p.figure(*p.cell("1", "OFF")).value, 100.0);
        QVERIFY(std::fabs(p.figure(*p.cell("1", "FULL")).value - 100 * 54.0 / 110) < 1e-9);
        QCOMPARE(p.shown().label, std::string("Throughput, % of OFF"));
    }

    //! For a latency the least is the best, and the others are more than 100 %.
    void bestOfWhatShouldBeLow()
    {
        PivotRequest request;
        request.measure = "service_p95";
        request.relativeTo = RelativeTo::Best;
        const Pivot p = pivot({durability()}, request);
        QVERIFY(p.best("") == p.cell("16", "OFF"));
        QVERIFY(p.figure(*p.cell("2", "FULL")).value > 300);
    }

    void textAxisKeepsPlanOrder()
    {
        PivotRequest request;
        request.x = "durability";
        request.series = "users";
        const Pivot p = pivot({durability()}, request);
        QCOMPARE(p.xs, (Texts{"OFF", "FULL"}));
        QVERIFY(!p.numericX);
        QCOMPARE(p.series, (Texts{"2", "16"}));
    }

    void onlyDoneRunsCount()
    {
        StoredSession session = durability();
        session.runs[6].summary.status = RunStatus::Failed; // FULL, 16 users: 380
        session.runs[7].summary.status = RunStatus::Cut;
        session.runs[8].summary.clientLimited = true;
        const Pivot p = pivot({session}, {});
        const PivotCell* full = p.cell("16", "FULL");
        QCOMPARE(full->estimate.runs, (std::vector<double>{376}));
        QCOMPARE(full->failedRuns, 2);
        QVERIFY(full->clientLimited);
        QVERIFY(full->ratio.verdict == Verdict::TooFewRuns);
    }

    void otherBaselineAndMeasure()
    {
        PivotRequest request;
        request.measure = "service_p95";
        request.baseline = "FULL";
        const Pivot p = pivot({durability()}, request);
        QVERIFY(p.cell("2", "FULL")->ratio.verdict == Verdict::Baseline);
        QVERIFY(p.cell("2", "OFF")->ratio.verdict == Verdict::Better); // lower latency
        QVERIFY(p.cell("2", "OFF")->ratio.value < 1);
    }

    void axesThatAreLeftBecomeFacets()
    {
        StoredSession session = durability();
        for (std::size_t i = 0; i < session.header.points.size(); ++i)
            session.header.points[i].cases.push_back({"page", i < 2 ? "4k" : "16k"});
        StoredSession other = durability();
        other.info.id = "22222222-2222";
        const Pivot p = pivot({session, other}, {});
        QCOMPARE(p.request.series, std::string("session"));
        QCOMPARE(p.request.facet, std::string("durability × page"));
        // No run of one case is ever a repeat of another one's.
        for (const PivotCell& cell : p.cells)
            QVERIFY(cell.estimate.runs.size() <= 3);
        QVERIFY(p.cell("16", p.series[0], "OFF, 4k"));
        QVERIFY(p.cell("16", p.series[1], "OFF, –"));
        QVERIFY(p.series[1] == "durability · 22222222"); // the titles are the same
    }

    void sentences()
    {
        const std::string shown = verdictSentence(pivot({durability()}, {}));
        QVERIFY2(shown.starts_with("Throughput is 2.63× [2.") &&
                     shown.ends_with("] lower with FULL than with OFF at 16 users (one of 2 comparisons)."),
                 shown.c_str());

        PivotRequest other;
        other.baseline = "FULL";
        const std::string gain = verdictSentence(pivot({durability()}, other));
        QVERIFY2(gain.starts_with("OFF has 2.63× [2."), gain.c_str());

        other.measure = "service_p95";
        const std::string lower = verdictSentence(pivot({durability()}, other));
        QVERIFY2(lower.starts_with("p95 service time is 2.6") &&
                     lower.find("] lower with OFF than with FULL") != std::string::npos,
                 lower.c_str());

        const std::string same =
            verdictSentence(pivot({sessionOf("s", {{"OFF", 1, {100, 110, 90}}, {"FULL", 1, {99, 111, 91}}})}, {}));
        QVERIFY2(same.starts_with("Differences in throughput between OFF and FULL are within the noise"), same.c_str());

        // Of a count that can be 0 there is no ratio; measured here is what sessionOf() calls tps.
        QCOMPARE(verdictSentence(pivot({sessionOf("s", {{"OFF", 1, {0, 0, 0}}, {"FULL", 1, {490, 500, 510}}})}, {})),
                 std::string("FULL has 500 transactions/s, OFF none at 1 user."));
        QCOMPARE(verdictSentence(pivot({sessionOf("s", {{"OFF", 1, {0, 0}}, {"FULL", 1, {0, 0}}})}, {})),
                 std::string("All figures of throughput are 0."));
        const std::string single = verdictSentence(pivot({sessionOf("s", {{"OFF", 1, {100}}, {"FULL", 1, {60}}})}, {}));
        QCOMPARE(single,
                 std::string(
                     "Throughput is 40 % lower with FULL than with OFF at 1 user. Too few runs to tell: 1 per point."));
        // From two on an effect is told as a factor, downwards too: "100 %" would say too little.
        const std::string tiny = verdictSentence(
            pivot({sessionOf("s", {{"OFF", 1, {4300, 4310, 4290}}, {"FULL", 1, {10, 10.1, 9.9}}})}, {}));
        QVERIFY2(tiny.starts_with("Throughput is 430× [4") &&
                     tiny.find("] lower with FULL than with OFF") != std::string::npos,
                 tiny.c_str());

        QCOMPARE(verdictSentence(pivot({sessionOf("s", {{"OFF", 1, {}}, {"FULL", 1, {}}})}, {})),
                 std::string("No complete run to compare yet."));
        const std::string alone = verdictSentence(pivot({sessionOf("s", {{"OFF", 1, {100, 101}}})}, {}));
        QVERIFY2(alone.starts_with("Throughput is 100 transactions/s [") && alone.ends_with("] at 1 user."),
                 alone.c_str());
    }

    //! The plan's question decides which comparison is told, not the largest effect.
    void theSentenceAnswersThePlan()
    {
        const StoredSession session = sessionOf("s", {{"OFF", 1, {100, 101, 99}},
                                                      {"OFF", 16, {100, 101, 99}},
                                                      {"FULL", 1, {50, 51, 49}},
                                                      {"FULL", 16, {90, 91, 89}},
                                                      {"EXTRA", 1, {20, 21, 19}},
                                                      {"EXTRA", 16, {10, 11, 9}}});
        PivotRequest request;
        request.series = "durability";
        QVERIFY(verdictSentence(pivot({session}, request)).find("with EXTRA than with OFF at 16 users") !=
                std::string::npos);
        request.verdict = "FULL";
        QVERIFY(verdictSentence(pivot({session}, request)).find("with FULL than with OFF at 1 user") !=
                std::string::npos);
        request.verdictAt = {{"users", "16"}};
        const std::string asked = verdictSentence(pivot({session}, request));
        QVERIFY2(asked.starts_with("Throughput is 10 % [") &&
                     asked.find("lower with FULL than with OFF at 16 users") != std::string::npos,
                 asked.c_str());
        // Within the noise where the plan asks, beside an effect elsewhere: that is not told away.
        const StoredSession even = sessionOf("s", {{"OFF", 1, {100, 101, 99}},
                                                   {"OFF", 16, {100, 110, 90}},
                                                   {"FULL", 1, {50, 51, 49}},
                                                   {"FULL", 16, {99, 111, 91}}});
        const std::string noise = verdictSentence(pivot({even}, request));
        QVERIFY2(noise.starts_with("The difference in throughput between OFF and FULL at 16 users is within the noise"),
                 noise.c_str());
        request.verdictAt = {{"users", "64"}}; // not at this size: the series alone
        QVERIFY(verdictSentence(pivot({session}, request)).find("with FULL than with OFF at 1 user") !=
                std::string::npos);
        request.verdict = "NONE";
        QVERIFY(verdictSentence(pivot({session}, request)).find("with EXTRA than with OFF") != std::string::npos);
    }

    //! Facet, held cases and the number of comparisons stand in one pair of brackets; what a pill shows is not said.
    void onePairOfBrackets()
    {
        StoredSession session = durability();
        for (PointSpec& point : session.header.points) {
            const bool many = std::ranges::any_of(point.cases, [](const CaseRef& one) { return one.label == "16"; });
            point.cases.push_back({"page", many ? "small" : "large"});
            point.cases.push_back({"engine", "InnoDB"});
        }
        PivotRequest request;
        request.x = "users";
        request.series = "durability";
        request.facet = "page";
        request.fixed = {{"engine", "InnoDB"}};
        const Pivot p = pivot({session}, request);
        const std::string named = verdictSentence(p);
        QVERIFY2(named.ends_with(" at 16 users (small; engine = InnoDB; one of 2 comparisons)."), named.c_str());
        const std::string shown = verdictSentence(p, HeldAxes::Shown);
        QVERIFY2(shown.ends_with(" at 16 users (small; one of 2 comparisons)."), shown.c_str());
        request.centre = Centre::Median;
        const std::string medians = verdictSentence(pivot({session}, request), HeldAxes::Shown);
        QVERIFY2(medians.ends_with(" at 16 users (small; medians, not tested)."), medians.c_str());
    }

    //! In an open loop p95 is what a user of the system sees; in a closed loop both times are the same.
    void percentilesOfArrivals()
    {
        StoredSession session = durability();
        for (StoredRun& run : session.runs)
            run.summary.response.p95Ms = run.summary.service.p95Ms;
        const Pivot closed = pivot({session}, {});
        QVERIFY(!closed.responseTimes);
        for (StoredRun& run : session.runs) {
            if (run.header.point != 0)
                continue;
            run.summary.arrivals = 1000;
            run.summary.response.p95Ms = 4321;
        }
        const Pivot open = pivot({session}, {});
        QCOMPARE(open.cell("16", "OFF")->p95Ms, 4321.0);
        QCOMPARE(open.cell("16", "FULL")->p95Ms, closed.cell("16", "FULL")->p95Ms);
        QVERIFY(open.responseTimes);
    }

    //! Only what was tested shows no difference.
    void seriesThatWereNotTested()
    {
        const std::string few = verdictSentence(pivot(
            {sessionOf("s", {{"A", 1, {100, 110, 90}}, {"B", 1, {99, 111, 91}}, {"C", 1, {30}}, {"D", 1, {}}})}, {}));
        QCOMPARE(few, std::string("Differences in throughput between A and B are within the noise: every 95 % interval "
                                  "of the ratio includes 1; "
                                  "C has too few runs to tell (0.30); D has no figure to compare."));
        const std::string part = verdictSentence(pivot(
            {sessionOf("s",
                       {{"A", 1, {100, 110, 90}}, {"B", 1, {99, 111, 91}}, {"A", 4, {100, 110, 90}}, {"B", 4, {50}}})},
            {}));
        QVERIFY2(part.ends_with("between A and B are within the noise: every 95 % interval of the ratio includes 1; B "
                                "has too few runs to tell at 4 users (0.50)."),
                 part.c_str());
    }

    //! What stands beside a chart: the interval is that of what is drawn.
    void whatBarsAre()
    {
        PivotRequest request;
        QCOMPARE(spreadText(pivot({durability()}, request)),
                 std::string("mean and 95 % interval (Student's t) of 3 runs"));
        request.centre = Centre::Median;
        QCOMPARE(spreadText(pivot({durability()}, request)), std::string("median of 3 runs"));
        request.relativeTo = RelativeTo::Baseline;
        QCOMPARE(spreadText(pivot({durability()}, request)), std::string("ratio of the medians of 3 runs"));
        request.centre = Centre::Mean;
        QCOMPARE(spreadText(pivot({durability()}, request)),
                 std::string("ratio and its 95 % interval (Welch's t) of 3 runs"));
        StoredSession paired = sessionOf("p", {{"A", 1, {100, 110, 90}}, {"B", 1, {51, 54, 46}}});
        paired.header.plan.load.order = RunOrder::Interleaved;
        QCOMPARE(spreadText(pivot({paired}, request)),
                 std::string("ratio and its 95 % interval (pairs, t of logarithms) of 3 runs"));
        request.relativeTo = RelativeTo::Nothing;
        QCOMPARE(spreadText(pivot({paired}, request)), std::string("mean and 95 % interval (Student's t) of 3 runs"));
        const StoredSession uneven =
            sessionOf("s", {{"A", 1, {100, 110, 90}}, {"B", 1, {99}}, {"A", 4, {1}}, {"B", 4, {2}}});
        QCOMPARE(spreadText(pivot({uneven}, request)),
                 std::string("mean and 95 % interval (Student's t) of 1 to 3 runs"));
        PivotRequest facets = request;
        facets.x = "durability";
        facets.facet = "users";
        QCOMPARE(spreadText(pivot({uneven}, facets), "4"), std::string("one run each"));
        QCOMPARE(spreadText(pivot({uneven}, facets), "1"),
                 std::string("mean and 95 % interval (Student's t) of 1 to 3 runs"));
        request.relativeTo = RelativeTo::Baseline;
        QCOMPARE(spreadText(pivot({uneven}, request)),
                 std::string("ratio of the means of 1 to 3 runs, without an interval"));
        QCOMPARE(spreadText(pivot({sessionOf("s", {{"A", 1, {1}}, {"B", 1, {2}}})}, request)),
                 std::string("ratio, one run each"));
        QCOMPARE(spreadText(pivot({sessionOf("s", {{"A", 1, {}}})}, request)), std::string());
    }

    //! A number of a facet says nothing without its axis, and what stands along x is said already.
    void sentencesOfFacets()
    {
        PivotRequest request;
        request.x = "users";
        request.series = "durability";
        request.facet = "users";
        const Pivot one = pivot({durability()}, request);
        const std::string along = verdictSentence(one); // as the window asks for it when users stand twice
        QVERIFY2(along.find("at 16 users") != std::string::npos && along.find("(16)") == std::string::npos &&
                     along.find("users = 16") == std::string::npos,
                 (along + " " + std::to_string(one.facets.size())).c_str());
    }

    //! One bar for each load: the runs that found the data loaded have neither a place nor a colour.
    void loadsAlone()
    {
        StoredSession session = durability();
        for (StoredRun& run : session.runs) {
            const auto& cases = session.header.points[std::size_t(run.summary.point)].cases;
            const auto users = std::ranges::find(cases, "users", &CaseRef::axis);
            if (users->label == "2" && run.summary.repeat == session.runs.front().summary.repeat)
                run.summary.indexSeconds = 3;
        }
        PivotRequest request;
        request.measure = "index_seconds";
        request.x = "durability";
        request.series = "users";
        const Pivot shown = pivot({session}, request);
        QCOMPARE(shown.xs, (Texts{"OFF", "FULL"}));
        QCOMPARE(shown.series, (Texts{"2"}));
        QCOMPARE(shown.request.baseline, std::string("2"));
        QCOMPARE(shown.cells.size(), std::size_t(2));
        QCOMPARE(shown.cell("FULL", "2")->estimate.runs, std::vector<double>{3});
        request.series = "durability";
        request.x = "users";
        QCOMPARE(pivot({session}, request).xs, (Texts{"2"}));
        // Other measures keep places without a figure.
        request.measure = "recall";
        QCOMPARE(pivot({session}, request).xs, (Texts{"2", "16"}));
        for (StoredRun& run : session.runs)
            run.summary.indexSeconds.reset();
        request.measure = "index_seconds";
        QCOMPARE(pivot({session}, request).xs, (Texts{"2", "16"}));
    }

    void nothingAtAll()
    {
        const Pivot p = pivot({}, {});
        QVERIFY(p.cells.empty());
        QVERIFY(!verdictSentence(p).empty());
        QVERIFY(!markdownTable(p).empty());
    }

    void aThousandRuns()
    {
        std::vector<OnePoint> figures;
        for (int users = 1; users <= 50; ++users) {
            for (const char* label : {"a", "b", "c", "d", "e"})
                figures.push_back({label, users, {100.0 + users, 101.0 + users, 102.0 + users, 99.0 + users}});
        }
        const std::vector<StoredSession> sessions = {sessionOf("big", figures)};
        QCOMPARE(sessions[0].runs.size(), std::size_t(1000));
        const Pivot p = pivot(sessions, {});
        QCOMPARE(p.cells.size(), std::size_t(250));
        QCOMPARE(p.cell("50", "e")->estimate.mean, 150.5);
    }
};

} // namespace dyno::tst_pivot

DYNO_SUITE(tst_pivot, dyno::tst_pivot::TestPivot)
#include "tst_pivot.moc"
