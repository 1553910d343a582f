// SPDX-License-Identifier: GPL-3.0-or-later
// The plan as a document of the Plan page: new, duplicated, described, and known again after a restart.
#include "support/own_settings.h"
#include "support/suite.h"
#include "widgets/pictures.h"
#include "widgets/plan_page_fixture.h"

#include <dyno/catalog.h>

#include <QPlainTextEdit>
#include <QScrollArea>

namespace dyno::tst_plan_document {
using namespace Qt::StringLiterals;
using test::PlanPageFixture;
using test::quickPlan;

class TstPlanDocument : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        test::ownHome(m_dir);
        Theme::instance().apply(*qApp); // fonts and colours as a person has them
    }
    void init() { QSettings().clear(); }
    void aNewPlanHasNothingOfARecipe();
    void aCopyBelongsToNoFile();
    void descriptionAndSizesAreShown();
    void saysHowThePlanDeparts();
    void sizesAreAddedRenamedAndChanged();
    void knowsItsFileAfterARestart();
    void noticesThatItsFileChanged();
    void theSameFaultIsSaidOnce();

private:
    QTemporaryDir m_dir;
};

void TstPlanDocument::aNewPlanHasNothingOfARecipe()
{
    PlanPageFixture fixture(m_dir.path()); // a recipe, with a description and sizes
    QVERIFY(!fixture.plan().description.empty() && !fixture.plan().sizes.empty());
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page)); // keys go nowhere else
    QTest::keyClick(&fixture.page, Qt::Key_N, Qt::ControlModifier);
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.plan().title, std::string("New plan"));
    QVERIFY(fixture.plan().description.empty() && fixture.plan().sizes.empty() && fixture.plan().axes.empty());
    QVERIFY(fixture.plan().source.empty());
    QVERIFY(fixture.page.editor().startable());
    QVERIFY(!fixture.page.editor().modified());
    QVERIFY(fixture.find<QLineEdit>("planTitle")->hasFocus());
    for (const QSize& size : {QSize(1356, 852), QSize(1196, 752)}) {
        fixture.page.resize(size);
        test::keepPictures(fixture.page, u"plan-new-%1x%2"_s.arg(size.width()).arg(size.height()));
    }
    // What would be lost is asked for first.
    fixture.type("planTitle", u"Mine"_s);
    fixture.click("planNew");
    auto* question = fixture.page.findChild<QMessageBox*>(u"unsavedBox"_s);
    QVERIFY(question);
    QTest::mouseClick(question->findChild<QPushButton*>(u"unsavedCancel"_s), Qt::LeftButton);
    QCOMPARE(fixture.plan().title, std::string("Mine"));
}

void TstPlanDocument::aCopyBelongsToNoFile()
{
    const QString file = m_dir.filePath(u"original.toml"_s);
    PlanPageFixture fixture(m_dir.path());
    fixture.page.saveFile(file);
    QTRY_COMPARE(fixture.page.editor().file(), file);
    const Plan original = fixture.plan();
    fixture.click("planDuplicate");
    QVERIFY(fixture.settle());
    QCOMPARE(qtText(fixture.plan().title), qtText(original.title) + u" (copy)"_s);
    QVERIFY(fixture.page.editor().file().isEmpty());
    QVERIFY(fixture.page.editor().modified()); // it is in no file
    QCOMPARE(fixture.plan().axes.size(), original.axes.size());
    QVERIFY(fixture.find<ElidedLabel>("planSource")->fullText().contains(u"not saved"_s));
    const ParsedPlan saved = readPlan(file.toStdString());
    QVERIFY(saved.plan && saved.plan->title == original.title);
}

//! How a plan departs from the published experiment comes and goes with the plan.
void TstPlanDocument::saysHowThePlanDeparts()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.page.editor().setPlan(quickPlan());
    auto* departs = fixture.show<QLabel>("planDeparts");
    QVERIFY(!departs->isVisibleTo(&fixture.page));
    Plan plan = quickPlan();
    plan.departs = {"Four users, not forty.", "One hour, not a day."};
    fixture.page.editor().setPlan(plan);
    PlanPageFixture::reveal(departs);
    QVERIFY(departs->isVisibleTo(&fixture.page));
    for (const std::string& one : plan.departs)
        QVERIFY2(departs->text().contains(QString::fromStdString(one)), qPrintable(departs->text()));
    QVERIFY(fixture.settle());
    QCoreApplication::processEvents(); // the cards have their heights
    fixture.find<QScrollArea>("planScroll")->ensureWidgetVisible(departs);
    test::keepPictures(fixture.page, u"plan-departs"_s);
    fixture.page.editor().setPlan(quickPlan());
    PlanPageFixture::reveal(departs);
    QVERIFY(!departs->isVisibleTo(&fixture.page));
}

