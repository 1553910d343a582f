// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "forms/field.h"
#include "forms/labels.h"
#include "forms/plan_summary.h"
#include "forms/target_form.h"
#include "models/plan_text.h"
#include "pages/plan_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

using namespace dyno;
using namespace Qt::StringLiterals;

namespace {

Plan quickPlan()
{
    Plan plan;
    plan.title = "quick";
    plan.target.uri = "null:";
    plan.workload.name = "oltp_point_select";
    plan.workload.params = {{"table_size", std::int64_t(100)}};
    plan.load.timeSeconds = 0.3;
    plan.load.intervalSeconds = 0.1;
    return plan;
}

} // namespace

class Fixture
{
public:
    explicit Fixture(const QString& dir)
        : context(std::filesystem::path(dir.toStdString()) / "library.dynolib")
        , page(context)
    {
        page.resize(1356, 900);
        page.show();
    }
    bool settle() // until the check of the current plan is on the screen
    {
        QSignalSpy checked(&page.editor(), &PlanEditor::checked);
        return !page.editor().checking() || checked.wait(10000);
    }
    template<class T = QWidget>
    T* find(const char* name) const
    {
        return page.findChild<T*>(QLatin1String(name));
    }
    void type(const char* name, const QString& text) const
    {
        auto* line = find<QLineEdit>(name);
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, text);
    }
    void click(const char* name) const { QTest::mouseClick(find(name), Qt::LeftButton); }
    QList<FaultRow*> faults() const
    {
        QList<FaultRow*> shown;
        for (auto* row : page.findChildren<FaultRow*>()) {
            if (row->isVisible())
                shown << row;
        }
        return shown;
    }
    const Plan& plan() { return page.editor().plan(); }

    AppContext context;
    PlanPage page;
};

class TstPlanPage : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void everyControlIsNamed();
    void firstPlanCanStart();
    void targetTiles();
    void targetPrice();
    void observedCounters();
    void targetFields();
    void managedProducts();
    void mongodbFields();
    void draftsReadBack_data();
    void draftsReadBack();
    void passwordStaysHere();
    void testConnection();
    void testConnectionFails();
    void usersAndTimes();
    void badUsersKeepStartOff();
    void faultLeadsToItsField();
    void workloadChangeKeepsSharedParameters();
    void undoKeys();
    void titleAndUnsavedMark();
    void saveAndOpen();
    void badFileListsFaultsWithLines();
    void unsavedChangesAreAskedFor();
    void restoresTheLastPlan();
    void views();
    void folds();
    void knownServersAndSideBySide();
    void leavesACombinationOut();
    void startRuns();
    void ctrlEnterStarts();

private:
    QTemporaryDir m_dir;
};

void TstPlanPage::initTestCase()
{
    QVERIFY(m_dir.isValid());
    qputenv("XDG_DATA_HOME", m_dir.path().toUtf8());
    QCoreApplication::setOrganizationName(u"dynobench-tests"_s);
    QCoreApplication::setApplicationName(u"tst_plan_page"_s);
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_dir.path());
}

void TstPlanPage::init()
{
    QSettings().clear();
}

void TstPlanPage::everyControlIsNamed()
{
    Fixture fixture(m_dir.path());
    QStringList nameless;
    for (auto* widget : fixture.page.findChildren<QWidget*>()) {
        const bool control = qobject_cast<QLineEdit*>(widget) || qobject_cast<QComboBox*>(widget) ||
                             qobject_cast<QAbstractButton*>(widget);
        const bool inner = widget->objectName().startsWith(u"qt_"_s) || widget->inherits("QTableCornerButton") ||
                           qobject_cast<QComboBox*>(widget->parentWidget());
        if (!control || inner)
            continue;
        if (widget->objectName().isEmpty() || widget->accessibleName().isEmpty() || widget->toolTip().isEmpty())
            nameless << widget->objectName() + u' ' + QLatin1String(widget->metaObject()->className());
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u", "_s)));
}

