// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/comparison.h"
#include "plots/pivot_gaps.h"
#include "plots/pivot_table_model.h"
#include "theme.h"

#include "format.h"
#include "support/suite.h"

#include <QAbstractItemModelTester>
#include <QSortFilterProxyModel>
#include <QTest>

namespace dyno::tst_pivot_table_model {

namespace {

//! Two series by three x; one cell without a finished run.
Pivot samplePivot()
{
    Pivot pivot;
    pivot.request.measure = "tps";
    pivot.request.x = "users";
    pivot.request.series = "sync";
    pivot.request.baseline = "OFF";
    pivot.xs = {"1", "4", "16"};
    pivot.series = {"OFF", "FULL"};
    pivot.facets = {""};
    pivot.numericX = true;
    const auto add = [&pivot](const char* x, const char* series, std::vector<double> runs) -> PivotCell& {
        PivotCell cell;
        cell.x = x;
        cell.series = series;
        cell.estimate = estimate(std::move(runs));
        cell.p95Ms = 1.25;
        pivot.cells.push_back(cell);
        return pivot.cells.back();
    };
    add("1", "OFF", {1000, 1010, 990}).ratio = {1, {}, {}, Verdict::Baseline};
    add("4", "OFF", {3000, 3010, 2990}).ratio = {1, {}, {}, Verdict::Baseline};
    add("16", "OFF", {9000, 9010, 8990}).ratio = {1, {}, {}, Verdict::Baseline};
    add("1", "FULL", {500, 505, 495}).ratio = {0.5, 0.48, 0.52, Verdict::Worse};
    add("4", "FULL", {3000, 3100, 2900}).ratio = {1.0, 0.95, 1.05, Verdict::NoDifferenceShown};
    PivotCell& failed = add("16", "FULL", {});
    failed.failedRuns = 3;
    failed.clientLimited = true;
    return pivot;
}

QStringList row(const QAbstractItemModel& model, int number)
{
    QStringList texts;
    for (int column = 0; column < model.columnCount(); ++column)
        texts += model.index(number, column).data().toString();
    return texts;
}

} // namespace

class TestPivotTableModel : public QObject
{
    Q_OBJECT
private slots:
    void showsCellsInThePlansOrder();
    void sortsNumbersAsNumbers();
    void saysWhatFailed();
    void saysWhatFellShort();
    void saysWhichTimeItIs();
    void saysByWhichRule();
    void saysWhatBarsAre();
    void tellsTheLoadsOfThePoints();
    void writesCsv();
    void replacesThePivot();
    void saysWhatANumberOfUsersIs();
};

void TestPivotTableModel::showsCellsInThePlansOrder()
{
    PivotTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPivot(samplePivot());
    QCOMPARE(model.rowCount(), 6);
    // by x, then series: the rows that are compared stand together
    QCOMPARE(model.index(0, PivotTableModel::Case).data().toString(), "OFF");
    QCOMPARE(model.index(1, PivotTableModel::Case).data().toString(), "FULL");
    QCOMPARE(model.index(1, PivotTableModel::X).data().toString(), "1");
    const QStringList worse = row(model, 1);
    QCOMPARE(worse[PivotTableModel::Value], "500");
    QCOMPARE(worse[PivotTableModel::RatioValue], "0.50×");
    QCOMPARE(worse[PivotTableModel::Interval], "[0.48, 0.52]");
    QCOMPARE(worse[PivotTableModel::Runs], "3");
    QCOMPARE(worse[PivotTableModel::VerdictText], "worse");
    QCOMPARE(model.index(1, 0).data(PivotTableModel::SeriesRole).toInt(), 1);
    QCOMPARE(row(model, 0)[PivotTableModel::VerdictText], "baseline");
    QCOMPARE(row(model, 0)[PivotTableModel::Interval], "–");
    QCOMPARE(model.headerData(PivotTableModel::Case, Qt::Horizontal, Qt::DisplayRole).toString(), "sync");
    QVERIFY(
        model.headerData(PivotTableModel::Value, Qt::Horizontal, Qt::ToolTipRole).toString().contains("transactions"));
}

void TestPivotTableModel::sortsNumbersAsNumbers()
{
    PivotTableModel model;
    model.setPivot(samplePivot());
    QSortFilterProxyModel proxy;
    proxy.setSourceModel(&model);
    proxy.setSortRole(PivotTableModel::SortRole);
    proxy.sort(PivotTableModel::X, Qt::DescendingOrder);
    QCOMPARE(proxy.index(0, PivotTableModel::X).data().toString(), "16"); // not "4"
    proxy.sort(PivotTableModel::Value, Qt::AscendingOrder);
    QCOMPARE(proxy.index(0, PivotTableModel::Value).data().toString(), "500");
    QCOMPARE(proxy.index(5, PivotTableModel::Value).data().toString(), "–"); // no value comes last
}

void TestPivotTableModel::saysWhatFailed()
{
    PivotTableModel model;
    model.setPivot(samplePivot());
    const QStringList failed = row(model, 5);
    QCOMPARE(failed[PivotTableModel::Value], "–");
    QCOMPARE(failed[PivotTableModel::RatioValue], "–");
    QCOMPARE(failed[PivotTableModel::VerdictText], "failed");
    QVERIFY(failed[PivotTableModel::Runs].contains("3 failed"));
    QVERIFY(model.index(5, 0).data(PivotTableModel::LimitedRole).toBool());
    QVERIFY(model.index(5, 0).data(Qt::ToolTipRole).toString().contains("load generator was the limit"));
    // Damage is neither failed nor skipped.
    Pivot pivot = samplePivot();
    pivot.cells[5].failedRuns = 0;
    pivot.cells[5].damagedRuns = 2;
    pivot.cells[4].skippedRuns = 1;
    pivot.cells[3].damagedRuns = 1;
    model.setPivot(pivot);
    QCOMPARE(row(model, 5)[PivotTableModel::VerdictText], "damaged");
    QCOMPARE(row(model, 5)[PivotTableModel::Runs], "0 + 2 damaged");
    QVERIFY(model.index(5, 0).data(Qt::ToolTipRole).toString().contains("2 runs are damaged in the file"));
    QCOMPARE(row(model, 3)[PivotTableModel::Runs], "3 + 1 skipped");
    QCOMPARE(row(model, 1)[PivotTableModel::Runs], "3 + 1 damaged");
    const QStringList lines = model.csv().split('\n');
    QVERIFY2(lines[2].endsWith(",0,1") && lines[4].endsWith(",1,0") && lines[6].endsWith(",0,2"),
             qPrintable(model.csv()));
    // Nor is what a person skipped a failure.
    pivot.cells[5].damagedRuns = 0;
    pivot.cells[5].skippedRuns = 2;
    model.setPivot(pivot);
    QCOMPARE(row(model, 5)[PivotTableModel::VerdictText], "skipped");
    QCOMPARE(row(model, 5)[PivotTableModel::Runs], "0 + 2 skipped");
    const QString skipped = model.csv().split('\n')[6];
    QVERIFY2(skipped.contains(",16,,,,,,,,0,0,") && skipped.endsWith(",2,0"), qPrintable(skipped));
}

//! A run that ended before its rows were done has no time to all rows: that is no zero, and no failure.
void TestPivotTableModel::saysWhatFellShort()
{
    Pivot pivot = samplePivot();
    pivot.request.measure = "seconds";
    PivotCell& none = pivot.cells[5];
    none.failedRuns = 0;
    none.p95Ms = 1.25;
    none.shortRuns = {"stopped at 120 s with 1 200 000 of 4 000 000 rows",
                      "stopped at 120 s with 1 300 000 of 4 000 000 rows"};
    pivot.cells[4].shortRuns = {"stopped at 120 s with 3 900 000 of 4 000 000 rows"};
    PivotTableModel model;
    model.setPivot(pivot);
    const QStringList cells = row(model, 5);
    QCOMPARE(cells[PivotTableModel::Value], "–");
    QCOMPARE(cells[PivotTableModel::RatioValue], "–");
    QCOMPARE(cells[PivotTableModel::Runs], "0 + 2 short");
    QCOMPARE(cells[PivotTableModel::VerdictText], "incomplete");
    const QString tip = model.index(5, 0).data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains("1 200 000 of 4 000 000 rows") && tip.contains("1 300 000 of"), qPrintable(tip));
    const QStringList some = row(model, 3); // of three that counted
    QCOMPARE(some[PivotTableModel::Runs], "3 + 1 short");
    QVERIFY(some[PivotTableModel::Value] != "–");
    QVERIFY2(model.csv().split('\n')[6].endsWith(",stopped at 120 s with 1 200 000 of 4 000 000 rows,service time,0,0"),
             qPrintable(model.csv()));
    QVERIFY(model.csv().split('\n')[6].contains(",16,,,,,,,"));
}

