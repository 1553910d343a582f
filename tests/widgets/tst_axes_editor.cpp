// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/field.h"
#include "parts/plan_text.h"
#include "plan/axes_editor.h"
#include "plan/axes_model.h"
#include "plan/knob_picker.h"
#include "plan/plan_editor.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QApplication>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QTest>

namespace dyno::tst_axes_editor {
using namespace Qt::StringLiterals;

namespace {

Plan samplePlan()
{
    Plan plan;
    plan.title = "sample";
    plan.target.uri = "sqlite:";
    plan.workload.name = "oltp_read_write";
    plan.axes.push_back({"sync",
                         {{"FULL", {{"connection.synchronous", std::string("FULL")}}, 0},
                          {"OFF", {{"connection.synchronous", std::string("OFF")}}, 0}},
                         0});
    return plan;
}

class Fixture : public QWidget
{
public:
    Fixture()
    {
        editor.setPlan(samplePlan());
        axes = new AxesEditor(editor, this);
        axes->resize(800, 500);
        resize(800, 500);
        show();
    }
    QPushButton* button(const QString& name) const { return findChild<QPushButton*>(name); }
    FitTable* table() const { return findChild<FitTable*>(u"axis0.table"_s); }
    void clickCell(int row, int column, bool twice = false) const
    {
        const QPoint at = table()->visualRect(table()->model()->index(row, column)).center();
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, at);
        if (twice)
            QTest::mouseDClick(table()->viewport(), Qt::LeftButton, {}, at);
    }
    int knobs() const { return int(qobject_cast<AxisModel*>(table()->model())->knobPaths().size()); }
    QWidget* cellEditor() const { return table()->findChild<QWidget*>(u"cellEditor"_s); }
    KnobPicker* picker() const { return findChild<KnobPicker*>(); }
    const Axis& axis(int index = 0) const { return editor.plan().axes.at(std::size_t(index)); }

    PlanEditor editor;
    AxesEditor* axes;
};

std::string textOf(const Case& one, const char* path)
{
    const auto found = one.set.find(path);
    return found == one.set.end() ? std::string() : toText(found->second);
}

} // namespace

class TstAxesEditor : public QObject
{
    Q_OBJECT
private slots:
    void controlsAreNamed();
    void addCaseAndNameIt();
    void editAChoiceInPlace();
    void plainNamesAndMeanings();
    void typeAValue();
    void addKnobFromThePicker();
    void pickerTakesAnyNameForMySql();
    void addAxis();
    void deleteClearsACell();
    void deleteRemovesACase();
    void moveByKeyboard();
    void menuRemovesTheAxis();
    void settings();
    void renameAxis();
    void focusByPath();
    void dropAKnobOnATable();
    void dropAKnobBesideForAnAxis();
    void recommendedValues();
};

void TstAxesEditor::controlsAreNamed()
{
    Fixture fixture;
    for (const char* name :
         {"axis0.name", "axis0.table", "axis0.addCase", "axis0.addKnob", "axis0.menu", "addSetting"}) {
        auto* widget = fixture.findChild<QWidget*>(QLatin1String(name));
        QVERIFY2(widget, name);
        QVERIFY2(!widget->accessibleName().isEmpty(), name);
    }
}

void TstAxesEditor::addCaseAndNameIt()
{
    Fixture fixture;
    QTest::mouseClick(fixture.button(u"axis0.addCase"_s), Qt::LeftButton);
    QCOMPARE(fixture.axis().cases.size(), std::size_t(3));
    // The new case's name is being edited at once.
    auto* line = qobject_cast<QLineEdit*>(fixture.cellEditor());
    QVERIFY(line);
    line->selectAll();
    QTest::keyClicks(line, u"middle"_s);
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_COMPARE(fixture.axis().cases[2].label, std::string("middle")); // delegates commit Enter by a queued call
}

void TstAxesEditor::editAChoiceInPlace()
{
    Fixture fixture;
    fixture.clickCell(1, 1, true);
    auto* combo = qobject_cast<QComboBox*>(fixture.cellEditor());
    QVERIFY(combo);
    const int normal = combo->findText(u"NORMAL"_s);
    QVERIFY(normal >= 0); // SQLite's own list
    combo->setCurrentIndex(normal);
    emit combo->activated(normal); // what a click into the list does
    QCOMPARE(textOf(fixture.axis().cases[1], "connection.synchronous"), std::string("NORMAL"));
    QCOMPARE(fixture.axis().cases[1].label, std::string("NORMAL")); // it only repeated the value
    fixture.editor.undoStack().undo();
    QCOMPARE(textOf(fixture.axis().cases[1], "connection.synchronous"), std::string("OFF"));
}

