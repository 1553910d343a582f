// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Recipes in the window: every one opens from the gallery as a plan, and some are run as a person runs them, up to the
//! charts and the table that they ask for. Those whose charts are of kinds that the others have run in the long form
//! only. DYNO_TEST_RECIPES=ID,ID runs those at their whole quick size instead (some minutes),
//! DYNO_TEST_PICTURES=FOLDER keeps a picture of each view, light and dark.
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "compare/compare_page.h"
#include "main_window.h"
#include "parts/choice_pill.h"
#include "parts/labels.h"
#include "plan/plan_page.h"
#include "plots/frame_ticker.h"
#include "plots/pivot_plot.h"
#include "plots/pivot_table_model.h"
#include "plots/time_overlay_plot.h"
#include "start/recipe_card.h"
#include "start/start_page.h"
#include "support/dyno_process.h"
#include "support/long_form.h"
#include "support/own_settings.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/catalog.h>
#include <dyno/library.h>
#include <dyno/machine_settings.h>
#include <dyno/path.h>
#include <dyno/report.h>
#include <dyno/runner.h>

#include <QAbstractItemModel>
#include <QDir>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

namespace dyno::tst_recipes_window {
using namespace Qt::StringLiterals;

namespace {

constexpr int kLookMs = 60'000;   //!< a machine of CI can be very busy
constexpr int kShortMs = 240'000; //!< several starts of a server, on a slow disk
constexpr int kWholeMs = 1'800'000;

//! What a program of a managed target lacks here, in words; "" for none. Optional cases may lack theirs.
std::string missing(Plan plan)
{
    for (Axis& axis : plan.axes)
        std::erase_if(axis.cases, [](const Case& one) { return one.optional; });
    static std::map<std::string, bool> known; // a program is asked for its version
    for (const PointSpec& point : expand(plan).points) {
        const auto uri = parseUri(point.target.uri);
        const auto [one, first] = known.try_emplace(point.target.uri, true);
        if (first)
            one->second = !uri || uri->kind != TargetKind::Managed || inspectTarget(*uri).has_value();
        if (!one->second)
            return point.target.uri;
        if (missingProxy(point.target.path))
            return point.target.path;
        if (uri && machineProblem(point.host, placeOf(*uri, dataFolder())))
            return "transparent_hugepage";
    }
    return {};
}

//! Kinds of operations of which some run has none.
QSet<QString> undoneKinds(const StoredSession& session)
{
    QSet<QString> kinds;
    for (const StoredRun& run : session.runs) {
        for (const OperationInfo& kind : run.header.operations) {
            if (std::ranges::none_of(run.summary.operations, [&kind](const OperationSummary& one) {
                    return one.name == kind.name && one.count > 0;
                }))
                kinds << QString::fromStdString(kind.name);
        }
    }
    return kinds;
}

//! A folder with a whole MariaDB, see ./test; else the one that is installed.
QString mariadbTarget()
{
    const QString whole = qEnvironmentVariable("DYNO_TEST_MARIADB");
    return whole.isEmpty() ? u"managed:mariadb"_s : u"managed:mariadb?basedir="_s + whole;
}

} // namespace

class TestRecipesWindow : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    std::unique_ptr<AppContext> m_context;
    std::unique_ptr<MainWindow> m_window;

