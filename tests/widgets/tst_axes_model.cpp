// SPDX-License-Identifier: GPL-3.0-or-later
#include "format.h"
#include "parts/plan_text.h"
#include "plan/axes_model.h"
#include "plan/knob_model.h"
#include "plan/plan_editor.h"
#include "plan/points_model.h"
#include "plan/run_order.h"
#include "plan/target_draft.h"
#include "start/recipe_model.h"
#include "support/patience.h"
#include "support/suite.h"
#include "widgets/sample_plan.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

namespace dyno::tst_axes_model {
using dyno::test::samplePlan;
using namespace Qt::StringLiterals;

namespace {

KnobChoice number(const QString& path, qint64 usual)
{
    KnobChoice choice;
    choice.path = path;
    choice.option.name = path.section(u'.', 1).toStdString();
    choice.option.type = OptionType::Integer;
    choice.option.defaultValue = std::int64_t(usual);
    choice.option.minimum = 1;
    return choice;
}

QString text(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

} // namespace

class TstAxesModel : public QObject
{
    Q_OBJECT
private slots:
    void users_data();
    void users();
    void seconds();
    void values();
    void axisShowsCases();
    void axisEdits();
    void axisCases();
    void axisKnobs();
    void axisUndo();
    void axisOfAKnob();
    void freeTextColumnWaitsForAValue();
    void renameTakesViewsAlong();
    void settings();
    void sizesAreReadable();
    void mergedTyping();
    void checkFindsFaultsAndCounts();
    void checkRefusesHugePlans();
    void points();
    void pointsOfFollowers();
    void order();
    void orderTellsRestarts();
    void knobSearch();
    void recipes();
    void targetDrafts_data();
    void targetDrafts();
    void targetOther();
};

void TstAxesModel::users_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("read"); // "" for an error
    QTest::newRow("list") << u"1, 4, 16"_s << u"1, 4, 16"_s;
    QTest::newRow("blanks") << u" 1 4  16 "_s << u"1, 4, 16"_s;
    QTest::newRow("semicolons") << u"1;4;16"_s << u"1, 4, 16"_s;
    QTest::newRow("range") << u"2-5"_s << u"2, 3, 4, 5"_s;
    QTest::newRow("range with a dash and blanks") << u"2 – 4, 8"_s << u"2, 3, 4, 8"_s;
    QTest::newRow("doubling") << u"1-64*2"_s << u"1, 2, 4, 8, 16, 32, 64"_s;
    QTest::newRow("factor with a cross") << u"1-100×10"_s << u"1, 10, 100"_s;
    QTest::newRow("doubles dropped, order kept") << u"4, 1, 4"_s << u"4, 1"_s;
    QTest::newRow("empty") << u""_s << QString();
    QTest::newRow("zero") << u"0"_s << QString();
    QTest::newRow("word") << u"1, many"_s << QString();
    QTest::newRow("negative") << u"-3"_s << QString();
    QTest::newRow("backwards") << u"9-2"_s << QString();
    QTest::newRow("too large") << u"1000001"_s << QString();
    QTest::newRow("beyond int") << u"99999999999"_s << QString();
    QTest::newRow("too many") << u"1-500"_s << QString();
    QTest::newRow("factor of one") << u"1-8*1"_s << QString();
}

void TstAxesModel::users()
{
    QFETCH(QString, typed);
    QFETCH(QString, read);
    QString error;
    const auto result = parseUsers(typed, &error);
    QCOMPARE(result.has_value(), !read.isEmpty());
    QCOMPARE(error.isEmpty(), !read.isEmpty());
    if (result)
        QCOMPARE(usersText(*result), read);
}

void TstAxesModel::seconds()
{
    for (const double value : {0.0, 0.05, 0.5, 1.0, 30.0, 90.0, 120.0, 3600.0})
        QCOMPARE(secondsFromText(secondsText(value)).value_or(-1), value);
    QCOMPARE(secondsFromText(u"2 min"_s).value_or(-1), 120.0);
    QCOMPARE(secondsFromText(u"0,5 s"_s).value_or(-1), 0.5);
    QVERIFY(!secondsFromText(u"soon"_s));
}

void TstAxesModel::values()
{
    OptionSpec rows;
    rows.name = "table_size";
    rows.type = OptionType::Integer;
    rows.minimum = 1;
    rows.maximum = 1e9;
    rows.defaultValue = std::int64_t(10000);
    QCOMPARE(std::get<std::int64_t>(valueFromText(rows, u"1 000 000"_s)), std::int64_t(1000000));
    QCOMPARE(std::get<std::int64_t>(valueFromText(rows, QString(u"1"_s + QChar(0x202f) + u"000"_s))),
             std::int64_t(1000));
    QVERIFY(valueProblem(rows, u"5"_s).isEmpty());
    QVERIFY(!valueProblem(rows, u"0"_s).isEmpty());
    QVERIFY(!valueProblem(rows, u"many"_s).isEmpty());

    OptionSpec mode;
    mode.name = "synchronous";
    mode.type = OptionType::Choice;
    mode.choices = {"OFF", "FULL"};
    mode.defaultValue = std::string("FULL");
    // OFF is a word here, not a boolean.
    QCOMPARE(std::get<std::string>(valueFromText(mode, u"OFF"_s)), std::string("OFF"));
    QVERIFY(valueProblem(mode, u"OFF"_s).isEmpty());

    OptionSpec size;
    size.name = "cache";
    size.type = OptionType::Bytes;
    size.defaultValue = std::int64_t(4096);
    QCOMPARE(valueText(valueFromText(size, u"64M"_s)), u"64M"_s); // stays readable in the file
    QVERIFY(valueProblem(size, u"64M"_s).isEmpty());
    QVERIFY(!valueProblem(size, u"64 apples"_s).isEmpty());
}

void TstAxesModel::axisShowsCases()
{
    PlanEditor editor;
    editor.setPlan(samplePlan());
    AxisModel model(editor, 0);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.knobPaths().size(), qsizetype(1));
    QCOMPARE(model.name(), u"sync"_s);
    QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), u"synchronous"_s);
    QCOMPARE(text(model, 1, 0), u"OFF"_s);
    QCOMPARE(text(model, 1, 1), u"OFF"_s);
}

