// SPDX-License-Identifier: GPL-3.0-or-later
// The page to write a script, used as a person does, and a try on a real database file.
#include "pictures.h"
#include "plan/script_completion.h"
#include "plan/script_editor.h"
#include "plan/script_page.h"
#include "plan/script_tables_card.h"
#include "plan/script_try_card.h"
#include "plan_page_fixture.h"
#include "support/suite.h"

#include <dyno/catalog.h>
#include <dyno/lua_script.h>
#include <dyno/scripts.h>
#include <dyno/servers.h>

#include <QAction>
#include <QFileDialog>
#include <QListView>
#include <QMenu>
#include <QResizeEvent>
#include <QSpinBox>
#include <QTableView>
#include <QThreadPool>
#include <QTreeWidget>

#include <sqlite3.h>

namespace dyno::tst_script_page {
using namespace dyno::test;
using namespace Qt::StringLiterals;

namespace {

constexpr const char* kOrders = "\\transaction look 3\n"
                                "\\set id 2\n"
                                "SELECT id, price FROM products WHERE id = :id;\n"
                                "\\transaction change 1\n"
                                "UPDATE products SET price = 1;\n"
                                "\\transaction index 0\n"
                                "CREATE INDEX p ON products (price);\n";

Plan shopPlan(const QString& file, const char* text)
{
    Plan plan = quickPlan();
    plan.title = "Shop";
    plan.target.uri = "sqlite:" + file.toStdString();
    plan.workload.name = "script";
    plan.workload.params = {{"schema", std::string("none")}, {"scripts", std::string(text)}};
    return plan;
}

} // namespace

class TestScriptPage : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void writesIntoThePlan();
    void triesOneTransaction();
    void countsRowsOnce();
    void aTryLeavesTheCursor();
    void tellsThatTheScriptHasChanged();
    void anotherPlanForgetsTheResult();
    void asksBeforeSomebodyElsesScript();
    void asksAboutWhatStays();
    void asksNothingForAnotherPlan();
    void looksAgainAfterTheQuestion();
    void noSessionBesideATry();
    void asksBeforeAProductionServer();
    void saysWhyItCannotBeTried();
    void readsTables();
    void makesTransactionsOfATable();
    void narrowPagesMakeNothing();
    void completesWhatIsTyped();
    void choosesNoWordUnasked();
    void showsPlans();
    void triesAnEventOfLua();
    void opensAFile();
    void aFileBecomesAPlan();

private:
    void openPage(PlanPageFixture& fixture, const char* text)
    {
        fixture.page.editor().setPlan(shopPlan(m_file, text));
        QVERIFY(fixture.settle());
        QTest::mouseClick(fixture.show<QPushButton>("workloadScript"), Qt::LeftButton);
        QVERIFY(fixture.find("scriptPage")->isVisible());
        QVERIFY(!fixture.find("planStart")->isVisible());
    }
    static void agree(PlanPageFixture& fixture)
    {
        const PlanEditor& editor = fixture.page.editor();
        fixture.context.agreements().remember(editor.plan(), risksOf(editor.plan()));
    }
    static bool tryNow(PlanPageFixture& fixture)
    {
        QSignalSpy finished(fixture.find<ScriptTryCard>("scriptTry"), &ScriptTryCard::finished);
        QTest::mouseClick(fixture.find<QPushButton>("scriptTryButton"), Qt::LeftButton);
        return finished.wait(kPatienceMs);
    }
    static void readNow(PlanPageFixture& fixture)
    {
        QSignalSpy finished(fixture.find<ScriptTablesCard>("scriptTables"), &ScriptTablesCard::finished);
        QTest::mouseClick(fixture.find<QPushButton>("scriptTablesRead"), Qt::LeftButton);
        QVERIFY(finished.wait(kPatienceMs));
    }
    //! Until the question about what stays is there.
    static QPushButton* tryWhatStays(PlanPageFixture& fixture)
    {
        fixture.find<QComboBox>("scriptTrySection")->setCurrentIndex(2);
        QTest::mouseClick(fixture.find<QPushButton>("scriptTryButton"), Qt::LeftButton);
        const auto there = [&fixture] { return fixture.find<QPushButton>("scriptTryAnyway") != nullptr; };
        return QTest::qWaitFor(there, kPatienceMs) ? fixture.find<QPushButton>("scriptTryAnyway") : nullptr;
    }
    [[nodiscard]] int ask(const char* query) const
    {
        sqlite3* database = nullptr;
        sqlite3_open(m_file.toUtf8().constData(), &database);
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(database, query, -1, &statement, nullptr);
        const int value = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
        sqlite3_finalize(statement);
        sqlite3_close(database);
        return value;
    }

    QTemporaryDir m_folder;
    QString m_file;
};

