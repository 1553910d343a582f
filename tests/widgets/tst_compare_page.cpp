// SPDX-License-Identifier: GPL-3.0-or-later
// What the Compare page says of sessions and gives away. Its charts: tst_compare_charts.
#include "support/suite.h"
#include "widgets/compare_fixture.h"

#include <dyno/catalog.h>
#include <dyno/chart_kinds.h>
#include <dyno/own_recipes.h>

#include <QHeaderView>

#include <cstdlib>
#include <set>

namespace dyno::tst_compare_page {
using Fixture = test::ComparePageFixture;

//! Sends a session on as one that a server of the MySQL family had run.
class AsServer : public SampleSink
{
public:
    AsServer(SampleSink& next, ServerFacts server, bool writes)
        : m_next(next)
        , m_server(std::move(server))
        , m_writes(writes)
    {
    }
    void onSessionStarted(const SessionHeader& header) override
    {
        SessionHeader changed = header;
        for (PointSpec& point : changed.points) {
            point.target.uri = "managed:mariadb";
            point.connection.clear();
        }
        m_next.onSessionStarted(changed);
    }
    void onRunStarted(const RunHeader& header) override
    {
        RunHeader changed = header;
        changed.server = m_server;
        changed.effective.clear();
        m_next.onRunStarted(changed);
    }
    void onSample(const IntervalSample& sample) override { m_next.onSample(sample); }
    void onRunFinished(const RunSummary& summary) override
    {
        RunSummary changed = summary;
        changed.rows = m_writes ? 1000 : 0;
        m_next.onRunFinished(changed);
    }
    void onSessionFinished(const SessionSummary& summary) override { m_next.onSessionFinished(summary); }

private:
    SampleSink& m_next;
    ServerFacts m_server;
    bool m_writes;
};

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
    void theRestIsBehindOneButton();
    void remembersWhatIsBehindMore();
    void aViewGoesBeforeWhatIsRemembered();
    void switchesTheScaleInTheHeader();
    void savesAsRecipe();
    void changesAxesByKeyboard();
    void changesTheBaseline();
    void copiesMarkdown();
    void copiesCsv();
    void laysOutOperations();
    void copiesHtmlAndText();
    void tellsWhatCannotBeTheSame();
    void laysTwoSessionsSideBySide();
    void countsASessionOnce();
    void addsASession();
    void saysWhenRunsFailed();
    void saysWhenThereAreNoRepeats();
    void saysHowDurabilityDiffers();
    void saysWhenNothingFinished();
    void saysWhenASessionIsGone();
    void followsARename();
    void writesFiles();
    void foldsWhenNarrow();
    void cutsNothingAtTheSmallestSize();
    void namesEveryControl();
    void columnsSurviveARestart();
};

