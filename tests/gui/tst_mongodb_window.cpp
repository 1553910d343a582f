// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Plans of MongoDB's protocol in the window, against a real FerretDB: a start that the look refuses, and the recipe of
//! price-tagged machines (E18) from the gallery to its charts. DYNO_TEST_E18=FOLDER runs that recipe at its whole quick
//! size (some minutes) and writes pictures of each view into the folder.
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "compare/compare_page.h"
#include "driver/driver.h"
#include "main_window.h"
#include "parts/choice_pill.h"
#include "plan/plan_page.h"
#include "plots/frame_ticker.h"
#include "plots/pivot_plot.h"
#include "start/recipe_card.h"
#include "start/start_page.h"
#include "support/mongo_fixture.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/library.h>

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <set>

namespace dyno::tst_mongodb_window {
using namespace Qt::StringLiterals;

namespace {

constexpr int kLookMs = 60000;   //!< a machine of CI can be very busy
constexpr int kShortMs = 240000; //!< for a session of a few seconds
constexpr int kWholeMs = 1800000;

} // namespace

class TestMongodbWindow : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    QString m_target; //!< managed:ferretdb?…
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
    //! Nothing of a server, and no session.
    void nothingWasMade() const
    {
        for (const char* folder : {"managed", "instances"})
            QVERIFY2(QDir(m_dir.filePath(u"dynobench/"_s + QString::fromLatin1(folder)))
                         .entryList(QDir::Dirs | QDir::NoDotAndDotDot)
                         .isEmpty(),
                     folder);
        if (!std::filesystem::exists(library()))
            return;
        auto opened = Library::open(library(), Library::Mode::ReadOnly);
        QVERIFY(opened);
        const auto sessions = (*opened)->sessions();
        QVERIFY(sessions && sessions->empty());
    }
    void press(const QString& button)
    {
        auto* found = find<QPushButton>(button);
        QVERIFY2(found, qPrintable(button));
        QTest::mouseClick(found, Qt::LeftButton);
    }
    void openRecipe();
    void setMachines();
    void show(const View& view, const QString& pictures);

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void blockedStartIsRefused_data();
    void blockedStartIsRefused();
    void priceRecipeFromTheGallery();
};

void TestMongodbWindow::initTestCase()
{
    if (const std::string why = test::MongoFixture::whyMissing(test::MongoProduct::Ferretdb); !why.empty())
        QSKIP(why.c_str());
    m_target = u"managed:ferretdb"_s;
    if (const QString program = qEnvironmentVariable("DYNO_TEST_FERRETDB"); !program.isEmpty())
        m_target += u"?basedir="_s + QFileInfo(program).absolutePath();
    test::ownHome(m_dir);
    Theme::instance().apply(*qApp);
}

void TestMongodbWindow::init()
{
    QSettings().clear();
    m_context = std::make_unique<AppContext>(library());
    m_window = std::make_unique<MainWindow>(*m_context);
    m_window->resize(1280, 860);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void TestMongodbWindow::cleanup()
{
    m_window.reset();
    m_context.reset();
}

void TestMongodbWindow::blockedStartIsRefused_data()
{
    QTest::addColumn<QString>("plan");
    QTest::addColumn<QString>("reason");
    QTest::newRow("transactions")
        << u"[workload]\nname = \"oltp_read_write\"\nparams = { tables = 1, table_size = 100 }\n"_s
        << u"transactions"_s;
    QTest::newRow("write concern 0")
        << u"[workload]\nname = \"ycsb\"\nparams = { workload = \"a\", recordcount = 100 }\n[set]\n\"connection.write_concern\" = \"0\"\n"_s
        << u"w=0"_s;
}

void TestMongodbWindow::blockedStartIsRefused()
{
    QFETCH(QString, plan);
    QFETCH(QString, reason);
    const ParsedPlan parsed = parsePlan(
        (u"title = \"blocked\"\n[target]\nuri = \"%1\"\n"_s.arg(m_target) + plan + u"[load]\ntime = \"60s\"\n"_s)
            .toStdString(),
        "test");
    QVERIFY2(parsed.plan, parsed.plan ? "" : parsed.faults.front().what.c_str());
    m_context->editPlan(*parsed.plan);
    QCOMPARE(current(), u"planPage"_s);
    QTRY_VERIFY_WITH_TIMEOUT(this->plan().editor().startable(), kLookMs);
    if (m_target.contains(u"basedir"_s)) // the plan names its program
        press(u"trustAllow"_s);
    press(u"planStart"_s);
    QTRY_VERIFY_WITH_TIMEOUT(find<QMessageBox>(u"consentQuestion"_s), kLookMs);
    auto* box = find<QMessageBox>(u"consentQuestion"_s);
    QVERIFY2(box->informativeText().contains(reason) && box->informativeText().contains(u"FerretDB"_s),
             qPrintable(box->informativeText()));
    QVERIFY(box->informativeText().contains(u"→ "_s)); // what to do
    QVERIFY(!m_context->run().active());
    nothingWasMade();
    QCOMPARE(box->defaultButton(), qobject_cast<QPushButton*>(find<QPushButton>(u"consentNo"_s)));
    press(u"consentNo"_s);
    QTRY_VERIFY(!find<QMessageBox>(u"consentQuestion"_s));
    QVERIFY(!m_context->run().active());
    QCOMPARE(current(), u"planPage"_s); // to change it there
    nothingWasMade();
    // Whoever insists may, as with --force.
    press(u"planStart"_s);
    QTRY_VERIFY_WITH_TIMEOUT(find<QMessageBox>(u"consentQuestion"_s), kLookMs);
    press(u"consentYes"_s);
    QVERIFY(m_context->run().active());
    QCOMPARE(current(), u"runPage"_s);
    m_context->run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), kShortMs);
    std::error_code ignored;
    std::filesystem::remove(library(), ignored);
}