//! A column says the plain name over the variable's; the last one says what a commit means, and follows the cells.
void TstAxesEditor::plainNamesAndMeanings()
{
    Fixture fixture;
    auto& model = *qobject_cast<AxisModel*>(fixture.table()->model());
    const auto header = [&model](int column, int role) {
        return model.headerData(column, Qt::Horizontal, role).toString();
    };
    const auto meaning = [&model](int row) { return model.index(row, model.meaningColumn()).data().toString(); };
    const std::vector<KnobChoice> choices = knobChoices(u"sqlite"_s, u"oltp_read_write"_s);
    const QString label = qtText(knobChoice(choices, u"connection.synchronous"_s).option.label);
    QVERIFY(!label.isEmpty());
    QCOMPARE(header(1, PlanTitleRole), label);
    QCOMPARE(header(1, Qt::DisplayRole), u"synchronous"_s);
    QCOMPARE(model.meaningColumn(), 2);
    QCOMPARE(model.columnCount(), 3);
    QCOMPARE(header(2, PlanTitleRole), u"At a commit"_s);
    QCOMPARE(meaning(0), u"every commit is on disk"_s);
    QCOMPARE(meaning(1), u"nothing waits for the disk"_s);
    const Axis before = fixture.axis();
    fixture.clickCell(1, 2, true); // nobody edits it
    QVERIFY(!fixture.cellEditor());
    QTest::keyClick(fixture.table(), Qt::Key_Delete);
    QVERIFY(!model.setData(model.index(1, 2), u"everything"_s));
    QCOMPARE(fixture.axis().cases[1].set, before.cases[1].set);
    // A further knob stands before it.
    model.addKnob(knobChoice(choices, u"workload.tables"_s));
    QCOMPARE(model.meaningColumn(), 3);
    QCOMPARE(header(2, Qt::DisplayRole), u"tables"_s);
    fixture.editor.undoStack().undo();
    fixture.editor.edit(u"one less"_s, [](Plan& plan) { plan.axes[0].cases[1].set.clear(); });
    QCOMPARE(meaning(0), u"every commit is on disk"_s);
    QVERIFY(meaning(1).isEmpty());
    fixture.clickCell(0, 1);
    QTest::keyClick(fixture.table(), Qt::Key_Delete);
    QCOMPARE(model.meaningColumn(), -1); // the column goes
    QCOMPARE(model.columnCount(), 1 + fixture.knobs());
    QCOMPARE(header(0, PlanTitleRole), u"Case"_s);
}

void TstAxesEditor::typeAValue()
{
    Fixture fixture;
    KnobChoice tables;
    tables.path = u"workload.tables"_s;
    tables.option.type = OptionType::Integer;
    tables.option.defaultValue = std::int64_t(1);
    fixture.findChild<AxisModel*>()->addKnob(tables);
    fixture.clickCell(0, 2, true);
    auto* line = qobject_cast<QLineEdit*>(fixture.cellEditor());
    QVERIFY(line);
    line->selectAll();
    QTest::keyClicks(line, u"12"_s);
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_COMPARE(textOf(fixture.axis().cases[0], "workload.tables"), std::string("12"));
    QCOMPARE(textOf(fixture.axis().cases[1], "workload.tables"), std::string("1"));
}

void TstAxesEditor::addKnobFromThePicker()
{
    Fixture fixture;
    QTest::mouseClick(fixture.button(u"axis0.addKnob"_s), Qt::LeftButton);
    KnobPicker* picker = fixture.picker();
    QVERIFY(picker);
    auto* search = picker->findChild<QLineEdit*>(u"knobSearch"_s);
    auto* list = picker->findChild<QListView*>(u"knobList"_s);
    const int all = list->model()->rowCount();
    QTest::keyClicks(search, u"table_size"_s);
    QVERIFY(list->model()->rowCount() < all);
    QVERIFY(!picker->findChild<QPushButton*>(u"knobFree"_s)->isVisible()); // SQLite has no free names
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY(fixture.axis().cases[0].set.contains("workload.table_size"));
    QCOMPARE(fixture.knobs(), 2);
    QCOMPARE(fixture.table()->currentIndex().column(), 2);
}

