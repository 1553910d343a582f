// SPDX-License-Identifier: GPL-3.0-or-later
// The load as a person sets it: the model decides which fields there are, and every field lands in the plan.
#include "parts/field.h"
#include "pictures.h"
#include "plan/load_form.h"
#include "plan/load_parts_form.h"
#include "plan/plan_editor.h"
#include "support/suite.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <tuple>

namespace dyno::tst_load_form {
using namespace Qt::StringLiterals;

namespace {

struct Fixture
{
    PlanEditor editor;
    LoadForm form{editor};
    Fixture() { form.show(); }
    [[nodiscard]] const LoadProfile& load() const { return editor.plan().load; }
    QLineEdit* line(const QString& name) { return qobject_cast<QLineEdit*>(form.field(name)->control()); }
    bool shown(const QString& name) { return form.field(name)->isVisibleTo(form.field(name)->parentWidget()); }
    void type(const QString& name, const QString& text)
    {
        line(name)->selectAll();
        QTest::keyClicks(line(name), text);
        QTest::keyClick(line(name), Qt::Key_Return);
    }
    void choose(const QString& name, const QVariant& value)
    {
        auto* box = form.findChild<QComboBox*>(name);
        QVERIFY(box);
        box->setCurrentIndex(box->findData(value));
        emit box->activated(box->currentIndex());
    }
    void open()
    {
        form.resize(900, 700);
        QTest::mouseClick(form.findChild<QToolButton*>(u"load.parts"_s), Qt::LeftButton, {}, {8, 8});
        QVERIFY(form.findChild<QToolButton*>(u"load.parts"_s)->isChecked());
    }
    void press(const char* button)
    {
        QTest::mouseClick(form.findChild<QPushButton*>(QLatin1String(button)), Qt::LeftButton);
    }
    //! Into the cell that is being edited.
    void write(const QString& text)
    {
        auto* editor = form.findChild<QLineEdit*>(u"cellEditor"_s);
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, text);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_VERIFY(!form.findChild<QLineEdit*>(u"cellEditor"_s));
    }
    int column(const char* table, const QString& title)
    {
        const auto* model = form.findChild<QTableView*>(QLatin1String(table))->model();
        for (int column = 0; column < model->columnCount(); ++column) {
            if (model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() == title)
                return column;
        }
        return -1;
    }
    QTableView* enter(const char* name, int row, const QString& title)
    {
        auto* table = form.findChild<QTableView*>(QLatin1String(name));
        table->setFocus();
        const QModelIndex index = table->model()->index(row, column(name, title));
        table->scrollTo(index);
        if (index != table->currentIndex()) // else the click would begin to edit
            QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(index).center());
        QTest::keyClick(table, Qt::Key_Return);
        return table;
    }
    void cell(const char* name, int row, const QString& title, const QString& text)
    {
        enter(name, row, title);
        auto* editor = form.findChild<QLineEdit*>(u"cellEditor"_s);
        QVERIFY2(editor, qPrintable(title));
        if (text.isEmpty()) {
            editor->selectAll();
            QTest::keyClick(editor, Qt::Key_Delete);
            QTest::keyClick(editor, Qt::Key_Return);
            QTRY_VERIFY(!form.findChild<QLineEdit*>(u"cellEditor"_s));
        } else {
            write(text);
        }
    }
    void choose(const char* name, int row, const QString& title, const QString& text)
    {
        enter(name, row, title);
        auto* editor = form.findChild<QComboBox*>(u"cellEditor"_s);
        QVERIFY(editor);
        editor->setCurrentIndex(editor->findText(text));
        emit editor->activated(editor->currentIndex());
        QTRY_VERIFY(!form.findChild<QComboBox*>(u"cellEditor"_s));
    }
};

QStringList placesOf(const Faults& faults)
{
    QStringList places;
    for (const Fault& fault : faults)
        places << QString::fromStdString(fault.where);
    return places;
}

} // namespace