//! Opens it in the size that the card offers first, the quick one.
void TestMongodbWindow::openRecipe()
{
    auto* start = qobject_cast<StartPage*>(m_window->page(u"startPage"_s));
    QTRY_VERIFY_WITH_TIMEOUT(start->loaded(), kLookMs);
    if (find<QPushButton>(u"showAll"_s)->isVisible()) // of a first start
        press(u"showAll"_s);
    auto* card = find<RecipeCard>(u"recipe.price-mongodb"_s);
    QVERIFY(card);
    start->findChild<QScrollArea*>()->ensureWidgetVisible(card);
    QCOMPARE(card->size(), u"quick"_s);
    QTest::mouseClick(card, Qt::LeftButton, {}, QPoint(20, 20));
    QCOMPARE(current(), u"planPage"_s);
    QCOMPARE(plan().editor().plan().title, recipePlan("price-mongodb")->title);
}

//! All machines are this one with FerretDB, at the prices of the recipe.
void TestMongodbWindow::setMachines()
{
    auto* table = find<QTableView>(u"axis0.table"_s);
    QVERIFY(table);
    int changed = 0;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
        for (int column = 0; column < table->model()->columnCount(); ++column) {
            const QModelIndex cell = table->model()->index(row, column);
            if (cell.data(Qt::EditRole).toString() == u"managed:mongodb"_s &&
                table->model()->setData(cell, m_target, Qt::EditRole))
                ++changed;
        }
    }
    QCOMPARE(changed, 3);
}

//! Chooses it by its name; each of its charts has bars of all machines.
void TestMongodbWindow::show(const View& view, const QString& pictures)
{
    auto* pill = find<ChoicePill>(u"viewPill"_s);
    QVERIFY(pill);
    emit pill->chosen(u"plan:"_s + QString::fromStdString(view.name));
    QTRY_VERIFY_WITH_TIMEOUT(!compare().busy(), kLookMs);
    const Pivot& pivot = compare().pivot();
    QCOMPARE(pivot.request.measure, view.measure);
    std::set<std::string> facets, series;
    for (const PivotCell& cell : pivot.cells) {
        QVERIFY2(cell.estimate.median > 0 && cell.estimate.runs.size() == 3, cell.x.c_str());
        facets.insert(cell.facet);
        series.insert(cell.series);
    }
    QCOMPARE(facets.size(), std::size_t(3));
    QCOMPARE(series, (std::set<std::string>{"ARM", "x86, as many cores", "x86, half the cores"}));
    if (pictures.isEmpty())
        return;
    for (const Theme::Choice choice : {Theme::Choice::Light, Theme::Choice::Dark}) {
        Theme::instance().setChoice(choice);
        QTRY_VERIFY(FrameTicker::instance().idle());
        const QString file = QDir(pictures).filePath(
            QString::fromStdString(view.measure) + (choice == Theme::Choice::Light ? u"-light.png"_s : u"-dark.png"_s));
        QVERIFY(m_window->grab().save(file));
    }
    Theme::instance().setChoice(Theme::Choice::System);
}

void TestMongodbWindow::priceRecipeFromTheGallery()
{
    const QString pictures = qEnvironmentVariable("DYNO_TEST_E18");
    openRecipe();
    if (!QTest::currentTestFailed())
        setMachines();
    if (QTest::currentTestFailed())
        return;
    if (pictures.isEmpty())
        plan().editor().edit(u"short"_s, [](Plan& plan) {
            plan.load.timeSeconds = 0.2;
            plan.load.intervalSeconds = 0.1;
            plan.load.warmupSeconds = 0;
            plan.load.users = {1};
        });
    else
        QVERIFY(QDir().mkpath(pictures));
    QTRY_VERIFY_WITH_TIMEOUT(plan().editor().startable(), kLookMs);
    const qint64 runs = plan().editor().check().runs;
    QCOMPARE(runs, pictures.isEmpty() ? 27 : 54);
    press(u"planStart"_s);
    QTRY_COMPARE_WITH_TIMEOUT(current(), u"runPage"_s, kLookMs);
    const int limit = pictures.isEmpty() ? kShortMs : kWholeMs; // by name: the macro takes an expression apart
    QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), limit);
    const QString id = m_context->run().sessionId();
    auto opened = Library::open(library(), Library::Mode::ReadOnly);
    QVERIFY(opened);
    const auto session = (*opened)->session(id.toStdString());
    QVERIFY(session);
    QCOMPARE(qint64(session->runs.size()), runs);
    for (const StoredRun& run : session->runs)
        QVERIFY2(run.summary.status == RunStatus::Done, run.summary.reason.c_str());
    QVERIFY(QString::fromStdString(session->runs.front().header.server.product).contains(u"FerretDB"_s));
    m_context->compareSessions({id});
    QTRY_VERIFY_WITH_TIMEOUT(!compare().busy() && !compare().pivot().cells.empty(), kLookMs);
    QCOMPARE(session->header.plan.views.size(), std::size_t(2));
    for (const View& view : session->header.plan.views)
        show(view, pictures);
    show(session->header.plan.views.front(), {});
    QCOMPARE(compare().pivot().currency, std::string("$"));
    QCOMPARE(compare().pivot().request.relativeTo, RelativeTo::Best);
    QCOMPARE(compare().pivot().request.centre, Centre::Median);
}

} // namespace dyno::tst_mongodb_window

DYNO_WIDGET_SUITE(tst_mongodb_window, dyno::tst_mongodb_window::TestMongodbWindow)
#include "tst_mongodb_window.moc"