//! In an open loop the column is of response times, and is called so.
void TestPivotTableModel::saysWhichTimeItIs()
{
    const auto texts = [](const Pivot& pivot) {
        PivotTableModel model;
        model.setPivot(pivot);
        return QStringList{model.headerData(PivotTableModel::P95, Qt::Horizontal, Qt::DisplayRole).toString(),
                           model.headerData(PivotTableModel::P95, Qt::Horizontal, Qt::ToolTipRole).toString(),
                           model.csv().section('\n', 0, 0), model.csv().section('\n', 1, 1)};
    };
    Pivot pivot = samplePivot();
    const QStringList closed = texts(pivot);
    QVERIFY2(closed[0] == "p95 service\nmean of 3" && closed[1].contains("service time"), qPrintable(closed.join('|')));
    pivot.responseTimes = true;
    const QStringList open = texts(pivot);
    QVERIFY2(open[0] == "p95 response\nmean of 3" && open[1].contains("arrival"), qPrintable(open.join('|')));
    // Scripts know the column by its name; another one says of which time it is.
    QVERIFY2(open[2].contains(",p95 [ms],") && open[2] == closed[2] &&
                 open[2].endsWith(",p95 is of,skipped runs,damaged runs"),
             qPrintable(open[2]));
    QVERIFY2(open[3].endsWith(",response time,0,0") && closed[3].endsWith(",service time,0,0"), qPrintable(open[3]));
}