class TstLoadForm : public QObject
{
    Q_OBJECT
private slots:
    //! What is changed elsewhere in the form leaves them as they are; phases give the measured time.
    void partsAreKept()
    {
        Fixture f;
        auto* time = f.form.findChild<QLineEdit*>(u"load.time"_s);
        auto* parts = f.form.findChild<QToolButton*>(u"load.parts"_s);
        QVERIFY(time && time->isEnabled() && parts && !parts->isChecked());
        LoadGroup scans;
        scans.name = "scans";
        scans.workload = "select_random_ranges";
        LoadPhase calm;
        calm.name = "calm";
        calm.seconds = 12;
        calm.pace.percent = 25;
        f.editor.edit(u"parts"_s, [&](Plan& plan) {
            plan.load.groups = {scans};
            plan.load.phases = {calm};
            plan.load.timeSeconds = 12;
        });
        QVERIFY(parts->isChecked() && !time->isEnabled());
        f.type(u"users"_s, u"8"_s);
        QVERIFY(f.load().phases == std::vector{calm} && f.load().groups == std::vector{scans});
        QCOMPARE(f.load().users, std::vector<int>{8});
        f.editor.edit(u"none"_s, [](Plan& plan) { plan.load.phases.clear(); });
        QVERIFY(time->isEnabled() && parts->isChecked());
        f.editor.setPlan(Plan());
        QVERIFY(!parts->isChecked());
    }