//! What a person makes of the table and of the rows of charts is there after a restart.
void TestComparePage::columnsSurviveARestart()
{
    Fixture f;
    const QString a = f.library.addShort("stock"), b = f.library.addShort("tuned", 1.5);
    f.show({a, b}, {1500, 900});
    const auto entry = [&f](const char* name) {
        auto* menu = f.find<QMenu>("ratioTableColumns");
        menu->popup(f.page->mapToGlobal(QPoint(10, 10)));
        auto* action = f.find<QAction>(name);
        menu->close();
        return action;
    };
    entry("ratioTableColumns.runs")->trigger();
    // Far from what fits: the usual width varies by a little air, as other columns come and go.
    const int usual = f.table()->columnWidth(PivotTableModel::P95), chosen = usual + 160;
    f.table()->horizontalHeader()->resizeSection(PivotTableModel::P95, chosen);
    f.click("intervalsButton");
    f.page->resize(1400, 900); // the others fit anew, this one stays
    QCoreApplication::processEvents();
    QCOMPARE(f.table()->columnWidth(PivotTableModel::P95), chosen);
    f.choose("facetPill", QStringLiteral("synchronous"));
    const auto columns = [&f] {
        std::set<int> lefts;
        for (const char* name : {"pivotPlot", "pivotPlot2", "pivotPlot3"})
            lefts.insert(f.find<PivotPlot>(name)->x());
        return lefts.size();
    };
    const auto rows = [&f] {
        QStringList tops;
        for (const char* name : {"pivotPlot", "pivotPlot2", "pivotPlot3"})
            tops += QString::number(f.find<PivotPlot>(name)->y());
        tops.removeDuplicates();
        return tops.size();
    };
    QTRY_COMPARE(columns(), std::size_t(3)); // before they are laid out they are all in one place
    QTRY_COMPARE(rows(), 1);
    f.choose("columnsPill", QStringLiteral("1"));
    QTRY_COMPARE(rows(), 3);
    f.choose("columnsPill", QStringLiteral("2"));
    QTRY_COMPARE(rows(), 2);

    f.page.reset(); // the program ends
    f.show({a, b}, {1500, 900});
    QVERIFY(f.table()->isColumnHidden(PivotTableModel::Runs));
    QVERIFY(f.table()->isColumnHidden(PivotTableModel::Interval));
    QCOMPARE(f.table()->columnWidth(PivotTableModel::P95), chosen);
    f.choose("facetPill", QStringLiteral("synchronous"));
    QTRY_COMPARE(rows(), 2);
    entry("ratioTableColumns.reset")->trigger();
    QVERIFY(!f.table()->isColumnHidden(PivotTableModel::Runs));
    QVERIFY2(std::abs(f.table()->columnWidth(PivotTableModel::P95) - usual) < 80,
             qPrintable(QString::number(f.table()->columnWidth(PivotTableModel::P95))));
    f.choose("columnsPill", QStringLiteral("as many as fit"));
    QTRY_COMPARE(rows(), 1);
}

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
    QVERIFY(f.page->chart().id() == "bars");
    QCOMPARE(f.plot()->barCount(), 6);
    QCOMPARE(f.table()->model()->rowCount(), 6);
    QCOMPARE(f.verdict()->sentence(), QString::fromStdString(verdictSentence(f.page->pivot())));
    QVERIFY(!f.verdict()->sentence().isEmpty());
    QVERIFY(f.verdict()->chips().contains("2 repeats"));
    QVERIFY(f.verdict()->chips().contains("client not the limit"));
    QVERIFY(f.find<FactsCard>("differencesCard")->rowCount() > 0);
    QVERIFY(f.find<FactsCard>("setupCard")->rowCount() >= 8);
}

//! The line holds what says what is compared; the rest is behind one button that counts what is not as usual.
void TestComparePage::theRestIsBehindOneButton()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    auto* more = f.find<QPushButton>("morePill");
    QVERIFY(more->isVisible());
    const QString usual = more->text();
    for (const char* name : {"relativePill", "logPill", "publishedPill", "repeatPill", "overPill", "layoutPill"})
        QVERIFY2(!f.find<ChoicePill>(name)->isVisible(), name);
    QVERIFY(f.find<ChoicePill>("relativePill")->isOffered() && f.find<ChoicePill>("logPill")->isOffered());
    QVERIFY(!f.find<ChoicePill>("overPill")->isOffered() && !f.find<ChoicePill>("publishedPill")->isOffered());
    for (const ChoicePill* pill : f.page->findChildren<ChoicePill*>())
        QVERIFY2(!pill->isVisible() || pill->choices().size() > 1, qPrintable(pill->objectName()));
    f.choose("logPill", QStringLiteral("log y"));
    QVERIFY2(more->text().contains(QStringLiteral("1")) && more->accessibleName().contains(QStringLiteral("1 changed")),
             qPrintable(more->text()));
    f.choose("relativePill", QStringLiteral("% of the best"));
    QVERIFY2(more->text().contains(QStringLiteral("2")), qPrintable(more->text()));
    f.choose("logPill", QStringLiteral("automatic"));
    f.choose("relativePill", QStringLiteral("as measured"));
    QCOMPARE(more->text(), usual);
    f.choose("chartPill", QStringLiteral("Over time"));
    QVERIFY(f.find<ChoicePill>("overPill")->isOffered() && !f.find<ChoicePill>("relativePill")->isOffered());
    // By keyboard alone.
    more->setFocus();
    QTest::keyClick(more, Qt::Key_Space);
    auto* menu = f.find<QMenu>("morePillMenu");
    QVERIFY(menu->isVisible());
    auto* over = f.find<QMenu>("overPillMenu");
    menu->setActiveAction(over->menuAction());
    QTRY_VERIFY(over->isVisible());
    over->setActiveAction(over->actions().last());
    QTest::keyClick(over, Qt::Key_Return);
    QTRY_COMPARE(f.find<ChoicePill>("overPill")->current(), QStringLiteral("rows"));
    QVERIFY(!menu->isVisible());
}

