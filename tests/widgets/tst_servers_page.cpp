// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Servers page by clicking, against real servers: an instance from its making to its removal, a server of others,
//! settings that a killed session left changed.
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "main_window.h"
#include "parts/labels.h"
#include "pictures.h"
#include "servers/left_changes.h"
#include "servers/servers_page.h"
#include "store/session/session_writer.h"
#include "support/mariadb_fixture.h"
#include "support/mongo_fixture.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace dyno::tst_servers_page {
using namespace Qt::StringLiterals;

namespace {

constexpr int kServerMs = 90000; //!< a server starts in seconds; a machine of CI can be very busy

struct Fixture
{
    QTemporaryDir dir;
    std::unique_ptr<AppContext> context;
    std::unique_ptr<ServersPage> page;
    QString message, target;
    std::function<void()> undo;

    Fixture()
    {
        qputenv("XDG_DATA_HOME", dir.path().toUtf8());
        context = std::make_unique<AppContext>(library());
        QObject::connect(context.get(), &AppContext::targetRequested, [this](const QString& uri) { target = uri; });
        QObject::connect(context.get(), &AppContext::messageRequested,
                         [this](const QString& text, const QString&, std::function<void()> action) {
                             message = text;
                             undo = std::move(action);
                         });
    }
    [[nodiscard]] std::filesystem::path library() const { return dir.filePath(u"library.dynolib"_s).toStdString(); }
    void show()
    {
        page = std::make_unique<ServersPage>(*context);
        page->resize(1200, 760);
        page->show();
        QVERIFY(QTest::qWaitForWindowExposed(page.get()));
        QTRY_VERIFY_WITH_TIMEOUT(context->servers().isListed() && !page->busy(), kServerMs);
    }
    //! On the page, or in a dialog of its window.
    template<class T>
    T* find(const char* name) const
    {
        T* found = page->findChild<T*>(QString::fromLatin1(name));
        if (!found)
            qFatal("no %s on the page", name);
        return found;
    }
    void click(const char* button) { QTest::mouseClick(find<QPushButton>(button), Qt::LeftButton); }
    void type(const char* line, const QString& text)
    {
        find<QLineEdit>(line)->selectAll();
        QTest::keyClicks(find<QLineEdit>(line), text);
    }
    [[nodiscard]] QAbstractItemModel* list() const { return find<QListView>("serverList")->model(); }
    [[nodiscard]] int rowOf(const QString& prefix) const
    {
        for (int row = 0; row < list()->rowCount(); ++row) {
            if (list()->index(row, 0).data(ServerListModel::KeyRole).toString().startsWith(prefix))
                return row;
        }
        return -1;
    }
    void clickRow(int row)
    {
        auto* view = find<QListView>("serverList");
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(list()->index(row, 0)).center());
    }
    [[nodiscard]] QString state() const { return find<QLabel>("serverState")->text(); }
    [[nodiscard]] int rows(const char* table) const { return find<QTableView>(table)->model()->rowCount(); }
};

} // namespace

class TstServersPage : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void emptyStates();
    void removesWhatEndedSessionsLeft();
    void instanceFromMakingToRemoval();
    void instanceOfFerretdb();
    void serverOfOthers();
    void documentServerOfOthers();
    void restoresOnRequest();
    void restoresAtStart();
    void asksForProduction();

private:
    static void editPrice(Fixture& fixture);
    //! A session that changed this and was killed.
    void leave(const std::filesystem::path& library, const char* name, const char* from, const char* to)
    {
        auto writer = SessionWriter::open(library);
        QVERIFY(writer);
        SessionHeader header;
        header.id = "00000000-0000-4000-8000-" + std::to_string(100000000000 + ++m_sessions);
        header.plan.target.uri = m_server.uriText();
        (*writer)->onSessionStarted(header);
        QVERIFY((*writer)->recordKnobChange(m_server.uriText(), name, from, to));
    }
    void set(const char* name, const char* value)
    {
        const auto done = (*m_server.admin())->execute(std::string("SET GLOBAL ") + name + " = " + value);
        QVERIFY2(done, done ? "" : done.error().text().c_str());
    }
    std::string value(const char* name) { return (*m_server.admin())->variable(name).value_or("(unknown)"); }

    test::MariadbFixture m_server;
    int m_sessions = 0;
};

void TstServersPage::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    Theme::instance().apply(*qobject_cast<QApplication*>(QCoreApplication::instance()));
    qunsetenv("DYNO_PASSWORD");
    DYNO_START_MARIADB(m_server);
}