    [[nodiscard]] std::filesystem::path library() const { return m_dir.filePath(u"library.dynolib"_s).toStdString(); }
    [[nodiscard]] PlanPage& plan() const { return *qobject_cast<PlanPage*>(m_window->page(u"planPage"_s)); }
    [[nodiscard]] ComparePage& compare() const { return *qobject_cast<ComparePage*>(m_window->page(u"comparePage"_s)); }
    template<class T>
    T* find(const QString& name) const
    {
        return m_window->findChild<T*>(name);
    }
    [[nodiscard]] QString current() const { return m_window->currentPage()->objectName(); }
    void press(const QString& button)
    {
        auto* found = find<QPushButton>(button);
        QVERIFY2(found && found->isEnabled(), qPrintable(button));
        QTest::mouseClick(found, Qt::LeftButton);
    }
    void openWindow();
    void openRecipe(const QString& id);
    void choose(const QString& pill, const QString& id);
    //! The charts of lines or bars that can be seen.
    template<class T>
    [[nodiscard]] std::vector<T*> shown() const
    {
        std::vector<T*> cards;
        for (T* card : compare().findChildren<T*>()) {
            if (card->isVisible())
                cards.push_back(card);
        }
        return cards;
    }
    [[nodiscard]] std::vector<const TracePlot*> courses() const;
    void checkLines(const View& view, const StoredSession& session, int lines);
    void checkBars(const View& view, int bars);
    void checkTable(const View& view, const StoredSession& session);
    void keepPictures(const QString& id, int number);

private slots:
    void initTestCase();
    void cleanup();
    void opens_data();
    void opens();
    void runs_data();
    void runs();
};

void TestRecipesWindow::initTestCase()
{
    QVERIFY(m_dir.isValid());
    test::ownHome(m_dir);
    test::shareInitialisedServers(m_dir.path());
    Theme::instance().apply(*qApp);
}