void TestScriptPage::init()
{
    QSettings().clear();
    m_file = m_folder.filePath(QLatin1String(QTest::currentTestFunction()) + u".db"_s);
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(m_file.toUtf8().constData(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database,
                          "CREATE TABLE products (id INTEGER PRIMARY KEY, price INT);"
                          "INSERT INTO products VALUES (1, 5), (2, 7), (3, 9)",
                          nullptr, nullptr, nullptr),
             SQLITE_OK);
    sqlite3_close(database);
}

void TestScriptPage::writesIntoThePlan()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "SELECT 1;");
    auto* text = fixture.find<ScriptEditor>("scriptText");
    auto* sections = fixture.find<QListWidget>("scriptSections");
    QCOMPARE(text->toPlainText(), u"SELECT 1;"_s);
    QCOMPARE(sections->count(), 1);
    QTest::keyClick(text, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(text, u"\\transaction read 3"_s);
    QTest::keyClick(text, Qt::Key_Return);
    QTest::keyClicks(text, u"SELECT 2;"_s);
    QTest::keyClick(text, Qt::Key_Return);
    QAction* const insert = fixture.find<QMenu>("scriptInsertMenu")->actions().front();
    insert->trigger();
    QTest::keyClicks(text, u"SELECT 3;"_s);
    const auto& params = fixture.page.editor().plan().workload.params;
    QCOMPARE(qtText(toText(params.at("scripts"))),
             u"\\transaction read 3\nSELECT 2;\n\\transaction name 1\nSELECT 3;"_s);
    QTRY_COMPARE(sections->count(), 2);
    QVERIFY2(sections->item(0)->text().startsWith(u"read"_s), qPrintable(sections->item(0)->text()));
    QVERIFY(sections->item(0)->text().contains(u"75"_s));
    QTest::mouseClick(sections->viewport(), Qt::LeftButton, {}, sections->visualItemRect(sections->item(1)).center());
    QCOMPARE(text->textCursor().blockNumber(), 2);
    QCOMPARE(fixture.find<QComboBox>("scriptTrySection")->currentText(), u"name"_s);
    // The weight of the chosen one.
    auto* weight = fixture.find<QSpinBox>("scriptWeight");
    QVERIFY(weight->isVisible());
    QCOMPARE(weight->value(), 1);
    weight->setFocus();
    weight->selectAll();
    QTest::keyClicks(weight, u"12"_s);
    QTest::keyClick(weight, Qt::Key_Return);
    QTRY_VERIFY2(sections->item(1)->text().contains(u"80"_s), qPrintable(sections->item(1)->text()));
    QCOMPARE(qtText(toText(params.at("scripts"))),
             u"\\transaction read 3\nSELECT 2;\n\\transaction name 12\nSELECT 3;"_s);
    QVERIFY(weight->hasFocus());
    QTest::keyClick(weight, Qt::Key_Up);
    QVERIFY(toText(params.at("scripts")).find("name 13\n") != std::string::npos);
    test::keepPictures(fixture.page, u"script-page"_s);
    QCOMPARE(fixture.find<ScriptEditor>("workload.scripts")->text(), u"SELECT 1;"_s); // nobody sees it
    QTest::mouseClick(fixture.find<QPushButton>("scriptBack"), Qt::LeftButton);
    QVERIFY(fixture.find("planStart")->isVisible());
    auto* inForm = fixture.show<ScriptEditor>("workload.scripts");
    QCOMPARE(inForm->toPlainText(), text->toPlainText());
}

void TestScriptPage::triesOneTransaction()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, kOrders);
    agree(fixture);
    QVERIFY(tryNow(fixture));
    auto* card = fixture.find<ScriptTryCard>("scriptTry");
    QCOMPARE(card->result().statements.size(), std::size_t(3));
    auto* table = fixture.find<QTableView>("scriptTryTable");
    QVERIFY(table->isVisible());
    QCOMPARE(table->model()->index(1, 1).data().toString(), u"SELECT id, price FROM products WHERE id = 2"_s);
    QCOMPARE(table->model()->index(1, 2).data().toString(), u"1"_s);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(1, 1)).center());
    QVERIFY(fixture.find<QLabel>("scriptTryDetails")->text().contains(u"Last row: id = 2, price = 7"_s));
    QCOMPARE(fixture.find<ScriptEditor>("scriptText")->textCursor().blockNumber(), 2);
    // Ctrl+Enter tries here, where it starts the plan among the steps.
    QCOMPARE(fixture.find<QAction>("planCommandStart")->text(), u"Try one transaction"_s);
    fixture.find<QComboBox>("scriptTrySection")->setCurrentIndex(1);
    QSignalSpy finished(card, &ScriptTryCard::finished);
    QTest::keyClick(fixture.find<ScriptEditor>("scriptText"), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(finished.wait(kPatienceMs));
    QVERIFY(!fixture.context.run().active());
    QCOMPARE(card->result().statements.at(1).changed, std::int64_t(3));
    QVERIFY(fixture.find<QLabel>("scriptTryKept")->text().startsWith(u"Rolled back"_s));
    QCOMPARE(ask("SELECT sum(price) FROM products"), 21);
}