void TstServersPage::emptyStates()
{
    Fixture fixture;
    fixture.page = std::make_unique<ServersPage>(*fixture.context);
    fixture.page->showSnapshot({});
    fixture.page->resize(1200, 760);
    fixture.page->show();
    QCOMPARE(fixture.list()->rowCount(), 6); // three titles, each with what to do
    QVERIFY(fixture.find<QWidget>("serverNothing")->isVisible());
    QVERIFY(!fixture.find<QWidget>("leftChanges")->isVisible());
    for (const auto* button : fixture.page->findChildren<QPushButton*>())
        QVERIFY2(button->text().isEmpty() || !button->isVisible() || !button->toolTip().isEmpty() ||
                     button->parentWidget()->objectName() == u"serverNothing",
                 qPrintable(button->text()));
}

void TstServersPage::removesWhatEndedSessionsLeft()
{
    Fixture fixture;
    const QString folder = fixture.dir.filePath(u"dynobench/sqlite"_s);
    QVERIFY(QDir().mkpath(folder));
    for (const QString& end : {u".db"_s, u".db-wal"_s}) { // no process has such a number
        QFile file(folder + u"/session-2147483000-1"_s + end);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(10'000, 'x')) == 10'000);
    }
    fixture.show();
    QVERIFY(fixture.find<QWidget>("leftSpace")->isVisible());
    const QString text = fixture.find<QLabel>("leftSpaceText")->text();
    QVERIFY2(text.startsWith(u"Left by ended sessions: 2 file"_s), qPrintable(text));
    QVERIFY(!fixture.find<QPushButton>("leftSpaceRemove")->accessibleName().isEmpty());
    test::keepPictures(*fixture.page, QStringLiteral("left-space"));
    fixture.click("leftSpaceRemove");
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.find<QWidget>("leftSpace")->isVisible(), kServerMs);
    QVERIFY(QDir(folder).entryList(QDir::Files).isEmpty());
    QVERIFY2(fixture.message.startsWith(u"Removed "_s), qPrintable(fixture.message));
}

void TstServersPage::instanceFromMakingToRemoval()
{
    if (const std::string why = test::MariadbFixture::whyMissing(true); !why.empty())
        QSKIP(why.c_str());
    Fixture fixture;
    fixture.show();
    const int program = fixture.rowOf(u"program:managed:mariadb"_s);
    QVERIFY(program >= 0);
    fixture.clickRow(program);
    fixture.click("serverStartOne");
    fixture.type("instanceName", u"not a name"_s);
    QVERIFY(!fixture.find<QPushButton>("instanceStart")->isEnabled());
    fixture.type("instanceName", u"t1"_s);
    fixture.click("instanceAddKnob");
    fixture.type("knobSearch", u"innodb_flush_log_at_trx_commit"_s);
    QTest::keyClick(fixture.find<QLineEdit>("knobSearch"), Qt::Key_Return);
    auto* knobs = fixture.find<QTableView>("instanceKnobs");
    QCOMPARE(knobs->model()->rowCount(), 1);
    QVERIFY(knobs->model()->setData(knobs->model()->index(0, 1), u"2"_s, Qt::EditRole));
    fixture.type("instanceCost", u"dear"_s);
    QVERIFY(!fixture.find<QPushButton>("instanceStart")->isEnabled());
    fixture.type("instanceCost", u"0.35"_s);
    fixture.click("instanceStart");
    QTRY_COMPARE_WITH_TIMEOUT(fixture.page->selectedKey(), u"instance:t1"_s, kServerMs);
    QTRY_COMPARE_WITH_TIMEOUT(fixture.state(), u"running"_s, kServerMs);

    // Variables: first what differs, then all, then what a search finds.
    QTRY_VERIFY_WITH_TIMEOUT(fixture.rows("variablesTable") > 0, kServerMs);
    const int differing = fixture.rows("variablesTable");
    fixture.click("variablesDiffer");
    QVERIFY(fixture.rows("variablesTable") > std::max(200, differing));
    fixture.type("variablesSearch", u"innodb_flush_log_at_trx"_s);
    QCOMPARE(fixture.rows("variablesTable"), 1);
    const auto* found = fixture.find<QTableView>("variablesTable")->model();
    QCOMPARE(found->index(0, VariablesModel::ValueColumn).data().toString(), u"2"_s); // as the dialog said
    QVERIFY(!found->index(0, VariablesModel::LabelColumn).data().toString().isEmpty());
    // Sizes and log.
    fixture.click("tabData");
    QTRY_VERIFY_WITH_TIMEOUT(fixture.rows("partsTable") > 2, kServerMs);
    fixture.click("tabLog");
    const auto* log = fixture.find<QPlainTextEdit>("serverLog");
    QTRY_VERIFY_WITH_TIMEOUT(log->toPlainText().contains(u"ready for connections"_s), kServerMs);
    fixture.click("serverUse");
    QCOMPARE(fixture.target, u"managed:mariadb?name=t1"_s);
    editPrice(fixture);

    fixture.click("serverStop");
    QTRY_COMPARE_WITH_TIMEOUT(fixture.state(), u"stopped"_s, kServerMs);
    fixture.click("tabVariables");
    QVERIFY(fixture.find<QWidget>("variablesEmpty")->isVisible());
    fixture.click("serverRemove");
    fixture.click("removeQuestionNo");
    QVERIFY(fixture.rowOf(u"instance:t1"_s) >= 0);
    fixture.click("serverRemove");
    QTRY_COMPARE(fixture.page->findChildren<QMessageBox*>().size(), 1); // the first one is gone
    fixture.click("removeQuestionYes");
    QTRY_COMPARE_WITH_TIMEOUT(fixture.rowOf(u"instance:t1"_s), -1, kServerMs);
}