void TestRecipesWindow::openWindow()
{
    if (m_window)
        return;
    QSettings().clear();
    m_context = std::make_unique<AppContext>(library());
    m_window = std::make_unique<MainWindow>(*m_context);
    m_window->resize(1440, 900);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

//! One window serves all recipes that are only opened.
void TestRecipesWindow::cleanup()
{
    if (QString::fromLatin1(QTest::currentTestFunction()) == u"opens"_s && !QTest::currentTestFailed())
        return;
    m_window.reset();
    m_context.reset();
}

//! Opens it in the size that the card offers first: quick, where it comes in sizes.
void TestRecipesWindow::openRecipe(const QString& id)
{
    m_window->showPage(u"startPage"_s);
    auto* start = qobject_cast<StartPage*>(m_window->page(u"startPage"_s));
    QTRY_VERIFY_WITH_TIMEOUT(start->loaded(), kLookMs);
    if (find<QPushButton>(u"showAll"_s)->isVisible()) // of a first start
        press(u"showAll"_s);
    auto* card = find<RecipeCard>(u"recipe."_s + id);
    QVERIFY(card);
    start->findChild<QScrollArea*>()->ensureWidgetVisible(card);
    if (const Expected<Plan> recipe = recipePlan(id.toStdString()); recipe && !recipe->sizes.empty())
        QCOMPARE(card->size(), u"quick"_s);
    QTest::mouseClick(card, Qt::LeftButton, {}, QPoint(20, 20));
    QCOMPARE(current(), u"planPage"_s);
}

void TestRecipesWindow::opens_data()
{
    QTest::addColumn<QString>("id");
    for (const RecipeInfo& recipe : recipes())
        QTest::newRow(recipe.id.c_str()) << QString::fromStdString(recipe.id);
}

//! The Plan page finds no fault with it; the card says when a server is missing here, and then offers no start.
void TestRecipesWindow::opens()
{
    QFETCH(const QString, id);
    openWindow();
    openRecipe(id);
    if (QTest::currentTestFailed())
        return;
    const Expected<Plan> recipe = recipePlan(id.toStdString());
    QVERIFY(recipe);
    QTRY_VERIFY_WITH_TIMEOUT(!plan().editor().checking(), kLookMs);
    const PlanCheck& check = plan().editor().check();
    QVERIFY2(check.faults.empty(), check.faults.empty() ? "" : check.faults.front().what.c_str());
    QVERIFY(plan().editor().startable() && find<QPushButton>(u"planStart"_s)->isEnabled());
    QCOMPARE(plan().editor().plan().title, recipe->title);
    QCOMPARE(plan().editor().plan().views.size(), recipe->views.size());
    QVERIFY(check.runs > 1);
    const auto* card = find<RecipeCard>(u"recipe."_s + id);
    const std::string lacks = missing(*recipe);
    QCOMPARE(card->available(), lacks.empty());
    QCOMPARE(card->startButton() != nullptr, lacks.empty());
    if (lacks.empty())
        return;
    const QString product = lacks.find("mongodb") != std::string::npos ? u"mongod"_s
                            : lacks.find("mysql") != std::string::npos ? u"mysqld"_s
                            : lacks.find(':') == std::string::npos     ? QString::fromStdString(lacks) // a proxy
                                                                       : u"mariadbd"_s;
    QVERIFY2(card->toolTip().contains(product), qPrintable(card->toolTip()));
    const auto* reason = card->findChild<QLabel*>(u"reason."_s + id);
    QVERIFY(reason && !reason->text().isEmpty());
}

void TestRecipesWindow::runs_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<bool>("whole");
    QTest::addColumn<int>("points"); //!< cases that the recipe compares: lines of its courses, bars of its figures
    QTest::addColumn<QStringList>("overRows");
    QTest::addColumn<QStringList>("cases"); //!< that the table names
    QTest::addColumn<QStringList>("set");   //!< what makes it short, beside the quick size, as --set takes it
    const QString asked = qEnvironmentVariable("DYNO_TEST_RECIPES");
    for (const QString& id : asked.split(u',', Qt::SkipEmptyParts))
        QTest::newRow(qPrintable(id)) << id << true << 0 << QStringList() << QStringList() << QStringList();
    if (!asked.isEmpty())
        return;
    const QStringList overRows{u"Insert rate over rows"_s}, none;
    const QString toTheEnd = u"load.time=60s"_s; // by rows or transactions, as the recipe ends
    QTest::newRow("E01") << u"inserts-mariadb"_s << false << 2 << overRows
                         << QStringList{u"none"_s, u"three secondary"_s}
                         << QStringList{toTheEnd, u"load.events=6000"_s};
    QTest::newRow("E04") << u"commits-sqlite"_s << false << 6 << overRows
                         << QStringList{u"at each commit"_s, u"never"_s, u"1"_s, u"1000"_s, u"10000"_s}
                         << QStringList{u"load.time=2s"_s, u"load.interval=0.1s"_s, u"load.rows=40000"_s,
                                        // a line has a commit: one of 10 000 rows may take two seconds
                                        u"axis.rows to a commit[10000].workload.rows_per_commit=2000"_s};
    QTest::newRow("E16")
        << u"large-values-mariadb"_s << false << 4 << none << QStringList{u"COMPRESSED 4K"_s, u"7 KiB"_s}
        << QStringList{toTheEnd, // a bar shows one kind of transaction, which takes part however slow it is
                       u"load.events=2500"_s, // more than an interval of a fast machine: counters are read at its end
                       u"load.warmup=0.1s"_s,
                       u"load.interval=0.1s"_s,
                       u"axis.row format=DYNAMIC;COMPRESSED 4K"_s,
                       u"axis.values=7 KiB;16 KiB"_s,
                       u"axis.values[16 KiB].workload.rows=200"_s,
                       u"axis.values[7 KiB].workload.rows=200"_s};
    QTest::newRow("E17")
        << u"sensordata-mariadb"_s << false << 8 << none << QStringList{u"InnoDB 8K"_s}
        << QStringList{toTheEnd, u"load.events=600"_s, u"view.Inserts over time, close up.from=0.05s"_s,
                       u"view.Inserts over time, close up.to=0.15s"_s}; // shorter than the runs on a fast machine, too
    QTest::newRow("E27") << u"fulltext-mariadb"_s << false << 0 << none << none
                         << QStringList{u"axis.documents[SEO].workload.documents=50"_s,
                                        u"axis.documents[DIR].workload.documents=50"_s};
    if (!test::longForm())
        return; // tst_recipes_run runs these, and those above show each kind of view
    QTest::newRow("E02") << u"engines-mariadb"_s << false << 2
                         << QStringList{u"Rate of the last rows"_s, u"Rate of each interval"_s}
                         << QStringList{u"InnoDB"_s, u"Aria"_s} << QStringList{toTheEnd, u"load.rows=25000"_s};
    QTest::newRow("E03") << u"compression-mariadb"_s << false << 0 << overRows << none
                         << QStringList{toTheEnd, u"load.events=15"_s};
    QTest::newRow("E07") << u"linkbench-mariadb"_s << false << 4 << overRows << QStringList{u"InnoDB"_s, u"1"_s, u"8"_s}
                         << QStringList{toTheEnd};
    QTest::newRow("E15") << u"brokerage-mariadb"_s << false << 0 << none << none
                         << QStringList{u"load.time=1s"_s, u"load.warmup=0.2s"_s, u"load.interval=0.2s"_s,
                                        u"workload.customers=200"_s, u"workload.days=30"_s};
    QTest::newRow("E14") << u"isolation-mariadb"_s << false << 6 << none
                         << QStringList{u"READ COMMITTED"_s, u"REPEATABLE READ"_s}
                         << QStringList{u"load.time=1s"_s,      u"load.warmup=0.2s"_s,      u"load.interval=0.2s"_s,
                                        u"axis.warehouses=1"_s, u"workload.customers=60"_s, u"workload.items=200"_s};
    QTest::newRow("E25") << u"doublewrite-mariadb"_s << false << 0 << none << none
                         << QStringList{u"load.time=0.5s"_s, u"load.warmup=0.2s"_s, u"load.interval=0.1s"_s,
                                        u"workload.table_size=500"_s,
                                        u"axis.redo log=2 × 32 MiB"_s}; // each point starts a server
}

