// SPDX-License-Identifier: GPL-3.0-or-later
// The Plan page: faults, files, views, what starts. Its target: tst_plan_target.
#include "bridge/last_plan.h"
#include "format.h"
#include "plan/axes_model.h"
#include "plan/chart_picker.h"
#include "plan/preflight_card.h"
#include "plan/time_bar.h"
#include "plots/pivot_table_model.h"
#include "qt_text.h"
#include "support/own_settings.h"
#include "support/suite.h"
#include "widgets/pictures.h"
#include "widgets/plan_page_fixture.h"

#include <dyno/catalog.h>
#include <dyno/chart_kinds.h>
#include <dyno/own_recipes.h>
#include <dyno/packed_file.h>

#include <QAction>
#include <QApplication>
#include <QDoubleSpinBox>
#include <QToolButton>

#include <algorithm>

namespace dyno::tst_plan_page {
using namespace Qt::StringLiterals;
using test::PlanPageFixture;
using test::quickPlan;

class TstPlanPage : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void everyControlIsNamed();
    void firstPlanCanStart();
    void observedCounters();
    void chartsOfTheLastRowsAndOfAPart();
    void usersAndTimes();
    void badUsersKeepStartOff();
    void faultLeadsToItsField();
    void workloadChangeKeepsSharedParameters();
    void everyWorkloadHasALine();
    void workloadsAreFoundByWords();
    void workloadsOfOtherTargetsCannotBeChosen();
    void anotherTargetOffersToCarryKnobsOver();
    void everyWorkloadTellsSizesAndUnits();
    void whereTheTimeGoes();
    void undoKeys();
    void titleAndUnsavedMark();
    void saveAndOpen();
    void badFileListsFaultsWithLines();
    void recipeFileOpensAsANewPlan();
    void unsavedChangesAreAskedFor();
    void restoresTheLastPlan();
    void contentOfFilesComesBack();
    void views();
    void everyKindOfChartHasAPicture();
    void buttonsFixWhatIsToBeLookedAt();
    void folds();
    void leavesACombinationOut();
    void whatIsRemovedTakesItsFiguresAlong_data();
    void whatIsRemovedTakesItsFiguresAlong();
    void startRuns();
    void ctrlEnterStarts();

private:
    QTemporaryDir m_dir;
};

void TstPlanPage::initTestCase()
{
    QVERIFY(m_dir.isValid());
    test::ownHome(m_dir);
}

void TstPlanPage::init()
{
    QSettings().clear();
}

void TstPlanPage::everyControlIsNamed()
{
    PlanPageFixture fixture(m_dir.path());
    QStringList nameless;
    for (auto* widget : fixture.page.findChildren<QWidget*>()) {
        const bool control = qobject_cast<QLineEdit*>(widget) || qobject_cast<QComboBox*>(widget) ||
                             qobject_cast<QAbstractButton*>(widget);
        const bool inner = widget->objectName().startsWith(u"qt_"_s) || widget->inherits("QTableCornerButton") ||
                           qobject_cast<QComboBox*>(widget->parentWidget());
        if (!control || inner)
            continue;
        if (widget->objectName().isEmpty() || widget->accessibleName().isEmpty() || widget->toolTip().isEmpty())
            nameless << widget->objectName() + u' ' + QLatin1String(widget->metaObject()->className());
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u", "_s)));
}

void TstPlanPage::firstPlanCanStart()
{
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.plan().title, std::string("What does durability cost?"));
    QVERIFY(fixture.find<QPushButton>("planStart")->isEnabled());
    QCOMPARE(fixture.find<QLabel>("planRuns")->text(), u"18"_s); // 3 cases × 2 user counts × 3 repeats
    QVERIFY(fixture.faults().isEmpty());
    QVERIFY(!fixture.page.editor().modified());
}

void TstPlanPage::observedCounters()
{
    PlanPageFixture fixture(m_dir.path());
    auto* box = fixture.find<QCheckBox>("load.counters");
    QVERIFY(box->isChecked() && fixture.plan().load.counters);
    box->click();
    QVERIFY(!fixture.plan().load.counters);
    auto* snapshots = fixture.find<QComboBox>("load.snapshots");
    QVERIFY(!snapshots->isEnabled()); // nobody asks the server anything
    auto* names = fixture.find<QLineEdit>("load.observe");
    QVERIFY(!names->isEnabled());
    fixture.page.editor().edit({}, [](Plan& plan) { plan.load.counters = true; });
    QVERIFY(snapshots->isEnabled());
    for (const SnapshotsWhen when : {SnapshotsWhen::Stalls, SnapshotsWhen::Off, SnapshotsWhen::OnDemand}) {
        snapshots->setCurrentIndex(snapshots->findData(int(when)));
        emit snapshots->activated(snapshots->currentIndex());
        QVERIFY(fixture.plan().load.snapshots == when);
    }
    QVERIFY(box->isChecked() && names->isEnabled());
    QTest::keyClicks(names, QStringLiteral("Key_reads, host/vda reads,"));
    const std::vector<std::string> wanted{"Key_reads", "host/vda reads"};
    QVERIFY(fixture.plan().load.observe == wanted);
    QCOMPARE(names->text(), QStringLiteral("Key_reads, host/vda reads,")); // a person types on
    QTest::keyClick(names, Qt::Key_Return);
    QCOMPARE(names->text(), QStringLiteral("Key_reads, host/vda reads"));
    fixture.page.editor().edit({}, [](Plan& plan) { plan.load.observe = {"Com_*"}; });
    QCOMPARE(names->text(), QStringLiteral("Com_*"));
}