void TstPlanPage::firstPlanCanStart()
{
    Fixture fixture(m_dir.path());
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.plan().title, std::string("What does durability cost?"));
    QVERIFY(fixture.find<QPushButton>("planStart")->isEnabled());
    QCOMPARE(fixture.find<QLabel>("planRuns")->text(), u"18"_s); // 3 cases × 2 user counts × 3 repeats
    QVERIFY(fixture.faults().isEmpty());
    QVERIFY(!fixture.page.editor().modified());
}

void TstPlanPage::targetTiles()
{
    Fixture fixture(m_dir.path());
    fixture.click("targetManaged");
    QCOMPARE(fixture.plan().target.uri, std::string("managed:mariadb"));
    QVERIFY(fixture.find<QPushButton>("targetManaged")->isChecked());
    QVERIFY(!fixture.find<QPushButton>("targetPrivate")->isChecked());
    QCOMPARE(fixture.find<QLineEdit>("targetUri")->text(), u"managed:mariadb"_s);
    fixture.click("targetPrivate");
    QCOMPARE(fixture.plan().target.uri, std::string("sqlite:"));
    fixture.click("targetFile");
    QVERIFY(fixture.find("target.path")->isVisible());
    fixture.type("target.path", u"/tmp/x.db"_s);
    QCOMPARE(fixture.plan().target.uri, std::string("sqlite:/tmp/x.db"));
    QVERIFY(fixture.find<QPushButton>("targetFile")->isChecked());
}

void TstPlanPage::targetPrice()
{
    Fixture fixture(m_dir.path());
    QVERIFY(fixture.find("target.cost_per_hour")->isVisible());
    QVERIFY(fixture.find<QLineEdit>("target.cost_per_hour")->text().isEmpty());
    fixture.type("target.cost_per_hour", u"0.35"_s);
    fixture.type("target.watts", u"120"_s);
    fixture.type("target.currency", u"CHF"_s);
    QVERIFY((fixture.plan().target.price == Price{0.35, 120, "CHF"}));
    fixture.type("target.watts", u"-3"_s); // not taken over, and said
    QCOMPARE(fixture.plan().target.price.watts, 120.0);
    auto* watts = qobject_cast<Field*>(fixture.find("target.watts")->parentWidget());
    QVERIFY(watts && watts->problem().contains(u"out of range"_s));
    fixture.type("target.watts", u"0"_s); // not known
    QCOMPARE(fixture.plan().target.price.watts, 0.0);
    QVERIFY(watts->problem().isEmpty());
    // The plan's own price fills the fields.
    fixture.page.editor().edit({}, [](Plan& plan) { plan.target.price = {2.5, 0, "$"}; });
    QCOMPARE(fixture.find<QLineEdit>("target.cost_per_hour")->text(), u"2.5"_s);
    QVERIFY(fixture.find<QLineEdit>("target.currency")->text().isEmpty());
}

void TstPlanPage::observedCounters()
{
    Fixture fixture(m_dir.path());
    auto* box = fixture.find<QCheckBox>("load.counters");
    QVERIFY(box->isChecked() && fixture.plan().load.counters);
    box->click();
    QVERIFY(!fixture.plan().load.counters);
    fixture.page.editor().edit({}, [](Plan& plan) { plan.load.counters = true; });
    QVERIFY(box->isChecked());
}

void TstPlanPage::targetFields()
{
    Fixture fixture(m_dir.path());
    fixture.click("targetRemote");
    QVERIFY(fixture.find("target.host")->isVisible());
    fixture.type("target.host", u"db1"_s);
    fixture.type("target.port", u"3307"_s);
    fixture.type("target.user", u"tester"_s);
    fixture.type("target.database", u"sbtest"_s);
    QCOMPARE(fixture.plan().target.uri, std::string("mysql://tester@db1:3307/sbtest"));
    fixture.type("target.socket", u"/run/s.sock"_s);
    QCOMPARE(fixture.plan().target.uri, std::string("mysql://tester@db1:3307/sbtest?socket=/run/s.sock"));
    // The URI is a way in, too, and fills the fields.
    fixture.type("targetUri", u"mysql://other@db2/y"_s);
    QCOMPARE(fixture.find<QLineEdit>("target.host")->text(), u"db2"_s);
    QCOMPARE(fixture.find<QLineEdit>("target.user")->text(), u"other"_s);
    QVERIFY(fixture.find<QPushButton>("targetRemote")->isChecked());
}

