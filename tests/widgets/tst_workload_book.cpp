// SPDX-License-Identifier: GPL-3.0-or-later
// Workloads of one's own on the Plan page: a script is saved as one, chosen for another plan, deleted and put back.
#include "bridge/library_undo.h"
#include "bridge/workload_book.h"
#include "plan/save_workload_dialog.h"
#include "plan_page_fixture.h"
#include "support/suite.h"

#include <dyno/own_workloads.h>
#include <dyno/scripts.h>

#include <QFile>
#include <QMenu>

#include <algorithm>

namespace dyno::tst_workload_book {
using namespace dyno::test;
using namespace Qt::StringLiterals;

namespace {

constexpr const char* kOrders =
    "-- Orders of a shop\n\\set id random(1, 3)\nSELECT price FROM products WHERE id = :id;\n";

Plan scriptPlan(const char* text)
{
    Plan plan = quickPlan();
    plan.title = "Shop";
    plan.target.uri = "sqlite:shop.db";
    plan.workload.name = kScriptWorkload;
    plan.workload.params = {{"schema", std::string("none")}, {kScriptsParam, std::string(text)}};
    return plan;
}

QModelIndex rowOf(PlanPageFixture& fixture, const QString& own)
{
    const QAbstractItemModel* model = fixture.find<QListView>("workloadList")->model();
    for (int row = 0; row < model->rowCount(); ++row) {
        const QModelIndex index = model->index(row, 0);
        if (index.data(WorkloadList::OwnRole).toString() == own)
            return index;
    }
    return {};
}

//! The one that is open; one that was closed goes a moment later.
SaveWorkloadDialog* openDialog(PlanPageFixture& fixture)
{
    for (auto* dialog : fixture.page.findChildren<SaveWorkloadDialog*>()) {
        if (dialog->isVisible())
            return dialog;
    }
    return nullptr;
}

void click(PlanPageFixture& fixture, const QModelIndex& index)
{
    auto* list = fixture.show<QListView>("workloadList");
    list->scrollTo(index);
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(index).center());
}

} // namespace

class TestWorkloadBook : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        QSettings().clear();
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = workloadsFolder(std::filesystem::path(m_dir->path().toStdString()) / "library.dynolib");
    }
    void savesAScript();
    void replacesAfterSaying();
    void undoesAReplacement();
    void refusesTheNameOfABuiltInOne();
    void savesNoMistakes();
    void choosesOneForAnotherPlan();
    void ownScriptsAreNotAskedAbout();
    void deletesAndPutsBack();
    void showsWhatCannotRun();
    void noticesFilesThatHaveChanged();

private:
    //! The dialog, opened as a person does it.
    SaveWorkloadDialog* dialogOf(PlanPageFixture& fixture, const char* text)
    {
        fixture.page.editor().setPlan(scriptPlan(text));
        if (!fixture.settle())
            return nullptr;
        QTest::mouseClick(fixture.show<QPushButton>("workloadScript"), Qt::LeftButton);
        QTest::mouseClick(fixture.find<QPushButton>("scriptSaveOwn"), Qt::LeftButton);
        return openDialog(fixture);
    }
    bool save(PlanPageFixture& fixture, const char* text, const QString& name)
    {
        SaveWorkloadDialog* dialog = dialogOf(fixture, text);
        if (!dialog)
            return false;
        auto* line = dialog->findChild<QLineEdit*>(u"saveWorkloadName"_s);
        line->selectAll();
        QTest::keyClicks(line, name);
        QSignalSpy changed(&WorkloadBook::of(fixture.context), &WorkloadBook::changed);
        QTest::mouseClick(dialog->findChild<QPushButton*>(u"saveWorkloadSave"_s), Qt::LeftButton);
        return changed.wait(kPatienceMs);
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::filesystem::path m_folder;
};

