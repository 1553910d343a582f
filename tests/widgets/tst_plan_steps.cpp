// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of the Plan page: what they say folded, and how they open.
#include "plan/check_list.h"
#include "plan/plan_steps.h"
#include "plan/step_card.h"
#include "plan/step_lines.h"
#include "support/own_settings.h"
#include "support/suite.h"
#include "widgets/pictures.h"
#include "widgets/plan_page_fixture.h"

#include <QSignalSpy>

namespace dyno::tst_plan_steps {
using namespace Qt::StringLiterals;
using test::PlanPageFixture;
using test::quickPlan;

namespace {

constexpr std::array kSteps = {"targetCard", "workloadCard", "axesCard", "loadCard", "observeCard", "aboutCard"};

QStringList openSteps(const PlanPageFixture& fixture)
{
    QStringList open;
    for (const char* name : kSteps) {
        if (fixture.find<StepCard>(name)->isOpen())
            open << QLatin1String(name);
    }
    return open;
}

Plan faultyPlan()
{
    Plan plan = quickPlan();
    plan.workload.params = {{"table_size", std::int64_t(-5)}};
    plan.load.repeats = -1;
    return plan;
}

Plan hugePlan()
{
    Plan plan = quickPlan();
    plan.target.uri = "sqlite:";
    plan.workload.params = {{"table_size", std::int64_t(2'000'000'000)}, {"tables", std::int64_t(1000)}};
    return plan;
}

} // namespace

class TstPlanSteps : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        test::ownHome(m_dir);
    }
    void init() { QSettings().clear(); }
    void completeStepsAreLines();
    void atMostOneIsOpen();
    void keysOpenAndLeadOn();
    void theFirstFaultIsOpen();
    void aNewPlanBeginsWithItsTarget();
    void linesSayWhatWasSettled();
    void checksLeadToTheirFieldAndFix();
    void startAsksWhereSomethingIsToFix();

private:
    QTemporaryDir m_dir;
};

//! All five are on the screen of a small window.
void TstPlanSteps::completeStepsAreLines()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.page.resize(1356, 720);
    QVERIFY(fixture.settle());
    QVERIFY(openSteps(fixture).isEmpty());
    QCoreApplication::processEvents(); // the steps have their places
    for (const char* name : kSteps) {
        const auto* card = fixture.find<StepCard>(name);
        QVERIFY2(card->height() <= 46, name);
        QVERIFY2(card->mapTo(&fixture.page, QPoint(0, card->height())).y() <= fixture.page.height(), name);
        QVERIFY2(card->header().fault().isEmpty(), name);
        QVERIFY2(!card->header().accessibleDescription().isEmpty(), name);
    }
    QVERIFY(!fixture.find("targetUri")->isVisible());
}

void TstPlanSteps::atMostOneIsOpen()
{
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(fixture.settle());
    QTest::mouseClick(fixture.find("loadCard.header"), Qt::LeftButton);
    QCOMPARE(openSteps(fixture), QStringList{u"loadCard"_s});
    QVERIFY(fixture.find("load.users")->isVisible());
    QVERIFY(fixture.find<QAbstractButton>("loadCard.header")->isChecked());
    QTest::mouseClick(fixture.find("axesCard.header"), Qt::LeftButton);
    QCOMPARE(openSteps(fixture), QStringList{u"axesCard"_s});
    QVERIFY(!fixture.find("load.users")->isVisible());
    QVERIFY(fixture.find("addAxis")->isVisible());
    test::keepPictures(fixture.page, u"plan-axes"_s);
    QTest::mouseClick(fixture.find("axesCard.header"), Qt::LeftButton);
    QVERIFY(openSteps(fixture).isEmpty());
    QVERIFY(!fixture.find("addAxis")->isVisible());
}

void TstPlanSteps::keysOpenAndLeadOn()
{
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page));
    QVERIFY(fixture.settle());
    auto* target = fixture.find("targetCard.header");
    target->setFocus();
    QTest::keyClick(target, Qt::Key_Tab); // to the next line: nothing of what is folded is in between
    auto* workload = fixture.find("workloadCard.header");
    QCOMPARE(fixture.page.focusWidget(), workload);
    QTest::keyClick(workload, Qt::Key_Return);
    QCOMPARE(openSteps(fixture), QStringList{u"workloadCard"_s});
    QTest::keyClick(workload, Qt::Key_Space);
    QVERIFY(openSteps(fixture).isEmpty());
    QTest::keyClick(workload, Qt::Key_Space);
    auto* next = fixture.find<QPushButton>("workloadCard.next");
    QVERIFY(next->isVisible());
    next->setFocus();
    QTest::keyClick(next, Qt::Key_Space);
    QCOMPARE(openSteps(fixture), QStringList{u"axesCard"_s});
    QCOMPARE(fixture.page.focusWidget(), fixture.find("axesCard.header"));
    QTest::mouseClick(fixture.find("loadCard.header"), Qt::LeftButton);
    QTest::mouseClick(fixture.find("loadCard.next"), Qt::LeftButton);
    QTest::mouseClick(fixture.find("observeCard.next"), Qt::LeftButton); // the last of them
    QVERIFY(openSteps(fixture).isEmpty());
}