//! With RETURNING the server tells a row as changed and as an answer.
void TestScriptPage::countsRowsOnce()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "INSERT INTO products VALUES (9, 1) RETURNING id;");
    agree(fixture);
    QVERIFY(tryNow(fixture));
    const TriedStatement& insert = fixture.find<ScriptTryCard>("scriptTry")->result().statements.at(1);
    QCOMPARE(insert.rows, std::int64_t(1));
    QCOMPARE(insert.changed, std::int64_t(1));
    QCOMPARE(fixture.find<QTableView>("scriptTryTable")->model()->index(1, 2).data().toString(), u"1"_s);
    const QString figures = fixture.find<QLabel>("scriptTryFigures")->text();
    QVERIFY2(figures.contains(u", 1 row"_s), qPrintable(figures));
}

void TestScriptPage::aTryLeavesTheCursor()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "SELECT 1;\nSELECT * FROM nowhere;");
    agree(fixture);
    QVERIFY(tryNow(fixture));
    auto* table = fixture.find<QTableView>("scriptTryTable");
    QCOMPARE(table->currentIndex().row(), 2); // what failed
    QCOMPARE(fixture.find<ScriptEditor>("scriptText")->textCursor().blockNumber(), 0);
    for (const int row : {1, 2})
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(row, 1)).center());
    QCOMPARE(fixture.find<ScriptEditor>("scriptText")->textCursor().blockNumber(), 1);
}

void TestScriptPage::tellsThatTheScriptHasChanged()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "SELECT 1;");
    agree(fixture);
    QVERIFY(tryNow(fixture));
    QVERIFY(!fixture.find("scriptTryChanged")->isVisible());
    auto* text = fixture.find<ScriptEditor>("scriptText");
    QTest::keyClicks(text, u" "_s);
    QVERIFY(fixture.find("scriptTryChanged")->isVisible());
    QTest::keyClick(text, Qt::Key_Backspace);
    QVERIFY(!fixture.find("scriptTryChanged")->isVisible());
}

void TestScriptPage::anotherPlanForgetsTheResult()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, kOrders);
    agree(fixture);
    QVERIFY(tryNow(fixture));
    auto* card = fixture.find<ScriptTryCard>("scriptTry");
    QVERIFY(!card->result().statements.empty());
    openPage(fixture, "SELECT 2;");
    QVERIFY(card->result().statements.empty());
    QVERIFY(!fixture.find("scriptTryTable")->isVisible());
    QVERIFY(!fixture.find("scriptTryKept")->isVisible());
}

void TestScriptPage::asksBeforeSomebodyElsesScript()
{
    PlanPageFixture fixture(m_folder.path());
    QSignalSpy asked(&fixture.context, &AppContext::consentRequested);
    openPage(fixture, "UPDATE products SET price = 2;");
    QTest::mouseClick(fixture.find<QPushButton>("scriptTryButton"), Qt::LeftButton);
    QVERIFY(asked.wait(kPatienceMs));
    QVERIFY(asked.front().at(1).toString().contains(u"UPDATE products"_s));
    auto* card = fixture.find<ScriptTryCard>("scriptTry");
    QVERIFY(!card->busy());
    QSignalSpy finished(card, &ScriptTryCard::finished);
    asked.front().at(2).value<std::vector<ConsentAnswer>>().front().action();
    QVERIFY(finished.wait(kPatienceMs));
    QCOMPARE(card->result().statements.size(), std::size_t(3));
}

void TestScriptPage::asksAboutWhatStays()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, kOrders);
    agree(fixture);
    fixture.find<QComboBox>("scriptTrySection")->setCurrentIndex(2);
    QTest::mouseClick(fixture.find<QPushButton>("scriptTryButton"), Qt::LeftButton);
    QTRY_VERIFY(fixture.find<QMessageBox>("scriptTryStays"));
    auto* question = fixture.find<QMessageBox>("scriptTryStays");
    QVERIFY(question->informativeText().contains(u"Line 7: CREATE INDEX p"_s));
    QTest::mouseClick(question->findChild<QPushButton*>(u"scriptTryCancel"_s), Qt::LeftButton);
    QTRY_VERIFY(!fixture.find<QMessageBox>("scriptTryStays"));
    QVERIFY(!fixture.find<ScriptTryCard>("scriptTry")->busy());
    QVERIFY(fixture.find<ScriptTryCard>("scriptTry")->result().statements.empty());
}

void TestScriptPage::asksNothingForAnotherPlan()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, kOrders);
    agree(fixture);
    QPushButton* anyway = tryWhatStays(fixture);
    QVERIFY(anyway);
    fixture.page.editor().setPlan(quickPlan());
    QTest::mouseClick(anyway, Qt::LeftButton);
    QVERIFY(!fixture.find<ScriptTryCard>("scriptTry")->busy());
}

