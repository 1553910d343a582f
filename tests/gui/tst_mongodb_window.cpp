// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Plans of MongoDB's protocol in the window, against a real FerretDB: a start that the look refuses.
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "driver/driver.h"
#include "main_window.h"
#include "pages/plan_page.h"
#include "support/mongo_fixture.h"
#include "theme.h"

#include <dyno/library.h>

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace dyno;
using namespace Qt::StringLiterals;

namespace {

constexpr int kLookMs = 60000;   //!< a machine of CI can be very busy
constexpr int kShortMs = 240000; //!< for a session of a few seconds

} // namespace

class TestMongodbWindow : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;
    QString m_target; //!< managed:ferretdb?…
    std::unique_ptr<AppContext> m_context;
    std::unique_ptr<MainWindow> m_window;

    [[nodiscard]] std::filesystem::path library() const { return m_dir.filePath(u"library.dynolib"_s).toStdString(); }
    [[nodiscard]] PlanPage& plan() const { return *qobject_cast<PlanPage*>(m_window->page(u"planPage"_s)); }
    template<class T>
    T* find(const QString& name) const
    {
        return m_window->findChild<T*>(name);
    }
    [[nodiscard]] QString current() const { return m_window->currentPage()->objectName(); }
    //! Nothing of a server, and no session.
    void nothingWasMade() const
    {
        for (const char* folder : {"managed", "instances"})
            QVERIFY2(QDir(m_dir.filePath(u"dynobench/"_s + QString::fromLatin1(folder))).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty(), folder);
        if (!std::filesystem::exists(library()))
            return;
        auto opened = Library::open(library(), Library::Mode::ReadOnly);
        QVERIFY(opened);
        const auto sessions = (*opened)->sessions();
        QVERIFY(sessions && sessions->empty());
    }
    void press(const QString& button)
    {
        auto* found = find<QPushButton>(button);
        QVERIFY2(found, qPrintable(button));
        QTest::mouseClick(found, Qt::LeftButton);
    }

private slots:
    void initTestCase();
    void init();
    void cleanup();
    void blockedStartIsRefused_data();
    void blockedStartIsRefused();
};

void TestMongodbWindow::initTestCase()
{
    if (const std::string why = test::MongoFixture::whyMissing(test::MongoProduct::Ferretdb); !why.empty())
        QSKIP(why.c_str());
    m_target = u"managed:ferretdb"_s;
    if (const QString program = qEnvironmentVariable("DYNO_TEST_FERRETDB"); !program.isEmpty())
        m_target += u"?basedir="_s + QFileInfo(program).absolutePath();
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_dir.path());
    qputenv("XDG_DATA_HOME", m_dir.path().toLocal8Bit());
    Theme::instance().apply(*qApp);
}

void TestMongodbWindow::init()
{
    QSettings().clear();
    m_context = std::make_unique<AppContext>(library());
    m_window = std::make_unique<MainWindow>(*m_context);
    m_window->resize(1280, 860);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void TestMongodbWindow::cleanup()
{
    m_window.reset();
    m_context.reset();
}

void TestMongodbWindow::blockedStartIsRefused_data()
{
    QTest::addColumn<QString>("plan");
    QTest::addColumn<QString>("reason");
    QTest::newRow("transactions") << u"[workload]\nname = \"oltp_read_write\"\nparams = { tables = 1, table_size = 100 }\n"_s
                                  << u"transactions"_s;
    QTest::newRow("write concern 0")
        << u"[workload]\nname = \"ycsb\"\nparams = { workload = \"a\", recordcount = 100 }\n[set]\n\"connection.write_concern\" = \"0\"\n"_s
        << u"w=0"_s;
}

void TestMongodbWindow::blockedStartIsRefused()
{
    QFETCH(QString, plan);
    QFETCH(QString, reason);
    const ParsedPlan parsed =
        parsePlan((u"title = \"blocked\"\n[target]\nuri = \"%1\"\n"_s.arg(m_target) + plan + u"[load]\ntime = \"60s\"\n"_s).toStdString(), "test");
    QVERIFY2(parsed.plan, parsed.plan ? "" : parsed.faults.front().what.c_str());
    m_context->editPlan(*parsed.plan);
    QCOMPARE(current(), u"planPage"_s);
    QTRY_VERIFY_WITH_TIMEOUT(this->plan().editor().startable(), kLookMs);
    press(u"planStart"_s);
    QTRY_VERIFY_WITH_TIMEOUT(find<QMessageBox>(u"consentQuestion"_s), kLookMs);
    auto* box = find<QMessageBox>(u"consentQuestion"_s);
    QVERIFY2(box->informativeText().contains(reason) && box->informativeText().contains(u"FerretDB"_s),
             qPrintable(box->informativeText()));
    QVERIFY(box->informativeText().contains(u"→ "_s)); // what to do
    QVERIFY(!m_context->run().active());
    nothingWasMade();
    QCOMPARE(box->defaultButton(), qobject_cast<QPushButton*>(find<QPushButton>(u"consentNo"_s)));
    press(u"consentNo"_s);
    QTRY_VERIFY(!find<QMessageBox>(u"consentQuestion"_s));
    QVERIFY(!m_context->run().active());
    QCOMPARE(current(), u"planPage"_s); // to change it there
    nothingWasMade();
    // Whoever insists may, as with --force.
    press(u"planStart"_s);
    QTRY_VERIFY_WITH_TIMEOUT(find<QMessageBox>(u"consentQuestion"_s), kLookMs);
    press(u"consentYes"_s);
    QVERIFY(m_context->run().active());
    QCOMPARE(current(), u"runPage"_s);
    m_context->run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), kShortMs);
    std::error_code ignored;
    std::filesystem::remove(library(), ignored);
}

QTEST_MAIN(TestMongodbWindow)
#include "tst_mongodb_window.moc"