void TstAxesEditor::pickerTakesAnyNameForMySql()
{
    KnobPicker picker(u"title"_s, {}, freeScopes(u"mysql"_s));
    picker.setAttribute(Qt::WA_DeleteOnClose, false);
    picker.show();
    QString path;
    connect(&picker, &KnobPicker::picked, this, [&path](const KnobChoice& choice) { path = choice.path; });
    QTest::keyClicks(picker.findChild<QLineEdit*>(u"knobSearch"_s), u"my_new_variable"_s);
    auto* free = picker.findChild<QPushButton*>(u"knobFree"_s);
    QVERIFY(free->isVisible());
    QTest::mouseClick(free, Qt::LeftButton);
    QCOMPARE(path, u"server.my_new_variable"_s);
}

void TstAxesEditor::addAxis()
{
    Fixture fixture;
    fixture.axes->addAxis();
    KnobPicker* picker = fixture.picker();
    QVERIFY(picker);
    QTest::keyClicks(picker->findChild<QLineEdit*>(u"knobSearch"_s), u"journal_mode"_s);
    QTest::mouseClick(picker->findChild<QPushButton*>(u"knobAdd"_s), Qt::LeftButton);
    QCOMPARE(fixture.editor.plan().axes.size(), std::size_t(2));
    QCOMPARE(fixture.axis(1).name, std::string("journal_mode"));
    QVERIFY(fixture.axis(1).cases.size() >= 2); // one for each choice
    QTRY_VERIFY(fixture.findChild<FitTable*>(u"axis1.table"_s)->isVisible());
    fixture.editor.undoStack().undo();
    QCOMPARE(fixture.editor.plan().axes.size(), std::size_t(1));
}

void TstAxesEditor::deleteClearsACell()
{
    Fixture fixture;
    fixture.clickCell(0, 1);
    QTest::keyClick(fixture.table(), Qt::Key_Delete);
    QVERIFY(fixture.axis().cases[0].set.empty());
    QCOMPARE(fixture.axis().cases.size(), std::size_t(2));
    QCOMPARE(fixture.table()->model()->index(0, 1).data().toString(), u"–"_s);
}

void TstAxesEditor::deleteRemovesACase()
{
    Fixture fixture;
    fixture.clickCell(0, 0);
    QTest::keyClick(fixture.table(), Qt::Key_Delete);
    QCOMPARE(fixture.axis().cases.size(), std::size_t(1));
    QCOMPARE(fixture.axis().cases[0].label, std::string("OFF"));
}

void TstAxesEditor::moveByKeyboard()
{
    Fixture fixture;
    fixture.clickCell(0, 0);
    QTest::keyClick(fixture.table(), Qt::Key_Down, Qt::AltModifier);
    QCOMPARE(fixture.axis().cases[1].label, std::string("FULL"));
    QCOMPARE(fixture.table()->currentIndex().row(), 1); // the cursor goes with it
    QTest::keyClick(fixture.table(), Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(fixture.axis().cases[0].label, std::string("FULL"));
}

void TstAxesEditor::menuRemovesTheAxis()
{
    Fixture fixture;
    QTest::mouseClick(fixture.button(u"axis0.menu"_s), Qt::LeftButton);
    auto* menu = fixture.findChild<QMenu*>();
    QVERIFY(menu && menu->isVisible());
    QAction* remove = nullptr;
    for (QAction* action : menu->actions()) {
        if (action->objectName() == u"removeAxis")
            remove = action;
    }
    QVERIFY(remove);
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(remove).center());
    QVERIFY(fixture.editor.plan().axes.empty());
    QVERIFY(fixture.findChild<QWidget*>(u"axesEmpty"_s)->isVisible());
    fixture.editor.undoStack().undo();
    QTRY_VERIFY(fixture.table());
    QCOMPARE(fixture.axis().cases.size(), std::size_t(2));
}