void TstPlanDocument::descriptionAndSizesAreShown()
{
    PlanPageFixture fixture(m_dir.path());
    auto* description = fixture.show<QPlainTextEdit>("planDescription");
    QCOMPARE(description->toPlainText(), qtText(fixture.plan().description));
    const auto sizes = fixture.plan().sizes.size();
    QVERIFY(fixture.find("planSizes")->isVisibleTo(&fixture.page));
    QVERIFY(fixture.settle());
    QCoreApplication::processEvents(); // the cards have their heights
    fixture.find<QScrollArea>("planScroll")->ensureWidgetVisible(fixture.find("aboutCard"));
    test::keepPictures(fixture.page, u"plan-about"_s);
    QVERIFY(fixture.find<ElidedLabel>("planSize.quick")->fullText().contains(u"load.time = 1s"_s));
    description->setFocus();
    description->selectAll();
    QTest::keyClicks(description, u"Mine alone"_s);
    QCOMPARE(fixture.plan().description, std::string("Mine alone"));
    fixture.find<QPushButton>("removeSize.quick")->click();
    QCOMPARE(fixture.plan().sizes.size(), sizes - 1);
    QVERIFY(fixture.page.editor().modified());
    // Undo takes back the size, then all that was typed.
    fixture.page.editor().undoStack().undo();
    QCOMPARE(fixture.plan().sizes.size(), sizes);
    QVERIFY(fixture.find("removeSize.quick"));
    fixture.page.editor().undoStack().undo();
    QVERIFY(fixture.plan().description.starts_with("A transaction is durable"));
    QCOMPARE(description->toPlainText(), qtText(fixture.plan().description));
}

void TstPlanDocument::sizesAreAddedRenamedAndChanged()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.page.editor().setPlan(quickPlan());
    QVERIFY(fixture.plan().sizes.empty());
    const auto open = [&fixture](const char* button) {
        fixture.find<QPushButton>(button)->click();
        return fixture.find<QDialog>("sizeDialog");
    };
    const auto fill = [&fixture](const QString& name, const QString& fields) {
        fixture.type("sizeName", name);
        auto* text = fixture.find<QPlainTextEdit>("sizeFields");
        text->setPlainText(fields); // lines are not typed alike everywhere
    };
    const auto gone = [&fixture] { return !fixture.find<QDialog>("sizeDialog"); };
    QVERIFY(open("planSizeAdd"));
    auto* save = fixture.find<QPushButton>("sizeSave");
    auto* problem = fixture.find<QLabel>("sizeProblem");
    QVERIFY(!save->isEnabled() && problem->text().isEmpty()); // nothing was entered yet
    fill(u"small"_s, u"load.tme = 2s"_s);
    QVERIFY(!save->isEnabled());
    QVERIFY2(problem->text().startsWith(u"Line 1: "_s), qPrintable(problem->text()));
    fill(u"small"_s, u"load.time"_s);
    QVERIFY(!save->isEnabled());
    fill(u"small"_s, u"load.time = 2s\nload.time = 3s"_s);
    QVERIFY(!save->isEnabled()); // a file could not hold it
    fill(u"small"_s, u"load.time = 2s\nworkload.table_size = 50"_s);
    QVERIFY2(save->isEnabled(), qPrintable(problem->text()));
    test::keepPictures(*fixture.find<QDialog>("sizeDialog"), u"plan-size"_s);
    save->click();
    QTRY_VERIFY(gone());
    const auto one = [&fixture](std::size_t i) { return fixture.plan().sizes.at(i); };
    QCOMPARE(fixture.plan().sizes.size(), std::size_t(1));
    QCOMPARE(one(0).name, std::string("small"));
    QCOMPARE(one(0).fields.size(), std::size_t(2));
    QCOMPARE(one(0).fields[1].first, std::string("workload.table_size"));
    Plan small = fixture.plan();
    QVERIFY(applySize(small, "small"));
    QCOMPARE(small.load.timeSeconds, 2.0);

    QVERIFY(open("planSizeAdd"));
    fill(u"small"_s, u"load.time = 9s"_s);
    QVERIFY(!fixture.find<QPushButton>("sizeSave")->isEnabled()); // the name is taken
    fill(u"large"_s, u"load.time = 9s"_s);
    QTest::keyClick(fixture.find("sizeName"), Qt::Key_Return);
    QTRY_VERIFY(gone());
    QCOMPARE(fixture.plan().sizes.size(), std::size_t(2));

    QVERIFY(open("editSize.small"));
    QCOMPARE(fixture.find<QPlainTextEdit>("sizeFields")->toPlainText(), u"load.time = 2s\nworkload.table_size = 50"_s);
    fill(u"tiny"_s, u"load.time = 1s"_s);
    fixture.find<QPushButton>("sizeSave")->click();
    QTRY_VERIFY(gone());
    QCOMPARE(one(0).name, std::string("tiny")); // in its place
    QCOMPARE(fixture.find<ElidedLabel>("planSize.tiny")->fullText(), u"load.time = 1s"_s);
    QVERIFY(!fixture.find("planSize.small"));

    QVERIFY(open("editSize.large"));
    fill(u"huge"_s, u"load.time = 99s"_s);
    fixture.find<QPushButton>("sizeCancel")->click();
    QTRY_VERIFY(gone());
    QCOMPARE(one(1).name, std::string("large"));

    QUndoStack& undo = fixture.page.editor().undoStack();
    undo.undo(); // the change
    QCOMPARE(one(0).name, std::string("small"));
    QCOMPARE(one(0).fields.size(), std::size_t(2));
    undo.undo(); // the second size
    QCOMPARE(fixture.plan().sizes.size(), std::size_t(1));
    undo.undo();
    QVERIFY(fixture.plan().sizes.empty() && !fixture.page.editor().modified());
    undo.redo();
    undo.redo();
    undo.redo();
    QCOMPARE(one(0).name, std::string("tiny"));
    const ParsedPlan read = parsePlan(writePlan(fixture.plan()), "test"); // and a file keeps them
    QVERIFY(read.plan && read.plan->sizes.size() == 2);
}