    //! By clicks and keys, as a person does it.
    void phasesAreMadeHere()
    {
        Fixture f;
        f.type(u"users"_s, u"16"_s);
        f.type(u"time"_s, u"20 s"_s);
        f.open();
        f.press("phasesAdd");
        f.write(u"calm"_s);
        QCOMPARE(f.load().phases.size(), std::size_t(1));
        QCOMPARE(f.load().phases.front().name, std::string("calm"));
        QCOMPARE(f.load().phases.front().seconds, 20.0);
        f.press("phasesAdd");
        f.write(u"spike"_s);
        f.cell("phasesTable", 0, u"Users"_s, u"25%"_s);
        f.cell("phasesTable", 1, u"Time"_s, u"5 s"_s);
        f.cell("phasesTable", 1, u"Ramp"_s, u"2"_s);
        QCOMPARE(f.load().phases.front().pace.percent, std::optional(25.0));
        QCOMPARE(f.load().phases.back().rampSeconds, 2.0);
        QCOMPARE(f.load().timeSeconds, 25.0);
        QCOMPARE(placesOf(checkPlan(f.editor.plan())), placesOf(checkPlan(Plan()))); // the missing target, workload
        const auto& picture = f.form.findChild<PhasePicture*>(u"phasePicture"_s)->phases();
        QCOMPARE(picture.size(), std::size_t(2));
        QCOMPARE(picture.front().level, 0.25);
        QCOMPARE(picture.back().to, 25.0);

        test::keepPictures(f.form, u"load-phases"_s);
        auto* table = f.form.findChild<QTableView*>(u"phasesTable"_s);
        QTest::keyClick(table, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(f.load().phases.front().name, std::string("spike"));
        QCOMPARE(table->currentIndex().row(), 0);
        QTest::keyClick(table, Qt::Key_Delete);
        QCOMPARE(f.load().phases.size(), std::size_t(1));
        QCOMPARE(f.load().timeSeconds, 20.0);
        f.editor.undoStack().undo();
        QCOMPARE(f.load().timeSeconds, 25.0);
        f.cell("phasesTable", 1, u"Users"_s, {});
        QVERIFY(f.load().phases.back().pace == PhasePace());
    }

    //! Where the workload has sections, phases may weigh them.
    void phasesHaveWeights()
    {
        Fixture f;
        f.open();
        f.press("phasesAdd");
        f.write(u"calm"_s);
        QCOMPARE(f.column("phasesTable", u"Weights"_s), -1);
        f.editor.edit({}, [](Plan& plan) {
            plan.target.uri = "null:";
            plan.workload.name = "script";
            plan.workload.params = {
                {"scripts", std::string("\\transaction read\nSELECT 1;\n\\transaction write\nUPDATE t SET a = 1;\n")},
                {"schema", std::string("none")}};
        });
        f.cell("phasesTable", 0, u"Weights"_s, u"read = 9, write=1"_s);
        const SectionWeights nineToOne{{"read", 9}, {"write", 1}};
        QVERIFY(f.load().phases.front().pace.weights == nineToOne);
        auto* table = f.form.findChild<QTableView*>(u"phasesTable"_s);
        const QModelIndex weights = table->model()->index(0, f.column("phasesTable", u"Weights"_s));
        QCOMPARE(weights.data().toString(), u"read=9, write=1"_s);
        test::keepPictures(f.form, u"load-weights"_s);
        f.editor.undoStack().undo();
        QVERIFY(f.load().phases.front().pace.weights.empty());
        QCOMPARE(weights.data().toString(), u"as the workload"_s);
        f.cell("phasesTable", 0, u"Weights"_s, u"read"_s);
        QVERIFY2(f.form.problem().startsWith(u"Weights of calm"_s), qPrintable(f.form.problem()));
        f.cell("phasesTable", 0, u"Weights"_s, u"raed=9"_s);
        auto* problem = f.form.findChild<QLabel*>(u"phasesProblem"_s);
        QTRY_VERIFY(!problem->isHidden());
        QVERIFY2(weights.data(Qt::ToolTipRole).toString().contains(u"read, write"_s), qPrintable(problem->text()));
        f.cell("phasesTable", 0, u"Weights"_s, {});
        QVERIFY(f.load().phases.front().pace == PhasePace());
    }

    void aPhaseThatCannotBeIsSaidAtItsCell()
    {
        Fixture f;
        f.open();
        f.press("phasesAdd");
        f.write(u"calm"_s);
        f.cell("phasesTable", 0, u"Users"_s, u"many"_s);
        auto* table = f.form.findChild<QTableView*>(u"phasesTable"_s);
        const QModelIndex users = table->model()->index(0, f.column("phasesTable", u"Users"_s));
        QVERIFY2(users.data(Qt::ToolTipRole).toString().contains(u"many"_s), "no reason");
        QCOMPARE(users.data().toString(), u"many"_s);
        QVERIFY(f.form.problem().startsWith(u"Users of calm"_s));
        QVERIFY(!f.load().phases.front().pace.users && !f.load().phases.front().pace.percent);
        f.cell("phasesTable", 0, u"Users"_s, u"1"_s);
        QVERIFY2(f.form.problem().isEmpty(), qPrintable(f.form.problem()));
        // What the plan's check finds stands at the cell too.
        f.cell("phasesTable", 0, u"Users"_s, u"9"_s);
        f.editor.edit({}, [](Plan& plan) {
            plan.target.uri = "null:";
            plan.workload.name = "oltp_point_select";
        });
        auto* problem = f.form.findChild<QLabel*>(u"phasesProblem"_s);
        QTRY_VERIFY(!problem->isHidden());
        QVERIFY2(users.data(Qt::ToolTipRole).toString().contains(u"more than the 1"_s), qPrintable(problem->text()));
        f.form.focusPath(u"load.phase[0].time"_s);
        QCOMPARE(table->currentIndex().column(), f.column("phasesTable", u"Time"_s));
    }

    //! Cases and charts that speak of a phase or a group follow it to its new name.
    void namesAreFollowed()
    {
        Fixture f;
        f.open();
        f.press("phasesAdd");
        f.write(u"spike"_s);
        f.press("groupsAdd");
        f.write(u"scans"_s);
        f.cell("phasesTable", 0, u"scans: users"_s, u"0"_s);
        f.editor.edit({}, [](Plan& plan) {
            Axis length;
            length.name = "length";
            length.cases.push_back({"long", {{"load.phase.spike.time", std::string("15s")}}, 0});
            plan.axes = {length};
            plan.views.resize(2);
            plan.views.front().measure = "service_p99:spike";
            plan.views.back().measure = "qps:scans.random_ranges";
        });
        f.cell("phasesTable", 0, u"Name"_s, u"peak"_s);
        f.cell("groupsTable", 0, u"Name"_s, u"reads"_s);
        const Plan& plan = f.editor.plan();
        QVERIFY(plan.axes.front().cases.front().set.contains("load.phase.peak.time"));
        QCOMPARE(plan.views.front().measure, std::string("service_p99:peak"));
        QCOMPARE(plan.views.back().measure, std::string("qps:reads.random_ranges"));
        QCOMPARE(plan.load.phases.front().groups.at("reads").users, std::optional(0));
    }

    //! What no plan can have stays in its cell, and the start stays locked, where rows and columns are added.
    void aWrongTextStaysInItsCell()
    {
        Fixture f;
        f.open();
        f.press("phasesAdd");
        f.write(u"calm"_s);
        f.cell("phasesTable", 0, u"Users"_s, u"many"_s);
        const QString problem = f.form.problem();
        QVERIFY2(problem.startsWith(u"Users of calm"_s), qPrintable(problem));
        f.press("phasesAdd");
        f.write(u"spike"_s);
        QCOMPARE(f.form.problem(), problem);
        f.press("groupsAdd");
        f.write(u"scans"_s);
        QCOMPARE(f.form.problem(), problem);
        f.form.focusPath(u"load.group"_s); // a fault of all groups
    }

    //! Not even for a moment: what speaks of the one by its name would follow the other.
    void aNameThatIsTakenStaysInItsCell()
    {
        Fixture f;
        f.open();
        f.press("phasesAdd");
        f.write(u"calm"_s);
        f.press("phasesAdd");
        f.write(u"spike"_s);
        f.press("groupsAdd");
        f.write(u"scans"_s);
        f.editor.edit({}, [](Plan& plan) {
            plan.set["load.phase.calm.time"] = std::string("15s");
            plan.views.resize(1);
            plan.views.front().measure = "tps:spike";
        });
        auto* table = f.form.findChild<QTableView*>(u"phasesTable"_s);
        for (const QString& wrong : {u"calm"_s, u"scans"_s, QString()}) {
            f.cell("phasesTable", 1, u"Name"_s, wrong);
            QVERIFY2(f.form.problem().startsWith(u"Name of spike"_s), qPrintable(f.form.problem()));
            QCOMPARE(table->model()->index(1, 0).data(Qt::EditRole).toString(), wrong);
            QCOMPARE(f.load().phases.back().name, std::string("spike"));
        }
        f.cell("phasesTable", 1, u"Users"_s, u"many"_s);
        f.cell("phasesTable", 1, u"Name"_s, u"peak"_s);
        QVERIFY2(f.form.problem().startsWith(u"Users of peak"_s), qPrintable(f.form.problem())); // it is kept
        QCOMPARE(f.editor.plan().views.front().measure, std::string("tps:peak"));
        QVERIFY(f.editor.plan().set.contains("load.phase.calm.time"));
        f.editor.edit({}, [](Plan& plan) { std::swap(plan.load.phases.front(), plan.load.phases.back()); });
        QVERIFY2(f.form.problem().isEmpty(), qPrintable(f.form.problem())); // of no row that is there
    }

    //! A rounded text that nobody changes is no change.
    void whatIsShownIsNotWrittenBack()
    {
        Fixture f;
        f.open();
        f.press("phasesAdd");
        f.write(u"calm"_s);
        f.editor.edit({}, [](Plan& plan) { plan.load.phases.front().seconds = 12.3456789; });
        const int steps = f.editor.undoStack().count();
        f.enter("phasesTable", 0, u"Time"_s);
        auto* editor = f.form.findChild<QLineEdit*>(u"cellEditor"_s);
        QVERIFY(editor);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_VERIFY(!f.form.findChild<QLineEdit*>(u"cellEditor"_s));
        QCOMPARE(f.load().phases.front().seconds, 12.3456789);
        QCOMPARE(f.editor.undoStack().count(), steps);
    }

    //! One of the data, which only a file can give to a group, is there until another group is shown.
    void aParameterOfAGroupIsEmptied()
    {
        Fixture f;
        f.editor.edit({}, [](Plan& plan) {
            plan.target.uri = "null:";
            plan.workload.name = "oltp_read_write";
            LoadGroup some, others;
            some.name = "some";
            some.params["tables"] = std::int64_t(4);
            others.name = "others";
            plan.load.groups = {some, others};
        });
        const auto field = [&f] { return f.form.findChild<QLineEdit*>(u"group.tables"_s); };
        QVERIFY(field() && field()->isVisible());
        // What is wrong with it stands below the table, and leads to it.
        auto* problem = f.form.findChild<QLabel*>(u"groupsProblem"_s);
        QTRY_VERIFY(!problem->isHidden());
        f.form.focusPath(u"load.group[0].params.tables"_s);
        QVERIFY(field()->hasFocus());
        field()->selectAll();
        QTest::keyClick(field(), Qt::Key_Delete);
        QVERIFY(f.load().groups.front().params.empty());
        QVERIFY(field() && field()->isVisible());
        QTest::keyClicks(field(), u"3"_s);
        QCOMPARE(f.load().groups.front().params.at("tables"), Value(std::int64_t(3)));
        auto* reset = f.form.findChild<QToolButton*>(u"group.tables.reset"_s);
        QVERIFY(reset);
        QTest::mouseClick(reset, Qt::LeftButton);
        QVERIFY(f.load().groups.front().params.empty());
        QVERIFY(field() && field()->isVisible());
        QTRY_VERIFY(problem->isHidden());
        auto* table = f.form.findChild<QTableView*>(u"groupsTable"_s);
        table->setCurrentIndex(table->model()->index(1, 0));
        QVERIFY(!field());
    }

    void groupsAreMadeHere()
    {
        Fixture f;
        f.editor.edit({}, [](Plan& plan) {
            plan.target.uri = "null:";
            plan.workload.name = "oltp_write_only";
        });
        f.open();
        f.press("groupsAdd");
        f.write(u"writes"_s);
        f.press("groupsAdd");
        f.write(u"scans"_s);
        f.cell("groupsTable", 0, u"Users"_s, u"3"_s);
        f.cell("groupsTable", 0, u"Transactions/s"_s, u"250"_s);
        f.choose("groupsTable", 1, u"Workload"_s, u"select_random_ranges"_s);
        const LoadGroup &writes = f.load().groups.front(), &scans = f.load().groups.back();
        QCOMPARE(writes.users, std::optional(3));
        QVERIFY(writes.pace.open() && writes.pace.rate == 250);
        QCOMPARE(scans.workload, std::string("select_random_ranges"));
        auto* ranges = f.form.findChild<QLineEdit*>(u"group.number_of_ranges"_s);
        QVERIFY(ranges);
        ranges->setFocus();
        QTest::keyClicks(ranges, u"7"_s);
        QCOMPARE(f.load().groups.back().params.at("number_of_ranges"), Value(std::int64_t(7)));
        QVERIFY(f.load().groups.front().params.empty());
        const Faults faults = checkPlan(f.editor.plan());
        QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().what.c_str());
        f.cell("groupsTable", 0, u"Transactions/s"_s, {});
        QVERIFY(!f.load().groups.front().pace.open());
        test::keepPictures(f.form, u"load-parts"_s);
    }