void TestWorkloadBook::savesAScript()
{
    PlanPageFixture fixture(m_dir->path());
    SaveWorkloadDialog* dialog = dialogOf(fixture, kOrders);
    QVERIFY(dialog);
    auto* line = dialog->findChild<QLineEdit*>(u"saveWorkloadName"_s);
    QCOMPARE(line->text(), u"Shop"_s); // the plan's title
    line->clear();
    QVERIFY(!dialog->findChild<QPushButton*>(u"saveWorkloadSave"_s)->isEnabled());
    QTest::keyClicks(line, u"Orders of 2026"_s);
    QVERIFY(dialog->findChild<QLabel*>(u"saveWorkloadTold"_s)->text().contains(u"“orders-of-2026”"_s));
    QSignalSpy changed(&WorkloadBook::of(fixture.context), &WorkloadBook::changed);
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(changed.wait(kPatienceMs));
    const auto own = ownWorkload(m_folder, "orders-of-2026");
    QVERIFY(own);
    QCOMPARE(own->text, std::string(kOrders));
    const QModelIndex row = rowOf(fixture, u"orders-of-2026"_s);
    QVERIFY(row.isValid());
    QCOMPARE(row.data(WorkloadList::SummaryRole).toString(), u"Orders of a shop"_s);
    QVERIFY(row.data(WorkloadList::ChosenRole).toBool()); // the plan has its text
}

void TestWorkloadBook::replacesAfterSaying()
{
    PlanPageFixture fixture(m_dir->path());
    QVERIFY(save(fixture, kOrders, u"shop"_s));
    SaveWorkloadDialog* dialog = dialogOf(fixture, "SELECT 2;");
    QVERIFY(dialog);
    auto* button = dialog->findChild<QPushButton*>(u"saveWorkloadSave"_s);
    QCOMPARE(button->text(), u"Replace workload"_s); // the title is its name
    QVERIFY(dialog->findChild<QLabel*>(u"saveWorkloadTold"_s)->text().contains(u"replaces"_s));
    QSignalSpy changed(&WorkloadBook::of(fixture.context), &WorkloadBook::changed);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(changed.wait(kPatienceMs));
    QCOMPARE(ownWorkload(m_folder, "shop")->text, std::string("SELECT 2;\n"));
    LibraryUndo::of(fixture.context).stack().undo();
    QVERIFY(changed.wait(kPatienceMs));
    QCOMPARE(ownWorkload(m_folder, "shop")->text, std::string(kOrders));
}

//! Also of one that could not run.
void TestWorkloadBook::undoesAReplacement()
{
    PlanPageFixture fixture(m_dir->path());
    const char* broken = "\\set x random(1\n";
    QVERIFY(restoreWorkload(m_folder, "shop", broken));
    WorkloadBook::of(fixture.context).read();
    QVERIFY(QTest::qWaitFor([&] { return rowOf(fixture, u"shop"_s).isValid(); }, kPatienceMs));
    QVERIFY(save(fixture, kOrders, u"shop"_s));
    QVERIFY(ownWorkload(m_folder, "shop")->fault.empty());
    QSignalSpy changed(&WorkloadBook::of(fixture.context), &WorkloadBook::changed);
    LibraryUndo::of(fixture.context).stack().undo();
    QVERIFY(changed.wait(kPatienceMs));
    QCOMPARE(ownWorkload(m_folder, "shop")->text, std::string(broken));
}

void TestWorkloadBook::refusesTheNameOfABuiltInOne()
{
    PlanPageFixture fixture(m_dir->path());
    SaveWorkloadDialog* dialog = dialogOf(fixture, kOrders);
    QVERIFY(dialog);
    auto* line = dialog->findChild<QLineEdit*>(u"saveWorkloadName"_s);
    line->selectAll();
    QTest::keyClicks(line, u"TPCC"_s);
    QVERIFY(!dialog->findChild<QPushButton*>(u"saveWorkloadSave"_s)->isEnabled());
    QVERIFY(dialog->findChild<QLabel*>(u"saveWorkloadTold"_s)->text().contains(u"built-in"_s));
}

void TestWorkloadBook::savesNoMistakes()
{
    PlanPageFixture fixture(m_dir->path());
    fixture.page.editor().setPlan(scriptPlan("\\set x random(1\n"));
    QVERIFY(fixture.settle());
    QTest::mouseClick(fixture.show<QPushButton>("workloadScript"), Qt::LeftButton);
    auto* button = fixture.find<QPushButton>("scriptSaveOwn");
    QVERIFY(button->isVisible());
    QVERIFY(QTest::qWaitFor([button] { return !button->isEnabled(); }, kPatienceMs));
    QVERIFY(button->toolTip().contains(u"mistakes"_s));
}

