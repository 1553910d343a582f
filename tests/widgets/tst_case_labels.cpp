// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Names of cases, and combinations that are left out, which speak of cases by their names.
#include "plan/axes_model.h"
#include "plan/case_labels.h"
#include "plan/plan_editor.h"
#include "plan/points_model.h"
#include "support/suite.h"
#include "widgets/sample_plan.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

namespace dyno::tst_case_labels {
using dyno::test::samplePlan;
using namespace Qt::StringLiterals;

namespace {

Axis durability()
{
    Axis axis;
    axis.name = "durability";
    const auto add = [&axis](int flush, bool binlog, int sync) {
        Case one;
        one.set["server.innodb_flush_log_at_trx_commit"] = std::int64_t(flush);
        one.set["server.log_bin"] = binlog;
        if (sync >= 0)
            one.set["server.sync_binlog"] = std::int64_t(sync);
        axis.cases.push_back(one);
    };
    add(0, false, -1);
    add(1, true, 1);
    return axis;
}

} // namespace

class TstCaseLabels : public QObject
{
    Q_OBJECT
private slots:
    void labelsOfCompoundCases();
    void labelsFollowTheirValues();
    void skipAndTakeBack();
    void aSkipOfSeveralIsDivided();
    void skipsFollowNames();
    void percentOfACaseFollowItsName();
    void pointsOfSkippedCombinations();
};

void TstCaseLabels::labelsOfCompoundCases()
{
    QCOMPARE(autoLabels(durability()),
             (QStringList{u"trx_commit=0, no log_bin"_s, u"trx_commit=1, log_bin, sync_binlog=1"_s}));
    Axis one = samplePlan().axes.front();
    QCOMPARE(autoLabels(one), (QStringList{u"FULL"_s, u"OFF"_s})); // the value says it
    for (Case& each : one.cases)
        each.set["workload.tables"] = std::int64_t(2);
    QCOMPARE(autoLabels(one), (QStringList{u"FULL"_s, u"OFF"_s})); // what all have in common says nothing
}

void TstCaseLabels::labelsFollowTheirValues()
{
    Axis axis = durability();
    const QStringList made = autoLabels(axis);
    axis.cases[0].label = made[0].toStdString();
    axis.cases[1].label = "my own";
    changeAxis(axis, [](Axis& changed) {
        for (Case& one : changed.cases)
            one.set["server.innodb_flush_log_at_trx_commit"] = std::int64_t(2);
    });
    QCOMPARE(axis.cases[0].label, std::string("no log_bin"));
    QCOMPARE(axis.cases[1].label, std::string("my own"));
}

void TstCaseLabels::skipAndTakeBack()
{
    PlanEditor editor;
    editor.setPlan(samplePlan());
    const PlanCheck check = checkOf(editor.plan());
    const std::vector<CaseRef> cases = check.combinations.at(1).cases;
    editor.edit(u"skip"_s, [&](Plan& plan) { setSkipped(plan, check.combinations, cases, true); });
    QCOMPARE(editor.plan().skips.size(), std::size_t(1));
    QVERIFY(isSkipped(editor.plan(), cases));
    editor.undoStack().undo();
    QVERIFY(editor.plan().skips.empty());
    editor.undoStack().redo();
    editor.edit(u"take in"_s, [&](Plan& plan) { setSkipped(plan, check.combinations, cases, false); });
    QVERIFY(editor.plan().skips.empty());
}

void TstCaseLabels::aSkipOfSeveralIsDivided()
{
    Plan plan = samplePlan();
    plan.skips.push_back({{{"sync", "OFF"}}, 0}); // both user counts
    const PlanCheck check = checkOf(plan);
    QCOMPARE(check.allPoints, qint64(4));
    QCOMPARE(check.points, qint64(2));
    setSkipped(plan, check.combinations, {{"sync", "OFF"}, {"users", "1"}}, false);
    QVERIFY(!isSkipped(plan, {{"sync", "OFF"}, {"users", "1"}}));
    QVERIFY(isSkipped(plan, {{"sync", "OFF"}, {"users", "4"}}));
    QCOMPARE(checkOf(plan).points, qint64(3));
}

void TstCaseLabels::percentOfACaseFollowItsName()
{
    PlanEditor editor;
    Plan plan = samplePlan();
    Published post;
    post.source = "A post";
    post.relativeTo = "OFF";
    post.values = {{{{"sync", "FULL"}}, 53}};
    plan.published = {post};
    plan.views[0].baseline = "OFF";
    plan.views.push_back(plan.views[0]);
    plan.views[1].series = plan.views[1].baseline = {};
    plan.views[1].facet = "sync × users";
    editor.setPlan(plan);
    AxisModel model(editor, 0);
    QVERIFY(model.setData(model.index(1, 0), u"unsafe"_s)); // OFF
    QCOMPARE(editor.plan().published[0].relativeTo, std::string("unsafe"));
    QCOMPARE(editor.plan().views[0].baseline, std::string("unsafe"));
    model.rename(u"durability"_s);
    QCOMPARE(editor.plan().views[1].facet, std::string("durability × users"));
    QCOMPARE(editor.plan().published[0].relativeTo, std::string("unsafe"));
    QVERIFY(checkOf(editor.plan()).faults.empty());
}

void TstCaseLabels::skipsFollowNames()
{
    PlanEditor editor;
    Plan plan = samplePlan();
    plan.skips.push_back({{{"sync", "OFF"}, {"users", "4"}}, 0});
    editor.setPlan(plan);
    AxisModel model(editor, 0);
    QVERIFY(model.setData(model.index(1, 0), u"unsafe"_s));
    model.rename(u"durability"_s);
    QCOMPARE(editor.plan().skips.size(), std::size_t(1));
    QCOMPARE(editor.plan().skips[0].cases[0], (CaseRef{"durability", "unsafe"}));
    model.moveCase(0, 1); // labels change places, cases do not change names
    QCOMPARE(editor.plan().skips[0].cases[0], (CaseRef{"durability", "unsafe"}));
    model.removeCases({0});
    QVERIFY(editor.plan().skips.empty());
    QVERIFY(checkOf(editor.plan()).faults.empty());
}

void TstCaseLabels::pointsOfSkippedCombinations()
{
    Plan plan = samplePlan();
    plan.skips.push_back({{{"sync", "OFF"}, {"users", "4"}}, 0});
    PointsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setCheck(checkOf(plan));
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.skipped(), 1);
    const QModelIndex last = model.index(3, 0);
    QCOMPARE(last.data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
    QSignalSpy asked(&model, &PointsModel::skipRequested);
    QVERIFY(model.setData(last, Qt::Checked, Qt::CheckStateRole));
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].toInt(), 3);
    QCOMPARE(asked[0][1].toBool(), false);
    QVERIFY(!model.setData(model.index(0, 0), Qt::Checked, Qt::CheckStateRole)); // has its tick
}

} // namespace dyno::tst_case_labels

DYNO_WIDGET_SUITE(tst_case_labels, dyno::tst_case_labels::TstCaseLabels)
#include "tst_case_labels.moc"