//! What was said when it was made stands there; another price is kept, and is what runs of its plan have.
void TstServersPage::editPrice(Fixture& fixture)
{
    const auto price = [&fixture] { return fixture.context->servers().list().instances.front().price; };
    QTRY_COMPARE_WITH_TIMEOUT(price(), (Price{0.35, 0, "$"}), kServerMs);
    fixture.click("serverEdit");
    QCOMPARE(fixture.find<QLineEdit>("priceCost")->text(), u"0.35"_s);
    fixture.type("priceWatts", u"-5"_s);
    QVERIFY(!fixture.find<QPushButton>("priceSave")->isEnabled());
    fixture.type("priceWatts", u"120"_s);
    fixture.type("priceCurrency", u"CHF"_s);
    fixture.click("priceSave");
    QTRY_COMPARE_WITH_TIMEOUT(price(), (Price{0.35, 120, "CHF"}), kServerMs);
    const auto shown = [&fixture](const QString& text) {
        const QList<QLabel*> labels = fixture.find<QWidget>("serverDetails")->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&text](const QLabel* one) { return one->text() == text; });
    };
    QTRY_VERIFY(shown(u"0.35 CHF"_s) && shown(u"120 W"_s));
    std::vector<PointSpec> points(1);
    points[0].target.uri = fixture.target.toStdString();
    addKnownPrices(points);
    QCOMPARE(points[0].target.price, (Price{0.35, 120, "CHF"}));
}

void TstServersPage::instanceOfFerretdb()
{
    if (const std::string why = test::MongoFixture::whyMissing(true); !why.empty())
        QSKIP(why.c_str());
    if (qEnvironmentVariableIsSet("DYNO_TEST_FERRETDB"))
        qputenv("PATH",
                QFileInfo(qEnvironmentVariable("DYNO_TEST_FERRETDB")).absolutePath().toUtf8() + ':' + qgetenv("PATH"));
    Fixture fixture;
    fixture.show();
    const int program = fixture.rowOf(u"program:managed:ferretdb"_s);
    if (program < 0)
        QSKIP("no ferretdb on the path: set DYNO_TEST_FERRETDB");
    QVERIFY(fixture.list()->index(program, 0).data().toString().startsWith(u"FerretDB 1."_s));
    fixture.clickRow(program);
    fixture.click("serverStartOne");
    QCOMPARE(fixture.find<QLineEdit>("instanceName")->text(), u"ferretdb-1"_s);
    fixture.click("instanceAddKnob"); // its own knobs, not those of another product
    const auto* knobs = fixture.find<QListView>("knobList")->model();
    fixture.type("knobSearch", u"innodb"_s);
    QCOMPARE(knobs->rowCount(), 0);
    fixture.type("knobSearch", u"cacheSizeGB"_s); // of mongod alone
    QCOMPARE(knobs->rowCount(), 0);
    fixture.type("knobSearch", u"sqlite_synchronous"_s);
    QTest::keyClick(fixture.find<QLineEdit>("knobSearch"), Qt::Key_Return);
    QCOMPARE(fixture.rows("instanceKnobs"), 1);
    auto* set = fixture.find<QTableView>("instanceKnobs")->model();
    QVERIFY(set->setData(set->index(0, 1), u"OFF"_s, Qt::EditRole));
    fixture.click("instanceStart");
    QTRY_COMPARE_WITH_TIMEOUT(fixture.page->selectedKey(), u"instance:ferretdb-1"_s, kServerMs);
    QTRY_COMPARE_WITH_TIMEOUT(fixture.state(), u"running"_s, kServerMs);
    // Nobody knows FerretDB's defaults: all that it tells is shown, and the filter says why it has no effect.
    QTRY_VERIFY_WITH_TIMEOUT(fixture.rows("variablesTable") > 5, kServerMs);
    const auto* differ = fixture.find<QPushButton>("variablesDiffer");
    QVERIFY(!differ->isEnabled());
    QVERIFY2(differ->toolTip().contains(u"No default"_s), qPrintable(differ->toolTip()));
    QVERIFY(fixture.find<QLabel>("variablesCount")->text().contains(u"no defaults"_s));
    fixture.click("serverUse");
    QCOMPARE(fixture.target, u"managed:ferretdb?name=ferretdb-1"_s);
    fixture.click("serverStop");
    QTRY_COMPARE_WITH_TIMEOUT(fixture.state(), u"stopped"_s, kServerMs);
}