void TestWorkloadBook::choosesOneForAnotherPlan()
{
    QVERIFY(saveWorkload(m_folder, "shop", kOrders));
    QVERIFY(saveWorkload(m_folder, "values", "SELECT :a;", "a=1"));
    QVERIFY(saveWorkload(m_folder, "commands", "{\"find\": \"orders\"}\n"));
    PlanPageFixture fixture(m_dir->path());
    Plan plan = quickPlan();
    plan.target.uri = "sqlite:shop.db";
    plan.sizes = {{"quick", {{"workload.table_size", "50"}, {"load.time", "0.2s"}}}};
    fixture.page.editor().setPlan(plan);
    QVERIFY(fixture.settle());
    QVERIFY(QTest::qWaitFor([&] { return rowOf(fixture, u"shop"_s).isValid(); }, kPatienceMs));
    QVERIFY(rowOf(fixture, u"commands"_s).data(WorkloadList::OffRole).toBool());
    click(fixture, rowOf(fixture, u"shop"_s));
    QCOMPARE(fixture.plan().workload.name, std::string(kScriptWorkload));
    QCOMPARE(toText(fixture.plan().workload.params.at(kScriptsParam)), std::string(kOrders));
    QCOMPARE(toText(fixture.plan().workload.params.at("schema")), std::string("none"));
    QVERIFY(!fixture.plan().workload.params.contains("table_size"));      // of the workload before
    QCOMPARE(fixture.plan().sizes.front().fields.size(), std::size_t(1)); // nor in a size
    QVERIFY(rowOf(fixture, u"shop"_s).data(WorkloadList::ChosenRole).toBool());
    QVERIFY(!rowOf(fixture, u"values"_s).data(WorkloadList::ChosenRole).toBool());
    QVERIFY(fixture.settle());
    QVERIFY(fixture.page.editor().check().faults.empty());
    // A click is no word for what stands in a file.
    const auto asked = fixture.context.agreements().unanswered(fixture.plan(), fixture.page.editor().check().risks);
    QVERIFY(std::ranges::any_of(asked, [](const Risk& risk) { return risk.key == "workload.scripts"; }));
    fixture.page.editor().undoStack().undo();
    QCOMPARE(fixture.plan().workload.name, std::string("oltp_point_select"));
    QVERIFY(!rowOf(fixture, u"shop"_s).data(WorkloadList::ChosenRole).toBool());
    click(fixture, rowOf(fixture, u"values"_s));
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.page.editor().check().faults.empty(), "the value of a is in the file");
    // Not for a target without SQL.
    Plan other = quickPlan();
    other.target.uri = "mongodb://localhost/x";
    fixture.page.editor().setPlan(other);
    QVERIFY(rowOf(fixture, u"shop"_s).data(WorkloadList::OffRole).toBool());
    QVERIFY(!rowOf(fixture, u"commands"_s).data(WorkloadList::OffRole).toBool());
    click(fixture, rowOf(fixture, u"shop"_s));
    QCOMPARE(fixture.plan().workload.name, std::string("oltp_point_select"));
}

void TestWorkloadBook::ownScriptsAreNotAskedAbout()
{
    PlanPageFixture fixture(m_dir->path());
    const char* script = "SELECT :a;"; // without a line break, and with a value beside it
    QVERIFY(dialogOf(fixture, script));
    QVERIFY(openDialog(fixture)->close());
    fixture.page.editor().edit(u"define"_s, [](Plan& plan) { plan.workload.params["define"] = std::string("a=1"); });
    QVERIFY(fixture.settle());
    fixture.context.agreements().remember(fixture.plan(), fixture.page.editor().check().risks);
    fixture.page.editor().edit(u"title"_s, [](Plan& plan) { plan.title = "Values"; });
    QVERIFY(fixture.settle());
    QTest::mouseClick(fixture.find<QPushButton>("scriptSaveOwn"), Qt::LeftButton);
    auto* dialog = openDialog(fixture);
    QVERIFY(dialog);
    QSignalSpy changed(&WorkloadBook::of(fixture.context), &WorkloadBook::changed);
    QTest::mouseClick(dialog->findChild<QPushButton*>(u"saveWorkloadSave"_s), Qt::LeftButton);
    QVERIFY(changed.wait(kPatienceMs));
    Plan other = quickPlan();
    other.target.uri = "sqlite:shop.db";
    fixture.page.editor().setPlan(other);
    QVERIFY(fixture.settle());
    click(fixture, rowOf(fixture, u"values"_s));
    QVERIFY(fixture.settle());
    QVERIFY(toText(fixture.plan().workload.params.at(kScriptsParam)).starts_with("+++\ndefine"));
    QCOMPARE(fixture.context.agreements().unanswered(fixture.plan(), fixture.page.editor().check().risks).size(),
             std::size_t(0));
}