//! What a recipe's chart says of the last rows and of its part of the time is shown, kept, and changed by hand.
void TstPlanPage::chartsOfTheLastRowsAndOfAPart()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.page.editor().edit({}, [](Plan& plan) {
        View rows;
        rows.chart = "time";
        rows.measure = "rows:2000000";
        rows.over = "rows";
        View part;
        part.chart = "dots";
        part.from = 900;
        part.to = 1800;
        plan.views = {rows, part};
    });
    const auto dropOldRows = [] { QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); };
    dropOldRows();
    const auto* measure = fixture.find<QComboBox>("view0.measure");
    QCOMPARE(measure->currentData().toString(), u"rows:2000000"_s);
    QCOMPARE(measure->currentText(), PivotTableModel::measureLabel(*findMeasure("rows:2000000")));
    QVERIFY(measure->currentText().contains(format::count(2'000'000)));
    QVERIFY2(measure->findData(u"data_bytes"_s) < 0 && measure->findData(u"tps"_s) >= 0, "a size has no course");
    QVERIFY(!fixture.page.findChild<QWidget*>(u"view0.from"_s)); // no seconds over rows
    auto* to = fixture.find<QDoubleSpinBox>("view1.to");
    QCOMPARE(fixture.find<QDoubleSpinBox>("view1.from")->value(), 900.0);
    QCOMPARE(to->value(), 1800.0);
    to->setValue(1200);
    emit to->editingFinished();
    QCOMPARE(fixture.plan().views[1].to, 1200.0);
    QCOMPARE(fixture.plan().views[1].from, 900.0);
    QCOMPARE(fixture.plan().views[0].measure, std::string("rows:2000000"));
    dropOldRows();
    fixture.click("view1.chart.bars");
    QCOMPARE(fixture.plan().views[1].chart, std::string("bars"));
    QCOMPARE(fixture.plan().views[1].from, 0.0); // bars have no time
    QCOMPARE(fixture.plan().views[1].to, 0.0);
}

void TstPlanPage::usersAndTimes()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.type("load.users", u"1-8*2"_s);
    QCOMPARE(fixture.plan().load.users, (std::vector<int>{1, 2, 4, 8}));
    QTest::keyClick(fixture.find("load.users"), Qt::Key_Return);
    QCOMPARE(fixture.find<QLineEdit>("load.users")->text(), u"1, 2, 4, 8"_s);
    fixture.type("load.time", u"2 min"_s);
    QCOMPARE(fixture.plan().load.timeSeconds, 120.0);
    fixture.type("load.repeats", u"3"_s);
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.find<QLabel>("planRuns")->text(), u"36"_s); // 3 cases × 4 × 3
    QVERIFY(fixture.find<QLabel>("planSentence")->text().contains(u"4"_s));
}

void TstPlanPage::badUsersKeepStartOff()
{
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(fixture.settle());
    fixture.type("load.users", u"many"_s);
    auto* start = fixture.find<QPushButton>("planStart");
    QVERIFY(!start->isEnabled());
    QVERIFY(!fixture.find<QLabel>("planReason")->text().isEmpty());
    QTRY_COMPARE(fixture.faults().size(), 1);
    QCOMPARE(fixture.plan().load.users, (std::vector<int>{1, 4})); // the plan keeps the last good ones
    fixture.type("load.users", u"2"_s);
    QVERIFY(fixture.settle());
    QVERIFY(start->isEnabled());
    QVERIFY(fixture.find<QLabel>("planReason")->text().isEmpty());
}

void TstPlanPage::faultLeadsToItsField()
{
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page));
    fixture.type("workload.table_size", u"-5"_s);
    QVERIFY(fixture.settle());
    QVERIFY(!fixture.find<QPushButton>("planStart")->isEnabled());
    QTRY_COMPARE(fixture.faults().size(), 1);
    QVERIFY(fixture.faults().front()->where().contains(u"table_size"_s));
    fixture.find("planTitle")->setFocus();
    QTest::mouseClick(fixture.faults().front(), Qt::LeftButton);
    QCOMPARE(fixture.page.focusWidget(), fixture.find("workload.table_size"));
    QTest::mouseClick(fixture.find("workload.table_size.reset"), Qt::LeftButton);
    QVERIFY(fixture.settle());
    QVERIFY(fixture.find<QPushButton>("planStart")->isEnabled());
}

void TstPlanPage::workloadChangeKeepsSharedParameters()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.type("workload.table_size", u"777"_s);
    fixture.chooseWorkload(u"oltp_read_only"_s);
    QCOMPARE(fixture.plan().workload.name, std::string("oltp_read_only"));
    QCOMPARE(toText(fixture.plan().workload.params.at("table_size")), std::string("777"));
    QVERIFY(fixture.find("workload.table_size"));
    QVERIFY(!fixture.find<QLabel>("workloadDescription")->text().isEmpty());
}

//! A line of its own that fits into one, for each.
void TstPlanPage::everyWorkloadHasALine()
{
    QSet<QString> lines;
    for (const WorkloadInfo& info : workloads()) {
        const QString text = qtText(info.summary);
        QVERIFY2(text.size() > 20 && text.size() <= 80 && !text.endsWith(u'.'), info.summary.c_str());
        lines << text;
    }
    QCOMPARE(lines.size(), qsizetype(workloads().size()));
}