void TestComparePage::remembersWhatIsBehindMore()
{
    Fixture f;
    const QString id = f.library.addShort("a");
    f.show({id});
    const QString usual = f.find<QPushButton>("morePill")->text();
    f.choose("logPill", QStringLiteral("log y"));
    f.choose("relativePill", QStringLiteral("% of the best"));
    f.choose("centrePill", QStringLiteral("median"));
    f.show({id}); // the page of another start
    QCOMPARE(f.find<ChoicePill>("logPill")->current(), QStringLiteral("y"));
    QVERIFY(f.plot()->isLogY());
    QVERIFY(f.page->request().relativeTo == RelativeTo::Best && f.page->request().centre == Centre::Median);
    auto* more = f.find<QPushButton>("morePill");
    QVERIFY2(more->accessibleName().contains(QStringLiteral("3 changed")), qPrintable(more->accessibleName()));
    const auto reset = [&f] {
        f.click("morePill");
        auto* menu = f.find<QMenu>("morePillMenu");
        auto* action = f.find<QAction>("moreReset");
        const bool enabled = action->isEnabled();
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        menu->close();
        f.wait();
        return enabled;
    };
    QVERIFY(reset());
    QCOMPARE(more->text(), usual);
    QVERIFY(f.find<ChoicePill>("logPill")->current().isEmpty() && !f.plot()->isLogY());
    QVERIFY(f.page->request().relativeTo == RelativeTo::Nothing && f.page->request().centre == Centre::Mean);
    QVERIFY(!reset()); // nothing left to undo
    f.show({id});
    QCOMPARE(f.find<QPushButton>("morePill")->text(), usual);
    QVERIFY(f.page->request().centre == Centre::Mean);
}

void TestComparePage::aViewGoesBeforeWhatIsRemembered()
{
    Fixture f;
    const QString plain = f.library.addShort("a");
    sample::Options options;
    options.intervals = 6;
    options.plan += "log = \"y\"\ncentre = \"median\"\n";
    const QString asked = f.library.add(options, "b");
    f.show({plain});
    const QString usual = f.find<QPushButton>("morePill")->text();
    f.choose("logPill", QStringLiteral("linear"));
    f.show({asked});
    QCOMPARE(f.find<ChoicePill>("logPill")->current(), QStringLiteral("y"));
    QVERIFY(f.page->request().centre == Centre::Median);
    QCOMPARE(f.find<QPushButton>("morePill")->text(), usual); // as its view is
    f.choose("logPill", QStringLiteral("automatic"));
    QVERIFY(f.find<QPushButton>("morePill")->accessibleName().contains(QStringLiteral("1 changed")));
}

//! In the header of the chart's card: pressed as the chart is drawn, by mouse and by keyboard, and remembered.
void TestComparePage::switchesTheScaleInTheHeader()
{
    Fixture f;
    const QString id = f.library.addShort("a");
    f.show({id});
    const auto button = [&f](const char* name) { return f.find<QPushButton>(name); };
    QVERIFY(button("scaleLinear")->isVisible() && button("scaleLinear")->isChecked());
    QVERIFY(!button("scaleLog")->isChecked() && !button("scaleLog")->toolTip().isEmpty());
    f.click("scaleLog");
    QVERIFY(QTest::qWaitFor([&] { return f.plot()->isLogY() && button("scaleLog")->isChecked(); }, test::kPatienceMs));
    QCOMPARE(f.find<ChoicePill>("logPill")->current(), QStringLiteral("y"));
    QVERIFY(f.find<QPushButton>("morePill")->accessibleName().contains(QStringLiteral("1 changed")));
    f.show({id});
    QVERIFY(f.plot()->isLogY() && button("scaleLog")->isChecked());
    QVERIFY(button("scaleLinear")->focusPolicy() & Qt::TabFocus);
    button("scaleLinear")->setFocus();
    QTest::keyClick(button("scaleLinear"), Qt::Key_Space);
    QVERIFY(QTest::qWaitFor([&] { return !f.plot()->isLogY(); }, test::kPatienceMs));
    QVERIFY(button("scaleLinear")->hasFocus());
    QCOMPARE(f.find<ChoicePill>("logPill")->current(), QLatin1String(kLinearAxes));
    f.choose("logPill", QStringLiteral("automatic"));
    QVERIFY(button("scaleLinear")->isChecked());
}