void TstPlanPage::managedProducts()
{
    Fixture fixture(m_dir.path());
    fixture.click("targetManaged");
    const auto choose = [&fixture](const char* combo, const QString& text) {
        auto* box = fixture.find<QComboBox>(combo);
        const int index = box->findText(text);
        QVERIFY2(index >= 0, qPrintable(text));
        box->setCurrentIndex(index);
        emit box->activated(index);
    };
    choose("target.product", u"MongoDB"_s);
    QCOMPARE(fixture.plan().target.uri, std::string("managed:mongodb"));
    QCOMPARE(fixture.page.editor().driver(), u"mongodb"_s);
    choose("target.product", u"FerretDB"_s);
    choose("target.transport", u"TCP"_s);
    fixture.type("target.version", u"1.24"_s);
    QCOMPARE(fixture.plan().target.uri, std::string("managed:ferretdb?transport=tcp&version=1.24"));
    // A URI with a fault still says whose knobs to show.
    fixture.type("targetUri", u"managed:ferretdb?no"_s);
    QCOMPARE(fixture.page.editor().driver(), u"mongodb"_s);
}

void TstPlanPage::mongodbFields()
{
    Fixture fixture(m_dir.path());
    fixture.click("targetRemote");
    QVERIFY(!fixture.find("target.replicaSet")->isVisible());
    auto* system = fixture.find<QComboBox>("target.system");
    system->setCurrentIndex(system->findData(u"mongodb"_s));
    emit system->activated(system->currentIndex());
    QVERIFY(fixture.find("target.replicaSet")->isVisible());
    QCOMPARE(fixture.find<QLineEdit>("target.port")->placeholderText(), u"27017"_s);
    fixture.type("target.host", u"db1"_s);
    fixture.type("target.port", u"27018"_s);
    fixture.type("target.user", u"bench"_s);
    fixture.type("target.database", u"ycsb"_s);
    fixture.type("target.authSource", u"admin"_s);
    QCOMPARE(fixture.plan().target.uri, std::string("mongodb://bench@db1:27018/ycsb?auth_source=admin"));
    QVERIFY(fixture.find("target.port")->isEnabled());
    fixture.type("target.host", u"db1:27018,db2:27018"_s); // the ports stand in the list
    QVERIFY(!fixture.find("target.port")->isEnabled());
    fixture.type("target.replicaSet", u"rs0"_s);
    QCOMPARE(fixture.plan().target.uri,
             std::string("mongodb://bench@db1:27018,db2:27018/ycsb?auth_source=admin&replica_set=rs0"));
    fixture.type("target.password", u"s3cretW0rd"_s);
    QCOMPARE(fixture.page.findChild<TargetForm*>()->password(), u"s3cretW0rd"_s);
    fixture.type("targetUri", u"mysql://other@db2/y"_s);
    QCOMPARE(system->currentData().toString(), u"mysql"_s);
    QVERIFY(!fixture.find("target.replicaSet")->isVisible());
}