//! Grouped by purpose; a search by words, arrows and Enter without leaving it; the chosen one stays in sight.
void TstPlanPage::workloadsAreFoundByWords()
{
    PlanPageFixture fixture(m_dir.path());
    auto* list = fixture.show<QListView>("workloadList");
    auto* search = fixture.find<QLineEdit>("workloadSearch");
    auto* name = fixture.find<QLabel>("workloadName");
    const auto rows = [list] { return list->model()->rowCount(); };
    QVERIFY(rows() > int(workloads().size())); // with the groups' headings
    QVERIFY(list->currentIndex().data(WorkloadList::ChosenRole).toBool());
    QVERIFY(list->viewport()->rect().intersects(list->visualRect(list->currentIndex())));
    QCOMPARE(list->model()->index(0, 0).data().toString(), u"Mixed reads and writes"_s);
    QVERIFY(!(list->model()->index(0, 0).flags() & Qt::ItemIsSelectable));

    fixture.type("workloadSearch", u"no such thing"_s);
    QVERIFY(!list->isVisible());
    QVERIFY(fixture.find<QLabel>("workloadNone")->isVisible());
    QCOMPARE(fixture.find<QLabel>("workloadNone")->text(), u"No workload matches “no such thing”"_s);
    QCOMPARE(name->text(), qtText(findWorkload(fixture.plan().workload.name)->name));
    test::keepPictures(fixture.page, u"plan-workload-none"_s);

    fixture.type("workloadSearch", u"bank update"_s);
    QCOMPARE(rows(), 2); // the heading and pgbench's
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(fixture.plan().workload.name, std::string("tpcb"));
    QCOMPARE(name->text(), u"TPC-B-like"_s);

    fixture.type("workloadSearch", u"time series"_s);
    QCOMPARE(rows(), 3);
    QCOMPARE(list->currentIndex().row(), 1);
    QTest::keyClick(search, Qt::Key_Down);
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(fixture.plan().workload.name, std::string("sensordata_file"));
    test::keepPictures(fixture.page, u"plan-workload-search"_s);
    fixture.page.editor().undoStack().undo();
    QCOMPARE(fixture.plan().workload.name, std::string("tpcb"));
}

//! What a target cannot run is there to be seen, and no click chooses it.
void TstPlanPage::workloadsOfOtherTargetsCannotBeChosen()
{
    if (!findDriver("mongodb"))
        QSKIP("built without the MongoDB driver");
    PlanPageFixture fixture(m_dir.path());
    fixture.page.editor().edit(u"target"_s, [](Plan& plan) { plan.target.uri = "mongodb://localhost/test"; });
    const std::string before = fixture.plan().workload.name;
    fixture.chooseWorkload(u"tpcc"_s);
    QCOMPARE(fixture.plan().workload.name, before);
    fixture.chooseWorkload(u"ycsb"_s);
    QCOMPARE(fixture.plan().workload.name, std::string("ycsb"));
}

//! Settings of SQLite on a server of another kind: a fault, and one click away from what means the same there.
void TstPlanPage::anotherTargetOffersToCarryKnobsOver()
{
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(fixture.settle());
    auto* offer = fixture.find("foreignKnobs");
    QVERIFY(offer && !offer->isVisible());
    fixture.page.editor().edit(u"target"_s, [](Plan& plan) { plan.target.uri = "managed:mariadb"; });
    QVERIFY(fixture.settle());
    QVERIFY(offer->isVisible());
    QVERIFY(offer->accessibleName().contains(u"2"_s)); // journal_mode and synchronous
    QVERIFY(!fixture.find<QPushButton>("planStart")->isEnabled());
    QVERIFY(!fixture.page.editor().startable());
    QCOMPARE(fixture.find<QPushButton>("foreignKnobsAction")->text(), u"Carry over 1, remove 1"_s);
    test::keepPictures(fixture.page, u"plan-carry-over"_s);
    fixture.find<QPushButton>("foreignKnobsAction")->click();
    QVERIFY(fixture.settle());
    const Faults& faults = fixture.page.editor().check().faults;
    QVERIFY2(faults.empty(), faults.empty() ? "" : (faults.front().where + ": " + faults.front().what).c_str());
    QVERIFY(!offer->isVisible());
    QVERIFY(fixture.plan().set.empty()); // a journal mode has no equivalent
    QCOMPARE(fixture.plan().axes.size(), std::size_t(1));
    QCOMPARE(fixture.plan().axes[0].name, std::string("innodb_flush_log_at_trx_commit"));
    fixture.page.editor().undoStack().undo();
    QCOMPARE(fixture.plan().axes[0].name, std::string("synchronous"));
    QVERIFY(offer->isVisible());
    fixture.page.editor().undoStack().undo(); // the target of before has them
    QVERIFY(!offer->isVisible());
}

