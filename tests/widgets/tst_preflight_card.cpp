// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The Plan page's look at a server, by clicking, against a real one.
#include "bridge/app_context.h"
#include "parts/labels.h"
#include "plan/plan_page.h"
#include "plan/preflight_card.h"
#include "plan/target_form.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"
#include "widgets/plan_page_fixture.h"

#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

namespace dyno::tst_preflight_card {
using namespace Qt::StringLiterals;
using test::PlanPageFixture;

class TstPreflightCard : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void onlyForServersOfOthers();
    void emptyBusyAndShown();
    void everyControlIsNamed();
    void fixGoesIntoThePlan();
    void whatIsFineCanBeShown();
    void aChangedPlanMakesItOld();
    void anotherTargetEmptiesIt();
    void unreachableServer();
    void faultyPlan();
    void wrongPassword();
    void testConnectionShowsRights();

private:
    static Plan plan(const std::string& uri, int users)
    {
        Plan made;
        made.title = "look";
        made.target.uri = uri;
        made.workload.name = "oltp_read_write";
        made.workload.params = {{"table_size", std::int64_t(100)}};
        made.load.users = {users};
        return made;
    }

    QTemporaryDir m_dir;
    test::MariadbFixture m_server;
};

namespace {

class Fixture
{
public:
    Fixture(const QTemporaryDir& dir, const Plan& plan)
        : context(std::filesystem::path(dir.path().toStdString()) / "library.dynolib")
        , page(context)
    {
        page.resize(1356, 900);
        page.show();
        page.editor().setPlan(plan);
        settle();
    }
    void settle()
    {
        QSignalSpy checked(&page.editor(), &PlanEditor::checked);
        if (page.editor().checking())
            QVERIFY(checked.wait(10000));
    }
    template<class T = QWidget>
    T* find(const QString& name) const
    {
        return page.findChild<T*>(name);
    }
    void click(const QString& name) const { QTest::mouseClick(find(name), Qt::LeftButton); }
    PreflightCard* card() const { return find<PreflightCard>(u"preflightCard"_s); }
    //! Clicks "Check the server" and waits for the answer; true when it was reached.
    bool look() const
    {
        QSignalSpy finished(card(), &PreflightCard::finished);
        click(u"preflightCheck"_s);
        return (finished.count() > 0 || finished.wait(20000)) && finished.front().front().toBool();
    }
    QString text(const QString& name) const
    {
        auto* label = find<QLabel>(name);
        return label ? label->text() : QString();
    }
    bool visible(const QString& name) const
    {
        const auto* widget = find(name);
        return widget && widget->isVisible();
    }

    AppContext context;
    PlanPage page;
};

} // namespace

void TstPreflightCard::initTestCase()
{
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(u"dynobench-tests"_s);
    QCoreApplication::setApplicationName(u"tst_preflight_card"_s);
    if (const std::string why = test::MariadbFixture::whyMissing(true); !why.empty())
        QSKIP(why.c_str());
    const auto started = m_server.startOnNetwork({.tls = true, .options = {"--max-connections=60"}});
    QVERIFY2(started, started ? "" : started.error().text().c_str());
}

void TstPreflightCard::init()
{
    QSettings().clear();
    qunsetenv("DYNO_PASSWORD");
}

void TstPreflightCard::onlyForServersOfOthers()
{
    Fixture fixture(m_dir, plan("sqlite:", 1));
    QVERIFY(!fixture.card()->isVisible());
    fixture.page.editor().setPlan(plan(m_server.uriText(), 1));
    QVERIFY(fixture.card()->isVisible());
    fixture.page.editor().setPlan(plan("managed:mariadb", 1));
    QVERIFY(!fixture.card()->isVisible());
    // A case can name one too.
    Plan compared = plan("sqlite:", 1);
    compared.axes.push_back({"where", {{"a", {{"target.uri", m_server.uriText()}}}}});
    QVERIFY(hasRemoteTarget(compared));
}