//! In the headers, below the measure: one rule for all figures of a column.
void TestPivotTableModel::saysByWhichRule()
{
    const auto heads = [](const Pivot& pivot) {
        PivotTableModel model;
        model.setPivot(pivot);
        return QStringList{model.headerData(PivotTableModel::Value, Qt::Horizontal, Qt::DisplayRole).toString(),
                           model.headerData(PivotTableModel::P95, Qt::Horizontal, Qt::DisplayRole).toString()};
    };
    Pivot pivot = samplePivot();
    QCOMPARE(heads(pivot), (QStringList{"Throughput\nmean of 3", "p95 service\nmean of 3"}));
    PivotTableModel model;
    model.setPivot(pivot);
    QCOMPARE(model.index(1, PivotTableModel::Value).data(Qt::AccessibleTextRole).toString(),
             "Throughput, mean of 3: 500");
    pivot.request.centre = Centre::Median; // of the measure alone
    QCOMPARE(heads(pivot), (QStringList{"Throughput\nmedian of 3", "p95 service\nmean of 3"}));
    pivot.request.centre = Centre::Mean;
    pivot.cells[0].estimate = estimate({1000});
    QCOMPARE(heads(pivot).front(), "Throughput\nmean of 1–3");

    pivot.request.measure = "service_p99";
    for (PivotCell& cell : pivot.cells)
        cell.estimate.merged = cell.p95Merged = cell.estimate.runs.size() > 1;
    QCOMPARE(heads(pivot), (QStringList{"p99 service time\nmerged", "p95 service\nmerged"}));
    pivot.cells[1].estimate.merged = pivot.cells[1].p95Merged = false; // their times are not stored
    QCOMPARE(heads(pivot), (QStringList{"p99 service time\nmerged or mean", "p95 service\nmerged or mean"}));

    for (PivotCell& cell : pivot.cells)
        cell.estimate = estimate({5});
    QCOMPARE(heads(pivot), (QStringList{"p99 service time", "p95 service"})); // there is nothing to combine
}