    void whatPrecedesARun()
    {
        Fixture f;
        for (const auto& [value, settles, prewarms] :
             {std::tuple(3, true, true), std::tuple(1, true, false), std::tuple(2, false, true)}) {
            f.choose(u"load.before"_s, value);
            QCOMPARE(f.load().settle, settles);
            QCOMPARE(f.load().prewarm, prewarms);
        }
        f.editor.undoStack().undo();
        QVERIFY(f.load().settle && !f.load().prewarm);
        QCOMPARE(f.form.findChild<QComboBox*>(u"load.before"_s)->currentText(), u"settle"_s);
    }

    void theModelDecidesWhichFieldsThereAre()
    {
        Fixture f;
        QVERIFY(!f.shown(u"rate"_s) && !f.shown(u"steps"_s) && f.shown(u"think_time"_s));
        f.choose(u"load.arrival"_s, int(ArrivalModel::Poisson));
        QVERIFY(f.shown(u"rate"_s) && f.shown(u"rate_to"_s) && !f.shown(u"think_time"_s));
        QCOMPARE(f.load().arrival.rate, 1000.0); // a rate that can be started with
        f.type(u"rate"_s, u"2500"_s);
        f.type(u"rate_to"_s, u"5000"_s);
        QCOMPARE(f.load().arrival.rate, 2500.0);
        QCOMPARE(f.load().arrival.rateTo, 5000.0);
        QVERIFY(checkPlan(f.editor.plan()).size() == checkPlan(Plan()).size()); // nothing wrong but the missing target
        f.choose(u"load.arrival"_s, int(ArrivalModel::Closed));
        QVERIFY(!f.load().arrival.open() && f.load().arrival.rate == 0 && f.load().arrival.rateTo == 0);
        f.editor.undoStack().undo();
        QCOMPARE(f.load().arrival.rate, 2500.0);
        QVERIFY(f.shown(u"rate"_s));
        QCOMPARE(f.line(u"rate"_s)->text(), u"2500"_s);
    }