void TstAxesModel::axisEdits()
{
    PlanEditor editor;
    editor.setPlan(samplePlan());
    AxisModel model(editor, 0);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    QVERIFY(model.setData(model.index(0, 0), u"safe"_s));
    QCOMPARE(editor.plan().axes[0].cases[0].label, std::string("safe"));
    QVERIFY(model.setData(model.index(0, 0), u"  "_s)); // without one it is named after what it sets
    QCOMPARE(editor.plan().axes[0].cases[0].label, std::string("FULL"));
    QVERIFY(model.setData(model.index(0, 0), u"safe"_s));
    QVERIFY(model.setData(model.index(0, 1), u"NORMAL"_s));
    QCOMPARE(std::get<std::string>(editor.plan().axes[0].cases[0].set.at("connection.synchronous")),
             std::string("NORMAL"));
    QCOMPARE(editor.plan().axes[0].cases[0].label, std::string("safe")); // a name of its own stays
    // A label that only repeats the value follows it.
    QVERIFY(model.setData(model.index(1, 1), u"EXTRA"_s));
    QCOMPARE(editor.plan().axes[0].cases[1].label, std::string("EXTRA"));
    // Clearing takes the knob out of the case; the column stays as long as it can be filled again.
    QVERIFY(model.setData(model.index(0, 1), QString()));
    QVERIFY(model.setData(model.index(1, 1), QString()));
    QVERIFY(editor.plan().axes[0].cases[0].set.empty());
    QCOMPARE(model.knobPaths().size(), qsizetype(1));
    QCOMPARE(text(model, 0, 1), u"–"_s);
    QVERIFY(model.index(0, 1).data(UnsetRole).toBool());
    QCOMPARE(resets.count(), 0); // the view keeps its cursor while cells change
}

void TstAxesModel::axisCases()
{
    PlanEditor editor;
    editor.setPlan(samplePlan());
    AxisModel model(editor, 0);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.addCase();
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(text(model, 2, 0), u"OFF 2"_s); // labels must differ
    QCOMPARE(text(model, 2, 1), u"OFF"_s);
    model.moveCase(2, -1);
    QCOMPARE(text(model, 1, 0), u"OFF 2"_s);
    model.moveCase(0, -1); // cannot
    QCOMPARE(text(model, 0, 0), u"FULL"_s);
    model.removeCases({0, 2});
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(text(model, 0, 0), u"OFF 2"_s);
    model.removeCases({0}); // the last one stays
    QCOMPARE(model.rowCount(), 1);
}