//! Another plan shows the first step with something to fix; what a person opened meanwhile stays open.
void TstPlanSteps::theFirstFaultIsOpen()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.page.editor().setPlan(faultyPlan());
    QVERIFY(openSteps(fixture).isEmpty());
    QVERIFY(fixture.settle());
    QCOMPARE(openSteps(fixture), QStringList{u"workloadCard"_s});
    QVERIFY(!fixture.find<StepCard>("workloadCard")->header().fault().isEmpty());
    QVERIFY(!fixture.find<StepCard>("loadCard")->header().fault().isEmpty());
    QVERIFY(fixture.find<StepCard>("targetCard")->header().fault().isEmpty());
    // Fixed, it stays open until the person is done.
    fixture.page.editor().edit({}, [](Plan& plan) { plan.workload.params = {}; });
    QVERIFY(fixture.settle());
    QVERIFY(fixture.find<StepCard>("workloadCard")->header().fault().isEmpty());
    QCOMPARE(openSteps(fixture), QStringList{u"workloadCard"_s});
    QVERIFY(QTest::qWaitFor([&fixture] { return fixture.faults().size() == 1; }, test::kPatienceMs));
    QTest::mouseClick(fixture.faults().front(), Qt::LeftButton);
    QCOMPARE(openSteps(fixture), QStringList{u"loadCard"_s});
    QCOMPARE(fixture.page.focusWidget(), fixture.find("load.repeats"));

    fixture.page.editor().setPlan(faultyPlan());
    QTest::mouseClick(fixture.find("observeCard.header"), Qt::LeftButton);
    QVERIFY(fixture.settle());
    QCOMPARE(openSteps(fixture), QStringList{u"observeCard"_s});
    fixture.page.editor().setPlan(quickPlan());
    QVERIFY(fixture.settle());
    QVERIFY(openSteps(fixture).isEmpty());
}

void TstPlanSteps::aNewPlanBeginsWithItsTarget()
{
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(fixture.settle());
    fixture.click("planNew");
    QVERIFY(fixture.settle());
    QCOMPARE(openSteps(fixture), QStringList{u"targetCard"_s});
}

void TstPlanSteps::linesSayWhatWasSettled()
{
    Plan plan = quickPlan();
    plan.target.uri = "sqlite:";
    QCOMPARE(targetLine(plan), (StepLine{u"SQLite"_s, u"a private file, made for this session only"_s}));
    if (findDriver("rocksdb")) {
        plan.target.uri = "rocksdb:";
        QCOMPARE(targetLine(plan), (StepLine{u"RocksDB"_s, u"a private folder, made for this session only"_s}));
        plan.target.uri = "rocksdb:/data/store";
        QCOMPARE(targetLine(plan), (StepLine{u"RocksDB"_s, u"the folder /data/store"_s}));
    }
    plan.target.uri = "no such thing";
    QCOMPARE(targetLine(plan), (StepLine{u"No target yet"_s, u"no such thing"_s}));
    if (findDriver("mysql")) {
        plan.target.uri = "managed:mariadb?version=11.8";
        QCOMPARE(targetLine(plan), (StepLine{u"MariaDB 11.8"_s, u"managed by Dynobench, Unix socket"_s}));
        plan.target.uri = "managed:clickhouse"; // which has no socket
        QCOMPARE(targetLine(plan), (StepLine{u"ClickHouse"_s, u"managed by Dynobench, TCP"_s}));
        plan.target.uri = "mysql://me@db1:3307/shop";
        QCOMPARE(targetLine(plan), (StepLine{u"MySQL"_s, u"running at db1:3307, database shop"_s}));
    }
    Plan compared = plan;
    compared.axes = {{"server", {{"one", {{"target.uri", "sqlite:"}}}, {"two", {{"target.uri", "null:"}}}}}};
    QCOMPARE(targetLine(compared), (StepLine{u"2 targets"_s, u"one, two"_s}));
    QCOMPARE(axesLine(compared), (StepLine{u"2 cases of server"_s, u"one, two"_s}));

    QVERIFY(workloadLine(plan, 0).rest.startsWith(u"oltp_point_select, rows per table 100"_s));
    QVERIFY(workloadLine(plan, 1024 * 1024).rest.endsWith(u"of data"_s));
    plan.workload.name = "no_such";
    QCOMPARE(workloadLine(plan, 0).rest, u"no_such"_s);

    plan.set = {{"connection.synchronous", "OFF"}};
    QCOMPARE(axesLine(plan), (StepLine{u"Nothing varies"_s, u"1 setting of all runs"_s}));
    plan.load.users = {1, 4, 16};
    plan.load.warmupSeconds = 5;
    plan.load.timeSeconds = 20;
    plan.load.repeats = 3;
    plan.load.order = RunOrder::Interleaved;
    QCOMPARE(loadLine(plan),
             (StepLine{u"1, 4, 16 users"_s, u"closed loop, 5 s warm-up and 20 s measured, 3 repeats, interleaved"_s}));
    plan.load.arrival.model = ArrivalModel::Poisson;
    plan.load.arrival.rate = 500;
    QVERIFY(loadLine(plan).rest.startsWith(u"open loop, 500 arrivals/s"_s));
    plan.views = {View(), View()};
    plan.load.counters = false;
    plan.load.intervalSeconds = 1;
    QCOMPARE(observeLine(plan), (StepLine{u"Host only"_s, u"every 1 s, 2 charts"_s}));
    plan.description = "One\ntwo";
    plan.sizes = {{"quick", {}}};
    QCOMPARE(aboutLine(plan).rest, u"One two, sizes: quick"_s);
}