//! In the window's language, and in English as the engine says it.
void TestPivotTableModel::saysWhatBarsAre()
{
    int kinds = 0;
    const auto check = [&kinds](const Pivot& pivot) {
        const Spread spread = spreadOf(pivot);
        kinds |= 1 << int(spread.kind);
        QCOMPARE(spreadWords(spread), QString::fromStdString(spreadText(pivot)));
    };
    for (const RelativeTo relative : {RelativeTo::Nothing, RelativeTo::Baseline}) {
        for (const Centre centre : {Centre::Mean, Centre::Median}) {
            for (const std::vector<double>& runs : {std::vector<double>{}, {5}, {5, 6}, {5, 6, 7}}) {
                for (const int pairs : {0, 1, 2, 3}) { // of which of the two cells the ratio is one of pairs
                    Pivot pivot;
                    pivot.request.relativeTo = relative;
                    pivot.request.centre = centre;
                    for (int i = 0; i < 2; ++i) {
                        PivotCell& cell = pivot.cells.emplace_back();
                        cell.estimate = estimate(i == 0 ? runs : std::vector<double>(runs.empty() ? 0 : 1, 4));
                        if (runs.size() > 2)
                            cell.ratio = {0.5, 0.4, 0.6, Verdict::Worse, (pairs & (1 << i)) != 0 ? 3 : 0};
                    }
                    check(pivot);
                }
            }
        }
    }
    Pivot together; // a percentile of all that the runs measured
    together.cells.emplace_back().estimate = estimate({5, 6, 7});
    together.cells.front().estimate.merged = true;
    check(together);
    QCOMPARE(kinds, (1 << (int(SpreadKind::Both) + 1)) - 1); // each was there
    Pivot even = samplePivot();
    even.cells.pop_back();
    QCOMPARE(spreadWords(spreadOf(even)), QStringLiteral("mean and 95 % interval (Student's t) of 3 runs"));
    even.cells.front().estimate = estimate({1000});
    QCOMPARE(spreadWords(spreadOf(even)), QStringLiteral("mean and 95 % interval (Student's t) of 1 to 3 runs"));
}

//! An axis may give each case a load of its own.
void TestPivotTableModel::tellsTheLoadsOfThePoints()
{
    Comparison comparison;
    StoredSession& session = comparison.sessions.emplace_back();
    session.header.plan.load.timeSeconds = 999;
    for (const double seconds : {20.0, 40.0, 20.0}) {
        PointSpec& point = session.header.points.emplace_back();
        point.load.timeSeconds = seconds;
        point.load.seed = seconds < 30 ? 7 : 8;
    }
    const auto fact = [&comparison](const QString& name) {
        for (const auto& [key, value] : setupFacts(comparison)) {
            if (key == name)
                return value;
        }
        return QString();
    };
    QCOMPARE(fact("Each run"), QStringLiteral("20\u00a0s / 40\u00a0s"));
    QCOMPARE(fact("Seed"), QStringLiteral("7 / 8"));
    QCOMPARE(fact("Phases"), QString());
    for (PointSpec& point : session.header.points) {
        point.load.users = {8};
        point.load.phases.resize(2);
        point.load.phases[0].name = "calm";
        point.load.phases[0].pace.users = 2;
        point.load.phases[1].name = "spike";
    }
    QCOMPARE(fact("Phases"), QStringLiteral("calm: 2 of 8 users; spike: 8 of 8 users"));
    for (int i = 0; i < 6; ++i)
        session.header.points.emplace_back().load.seed = std::uint64_t(100 + i);
    QCOMPARE(fact("Seed"), QStringLiteral("7 / 8 / 100 / 101 / 4 more"));
}

