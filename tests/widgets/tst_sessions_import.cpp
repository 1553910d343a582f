// SPDX-License-Identifier: GPL-3.0-or-later
// Results of other tools come in through the Sessions page, and what may be done with them there.
#include "bridge/app_context.h"
#include "sessions/import_dialog.h"
#include "sessions/session_model.h"
#include "sessions/sessions_page.h"
#include "support/patience.h"
#include "theme.h"
#include "widgets/sample_library.h"

#include "store/library/database.h"
#include "support/suite.h"
#include <dyno/import.h>

#include <QAction>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTableView>
#include <QTableWidget>
#include <QTextBrowser>

namespace dyno::tst_sessions_import {

namespace {

StoredSession lastOf(Library& library)
{
    return library.session(library.resolveId("last").value()).value();
}

QString data(const char* name)
{
    return QStringLiteral(DYNO_TEST_DATA "/import/") + QString::fromLatin1(name);
}

struct Fixture
{
    test::SampleLibrary library;
    AppContext context{library.file()};
    SessionsPage page{context};
    QString message;
    int started = 0;

    Fixture()
    {
        QObject::connect(&context, &AppContext::messageRequested, [this](const QString& text) { message = text; });
        QObject::connect(&context, &AppContext::pageRequested,
                         [this](const QString& name) { started += name == "runPage" || name == "planPage"; });
        page.resize(1196, 720);
        page.show();
        if (!QTest::qWaitForWindowExposed(&page))
            qFatal("the page is not shown");
    }
    void drop(const QString& file)
    {
        QMimeData mime;
        mime.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&page, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(50, 50), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&page, &event);
    }
    [[nodiscard]] ImportDialog* dialog() const { return page.findChild<ImportDialog*>(); }
    template<class T>
    T* find(const char* name) const
    {
        T* found = page.findChild<T*>(QString::fromLatin1(name));
        if (!found)
            qFatal("no %s", name);
        return found;
    }
    [[nodiscard]] QString textOf(const char* label) const { return find<QLabel>(label)->text(); }
    void click(const char* button) { QTest::mouseClick(find<QPushButton>(button), Qt::LeftButton); }
    void waitRead() { QTRY_VERIFY(dialog() && !dialog()->busy()); }
};

} // namespace

