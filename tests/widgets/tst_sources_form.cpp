// SPDX-License-Identifier: GPL-3.0-or-later
// Exporters and machines on the Plan page, with a real exporter; and the level of the server's instruments.
#include "parts/field.h"
#include "plan/sources_form.h"
#include "support/own_settings.h"
#include "support/suite.h"
#include "support/verify.h"
#include "widgets/pictures.h"
#include "widgets/plan_page_fixture.h"
#include "widgets/sample_library.h"

#include <dyno/live_metrics.h>

#include <QAbstractItemView>
#include <QCompleter>
#include <QScopeGuard>
#include <QThread>

#include <algorithm>
#include <atomic>

namespace dyno::tst_sources_form {
using namespace Qt::StringLiterals;
using test::PlanPageFixture;

class TstSourcesForm : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void addedAndTyped();
    void namesAndKeys();
    void faultLeadsToItsRow();
    void triesOffTheWindowsThread();
    void aStrangersIsAskedAbout();
    void instruments();
    void countersAreOffered();
    void pictures();

private:
    //! Types into the open editor of the table.
    static void typeInto(FitTable* table, const QString& text)
    {
        auto* line = table->findChild<QLineEdit*>(u"sourceEditor"_s);
        QVERIFY(line);
        line->selectAll();
        QTest::keyClicks(line, text);
    }
    static void finish(FitTable* table)
    {
        QTest::keyClick(table->findChild<QLineEdit*>(u"sourceEditor"_s), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!table->findChild<QLineEdit*>(u"sourceEditor"_s), test::kPatienceMs);
    }
    static QString cell(const FitTable* table, int row, int column)
    {
        return table->model()->index(row, column).data().toString();
    }

    QTemporaryDir m_dir;
};

void TstSourcesForm::initTestCase()
{
    QVERIFY(m_dir.isValid());
    test::ownHome(m_dir);
}

void TstSourcesForm::init()
{
    QSettings().clear();
}

void TstSourcesForm::addedAndTyped()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.context.editPlan(test::quickPlan());
    auto* table = fixture.show<FitTable>("sourcesTable");
    QVERIFY(table->isHidden() && !fixture.find("sourcesEmpty")->isHidden());
    fixture.click("addExporter");
    QCOMPARE(table->model()->rowCount(), 1);
    QVERIFY(!table->isHidden() && fixture.find("sourcesEmpty")->isHidden());
    auto* problem = fixture.find<QLabel>("sourcesProblem");
    QVERIFY(!fixture.find("trySource")->isEnabled());
    typeInto(table, u"ftp://127.0.0.1"_s);
    QVERIFY2(problem->text().startsWith(sentenceText("an exporter is reached by http:// or https://")),
             qPrintable(problem->text())); // before it is in the plan
    QVERIFY(fixture.plan().set.at("exporter.exporter") == Value(std::string()));
    finish(table);
    QVERIFY(fixture.settle());
    QVERIFY(!problem->isHidden());
    const Faults& faults = fixture.page.editor().check().faults;
    QVERIFY(std::ranges::any_of(faults, [&](const Fault& one) {
        return one.where == "set.exporter.exporter" && problem->text().contains(qtText(one.remedy));
    }));

    QTest::keyClick(table, Qt::Key_Return);
    typeInto(table, u"http://127.0.0.1:9100/metrics node_load1"_s);
    QVERIFY(problem->isHidden());
    finish(table);
    QVERIFY(fixture.plan().set.at("exporter.exporter") ==
            Value(std::string("http://127.0.0.1:9100/metrics node_load1")));
    QVERIFY(fixture.find("trySource")->isEnabled());
    QVERIFY(fixture.settle());
    QVERIFY(fixture.page.editor().startable());

    fixture.click("addMachine");
    typeInto(table, u"ssh joe@db1.example.org"_s);
    finish(table);
    QVERIFY(fixture.plan().set.at("machine.machine") == Value(std::string("ssh joe@db1.example.org")));
    QCOMPARE(cell(table, 1, SourcesModel::KindColumn), u"Machine"_s);
    QCOMPARE(fixture.find<FitTable>("settingsTable")->model()->rowCount(), 0); // in one table only
    fixture.page.editor().undoStack().undo();
    QVERIFY(fixture.plan().set.at("machine.machine") == Value(std::string("ssh ")));
    fixture.page.editor().undoStack().undo();
    QCOMPARE(table->model()->rowCount(), 1);
}

