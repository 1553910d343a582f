// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/app_context.h"
#include "forms/choice_pill.h"
#include "models/pivot_table_model.h"
#include "pages/compare_page.h"
#include "pages/compare_parts.h"
#include "plots/pivot_plot.h"
#include "plots/scaling_plot.h"
#include "plots/strip_plot.h"
#include "theme.h"
#include "widgets/sample_library.h"

#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>

using namespace dyno;

namespace {

struct Fixture
{
    test::SampleLibrary library;
    AppContext context{library.file()};
    std::unique_ptr<ComparePage> page;
    QString message, replayed;

    Fixture()
    {
        QObject::connect(&context, &AppContext::messageRequested,
                         [this](const QString& text, const QString&, const auto&) { message = text; });
        QObject::connect(&context, &AppContext::replayRequested, [this](const QString& id) { replayed = id; });
    }
    void show(const QStringList& ids, QSize size = {1196, 720})
    {
        page = std::make_unique<ComparePage>(context);
        page->resize(size);
        page->show();
        QVERIFY(QTest::qWaitForWindowExposed(page.get()));
        if (!ids.isEmpty())
            context.compareSessions(ids);
        else
            page->activated();
        wait();
    }
    void wait() { QTRY_VERIFY(!page->busy()); }
    template<class T>
    T* find(const char* name) const
    {
        T* found = page->findChild<T*>(QString::fromLatin1(name));
        if (!found)
            qFatal("no %s on the page", name);
        return found;
    }
    VerdictCard* verdict() const { return find<VerdictCard>("verdictCard"); }
    QTableView* table() const { return find<QTableView>("ratioTable"); }
    PivotPlot* plot() const { return find<PivotPlot>("pivotPlot"); }
    void click(const char* button) { QTest::mouseClick(find<QAbstractButton>(button), Qt::LeftButton); }
    //! Opens a pill's menu and clicks the entry that shows `label`.
    void choose(const char* pill, const QString& label)
    {
        click(pill);
        auto* menu = find<QMenu>((QByteArray(pill) + "Menu").constData());
        QVERIFY(menu->isVisible());
        for (QAction* action : menu->actions()) {
            if (action->text() == label) {
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
                wait();
                return;
            }
        }
        QFAIL(qPrintable("no entry " + label));
    }
    QString addLines()
    {
        sample::Options options;
        options.plan = test::linesPlan();
        options.intervals = 6;
        return library.add(options, "Scaling");
    }
};

} // namespace

class TestComparePage : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true); // the theme keeps its choice in the settings
        Theme::instance().apply(*qApp);           // widths and fonts as a person has them
    }
    void guidesWhenThereIsNothing();
    void showsTheNewestSession();
    void showsWhatThePlanAsksFor();
    void changesTheMeasure();
    void offersPricesWhereThereAreSome();
    void showsSharesOfTheBest();
    void showsMedians();
    void changesAxesByKeyboard();
    void changesTheBaseline();
    void copiesMarkdown();
    void copiesCsv();
    void drawsLinesBarsAndTime();
    void drawsEveryKind();
    void choosesAPartOfAMeasure();
    void keepsNamedViews();
    void copiesHtmlAndText();
    void laysPublishedFiguresOver();
    void showsChosenRowsOverTime();
    void laysTwoSessionsSideBySide();
    void addsASession();
    void saysWhenRunsFailed();
    void saysWhenThereAreNoRepeats();
    void saysWhenNothingFinished();
    void saysWhenASessionIsGone();
    void followsARename();
    void writesFiles();
    void foldsWhenNarrow();
    void cutsNothingAtTheSmallestSize();
    void namesEveryControl();
};

void TestComparePage::guidesWhenThereIsNothing()
{
    Fixture f;
    QString shown;
    QObject::connect(&f.context, &AppContext::pageRequested, [&shown](const QString& name) { shown = name; });
    f.show({});
    QWidget* state = f.find<QWidget>("compareState");
    QVERIFY(state->isVisible());
    QTest::mouseClick(state->findChild<QPushButton*>(), Qt::LeftButton);
    QCOMPARE(shown, "startPage");
}

