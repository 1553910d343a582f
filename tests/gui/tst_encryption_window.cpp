// SPDX-License-Identifier: GPL-3.0-or-later
// The window's Start with a managed MariaDB that lacks the plug-in for encrypted tables: it is refused before anything
// is made, with the reason and what helps; whoever insists finds both on the Run page.
#include "bridge/app_context.h"
#include "bridge/run_bridge.h"
#include "main_window.h"
#include "parts/card.h"
#include "parts/page.h"
#include "run/run_page.h"
#include "server/lifecycle/server_binaries.h"
#include "support/mariadb_fixture.h"
#include "support/own_settings.h"
#include "support/patience.h"
#include "support/suite.h"
#include "theme.h"

#include <dyno/library.h>
#include <dyno/plan.h>
#include <dyno/uri.h>

#include <QDir>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_encryption_window {

namespace {

constexpr int kServerMs = 120'000; //!< looks at programs on a busy machine
const char* const kTarget = "managed:mariadb";

} // namespace

class TestEncryptionWindow : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    [[nodiscard]] std::string library() const { return m_dir.filePath("library.dynolib").toStdString(); }
    void nothingWasMade() const
    {
        for (const char* kind : {"instances", "managed"}) { // with a name, and without one
            const QDir folder(m_dir.filePath(QStringLiteral("dynobench/") + QLatin1String(kind)));
            const QStringList made = folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
            QVERIFY2(made.isEmpty(), qPrintable(made.join(", ")));
        }
        if (!QFile::exists(QString::fromStdString(library())))
            return;
        const auto opened = Library::open(library(), Library::Mode::ReadOnly);
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        const auto sessions = (*opened)->sessions();
        QVERIFY2(sessions, sessions ? "" : sessions.error().text().c_str());
        QVERIFY(sessions->empty());
    }

private slots:
    void initTestCase()
    {
        if (const std::string why = test::MariadbFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
        QVERIFY(m_dir.isValid());
        test::ownHome(m_dir);
        Theme::instance().apply(*qApp);
    }

    void startIsRefused()
    {
        const auto uri = parseUri(kTarget);
        QVERIFY(uri);
        const auto program = findServer(wishOf(*uri));
        QVERIFY2(program, program ? "" : program.error().text().c_str());
        std::error_code ignored;
        if (std::filesystem::exists(program->pluginFolder() / "file_key_management.so", ignored))
            QSKIP("this MariaDB has file_key_management");
        Plan plan;
        plan.title = "Encrypted tables";
        plan.target.uri = kTarget;
        plan.workload.name = "oltp_point_select";
        plan.workload.params["table_size"] = std::int64_t(100);
        plan.set["server.encryption"] = std::string("tables");
        plan.load.timeSeconds = 0.2;
        plan.load.intervalSeconds = 0.1;
        AppContext context(library());
        MainWindow window(context);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const auto box = [&window] { return window.findChild<QMessageBox*>("consentQuestion"); };
        const auto press = [&](const char* button) {
            auto* found = box()->findChild<QPushButton*>(button);
            QVERIFY(found);
            QTest::mouseClick(found, Qt::LeftButton);
        };
        context.startPlan(plan);
        QTRY_VERIFY_WITH_TIMEOUT(box(), kServerMs);
        const QString asked = box()->informativeText().remove(QChar(0x200b));
        QVERIFY2(asked.contains("file_key_management.so"), qPrintable(asked));  // the reason
        QVERIFY2(asked.contains(QStringLiteral("\u2192 ")), qPrintable(asked)); // what helps
        QVERIFY2(asked.contains("mariadb-server"), qPrintable(asked));
        QCOMPARE(box()->defaultButton()->objectName(), QStringLiteral("consentNo"));
        QVERIFY(!context.run().active());
        nothingWasMade();
        press("consentNo");
        QTRY_VERIFY(!box());
        QVERIFY(!context.run().active());
        nothingWasMade();

        context.startPlan(plan); // and whoever insists
        QTRY_VERIFY_WITH_TIMEOUT(box(), kServerMs);
        press("consentYes");
        QVERIFY(context.run().active());
        QTRY_VERIFY_WITH_TIMEOUT(!context.run().active(), kServerMs);
        auto* run = qobject_cast<RunPage*>(window.page("runPage"));
        QVERIFY(run);
        const QString told = run->bannerText();
        QVERIFY2(told.contains("file_key_management.so") && told.contains("mariadb-server"), qPrintable(told));
        auto* nothing = run->findChild<EmptyState*>("runNothing");
        QVERIFY(nothing && nothing->isVisible()); // no empty axes
        QVERIFY2(nothing->accessibleDescription().contains("file_key_management.so"),
                 qPrintable(nothing->accessibleDescription()));
    }
};

} // namespace dyno::tst_encryption_window

DYNO_WIDGET_SUITE(tst_encryption_window, dyno::tst_encryption_window::TestEncryptionWindow)
#include "tst_encryption_window.moc"