void TestWorkloadBook::deletesAndPutsBack()
{
    PlanPageFixture fixture(m_dir->path());
    QVERIFY(save(fixture, kOrders, u"shop"_s));
    QTest::mouseClick(fixture.find("scriptBack"), Qt::LeftButton);
    auto* list = fixture.show<QListView>("workloadList");
    list->setFocus();
    list->setCurrentIndex(rowOf(fixture, u"shop"_s));
    QSignalSpy changed(&WorkloadBook::of(fixture.context), &WorkloadBook::changed);
    QTest::keyClick(list, Qt::Key_Delete);
    QVERIFY(changed.wait(kPatienceMs));
    QVERIFY(!rowOf(fixture, u"shop"_s).isValid());
    QVERIFY(!ownWorkload(m_folder, "shop"));
    LibraryUndo::of(fixture.context).stack().undo();
    QVERIFY(changed.wait(kPatienceMs));
    QVERIFY(rowOf(fixture, u"shop"_s).isValid());
    QCOMPARE(ownWorkload(m_folder, "shop")->text, std::string(kOrders));
}

void TestWorkloadBook::showsWhatCannotRun()
{
    QVERIFY(saveWorkload(m_folder, "shop", kOrders));
    QFile file(QString::fromStdString((m_folder / "broken.workload").string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("\\set x random(1\n");
    file.close();
    PlanPageFixture fixture(m_dir->path());
    QVERIFY(QTest::qWaitFor([&] { return rowOf(fixture, u"broken"_s).isValid(); }, kPatienceMs));
    const QModelIndex row = rowOf(fixture, u"broken"_s);
    QVERIFY(row.data(WorkloadList::OffRole).toBool());
    const std::string before = fixture.plan().workload.name;
    click(fixture, row);
    QCOMPARE(fixture.plan().workload.name, before);
    QVERIFY(row.data(Qt::ToolTipRole).toString().contains(u"line 1"_s));
    // It can be deleted all the same.
    auto* list = fixture.show<QListView>("workloadList");
    list->setFocus();
    while (list->currentIndex() != row) { // by the keyboard
        const int at = list->currentIndex().row();
        QTest::keyClick(list, Qt::Key_Up);
        QVERIFY(list->currentIndex().row() < at);
    }
    QSignalSpy changed(&WorkloadBook::of(fixture.context), &WorkloadBook::changed);
    QTest::keyClick(list, Qt::Key_Delete);
    QVERIFY(changed.wait(kPatienceMs));
    QVERIFY(!rowOf(fixture, u"broken"_s).isValid());
}

//! What is chosen next is loaded from the file that is there now.
void TestWorkloadBook::noticesFilesThatHaveChanged()
{
    const auto write = [this](const char* text) {
        QFile file(QString::fromStdString((m_folder / "words.txt").string()));
        return file.open(QIODevice::WriteOnly) && file.write(text) > 0;
    };
    QVERIFY(saveWorkload(m_folder, "shop",
                         "+++\n[[tables]]\nname = \"t\"\nrows = 2\n[tables.columns]\n"
                         "a = { type = \"VARCHAR(9)\", words = \"words.txt\" }\n+++\nSELECT 1;\n"));
    QVERIFY(write("one\n"));
    PlanPageFixture fixture(m_dir->path());
    WorkloadBook& book = WorkloadBook::of(fixture.context);
    const auto files = [&book] {
        const OwnWorkload* own = book.find(u"shop"_s);
        return own ? textOf(own->params, kFilesParam) : std::string();
    };
    QVERIFY(QTest::qWaitFor([&] { return files().find(" = 1 ") != std::string::npos; }, kPatienceMs));
    QVERIFY(write("one\ntwo\n"));
    book.read();
    QVERIFY(QTest::qWaitFor([&] { return files().find(" = 2 ") != std::string::npos; }, kPatienceMs));
}

} // namespace dyno::tst_workload_book

DYNO_WIDGET_SUITE(tst_workload_book, dyno::tst_workload_book::TestWorkloadBook)
#include "tst_workload_book.moc"