//! Whoever chooses a workload sees how much data it makes, and what each of its numbers is.
void TstPlanPage::everyWorkloadTellsSizesAndUnits()
{
    // Numbers of no unit: shares of each other, parts of one, exponents, seeds.
    static const QSet<QString> plain{u"delta"_s,
                                     u"exponential_frac"_s,
                                     u"hotspotdatafraction"_s,
                                     u"hotspotopnfraction"_s,
                                     u"insert"_s,
                                     u"insert_proportion"_s,
                                     u"rand_pareto_h"_s,
                                     u"rand_spec_iter"_s,
                                     u"rand_zipfian_exp"_s,
                                     u"read"_s,
                                     u"read_modify_write_proportion"_s,
                                     u"read_other"_s,
                                     u"read_part"_s,
                                     u"read_proportion"_s,
                                     u"scan_proportion"_s,
                                     u"sigma"_s,
                                     u"update"_s,
                                     u"update_other"_s,
                                     u"update_proportion"_s,
                                     u"vocabulary_seed"_s,
                                     u"zipf_exponent"_s,
                                     u"zipfian_constant"_s};
    static const QRegularExpression size(u"about [0-9]+([.,][0-9]+)?.(KiB|MiB|GiB)$"_s);
    PlanPageFixture fixture(m_dir.path());
    int numbers = 0, sizes = 0;
    for (const WorkloadInfo& info : workloads()) {
        if (info.id == "recorded")
            continue; // of a log, which has to be named
        fixture.page.editor().edit(u"simple"_s,
                                   [&info](Plan& plan) { // one user, for workloads of steps; no other one's parameters
                                       Plan simple;
                                       simple.title = "simple";
                                       simple.target.uri = info.vectors ? "null:" : "sqlite:";
                                       simple.workload.name = plan.workload.name;
                                       simple.load.users = {1};
                                       simple.load.timeSeconds = 2;
                                       simple.load.warmupSeconds = 0;
                                       plan = simple;
                                   });
        fixture.chooseWorkload(qtText(info.id));
        QVERIFY(fixture.settle());
        QCOMPARE(fixture.plan().workload.name, info.id);
        const Faults& faults = fixture.page.editor().check().faults;
        QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().what.c_str());
        QCOMPARE(fixture.find<QLabel>("workloadDescription")->text(), qtText(info.description));
        QVERIFY2(info.description.size() > 40, info.id.c_str());
        const auto* told = fixture.find<QLabel>("workloadSize");
        QVERIFY(told->isVisibleTo(&fixture.page));
        // Of what only a run inserts, texts tell what so many rows take.
        QString texts = qtText(info.description);
        for (const OptionSpec& option : info.options)
            texts += u' ' + qtText(option.help);
        static const QRegularExpression inTexts(u"[0-9] (KB|MB|GB)"_s);
        const bool known = size.match(told->text()).hasMatch();
        QVERIFY2(known || (told->text().endsWith(u"not known in advance"_s) && inTexts.match(texts).hasMatch()),
                 qPrintable(qtText(info.id) + u": "_s + told->text()));
        sizes += known ? 1 : 0;
        for (const OptionSpec& option : info.options) {
            if (option.type != OptionType::Integer && option.type != OptionType::Real)
                continue;
            ++numbers;
            const QString name = qtText(option.name);
            auto* control = fixture.find(("workload." + option.name).c_str());
            QVERIFY2(control, option.name.c_str());
            const QString unit = qtText(option.unit);
            QVERIFY2(unit.isEmpty() == plain.contains(name), qPrintable(qtText(info.id) + u'.' + name));
            if (!unit.isEmpty())
                QVERIFY2(control->toolTip().contains(unit) && control->accessibleName().endsWith(unit),
                         qPrintable(control->toolTip()));
            const auto* field = qobject_cast<Field*>(control->parentWidget());
            QVERIFY(field);
            QVERIFY2(QFontMetrics(Theme::font(TextRole::Label)).horizontalAdvance(field->label()) <
                         field->minimumWidth(),
                     qPrintable(field->label())); // else it is cut
            const bool plainUnit = unit == u"bytes"_s || unit == u"characters"_s || unit == u"%"_s;
            QVERIFY2(!plainUnit || field->label().contains(unit, Qt::CaseInsensitive), qPrintable(field->label()));
        }
    }
    QVERIFY(numbers > 200);
    QVERIFY2(sizes + 5 >= int(workloads().size()), QByteArray::number(sizes)); // all but those that load nothing
    fixture.page.editor().edit(u"simple"_s, [](Plan& plan) { plan.target.uri = "sqlite:"; });
    // The size is that of the plan, not of a default.
    fixture.chooseWorkload(u"oltp_read_only"_s);
    fixture.type("workload.table_size", u"1000000"_s);
    QVERIFY(fixture.settle());
    const QString large = fixture.find<QLabel>("workloadSize")->text();
    fixture.type("workload.table_size", u"1000"_s);
    QTRY_VERIFY(fixture.find<QLabel>("workloadSize")->text() != large);
    // What follows the cache has a number once the points are known.
    fixture.type("workload.table_size", u"4 x cache"_s);
    QTRY_VERIFY(
        fixture.find<QLabel>("workloadSize")->text().contains(u"Rows per table with the caches of this plan: "_s));
    const PlanCheck& check = fixture.page.editor().check();
    const Settings resolved = multiplesOf(fixture.page.editor().plan(), check.firstPoints.front());
    const auto rows = std::get<std::int64_t>(resolved.at("table_size"));
    QVERIFY(rows > 1000);
    QVERIFY(fixture.find<QLabel>("workloadSize")->text().endsWith(format::count(rows)));
}

//! Totals in words that fit their number, a bar of where the time goes, and the clock of each line of the order.
void TstPlanPage::whereTheTimeGoes()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.page.editor().setPlan(test::quickPlan());
    QVERIFY(fixture.settle());
    const auto* time = fixture.find<QLabel>("planTime");
    QCOMPARE(time->text(), u"1"_s);
    QCOMPARE(fixture.find<QLabel>("planTimeUnit")->text(), u"second"_s);
    const auto* bar = fixture.find<TimeBar>("planTimeBar");
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->parts().front().name, u"measuring"_s);
    fixture.type("load.warmup", u"1 min"_s);
    QTest::keyClick(fixture.find("load.warmup"), Qt::Key_Return);
    fixture.type("load.repeats", u"3"_s);
    QTest::keyClick(fixture.find("load.repeats"), Qt::Key_Return);
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.find<QLabel>("planTimeUnit")->text(), u"minutes"_s);
    const auto warmup = std::ranges::find(bar->parts(), u"warm-up"_s, &TimeBar::Part::name);
    QVERIFY(warmup != bar->parts().end());
    QCOMPARE(warmup->seconds, 180.0);
    QVERIFY(bar->accessibleName().replace(QChar(0xa0), u' ').contains(u"warm-up 3 min"_s));
    const auto* first = fixture.find<QLabel>("orderClock0");
    QVERIFY(first && first->isVisible());
    QCOMPARE(first->text(), u"00:00"_s);
    const QLabel* last = first; // of three repeats of a minute each
    for (int row = 1; const auto* clock = fixture.page.findChild<QLabel*>(u"orderClock%1"_s.arg(row)); ++row)
        last = clock;
    QCOMPARE(last->text(), u"02:01"_s);
    test::keepPictures(fixture.page, u"plan-time"_s);
}