void TestComparePage::showsTheNewestSession()
{
    Fixture f;
    f.library.addShort("old");
    const QString newest = f.library.addShort("new");
    f.show({});
    QCOMPARE(f.page->sessionIds(), QStringList{newest});
    QVERIFY2(f.plot()->isVisible(), qPrintable(f.find<QWidget>("compareState")->accessibleDescription()));
}

void TestComparePage::showsWhatThePlanAsksFor()
{
    Fixture f;
    f.show({f.library.addShort("What does durability cost?")});
    QCOMPARE(f.page->request().measure, "tps");
    QCOMPARE(f.page->request().x, "users");
    QCOMPARE(f.page->request().series, "synchronous");
    QCOMPARE(f.page->request().baseline, "OFF");
    QCOMPARE(f.page->chartKind(), ComparePage::ChartKind::Bars);
    QCOMPARE(f.plot()->barCount(), 6);
    QCOMPARE(f.table()->model()->rowCount(), 6);
    QCOMPARE(f.verdict()->sentence(), QString::fromStdString(verdictSentence(f.page->pivot())));
    QVERIFY(!f.verdict()->sentence().isEmpty());
    QVERIFY(f.verdict()->chips().contains("2 repeats"));
    QVERIFY(f.verdict()->chips().contains("client not the limit"));
    QVERIFY(f.find<FactsCard>("differencesCard")->rowCount() > 0);
    QVERIFY(f.find<FactsCard>("setupCard")->rowCount() >= 8);
}

void TestComparePage::changesTheMeasure()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    const QString before = f.table()->model()->index(0, PivotTableModel::Value).data().toString();
    const MeasureInfo* measure = findMeasure("service_p95");
    QVERIFY(measure);
    f.choose("measurePill", PivotTableModel::measureLabel(*measure));
    QCOMPARE(f.page->pivot().request.measure, "service_p95");
    QVERIFY(f.table()->model()->index(0, PivotTableModel::Value).data().toString() != before);
    QVERIFY(f.plot()->secondary().startsWith("ms"));
    QVERIFY(f.find<ChoicePill>("measurePill")->text().contains(PivotTableModel::measureLabel(*measure)));
}

void TestComparePage::offersPricesWhereThereAreSome()
{
    const auto offers = [](const Fixture& f, const char* measure) {
        const auto& choices = f.find<ChoicePill>("measurePill")->choices();
        return std::any_of(choices.begin(), choices.end(), [&](const auto& one) { return one.id == measure; });
    };
    Fixture f;
    const QString without = f.library.addShort("a");
    sample::Options options;
    options.intervals = 6;
    const std::string uri = "uri = \"sqlite:durability.db\"\n";
    options.plan.replace(options.plan.find(uri), uri.size(), uri + "cost_per_hour = 0.5\ncurrency = \"€\"\n");
    const QString with = f.library.add(options, "b");
    f.show({without});
    QVERIFY(!offers(f, "tx_per_cost") && !offers(f, "tx_per_watt_hour") && offers(f, "qps"));
    QVERIFY(f.find<ChoicePill>("measurePill")->toolTip().contains("cost per hour")); // says why
    f.context.compareSessions({with});
    f.wait();
    QTRY_VERIFY(offers(f, "tx_per_cost"));
    QVERIFY(!offers(f, "tx_per_watt_hour"));
    f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure("tx_per_cost")));
    QCOMPARE(f.page->pivot().request.measure, "tx_per_cost");
    const PivotCell* cell = f.page->pivot().cell("4", "OFF");
    QVERIFY(cell && cell->estimate.mean > 0);
    QCOMPARE(f.plot()->barCount(), 6);
    QVERIFY2(f.plot()->title().startsWith("Transactions per €"), qPrintable(f.plot()->title()));
    QVERIFY(f.plot()->secondary().startsWith("transactions/€"));
    QVERIFY(f.verdict()->sentence().contains("€") || f.verdict()->sentence().contains("transactions per"));
}