    void fieldsLandInThePlan()
    {
        Fixture f;
        f.type(u"warmup"_s, u"steady"_s);
        QVERIFY(f.load().warmupUntilSteady);
        f.type(u"warmup"_s, u"5 s"_s);
        QVERIFY(!f.load().warmupUntilSteady && f.load().warmupSeconds == 5);
        f.type(u"think_time"_s, u"0.25 s"_s);
        QCOMPARE(f.load().arrival.thinkSeconds, 0.25);
        f.type(u"objective"_s, u"p99 <= 20ms"_s);
        QCOMPARE(f.load().objective.percentile, 99.0);
        QCOMPARE(f.load().objective.limitMs, 20.0);
        f.type(u"search"_s, u"users 1..256"_s);
        QVERIFY(f.load().search.what == Search::What::Users && f.load().search.to == 256);
        f.type(u"reconnect"_s, u"30 s"_s);
        QCOMPARE(f.load().reconnectSeconds, 30.0);
        f.choose(u"load.arrival"_s, int(ArrivalModel::Fixed));
        f.type(u"steps"_s, u"500:10s, 1000:5s"_s);
        QCOMPARE(f.load().arrival.steps.size(), std::size_t(2));
        QCOMPARE(f.load().timeSeconds, 15.0);
    }