void TstPlanPage::undoKeys()
{
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page));
    fixture.type("load.repeats", u"7"_s);
    QCOMPARE(fixture.plan().load.repeats, 7);
    QTest::keyClick(fixture.find("load.repeats"), Qt::Key_Z, Qt::ControlModifier); // in the line itself
    QCOMPARE(fixture.plan().load.repeats, 3);
    QCOMPARE(fixture.find<QLineEdit>("load.repeats")->text(), u"3"_s);
    QTest::keyClick(fixture.find("load.repeats"), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(fixture.plan().load.repeats, 7);
}

void TstPlanPage::titleAndUnsavedMark()
{
    PlanPageFixture fixture(m_dir.path());
    auto* source = fixture.find<ElidedLabel>("planSource");
    QVERIFY(!source->fullText().contains(u"changed"_s));
    fixture.type("planTitle", u"My question"_s);
    QCOMPARE(fixture.plan().title, std::string("My question"));
    QVERIFY(source->fullText().contains(u"changed"_s));
    fixture.page.editor().undoStack().undo();
    QVERIFY(!source->fullText().contains(u"changed"_s));
    QCOMPARE(fixture.find<QLineEdit>("planTitle")->text(), u"What does durability cost?"_s);
}

void TstPlanPage::saveAndOpen()
{
    const QString file = m_dir.filePath(u"mine.toml"_s);
    {
        PlanPageFixture fixture(m_dir.path());
        fixture.type("planTitle", u"Saved question"_s);
        QSignalSpy modified(&fixture.page.editor(), &PlanEditor::modifiedChanged);
        fixture.page.saveFile(file);
        QTRY_VERIFY(!fixture.page.editor().modified());
        QCOMPARE(fixture.page.editor().file(), file);
    }
    QSettings().clear();
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(fixture.plan().title != "Saved question");
    QSignalSpy replaced(&fixture.page.editor(), &PlanEditor::replaced);
    fixture.page.openFile(file);
    QVERIFY(replaced.wait(10000));
    QCOMPARE(fixture.plan().title, std::string("Saved question"));
    QVERIFY(!fixture.page.editor().modified());
    // A file that cannot be written says so and keeps the mark.
    fixture.type("planTitle", u"Other"_s);
    QSignalSpy message(&fixture.context, &AppContext::messageRequested);
    fixture.page.saveFile(m_dir.filePath(u"no/such/folder/x.toml"_s));
    QVERIFY(message.wait(10000));
    QVERIFY(fixture.page.editor().modified());
}

void TstPlanPage::badFileListsFaultsWithLines()
{
    const QString file = m_dir.filePath(u"bad.toml"_s);
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write("title = \"bad\"\n[target]\nuri = \"sqlite:\"\n[workload]\nname = \"no_such\"\n[load]\nusers = [0]\n");
    out.close();
    PlanPageFixture fixture(m_dir.path());
    const std::string before = fixture.plan().title;
    fixture.page.openFile(file);
    QListWidget* list = nullptr;
    QTRY_VERIFY((list = fixture.page.findChild<QListWidget*>(u"planFaultList"_s)));
    QVERIFY(list->count() >= 2);
    QString all;
    for (int i = 0; i < list->count(); ++i)
        all += list->item(i)->text() + u'\n';
    QVERIFY2(all.contains(u"Line 5"_s), qPrintable(all));
    QVERIFY2(all.contains(u"Line 7"_s), qPrintable(all));
    QCOMPARE(fixture.plan().title, before);
    fixture.click("planFaultsClose");
    QTRY_VERIFY(!fixture.page.findChild<QListWidget*>(u"planFaultList"_s));
}

//! With its charts and figures; saving must not write over the recipe.
void TstPlanPage::recipeFileOpensAsANewPlan()
{
    Plan plan = quickPlan();
    plan.title = "How fast is nothing?";
    plan.views.emplace_back().chart = "lines";
    Published figures;
    figures.measure = "tps";
    figures.source = "a post";
    figures.values.push_back({{{"users", "1"}}, 1234});
    plan.published.push_back(figures);
    const std::filesystem::path folder = m_dir.filePath(u"recipes"_s).toStdString();
    const auto id = saveRecipe(folder, plan, {"Nothing here", plan.title, "It does nothing"});
    QVERIFY2(id.has_value(), id ? "" : id.error().text().c_str());
    const std::filesystem::path file = folder / (*id + ".toml");
    QVERIFY(std::filesystem::exists(file));

    PlanPageFixture fixture(m_dir.path());
    QSignalSpy told(&fixture.context, &AppContext::messageRequested);
    fixture.page.openFile(qtText(file.string()));
    QTRY_COMPARE(fixture.plan().title, plan.title);
    QCOMPARE(fixture.plan().views.size(), plan.views.size());
    QCOMPARE(fixture.plan().published.size(), std::size_t(1));
    QCOMPARE(fixture.plan().published.front().values.front().value, 1234.0);
    QVERIFY(fixture.page.editor().file().isEmpty());
    QVERIFY(!fixture.page.findChild<QListWidget*>(u"planFaultList"_s));
    QCOMPARE(told.size(), 1);
    QVERIFY2(told.front().front().toString().contains(u"is a recipe"_s), qPrintable(told.front().front().toString()));
}