void TestComparePage::showsSharesOfTheBest()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    f.choose("relativePill", QStringLiteral("% of the best"));
    const Pivot& pivot = f.page->pivot();
    QVERIFY(pivot.request.relativeTo == RelativeTo::Best);
    QVERIFY(!f.find<ChoicePill>("baselinePill")->isVisible());
    double most = 0;
    int best = 0;
    for (const PivotCell& cell : pivot.cells) {
        most = std::max(most, pivot.figure(cell).value);
        best += pivot.figure(cell).value == 100 ? 1 : 0;
    }
    QCOMPARE(most, 100.0);
    QCOMPARE(best, 1);
    QCOMPARE(f.plot()->valueText(62.4), "62 %");
    QVERIFY2(f.plot()->title().contains("% of the best"), qPrintable(f.plot()->title()));
    QStringList shares, verdicts;
    for (int row = 0; row < f.table()->model()->rowCount(); ++row) {
        shares += f.table()->model()->index(row, PivotTableModel::RatioValue).data().toString();
        verdicts += f.table()->model()->index(row, PivotTableModel::VerdictText).data().toString();
    }
    QCOMPARE(shares.filter("%").size(), 6);
    QCOMPARE(verdicts.count("the best"), 1);
    QVERIFY(f.find<QTableView>("ratioTable")->model()->headerData(PivotTableModel::RatioValue, Qt::Horizontal) == "Of the best");
    f.choose("relativePill", QStringLiteral("as measured"));
    QVERIFY(f.find<ChoicePill>("baselinePill")->isVisible());
    QVERIFY(f.page->pivot().request.relativeTo == RelativeTo::Nothing);
}

void TestComparePage::showsMedians()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    QVERIFY(f.plot()->errorBarCount() > 0);
    f.choose("centrePill", QStringLiteral("median"));
    QVERIFY(f.page->pivot().request.centre == Centre::Median);
    QCOMPARE(f.plot()->errorBarCount(), 0); // intervals are of the mean
    QVERIFY2(f.plot()->secondary().contains("median"), qPrintable(f.plot()->secondary()));
    QVERIFY(f.table()->isColumnHidden(PivotTableModel::Interval));
    for (int row = 0; row < f.table()->model()->rowCount(); ++row) {
        QCOMPARE(f.table()->model()->index(row, PivotTableModel::Interval).data().toString(), QStringLiteral("–"));
        const QString verdict = f.table()->model()->index(row, PivotTableModel::VerdictText).data().toString();
        QVERIFY2(verdict == "not tested" || verdict == "baseline", qPrintable(verdict));
    }
}

void TestComparePage::changesAxesByKeyboard()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    auto* x = f.find<ChoicePill>("xPill");
    x->setFocus();
    QCOMPARE(f.page->request().x, "users");
    QTest::keyClick(x, x->choices().front().id == "users" ? Qt::Key_Down : Qt::Key_Up);
    f.wait();
    // the axes change places: no run is lost between them
    QCOMPARE(f.page->request().x, "synchronous");
    QCOMPARE(f.page->request().series, "users");
    QCOMPARE(f.table()->model()->rowCount(), 6);
    QCOMPARE(f.plot()->barCount(), 6);
}

void TestComparePage::changesTheBaseline()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    f.choose("baselinePill", QStringLiteral("FULL"));
    QCOMPARE(f.page->pivot().request.baseline, "FULL");
    const PivotCell* full = f.page->pivot().cell("1", "FULL");
    QVERIFY(full && full->ratio.verdict == Verdict::Baseline);
    QVERIFY(f.page->pivot().cell("1", "OFF")->ratio.value > 1);
}

void TestComparePage::copiesMarkdown()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    QGuiApplication::clipboard()->clear();
    f.click("copyTableButton");
    const QString text = QGuiApplication::clipboard()->text();
    QCOMPARE(text, QString::fromStdString(markdownTable(f.page->pivot())));
    QVERIFY(text.contains("| --- |") || text.contains("---:") || text.contains("|---"));
    QVERIFY(text.contains("FULL"));
    QVERIFY(f.message.contains("Markdown"));
    QGuiApplication::clipboard()->clear();
    f.table()->setFocus();
    QTest::keyClick(f.table(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), text);
}