//! Chooses as a person does.
void TestRecipesWindow::choose(const QString& pill, const QString& id)
{
    auto* found = find<ChoicePill>(pill);
    QVERIFY(found && found->isVisible());
    QVERIFY2(std::ranges::any_of(found->choices(), [&id](const ChoicePill::Choice& one) { return one.id == id; }),
             qPrintable(id));
    emit found->chosen(id);
    QTRY_VERIFY_WITH_TIMEOUT(!compare().busy(), kLookMs);
    QTRY_COMPARE_WITH_TIMEOUT(found->current(), id, kLookMs);
}

//! The charts over time of throughput: one, or one a facet.
std::vector<const TracePlot*> TestRecipesWindow::courses() const
{
    auto* overlay = find<TimeOverlayPlot>(u"timeOverlayPlot"_s);
    if (overlay && overlay->isVisible())
        return {&overlay->throughput()};
    std::vector<const TracePlot*> plots;
    for (const TracePlot* plot : shown<TracePlot>()) {
        if (plot->objectName().startsWith(u"facetPlot"_s))
            plots.push_back(plot);
    }
    plots.resize(plots.size() / 2); // those of latency come after them
    return plots;
}

//! A line each of the runs, a value for each of its measured intervals, over rows or over time.
void TestRecipesWindow::checkLines(const View& view, const StoredSession& session, int lines)
{
    const std::vector<const TracePlot*> plots = courses();
    QVERIFY(!plots.empty());
    const bool overRows = view.over == "rows";
    int all = 0;
    for (const TracePlot* plot : plots) {
        QVERIFY(plot->isVisible() && !plot->title().isEmpty());
        QCOMPARE((plots.size() > 1 ? plot->secondary() : plot->title()).contains(u"over rows"_s), overRows);
        QCOMPARE(plot->plot().xAxis->label(), overRows ? u"rows changed"_s : QString());
        if (view.measure == "rows")
            QVERIFY2(plot->secondary().contains(u"rows/s"_s), qPrintable(plot->secondary()));
        QVERIFY(plot->seriesCount() > 0);
        all += plot->seriesCount();
    }
    if (plots.size() == 1)
        QCOMPARE(&compare().frontPlot(), static_cast<const PlotCard*>(plots.front()));
    if (lines > 0)
        QCOMPARE(all, lines);
    // Each line is a run of the session, up to its last row or its end: a value for each interval, over rows for each
    // measured one that changed some; but that a last one which is cut short goes with the one before it.
    auto opened = Library::open(library(), Library::Mode::ReadOnly);
    QVERIFY(opened);
    std::multimap<double, int> expected;
    for (const StoredRun& run : session.runs) {
        const auto intervals = (*opened)->intervals(run.id);
        QVERIFY(intervals);
        int count = 0;
        double rows = 0, seconds = 0;
        for (const IntervalSample& one : *intervals) {
            if (!overRows && one.phase == Phase::Warmup)
                ++count;
            if (one.phase != Phase::Measure || one.lengthNs <= 0)
                continue;
            count += !overRows || one.rows > 0 ? 1 : 0;
            rows += double(one.rows);
            seconds += double(one.lengthNs) / 1e9;
        }
        QVERIFY(!overRows || rows == double(run.summary.rows));
        expected.emplace(std::round(overRows ? rows : 1000 * seconds), count);
    }
    qsizetype most = 0; // of four commits in a run there may be one interval that holds them all
    for (const TracePlot* course : plots) {
        const TracePlot& plot = *course;
        // Each line has a name and a look of its own.
        QSet<QString> names, labels, looks;
        for (int i = 0; i < plot.seriesCount(); ++i) {
            const QCPGraph& line = plot.graph(i);
            names << plot.seriesName(i);
            labels << plot.endLabel(i);
            QString look = line.pen().color().name();
            for (const qreal dash : line.pen().dashPattern())
                look += u' ' + QString::number(dash);
            looks << (view.chart == "dots" ? line.pen().color().name() : look) + u' ' +
                         QString::number(line.scatterStyle().shape());
        }
        QCOMPARE(names.size(), qsizetype(plot.seriesCount()));
        QCOMPARE(labels.size(), qsizetype(plot.seriesCount()));
        QCOMPARE(looks.size(), qsizetype(plot.seriesCount()));
        for (int i = 0; i < plot.seriesCount(); ++i) {
            const auto data = plot.graph(i).data();
            QVERIFY(data->size() > 0);
            most = std::max<qsizetype>(most, data->size());
            const double last = (data->constEnd() - 1)->key;
            const auto [from, to] = expected.equal_range(std::round((overRows ? 1 : 1000) * last));
            const auto run = std::find_if(from, to, [&data](const auto& one) {
                return one.second - data->size() == 0 || one.second - data->size() == 1;
            });
            QVERIFY2(run != to,
                     qPrintable(u"%1: %2 values up to %3"_s.arg(plot.seriesName(i)).arg(data->size()).arg(last)));
            if (lines > 0) // else several lines may be of one run, a kind of operation each
                expected.erase(run);
            QVERIFY(view.to > 0 || last <= plot.plot().xAxis->range().upper);
        }
        if (view.to > 0) {
            QCOMPARE(plot.plot().xAxis->range().lower, view.from);
            QCOMPARE(plot.plot().xAxis->range().upper, view.to);
        }
    }
    QVERIFY(most > 1);
}