void TstServersPage::documentServerOfOthers()
{
    test::MongoFixture server;
    DYNO_START_MONGO(server);
    Fixture fixture;
    fixture.show();
    fixture.click("serversAdd");
    fixture.type("remoteUri", u"mongodb://root:secret@db1/x"_s);
    QVERIFY(!fixture.find<QPushButton>("remoteSave")->isEnabled()); // a password in the URI is refused
    fixture.type("remoteUri", QString::fromStdString(server.uriText()));
    fixture.click("remoteSave");
    QTRY_VERIFY(fixture.page->selectedKey().startsWith(u"remote:mongodb://"_s));
    fixture.click("serverTest");
    QTRY_COMPARE_WITH_TIMEOUT(fixture.state(), u"answers"_s, kServerMs);
}

void TstServersPage::serverOfOthers()
{
    Fixture fixture;
    fixture.show();
    fixture.click("serversAdd");
    QVERIFY(!fixture.find<QPushButton>("remoteSave")->isEnabled());
    fixture.type("remoteUri", u"mysql://root:secret@db1/x"_s);
    QVERIFY(!fixture.find<QPushButton>("remoteSave")->isEnabled()); // a password in the URI is refused
    const QString uri = QString::fromStdString(m_server.uriText());
    fixture.type("remoteUri", uri);
    fixture.type("remoteName", u"lab"_s);
    fixture.type("remoteCost", u"dear"_s);
    QVERIFY(!fixture.find<QPushButton>("remoteSave")->isEnabled());
    fixture.type("remoteCost", u"1.5"_s);
    fixture.type("remoteCurrency", u"CHF"_s);
    fixture.type("remoteWatts", u"120"_s);
    fixture.click("remoteSave");
    QTRY_COMPARE(fixture.page->selectedKey(), QString(u"remote:"_s + uri));
    QCOMPARE(fixture.state(), u"not checked yet"_s);
    const std::vector<RemoteServer> known = remoteServers().servers;
    QCOMPARE(known.size(), std::size_t(1));
    QCOMPARE(known.front().price, (Price{1.5, 120, "CHF"}));
    fixture.click("serverTest");
    QTRY_COMPARE_WITH_TIMEOUT(fixture.state(), u"answers"_s, kServerMs);
    QTRY_VERIFY_WITH_TIMEOUT(fixture.rows("variablesTable") > 0, kServerMs);
    fixture.click("serverForget");
    QTRY_COMPARE(fixture.rowOf(u"remote:"_s), -1);
    QVERIFY(fixture.undo);
    fixture.undo();
    QTRY_VERIFY(fixture.rowOf(u"remote:"_s) >= 0);
    QCOMPARE(fixture.list()->index(fixture.rowOf(u"remote:"_s), 0).data().toString(), u"lab"_s);
    // Nothing listens there: the reason is shown, in its place.
    fixture.click("serversAdd");
    fixture.type("remoteUri", u"mysql://root@127.0.0.1:1/x"_s);
    fixture.click("remoteSave");
    QTRY_COMPARE(fixture.page->selectedKey(), u"remote:mysql://root@127.0.0.1:1/x"_s);
    fixture.click("serverTest");
    QTRY_COMPARE_WITH_TIMEOUT(fixture.state(), u"does not answer"_s, kServerMs);
    QVERIFY(fixture.find<QWidget>("variablesEmpty")->isVisible());
    // One that answers and refuses is not told to be silent.
    fixture.click("serversAdd");
    const QString stranger = QString(uri).replace(u"root@"_s, u"nobody_here@"_s);
    fixture.type("remoteUri", stranger);
    fixture.click("remoteSave");
    QTRY_COMPARE(fixture.page->selectedKey(), QString(u"remote:"_s + stranger));
    fixture.click("serverTest");
    QTRY_COMPARE_WITH_TIMEOUT(fixture.state(), u"refuses the connection"_s, kServerMs);
}