void TestComparePage::copiesCsv()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    f.click("copyCsvButton");
    const QStringList lines = QGuiApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 7);
    QVERIFY(lines[0].startsWith("synchronous,users,tps mean"));
}

void TestComparePage::drawsLinesBarsAndTime()
{
    Fixture f;
    f.show({f.addLines()});
    QCOMPARE(f.page->chartKind(), ComparePage::ChartKind::Lines);
    QCOMPARE(f.plot()->seriesCount(), 3);
    QCOMPARE(f.plot()->graph(0).dataCount(), 4);
    QCOMPARE(f.plot()->errorBarCount(), 12);
    f.choose("chartPill", QStringLiteral("Bars"));
    QCOMPARE(f.plot()->barCount(), 12);
    f.choose("chartPill", QStringLiteral("Over time"));
    f.wait();
    auto* time = f.find<TimeOverlayPlot>("timeOverlayPlot");
    QVERIFY(time->isVisible());
    QVERIFY(!time->throughput().exportCaption().isEmpty() && !time->latency().exportCaption().isEmpty());
    QCOMPARE(time->throughput().seriesCount(), 3); // one run of each case
    QCOMPARE(time->throughput().graph(0).dataCount(), 6);
    QVERIFY(time->throughput().bandCount(BandKind::Warmup) == 1);
    f.choose("repeatPill", QStringLiteral("all"));
    QCOMPARE(time->throughput().seriesCount(), 9);
    f.choose("chartPill", QStringLiteral("Lines"));
    QVERIFY(f.plot()->isVisible());
}

void TestComparePage::drawsEveryKind()
{
    Fixture f;
    f.show({f.addLines()});
    f.choose("chartPill", QStringLiteral("Every run"));
    auto* strip = f.find<StripPlot>("stripPlot");
    QVERIFY(strip->isVisible());
    QCOMPARE(strip->dotCount(), 3 * 4 * 3); // cases, users, repeats
    f.choose("chartPill", QStringLiteral("Scaling law"));
    auto* scaling = f.find<ScalingPlot>("scalingPlot");
    QVERIFY(scaling->isVisible());
    QCOMPARE(scaling->curveCount(), 3);
    QVERIFY2(scaling->exportCaption().contains("repeats") || scaling->exportCaption().contains("runs a point"),
             qPrintable(scaling->exportCaption())); // below exported pictures
    auto* findings = f.find<FactsCard>("findingsCard");
    QVERIFY(findings->isVisible());
    QCOMPARE(findings->rowCount(), 3);
    f.choose("chartPill", QStringLiteral("Latency against throughput"));
    QCOMPARE(f.find<LoadCurvePlot>("loadCurvePlot")->graph(2).dataCount(), 4);
    QCOMPARE(f.find<ChoicePill>("measurePill")->current(), QStringLiteral("service_p95")); // what is drawn
    f.choose("chartPill", QStringLiteral("Every interval"));
    auto* time = f.find<TimeOverlayPlot>("timeOverlayPlot");
    QVERIFY(time->isVisible());
    QVERIFY(time->throughput().graph(0).lineStyle() == QCPGraph::lsNone);
    f.choose("layoutPill", QStringLiteral("one chart each"));
    QCOMPARE(f.page->findChildren<TracePlot*>(QRegularExpression(QStringLiteral("^tracePlot"))).size(), 3);
    f.choose("chartPill", QStringLiteral("Percentiles"));
    auto* spectrum = f.find<SpectrumPlot>("spectrumPlot");
    QCOMPARE(spectrum->seriesCount(), 3);
    QVERIFY(spectrum->graph(0).dataCount() > 20);
    f.choose("chartPill", QStringLiteral("Heat map"));
    QCOMPARE(f.page->findChildren<HeatPlot*>().size(), 3);
    QVERIFY(f.page->findChildren<HeatPlot*>().front()->table().rows.size() > 20);
    f.choose("chartPill", QStringLiteral("Lines"));
    QVERIFY(f.plot()->isVisible());
    QVERIFY(!f.plot()->exportCaption().isEmpty());
    QVERIFY(!findings->isVisible());
    f.choose("logPill", QStringLiteral("log x and y"));
    QVERIFY(f.plot()->isLogY());
    QVERIFY(f.plot()->plot().xAxis->scaleType() == QCPAxis::stLogarithmic);
}