void TstPlanPage::unsavedChangesAreAskedFor()
{
    PlanPageFixture fixture(m_dir.path());
    const auto question = [&fixture] { return fixture.page.findChild<QMessageBox*>(u"unsavedBox"_s); };
    const auto press = [&question](const char* name) {
        QTest::mouseClick(question()->findChild<QPushButton*>(QLatin1String(name)), Qt::LeftButton);
    };
    fixture.type("planTitle", u"Precious"_s);
    fixture.context.editPlan(quickPlan());
    QVERIFY(question());
    QCOMPARE(question()->defaultButton()->objectName(), u"unsavedSave"_s); // what Enter presses loses nothing
    QCOMPARE(question()->escapeButton()->objectName(), u"unsavedCancel"_s);
    press("unsavedCancel");
    QCOMPARE(fixture.plan().title, std::string("Precious"));
    QTRY_VERIFY(!question());

    const QString file = m_dir.filePath(u"precious.toml"_s);
    fixture.page.saveFile(file);
    QTRY_VERIFY(!fixture.page.editor().modified());
    fixture.type("planTitle", u"More precious"_s);
    fixture.page.openFile(m_dir.filePath(u"other.toml"_s)); // a dropped file asks too
    QVERIFY(question());
    press("unsavedCancel");
    QTRY_VERIFY(!question());
    fixture.context.editPlan(quickPlan());
    QVERIFY(question());
    QTest::keyClick(question(), Qt::Key_Return);
    QTRY_COMPARE(fixture.plan().title, std::string("quick"));
    const ParsedPlan saved = readPlan(file.toStdString());
    QVERIFY(saved.plan);
    QCOMPARE(saved.plan->title, std::string("More precious"));
    QTRY_VERIFY(!question());

    fixture.type("planTitle", u"Of no worth"_s);
    fixture.context.editPlan(quickPlan());
    QVERIFY(question());
    press("unsavedDiscard");
    QCOMPARE(fixture.plan().title, std::string("quick"));
    QVERIFY(!fixture.page.editor().modified());
}

void TstPlanPage::restoresTheLastPlan()
{
    {
        PlanPageFixture fixture(m_dir.path());
        fixture.type("planTitle", u"Where I was"_s);
    }
    LastPlan last = lastPlan();
    last.toml += u"\n# as another version wrote it\n"_s;
    last.editedMs = 1000;
    storePlan(last);
    PlanPageFixture fixture(m_dir.path());
    QCOMPARE(fixture.plan().title, std::string("Where I was"));
    QCOMPARE(lastPlan().editedMs, qint64(1000)); // nobody edited it
}