void TstServersPage::restoresOnRequest()
{
    Fixture fixture;
    set("long_query_time", "3");  // what our session set
    set("max_connections", "77"); // what somebody else set meanwhile
    leave(fixture.library(), "long_query_time", "10", "3");
    leave(fixture.library(), "max_connections", "151", "99");
    fixture.show();
    auto* card = fixture.find<LeftChangesCard>("leftChanges");
    QVERIFY(card->isVisible());
    QCOMPARE(card->model().rowCount(), 2);
    fixture.click("leftRestore");
    QTRY_COMPARE_WITH_TIMEOUT(card->model().open(), 1, kServerMs);
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.page->busy(), kServerMs);
    QCOMPARE(QString::fromStdString(value("long_query_time")).toDouble(), 10.0);
    QCOMPARE(value("max_connections"), std::string("77")); // shown, not overwritten
    QVERIFY(card->model().othersSet());
    QVERIFY(fixture.find<QPushButton>("leftOverwrite")->isVisible());
    fixture.click("leftLeave");
    QTRY_VERIFY_WITH_TIMEOUT(!card->isVisible(), kServerMs);
    QCOMPARE(leftChanges(fixture.library()).value().size(), std::size_t(0));
    set("max_connections", "151");
}

void TstServersPage::restoresAtStart()
{
    Fixture fixture;
    set("long_query_time", "4");
    leave(fixture.library(), "long_query_time", "10", "4");
    MainWindow window(*fixture.context);
    window.show();
    auto* banner = window.findChild<QWidget*>(u"windowBanner"_s);
    QVERIFY(banner);
    QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), kServerMs);
    QVERIFY2(banner->accessibleName().startsWith(u"Restored: 1 setting "_s), qPrintable(banner->accessibleName()));
    QCOMPARE(QString::fromStdString(value("long_query_time")).toDouble(), 10.0);
    QTest::mouseClick(window.findChild<QPushButton*>(u"windowBannerAction"_s), Qt::LeftButton);
    QCOMPARE(window.currentPage()->objectName(), u"serversPage"_s);
    QVERIFY(!banner->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.context->servers().busy(), kServerMs);
}

void TstServersPage::asksForProduction()
{
    Fixture fixture;
    RemoteServer server;
    server.uri = m_server.uriText();
    server.name = "shop";
    server.production = true;
    QVERIFY(saveRemoteServer(server));
    MainWindow window(*fixture.context);
    window.show();
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.context->servers().busy(), kServerMs);
    Plan plan;
    plan.title = "ask";
    plan.target.uri = m_server.uriText();
    plan.workload.name = "oltp_point_select";
    plan.workload.params = {{"table_size", std::int64_t(100)}};
    plan.load.timeSeconds = 0.5;
    plan.load.intervalSeconds = 0.5;
    fixture.context->startPlan(plan);
    QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QMessageBox*>(u"consentQuestion"_s), kServerMs);
    QVERIFY(!fixture.context->run().active());
    auto* box = window.findChild<QMessageBox*>(u"consentQuestion"_s);
    QVERIFY(box->text().contains(u"shop"_s));
    QSignalSpy finished(&fixture.context->run(), &RunFeed::sessionFinished);
    QTest::mouseClick(box->findChild<QPushButton*>(u"consentYes"_s), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, kServerMs);
    const auto summary = finished[0][0].value<SessionSummaryPtr>();
    QVERIFY2(summary->status == RunStatus::Done, summary->reason.c_str());
    auto library = Library::open(fixture.library(), Library::Mode::ReadOnly);
    QVERIFY(library);
    const auto sessions = (*library)->sessions();
    QVERIFY(sessions && sessions->size() == 1);
    QCOMPARE(sessions->front().status, RunStatus::Done);
}

} // namespace dyno::tst_servers_page

DYNO_WIDGET_SUITE(tst_servers_page, dyno::tst_servers_page::TstServersPage)
#include "tst_servers_page.moc"