void TstPlanDocument::knowsItsFileAfterARestart()
{
    const QString file = m_dir.filePath(u"known.toml"_s);
    {
        PlanPageFixture fixture(m_dir.path());
        fixture.type("planTitle", u"Kept"_s);
        fixture.page.saveFile(file);
        QTRY_VERIFY(!fixture.page.editor().modified());
    }
    {
        PlanPageFixture fixture(m_dir.path());
        QCOMPARE(fixture.page.editor().file(), file);
        QVERIFY(!fixture.page.editor().modified());
        QVERIFY(fixture.find<ElidedLabel>("planSource")->fullText().contains(u"known.toml"_s));
        fixture.type("planTitle", u"Changed"_s);
    }
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(fixture.page.editor().modified());
    QVERIFY(fixture.find<ElidedLabel>("planSource")->fullText().contains(u"changed"_s));
    fixture.click("planSave"); // goes there, without a question
    QTRY_VERIFY(!fixture.page.editor().modified());
    const ParsedPlan saved = readPlan(file.toStdString());
    QVERIFY(saved.plan && saved.plan->title == "Changed");
}

void TstPlanDocument::noticesThatItsFileChanged()
{
    const QString file = m_dir.filePath(u"gone.toml"_s);
    {
        PlanPageFixture fixture(m_dir.path());
        fixture.page.saveFile(file);
        QTRY_COMPARE(fixture.page.editor().file(), file);
        QVERIFY(!fixture.page.editor().modified());
    }
    QVERIFY(QFile::remove(file));
    PlanPageFixture fixture(m_dir.path());
    QTRY_VERIFY(fixture.page.editor().modified()); // what is on the page is in no file
}

//! Three cases of one mistake are one thing to fix.
void TstPlanDocument::theSameFaultIsSaidOnce()
{
    if (!findDriver("mysql"))
        QSKIP("built without the MySQL-family driver");
    PlanPageFixture fixture(m_dir.path());
    fixture.page.editor().edit({}, [](Plan& plan) {
        plan.set.clear();
        plan.target.uri = "managed:mariadb"; // three cases set SQLite's synchronous
    });
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.page.editor().check().faults.size(), std::size_t(3));
    QTRY_COMPARE(fixture.faults().size(), qsizetype(1)); // shown an event later
    QCOMPARE(fixture.find<Chip>("faultChip")->text(), u"1 to fix"_s);
    QVERIFY2(fixture.find<QLabel>("planReason")->text().startsWith(u"1 fault"_s),
             qPrintable(fixture.find<QLabel>("planReason")->text()));
    // Another plan: nothing is left of what was said of this one.
    fixture.page.editor().setPlan(quickPlan());
    QVERIFY(fixture.find<QLabel>("planReason")->text().isEmpty());
}

} // namespace dyno::tst_plan_document

DYNO_WIDGET_SUITE(tst_plan_document, dyno::tst_plan_document::TstPlanDocument)
#include "tst_plan_document.moc"