//! Settings leave large content to a saved file, and nothing of it is lost: not where the plan was edited since, nor by
//! undoing an edit that was made before the file was read.
void TstPlanPage::contentOfFilesComesBack()
{
    std::string words; // that nothing packs
    quint32 word = 1;
    for (int i = 0; i < 30'000; ++i)
        words += std::to_string(word = word * 1664525U + 1013904223U) + "\n";
    const auto content = PackedFile::pack(words);
    QVERIFY(content && content->text().size() > (std::size_t(64) << 10));
    Plan plan;
    plan.title = "Words";
    plan.target.uri = "sqlite:" + m_dir.filePath("words.db").toStdString();
    plan.workload.name = "script";
    plan.workload.params = {{"scripts", std::string("+++\n[[tables]]\nname = \"t\"\nrows = 2\n[tables.columns]\n"
                                                    "a = { type = \"TEXT\", words = \"w.txt\" }\n+++\nSELECT 1;\n")},
                            {"files", "w.txt = 30000 " + content->sha256()}};
    plan.files = {{content->sha256(), content}};
    const QString file = m_dir.filePath(u"words.toml"_s);
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(QByteArray::fromStdString(writePlan(plan)));
    out.close();
    const Plan saved = readPlan(file.toStdString()).plan.value();
    const auto has = [&content](const Plan& one) { return one.files.contains(content->sha256()); };
    for (const bool modified : {false, true}) {
        LastPlan last;
        last.toml = lastPlanText(saved, file, modified);
        QCOMPARE(last.toml.contains(qtText(content->text().substr(0, 60))), modified);
        last.file = file;
        last.modified = modified;
        storePlan(last);
        PlanPageFixture fixture(m_dir.path());
        fixture.type("planTitle", u"Edited at once"_s); // before the file is read
        QTRY_VERIFY(has(fixture.plan()));
        fixture.page.editor().undoStack().undo();
        QVERIFY(has(fixture.plan()));
        QVERIFY(writePlan(fixture.plan()).find(content->text().substr(0, 60)) != std::string::npos);
    }
    // Without a file nothing is left out.
    QVERIFY(lastPlanText(saved, {}, false).contains(qtText(content->text().substr(0, 60))));
    QVERIFY(isLastPlan({.toml = lastPlanText(saved, file, false), .file = file}, saved));
}

void TstPlanPage::views()
{
    PlanPageFixture fixture(m_dir.path());
    const auto before = fixture.plan().views.size();
    fixture.click("addView");
    QCOMPARE(fixture.plan().views.size(), before + 1);
    const QString name = u"view%1.measure"_s.arg(before);
    auto* measure = fixture.page.findChild<QComboBox*>(name);
    QVERIFY(measure);
    const int p99 = measure->findData(u"service_p99"_s);
    QVERIFY(p99 >= 0);
    measure->setCurrentIndex(p99);
    emit measure->activated(p99);
    QCOMPARE(fixture.plan().views[before].measure, std::string("service_p99"));
    QVERIFY(fixture.settle());
    QVERIFY(fixture.faults().isEmpty());

    const auto choose = [&](const QString& field, const QString& value) {
        auto* box = fixture.page.findChild<QComboBox*>(u"view%1.%2"_s.arg(before).arg(field));
        QVERIFY2(box, qPrintable(field));
        const int at = box->findData(value);
        QVERIFY2(at >= 0, qPrintable(value));
        box->setCurrentIndex(at);
        emit box->activated(at);
        QVERIFY(fixture.settle());
        QVERIFY2(fixture.faults().isEmpty(), qPrintable(value));
    };
    const auto chooseKind = [&](const QString& kind) { // by a click on its picture
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        const QString name = u"view%1.chart.%2"_s.arg(before).arg(kind);
        auto* picture = fixture.page.findChild<QToolButton*>(name);
        QVERIFY2(picture, qPrintable(name));
        QTest::mouseClick(picture, Qt::LeftButton);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        picture = fixture.page.findChild<QToolButton*>(name);
        QVERIFY(picture->isChecked() && picture->toolTip().size() > picture->accessibleName().size());
        QVERIFY(fixture.settle());
        QVERIFY2(fixture.faults().isEmpty(), qPrintable(kind));
    };
    const auto has = [&](const QString& field) { // in the row of now: an older one goes at the next event
        const auto boxes = fixture.page.findChildren<QComboBox*>(u"view%1.%2"_s.arg(before).arg(field));
        return std::any_of(boxes.begin(), boxes.end(), [](const QComboBox* box) { return box->isVisible(); });
    };
    for (const char* chart :
         {"lines", "bars", "runs", "scaling", "sync", "latency", "percentiles", "heat", "dots", "time"}) {
        chooseKind(QLatin1String(chart));
        QCOMPARE(fixture.plan().views[before].chart, std::string(chart));
    }
    QVERIFY(has(u"measure"_s) && !has(u"centre"_s)); // runs as they were measured
    choose(u"over"_s, u"rows"_s);
    QCOMPARE(fixture.plan().views[before].over, std::string("rows"));
    choose(u"log"_s, u"y"_s);
    chooseKind(u"heat"_s); // stands over time only
    QCOMPARE(fixture.plan().views[before].over, std::string());
    chooseKind(u"lines"_s);
    QVERIFY(has(u"measure"_s) && has(u"centre"_s) && !has(u"over"_s));
}

//! Each kind that the registry has comes with a picture.
void TstPlanPage::everyKindOfChartHasAPicture()
{
    for (const ChartKind& kind : chartKinds()) {
        const QString file = u":/icons/%1.svg"_s.arg(ChartPicker::iconOf(qtText(kind.id)));
        QVERIFY2(QFile::exists(file), qPrintable(file));
    }
    PlanPageFixture fixture(m_dir.path());
    fixture.show("view0.chart");
    test::keepPictures(fixture.page, u"plan-charts"_s);
}

//! One click gives unlike servers the same durability, and takes users away that leave the server no core.
void TstPlanPage::buttonsFixWhatIsToBeLookedAt()
{
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    PlanPageFixture fixture(m_dir.path());
    Plan plan = test::quickPlan();
    plan.target.uri = "sqlite:";
    plan.workload.name = "oltp_update_index";
    plan.axes = {{"product",
                  {{"file", {{"target.uri", "sqlite:"}, {"connection.synchronous", "OFF"}}},
                   {"server", {{"target.uri", "managed:mariadb"}}}}}};
    plan.load.users = {4096};
    fixture.page.editor().setPlan(plan);
    const auto button = [&fixture](const char* name) { return fixture.find<QPushButton>(name); };
    QTRY_VERIFY(button("checkFix.durability"));
    test::keepPictures(fixture.page, u"plan-fixes"_s);
    QTest::mouseClick(button("checkFix.durability"), Qt::LeftButton);
    QCOMPARE(toText(fixture.plan().axes[0].cases[0].set.at("connection.synchronous")), std::string("FULL"));
    QTRY_VERIFY(!button("checkFix.durability") && fixture.find("check.durability"));
    fixture.page.editor().undoStack().undo();
    QCOMPARE(toText(fixture.plan().axes[0].cases[0].set.at("connection.synchronous")), std::string("OFF"));
    QTRY_VERIFY(button("checkFix.durability"));
    if (!button("checkFix.shared_cores"))
        QSKIP("a machine with one core: nothing leaves one to the server");
    QTest::mouseClick(button("checkFix.shared_cores"), Qt::LeftButton);
    QVERIFY(fixture.plan().load.users.front() < 4096);
    QTRY_VERIFY(!button("checkFix.shared_cores") && fixture.find("check.shared_cores"));
}

void TstPlanPage::folds()
{
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(fixture.settle());
    QVERIFY(!fixture.page.folded());
    auto* summary = fixture.page.findChild<PlanSummary*>();
    QVERIFY(summary->isVisible());
    fixture.page.resize(900, 700);
    QVERIFY(fixture.page.folded());
    QVERIFY(summary->isVisible()); // below the cards now
    QVERIFY(fixture.find("planFoldedLine")->isVisible());
    QVERIFY(fixture.find<QPushButton>("planFoldedLine")->text().contains(u"18"_s));
    fixture.page.resize(1356, 900);
    QVERIFY(!fixture.page.folded());
    QVERIFY(!fixture.find("planFoldedLine")->isVisible());
}

void TstPlanPage::leavesACombinationOut()
{
    PlanPageFixture fixture(m_dir.path());
    PlanEditor& editor = fixture.page.editor();
    QTRY_VERIFY(!editor.checking());
    auto* table = fixture.find<QTableView>("pointsTable");
    const qint64 points = editor.check().points;
    QVERIFY(points > 2);
    table->setCurrentIndex(table->model()->index(1, 0));
    QTest::keyClick(table, Qt::Key_Space);
    QTRY_VERIFY(!editor.checking());
    QCOMPARE(editor.check().points, points - 1);
    QCOMPARE(table->model()->rowCount(), int(points)); // still there to be taken in again
    QVERIFY(fixture.find<QLabel>("planSentence")->text().contains(u"1 skipped"_s));
    editor.undoStack().undo();
    QTRY_VERIFY(!editor.checking());
    QCOMPARE(editor.check().points, points);
}

void TstPlanPage::whatIsRemovedTakesItsFiguresAlong_data()
{
    QTest::addColumn<QByteArray>("recipe");
    QTest::addColumn<int>("axis");
    QTest::addColumn<int>("row");  // −1: the whole axis
    QTest::addColumn<int>("left"); // [[published]]
    QTest::newRow("what sizes are percent of") << QByteArray("compression-mariadb") << 0 << 0 << 1;
    QTest::newRow("one of two figures") << QByteArray("compression-mariadb") << 0 << 1 << 2;
    QTest::newRow("the axis of series") << QByteArray("compression-mariadb") << 0 << -1 << 0;
    QTest::newRow("one of two figures, and a baseline") << QByteArray("sensordata-mariadb") << 0 << 0 << 5;
    QTest::newRow("a case of all figures") << QByteArray("sensordata-mariadb") << 1 << 0 << 0;
    QTest::newRow("an axis among facets") << QByteArray("sensordata-mariadb") << 2 << -1 << 0;
}

//! Published figures have no form: what names a case that was removed would be a fault that nobody can mend here.
void TstPlanPage::whatIsRemovedTakesItsFiguresAlong()
{
    QFETCH(const QByteArray, recipe);
    QFETCH(const int, axis);
    QFETCH(const int, row);
    QFETCH(const int, left);
    const Expected<Plan> plan = recipePlan(recipe.toStdString());
    if (!plan)
        QSKIP("built without the MySQL-family driver");
    PlanPageFixture fixture(m_dir.path());
    PlanEditor& editor = fixture.page.editor();
    editor.setPlan(*plan);
    QVERIFY(fixture.settle());
    QVERIFY(fixture.faults().isEmpty());
    if (row >= 0) {
        AxisModel(editor, axis).removeCases({row});
    } else {
        fixture.find<QPushButton>(qPrintable(u"axis%1.menu"_s.arg(axis)))->click();
        auto* remove = fixture.find<QAction>("removeAxis");
        QVERIFY(remove);
        remove->trigger();
        if (QWidget* menu = QApplication::activePopupWidget())
            menu->close();
    }
    QVERIFY(fixture.settle());
    const auto faults = editor.check().faults;
    QVERIFY2(faults.empty(),
             faults.empty() ? "" : qPrintable(qtText(faults.front().where + ": " + faults.front().what)));
    QCOMPARE(fixture.plan().published.size(), std::size_t(left));
    QVERIFY(writePlan(fixture.plan()) != writePlan(*plan));
    editor.undoStack().undo();
    QCOMPARE(writePlan(fixture.plan()), writePlan(*plan));
}

void TstPlanPage::startRuns()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.context.editPlan(quickPlan());
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.faults().isEmpty(),
             fixture.faults().isEmpty() ? "" : qPrintable(fixture.faults().front()->accessibleName()));
    QSignalSpy pages(&fixture.context, &AppContext::pageRequested);
    QSignalSpy finished(&fixture.context.run(), &RunFeed::sessionFinished);
    fixture.click("planStart");
    fixture.click("planStart");       // before the checks of the plan are there: it starts once
    const auto refuses = [&fixture] { // one session at a time
        return fixture.context.run().active() && !fixture.find<QPushButton>("planStart")->isEnabled() &&
               !fixture.find<QLabel>("planReason")->text().isEmpty();
    };
    QVERIFY(QTest::qWaitFor(refuses, test::kPatienceMs));
    QVERIFY(finished.count() > 0 || finished.wait(test::kPatienceMs));
    QCOMPARE(pages.count(), 1);
    QTRY_VERIFY(fixture.find<QPushButton>("planStart")->isEnabled());
}

void TstPlanPage::ctrlEnterStarts()
{
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page));
    fixture.context.editPlan(quickPlan());
    QVERIFY(fixture.settle());
    fixture.type("planTitle", u"typed"_s);
    QSignalSpy finished(&fixture.context.run(), &RunFeed::sessionFinished);
    QTest::keyClick(fixture.find("planTitle"), Qt::Key_Return, Qt::ControlModifier); // right after the last key
    QVERIFY(finished.wait(30000));
}

} // namespace dyno::tst_plan_page

DYNO_WIDGET_SUITE(tst_plan_page, dyno::tst_plan_page::TstPlanPage)
#include "tst_plan_page.moc"