void TstPlanPage::draftsReadBack_data()
{
    QTest::addColumn<QString>("uri");
    QTest::addColumn<bool>("fields");
    QTest::addColumn<QString>("title");
    const auto row = [](const char* uri, bool fields, const QString& title) {
        QTest::newRow(uri) << QString::fromLatin1(uri) << fields << title;
    };
    row("managed:mongodb", true, u"MongoDB, managed"_s);
    row("managed:ferretdb?name=f1&transport=tcp", true, u"f1 (FerretDB, managed)"_s);
    row("managed:mariadb?version=10.11", true, u"MariaDB 10.11, managed"_s);
    row("mongodb://db1", true, u"mongodb://db1"_s);
    row("mongodb://bench@db1:27018/ycsb?replica_set=rs0&tls=verify", true,
        u"mongodb://bench@db1:27018/ycsb?replica_set=rs0&tls=verify"_s);
    row("mongodb://db1,db2:27018/ycsb", true, u"mongodb://db1,db2:27018/ycsb"_s);
    row("mongodb://%2Frun%2Fmongodb.sock/ycsb", true, u"mongodb://%2Frun%2Fmongodb.sock/ycsb"_s);
    row("mongodb://db1/ycsb?read_preference=nearest", false, u"mongodb://db1/ycsb?read_preference=nearest"_s);
    row("mongodb+srv://cluster.test/ycsb", false, u"mongodb+srv://cluster.test/ycsb"_s);
}

void TstPlanPage::draftsReadBack()
{
    QFETCH(QString, uri);
    QFETCH(bool, fields);
    const TargetDraft draft = TargetDraft::fromUri(uri);
    QCOMPARE(draft.kind != TargetDraft::Kind::Other, fields);
    QCOMPARE(draft.uri(), uri);
    QTEST(targetTitle(uri), "title");
}

void TstPlanPage::passwordStaysHere()
{
    Fixture fixture(m_dir.path());
    fixture.click("targetRemote");
    fixture.type("target.host", u"db1"_s);
    fixture.type("target.password", u"s3cretW0rd"_s);
    QCOMPARE(fixture.find<QLineEdit>("target.password")->echoMode(), QLineEdit::Password);
    QCOMPARE(fixture.page.findChild<TargetForm*>()->password(), u"s3cretW0rd"_s);
    QVERIFY(!qtText(writePlan(fixture.plan())).contains(u"s3cretW0rd"_s));
    QSettings settings;
    settings.sync();
    QVERIFY(settings.contains(QLatin1String(kLastPlanKey)));
    for (const QString& key : settings.allKeys())
        QVERIFY(!settings.value(key).toString().contains(u"s3cretW0rd"_s));
    fixture.click("targetPrivate");
    QVERIFY(fixture.page.findChild<TargetForm*>()->password().isEmpty()); // not for an embedded target
}

void TstPlanPage::testConnection()
{
    Fixture fixture(m_dir.path());
    fixture.click("targetPrivate");
    auto* form = fixture.page.findChild<TargetForm*>();
    QSignalSpy tested(form, &TargetForm::tested);
    fixture.click("testConnection");
    QVERIFY(!fixture.find<QPushButton>("testConnection")->isEnabled()); // runs elsewhere
    QVERIFY(tested.wait(15000));
    QCOMPARE(tested.front().front().toBool(), true);
    QVERIFY(fixture.find<QLabel>("targetResult")->isVisible());
    QVERIFY(fixture.find<QLabel>("targetResult")->text().contains(u"SQLite"_s));
    // Another target: the old answer goes.
    fixture.click("targetManaged");
    QVERIFY(!fixture.find<QLabel>("targetResult")->isVisible());
}

void TstPlanPage::testConnectionFails()
{
    Fixture fixture(m_dir.path());
    auto* form = fixture.page.findChild<TargetForm*>();
    fixture.type("targetUri", u"mysql://root@127.0.0.1:1/none"_s); // nobody listens on port 1
    QSignalSpy tested(form, &TargetForm::tested);
    fixture.click("testConnection");
    QVERIFY(tested.count() > 0 || tested.wait(15000));
    QCOMPARE(tested.front().front().toBool(), false);
    QVERIFY(!fixture.find<QLabel>("targetResult")->text().isEmpty());
    QVERIFY(fixture.find<QPushButton>("testConnection")->isEnabled());
}