void TstAxesModel::axisKnobs()
{
    PlanEditor editor;
    editor.setPlan(samplePlan());
    AxisModel model(editor, 0);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.addKnob(number(u"workload.tables"_s, 3));
    QCOMPARE(model.knobPaths().size(), qsizetype(2));
    QCOMPARE(model.knobPaths(), (QStringList{u"connection.synchronous"_s, u"workload.tables"_s}));
    QCOMPARE(text(model, 0, 2), u"3"_s);
    model.addKnob(number(u"workload.tables"_s, 3)); // is there already
    QCOMPARE(model.knobPaths().size(), qsizetype(2));
    model.removeKnob(u"connection.synchronous"_s);
    QCOMPARE(model.knobPaths(), QStringList{u"workload.tables"_s});
    QCOMPARE(editor.plan().axes[0].cases[0].set.size(), std::size_t(1));
}

void TstAxesModel::axisUndo()
{
    PlanEditor editor;
    editor.setPlan(samplePlan());
    AxisModel model(editor, 0);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QVERIFY(!editor.modified());
    model.addCase();
    model.setData(model.index(2, 1), u"NORMAL"_s);
    model.addKnob(number(u"workload.tables"_s, 3));
    QVERIFY(editor.modified());
    for (int i = 0; i < 3; ++i)
        editor.undoStack().undo();
    QVERIFY(!editor.modified());
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(writePlan(editor.plan()), writePlan(samplePlan()));
    for (int i = 0; i < 3; ++i)
        editor.undoStack().redo();
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(text(model, 2, 1), u"NORMAL"_s);
    QCOMPARE(text(model, 2, 2), u"3"_s);
    // Nothing to do is no step.
    const int steps = editor.undoStack().count();
    model.setData(model.index(2, 1), u"NORMAL"_s);
    QCOMPARE(editor.undoStack().count(), steps);
}

void TstAxesModel::axisOfAKnob()
{
    KnobChoice mode;
    mode.path = u"connection.journal_mode"_s;
    mode.option.type = OptionType::Choice;
    mode.option.choices = {"DELETE", "WAL"};
    const Axis choices = axisOf(mode, samplePlan());
    QCOMPARE(choices.name, std::string("journal_mode"));
    QCOMPARE(choices.cases.size(), std::size_t(2));
    QCOMPARE(choices.cases[1].label, std::string("WAL"));

    KnobChoice flag;
    flag.path = u"server.log_bin"_s;
    flag.option.type = OptionType::Bool;
    const Axis flags = axisOf(flag, samplePlan());
    QCOMPARE(flags.cases[0].label, std::string("OFF"));
    QCOMPARE(std::get<bool>(flags.cases[1].set.at("server.log_bin")), true);

    KnobChoice taken = mode;
    taken.path = u"connection.sync"_s;
    QCOMPARE(axisOf(taken, samplePlan()).name, std::string("sync_2")); // "sync" is an axis already
}

void TstAxesModel::freeTextColumnWaitsForAValue()
{
    PlanEditor editor;
    editor.setPlan(samplePlan());
    AxisModel model(editor, 0);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.addKnob(knobChoice({}, u"server.my_variable"_s));
    QCOMPARE(model.knobPaths().size(), qsizetype(2));
    QVERIFY(!editor.modified()); // nothing was said yet
    QVERIFY(model.setData(model.index(0, 2), u"12"_s));
    QCOMPARE(std::get<std::int64_t>(editor.plan().axes[0].cases[0].set.at("server.my_variable")), std::int64_t(12));
    QCOMPARE(text(model, 1, 2), u"–"_s);
}

void TstAxesModel::renameTakesViewsAlong()
{
    PlanEditor editor;
    editor.setPlan(samplePlan());
    AxisModel model(editor, 0);
    model.rename(u"durability"_s);
    QCOMPARE(editor.plan().axes[0].name, std::string("durability"));
    QCOMPARE(editor.plan().views[0].series, std::string("durability"));
    model.rename(u"  "_s);
    QCOMPARE(model.name(), u"durability"_s);
}