void TestComparePage::choosesAPartOfAMeasure()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.counters = true;
    f.show({f.library.add(options, "with counters")});
    QVERIFY(!f.find<ChoicePill>("ofPill")->isVisible());
    f.choose("measurePill", QStringLiteral("Operations"));
    auto* of = f.find<ChoicePill>("ofPill");
    QVERIFY(of->isVisible());
    f.choose("ofPill", QString::fromStdString(measureParts("qps", {f.library.session(f.page->sessionIds().front())}).front()));
    QVERIFY(f.page->request().measure.starts_with("qps:"));
    QVERIFY(!f.page->pivot().cells.front().estimate.runs.empty());
    // A counter's mean is read from the intervals.
    f.choose("measurePill", QStringLiteral("Counter of the server"));
    QCOMPARE(f.page->request().measure, std::string("counter:Innodb_data_written"));
    QCOMPARE(f.page->pivot().measure().unit, std::string("bytes/s"));
    // 1 000 000 + 1 000 · i in interval i; the measured ones are 2 to 5.
    QCOMPARE(f.page->pivot().cells.front().estimate.mean, 1'003'500.0);
    f.choose("ofPill", QStringLiteral("Threads_running"));
    QVERIFY(std::fabs(f.page->pivot().cells.front().estimate.mean - (42 + 44 + 45) / 3.0) < 1e-9); // one is not known
    f.choose("measurePill", QStringLiteral("Throughput"));
    QVERIFY(!of->isVisible());
}

void TestComparePage::keepsNamedViews()
{
    Fixture f;
    const QString id = f.addLines();
    f.show({id});
    auto* pill = f.find<ChoicePill>("viewPill");
    QCOMPARE(pill->text().contains("unnamed"), false); // the plan's own is shown
    f.choose("chartPill", QStringLiteral("Every run"));
    f.choose("logPill", QStringLiteral("log y"));
    QVERIFY(pill->text().contains("unnamed"));
    f.page->saveView(QStringLiteral("All the dots"));
    f.wait();
    QCOMPARE(f.message, QStringLiteral("Saved the view “All the dots” with the session"));
    QCOMPARE(pill->current(), QStringLiteral("own:All the dots"));
    f.choose("chartPill", QStringLiteral("Bars"));
    f.choose("logPill", QStringLiteral("linear"));
    f.choose("viewPill", QStringLiteral("All the dots"));
    QCOMPARE(f.page->chartKind(), ComparePage::ChartKind::Runs);
    QCOMPARE(f.page->currentView().log, std::string("y"));
    f.show({id}); // another window
    f.choose("viewPill", QStringLiteral("All the dots"));
    QCOMPARE(f.page->chartKind(), ComparePage::ChartKind::Runs);
    // It stays with the session when it travels as a file; another's view that we cannot read is left alone.
    auto library = f.library.open();
    auto views = library->namedViews(id.toStdString()).value();
    QCOMPARE(views.size(), std::size_t(1));
    views.push_back({"of a later version", "<xml/>"});
    QVERIFY(library->setNamedViews(id.toStdString(), views).has_value());
    library.reset();
    f.page->removeView(QStringLiteral("All the dots"));
    f.wait();
    QCOMPARE(f.library.open()->namedViews(id.toStdString()).value().size(), std::size_t(1));
}