void TestPivotTableModel::writesCsv()
{
    Pivot pivot = samplePivot();
    pivot.series[1] = "FULL, \"safe\"";
    for (PivotCell& cell : pivot.cells) {
        if (cell.series == "FULL")
            cell.series = pivot.series[1];
    }
    PivotTableModel model;
    model.setPivot(pivot);
    const QStringList lines = model.csv().split('\n');
    QCOMPARE(lines.size(), 8); // header, six rows, the end of the last line
    QCOMPARE(lines[0],
             "sync,users,tps mean [transactions/s],tps low [transactions/s],tps high [transactions/s],"
             "ratio,ratio low,ratio high,p95 [ms],runs,failed runs,verdict,p95 is of,skipped runs,damaged runs");
    QVERIFY(lines[2].startsWith("\"FULL, \"\"safe\"\"\",1,500,"));
    QVERIFY(lines[2].contains(",0.5,0.48,0.52,1.25,3,0,"));
    QVERIFY(lines[6].contains(",16,,,,,,,,0,3,"));
    // A stranger's label must not act in a spreadsheet; a number stays one.
    for (PivotCell& cell : pivot.cells) {
        if (cell.series == pivot.series[1])
            cell.series = "=HYPERLINK(1)";
        else
            cell.series = "-5";
    }
    pivot.series = {"-5", "=HYPERLINK(1)"};
    model.setPivot(pivot);
    const QString text = model.csv();
    QVERIFY2(text.contains("\n'=HYPERLINK(1),") && text.contains("\n-5,") && !text.contains("\n="), qPrintable(text));
}

void TestPivotTableModel::replacesThePivot()
{
    PivotTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPivot(samplePivot());
    {
        Pivot other = samplePivot();
        other.cells.resize(1);
        model.setPivot(other);
    } // the model must not point into a pivot that is gone
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(row(model, 0)[PivotTableModel::Value], format::rate(1000));
    model.setPivot({});
    QCOMPARE(model.rowCount(), 0);
}

//! Above a chart of a facet stands what its number is.
void TestPivotTableModel::saysWhatANumberOfUsersIs()
{
    Theme::instance().apply(*qApp); // brings the plurals
    const auto label = [](const char* axes, const char* facet) {
        return PivotTableModel::facetLabel(axes, facet).replace(QChar(0x00A0), u' ');
    };
    QCOMPARE(label("users", "8"), "8 users");
    QCOMPARE(label("users", "1"), "1 user");
    QCOMPARE(label("cache × users", "cached, 8"), "cached, 8 users");
    QCOMPARE(label("users × cache", "8, cached"), "8 users, cached");
    QCOMPARE(label("durability × users", "flush=1, no binlog, 16"), "flush=1, no binlog, 16 users");
    QCOMPARE(label("a × users × b", "x, 4, y"), "x, 4 users, y");
    QCOMPARE(label("cache", "8"), "cache=8");
    QCOMPARE(label("warehouses", "2"), "2 warehouses");
    QCOMPARE(label("a × users × b", "x, 4, 2, y"), "x, 4, 2, y"); // which of the two it is cannot be known
}

} // namespace dyno::tst_pivot_table_model

DYNO_WIDGET_SUITE(tst_pivot_table_model, dyno::tst_pivot_table_model::TestPivotTableModel)
#include "tst_pivot_table_model.moc"