void TstPlanPage::usersAndTimes()
{
    Fixture fixture(m_dir.path());
    fixture.type("load.users", u"1-8*2"_s);
    QCOMPARE(fixture.plan().load.users, (std::vector<int>{1, 2, 4, 8}));
    QTest::keyClick(fixture.find("load.users"), Qt::Key_Return);
    QCOMPARE(fixture.find<QLineEdit>("load.users")->text(), u"1, 2, 4, 8"_s);
    fixture.type("load.time", u"2 min"_s);
    QCOMPARE(fixture.plan().load.timeSeconds, 120.0);
    fixture.type("load.repeats", u"3"_s);
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.find<QLabel>("planRuns")->text(), u"36"_s); // 3 cases × 4 × 3
    QVERIFY(fixture.find<QLabel>("planSentence")->text().contains(u"4"_s));
}

void TstPlanPage::badUsersKeepStartOff()
{
    Fixture fixture(m_dir.path());
    QVERIFY(fixture.settle());
    fixture.type("load.users", u"many"_s);
    auto* start = fixture.find<QPushButton>("planStart");
    QVERIFY(!start->isEnabled());
    QVERIFY(!fixture.find<QLabel>("planReason")->text().isEmpty());
    QTRY_COMPARE(fixture.faults().size(), 1);
    QCOMPARE(fixture.plan().load.users, (std::vector<int>{1, 4})); // the plan keeps the last good ones
    fixture.type("load.users", u"2"_s);
    QVERIFY(fixture.settle());
    QVERIFY(start->isEnabled());
    QVERIFY(fixture.find<QLabel>("planReason")->text().isEmpty());
}

void TstPlanPage::faultLeadsToItsField()
{
    Fixture fixture(m_dir.path());
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page));
    fixture.type("workload.table_size", u"-5"_s);
    QVERIFY(fixture.settle());
    QVERIFY(!fixture.find<QPushButton>("planStart")->isEnabled());
    QTRY_COMPARE(fixture.faults().size(), 1);
    QVERIFY(fixture.faults().front()->where().contains(u"table_size"_s));
    fixture.find("planTitle")->setFocus();
    QTest::mouseClick(fixture.faults().front(), Qt::LeftButton);
    QCOMPARE(fixture.page.focusWidget(), fixture.find("workload.table_size"));
    QTest::mouseClick(fixture.find("workload.table_size.reset"), Qt::LeftButton);
    QVERIFY(fixture.settle());
    QVERIFY(fixture.find<QPushButton>("planStart")->isEnabled());
}

void TstPlanPage::workloadChangeKeepsSharedParameters()
{
    Fixture fixture(m_dir.path());
    fixture.type("workload.table_size", u"777"_s);
    auto* combo = fixture.find<QComboBox>("workloadName");
    const int row = combo->findData(u"oltp_read_only"_s);
    QVERIFY(row >= 0);
    combo->setCurrentIndex(row);
    emit combo->activated(row); // what a click into the list does
    QCOMPARE(fixture.plan().workload.name, std::string("oltp_read_only"));
    QCOMPARE(toText(fixture.plan().workload.params.at("table_size")), std::string("777"));
    QVERIFY(fixture.find("workload.table_size"));
    QVERIFY(!fixture.find<QLabel>("workloadDescription")->text().isEmpty());
}

void TstPlanPage::undoKeys()
{
    Fixture fixture(m_dir.path());
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page));
    fixture.type("load.repeats", u"7"_s);
    QCOMPARE(fixture.plan().load.repeats, 7);
    QTest::keyClick(fixture.find("load.repeats"), Qt::Key_Z, Qt::ControlModifier); // in the line itself
    QCOMPARE(fixture.plan().load.repeats, 3);
    QCOMPARE(fixture.find<QLineEdit>("load.repeats")->text(), u"3"_s);
    QTest::keyClick(fixture.find("load.repeats"), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(fixture.plan().load.repeats, 7);
}