void TestComparePage::copiesHtmlAndText()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    f.click("copyHtmlButton");
    QVERIFY(QGuiApplication::clipboard()->mimeData()->hasHtml());
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("<th>users</th>")));
    f.click("copyTextButton");
    const QStringList lines = QGuiApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
    QVERIFY(lines[1].startsWith("+--"));
    QVERIFY(lines[2].contains("÷"));
    QCOMPARE(lines.size(), 7); // a line of prose, three rules, the head, two rows
    QVERIFY(lines[4].contains('['));
    f.click("intervalsButton");
    QVERIFY(f.table()->isColumnHidden(PivotTableModel::Interval));
    f.click("copyTextButton");
    QVERIFY(!QGuiApplication::clipboard()->text().contains('['));
}

void TestComparePage::laysPublishedFiguresOver()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.plan = std::string(sample::kPlan) + R"(
[[published]]
source = "A post"
date = "2011-03"
hardware = "a machine, large"
measure = "tps"
values = [ { cases = { synchronous = "OFF", users = 1 }, value = 99000 }, { cases = { synchronous = "FULL", users = 4 }, value = 500 } ]
)";
    f.show({f.library.add(options, "With figures of a post")});
    auto* pill = f.find<ChoicePill>("publishedPill");
    QVERIFY(pill->isVisible());
    QCOMPARE(f.plot()->publishedCount(), 0);
    const double height = f.plot()->plot().yAxis->range().upper;
    f.choose("publishedPill", "2011, a machine");
    QCOMPARE(f.plot()->publishedCount(), 2);
    QVERIFY(f.plot()->secondary().contains("published, A post"));
    f.plot()->updateRanges();
    QVERIFY(f.plot()->plot().yAxis->range().upper > 99000 && height < 99000);
    f.choose("chartPill", QStringLiteral("Lines"));
    QCOMPARE(f.plot()->publishedCount(), 2);
    f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure("service_p95"))); // the post says nothing of it
    QVERIFY(!pill->isVisible());
    QCOMPARE(f.plot()->publishedCount(), 0);
}

void TestComparePage::showsChosenRowsOverTime()
{
    Fixture f;
    f.show({f.addLines()});
    const QModelIndex at = f.table()->model()->index(1, PivotTableModel::Value);
    QTest::mouseClick(f.table()->viewport(), Qt::LeftButton, {}, f.table()->visualRect(at).center());
    QTest::keyClick(f.table(), Qt::Key_Return);
    f.wait();
    auto* time = f.find<TimeOverlayPlot>("timeOverlayPlot");
    QVERIFY(time->isVisible());
    QCOMPARE(time->throughput().seriesCount(), 1);
    QVERIFY(time->throughput().seriesName(0).contains(at.siblingAtColumn(PivotTableModel::Case).data().toString()));
}

void TestComparePage::laysTwoSessionsSideBySide()
{
    Fixture f;
    const QString a = f.library.addShort("stock"), b = f.library.addShort("tuned", 1.5);
    f.show({a, b});
    QCOMPARE(f.page->request().series, "session");
    QCOMPARE(f.page->pivot().series, (std::vector<std::string>{"stock", "tuned"}));
    QCOMPARE(f.page->request().facet, "synchronous");
    QVERIFY(f.page->findChild<PivotPlot*>("pivotPlot3")->isVisible()); // OFF, NORMAL, FULL
    // three small charts are read against each other: one scale
    QCOMPARE(f.plot()->plot().yAxis->range().upper,
             f.page->findChild<PivotPlot*>("pivotPlot3")->plot().yAxis->range().upper);
    const PivotCell* tuned = f.page->pivot().cell("4", "tuned", "FULL");
    QVERIFY(tuned && tuned->ratio.value > 1.3);
    QVERIFY(!f.find<QPushButton>("compareAgainButton")->isEnabled());
    QSignalSpy pairs(&f.context, &AppContext::pairRequested);
    QCOMPARE(f.find<QPushButton>("compareReplayButton")->text(), QStringLiteral("Replay side by side"));
    f.click("compareReplayButton");
    QCOMPARE(pairs.size(), 1);
    QCOMPARE(pairs.first().at(0).value<ReplayPick>().session, a);
    QCOMPARE(pairs.first().at(1).value<ReplayPick>().session, b);
    f.choose("chartPill", QStringLiteral("Over time"));
    f.wait();
    QCOMPARE(f.find<TimeOverlayPlot>("timeOverlayPlot")->throughput().seriesCount(), 6);
}