class TestSessionsImport : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        Theme::instance().apply(*qApp);
    }

    //! Dropped, looked at, given a title, imported, found in the list; its notes read as Markdown.
    void takesALog()
    {
        Fixture f;
        f.drop(data("pgbench.log"));
        f.waitRead();
        QVERIFY2(f.textOf("importReason").startsWith("pgbench"), qPrintable(f.textOf("importReason")));
        auto* runs = f.find<QTableWidget>("importRuns");
        QCOMPARE(runs->rowCount(), 1);
        QCOMPARE(runs->item(0, 1)->text(), QString("4"));
        QCOMPARE(runs->item(0, 4)->text(), QString("609"));
        QCOMPARE(runs->item(0, 7)->text(), QString("–")); // the file has no percentiles
        QVERIFY(f.textOf("importUnderstood").contains("service"));
        QVERIFY(!f.find<QSpinBox>("importUsers")->isEnabled()); // the file tells them
        QVERIFY(!f.find<QWidget>("importMap")->isVisible());
        QTest::keyClicks(f.find<QLineEdit>("importTitle"), QStringLiteral("tpcb on loop"));
        f.click("importAccept");
        QTRY_COMPARE(f.library.titles(), QStringList{"tpcb on loop"});
        QTRY_VERIFY(f.message.contains("tpcb on loop"));
        auto* table = f.find<QTableView>("sessionTable");
        QTRY_COMPARE(table->model()->rowCount(), 1);
        table->selectRow(0);
        auto* notes = f.find<QTextBrowser>("sessionNotesView");
        QVERIFY(notes->isVisible());
        QVERIFY(notes->toPlainText().contains("Measured by another tool"));
        QVERIFY(notes->toHtml().contains("<ul")); // its list is a list
    }

    //! What it cannot do is said where it would be asked for.
    void isNotRunAgain()
    {
        Fixture f;
        f.page.importFiles({data("sysbench-oltp.log")});
        f.waitRead();
        f.click("importAccept");
        auto* table = f.find<QTableView>("sessionTable");
        QTRY_COMPARE(table->model()->rowCount(), 1);
        table->selectRow(0);
        for (const char* name : {"sessionAgain", "sessionDuplicate"}) {
            const auto* action = f.find<QAction>(name);
            QVERIFY2(!action->isEnabled(), name);
            QVERIFY2(action->toolTip().contains("no plan to run"), qPrintable(action->toolTip()));
        }
        QVERIFY(!f.find<QAbstractButton>("sessionAgainButton")->isEnabled());
        // other pages have a stored plan too
        f.context.startPlan(lastOf(*f.library.open()).header.plan);
        QVERIFY(f.message.contains("nother tool"));
        QCOMPARE(f.started, 0);
    }

    //! Headings say most; what they do not say is chosen.
    void mapsColumns()
    {
        Fixture f;
        const QString file = f.library.path("lab.csv");
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("when,speed,slowest\n1,100,3\n2,120,4\n3,140,5\n");
        out.close();
        f.page.importFiles({file});
        f.waitRead();
        auto* format = f.find<QComboBox>("importFormat");
        const int csv = format->findData(QStringLiteral("csv"));
        QVERIFY(csv > 0);
        format->setFocus();
        QTest::keyClick(format, Qt::Key_End); // the last one
        if (format->currentIndex() != csv)
            format->setCurrentIndex(csv);
        emit format->activated(csv);
        f.waitRead();
        QTRY_VERIFY(f.find<QWidget>("importMap")->isVisible());
        const auto choose = [&f](const char* role, const QString& column) {
            auto* box = f.find<QComboBox>(role);
            const int at = box->findData(column);
            QVERIFY2(at > 0, role);
            box->setCurrentIndex(at);
            emit box->activated(at);
        };
        choose("importRole-time", QStringLiteral("1"));
        choose("importRole-throughput", QStringLiteral("2"));
        choose("importRole-max", QStringLiteral("3"));
        auto* users = f.find<QSpinBox>("importUsers");
        auto* runs = f.find<QTableWidget>("importRuns");
        QTRY_VERIFY(!f.dialog()->busy() && runs->rowCount() == 1 && runs->item(0, 4)->text() == "120");
        QCOMPARE(runs->item(0, 1)->text(), QString("–"));
        QVERIFY(users->isEnabled());
        users->selectAll();
        QTest::keyClicks(users, QStringLiteral("16"));
        QTRY_COMPARE(runs->item(0, 1)->text(), QString("16"));
        f.click("importAccept");
        QTRY_COMPARE(f.library.titles().size(), 1);
        const StoredSession session = lastOf(*f.library.open());
        QCOMPARE(session.header.points.front().users(), 16);
        QCOMPARE(session.runs.front().summary.tps, 120.0);
    }

    void saysWhatItCannotRead()
    {
        Fixture f;
        const QString file = f.library.path("junk.log");
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(QByteArray(5000, '\x01'));
        out.close();
        f.page.importFiles({file});
        f.waitRead();
        QVERIFY(f.find<QLabel>("importProblem")->isVisible());
        QVERIFY2(f.textOf("importProblem").contains("junk.log"), qPrintable(f.textOf("importProblem")));
        QVERIFY(!f.find<QPushButton>("importAccept")->isEnabled());
        f.click("importCancel");
        QTRY_VERIFY(!f.dialog());
        QVERIFY(!std::filesystem::exists(f.library.file()));
    }

    //! A long file is left in the middle, and the library is as it was.
    void isCancelled()
    {
        Fixture f;
        const QString file = f.library.path("long.log");
        QFile out(file), in(data("sysbench-oltp.log"));
        QVERIFY(in.open(QIODevice::ReadOnly) && out.open(QIODevice::WriteOnly));
        const QByteArray one = in.readAll();
        for (int i = 0; i < 2000; ++i)
            out.write(one);
        out.close();
        f.page.importFiles({file});
        QVERIFY(f.dialog()->busy());
        QTRY_VERIFY(f.find<QWidget>("importProgress")->isVisible());
        f.click("importCancel");
        QTRY_VERIFY(!f.dialog());
        QTest::qWait(100); // what was under way ends by itself
        QVERIFY(!std::filesystem::exists(f.library.file()));
    }

    //! While the library is written nothing can be asked otherwise, and Cancel waits for the writer's answer.
    void waitsForTheWriter()
    {
        Fixture f;
        (void)f.library.open();
        f.page.importFiles({data("sysbench-oltp.log")});
        f.waitRead();
        QPointer<ImportDialog> dialog = f.dialog();
        auto* format = f.find<QComboBox>("importFormat");
        {
            auto other = Database::open(f.library.file(), Database::Access::ReadWrite).value();
            const Transaction lock(*other); // another program writes
            f.click("importAccept");
            QVERIFY(dialog->busy());
            for (const char* field : {"importFormat", "importTitle", "importUsers"})
                QVERIFY2(!f.find<QWidget>(field)->isEnabled(), field);
            emit format->activated(0);
            QVERIFY(dialog->busy());
            QTest::qWait(200);
            f.click("importCancel");
            QVERIFY(dialog && dialog->isVisible());
            QVERIFY(!f.find<QPushButton>("importCancel")->isEnabled());
            QTest::keyClick(dialog, Qt::Key_Escape);
            QVERIFY(dialog && dialog->isVisible());
        }
        QTRY_VERIFY(!dialog);
        QCOMPARE(f.library.titles(), QStringList());
        QCOMPARE(f.message, QString());
    }

    //! Whenever Cancel comes: what is in the library was told, and what was told is in it.
    void cancelledLateOrInTime()
    {
        for (const int after : {0, 1, 3, 10, 30}) {
            Fixture f;
            (void)f.library.open();
            f.page.importFiles({data("sysbench-oltp.log")});
            f.waitRead();
            QPointer<ImportDialog> dialog = f.dialog();
            f.click("importAccept");
            QTest::qWait(after);
            if (dialog)
                dialog->reject();
            QTRY_VERIFY(!dialog);
            QCOMPARE(f.library.titles().size(), f.message.contains("Imported") ? 1 : 0);
        }
    }

    //! A change of the form at the wrong time does not end the import.
    void changesDoNotEndIt()
    {
        Fixture f;
        f.page.importFiles({data("sysbench-oltp.log"), data("sysbench-no-percentile.log")});
        f.waitRead();
        f.click("importAccept");
        emit f.find<QComboBox>("importFormat")->activated(0);
        QTRY_COMPARE(f.library.titles().size(), 1);
    }

    //! Several files: one question each, or one session of all.
    void takesSeveralFilesTogether()
    {
        Fixture f;
        f.page.importFiles({data("sysbench-oltp.log"), data("sysbench-no-percentile.log")});
        f.waitRead();
        QTest::mouseClick(f.find<QAbstractButton>("importTogether"), Qt::LeftButton, {}, QPoint(8, 8));
        auto* runs = f.find<QTableWidget>("importRuns");
        QTRY_COMPARE(runs->rowCount(), 2);
        QTRY_VERIFY(!f.dialog()->busy());
        f.click("importAccept");
        QTRY_COMPARE(f.library.titles().size(), 1);
        QTRY_VERIFY(!f.dialog());
        QCOMPARE(lastOf(*f.library.open()).runs.size(), std::size_t(2));
    }
};

} // namespace dyno::tst_sessions_import

DYNO_WIDGET_SUITE(tst_sessions_import, dyno::tst_sessions_import::TestSessionsImport)
#include "tst_sessions_import.moc"
