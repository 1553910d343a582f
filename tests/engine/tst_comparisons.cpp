// SPDX-License-Identifier: GPL-3.0-or-later
// Several comparisons at once: against printed tables, the textbook's example and simulated sessions without a
// difference.
#include "figure_sessions.h"
#include "report/statistics/student.h"
#include "support/suite.h"
#include <dyno/analysis.h>

#include <QTest>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace dyno::tst_comparisons {
using namespace dyno::test;
using DocumentOfComparison = nlohmann::json;

namespace {

//! Normal figures from a fixed seed: the same on every machine.
class Figures
{
public:
    explicit Figures(std::uint64_t seed)
        : m_state(seed)
    {
    }
    double unit()
    {
        m_state = m_state * 6364136223846793005ull + 1442695040888963407ull;
        return (double(m_state >> 11) + 0.5) * 0x1.0p-53;
    }
    double normal() { return std::sqrt(-2 * std::log(unit())) * std::cos(6.283185307179586 * unit()); }
    std::vector<double> runs(int n, double mean, double deviation)
    {
        std::vector<double> all;
        for (int i = 0; i < n; ++i)
            all.push_back(mean + deviation * normal());
        return all;
    }

private:
    std::uint64_t m_state;
};

bool isClaim(const Ratio& ratio)
{
    return ratio.verdict == Verdict::Better || ratio.verdict == Verdict::Worse;
}

//! Six cells; of the first B is a little more (p = 0.023 alone), of the last by `last`.
StoredSession sixCells(double last)
{
    std::vector<OnePoint> points;
    for (int users : {1, 2, 4, 8, 16, 32}) {
        points.push_back({"A", users, {100, 101, 99}});
        const std::vector<double> more{103, 104, 102}, same{100.5, 101, 99};
        points.push_back({"B", users, users == 1 ? more : same});
    }
    for (double& run : points.back().tps)
        run *= last;
    return sessionOf("six", points);
}

//! Hours from one fixed moment on.
StoredSession at(StoredSession session, double fromHours, double toHours)
{
    constexpr double kHourMs = 3'600'000;
    constexpr std::int64_t kStart = 1'790'000'000'000;
    session.info.startedMs = session.header.startedMs = kStart + std::int64_t(fromHours * kHourMs);
    session.info.finishedMs = kStart + std::int64_t(toHours * kHourMs);
    return session;
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestComparisons : public QObject
{
    Q_OBJECT

private slots:
    //! O. J. Dunn, Multiple comparisons among means, JASA 56 (1961), table 1 (5 %); rounded there, at times upwards.
    void quantilesOfDunn()
    {
        struct Row
        {
            int comparisons;
            std::vector<double> t; //!< for 5, 7, 10, 12, 15, 20 and 30 degrees of freedom
        };
        const std::vector<int> degrees{5, 7, 10, 12, 15, 20, 30};
        const Row rows[] = {
            {2, {3.17, 2.84, 2.64, 2.56, 2.49, 2.42, 2.36}}, {3, {3.54, 3.13, 2.87, 2.78, 2.69, 2.61, 2.54}},
            {4, {3.81, 3.34, 3.04, 2.94, 2.84, 2.75, 2.66}}, {5, {4.04, 3.50, 3.17, 3.06, 2.95, 2.85, 2.75}},
            {6, {4.22, 3.64, 3.28, 3.15, 3.04, 2.93, 2.83}}, {10, {4.78, 4.03, 3.58, 3.43, 3.29, 3.16, 3.03}}};
        for (const Row& row : rows) {
            for (std::size_t i = 0; i < degrees.size(); ++i) {
                // n runs of known mean and spread: the half width times √n over the deviation is the quantile.
                std::vector<double> runs(std::size_t(degrees[i]) + 1, 10);
                runs[0] = 9;
                runs[1] = 11;
                const Estimate e = estimate(runs, std::size_t(row.comparisons));
                const double n = double(runs.size());
                const double t = (*e.high - e.mean) * std::sqrt(n) / std::sqrt(2 / (n - 1));
                const QString what = QStringLiteral("%1, %2 degrees: %3").arg(row.comparisons).arg(degrees[i]).arg(t);
                QVERIFY2(std::fabs(t - row.t[i]) < 0.0101, qPrintable(what));
            }
        }
        // Columns 0.005 and 0.0025 of the usual table: 5 and 10 comparisons.
        const auto half = [](std::size_t together) {
            const Estimate e = estimate({9, 10, 11, 12, 8}, together); // variance 2.5, 4 degrees of freedom
            return (*e.high - e.mean) / std::sqrt(0.5);
        };
        QCOMPARE(std::round(half(1) * 1000) / 1000, 2.776);
        QCOMPARE(std::round(half(5) * 1000) / 1000, 4.604);
        QCOMPARE(std::round(half(10) * 1000) / 1000, 5.598);
    }

    void holmOfTheTextbook()
    {
        const auto is = [](const std::vector<double>& got, const std::vector<double>& wanted) {
            return std::ranges::equal(got, wanted, [](double a, double b) { return std::fabs(a - b) < 1e-12; });
        };
        QVERIFY(is(holmAdjusted({0.01, 0.04, 0.03, 0.005}), {0.03, 0.06, 0.06, 0.02}));
        QVERIFY(is(holmAdjusted({0.01, 0.04, 0.03, 0.005}, 6), {0.05, 0.12, 0.12, 0.03}));
        QVERIFY(is(holmAdjusted({0.5, 0.6}), {1, 1}));
        QVERIFY(is(holmAdjusted({0.2}), {0.2}));
        QVERIFY(holmAdjusted({}).empty());
    }

    //! 10 000 comparisons of two sessions, six cells each, 3 to 5 repeats, nothing different between them.
    void sessionsWithoutDifference()
    {
        constexpr int kSessions = 10'000, kCells = 6;
        Figures figures(19);
        int alone = 0, together = 0;
        for (int s = 0; s < kSessions; ++s) {
            const int repeats = 3 + int(figures.unit() * 3);
            std::vector<ComparedRuns> family;
            for (int c = 0; c < kCells; ++c)
                family.push_back({figures.runs(repeats, 1000, 30), figures.runs(repeats, 1000, 30)});
            const std::vector<Ratio> ratios = compareTogether(family, true);
            alone += std::ranges::any_of(ratios, [](const Ratio& ratio) { return *ratio.p < 0.05; });
            together += std::ranges::any_of(ratios, isClaim);
        }
        // A binomial share of 5 % of 10 000 has a standard deviation of 0.22 %.
        QVERIFY2(together <= kSessions * (0.05 + 3 * 0.0022), QByteArray::number(together));
        QVERIFY2(together >= kSessions * 0.01, QByteArray::number(together)); // it has not just fallen silent
        QVERIFY2(alone >= kSessions * 0.15, QByteArray::number(alone));       // what each by itself at 95 % would claim
    }

    //! The same of figures that vary much and are skewed: now and then one run is far above the others.
    void skewedSessionsWithoutDifference()
    {
        constexpr int kSessions = 10'000, kCells = 6;
        Figures figures(23);
        const auto runs = [&figures](int n) {
            std::vector<double> all = figures.runs(n, 0, 0.6); // a coefficient of variation of 66 %
            for (double& run : all)
                run = 1000 * std::exp(run);
            return all;
        };
        int together = 0;
        for (int s = 0; s < kSessions; ++s) {
            const int repeats = 3 + int(figures.unit() * 8);
            std::vector<ComparedRuns> family;
            for (int c = 0; c < kCells; ++c)
                family.push_back({runs(repeats), runs(repeats)});
            const std::vector<Ratio> ratios = compareTogether(family, true);
            together += std::ranges::any_of(ratios, isClaim);
            QVERIFY(std::ranges::all_of(ratios, [](const Ratio& ratio) { return !ratio.low || *ratio.low > 0; }));
        }
        QVERIFY2(together <= kSessions * (0.05 + 3 * 0.0022), QByteArray::number(together));
        QVERIFY2(together >= kSessions * 0.01, QByteArray::number(together));
    }

    //! The largest of pairs of repeats, and a best chosen from four: each with each.
    void otherHeadlinesWithoutDifference()
    {
        constexpr int kSessions = 2000;
        Figures figures(7);
        int paired = 0, best = 0;
        for (int s = 0; s < kSessions; ++s) {
            std::vector<ComparedRuns> family;
            for (int c = 0; c < 6; ++c) {
                const std::vector<double> value = figures.runs(4, 1000, 30), baseline = figures.runs(4, 1000, 30);
                family.push_back({value, baseline, value, baseline});
            }
            paired += std::ranges::any_of(compareTogether(family, true), isClaim);

            std::vector<OnePoint> points;
            for (const char* label : {"A", "B", "C", "D"})
                points.push_back({label, 1, figures.runs(5, 1000, 30)});
            PivotRequest request;
            request.relativeTo = RelativeTo::Best;
            const Pivot p = pivot({sessionOf("null", points)}, request);
            QCOMPARE(p.comparisons, 6);
            best += std::ranges::any_of(p.cells, [](const PivotCell& cell) { return isClaim(cell.ratio); });
        }
        // 5 % of 2 000, and three standard deviations of 0.49 %.
        QVERIFY2(paired <= 130, QByteArray::number(paired));
        QVERIFY2(best <= 130, QByteArray::number(best));
    }

    //! What is different by itself is not, as the largest of six.
    void tablesAndSentences()
    {
        const Pivot none = pivot({sixCells(1)}, {});
        QCOMPARE(none.comparisons, 6);
        const PivotCell* first = none.cell("1", "B");
        QVERIFY(first && first->ratio.low && *first->ratio.low > 1 && *first->ratio.p < 0.05);
        QVERIFY(*first->ratio.adjustedP > 0.05 && first->ratio.verdict == Verdict::NoDifferenceShown);
        QVERIFY(*first->ratio.shownLow() < 1 && *first->ratio.shownHigh() > *first->ratio.high);
        std::string sentence = verdictSentence(none);
        QVERIFY2(sentence ==
                     "Differences in throughput between A and B are within the noise: every 95 % interval of the ratio "
                     "includes 1, for all 6 comparisons together.",
                 sentence.c_str());
        QVERIFY2(has(markdownTable(none),
                     "\nOf 6 comparisons, none shows a difference (Holm's method); the 95 % intervals "
                     "of the ratios hold for all 6 together.\n"),
                 markdownTable(none).c_str());
        for (const TableForm form : {TableForm::Text, TableForm::Html})
            QVERIFY(has(ratioTable(none, form), "Of 6 comparisons, none shows"));
        QVERIFY(!has(ratioTable(none, TableForm::Csv), "comparisons"));
        QVERIFY(has(markdownReport({sixCells(1)}, {}), "which hold for all 6 comparisons together"));

        const Pivot some = pivot({sixCells(2)}, {});
        const PivotCell* last = some.cell("32", "B");
        QVERIFY(last && last->ratio.verdict == Verdict::Better && *last->ratio.adjustedP < 0.05);
        QVERIFY(*last->ratio.jointLow<*last->ratio.low&& * last->ratio.jointLow> 1);
        QVERIFY(*last->ratio.jointHigh > *last->ratio.high);
        // The interval is the one at 1 − 0.05/6 that compareTogether() gives six of a kind.
        const ComparedRuns runs{last->estimate.runs, {100, 101, 99}};
        const std::vector<Ratio> same = compareTogether(std::vector<ComparedRuns>(6, runs), true);
        QCOMPARE(same[3].jointLow, last->ratio.jointLow);
        sentence = verdictSentence(some);
        QVERIFY2(sentence.starts_with("B has 2.00× [1.") &&
                     sentence.ends_with("] the throughput of A at 32 users (one of 6 comparisons)."),
                 sentence.c_str());
        QVERIFY2(has(markdownTable(some), "Of 6 comparisons, 1 shows a difference"), markdownTable(some).c_str());

        // One comparison is as it was, and medians are none.
        const StoredSession single = sessionOf("s", {{"A", 1, {100, 101, 99}}, {"B", 1, {103, 104, 102}}});
        const Pivot one = pivot({single}, {});
        QVERIFY(one.comparisons == 1 && one.cell("1", "B")->ratio.verdict == Verdict::Better);
        QVERIFY(!has(markdownTable(one), "comparison") && !has(verdictSentence(one), "comparison"));
        PivotRequest medians;
        medians.centre = Centre::Median;
        QCOMPARE(pivot({sixCells(2)}, medians).comparisons, 0);
        // The best of several points of one series: its interval holds for all of them.
        const StoredSession alone =
            sessionOf("s", {{"A", 1, {100, 101, 99}}, {"A", 4, {200, 202, 198}}, {"A", 16, {150, 151, 149}}});
        sentence = verdictSentence(pivot({alone}, {}));
        QVERIFY2(sentence.starts_with("Throughput is 200 transactions/s [19") &&
                     sentence.ends_with("] at 4 users (one of 3 points)."),
                 sentence.c_str());
    }

    //! The best is chosen from the figures: a lead over it counts against each pair of them.
    void theBestOfSeveral()
    {
        PivotRequest request;
        request.relativeTo = RelativeTo::Best;
        const StoredSession session = sessionOf(
            "s", {{"A", 1, {103, 104, 102}}, {"B", 1, {100.3, 101.3, 99.3}}, {"C", 1, {50, 51, 49}}, {"D", 1, {60}}});
        const Pivot p = pivot({session}, request);
        QCOMPARE(p.comparisons, 3); // of the three that have repeats
        QVERIFY(*p.cell("1", "B")->ratio.p < 0.05 && p.cell("1", "B")->ratio.verdict == Verdict::NoDifferenceShown);
        QVERIFY(p.cell("1", "C")->ratio.verdict == Verdict::Worse);
        const std::string sentence = verdictSentence(p);
        for (const char* part : {"A is best at 1 user", "; B reaches 97.4 % of it, within the noise; ",
                                 "C reaches 48.5 % of it; ", "D reaches 58.3 % of it, too few runs to tell."})
            QVERIFY2(has(sentence, part), sentence.c_str());
        QVERIFY(has(markdownTable(p), "Of 3 comparisons (each figure with each, since the best is chosen from them), "
                                      "1 shows a difference"));
    }

    //! A bare value says nothing in a sentence: its axis stands with it. Tables have the axis in the head, JSON the
    //! label.
    void bareValuesInASentence()
    {
        const StoredSession session = sessionOf("s", {{"1", 1, {103, 104, 102}}, {"0", 1, {300, 301, 299}}});
        const Pivot p = pivot({session}, {});
        const std::string axis = p.request.series, sentence = verdictSentence(p);
        QVERIFY(axis != "users" && !axis.empty());
        QVERIFY2(has(sentence, (axis + "=0").c_str()) && has(sentence, (axis + "=1").c_str()), sentence.c_str());
        QVERIFY(!has(markdownTable(p), (axis + "=").c_str()));
        QCOMPARE(p.series, (std::vector<std::string>{"0", "1"}));
    }

    //! A value that is always 0 beside a baseline that is seldom not: nothing is shown by that.
    void alwaysZeroBesideSeldom()
    {
        const Ratio seldom = ratioOf(estimate({0, 0, 0}), estimate({0, 0, 1}), false);
        QVERIFY(seldom.verdict == Verdict::NoDifferenceShown && !seldom.low);
        // Welch: t = 500 / (10/√3) = 86.6 with 2 degrees of freedom.
        QVERIFY(ratioOf(estimate({0, 0, 0}), estimate({490, 500, 510}), false).verdict == Verdict::Better);
    }

    void oneSessionTwice()
    {
        StoredSession a = at(durability(), 0, 1), copy = a;
        QVERIFY(holdSameRuns(a, copy));
        copy.info.id = copy.header.id = "another";
        copy.info.title = "another title";
        QVERIFY(holdSameRuns(a, copy));
        for (StoredSession* session : {&a, &copy}) {
            for (StoredRun& run : session->runs)
                run.summary.service.meanMs = std::nan(""); // a tool that does not tell it
        }
        QVERIFY(holdSameRuns(a, copy));
        StoredSession other = copy;
        other.runs.back().summary.tps += 0.001;
        QVERIFY(!holdSameRuns(a, other));
        other = copy;
        other.runs.pop_back();
        QVERIFY(!holdSameRuns(a, other));
        QVERIFY(!holdSameRuns(a, at(copy, 2, 3)));
        // Without a figure nothing tells that they are the same.
        StoredSession empty = sessionOf("e", {}), second = empty;
        second.info.id = "second";
        QVERIFY(!holdSameRuns(empty, second));
    }

    void sessionsOneAfterTheOther()
    {
        // Twelve runs of one point, each slower than the one before: it drifts.
        std::vector<double> falling;
        for (int i = 0; i < 12; ++i)
            falling.push_back(1000 - 10 * i);
        StoredSession a = at(sessionOf("first", {{"A", 1, falling}}), 0, 1);
        StoredSession b = at(sessionOf("second", {{"A", 1, {900, 901, 899}}}), 2, 3);
        QVERIFY(ranApart({a, b}) && ranApart({b, a}));
        const std::string text = timeText({a, b}, "tps");
        QVERIFY2(
            text.starts_with("These sessions ran one after the other, not interleaved, so time itself may explain a "
                             "difference. Throughput in each session: first: drifted by −") &&
                has(text, "; second: drift not tested"),
            text.c_str());
        QVERIFY(has(timeText({a, b}, "counter:Innodb_data_written"), "Throughput in each session"));
        QVERIFY(has(markdownReport({a, b}, {}), "time itself may explain a difference"));
        QVERIFY(!has(markdownReport({a}, {}), "time itself"));
        QVERIFY(!ranApart({a}));
        QVERIFY(!ranApart({a, at(b, 0.5, 3)})); // side by side for a while
        QVERIFY(ranApart({a, at(b, 0.5, 3), at(b, 1, 2)}));
        QVERIFY(!ranApart({durability(), durability()})); // nobody knows when
        b.runs[0].summary.origin = "pgbench 17.0";
        QVERIFY(!ranApart({a, b}));
        QVERIFY(timeText({a, b}, "tps").empty());
    }

    void document()
    {
        const StoredSession a = at(sixCells(1), 0, 1);
        StoredSession b = at(sixCells(2), 2, 3);
        b.info.id = "other-id";
        b.info.title = "other";
        PivotRequest request;
        request.series = "session";
        const Pivot p = pivot({a, b}, request);
        const DocumentOfComparison document = DocumentOfComparison::parse(comparisonJson({a, b}, p));
        QCOMPARE(document["measure"].get<std::string>(), std::string("tps"));
        QCOMPARE(document["baseline"].get<std::string>(), std::string("six"));
        QCOMPARE(document["comparisons"].get<int>(), 12);
        QCOMPARE(document["headline"].get<std::string>(), verdictSentence(p));
        QVERIFY(document["one_after_the_other"].get<bool>());
        QCOMPARE(document["sessions"].size(), std::size_t(2));
        QCOMPARE(document["sessions"][1]["session"].get<std::string>(), std::string("other-id"));
        QVERIFY(document["sessions"][1]["drift"]["runs"].get<int>() == 36);
        QCOMPARE(document["cells"].size(), p.cells.size());
        std::size_t shown = 0;
        for (std::size_t i = 0; i < p.cells.size(); ++i) {
            const DocumentOfComparison& cell = document["cells"][i];
            QCOMPARE(cell["verdict"].get<std::string>(), std::string(toText(p.cells[i].ratio.verdict)));
            QCOMPARE(cell["value"].get<double>(), p.cells[i].estimate.mean);
            QCOMPARE(cell["runs"].get<std::vector<double>>(), p.cells[i].estimate.runs);
            if (p.cells[i].ratio.verdict == Verdict::Baseline) {
                QVERIFY(cell["ratio"].is_null());
                continue;
            }
            QCOMPARE(cell["ratio"]["value"].get<double>(), p.cells[i].ratio.value);
            QCOMPARE(cell["ratio"]["low"].get<double>(), *p.cells[i].ratio.low);
            QCOMPARE(cell["ratio"]["joint_low"].get<double>(), *p.cells[i].ratio.jointLow);
            QCOMPARE(cell["ratio"]["adjusted_p"].get<double>(), *p.cells[i].ratio.adjustedP);
            shown += cell["verdict"] == "better";
        }
        QCOMPARE(shown, std::size_t(1));
        // One run a point: no interval, no test, and no number made up.
        const std::vector<StoredSession> single{sessionOf("one", {{"A", 1, {100}}, {"B", 1, {}}}),
                                                sessionOf("two", {{"A", 1, {90}}, {"B", 1, {}}})};
        const DocumentOfComparison bare = DocumentOfComparison::parse(comparisonJson(single, pivot(single, request)));
        QCOMPARE(bare["comparisons"].get<int>(), 0);
        QCOMPARE(bare["time_note"].get<std::string>(), std::string());
        for (const DocumentOfComparison& cell : bare["cells"]) {
            QVERIFY(cell["low"].is_null());
            QVERIFY(cell["ratio"].is_null() || cell["ratio"]["p"].is_null());
            QCOMPARE(cell["value"].is_null(), cell["runs"].empty());
        }
    }
};

} // namespace dyno::tst_comparisons

DYNO_SUITE(tst_comparisons, dyno::tst_comparisons::TestComparisons)
#include "tst_comparisons.moc"