void TstPreflightCard::emptyBusyAndShown()
{
    Fixture fixture(m_dir, plan(m_server.uriText(), 200));
    QVERIFY(fixture.text(u"preflightText"_s).contains(u"Not checked yet"_s));
    QVERIFY(!fixture.visible(u"preflightBusy"_s));
    QSignalSpy finished(fixture.card(), &PreflightCard::finished);
    fixture.click(u"preflightCheck"_s);
    QVERIFY(fixture.card()->checking());
    QVERIFY(fixture.visible(u"preflightBusy"_s));
    QVERIFY(!fixture.find<QPushButton>(u"preflightCheck"_s)->isEnabled());
    QVERIFY(finished.wait(20000));
    QVERIFY(!fixture.visible(u"preflightBusy"_s));
    QVERIFY(fixture.text(u"preflightText"_s).contains(u"MariaDB"_s));
    QVERIFY(fixture.text(u"preflightText"_s).contains(u"round trip"_s));
    auto* row = fixture.find(u"preflightItem.max_connections"_s);
    QVERIFY(row && row->isVisible());
    const QString what = row->findChild<QLabel*>(u"preflightWhat"_s)->text();
    QVERIFY2(what.contains(u"200"_s) && what.contains(u"60"_s), qPrintable(what));
    QVERIFY(!row->findChild<QLabel*>(u"preflightRemedy"_s)->text().isEmpty());
    QVERIFY(fixture.text(u"preflightChip"_s).contains(u"would fail"_s));
}

void TstPreflightCard::everyControlIsNamed()
{
    Fixture fixture(m_dir, plan(m_server.uriText(), 200));
    QVERIFY(fixture.look());
    for (const auto* button : fixture.card()->findChildren<QPushButton*>()) {
        QVERIFY2(!button->objectName().isEmpty(), qPrintable(button->text()));
        QVERIFY2(!button->accessibleName().isEmpty(), qPrintable(button->objectName()));
        QVERIFY2(!button->toolTip().isEmpty(), qPrintable(button->objectName()));
    }
    for (const auto* row : fixture.card()->findChildren<PreflightRow*>())
        QVERIFY(!row->accessibleName().isEmpty());
}

void TstPreflightCard::fixGoesIntoThePlan()
{
    Fixture fixture(m_dir, plan(m_server.uriText(), 200));
    QVERIFY(fixture.look());
    QSignalSpy finished(fixture.card(), &PreflightCard::finished);
    fixture.click(u"preflightFix.max_connections"_s);
    const auto value = fixture.page.editor().plan().set.find("server.max_connections");
    QVERIFY(value != fixture.page.editor().plan().set.end());
    QVERIFY(std::get<std::int64_t>(value->second) > 200);
    QVERIFY(finished.wait(20000));                              // it looks again
    QVERIFY(!fixture.find(u"preflightItem.max_connections"_s)); // fine now
    QVERIFY(!fixture.text(u"preflightChip"_s).contains(u"would fail"_s));
    fixture.page.editor().undoStack().undo();
    QVERIFY(!fixture.page.editor().plan().set.contains("server.max_connections"));
}

void TstPreflightCard::whatIsFineCanBeShown()
{
    Fixture fixture(m_dir, plan(m_server.uriText(), 2));
    QVERIFY(fixture.look());
    QVERIFY(!fixture.find(u"preflightItem.max_connections"_s));
    QVERIFY(fixture.visible(u"preflightAll"_s));
    fixture.click(u"preflightAll"_s);
    QVERIFY(fixture.visible(u"preflightItem.max_connections"_s));
    fixture.click(u"preflightAll"_s);
    QVERIFY(!fixture.find(u"preflightItem.max_connections"_s));
}

void TstPreflightCard::aChangedPlanMakesItOld()
{
    Fixture fixture(m_dir, plan(m_server.uriText(), 2));
    QVERIFY(fixture.look());
    fixture.page.editor().edit({}, [](Plan& changed) { changed.load.users = {3}; });
    QCOMPARE(fixture.text(u"preflightChip"_s), u"out of date"_s);
    QVERIFY(fixture.visible(u"preflightItem.durability"_s)); // still to be read
    fixture.settle();
    QVERIFY(fixture.look());
    QVERIFY(fixture.text(u"preflightChip"_s) != u"out of date"_s);
}

void TstPreflightCard::anotherTargetEmptiesIt()
{
    Fixture fixture(m_dir, plan(m_server.uriText(), 2));
    QVERIFY(fixture.look());
    fixture.page.editor().edit({}, [](Plan& changed) { changed.target.uri = "mysql://root@other/db"; });
    QVERIFY(fixture.card()->isVisible());
    QVERIFY(fixture.card()->reports().empty());
    QVERIFY(!fixture.find(u"preflightItem.durability"_s));
    QVERIFY(fixture.text(u"preflightText"_s).contains(u"Not checked yet"_s));
}