//! Names of what servers of the kind told in the last sessions, for the one that is being typed.
void TstSourcesForm::countersAreOffered()
{
    test::SampleLibrary library;
    sample::Options options;
    options.intervals = 6;
    options.counters = true;
    options.hiddenCounters = 4; // those can be named, too
    const QString id = library.add(options);
    const StoredSession session = library.session(id);
    { // One with counters that the field cannot hold, or that are of this session alone.
        options.id = "5e551011-0000-4000-8000-00000000a11e";
        auto writer = SessionWriter::open(library.file());
        VERIFY_OK(writer);
        const SessionHeader other = sample::header(options);
        (*writer)->onSessionStarted(other);
        RunHeader run = sample::runHeader(other, 0);
        run.counters = {
            {"server", "kept_alone", "", true},           {"server", "requests{code=\"200\",method=\"get\"}", "", true},
            {"server", std::string(121, 'x'), "", true},  {"Prometheus 127.0.0.1:9090", "added_later", "", false},
            {"exporter", "own_figure", "", false},        {kHostSource, "CPU user", "cores", false},
            {kProcessSource, kProcessCpu, "cores", false}};
        (*writer)->onRunStarted(run);
        VERIFY_OK((*writer)->flush());
    }
    PlanPageFixture fixture(QFileInfo(library.path("library.dynolib")).path());
    Plan plan = test::quickPlan();
    plan.target.uri = session.header.points.front().target.uri;
    plan.load.observe = {"Threads_running"};
    fixture.context.editPlan(plan);
    auto* line = fixture.show<QLineEdit>("load.observe");
    line->setFocus();
    QTRY_VERIFY_WITH_TIMEOUT(line->completer()->model()->rowCount() > 0, test::kPatienceMs);
    QStringList offered;
    for (int i = 0; i < line->completer()->model()->rowCount(); ++i)
        offered << line->completer()->model()->index(i, 0).data().toString();
    for (const char* one : {"kept_alone", "host/CPU user", "server process/CPU"})
        QVERIFY2(offered.contains(QLatin1String(one)), one);
    for (const char* one : {"requests", "xxx", "added_later", "own_figure"})
        QVERIFY2(offered.filter(QLatin1String(one)).isEmpty(), one);
    const std::string name = session.runs.front().header.counters.at(3).name;
    const QString typed = qtText(name.substr(2)).toUpper(); // anywhere in the name, whatever the case
    line->setCursorPosition(0);
    QTest::keyClicks(line, u", "_s);
    line->setCursorPosition(0);
    QTest::keyClicks(line, typed); // before the name that is there
    auto* offers = line->completer()->popup();
    QTRY_VERIFY_WITH_TIMEOUT(offers->isVisible(), test::kPatienceMs);
    QCOMPARE(offers->objectName(), u"observeOffers"_s);
    QVERIFY(!offers->accessibleName().isEmpty());
    int row = 0;
    while (row < offers->model()->rowCount() &&
           !offers->model()->index(row, 0).data().toString().endsWith(qtText(name)))
        ++row;
    QVERIFY(row < offers->model()->rowCount());
    const QString chosen = offers->model()->index(row, 0).data().toString();
    for (int i = 0; i <= row; ++i)
        QTest::keyClick(offers, Qt::Key_Down);
    QTest::keyClick(offers, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(fixture.plan().load.observe ==
                                 (std::vector<std::string>{chosen.toStdString(), "Threads_running"}),
                             test::kPatienceMs);
    QCOMPARE(line->text(), QString(chosen + u", Threads_running"_s));
    QCOMPARE(line->cursorPosition(), int(chosen.size()));
    // What is only highlighted is shown, with the cursor behind it; without a choice it goes.
    line->setCursorPosition(0);
    QTest::keyClicks(line, u"kept, "_s);
    line->setCursorPosition(4);
    QTest::keyClicks(line, u"_al"_s);
    QTRY_VERIFY_WITH_TIMEOUT(offers->isVisible(), test::kPatienceMs);
    const QString before = line->text();
    QTest::keyClick(offers, Qt::Key_Down);
    QCOMPARE(line->text(), QString(u"kept_alone"_s + before.mid(7)));
    QTRY_COMPARE_WITH_TIMEOUT(line->cursorPosition(), 10, test::kPatienceMs);
    QTest::keyClick(offers, Qt::Key_Escape);
    QTRY_COMPARE_WITH_TIMEOUT(line->text(), before, test::kPatienceMs);
    QCOMPARE(line->cursorPosition(), 7);
    QCOMPARE(fixture.plan().load.observe.front(), std::string("kept_al"));
    line->setCursorPosition(0);
    for (int i = 0; i < 9; ++i)
        QTest::keyClick(line, Qt::Key_Delete);
    // One that fits nothing is left alone.
    line->end(false);
    QTest::keyClicks(line, u", no_such_name"_s);
    QVERIFY(!offers->isVisible());
    QCOMPARE(fixture.plan().load.observe.size(), std::size_t(3));
}

void TstSourcesForm::namesAndKeys()
{
    PlanPageFixture fixture(m_dir.path());
    Plan plan = test::quickPlan();
    plan.set = {{"exporter.a", std::string("http://127.0.0.1:9100/metrics")},
                {"exporter.b", std::string("http://127.0.0.1:9101/metrics")}};
    fixture.context.editPlan(plan);
    auto* table = fixture.show<FitTable>("sourcesTable");
    QCOMPARE(table->model()->rowCount(), 2);
    const auto edit = [table](int row) {
        table->setFocus();
        table->setCurrentIndex(table->model()->index(row, SourcesModel::NameColumn));
        QTest::keyClick(table, Qt::Key_Return);
    };
    edit(0);
    typeInto(table, u"b"_s);
    QCOMPARE(fixture.find<QLabel>("sourcesProblem")->text(), u"Another exporter has this name"_s);
    finish(table);
    QVERIFY(fixture.plan().set == plan.set);
    QVERIFY(fixture.find("sourcesProblem")->isHidden()); // the name was not taken
    edit(0);
    typeInto(table, u"b"_s);
    QVERIFY(!fixture.find("sourcesProblem")->isHidden());
    QTest::keyClick(table->findChild<QLineEdit*>(u"sourceEditor"_s), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!table->findChild<QLineEdit*>(u"sourceEditor"_s), test::kPatienceMs);
    QVERIFY(fixture.find("sourcesProblem")->isHidden());
    edit(0);
    typeInto(table, u"z"_s);
    finish(table);
    QVERIFY(fixture.plan().set.at("exporter.z") == plan.set.at("exporter.a") && fixture.plan().set.size() == 2);
    QCOMPARE(cell(table, 1, SourcesModel::NameColumn), u"z"_s);
    QTRY_COMPARE_WITH_TIMEOUT(table->currentIndex().row(), 1, test::kPatienceMs); // where the row went
    table->setCurrentIndex(table->model()->index(0, SourcesModel::NameColumn));
    QTest::keyClick(table, Qt::Key_Delete);
    QVERIFY(fixture.plan().set.size() == 1 && fixture.plan().set.contains("exporter.z"));
    fixture.page.editor().undoStack().undo();
    QCOMPARE(table->model()->rowCount(), 2);
    fixture.click("removeSource");
    QCOMPARE(table->model()->rowCount(), 1);
}

void TstSourcesForm::faultLeadsToItsRow()
{
    PlanPageFixture fixture(m_dir.path());
    Plan plan = test::quickPlan();
    plan.set = {{"exporter.fine", std::string("http://127.0.0.1:9100/metrics")}, {"machine.m", std::string("db1")}};
    fixture.context.editPlan(plan);
    QVERIFY(fixture.settle());
    fixture.page.goTo(u"set.machine.m"_s);
    auto* table = fixture.find<FitTable>("sourcesTable");
    QVERIFY(table->isVisible());
    QCOMPARE(table->currentIndex().row(), 1);
    QVERIFY2(fixture.find<QLabel>("sourcesProblem")->text().startsWith(u"A machine is reached by ssh"_s),
             qPrintable(fixture.find<QLabel>("sourcesProblem")->text()));
    QVERIFY(!fixture.find("trySource")->isEnabled());
}

void TstSourcesForm::triesOffTheWindowsThread()
{
    std::atomic<bool> answer = false;
    std::atomic<int> asks = 0;
    auto server = MetricsServer::listen({}, [&answer, &asks] {
        ++asks;
        while (!answer)
            QThread::msleep(1);
        return std::string("node_load1 0.5\nnode_load5 0.4\n");
    });
    if (!server)
        QSKIP(server.error().text().c_str());
    const auto release = qScopeGuard([&answer] { answer = true; });
    PlanPageFixture fixture(m_dir.path());
    fixture.context.editPlan(test::quickPlan());
    auto* form = fixture.show<SourcesForm>("sourcesForm");
    auto* table = fixture.find<FitTable>("sourcesTable");
    fixture.click("addExporter");
    typeInto(table, QString::fromStdString((*server)->url()));
    finish(table);
    QSignalSpy asked(&fixture.context, &AppContext::consentRequested);
    QSignalSpy tried(form, &SourcesForm::tried);
    fixture.click("trySource"); // what this person typed needs no agreement
    QVERIFY(asked.isEmpty());
    QVERIFY(form->trying());    // and the window goes on
    fixture.click("trySource"); // one at a time
    QCOMPARE(cell(table, 0, SourcesModel::TriedColumn), u"asking…"_s);
    QTRY_COMPARE_WITH_TIMEOUT(asks.load(), 1, test::kPatienceMs);
    // Another row is what is waited for now, and no answer of the first comes later.
    fixture.page.editor().edit(
        {}, [](Plan& next) { next.set["exporter.wrong"] = std::string("http://127.0.0.1:9/metrics"); });
    table->setCurrentIndex(table->model()->index(1, SourcesModel::ReadsColumn));
    fixture.click("trySource");
    QCOMPARE(cell(table, 0, SourcesModel::TriedColumn), QString());
    QVERIFY(tried.wait(test::kPatienceMs) && !form->trying());
    QVERIFY(!cell(table, 1, SourcesModel::TriedColumn).isEmpty());
    answer = true;
    fixture.page.editor().edit({}, [](Plan& next) { next.set.erase("exporter.wrong"); });
    table->setCurrentIndex(table->model()->index(0, SourcesModel::ReadsColumn));
    fixture.click("trySource");
    QVERIFY(tried.wait(test::kPatienceMs));
    QCOMPARE(cell(table, 0, SourcesModel::TriedColumn), u"2 series"_s);
    QVERIFY(!form->trying());

    server->reset();
    fixture.click("trySource");
    QVERIFY(tried.wait(test::kPatienceMs));
    const QString why = cell(table, 0, SourcesModel::TriedColumn);
    QVERIFY2(!why.isEmpty() && !why.contains(u"series"_s), qPrintable(why));
    QCOMPARE(fixture.find<QLabel>("sourcesProblem")->text(), why); // whole, where the cell is too narrow
    table->setCurrentIndex(table->model()->index(0, SourcesModel::ReadsColumn));
    QTest::keyClick(table, Qt::Key_Return);
    typeInto(table, u"http://127.0.0.1:9/metrics"_s);
    finish(table);
    QCOMPARE(cell(table, 0, SourcesModel::TriedColumn), QString()); // it was about another one
}

//! The URL of somebody else's plan is asked for nothing before a person has agreed.
void TstSourcesForm::aStrangersIsAskedAbout()
{
    std::atomic<int> requests = 0;
    auto server = MetricsServer::listen({}, [&requests] {
        ++requests;
        return std::string("node_load1 0.5\n");
    });
    if (!server)
        QSKIP(server.error().text().c_str());
    PlanPageFixture fixture(m_dir.path());
    Plan plan = test::quickPlan();
    plan.set = {{"exporter.theirs", (*server)->url()}};
    fixture.context.editPlan(plan);
    QVERIFY(fixture.settle());
    auto* form = fixture.show<SourcesForm>("sourcesForm");
    QString text;
    std::vector<ConsentAnswer> answers;
    connect(&fixture.context, &AppContext::consentRequested, &fixture.page,
            [&](const QString&, const QString& more, const std::vector<ConsentAnswer>& given) {
                text = more;
                answers = given;
            });
    QSignalSpy tried(form, &SourcesForm::tried);
    fixture.click("trySource");
    QVERIFY(!answers.empty() && !form->trying());
    QVERIFY2(text.contains(u"exporter.theirs"_s) && text.contains(u"send a request to"_s), qPrintable(text));
    QVERIFY(!tried.wait(100));
    QCOMPARE(requests.load(), 0);
    answers.front().action(); // "Allow and read"
    QVERIFY(tried.wait(test::kPatienceMs));
    QCOMPARE(requests.load(), 1);
    auto* table = fixture.find<FitTable>("sourcesTable");
    QCOMPARE(cell(table, 0, SourcesModel::TriedColumn), u"1 series"_s);
    answers.clear();
    fixture.click("trySource"); // agreed to
    QVERIFY(answers.empty() && tried.wait(test::kPatienceMs));
}

void TstSourcesForm::instruments()
{
    PlanPageFixture fixture(m_dir.path());
    Plan plan = test::quickPlan();
    plan.target.uri = "mysql://joe@db1.example.org/sbtest";
    fixture.context.editPlan(plan);
    auto* box = fixture.show<QComboBox>("load.instruments");
    QVERIFY(box->isEnabled());
    QCOMPARE(box->currentData().toInt(), int(InstrumentsLevel::None));
    for (const InstrumentsLevel level : {InstrumentsLevel::Full, InstrumentsLevel::Light, InstrumentsLevel::None}) {
        box->setCurrentIndex(box->findData(int(level)));
        emit box->activated(box->currentIndex());
        QVERIFY(fixture.plan().load.instruments == level);
    }
    fixture.page.editor().edit({}, [](Plan& next) { next.load.instruments = InstrumentsLevel::Full; });
    QCOMPARE(box->currentData().toInt(), int(InstrumentsLevel::Full));
    QVERIFY(fixture.settle());
    const auto open = [&fixture] {
        return fixture.context.agreements().unanswered(fixture.plan(), fixture.page.editor().check().risks);
    };
    QCOMPARE(fixture.page.editor().check().risks.size(), std::size_t(1));
    QVERIFY(open().empty());                        // typed by this person
    plan.load.instruments = InstrumentsLevel::Full; // somebody else's
    PlanPageFixture later(m_dir.path());
    later.context.editPlan(plan);
    QVERIFY(later.settle());
    const std::vector<Risk> asks = later.context.agreements().unanswered(plan, later.page.editor().check().risks);
    QCOMPARE(asks.size(), std::size_t(1));
    QCOMPARE(asks.front().key, std::string(kInstrumentsKey));
}

void TstSourcesForm::pictures()
{
    if (qEnvironmentVariable("DYNO_TEST_PICTURES").isEmpty())
        QSKIP("for somebody who wants to look: DYNO_TEST_PICTURES=FOLDER");
    PlanPageFixture fixture(m_dir.path());
    fixture.page.resize(1356, 1100);
    Plan plan = test::quickPlan();
    plan.load.instruments = InstrumentsLevel::Light;
    plan.set = {{"exporter.node", std::string("http://127.0.0.1:9/metrics node_load1 node_cpu_seconds_total*")},
                {"exporter.wrong", std::string("ftp://127.0.0.1")},
                {"machine.db host", std::string("ssh joe@db1.example.org")}};
    fixture.context.editPlan(test::quickPlan());
    fixture.page.editor().edit({}, [&plan](Plan& next) { next = plan; });
    auto* form = fixture.show<SourcesForm>("sourcesForm");
    QVERIFY(fixture.settle());
    QSignalSpy tried(form, &SourcesForm::tried);
    fixture.click("trySource");
    QVERIFY(tried.wait(test::kPatienceMs));
    test::keepPictures(fixture.page, u"sources"_s);
    fixture.find<FitTable>("sourcesTable")
        ->setCurrentIndex(fixture.find<FitTable>("sourcesTable")->model()->index(1, SourcesModel::ReadsColumn));
    test::keepPictures(fixture.page, u"sources-fault"_s);
    fixture.page.editor().edit({}, [](Plan& next) { next.set.clear(); });
    test::keepPictures(fixture.page, u"sources-none"_s);
}

} // namespace dyno::tst_sources_form

DYNO_WIDGET_SUITE(tst_sources_form, dyno::tst_sources_form::TstSourcesForm)
#include "tst_sources_form.moc"