//! A bar (or a place on a line) each of the points that have the figure, with its value.
void TestRecipesWindow::checkBars(const View& view, int bars)
{
    int drawn = 0;
    const auto plots = shown<PivotPlot>();
    QVERIFY(!plots.empty());
    for (const PivotPlot* plot : plots) {
        QVERIFY(plot->hasData() && !plot->title().isEmpty());
        QVERIFY(plot->effectiveChart() == (view.chart == "bars" ? PivotPlot::Chart::Bars : PivotPlot::Chart::Lines));
        const QString axis = plot->plot().xAxis->label(),
                      x = QString::fromStdString(view.x); // groups have their names below
        const auto& parts = compare().pivot().facets;
        const bool facets = std::ranges::any_of(parts, [](const std::string& part) { return !part.empty(); });
        QVERIFY2(axis.contains(x) || axis == u" "_s || (facets && axis.isEmpty()), qPrintable(axis));
        QVERIFY2((facets ? plot->secondary() : plot->title()).contains(u" by "_s + x), qPrintable(plot->secondary()));
        drawn += plot->barCount();
        for (int i = 0; view.chart == "lines" && i < plot->seriesCount(); ++i)
            drawn += plot->graph(i).dataCount();
    }
    const auto& cells = compare().pivot().cells;
    QCOMPARE(drawn,
             int(std::ranges::count_if(cells, [](const PivotCell& cell) { return !cell.estimate.runs.empty(); })));
    const auto cut = std::ranges::count_if(
        cells, [](const PivotCell& cell) { return cell.estimate.runs.empty() && !cell.shortRuns.empty(); });
    if (bars > 0)
        QCOMPARE(drawn + int(cut), bars);
    QVERIFY(drawn > 0);
}

