// SPDX-License-Identifier: GPL-3.0-or-later
// The load as a person sets it: the model decides which fields there are, and every field lands in the plan.
#include "parts/field.h"
#include "plan/load_form.h"
#include "plan/plan_editor.h"
#include "support/suite.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTest>

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
};

} // namespace

class TstLoadForm : public QObject
{
    Q_OBJECT
private slots:
    //! The form does not edit groups: it names them, and keeps them whatever else is changed.
    void groupsAreKeptAndNamed()
    {
        Fixture f;
        auto* note = f.form.findChild<QLabel*>(u"load.groups"_s);
        QVERIFY(note && note->isHidden());
        LoadGroup scans, writes;
        scans.name = "scans";
        scans.workload = "select_random_ranges";
        writes.name = "writes";
        writes.users = 3;
        writes.pace.model = ArrivalModel::Poisson;
        writes.pace.rate = 250;
        const std::vector<LoadGroup> groups{scans, writes};
        f.editor.edit(u"groups"_s, [&groups](Plan& plan) { plan.load.groups = groups; });
        QVERIFY(!note->isHidden());
        for (const QString& part : {u"scans"_s, u"select_random_ranges"_s, u"writes"_s, u"250"_s})
            QVERIFY2(note->text().contains(part), qPrintable(note->text()));
        f.type(u"users"_s, u"2, 5"_s);
        f.type(u"time"_s, u"7 s"_s);
        QCOMPARE(f.load().timeSeconds, 7.0);
        QVERIFY(f.load().groups == groups);
        f.editor.edit(u"none"_s, [](Plan& plan) { plan.load.groups.clear(); });
        QVERIFY(note->isHidden());
    }

    //! Nor phases: the measured time is theirs.
    void phasesAreKeptAndNamed()
    {
        Fixture f;
        auto* note = f.form.findChild<QLabel*>(u"load.phases"_s);
        auto* time = f.form.findChild<QLineEdit*>(u"load.time"_s);
        QVERIFY(note && note->isHidden() && time && time->isEnabled());
        LoadPhase calm;
        calm.name = "calm";
        calm.seconds = 12;
        calm.pace.percent = 25;
        f.editor.edit(u"phases"_s, [&calm](Plan& plan) {
            plan.load.phases = {calm};
            plan.load.timeSeconds = 12;
        });
        QVERIFY2(!note->isHidden() && note->text().contains(u"calm, 12 s"_s), qPrintable(note->text()));
        QVERIFY(!time->isEnabled());
        f.type(u"users"_s, u"8"_s);
        QVERIFY(f.load().phases == std::vector{calm} && f.load().users == std::vector<int>{8});
        f.editor.edit(u"none"_s, [](Plan& plan) { plan.load.phases.clear(); });
        QVERIFY(note->isHidden() && time->isEnabled());
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