    void whatCannotBeReadIsSaidAtTheField()
    {
        Fixture f;
        f.type(u"objective"_s, u"p99 below 20"_s);
        QVERIFY(f.form.field(u"objective"_s)->problem().contains(u"p99 <= 20ms"_s));
        QVERIFY(f.form.problem().contains(u"Objective"_s));
        QVERIFY(!f.load().objective.given());
        f.type(u"objective"_s, u"max <= 1s"_s);
        QVERIFY(f.form.problem().isEmpty());
        QCOMPARE(f.load().objective.percentile, 100.0);
    }

    //! A change elsewhere brings the form in step with the plan: what was typed and cannot be read must not vanish by
    //! it.
    void usersThatCannotBeReadStayAFault()
    {
        Fixture f;
        f.type(u"users"_s, u"1, x, 0"_s);
        const auto isTold = [&f] {
            const QString problem = f.form.field(u"users"_s)->problem();
            return problem.contains(u"“x”"_s) && problem.contains(u"“0”"_s) && f.line(u"users"_s)->toolTip() == problem;
        };
        QVERIFY2(isTold(), qPrintable(f.form.field(u"users"_s)->problem()));
        f.type(u"repeats"_s, u"3"_s);
        QCOMPARE(f.load().repeats, 3);
        QVERIFY(isTold());
        QCOMPARE(f.line(u"users"_s)->text(), u"1, x, 0"_s);
        QVERIFY(f.form.problem().startsWith(u"Users"_s));
        Plan other;
        other.load.users = f.load().users; // another plan, though with the same users
        f.editor.setPlan(other);
        QCOMPARE(f.line(u"users"_s)->text(), u"1"_s);
        QVERIFY(f.form.problem().isEmpty());
        f.type(u"users"_s, u"2, x"_s);
        QCOMPARE(f.load().users, std::vector<int>{2});
        f.editor.edit({}, [](Plan& plan) { plan.load.users = {1, 4}; }); // the plan has another value: it shows
        QCOMPARE(f.line(u"users"_s)->text(), u"1, 4"_s);
        QVERIFY(f.form.problem().isEmpty());
    }
};

} // namespace dyno::tst_load_form

DYNO_WIDGET_SUITE(tst_load_form, dyno::tst_load_form::TstLoadForm)
#include "tst_load_form.moc"