void TstAxesModel::settings()
{
    PlanEditor editor;
    editor.setPlan(samplePlan());
    SettingsModel model(editor);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.add(number(u"workload.tables"_s, 3));
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(text(model, 0, SettingsModel::NameColumn), u"tables"_s);
    model.setChoices({number(u"workload.tables"_s, 3)});
    QVERIFY(model.setData(model.index(0, SettingsModel::ValueColumn), u"8"_s));
    QCOMPARE(std::get<std::int64_t>(editor.plan().set.at("workload.tables")), std::int64_t(8));
    QVERIFY(!(model.flags(model.index(0, SettingsModel::NameColumn)) & Qt::ItemIsEditable));
    model.add(knobChoice({}, u"server.other"_s));
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(editor.plan().set.size(), std::size_t(1)); // waits for a value
    model.remove({0, 1});
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(editor.plan().set.empty());
    editor.undoStack().undo();
    QCOMPARE(model.rowCount(), 1);
}

void TstAxesModel::sizesAreReadable()
{
    PlanEditor editor;
    Plan plan = samplePlan();
    plan.set["server.pool"] = std::int64_t(512) << 20;
    plan.set["server.odd"] = std::int64_t(1000);
    editor.setPlan(plan);
    SettingsModel model(editor);
    KnobChoice pool;
    pool.path = u"server.pool"_s;
    pool.option.type = OptionType::Bytes;
    KnobChoice odd = pool;
    odd.path = u"server.odd"_s;
    model.setChoices({pool, odd});
    QCOMPARE(text(model, 0, SettingsModel::ValueColumn), u"1000"_s); // nothing is rounded
    QCOMPARE(text(model, 1, SettingsModel::ValueColumn), u"512 MiB"_s);
    // What the editor holds is the value itself.
    QCOMPARE(model.index(1, SettingsModel::ValueColumn).data(Qt::EditRole).toString(), u"536870912"_s);
}

void TstAxesModel::mergedTyping()
{
    PlanEditor editor;
    editor.setPlan(samplePlan());
    for (const char* title : {"W", "Wh", "Why"})
        editor.edit(
            u"title"_s, [title](Plan& plan) { plan.title = title; }, u"title"_s);
    QCOMPARE(editor.undoStack().count(), 1);
    editor.undoStack().undo();
    QCOMPARE(editor.plan().title, std::string("sample"));
}

void TstAxesModel::checkFindsFaultsAndCounts()
{
    PlanEditor editor;
    QSignalSpy checked(&editor, &PlanEditor::checked);
    editor.setPlan(samplePlan());
    QVERIFY(editor.checking());
    QVERIFY(!editor.startable());
    QVERIFY(checked.wait(test::kPatienceMs));
    QVERIFY2(editor.check().faults.empty(),
             editor.check().faults.empty() ? "" : editor.check().faults.front().what.c_str());
    QCOMPARE(editor.check().points, qint64(4));
    QCOMPARE(editor.check().runs, qint64(4));
    QVERIFY(editor.check().seconds >= 8);
    QVERIFY(editor.startable());

    editor.edit({}, [](Plan& plan) { plan.workload.name = "no_such_workload"; });
    editor.edit({}, [](Plan& plan) { plan.axes[0].cases.clear(); });
    QVERIFY(checked.wait(test::kPatienceMs));
    QCOMPARE(checked.count(), 2); // two edits in a row, one check
    QVERIFY(editor.check().faults.size() >= 2);
    QVERIFY(!editor.startable());
}

void TstAxesModel::checkRefusesHugePlans()
{
    Plan plan = samplePlan();
    plan.load.repeats = 1000;
    plan.load.users.clear();
    for (int i = 1; i <= 100; ++i)
        plan.load.users.push_back(i);
    const PlanCheck check = checkOf(plan); // 2 × 100 × 1000: not expanded
    QVERIFY(!check.faults.empty());
    QVERIFY(check.firstPoints.empty());
}

void TstAxesModel::points()
{
    Plan plan = samplePlan();
    PointsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setCheck(checkOf(plan));
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.columnCount(), 4); // tick, sync, users, marks
    QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), u"sync"_s);
    QCOMPARE(text(model, 0, 1), u"FULL"_s);
    QCOMPARE(text(model, 0, 2), u"1"_s);
    QCOMPARE(text(model, 3, 1), u"OFF"_s);
    QCOMPARE(text(model, 3, 2), u"4"_s);
    plan.load.users.clear();
    for (int i = 1; i <= 150; ++i)
        plan.load.users.push_back(i);
    model.setCheck(checkOf(plan));
    QCOMPARE(model.rowCount(), 300);
    QCOMPARE(model.hiddenPoints(), qint64(0));
}