//! Data that no disk holds: the button leads to the field; on a server, another one sets the variable.
void TstPlanSteps::checksLeadToTheirFieldAndFix()
{
    PlanPageFixture fixture(m_dir.path());
    auto* checks = fixture.find<CheckList>("checkList");
    QVERIFY(fixture.settle());
    const auto looked = [checks, &fixture] {
        return QTest::qWaitFor([&] { return !fixture.page.editor().checking() && !checks->looking(); },
                               test::kPatienceMs);
    };
    QVERIFY(looked());
    QCOMPARE(fixture.find<QLabel>("faultChip")->text(), u"ready"_s);
    QVERIFY(fixture.find("check.free_disk")->isVisible());
    QVERIFY(!fixture.find("checkShow.free_disk"));
    fixture.page.editor().setPlan(hugePlan());
    QVERIFY(looked());
    QCOMPARE(checks->count(PreflightLevel::Blocker), 1);
    QVERIFY(fixture.find<QLabel>("faultChip")->text().startsWith(u"1 to fix"_s));
    test::keepPictures(fixture.page, u"plan-checks"_s);
    QTest::mouseClick(fixture.find("checkShow.free_disk"), Qt::LeftButton);
    QCOMPARE(openSteps(fixture), QStringList{u"workloadCard"_s});
    QVERIFY(fixture.page.focusWidget());
    QCOMPARE(fixture.page.focusWidget()->objectName(), u"workload.tables"_s);
    if (!findDriver("mysql"))
        return;
    Plan plan = quickPlan();
    plan.target.uri = "managed:mariadb";
    plan.workload.params = {{"table_size", std::int64_t(200'000)}};
    plan.set = {{"server.innodb_buffer_pool_size", std::int64_t(8) << 20}};
    fixture.page.editor().setPlan(plan);
    QVERIFY(looked());
    auto* fix = fixture.find<QPushButton>("checkFix.data_size");
    QVERIFY(fix && fix->text().startsWith(u"Set to "_s));
    fix->click();
    QVERIFY(std::get<std::int64_t>(fixture.plan().set.at("server.innodb_buffer_pool_size")) > (8 << 20));
    QVERIFY(looked());
    QVERIFY(!fixture.find("checkFix.data_size"));
    fixture.page.editor().undoStack().undo();
    QCOMPARE(std::get<std::int64_t>(fixture.plan().set.at("server.innodb_buffer_pool_size")), std::int64_t(8) << 20);
}

void TstPlanSteps::startAsksWhereSomethingIsToFix()
{
    PlanPageFixture fixture(m_dir.path());
    auto* checks = fixture.find<CheckList>("checkList");
    fixture.page.editor().setPlan(hugePlan());
    QVERIFY(QTest::qWaitFor([checks] { return checks->count(PreflightLevel::Blocker) == 1; }, test::kPatienceMs));
    QVERIFY(fixture.find<QPushButton>("planStart")->isEnabled());
    fixture.click("planStart");
    auto* box = fixture.page.findChild<QMessageBox*>(u"startBox"_s);
    QVERIFY(box && box->text().contains(u"free in"_s));
    QVERIFY(!fixture.context.run().active());
    QTest::keyClick(box, Qt::Key_Escape);
    QVERIFY(!fixture.context.run().active());
    // A plan that comes meanwhile is not the one that was to start.
    QVERIFY(QTest::qWaitFor([&fixture] { return !fixture.page.findChild<QMessageBox*>(u"startBox"_s); },
                            test::kPatienceMs));
    fixture.page.editor().setPlan(hugePlan());
    fixture.click("planStart");
    QSignalSpy looked(checks, &CheckList::looked);
    fixture.page.editor().setPlan(hugePlan());
    QVERIFY(looked.wait(test::kPatienceMs));
    QVERIFY(!fixture.page.findChild<QMessageBox*>(u"startBox"_s));
    fixture.click("planStart");
    QVERIFY(fixture.page.findChild<QMessageBox*>(u"startBox"_s));
}

} // namespace dyno::tst_plan_steps

DYNO_WIDGET_SUITE(tst_plan_steps, dyno::tst_plan_steps::TstPlanSteps)
#include "tst_plan_steps.moc"