void TestScriptPage::looksAgainAfterTheQuestion()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, kOrders);
    agree(fixture);
    QPushButton* anyway = tryWhatStays(fixture);
    QVERIFY(anyway);
    Plan running = quickPlan();
    running.load.timeSeconds = 60;
    QVERIFY(fixture.context.run().start(running, {}));
    QTest::mouseClick(anyway, Qt::LeftButton);
    QVERIFY(!fixture.find<ScriptTryCard>("scriptTry")->busy());
    QVERIFY(fixture.find<QLabel>("scriptTryText")->text().startsWith(u"A session is running"_s));
    fixture.context.run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.context.run().active(), kPatienceMs);
}

void TestScriptPage::noSessionBesideATry()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c;");
    agree(fixture);
    auto* card = fixture.find<ScriptTryCard>("scriptTry");
    QSignalSpy finished(card, &ScriptTryCard::finished);
    QTest::mouseClick(fixture.find<QPushButton>("scriptTryButton"), Qt::LeftButton);
    QTRY_VERIFY(card->busy());
    QTest::mouseClick(fixture.find<QPushButton>("scriptBack"), Qt::LeftButton);
    QVERIFY(!fixture.find<QPushButton>("planStart")->isEnabled());
    fixture.find<QAction>("planCommandStart")->trigger();
    QVERIFY(card->busy());
    QVERIFY(!fixture.context.run().active());
    // On another page a start goes on, and the try ends.
    QVERIFY(fixture.context.run().start(quickPlan(), {}));
    QVERIFY(finished.wait(kPatienceMs));
    QVERIFY(card->result().interrupted);
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.context.run().active(), kPatienceMs);
    QTRY_VERIFY(fixture.find<QPushButton>("planStart")->isEnabled());
}

void TestScriptPage::asksBeforeAProductionServer()
{
    if (!findDriver("postgresql"))
        QSKIP("This build has no PostgreSQL");
    RemoteServer server;
    server.uri = "postgresql://me@127.0.0.1:1/shop";
    server.name = "till";
    server.production = true;
    QVERIFY(saveRemoteServer(server));
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "SELECT 1;");
    fixture.page.editor().edit(u"target"_s, [&server](Plan& plan) { plan.target.uri = server.uri; });
    agree(fixture);
    QSignalSpy asked(&fixture.context, &AppContext::consentRequested);
    QTest::mouseClick(fixture.find<QPushButton>("scriptTryButton"), Qt::LeftButton);
    QVERIFY(asked.wait(kPatienceMs));
    QVERIFY(asked.front().front().toString().contains(u"till"_s));
    auto* card = fixture.find<ScriptTryCard>("scriptTry");
    QVERIFY(!card->busy());
    QSignalSpy finished(card, &ScriptTryCard::finished);
    asked.front().at(2).value<std::vector<ConsentAnswer>>().front().action();
    QVERIFY(finished.wait(kPatienceMs));
    const QString text = fixture.find<QLabel>("scriptTryText")->text(); // nothing listens there
    QVERIFY2(!text.contains(u"production"_s), qPrintable(text));
    QVERIFY(forgetRemoteServer(server.uri));
}

void TestScriptPage::saysWhyItCannotBeTried()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, kOrders);
    fixture.page.editor().edit(u"target"_s, [](Plan& plan) { plan.target.uri = "managed:mariadb"; });
    agree(fixture);
    QVERIFY(tryNow(fixture));
    const QString text = fixture.find<QLabel>("scriptTryText")->text();
    QVERIFY2(text.contains(u"only while a session"_s), qPrintable(text));
    QVERIFY(!fixture.find<QTableView>("scriptTryTable")->isVisible());
    Plan running = quickPlan();
    running.load.timeSeconds = 60;
    QVERIFY(fixture.context.run().start(running, {}));
    QTest::mouseClick(fixture.find<QPushButton>("scriptTryButton"), Qt::LeftButton);
    QVERIFY(fixture.find<QLabel>("scriptTryText")->text().startsWith(u"A session is running"_s));
    QVERIFY(!fixture.find<ScriptTryCard>("scriptTry")->busy());
    fixture.context.run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.context.run().active(), kPatienceMs);
}

