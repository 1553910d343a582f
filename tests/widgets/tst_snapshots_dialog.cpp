// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot that a person asks for on the Run page: the button, the event, the texts behind it.
#include "run/snapshots_dialog.h"
#include "run_page_fixture.h"
#include "support/patience.h"
#include "support/suite.h"

#include <dyno/snapshots.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTreeWidget>

namespace dyno::tst_snapshots_dialog {

class TestSnapshotsDialog : public test::RunPageTest
{
    Q_OBJECT

    [[nodiscard]] int rowOfSnapshot() const
    {
        const auto* list = find<EventList>("eventList");
        for (int row = 0; row < list->model()->rowCount(); ++row) {
            if (list->model()->index(row, 0).data().toString().startsWith(QStringLiteral("snapshot: ")))
                return row;
        }
        return -1;
    }

private slots:
    void initTestCase() { Theme::instance().apply(*qApp); }
    void init() { openPage(); }
    void cleanup() { closePage(); }

    //! While a run on a real engine goes on.
    void aClickOnTheEventShowsTheTexts()
    {
        if (!findDriver("rocksdb"))
            QSKIP("this build has no RocksDB");
        Plan plan;
        plan.title = "Snapshots";
        plan.target.uri = "rocksdb:" + m_library.path("bench.rdb").toStdString();
        plan.workload.name = "ycsb";
        plan.workload.params["recordcount"] = std::int64_t(200);
        plan.load.timeSeconds = 60;
        plan.load.intervalSeconds = 0.1;
        RunnerOptions options;
        options.library = m_library.file();
        options.workDir = m_library.path("work").toStdString();
        QVERIFY(m_context->run().start(plan, options));
        auto* button = find<QPushButton>("runSnapshot");
        QTRY_VERIFY_WITH_TIMEOUT(button->isVisible() && m_page->model().soFar().transactions > 0, test::kPatienceMs);
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(rowOfSnapshot() >= 0, test::kPatienceMs);
        auto* list = find<EventList>("eventList");
        const QModelIndex index = list->model()->index(rowOfSnapshot(), 0);
        list->scrollTo(index);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(index).center());
        auto* dialog = m_page->window()->findChild<SnapshotsDialog*>();
        QVERIFY(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog->snapshots().empty(), test::kPatienceMs);
        m_context->run().stop();
        QVERIFY(dialog->isVisible());
        QVERIFY2(dialog->text().contains(QStringLiteral("** Compaction Stats")), qPrintable(dialog->text()));
        // The first part is chosen, below the line of its snapshot.
        auto* parts = dialog->findChild<QTreeWidget*>(QStringLiteral("snapshotList"));
        QCOMPARE(parts->topLevelItemCount(), 1);
        QVERIFY(parts->currentItem() && parts->currentItem()->parent() == parts->topLevelItem(0));
        QVERIFY(parts->currentItem()->text(0).startsWith(QStringLiteral("Statistics of ")));
        auto* search = dialog->findChild<QLineEdit*>(QStringLiteral("snapshotSearch"));
        auto* text = dialog->findChild<QPlainTextEdit*>(QStringLiteral("snapshotText"));
        search->setText(QStringLiteral("Compaction Stats"));
        QGuiApplication::clipboard()->clear();
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(QGuiApplication::clipboard()->text(), QString()); // the key is for the search alone
        QCOMPARE(text->textCursor().selectedText(), QStringLiteral("Compaction Stats"));
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("snapshotCopy")), Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), text->toPlainText());
        dialog->close();
        QTRY_VERIFY_WITH_TIMEOUT(!m_context->run().active(), test::kPatienceMs);
        QVERIFY(!button->isVisible()); // there is nothing to ask any more
    }
};

} // namespace dyno::tst_snapshots_dialog

DYNO_WIDGET_SUITE(tst_snapshots_dialog, dyno::tst_snapshots_dialog::TestSnapshotsDialog)
#include "tst_snapshots_dialog.moc"