void TestComparePage::savesAsRecipe()
{
    Fixture f;
    f.show({f.library.addShort("a")});
    f.choose("logPill", QStringLiteral("log y"));
    f.choose("xPill", QStringLiteral("synchronous"));
    const auto folder = recipesFolder(f.library.file());
    f.find<QAction>("exportRecipe")->trigger();
    QLineEdit* name = nullptr;
    QVERIFY(QTest::qWaitFor(
        [&] {
            name = f.page->findChild<QLineEdit*>(QStringLiteral("recipeName"));
            return name && name->isVisible();
        },
        test::kPatienceMs));
    QTest::keyClicks(name, QStringLiteral("As I see it"));
    f.click("recipeSave");
    QVERIFY(QTest::qWaitFor([&] { return !ownRecipes(folder).empty(); }, test::kPatienceMs));
    const auto recipes = ownRecipes(folder);
    QVERIFY(recipes.front().plan && !recipes.front().plan->views.empty());
    const View& first = recipes.front().plan->views.front();
    QCOMPARE(first.log, std::string("y"));
    QCOMPARE(first.x, std::string("synchronous"));
    QCOMPARE(recipes.front().plan->views.size(), std::size_t(2)); // that of the plan follows
    // Several sessions have no one plan.
    f.context.compareSessions({f.library.addShort("b"), f.library.addShort("c")});
    f.wait();
    QVERIFY(QTest::qWaitFor([&] { return !f.find<QAction>("exportRecipe")->isEnabled(); }, test::kPatienceMs));
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

//! E15 and E27: kinds of operations beside each other, and as lines over time.
void TestComparePage::laysOutOperations()
{
    Fixture f;
    sample::Options options;
    options.plan = test::linesPlan();
    const std::string one = "oltp_update_non_index", several = "oltp_write_only";
    options.plan.replace(options.plan.find(one), one.size(), several);
    options.intervals = 6;
    const QString id = f.library.add(options, "Kinds");
    f.show({id});
    const std::size_t kinds = f.library.session(id).runs.front().header.operations.size();
    QVERIFY(kinds > 1);
    f.choose("xPill", QStringLiteral("operation"));
    QCOMPARE(f.page->request().measure, std::string("qps")); // transactions have no kinds
    QCOMPARE(f.page->request().facet, std::string("users")); // other numbers of users are no repeats
    QCOMPARE(f.page->pivot().xs.size(), kinds);
    QCOMPARE(f.plot()->effectiveChart(), PivotPlot::Chart::Bars);
    f.choose("measurePill", QStringLiteral("p90 service time"));
    QCOMPARE(f.page->request().measure, std::string("service_p90"));
    QVERIFY(!f.page->pivot().cells.front().estimate.runs.empty());
    f.choose("seriesPill", QStringLiteral("spread"));
    QCOMPARE(f.page->pivot().series, (std::vector<std::string>{"min", "mean", "max"}));
    QVERIFY(!f.find<ChoicePill>("baselinePill")->isVisible()); // they are no alternatives
    f.choose("seriesPill", QStringLiteral("synchronous"));

    // Over time a line for each kind: x and series change places.
    f.choose("measurePill", QStringLiteral("p90 service time"));
    f.choose("xPill", QStringLiteral("synchronous"));
    QCOMPARE(f.page->request().series, std::string("operation"));
    f.choose("chartPill", QStringLiteral("Over time"));
    f.wait();
    const auto facetPlots = [&f] {
        return f.page->findChildren<TracePlot*>(QRegularExpression(QStringLiteral("^facetPlot")));
    };
    QCOMPARE(facetPlots().size(), 2 * f.page->pivot().facets.size()); // throughput over latency for each
    for (const TracePlot* plot : facetPlots())
        QCOMPARE(plot->seriesCount(), int(kinds));
    QVERIFY(facetPlots().front()->secondary().startsWith(QStringLiteral("Operations, ")));
    QVERIFY(facetPlots().back()->secondary().startsWith(QStringLiteral("p90 service time, ")));
    // What is drawn is what the intervals hold.
    const auto library = f.library.open(Library::Mode::ReadOnly);
    const StoredSession session = *library->session(id.toStdString());
    const StoredRun& run = session.runs.front();
    const auto intervals = *library->intervals(run.id);
    const auto p90 = intervalValues(intervals, run.header.operations, "service_p90:" + run.header.operations[1].name);
    QCOMPARE(p90.back(), intervals.back().ops[1].service.percentileNs(90) / 1e6);
    QVERIFY(f.find<ChoicePill>("measurePill")->isVisible()); // charts over time follow it
    f.choose("measurePill", QStringLiteral("Transactions"));
    f.wait();
    QVERIFY(facetPlots().front()->secondary().contains(QStringLiteral("in each interval")));
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
    QCOMPARE(lines.size(), 8); // a line of prose, three rules, the head, two rows, how many comparisons
    QVERIFY(lines[4].contains('['));
    f.click("intervalsButton");
    QVERIFY(f.table()->isColumnHidden(PivotTableModel::Interval));
    f.click("copyTextButton");
    QVERIFY(!QGuiApplication::clipboard()->text().contains('['));
}

//! Before it runs once more, what cannot be the same is listed.
void TestComparePage::tellsWhatCannotBeTheSame()
{
    Fixture f;
    f.show({f.library.addShort("stock")});
    QSignalSpy edited(&f.context, &AppContext::planEditRequested);
    f.click("compareAgainButton");
    QTRY_VERIFY(f.page->findChild<QDialog*>("rerunDialog"));
    const QString list = f.find<QLabel>("rerunList")->text();
    QVERIFY2(list.contains("it was made with") || list.contains("machine"), qPrintable(list));
    f.click("rerunChange");
    QCOMPARE(edited.size(), 1);
    QCOMPARE(edited.first().at(0).value<Plan>().workload.name, "oltp_update_non_index");
}

void TestComparePage::countsASessionOnce()
{
    Fixture f;
    const QString a = f.library.addShort("stock");
    f.show({a, a});
    QCOMPARE(f.page->sessionIds(), QStringList{a});
    QCOMPARE(f.page->request().series, "synchronous"); // as of one session: nothing stands beside itself
    QCOMPARE(f.table()->model()->rowCount(), 6);
}

void TestComparePage::laysTwoSessionsSideBySide()
{
    Fixture f;
    const QString a = f.library.addShort("stock"), b = f.library.addShort("tuned", 1.5);
    f.show({a, b});
    QCOMPARE(f.page->request().series, "session");
    QCOMPARE(f.page->pivot().series, (std::vector<std::string>{"stock", "tuned"}));
    QCOMPARE(f.page->request().facet, ""); // held at one case: tst_compare_side_by_side
    f.choose("facetPill", QStringLiteral("synchronous"));
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
    const auto plots = f.page->findChildren<TracePlot*>(QRegularExpression(QStringLiteral("^facetPlot")));
    QCOMPARE(plots.size(), 2 * 3); // throughput over latency for each facet
    for (const TracePlot* plot : plots)
        QCOMPARE(plot->seriesCount(), 2); // a line a session
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
    QCOMPARE(f.table()->model()->index(1, PivotTableModel::VerdictText).data().toString(), "too few runs to tell");
}

//! A chip for settings that a change of data waits for and that differ between servers, a calm one where nothing
//! waits, and none of an earlier comparison.
void TestComparePage::saysHowDurabilityDiffers()
{
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    Fixture f;
    const auto add = [&f](const char* product, const char* version, const char* flush, bool writes) {
        ServerFacts server;
        server.product = product;
        server.version = version;
        server.variables = {{"innodb_flush_log_at_trx_commit", std::string(flush)}, {"log_bin", std::string("OFF")}};
        sample::Options options;
        options.intervals = 6;
        static int count = 0;
        options.id = "5e551011-0000-4000-8000-0000000020" + std::to_string(10 + ++count);
        auto writer = SessionWriter::open(f.library.file());
        if (!writer)
            qFatal("%s", writer.error().text().c_str());
        AsServer sink(**writer, server, writes);
        sample::feed(sink, options);
        if (auto flushed = (*writer)->flush(); !flushed)
            qFatal("%s", flushed.error().text().c_str());
        return QString::fromStdString(options.id);
    };
    const QString safe = add("MariaDB", "10.11.19-MariaDB", "1", true), loose = add("MySQL", "8.0.31", "2", true);
    const QString safeReads = add("MariaDB", "10.11.19-MariaDB", "1", false),
                  looseReads = add("MySQL", "8.0.31", "2", false), safeToo = add("MySQL", "8.0.31", "1", true);
    const auto chip = [&f](const char* text) -> Chip* {
        for (Chip* one : f.verdict()->findChildren<Chip*>()) {
            if (one->text() == QLatin1String(text))
                return one;
        }
        return nullptr;
    };
    f.show({safe, loose});
    const Chip* red = chip("not equally durable");
    QVERIFY2(red, qPrintable(f.verdict()->chips().join('|')));
    QCOMPARE(red->property("tone").toString(), Chip("", Tone::Bad).property("tone").toString());
    QVERIFY2(red->toolTip().contains("innodb_flush_log_at_trx_commit = 2"), qPrintable(red->toolTip()));
    QVERIFY(!chip("durability differs"));
    f.context.compareSessions({safeReads, looseReads});
    f.wait();
    const Chip* calm = chip("durability differs");
    QVERIFY2(calm, qPrintable(f.verdict()->chips().join('|')));
    QCOMPARE(calm->property("tone").toString(), Chip("", Tone::Neutral).property("tone").toString());
    QVERIFY(!chip("not equally durable"));
    f.context.compareSessions({safe, safeToo});
    f.wait();
    QCOMPARE(f.page->sessionIds(), (QStringList{safe, safeToo}));
    QVERIFY2(!chip("not equally durable") && !chip("durability differs"), qPrintable(f.verdict()->chips().join('|')));
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
    const QString page = f.library.path("report.html");
    f.page->saveReport(page);
    f.page->saveData(data);
    f.page->saveSessions(dyno);
    f.wait();
    // With the appendix where a person wants it: nothing else changes.
    QVERIFY(!read(report).contains("## Appendix") && !read(page).contains("Appendix"));
    const QString with = f.library.path("with.md"), withPage = f.library.path("with.html");
    f.find<QAction>("exportAppendix")->trigger();
    f.page->saveReport(with);
    f.page->saveReport(withPage);
    f.wait();
    QVERIFY(read(with).startsWith(read(report)));
    QVERIFY(read(with).contains("\n## Appendix\n") && read(with).contains("oltp_update_non_index"));
    QVERIFY(read(withPage).contains("Appendix</h"));
    QCOMPARE(read(table).toStdString(), markdownTable(f.page->pivot()));
    QVERIFY(read(report).contains(read(table).trimmed()) || read(report).size() > read(table).size());
    QVERIFY(read(csv).startsWith("synchronous,"));
    QVERIFY(read(page).contains("<img src=\"data:image/svg+xml;base64,") && read(page).contains("</title></rect>"));
    QVERIFY(!read(page).contains("<script"));
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
    f.choose("facetPill", QStringLiteral("synchronous"));
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

} // namespace dyno::tst_compare_page

DYNO_WIDGET_SUITE(tst_compare_page, dyno::tst_compare_page::TestComparePage)
#include "tst_compare_page.moc"