void TstPlanPage::titleAndUnsavedMark()
{
    Fixture fixture(m_dir.path());
    auto* source = fixture.find<ElidedLabel>("planSource");
    QVERIFY(!source->fullText().contains(u"changed"_s));
    fixture.type("planTitle", u"My question"_s);
    QCOMPARE(fixture.plan().title, std::string("My question"));
    QVERIFY(source->fullText().contains(u"changed"_s));
    fixture.page.editor().undoStack().undo();
    QVERIFY(!source->fullText().contains(u"changed"_s));
    QCOMPARE(fixture.find<QLineEdit>("planTitle")->text(), u"What does durability cost?"_s);
}

void TstPlanPage::saveAndOpen()
{
    const QString file = m_dir.filePath(u"mine.toml"_s);
    {
        Fixture fixture(m_dir.path());
        fixture.type("planTitle", u"Saved question"_s);
        QSignalSpy modified(&fixture.page.editor(), &PlanEditor::modifiedChanged);
        fixture.page.saveFile(file);
        QTRY_VERIFY(!fixture.page.editor().modified());
        QCOMPARE(fixture.page.editor().file(), file);
    }
    QSettings().clear();
    Fixture fixture(m_dir.path());
    QVERIFY(fixture.plan().title != "Saved question");
    QSignalSpy replaced(&fixture.page.editor(), &PlanEditor::replaced);
    fixture.page.openFile(file);
    QVERIFY(replaced.wait(10000));
    QCOMPARE(fixture.plan().title, std::string("Saved question"));
    QVERIFY(!fixture.page.editor().modified());
    // A file that cannot be written says so and keeps the mark.
    fixture.type("planTitle", u"Other"_s);
    QSignalSpy message(&fixture.context, &AppContext::messageRequested);
    fixture.page.saveFile(m_dir.filePath(u"no/such/folder/x.toml"_s));
    QVERIFY(message.wait(10000));
    QVERIFY(fixture.page.editor().modified());
}

void TstPlanPage::badFileListsFaultsWithLines()
{
    const QString file = m_dir.filePath(u"bad.toml"_s);
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write("title = \"bad\"\n[target]\nuri = \"sqlite:\"\n[workload]\nname = \"no_such\"\n[load]\nusers = [0]\n");
    out.close();
    Fixture fixture(m_dir.path());
    const std::string before = fixture.plan().title;
    fixture.page.openFile(file);
    QListWidget* list = nullptr;
    QTRY_VERIFY((list = fixture.page.findChild<QListWidget*>(u"planFaultList"_s)));
    QVERIFY(list->count() >= 2);
    QString all;
    for (int i = 0; i < list->count(); ++i)
        all += list->item(i)->text() + u'\n';
    QVERIFY2(all.contains(u"Line 5"_s), qPrintable(all));
    QVERIFY2(all.contains(u"Line 7"_s), qPrintable(all));
    QCOMPARE(fixture.plan().title, before);
    fixture.click("planFaultsClose");
    QTRY_VERIFY(!fixture.page.findChild<QListWidget*>(u"planFaultList"_s));
}

void TstPlanPage::unsavedChangesAreAskedFor()
{
    Fixture fixture(m_dir.path());
    fixture.type("planTitle", u"Precious"_s);
    fixture.context.editPlan(quickPlan());
    auto* box = fixture.page.findChild<QMessageBox*>(u"unsavedBox"_s);
    QVERIFY(box);
    QTest::mouseClick(box->findChild<QPushButton*>(u"unsavedKeep"_s), Qt::LeftButton);
    QCOMPARE(fixture.plan().title, std::string("Precious"));
    QTRY_VERIFY(!fixture.page.findChild<QMessageBox*>(u"unsavedBox"_s));
    fixture.context.editPlan(quickPlan());
    box = fixture.page.findChild<QMessageBox*>(u"unsavedBox"_s);
    QVERIFY(box);
    QTest::mouseClick(box->findChild<QPushButton*>(u"unsavedReplace"_s), Qt::LeftButton);
    QCOMPARE(fixture.plan().title, std::string("quick"));
    QVERIFY(!fixture.page.editor().modified());
}