void TstPreflightCard::unreachableServer()
{
    Fixture fixture(m_dir, plan("mysql://root@127.0.0.1:1/db", 2));
    QVERIFY(!fixture.look());
    QVERIFY2(fixture.text(u"preflightText"_s).contains(u"does not answer"_s),
             qPrintable(fixture.text(u"preflightText"_s)));
    QCOMPARE(fixture.find<QLabel>(u"preflightText"_s)->property("tone").toString(), u"bad"_s);
    QVERIFY(fixture.find<QPushButton>(u"preflightCheck"_s)->isEnabled()); // to try again
    QVERIFY(!fixture.visible(u"preflightChip"_s));
}

void TstPreflightCard::faultyPlan()
{
    Plan faulty = plan(m_server.uriText(), 2);
    faulty.workload.params["tables"] = std::int64_t(-1);
    Fixture fixture(m_dir, faulty);
    QVERIFY(!fixture.look());
    QVERIFY(fixture.text(u"preflightText"_s).contains(u"Fix the plan first"_s));
    // That is no word about the next plan, nor about this one once it is another.
    fixture.page.editor().edit({}, [](Plan& fixed) { fixed.workload.params["tables"] = std::int64_t(1); });
    QVERIFY2(fixture.text(u"preflightText"_s).contains(u"Not checked yet"_s),
             qPrintable(fixture.text(u"preflightText"_s)));
    fixture.page.editor().setPlan(faulty);
    fixture.settle();
    QVERIFY(!fixture.look());
    fixture.page.editor().setPlan(plan(m_server.uriText(), 2));
    QVERIFY2(fixture.text(u"preflightText"_s).contains(u"Not checked yet"_s),
             qPrintable(fixture.text(u"preflightText"_s)));
}

//! A server that was reached is not told to be silent.
void TstPreflightCard::wrongPassword()
{
    TargetUri uri = m_server.uri();
    uri.user = "nobody_here";
    Fixture fixture(m_dir, plan(uri.display(), 2));
    QVERIFY(!fixture.look());
    const QString text = fixture.text(u"preflightText"_s);
    QVERIFY2(text.contains(u"answers, but refuses the user or password"_s), qPrintable(text));
    QVERIFY2(!text.contains(u"does not answer"_s), qPrintable(text));
}

void TstPreflightCard::testConnectionShowsRights()
{
    auto admin = m_server.admin();
    QVERIFY(admin);
    QVERIFY((*admin)->execute("CREATE OR REPLACE USER ann@'%' IDENTIFIED BY 's3cret'"));
    QVERIFY((*admin)->execute("GRANT SELECT ON `" + m_server.database() + "`.* TO ann@'%'"));
    TargetUri uri = m_server.uri();
    uri.user = "ann";
    uri.query["tls"] = "required";
    Fixture fixture(m_dir, plan(uri.display(), 2));
    auto* password = fixture.find<QLineEdit>(u"target.password"_s);
    PlanPageFixture::reveal(password);
    password->setFocus();
    QTest::keyClicks(password, u"s3cret"_s);
    QSignalSpy finished(fixture.card(), &PreflightCard::finished);
    fixture.click(u"testConnection"_s);
    QVERIFY(finished.wait(20000));
    const QString result = fixture.text(u"targetResult"_s);
    for (const QString& part : {u"MariaDB"_s, u"TLS"_s, u"round trip"_s, u"CREATE on "_s, u"INSERT on "_s})
        QVERIFY2(result.contains(part), qPrintable(result));
    QCOMPARE(fixture.find<QLabel>(u"targetResult"_s)->property("tone").toString(), u"warn"_s);
    for (const auto* label : fixture.page.findChildren<QLabel*>())
        QVERIFY(!label->text().contains(u"s3cret"_s));
    QVERIFY((*admin)->execute("GRANT ALL ON `" + m_server.database() + "`.* TO ann@'%'"));
    fixture.click(u"testConnection"_s);
    QVERIFY(finished.wait(20000));
    QVERIFY2(fixture.text(u"targetResult"_s).contains(u"all rights"_s), qPrintable(fixture.text(u"targetResult"_s)));
}

} // namespace dyno::tst_preflight_card

DYNO_WIDGET_SUITE(tst_preflight_card, dyno::tst_preflight_card::TstPreflightCard)
#include "tst_preflight_card.moc"