void TestRecipesWindow::checkTable(const View& view, const StoredSession& session)
{
    QFETCH(QStringList, cases);
    auto* table = find<QTableView>(u"ratioTable"_s);
    QVERIFY(table && table->isVisible());
    const QAbstractItemModel& model = *table->model();
    // Of a run that its second cut short some figures are not known, and the table says so.
    const bool mayBeCut =
        std::ranges::any_of(session.runs, [&](const StoredRun& run) { return shortfallOf(session, run).has_value(); });
    // A kind that one transaction in a thousand is of may not occur in a short run, and the table says that too.
    const QSet<QString> undone = view.x == "operation" || view.series == "operation" || view.facet == "operation"
                                     ? undoneKinds(session)
                                     : QSet<QString>();
    QSet<QString> texts;
    for (int row = 0; row < model.rowCount(); ++row) {
        QSet<QString> cells;
        for (int column = 0; column < model.columnCount(); ++column)
            cells << model.index(row, column).data().toString();
        const QString value = model.index(row, PivotTableModel::Value).data().toString();
        const bool cut = cells.contains(u"incomplete"_s) && mayBeCut;
        const bool rare = cells.contains(u"not done"_s) && cells.intersects(undone);
        QVERIFY2(!value.isEmpty() && (value != u"–"_s || cut || rare),
                 qPrintable(QStringList(cells.values()).join(u", "_s)));
        texts += cells;
    }
    if (!cases.isEmpty())
        QCOMPARE(model.rowCount(), int(session.header.points.size()));
    QVERIFY(model.rowCount() > 0);
    for (const QString& one : cases)
        QVERIFY2(texts.contains(one), qPrintable(one));
}

void TestRecipesWindow::keepPictures(const QString& id, int number)
{
    const QString folder = qEnvironmentVariable("DYNO_TEST_PICTURES");
    if (folder.isEmpty())
        return;
    QVERIFY(QDir().mkpath(folder));
    for (const Theme::Choice choice : {Theme::Choice::Light, Theme::Choice::Dark}) {
        Theme::instance().setChoice(choice);
        QTRY_VERIFY_WITH_TIMEOUT(FrameTicker::instance().idle(), kLookMs);
        const QString file =
            u"%1-%2-%3.png"_s.arg(id).arg(number).arg(choice == Theme::Choice::Light ? u"light"_s : u"dark"_s);
        QVERIFY(m_window->grab().save(QDir(folder).filePath(file)));
    }
    Theme::instance().setChoice(Theme::Choice::System);
}