void TstPlanPage::restoresTheLastPlan()
{
    {
        Fixture fixture(m_dir.path());
        fixture.type("planTitle", u"Where I was"_s);
    }
    Fixture fixture(m_dir.path());
    QCOMPARE(fixture.plan().title, std::string("Where I was"));
}

void TstPlanPage::views()
{
    Fixture fixture(m_dir.path());
    const auto before = fixture.plan().views.size();
    fixture.click("addView");
    QCOMPARE(fixture.plan().views.size(), before + 1);
    const QString name = u"view%1.measure"_s.arg(before);
    auto* measure = fixture.page.findChild<QComboBox*>(name);
    QVERIFY(measure);
    const int p99 = measure->findData(u"service_p99"_s);
    QVERIFY(p99 >= 0);
    measure->setCurrentIndex(p99);
    emit measure->activated(p99);
    QCOMPARE(fixture.plan().views[before].measure, std::string("service_p99"));
    QVERIFY(fixture.settle());
    QVERIFY(fixture.faults().isEmpty());

    const auto choose = [&](const QString& field, const QString& value) {
        auto* box = fixture.page.findChild<QComboBox*>(u"view%1.%2"_s.arg(before).arg(field));
        QVERIFY2(box, qPrintable(field));
        const int at = box->findData(value);
        QVERIFY2(at >= 0, qPrintable(value));
        box->setCurrentIndex(at);
        emit box->activated(at);
        QVERIFY(fixture.settle());
        QVERIFY2(fixture.faults().isEmpty(), qPrintable(value));
    };
    const auto has = [&](const QString& field) { // in the row of now: an older one goes at the next event
        const auto boxes = fixture.page.findChildren<QComboBox*>(u"view%1.%2"_s.arg(before).arg(field));
        return std::any_of(boxes.begin(), boxes.end(), [](const QComboBox* box) { return box->isVisible(); });
    };
    for (const char* chart : {"lines", "bars", "runs", "scaling", "latency", "percentiles", "heat", "dots", "time"}) {
        choose(u"chart"_s, QLatin1String(chart));
        QCOMPARE(fixture.plan().views[before].chart, std::string(chart));
    }
    QVERIFY(!has(u"measure"_s) && !has(u"centre"_s)); // runs as they were measured
    choose(u"over"_s, u"rows"_s);
    QCOMPARE(fixture.plan().views[before].over, std::string("rows"));
    choose(u"log"_s, u"y"_s);
    choose(u"chart"_s, u"heat"_s); // stands over time only
    QCOMPARE(fixture.plan().views[before].over, std::string());
    choose(u"chart"_s, u"lines"_s);
    QVERIFY(has(u"measure"_s) && has(u"centre"_s) && !has(u"over"_s));
}

void TstPlanPage::folds()
{
    Fixture fixture(m_dir.path());
    QVERIFY(fixture.settle());
    QVERIFY(!fixture.page.folded());
    auto* summary = fixture.page.findChild<PlanSummary*>();
    QVERIFY(summary->isVisible());
    fixture.page.resize(900, 700);
    QVERIFY(fixture.page.folded());
    QVERIFY(summary->isVisible()); // below the cards now
    QVERIFY(fixture.find("planFoldedLine")->isVisible());
    QVERIFY(fixture.find<QPushButton>("planFoldedLine")->text().contains(u"18"_s));
    fixture.page.resize(1356, 900);
    QVERIFY(!fixture.page.folded());
    QVERIFY(!fixture.find("planFoldedLine")->isVisible());
}