void TestComparePage::addsASession()
{
    Fixture f;
    const QString a = f.library.addShort("first"), b = f.library.addShort("second");
    f.show({a});
    f.click("addSessionButton");
    f.wait();
    auto* dialog = f.find<QDialog>("addSessionDialog");
    QTRY_VERIFY(dialog->isVisible());
    auto* list = dialog->findChild<QTableView*>("addSessionTable");
    QCOMPARE(list->model()->rowCount(), 1); // the one that is shown is not offered
    // The line is that of the Sessions page.
    auto* search = dialog->findChild<QLineEdit*>("addSessionSearch");
    search->setText("title-that-none-has");
    QTRY_COMPARE(list->model()->rowCount(), 0);
    search->setText("date:yesterday");
    auto* problem = dialog->findChild<QLabel*>("addSessionProblem");
    QTRY_VERIFY(problem->isVisible() && problem->text().contains("date"));
    search->setText("seco status:done");
    QTRY_COMPARE(list->model()->rowCount(), 1);
    QVERIFY(!problem->isVisible());
    auto* accept = dialog->findChild<QPushButton*>("addSessionAccept");
    QVERIFY(!accept->isEnabled());
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(list->model()->index(0, 0)).center());
    QVERIFY(accept->isEnabled());
    QTest::mouseClick(accept, Qt::LeftButton);
    f.wait();
    QCOMPARE(f.page->sessionIds(), (QStringList{a, b}));
    QCOMPARE(f.page->pivot().series.size(), std::size_t(2));
}

void TestComparePage::saysWhenRunsFailed()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.failedRun = 2;
    f.show({f.library.add(options, "failing")});
    QVERIFY(f.verdict()->chips().contains("1 run failed"));
}

void TestComparePage::saysWhenThereAreNoRepeats()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.plan.replace(options.plan.find("repeats = 2"), 11, "repeats = 1");
    f.show({f.library.add(options, "once")});
    QVERIFY(f.verdict()->chips().contains("one run each"));
    QCOMPARE(f.plot()->errorBarCount(), 0);
    QCOMPARE(f.table()->model()->index(1, PivotTableModel::VerdictText).data().toString(), "too few runs");
}

void TestComparePage::saysWhenNothingFinished()
{
    Fixture f;
    sample::Options options;
    options.intervals = 6;
    options.failedRun = 0;
    options.stopAfterRun = 0;
    options.finish = false;
    f.show({f.library.add(options, "cut")});
    QVERIFY(!f.plot()->isVisible());
    QVERIFY(f.verdict()->chips().contains("cut off"));
    f.choose("chartPill", QStringLiteral("Over time")); // what was measured can still be seen
    f.wait();
    QVERIFY(f.find<TimeOverlayPlot>("timeOverlayPlot")->isVisible());
}

void TestComparePage::saysWhenASessionIsGone()
{
    Fixture f;
    f.library.addShort("a");
    f.show({QStringLiteral("11111111-2222-4333-8444-555555555555")});
    QWidget* state = f.find<QWidget>("compareState");
    QVERIFY(state->isVisible());
    QVERIFY(state->findChild<QPushButton*>()->isVisible());
}

void TestComparePage::followsARename()
{
    Fixture f;
    const QString id = f.library.addShort("before");
    f.show({id});
    f.choose("measurePill", PivotTableModel::measureLabel(*findMeasure("qps")));
    QVERIFY(f.library.open()->rename(id.toStdString(), "after"));
    f.context.notifyLibraryChanged();
    f.wait();
    bool found = false;
    for (const QLabel* label : f.page->findChildren<QLabel*>())
        found = found || label->text() == "after";
    QVERIFY(found);
    QCOMPARE(f.page->request().measure, "qps"); // what was chosen stays
}

