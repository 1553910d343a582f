// SPDX-License-Identifier: GPL-3.0-or-later
// The target on the Plan page: its kinds, fields and price, the test of the connection, known servers.
#include "bridge/last_plan.h"
#include "support/own_settings.h"
#include "support/suite.h"
#include "widgets/plan_page_fixture.h"

namespace dyno::tst_plan_target {
using namespace Qt::StringLiterals;
using test::PlanPageFixture;

class TstPlanTarget : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void targetTiles();
    void targetPrice();
    void usersPath();
    void targetFields();
    void managedProducts();
    void mongodbFields();
    void draftsReadBack_data();
    void draftsReadBack();
    void passwordStaysHere();
    void passwordIsForOneAccount();
    void withoutAKeyringTheFieldSaysSo();
    void testConnection();
    void testConnectionFails();
    void knownServersAndSideBySide();

private:
    QTemporaryDir m_dir;
};

void TstPlanTarget::initTestCase()
{
    QVERIFY(m_dir.isValid());
    test::ownHome(m_dir);
}

void TstPlanTarget::init()
{
    QSettings().clear();
}

void TstPlanTarget::targetTiles()
{
    PlanPageFixture fixture(m_dir.path());
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

void TstPlanTarget::targetPrice()
{
    PlanPageFixture fixture(m_dir.path());
    QVERIFY(fixture.show("target.cost_per_hour")->isVisible());
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

//! Where the target has a server: chosen, typed, said where it is wrong, taken back; the plan's own fills the field.
void TstPlanTarget::usersPath()
{
    PlanPageFixture fixture(m_dir.path());
    auto* choice = fixture.show<QComboBox>("targetUserPath");
    QVERIFY(choice && !choice->isVisible()); // a file has no way to choose
    fixture.click("targetManaged");
    QVERIFY(choice->isVisible());
    QCOMPARE(choice->currentText(), u"direct"_s);
    choice->setCurrentText(u"haproxy"_s);
    emit choice->activated(choice->currentIndex());
    QCOMPARE(fixture.plan().target.path, std::string("haproxy"));
    auto* field = qobject_cast<Field*>(choice->parentWidget());
    const auto type = [choice](const QString& text) {
        choice->lineEdit()->setText(text);
        emit choice->lineEdit()->textEdited(text);
    };
    type(u"hapro"_s); // not taken over, and said
    QCOMPARE(fixture.plan().target.path, std::string("haproxy"));
    QVERIFY(field && field->problem().contains(u"not a path"_s));
    type(u"127.0.0.1:6033"_s);
    QCOMPARE(fixture.plan().target.path, std::string("127.0.0.1:6033"));
    QVERIFY(field->problem().isEmpty());
    fixture.page.editor().undoStack().undo();
    QCOMPARE(fixture.plan().target.path, std::string("direct")); // what was typed one after the other is one step
    QCOMPARE(choice->currentText(), u"direct"_s);
    fixture.page.editor().edit({}, [](Plan& plan) { plan.target.path = "/run/proxy.sock"; });
    QCOMPARE(choice->currentText(), u"/run/proxy.sock"_s);
    fixture.click("targetPrivate"); // still to be seen, so that it can be taken back
    QVERIFY(choice->isVisible());
    type(u"direct"_s);
    QCOMPARE(fixture.plan().target.path, std::string("direct"));
    QVERIFY(!choice->isVisible());
}

void TstPlanTarget::targetFields()
{
    PlanPageFixture fixture(m_dir.path());
    fixture.click("targetRemote");
    QVERIFY(fixture.find("target.host")->isVisible());
    fixture.type("target.host", u"db1"_s);
    fixture.type("target.port", u"3307"_s);
    fixture.type("target.user", u"tester"_s);
    fixture.type("target.database", u"sbtest"_s);
    QCOMPARE(fixture.plan().target.uri, std::string("mysql://tester@db1:3307/sbtest"));
    fixture.type("target.socket", u"/run/s.sock"_s);
    QCOMPARE(fixture.plan().target.uri, std::string("mysql://tester@/sbtest?socket=/run/s.sock"));
    // The URI is a way in, too, and fills the fields.
    fixture.type("targetUri", u"mysql://other@db2/y"_s);
    QCOMPARE(fixture.find<QLineEdit>("target.host")->text(), u"db2"_s);
    QCOMPARE(fixture.find<QLineEdit>("target.user")->text(), u"other"_s);
    QVERIFY(fixture.find<QPushButton>("targetRemote")->isChecked());
}

void TstPlanTarget::managedProducts()
{
    PlanPageFixture fixture(m_dir.path());
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
    auto* transport = fixture.find<QComboBox>("target.transport");
    QVERIFY(transport->isEnabled());
    choose("target.product", u"ClickHouse"_s); // has no socket: there is nothing to choose
    QCOMPARE(fixture.plan().target.uri, std::string("managed:clickhouse"));
    QVERIFY(!transport->isEnabled());
    QCOMPARE(transport->currentText(), u"TCP"_s);
    choose("target.product", u"FerretDB"_s);
    QCOMPARE(fixture.plan().target.uri, std::string("managed:ferretdb"));
    QCOMPARE(transport->currentText(), u"Unix socket"_s);
    choose("target.transport", u"TCP"_s);
    fixture.type("target.version", u"1.24"_s);
    QCOMPARE(fixture.plan().target.uri, std::string("managed:ferretdb?transport=tcp&version=1.24"));
    // A URI with a fault still says whose knobs to show.
    fixture.type("targetUri", u"managed:ferretdb?no"_s);
    QCOMPARE(fixture.page.editor().driver(), u"mongodb"_s);
}

void TstPlanTarget::mongodbFields()
{
    PlanPageFixture fixture(m_dir.path());
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

void TstPlanTarget::draftsReadBack_data()
{
    QTest::addColumn<QString>("uri");
    QTest::addColumn<bool>("fields");
    const auto row = [](const char* uri, bool fields) { QTest::newRow(uri) << QString::fromLatin1(uri) << fields; };
    row("managed:mongodb", true);
    row("managed:ferretdb?name=f1&transport=tcp", true);
    row("managed:mariadb?version=10.11", true);
    row("mongodb://db1", true);
    row("mongodb://bench@db1:27018/ycsb?replica_set=rs0&tls=verify", true);
    row("mongodb://db1,db2:27018/ycsb", true);
    row("mongodb://%2Frun%2Fmongodb.sock/ycsb", true);
    row("mongodb://db1/ycsb?read_preference=nearest", false);
    row("mongodb+srv://cluster.test/ycsb", false);
}

void TstPlanTarget::draftsReadBack()
{
    QFETCH(QString, uri);
    QFETCH(bool, fields);
    const TargetDraft draft = TargetDraft::fromUri(uri);
    QCOMPARE(draft.kind != TargetDraft::Kind::Other, fields);
    QCOMPARE(draft.uri(), uri);
}

void TstPlanTarget::passwordStaysHere()
{
    PlanPageFixture fixture(m_dir.path());
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

//! What was typed for one server is not there for the next one that is opened.
void TstPlanTarget::passwordIsForOneAccount()
{
    PlanPageFixture fixture(m_dir.path());
    auto* form = fixture.page.findChild<TargetForm*>();
    fixture.type("targetUri", u"mysql://ann@db1/test"_s);
    fixture.type("target.password", u"s3cretW0rd"_s);
    fixture.type("targetUri", u"mysql://ann@db1:3306/other?tls=verify"_s);
    QCOMPARE(form->password(), u"s3cretW0rd"_s); // the same account
    for (const char* other : {"mysql://ann@db2/test", "mysql://bob@db1/test", "mysql://ann@db1:3307/test"}) {
        fixture.type("targetUri", QString::fromLatin1(other));
        QCOMPARE(form->password(), QString());
    }
    fixture.type("targetUri", u"mysql://ann@db1/test"_s);
    QCOMPARE(form->password(), u"s3cretW0rd"_s);
}

void TstPlanTarget::withoutAKeyringTheFieldSaysSo()
{
    const QByteArray bus = qgetenv("DBUS_SESSION_BUS_ADDRESS");
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    PlanPageFixture fixture(m_dir.path());
    if (!bus.isEmpty())
        qputenv("DBUS_SESSION_BUS_ADDRESS", bus);
    QVERIFY(!fixture.context.keyring().lasts());
    fixture.type("targetUri", u"mysql://ann@db1/test"_s);
    QCOMPARE(fixture.find<QLineEdit>("target.password")->placeholderText(), u"until you quit"_s);
    QVERIFY(fixture.find<QLineEdit>("target.password")->toolTip().contains(u"until the program quits"_s));
}

void TstPlanTarget::testConnection()
{
    PlanPageFixture fixture(m_dir.path());
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

void TstPlanTarget::testConnectionFails()
{
    PlanPageFixture fixture(m_dir.path());
    auto* form = fixture.page.findChild<TargetForm*>();
    fixture.type("targetUri", u"mysql://root@127.0.0.1:1/none"_s); // nobody listens on port 1
    QSignalSpy tested(form, &TargetForm::tested);
    fixture.click("testConnection");
    QVERIFY(tested.count() > 0 || tested.wait(15000));
    QCOMPARE(tested.front().front().toBool(), false);
    QVERIFY(!fixture.find<QLabel>("targetResult")->text().isEmpty());
    QVERIFY(fixture.find<QPushButton>("testConnection")->isEnabled());
}

void TstPlanTarget::knownServersAndSideBySide()
{
    PlanPageFixture fixture(m_dir.path());
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
    QVERIFY(!fixture.show<QPushButton>("targetSideBySide")->isVisible()); // nothing is known yet
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

} // namespace dyno::tst_plan_target

DYNO_WIDGET_SUITE(tst_plan_target, dyno::tst_plan_target::TstPlanTarget)
#include "tst_plan_target.moc"