//! What is written as "same as …" is a column with its value at each point.
void TstAxesModel::pointsOfFollowers()
{
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    Plan plan = samplePlan();
    plan.target.uri = "managed:mariadb";
    plan.load.users = {1};
    plan.set = {{"server.key_buffer_size", std::string("same as server.innodb_buffer_pool_size")}};
    plan.views.clear();
    plan.skips.clear();
    plan.axes = {{"pool",
                  {{"small", {{"server.innodb_buffer_pool_size", std::string("16M")}}},
                   {"large", {{"server.innodb_buffer_pool_size", std::int64_t(64) << 20}}}}}};
    const PlanCheck check = checkOf(plan);
    QVERIFY2(check.faults.empty(), check.faults.empty() ? "" : check.faults.front().what.c_str());
    PointsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setCheck(check);
    QCOMPARE(model.columnCount(), 5);
    QCOMPARE(model.headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(), u"server.key_buffer_size"_s);
    QCOMPARE(model.headerData(3, Qt::Horizontal, Qt::DisplayRole).toString(), u"users"_s);
    QCOMPARE(text(model, 0, 2), format::count(16 << 20));
    QCOMPARE(text(model, 1, 2), format::count(64 << 20));
    QCOMPARE(text(model, 1, 3), u"1"_s);
    // Typed into a form it is a value like another.
    const std::vector<KnobInfo> all = knobs("mysql");
    const auto knob =
        std::ranges::find_if(all, [](const KnobInfo& one) { return one.option.name == "key_buffer_size"; });
    QVERIFY(knob != all.end());
    QVERIFY(valueProblem(knob->option, u"same as server.innodb_buffer_pool_size"_s).isEmpty());
    QVERIFY(!valueProblem(knob->option, u"as server.innodb_buffer_pool_size"_s).isEmpty());
}

void TstAxesModel::order()
{
    Plan plan = samplePlan();
    plan.load.repeats = 2;
    plan.load.order = RunOrder::Interleaved;
    const auto textsOf = [](const std::vector<OrderLine>& lines) {
        QStringList texts;
        for (const OrderLine& line : lines) {
            if (line.kind == OrderLine::Kind::Runs || line.kind == OrderLine::Kind::Rest)
                texts << line.text;
        }
        return texts;
    };
    const PlanCheck check = checkOf(plan);
    const std::vector<OrderLine> all = orderLines(check, 8);
    const QStringList lines = textsOf(all);
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines[0], u"FULL · 1, 4 users"_s);
    QCOMPARE(lines[1], u"OFF · 1, 4 users"_s);
    QVERIFY(lines[2].endsWith(u"repeat 2"_s));
    QVERIFY(std::ranges::is_sorted(all, {}, &OrderLine::begins));
    QCOMPARE(all.front().begins, 0.0);
    QVERIFY(all.back().begins > 0 && all.back().begins < check.seconds);
    plan.load.order = RunOrder::AsListed;
    const QStringList listed = textsOf(orderLines(checkOf(plan), 8));
    QCOMPARE(listed, (QStringList{u"FULL · 1, 4 users · 2 times each"_s, u"OFF · 1, 4 users · 2 times each"_s}));
    plan.load.order = RunOrder::Interleaved;
    const QStringList cut = textsOf(orderLines(checkOf(plan), 1));
    QCOMPARE(cut.size(), 2);
    QVERIFY(cut[1].contains(u"8"_s)); // says how many there are
}

//! Where a server of ours is started again, the line says so, and the clock and the parts of the time count it.
void TstAxesModel::orderTellsRestarts()
{
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    Plan plan = samplePlan();
    plan.target.uri = "managed:mariadb";
    plan.set.clear();
    plan.views.clear();
    plan.skips.clear();
    plan.axes = {{"binlog", {{"without", {{"server.log_bin", false}}}, {"with", {{"server.log_bin", true}}}}}};
    plan.load.users = {1};
    plan.load.repeats = 1;
    plan.load.warmupSeconds = 5;
    plan.load.timeSeconds = 20;
    const PlanCheck check = checkOf(plan);
    QVERIFY2(check.faults.empty(), check.faults.empty() ? "" : check.faults.front().what.c_str());
    QVERIFY(std::abs(check.spent.total() - check.seconds) < 1e-6);
    QCOMPARE(check.spent.warmup, 10.0);
    QCOMPARE(check.spent.measure, 40.0);
    QVERIFY(check.spent.restart > 0);
    const std::vector<OrderLine> lines = orderLines(check, 8);
    const auto again = std::ranges::find(lines, QStringLiteral("restart the server"), &OrderLine::text);
    QVERIFY(again != lines.end());
    QVERIFY(again->kind == OrderLine::Kind::Restart);
    QVERIFY(again->begins > 25 && again->begins < 40);
    QVERIFY(!again->amount.isEmpty());
    QVERIFY(lines.back().begins > again->begins);
    QCOMPARE(lines.back().text, u"with · 1 user"_s);
}