void TestComparePage::writesFiles()
{
    Fixture f;
    const QString id = f.library.addShort("a");
    f.show({id});
    const auto read = [](const QString& name) {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QString table = f.library.path("table.md"), report = f.library.path("report.md"),
                  csv = f.library.path("table.csv"), dyno = f.library.path("a.dyno"), data = f.library.path("data");
    QVERIFY(QDir().mkpath(data));
    f.page->saveTable(table);
    f.page->saveTable(csv);
    f.page->saveReport(report);
    f.page->saveData(data);
    f.page->saveSessions(dyno);
    f.wait();
    QCOMPARE(read(table).toStdString(), markdownTable(f.page->pivot()));
    QVERIFY(read(report).contains(read(table).trimmed()) || read(report).size() > read(table).size());
    QVERIFY(read(csv).startsWith("synchronous,"));
    QVERIFY(QFile::exists(data + "/runs.csv"));
    QVERIFY(Library::open(dyno.toStdString(), Library::Mode::ReadOnly).has_value());
    f.message.clear();
    f.page->saveTable(f.library.path("no/such/folder/table.md"));
    f.wait();
    QVERIFY(f.find<QWidget>("compareBanner")->isVisible());
    QVERIFY(f.message.isEmpty());
}

void TestComparePage::foldsWhenNarrow()
{
    Fixture f;
    f.show({f.library.addShort("a")}, {1300, 800});
    QWidget* side = f.find<QWidget>("setupCard");
    const auto left = [&](const QWidget* widget) { return widget->mapTo(f.page.get(), QPoint(0, 0)); };
    QVERIFY(left(side).x() > left(f.table()).x() + f.table()->width());
    f.page->resize(1000, 800);
    QCoreApplication::processEvents();
    QTRY_VERIFY(left(side).y() > left(f.table()).y() + f.table()->height()); // below, nothing lost
}

void TestComparePage::cutsNothingAtTheSmallestSize()
{
    Fixture f;
    f.show({f.addLines()}, {1196, 720}); // a window of 1280 × 720 without the rail
    for (const char* name : {"compareExportButton", "copyTableButton", "baselinePill", "chartPill", "ratioTable"}) {
        const QWidget* widget = f.find<QWidget>(name);
        const auto place = [&] { return QRect(widget->mapTo(f.page.get(), QPoint(0, 0)), widget->size()); };
        QTRY_VERIFY2(f.page->rect().contains(place()), name); // the layout settles an event later
        QVERIFY2(widget->width() >= widget->minimumSizeHint().width(), name);
    }
    QVERIFY(f.plot()->height() >= 200);
    // nor with three charts side by side, whose legends hold long titles
    f.context.compareSessions({f.library.addShort("What does durability cost on the old kernel?"),
                               f.library.addShort("What does durability cost on the new kernel?")});
    f.wait();
    for (const char* name : {"compareExportButton", "pivotPlot3", "ratioTable", "setupCard"}) {
        const QWidget* widget = f.find<QWidget>(name);
        QVERIFY2(widget->mapTo(f.page.get(), QPoint(widget->width(), 0)).x() <= f.page->width(), name);
    }
    QString widths = QString::number(f.table()->viewport()->width()) + ":";
    for (int column = 0; column < PivotTableModel::ColumnCount; ++column)
        widths += " " + QString::number(f.table()->columnWidth(column));
    QVERIFY2(!f.table()->horizontalScrollBar()->isVisible(), qPrintable(widths));
}

void TestComparePage::namesEveryControl()
{
    Fixture f;
    f.show({f.addLines()});
    for (const QAbstractButton* widget : f.page->findChildren<QAbstractButton*>()) {
        if (!widget->isVisible() || widget->inherits("QTableCornerButton"))
            continue;
        QVERIFY2(!widget->objectName().isEmpty(), qPrintable(widget->text()));
        QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(widget->objectName()));
        QVERIFY2(!widget->toolTip().isEmpty(), qPrintable(widget->objectName()));
    }
}

QTEST_MAIN(TestComparePage)
#include "tst_compare_page.moc"
