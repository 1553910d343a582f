// SPDX-License-Identifier: GPL-3.0-or-later
// The page to write a script, used as a person does, and a try on a real database file.
#include "plan/script_editor.h"
#include "plan/script_page.h"
#include "plan/script_try_card.h"
#include "plan_page_fixture.h"
#include "support/suite.h"

#include <QMenu>
#include <QTableView>

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
    void asksBeforeSomebodyElsesScript();
    void asksAboutWhatStays();
    void saysWhyItCannotBeTried();

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
    fixture.find<QComboBox>("scriptTrySection")->setCurrentIndex(1);
    QSignalSpy finished(card, &ScriptTryCard::finished);
    QTest::keyClick(fixture.find<ScriptEditor>("scriptText"), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(finished.wait(kPatienceMs));
    QVERIFY(!fixture.context.run().active());
    QCOMPARE(card->result().statements.at(1).changed, std::int64_t(3));
    QVERIFY(fixture.find<QLabel>("scriptTryKept")->text().startsWith(u"Rolled back"_s));
    QCOMPARE(ask("SELECT sum(price) FROM products"), 21);
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

} // namespace dyno::tst_script_page

DYNO_WIDGET_SUITE(tst_script_page, dyno::tst_script_page::TestScriptPage)
#include "tst_script_page.moc"