void TstAxesModel::knobSearch()
{
    KnobModel model;
    KnobFilter filter;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setChoices(knobChoices(u"sqlite"_s, u"oltp_read_write"_s));
    filter.setSourceModel(&model);
    QVERIFY(filter.rowCount() > 10);
    filter.setSearch(u"synchronous"_s);
    QVERIFY(filter.rowCount() >= 1);
    QCOMPARE(filter.index(0, 0).data(KnobModel::PathRole).toString(), u"connection.synchronous"_s);
    filter.setSearch(u"parameter table_size"_s); // all words, in any order
    QVERIFY(filter.rowCount() >= 1);
    filter.setSearch(u"no such knob"_s);
    QCOMPARE(filter.rowCount(), 0);
    // The picker says beforehand what will ask.
    const auto tip = [&model](const QString& path) { return knobToolTip(knobChoice(model.choices(), path)); };
    QVERIFY(!tip(u"connection.synchronous"_s).contains(u"Asks first:"_s));
    const QString options = tip(u"workload.create_table_options"_s);
    QVERIFY2(options.contains(u"Asks first:"_s), qPrintable(options));
}

void TstAxesModel::recipes()
{
    RecipeModel model;
    RecipeFilter filter;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRecipes(loadRecipes({}));
    filter.setSourceModel(&model);
    const Recipe* first = model.find(u"durability-sqlite"_s);
    QVERIFY(first);
    QVERIFY2(first->problem.isEmpty(), qPrintable(first->problem)); // needs nothing
    QCOMPARE(first->example.series.size(), std::size_t(3));
    QCOMPARE(first->example.xs.size(), qsizetype(2));
    filter.setSubject(u"durability"_s);
    QVERIFY(filter.rowCount() >= 1);
    QVERIFY(filter.rowCount() < model.rowCount());
    filter.setSubject(u"no such tag"_s);
    QCOMPARE(filter.rowCount(), 0);
}

void TstAxesModel::targetDrafts_data()
{
    QTest::addColumn<QString>("uri");
    QTest::addColumn<int>("kind");
    using Kind = TargetDraft::Kind;
    QTest::newRow("private") << u"sqlite:"_s << int(Kind::PrivateFile);
    QTest::newRow("file") << u"sqlite:/tmp/a.db"_s << int(Kind::File);
    if (findDriver("rocksdb"))
        QTest::newRow("folder of another engine") << u"rocksdb:/tmp/a"_s << int(Kind::Other);
    QTest::newRow("managed") << u"managed:mariadb"_s << int(Kind::Managed);
    QTest::newRow("managed with a folder") << u"managed:mariadb?basedir=/opt/mariadb"_s << int(Kind::Managed);
    QTest::newRow("host") << u"mysql://root@db1:3307/sbtest"_s << int(Kind::Remote);
    QTest::newRow("socket") << u"mysql://root@localhost/sbtest?socket=/run/s.sock&tls=off"_s << int(Kind::Remote);
}

void TstAxesModel::targetDrafts()
{
    QFETCH(QString, uri);
    QFETCH(int, kind);
    const TargetDraft draft = TargetDraft::fromUri(uri);
    QCOMPARE(int(draft.kind), kind);
    QCOMPARE(draft.uri(), uri);
}

void TstAxesModel::targetOther()
{
    // What the fields cannot say is kept as it is.
    for (const QString& uri :
         {u"null:?service_us=50"_s, u"mysql://db1/x?compression=on"_s, u"what is this"_s, QString()}) {
        const TargetDraft draft = TargetDraft::fromUri(uri);
        QCOMPARE(draft.kind, TargetDraft::Kind::Other);
        QCOMPARE(draft.uri(), uri);
    }
}

} // namespace dyno::tst_axes_model

DYNO_WIDGET_SUITE(tst_axes_model, dyno::tst_axes_model::TstAxesModel)
#include "tst_axes_model.moc"