void TstPlanPage::knownServersAndSideBySide()
{
    Fixture fixture(m_dir.path());
    ServerList list;
    ServerInstance shop;
    shop.name = "shop";
    shop.product = "mariadb";
    shop.version = "10.11.19";
    shop.named = true;
    shop.uri = "managed:mariadb?name=shop";
    list.instances = {shop};
    RemoteServer lab;
    lab.uri = "mysql://bench@lab/sbtest";
    lab.name = "lab";
    list.remotes.servers = {lab};
    auto* form = fixture.page.findChild<TargetForm*>();
    QVERIFY(!fixture.find<QPushButton>("targetSideBySide")->isVisible()); // nothing is known yet
    form->setServers(list);
    auto* known = fixture.find<QComboBox>("target.known");
    QCOMPARE(known->count(), 3);
    known->setCurrentIndex(2);
    emit known->activated(2); // what a click into the list does
    QCOMPARE(fixture.page.editor().plan().target.uri, lab.uri);
    fixture.click("targetSideBySide");
    auto* servers = fixture.find<QListWidget>("sideBySideList");
    auto* make = fixture.find<QPushButton>("sideBySideMake");
    QVERIFY(!make->isEnabled()); // one is no comparison
    servers->item(0)->setCheckState(Qt::Checked);
    QVERIFY(make->isEnabled());
    const std::size_t axes = fixture.page.editor().plan().axes.size();
    QTest::mouseClick(make, Qt::LeftButton);
    const Plan& plan = fixture.page.editor().plan();
    QCOMPARE(plan.axes.size(), axes + 1);
    QCOMPARE(plan.axes[0].cases.size(), std::size_t(2));
    QCOMPARE(plan.axes[0].cases[0].label, std::string("shop"));
    QCOMPARE(textOf(plan.axes[0].cases[1].set, "target.uri"), lab.uri);
    fixture.page.editor().undoStack().undo();
    QCOMPARE(fixture.page.editor().plan().axes.size(), axes);
}

void TstPlanPage::leavesACombinationOut()
{
    Fixture fixture(m_dir.path());
    PlanEditor& editor = fixture.page.editor();
    QTRY_VERIFY(!editor.checking());
    auto* table = fixture.find<QTableView>("pointsTable");
    const qint64 points = editor.check().points;
    QVERIFY(points > 2);
    table->setCurrentIndex(table->model()->index(1, 0));
    QTest::keyClick(table, Qt::Key_Space);
    QTRY_VERIFY(!editor.checking());
    QCOMPARE(editor.check().points, points - 1);
    QCOMPARE(table->model()->rowCount(), int(points)); // still there to be taken in again
    QVERIFY(fixture.find<QLabel>("planSentence")->text().contains(u"1 left out"_s));
    editor.undoStack().undo();
    QTRY_VERIFY(!editor.checking());
    QCOMPARE(editor.check().points, points);
}

void TstPlanPage::startRuns()
{
    Fixture fixture(m_dir.path());
    fixture.context.editPlan(quickPlan());
    QVERIFY(fixture.settle());
    QVERIFY2(fixture.faults().isEmpty(),
             fixture.faults().isEmpty() ? "" : qPrintable(fixture.faults().front()->accessibleName()));
    QSignalSpy pages(&fixture.context, &AppContext::pageRequested);
    QSignalSpy finished(&fixture.context.run(), &RunFeed::sessionFinished);
    fixture.click("planStart");
    QCOMPARE(pages.count(), 1);
    QVERIFY(fixture.context.run().active());
    QVERIFY(!fixture.find<QPushButton>("planStart")->isEnabled()); // one session at a time
    QVERIFY(!fixture.find<QLabel>("planReason")->text().isEmpty());
    QVERIFY(finished.count() > 0 || finished.wait(30000));
    QTRY_VERIFY(fixture.find<QPushButton>("planStart")->isEnabled());
}

void TstPlanPage::ctrlEnterStarts()
{
    Fixture fixture(m_dir.path());
    QVERIFY(QTest::qWaitForWindowActive(&fixture.page));
    fixture.context.editPlan(quickPlan());
    QVERIFY(fixture.settle());
    fixture.type("planTitle", u"typed"_s);
    QSignalSpy finished(&fixture.context.run(), &RunFeed::sessionFinished);
    QTest::keyClick(fixture.find("planTitle"), Qt::Key_Return, Qt::ControlModifier); // right after the last key
    QVERIFY(finished.wait(30000));
}

QTEST_MAIN(TstPlanPage)
#include "tst_plan_page.moc"