void TstAxesEditor::settings()
{
    Fixture fixture;
    QTest::mouseClick(fixture.button(u"addSetting"_s), Qt::LeftButton);
    QVERIFY(fixture.picker());
    QTest::keyClicks(fixture.picker()->findChild<QLineEdit*>(u"knobSearch"_s), u"journal_mode"_s);
    QTest::keyClick(fixture.picker()->findChild<QLineEdit*>(u"knobSearch"_s), Qt::Key_Return);
    QVERIFY(fixture.editor.plan().set.contains("connection.journal_mode"));
    auto* table = fixture.findChild<FitTable*>(u"settingsTable"_s);
    QVERIFY(table->isVisible());
    QCOMPARE(table->currentIndex().column(), int(SettingsModel::ValueColumn));
    QTest::mouseClick(fixture.button(u"removeSetting"_s), Qt::LeftButton);
    QVERIFY(fixture.editor.plan().set.empty());
    QVERIFY(!table->isVisible());
}

void TstAxesEditor::renameAxis()
{
    Fixture fixture;
    auto* name = fixture.findChild<QLineEdit*>(u"axis0.name"_s);
    QCOMPARE(name->text(), u"sync"_s);
    name->selectAll();
    QTest::keyClicks(name, u"durability"_s);
    QTest::keyClick(name, Qt::Key_Return);
    QCOMPARE(fixture.axis().name, std::string("durability"));
}

void TstAxesEditor::focusByPath()
{
    Fixture fixture;
    fixture.axes->focusPath(u"axis[0].cases[1].set.connection.synchronous"_s);
    QCOMPARE(fixture.table()->currentIndex().row(), 1);
    QCOMPARE(fixture.table()->currentIndex().column(), 1);
    fixture.axes->focusPath(u"axis[0].cases[0].label"_s);
    QCOMPARE(fixture.table()->currentIndex().column(), 0);
    fixture.axes->focusPath(u"axis[7]"_s); // not there: nothing happens
}

namespace {

//! What the picker's list sends while a knob is dragged.
void drop(QWidget* onto, const QString& path)
{
    QMimeData data;
    data.setData(QLatin1String(kKnobMimeType), path.toUtf8());
    const QPoint at = onto->rect().center();
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(onto, &enter);
    if (!enter.isAccepted())
        return;
    QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(onto, &event);
}

} // namespace

void TstAxesEditor::dropAKnobOnATable()
{
    Fixture fixture;
    auto* box = fixture.findChild<QWidget*>(u"axis0"_s);
    drop(box, u"workload.tables"_s);
    QCOMPARE(fixture.knobs(), 2);
    QVERIFY(fixture.axis().cases[1].set.contains("workload.tables"));
    QCOMPARE(fixture.axis().cases[1].label, std::string("OFF")); // what all have in common is no part of a label
    drop(box, u"workload.tables"_s);                             // there already
    QCOMPARE(fixture.knobs(), 2);
    QCOMPARE(fixture.editor.plan().axes.size(), std::size_t(1));
    fixture.editor.undoStack().undo();
    QVERIFY(!fixture.axis().cases[1].set.contains("workload.tables"));
}

void TstAxesEditor::dropAKnobBesideForAnAxis()
{
    Fixture fixture;
    drop(fixture.axes, u"connection.journal_mode"_s);
    QCOMPARE(fixture.editor.plan().axes.size(), std::size_t(2));
    QCOMPARE(fixture.axis(1).name, std::string("journal_mode"));
    QVERIFY(!fixture.findChild<QWidget*>(u"axesDropHint"_s)->isVisible());
}

void TstAxesEditor::recommendedValues()
{
    KnobChoice choice;
    choice.path = u"server.innodb_flush_log_at_trx_commit"_s;
    choice.option.type = OptionType::Integer;
    choice.option.defaultValue = std::int64_t(1);
    choice.values = {u"0"_s, u"1"_s, u"2"_s};
    const Axis axis = axisOf(choice, samplePlan());
    QCOMPARE(axis.cases.size(), std::size_t(3));
    QCOMPARE(axis.cases[2].label, std::string("2"));
    QCOMPARE(textOf(axis.cases[2], "server.innodb_flush_log_at_trx_commit"), std::string("2"));
}

} // namespace dyno::tst_axes_editor

DYNO_WIDGET_SUITE(tst_axes_editor, dyno::tst_axes_editor::TstAxesEditor)
#include "tst_axes_editor.moc"