void TestRecipesWindow::runs()
{
    QFETCH(const QString, id);
    QFETCH(const bool, whole);
    QFETCH(const int, points);
    QFETCH(const QStringList, overRows);
    QFETCH(const QStringList, set);
    const Expected<Plan> recipe = recipePlan(id.toStdString());
    QVERIFY(recipe);
    const bool mariadb = recipe->target.uri == "managed:mariadb";
    if (mariadb && !inspectTarget(*parseUri(mariadbTarget().toStdString())))
        QSKIP("no MariaDB server is installed, and DYNO_TEST_MARIADB names no folder with one");
    m_window.reset(); // a window of its own, as after a start of the program
    m_context.reset();
    openWindow();
    openRecipe(id);
    if (QTest::currentTestFailed())
        return;
    plan().editor().edit(u"short"_s, [&](Plan& plan) {
        if (mariadb)
            plan.target.uri = mariadbTarget().toStdString();
        for (const QString& one : set) {
            const auto done = setField(plan, one.section(u'=', 0, 0).toStdString(), one.section(u'=', 1).toStdString());
            QVERIFY2(done, qPrintable(one));
        }
    });
    if (QTest::currentTestFailed())
        return;
    QTRY_VERIFY_WITH_TIMEOUT(plan().editor().startable(), kLookMs);
    const qint64 runs = plan().editor().check().runs;
    press(u"planStart"_s);
    QTRY_VERIFY_WITH_TIMEOUT(m_context->run().active(), kLookMs);
    QTRY_COMPARE_WITH_TIMEOUT(current(), u"runPage"_s, kLookMs);
    const int limit = whole ? kWholeMs : kShortMs; // by name: the macro takes an expression apart
    QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), limit);
    const std::string sessionId = m_context->run().sessionId().toStdString();
    auto opened = Library::open(library(), Library::Mode::ReadOnly);
    QVERIFY(opened);
    const auto session = (*opened)->session(sessionId);
    QVERIFY(session);
    QCOMPARE(qint64(session->runs.size()), runs);
    for (const StoredRun& run : session->runs)
        QVERIFY2(run.summary.status == RunStatus::Done, run.summary.reason.c_str());
    for (const StoredRun& run : session->runs) {
        const auto missed = shortfallOf(*session, run);
        QVERIFY2(!missed || !set.contains(u"load.time=60s"_s), missed ? toText(*missed).c_str() : "");
    }

    // It ends on the Compare page, with the recipe's first view.
    QTRY_COMPARE_WITH_TIMEOUT(current(), u"comparePage"_s, kLookMs);
    QCOMPARE(compare().sessionIds(), QStringList{QString::fromStdString(sessionId)});
    QTRY_VERIFY_WITH_TIMEOUT(!compare().busy() && !compare().pivot().cells.empty(), kLookMs);
    const std::vector<View>& views = session->header.plan.views; // a size may give them other names
    QCOMPARE(views.size(), recipe->views.size());
    QCOMPARE(find<ChoicePill>(u"viewPill"_s)->current(), u"plan:"_s + QString::fromStdString(views.front().name));
    QStringList courses;
    int number = 0;
    for (const View& view : views) {
        choose(u"viewPill"_s, u"plan:"_s + QString::fromStdString(view.name));
        if (!QTest::currentTestFailed())
            keepPictures(id, ++number);
        if (!QTest::currentTestFailed() && (view.chart == "time" || view.chart == "dots"))
            checkLines(view, *session, points);
        else if (!QTest::currentTestFailed() && (view.chart == "bars" || view.chart == "lines"))
            checkBars(view, points);
        else if (!QTest::currentTestFailed())
            QFAIL(view.chart.c_str());
        if (!QTest::currentTestFailed() && !whole)
            checkTable(view, *session);
        if (QTest::currentTestFailed()) {
            qInfo("in the view %s", view.name.c_str());
            return;
        }
        if (view.over == "rows")
            courses << QString::fromStdString(view.name);
    }
    if (!whole)
        QCOMPARE(courses, overRows);
}

} // namespace dyno::tst_recipes_window

DYNO_WIDGET_SUITE(tst_recipes_window, dyno::tst_recipes_window::TestRecipesWindow)
#include "tst_recipes_window.moc"