void TestScriptPage::readsTables()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "SELECT ");
    auto* card = fixture.find<ScriptTablesCard>("scriptTables");
    auto* tree = fixture.find<QTreeWidget>("scriptTablesTree");
    QVERIFY(!tree->isVisible());
    QSignalSpy asked(&fixture.context, &AppContext::consentRequested);
    QTest::mouseClick(fixture.find<QPushButton>("scriptTablesRead"), Qt::LeftButton);
    QVERIFY(asked.wait(kPatienceMs)); // somebody else's plan
    QVERIFY(!card->busy() && !card->known());
    QSignalSpy finished(card, &ScriptTablesCard::finished);
    asked.front().at(2).value<std::vector<ConsentAnswer>>().front().action();
    QVERIFY(finished.wait(kPatienceMs));
    QVERIFY(card->known() && tree->isVisible());
    QCOMPARE(tree->topLevelItemCount(), 1);
    QTreeWidgetItem* const products = tree->topLevelItem(0);
    QCOMPARE(products->text(0), u"products"_s);
    QCOMPARE(products->text(1), u"3 rows"_s);
    QCOMPARE(products->childCount(), 2);
    QCOMPARE(products->child(1)->text(1), u"int"_s);
    auto* text = fixture.find<ScriptEditor>("scriptText");
    text->moveCursor(QTextCursor::End);
    products->setExpanded(true);
    const QPoint place = tree->visualItemRect(products->child(1)).center();
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, place);
    QTest::mouseDClick(tree->viewport(), Qt::LeftButton, {}, place);
    QCOMPARE(text->toPlainText(), u"SELECT price"_s);
    QTest::keyClicks(fixture.find<QLineEdit>("scriptTablesFilter"), u"pri"_s);
    QVERIFY(products->child(0)->isHidden() && !products->child(1)->isHidden());
    fixture.page.editor().edit(u"Another"_s, [](Plan& plan) { plan.target.uri = "sqlite:other.db"; });
    QVERIFY(!card->known() && !tree->isVisible());
    // While they are read.
    agree(fixture);
    QSignalSpy busy(card, &ScriptTablesCard::busyChanged);
    QTest::mouseClick(fixture.find<QPushButton>("scriptTablesRead"), Qt::LeftButton);
    QVERIFY(busy.wait(kPatienceMs));
    fixture.page.editor().edit(u"Back"_s, [this](Plan& plan) { plan.target.uri = "sqlite:" + m_file.toStdString(); });
    QVERIFY(!card->busy() && !card->known());
}

void TestScriptPage::narrowPagesMakeNothing()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "SELECT 1;");
    auto* page = fixture.find<ScriptPage>("scriptPage");
    auto* make = fixture.find<QPushButton>("scriptMake");
    QVERIFY(make->isEnabled());
    const auto resizeTo = [page](int width) {
        QResizeEvent event(QSize(width, page->height()), page->size());
        QCoreApplication::sendEvent(page, &event);
    };
    resizeTo(800);
    QVERIFY(!make->isEnabled() && make->toolTip().startsWith(u"Widen"_s));
    resizeTo(1200);
    QVERIFY(make->isEnabled() && make->toolTip().startsWith(u"Add"_s));
}

void TestScriptPage::makesTransactionsOfATable()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "");
    agree(fixture);
    const int edits = fixture.page.editor().undoStack().index();
    auto* card = fixture.find<ScriptTablesCard>("scriptTables");
    QSignalSpy finished(card, &ScriptTablesCard::finished);
    QTest::mouseClick(fixture.find<QPushButton>("scriptMake"), Qt::LeftButton); // reads first
    QVERIFY(finished.wait(kPatienceMs));
    auto* menu = fixture.find<QMenu>("scriptMakeMenu");
    QTRY_VERIFY(menu->isVisible());
    QCOMPARE(menu->actions().size(), 1);
    menu->actions().front()->trigger();
    menu->close();
    QVERIFY(finished.wait(kPatienceMs));
    const Plan made = fixture.page.editor().plan();
    const QString script = qtText(toText(made.workload.params.at("scripts")));
    QVERIFY2(script.contains(u"\\set id random(1, 3)\nSELECT id, price FROM products WHERE id = :id;"_s),
             qPrintable(script));
    auto* text = fixture.find<ScriptEditor>("scriptText");
    text->checkNow();
    QVERIFY(!text->mistake());
    QCOMPARE(fixture.find<QListWidget>("scriptSections")->count(), 4);
    agree(fixture); // to the new statements
    QVERIFY(tryNow(fixture));
    QVERIFY(fixture.find<ScriptTryCard>("scriptTry")->result().problem.empty());
    QCOMPARE(toText(made.workload.params.at("schema")), std::string("none"));
    QCOMPARE(fixture.page.editor().undoStack().index(), edits + 1);
    fixture.page.editor().undoStack().undo();
    QCOMPARE(text->toPlainText(), QString());
}

void TestScriptPage::completesWhatIsTyped()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "");
    agree(fixture);
    readNow(fixture);
    auto* text = fixture.find<ScriptEditor>("scriptText");
    text->setFocus();
    const auto offers = [text] {
        QStringList words;
        for (const ScriptWord& word : text->completion().words())
            words << word.text;
        return words;
    };
    QTest::keyClicks(text, u"\\se"_s);
    QCOMPARE(offers(), QStringList{u"\\set"_s});
    QTest::keyClicks(text, u"t amount random_z"_s);
    QCOMPARE(offers(), QStringList{u"random_zipfian"_s});
    text->clear();
    QTest::keyClicks(text, u"\\set amount 1"_s);
    QTest::keyClick(text, Qt::Key_Return);
    QTest::keyClicks(text, u"SELECT p"_s);
    QWidget* popup = nullptr;
    const auto isOpen = [&popup] {
        popup = nullptr;
        for (QWidget* one : QApplication::topLevelWidgets())
            popup = one->objectName() == u"scriptOffers"_s && one->isVisible() ? one : popup;
        return popup != nullptr;
    };
    QVERIFY(!isOpen()); // one letter
    QTest::keyClick(text, Qt::Key_Space, Qt::ControlModifier);
    QVERIFY(isOpen());
    QCOMPARE(offers(), (QStringList{u"products"_s, u"price"_s}));
    QTest::keyClick(popup, Qt::Key_Return);
    QCOMPARE(text->toPlainText(), u"\\set amount 1\nSELECT products"_s);
    text->setPlainText(u"\\set amount 1\nSELECT  FROM products"_s);
    text->moveCursor(QTextCursor::End);
    text->moveCursor(QTextCursor::StartOfLine);
    for (int i = 0; i < 7; ++i)
        text->moveCursor(QTextCursor::Right);
    QTest::keyClicks(text, u"p"_s);
    QCOMPARE(offers(), (QStringList{u"price"_s, u"products"_s})); // the statement names the table
    QTest::keyClicks(text, u"rice + :am"_s);
    QCOMPARE(offers(), QStringList{u":amount"_s});
    text->setPlainText(u"SELECT 'pr"_s);
    text->moveCursor(QTextCursor::End);
    QCOMPARE(offers(), QStringList()); // a text
    text->setPlainText(u"+++\n[[tables]]\nse"_s);
    text->moveCursor(QTextCursor::End);
    QCOMPARE(offers(), (QStringList{u"seed"_s, u"sequence"_s})); // keys of a head
}

//! Enter is a line break until a person moves to a word; names in quotes are typed without them.
void TestScriptPage::choosesNoWordUnasked()
{
    QCOMPARE(ask("CREATE TABLE \"Order\" (id INTEGER PRIMARY KEY)"), -1); // no row
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, "");
    agree(fixture);
    readNow(fixture);
    auto* text = fixture.find<ScriptEditor>("scriptText");
    text->setFocus();
    QTest::keyClicks(text, u"SELECT pr"_s);
    QListView* popup = nullptr;
    for (QWidget* one : QApplication::topLevelWidgets())
        popup = one->objectName() == u"scriptOffers"_s && one->isVisible() ? qobject_cast<QListView*>(one) : popup;
    QVERIFY(popup && !popup->currentIndex().isValid());
    QTest::keyClick(popup, Qt::Key_Return);
    QCOMPARE(text->toPlainText(), u"SELECT pr\n"_s);
    QVERIFY(!popup->isVisible());
    QTest::keyClicks(text, u"or"_s);
    QVERIFY(popup->isVisible());
    QTest::keyClick(popup, Qt::Key_Down);
    QTest::keyClick(popup, Qt::Key_Return);
    QCOMPARE(text->toPlainText(), u"SELECT pr\n\"Order\""_s);
}

void TestScriptPage::showsPlans()
{
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, kOrders);
    agree(fixture);
    fixture.find<QComboBox>("scriptTrySection")->setCurrentIndex(1);
    QVERIFY(tryNow(fixture));
    auto* table = fixture.find<QTableView>("scriptTryTable");
    auto* fold = fixture.find<QToolButton>("scriptTryPlanFold");
    auto* plan = fixture.find<QLabel>("scriptTryPlan");
    QVERIFY(!fold->isVisible());
    table->selectRow(1);
    QVERIFY(fold->isVisible() && !plan->isVisible());
    QVERIFY(fixture.find<QLabel>("scriptTryWhole")->text().contains(u"products"_s));
    fold->click();
    QVERIFY(plan->isVisible());
    QVERIFY2(plan->text().contains(u"SCAN"_s), qPrintable(plan->text()));
    table->selectRow(0); // BEGIN
    QVERIFY(!fold->isVisible() && !plan->isVisible() && !fixture.find<QLabel>("scriptTryWhole")->isVisible());
}

//! As a person chooses it; what is wrong with it is shown at its line.
void TestScriptPage::opensAFile()
{
    QSettings().remove(u"folders"_s);
    PlanPageFixture fixture(m_folder.path());
    openPage(fixture, kOrders);
    const auto written = [this](const char* name, const QByteArray& text) {
        QFile file(m_folder.filePath(QLatin1String(name)));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName() : QString();
    };
    const auto choose = [&fixture](const char* button, const QString& file) {
        QTest::mouseClick(fixture.show<QPushButton>(button), Qt::LeftButton);
        auto* dialog = fixture.find<QFileDialog>("scriptFileDialog");
        QVERIFY(dialog);
        dialog->setDirectory(QFileInfo(file).path());
        emit dialog->fileSelected(file);
        delete dialog;
    };
    const auto param = [&fixture](const char* name) {
        const Settings& params = fixture.plan().workload.params;
        return params.contains(name) ? toText(params.at(name)) : std::string();
    };
    const QString good = written("good.workload", "\\set id random(1, 9)\nSELECT :id;\n");
    choose("scriptOpen", good);
    QTRY_COMPARE_WITH_TIMEOUT(param("scripts"), std::string("\\set id random(1, 9)\nSELECT :id;\n"), kPatienceMs);
    QCOMPARE(param("schema"), std::string("none")); // as its text has no table of pgbench's
    QCOMPARE(fixture.find<ScriptEditor>("scriptText")->text().toStdString(), param("scripts"));
    // Whoever chose the file need not have written it: a letter typed into it is no word for the rest.
    const auto asks = [&fixture] {
        int scripts = 0;
        for (const Risk& risk : fixture.context.agreements().unanswered(fixture.plan(), risksOf(fixture.plan())))
            scripts += risk.key == "workload.scripts" ? 1 : 0;
        return scripts;
    };
    QCOMPARE(asks(), 1);
    auto* text = fixture.find<ScriptEditor>("scriptText");
    text->moveCursor(QTextCursor::Start);
    QTest::keyClicks(text, u" "_s);
    QCOMPARE(param("scripts").front(), ' ');
    QCOMPARE(asks(), 1);
    QSignalSpy asked(&fixture.context, &AppContext::consentRequested);
    QVERIFY(fixture.settle());
    QTest::mouseClick(fixture.find<QPushButton>("scriptTryButton"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(asked.size(), 1, kPatienceMs);
    agree(fixture);
    QVERIFY(tryNow(fixture));
    QCOMPARE(asked.size(), 1);
    fixture.page.editor().undoStack().undo();
    fixture.page.editor().undoStack().undo();
    QCOMPARE(param("scripts"), std::string(kOrders));

    choose("scriptOpen", written("bad.sql", "SELECT 1 FROM pgbench_branches;\n\\set id random(1, )\n"));
    QTRY_VERIFY_WITH_TIMEOUT(text->mistake(), kPatienceMs);
    QCOMPARE(text->mistake()->line, 2);
    QCOMPARE(text->textCursor().blockNumber(), 1);
    QCOMPARE(param("schema"), std::string("pgbench"));
    choose("scriptOpen", written("worse.sql", "SELECT 1;\n\\set id random(1, )\n"));
    QTRY_COMPARE_WITH_TIMEOUT(param("schema"), std::string("none"), kPatienceMs);

    // A file that the head names and that is not there.
    auto* problem = fixture.find<QLabel>("scriptProblem");
    QVERIFY(!problem->isVisible());
    choose("scriptOpen", written("words.workload", "+++\n[[tables]]\nname = \"t\"\nrows = 10\n[tables.columns]\n"
                                                   "id = { type = \"INT PRIMARY KEY\", sequence = 1 }\n"
                                                   "city = { type = \"VARCHAR(9)\", words = \"none.txt\" }\n"
                                                   "+++\nSELECT 1;\n"));
    QTRY_VERIFY_WITH_TIMEOUT(problem->isVisible(), kPatienceMs);
    QVERIFY2(problem->text().contains(u"none.txt"_s), qPrintable(problem->text()));
    auto* below = text->findChild<ElidedLabel*>(u"scriptMistake"_s);
    QTRY_COMPARE_WITH_TIMEOUT(below->fullText(), u"No mistakes in the text itself; the problem stands above"_s,
                              kPatienceMs);
    test::keepPictures(fixture.page, u"script-problem"_s);
    choose("scriptOpen", good);
    QTRY_VERIFY_WITH_TIMEOUT(!problem->isVisible(), kPatienceMs);

    QStringList messages;
    QObject::connect(&fixture.context, &AppContext::messageRequested, &fixture.page,
                     [&messages](const QString& text) { messages << text; });
    choose("scriptOpen", m_folder.filePath(u"none.sql"_s));
    QTRY_COMPARE_WITH_TIMEOUT(messages.size(), 1, kPatienceMs);
    QVERIFY2(messages.front().startsWith(u"none.sql was not opened"_s), qPrintable(messages.front()));

    if (!findWorkload(kLuaWorkload))
        return;
    written("helper.lua", "function help() end\n");
    choose("scriptOpen", written("mine.lua", "require('helper')\nfunction event() help() end\n"));
    QTRY_COMPARE_WITH_TIMEOUT(fixture.plan().workload.name, std::string(kLuaWorkload), kPatienceMs);
    QVERIFY2(param("script").find("--@file helper\nfunction help") != std::string::npos, param("script").c_str());
    QVERIFY(!fixture.find("scriptPage")->isVisible()); // which is for the other language
    QVERIFY(!fixture.plan().workload.params.contains("schema"));
    fixture.page.editor().edit({}, [](Plan& plan) {
        plan.workload.params["options"] = std::string("tables=4");
        plan.workload.params["command"] = std::string("prepare");
    });
    // Another script has other options; what is wrong with it is in the form, at its line of the whole text.
    choose("workloadOpen", written("other.LUA", "function event()\n  if then\nend\n"));
    QTRY_VERIFY_WITH_TIMEOUT(param("script").find("if then") != std::string::npos, kPatienceMs);
    QCOMPARE(fixture.plan().workload.params.size(), std::size_t(1));
    auto* lua = fixture.find<ScriptEditor>("workload.script");
    QVERIFY(lua->isVisible() && lua->mistake());
    QCOMPARE(lua->textCursor().blockNumber(), 2); // behind the mark of its file
    QVERIFY2(messages.back().contains(u"other.LUA:2"_s), qPrintable(messages.back()));
    choose("workloadOpen", good);
    QTRY_COMPARE_WITH_TIMEOUT(fixture.plan().workload.name, std::string("script"), kPatienceMs);
    QVERIFY(!fixture.plan().workload.params.contains("script"));
}

//! Below its options, with the same card.
void TestScriptPage::triesAnEventOfLua()
{
    if (!findWorkload(kLuaWorkload))
        QSKIP("built without the interpreter of sysbench's scripts");
    PlanPageFixture fixture(m_folder.path());
    QVERIFY(!fixture.find("luaTry"));
    Plan plan = shopPlan(m_file, "SELECT 1;");
    plan.workload.name = kLuaWorkload;
    plan.workload.params = {{kLuaScriptParam, std::string("function event()\n"
                                                          "   local con = sysbench.sql.driver():connect()\n"
                                                          "   con:query('UPDATE products SET price = 9')\n"
                                                          "end\n")}};
    fixture.page.editor().setPlan(plan);
    QVERIFY(fixture.settle());
    agree(fixture);
    auto* card = fixture.find<ScriptTryCard>("luaTry");
    QVERIFY(card && !card->isHidden());
    QSignalSpy finished(card, &ScriptTryCard::finished);
    QTest::mouseClick(card->findChild<QPushButton*>(u"scriptTryButton"_s), Qt::LeftButton);
    QVERIFY(finished.wait(kPatienceMs));
    QVERIFY2(card->result().problem.empty(), card->result().problem.c_str());
    QVERIFY(card->result().rolledBack);
    QCOMPARE(ask("SELECT sum(price) FROM products"), 21);
    const QString figures = card->findChild<QLabel*>(u"scriptTryFigures"_s)->text();
    QVERIFY2(figures.contains(u"1 statement"_s) && figures.contains(u"3 row"_s), qPrintable(figures));
    test::keepPictures(fixture.page, u"lua-try"_s);
    fixture.page.editor().edit({}, [](Plan& other) { other.workload.name = kScriptWorkload; });
    QVERIFY(card->isHidden());
}

//! What is not saved is asked about once the file is read; it lands in no plan that came meanwhile.
void TestScriptPage::aFileBecomesAPlan()
{
    const QString path = m_folder.filePath(u"orders.sql"_s);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("SELECT 7;\n") > 0);
    file.close();
    PlanPageFixture fixture(m_folder.path());
    PlanEditor& editor = fixture.page.editor();
    editor.setPlan(shopPlan(m_file, kOrders));
    fixture.page.openScript(path);
    editor.edit({}, [](Plan& plan) { plan.title = "Changed"; }); // while it is read
    QTRY_VERIFY_WITH_TIMEOUT(fixture.find<QPushButton>("unsavedCancel"), kPatienceMs);
    QTest::mouseClick(fixture.find<QPushButton>("unsavedCancel"), Qt::LeftButton);
    QTRY_VERIFY(!fixture.find<QPushButton>("unsavedCancel"));
    QCOMPARE(editor.plan().title, std::string("Changed"));

    editor.setPlan(shopPlan(m_file, kOrders));
    fixture.page.openScript(path);
    editor.setPlan(shopPlan(m_file, "SELECT 8;")); // another one comes first
    QVERIFY(QThreadPool::globalInstance()->waitForDone(kPatienceMs));
    QVERIFY(fixture.settle());
    QCOMPARE(editor.plan().title, std::string("Shop"));
    QCOMPARE(toText(editor.plan().workload.params.at("scripts")), std::string("SELECT 8;"));

    fixture.page.openScript(path);
    QTRY_COMPARE_WITH_TIMEOUT(editor.plan().title, std::string("orders"), kPatienceMs);
    QCOMPARE(toText(editor.plan().workload.params.at("scripts")), std::string("SELECT 7;\n"));
}

} // namespace dyno::tst_script_page

DYNO_WIDGET_SUITE(tst_script_page, dyno::tst_script_page::TestScriptPage)
#include "tst_script_page.moc"
