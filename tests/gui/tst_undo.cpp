// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+Z over what was done to stored sessions: deleting, archiving, titles, tags, notes.
#include "own_window.h"
#include "parts/page.h"
#include "run/replay_source.h"
#include "run/run_page.h"
#include "sessions/session_model.h"
#include "sessions/sessions_page.h"
#include "support/suite.h"

#include <QAction>
#include <QInputDialog>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_undo {
using namespace Qt::StringLiterals;

class TestUndo : public QObject, protected test::OwnWindow
{
    Q_OBJECT
    static constexpr int kPatience = 20000;
    QString m_id;

    [[nodiscard]] SessionsPage* sessions() const
    {
        return qobject_cast<SessionsPage*>(m_window->page(u"sessionsPage"_s));
    }
    [[nodiscard]] QTableView* table() const { return m_window->findChild<QTableView*>(u"sessionTable"_s); }
    [[nodiscard]] bool listed(const QStringList& titles) const
    {
        return QTest::qWaitFor(
            [&] { return m_library->titles() == titles && table()->model()->rowCount() == titles.size(); }, kPatience);
    }
    void undo() const { QTest::keyClick(table(), Qt::Key_Z, Qt::ControlModifier); }
    void redo() const { QTest::keyClick(table(), Qt::Key_Y, Qt::ControlModifier); }
    void selectFirst() const
    {
        table()->setFocus();
        // Not selectRow(): it adds to the selection while Ctrl of the last key counts as held down.
        table()->selectionModel()->setCurrentIndex(table()->model()->index(0, 0),
                                                   QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
    [[nodiscard]] SessionInfo info() const { return m_library->open()->search(m_id.toStdString()).value().front(); }

private slots:
    void initTestCase() { ownAll(); }
    void init()
    {
        startAnew();
        m_id = m_library->addShort("one");
        QVERIFY(open());
        m_window->showPage(u"sessionsPage"_s);
        QVERIFY(listed({u"one"_s}));
        selectFirst();
    }
    void cleanup() { shut(); }

    void aDeletedSessionComesBack()
    {
        auto* command = sessions()->findChild<QAction*>(u"libraryUndo"_s);
        QVERIFY(!command->isEnabled());
        QTest::keyClick(table(), Qt::Key_Delete);
        QVERIFY(listed({}));
        QVERIFY(QTest::qWaitFor([this] { return m_window->message().contains(u"one"_s); }, kPatience));
        QVERIFY2(command->isEnabled() && command->text().contains(u"one"_s), qPrintable(command->text()));
        // The message goes after a few seconds; the way back stays.
        m_window->hideMessage();
        sessions()->setFocus();
        QTest::keyClick(sessions(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(listed({u"one"_s}));
        QVERIFY(!command->isEnabled());
        redo();
        QVERIFY(listed({}));
        sessions()->setFocus();
        QTest::keyClick(sessions(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(listed({u"one"_s}));
    }
    void theMessagesButtonIsTheSameStep()
    {
        QTest::keyClick(table(), Qt::Key_Delete);
        QVERIFY(listed({}));
        auto* button = m_window->findChild<QPushButton*>(u"messageAction"_s);
        QVERIFY(QTest::qWaitFor([button] { return button->isVisible(); }, kPatience));
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(listed({u"one"_s}));
        QVERIFY(!sessions()->findChild<QAction*>(u"libraryUndo"_s)->isEnabled());
    }
    void titlesAndTheArchive()
    {
        QTest::keyClick(table(), Qt::Key_F2);
        auto* editor = table()->viewport()->findChild<QLineEdit*>();
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, u"two"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QVERIFY(listed({u"two"_s}));
        auto* command = sessions()->findChild<QAction*>(u"libraryUndo"_s);
        QVERIFY(QTest::qWaitFor([command] { return command->isEnabled(); }, kPatience));
        selectFirst();
        sessions()->findChild<QAction*>(u"sessionArchive"_s)->trigger();
        QVERIFY(listed({}));
        QVERIFY(QTest::qWaitFor([this] { return !m_window->message().isEmpty(); }, kPatience));
        sessions()->setFocus();
        QTest::keyClick(sessions(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(listed({u"two"_s}));
        selectFirst();
        undo();
        QVERIFY(listed({u"one"_s}));
        selectFirst();
        redo();
        QVERIFY(listed({u"two"_s}));
    }
    //! The message's button would take back another thing once something else was done.
    void aLaterChangeTakesTheMessageAway()
    {
        (void)m_library->addShort("another");
        m_context->notifyLibraryChanged();
        QVERIFY(QTest::qWaitFor([this] { return table()->model()->rowCount() == 2; }, kPatience));
        selectFirst();
        QTest::keyClick(table(), Qt::Key_Delete);
        QVERIFY(QTest::qWaitFor([this] { return !m_window->message().isEmpty(); }, kPatience));
        QVERIFY(QTest::qWaitFor([this] { return table()->model()->rowCount() == 1; }, kPatience));
        selectFirst();
        QTest::keyClick(table(), Qt::Key_F2);
        auto* editor = table()->viewport()->findChild<QLineEdit*>();
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, u"new"_s);
        QTest::keyClick(editor, Qt::Key_Return);
        QVERIFY(QTest::qWaitFor([this] { return m_window->message().isEmpty(); }, kPatience));
    }
    void notesOfASession()
    {
        auto* notes = sessions()->findChild<QPlainTextEdit*>(u"sessionNotes"_s);
        QVERIFY(notes);
        sessions()->findChild<QAction*>(u"sessionNote"_s)->trigger();
        QTest::keyClicks(notes, u"slow disk"_s);
        table()->setFocus(); // leaves the box: saved
        QVERIFY(QTest::qWaitFor([this] { return info().notes == "slow disk"; }, kPatience));
        auto* command = sessions()->findChild<QAction*>(u"libraryUndo"_s);
        QVERIFY(QTest::qWaitFor([command] { return command->isEnabled(); }, kPatience));
        undo();
        QVERIFY(QTest::qWaitFor([this] { return info().notes.empty(); }, kPatience));
        QVERIFY(QTest::qWaitFor([notes] { return notes->toPlainText().isEmpty(); }, kPatience));
        redo();
        QVERIFY(QTest::qWaitFor([this] { return info().notes == "slow disk"; }, kPatience));
    }
    void notesOfARun()
    {
        m_context->replaySession(m_id);
        auto* run = qobject_cast<RunPage*>(m_window->page(u"runPage"_s));
        QVERIFY(QTest::qWaitFor([run] { return run->replay().loaded(); }, kPatience));
        run->setFocus();
        QTest::keyClick(run, Qt::Key_N);
        auto* dialog = run->findChild<QInputDialog*>(u"noteDialog"_s);
        QVERIFY(dialog);
        dialog->setTextValue(u"checkpoint"_s);
        dialog->accept();
        const auto stored = [this] { return m_library->open()->annotations(m_id.toStdString()).value(); };
        QVERIFY(QTest::qWaitFor([&] { return stored().size() == 1; }, kPatience));
        auto* command = run->findChild<QAction*>(u"libraryUndo"_s);
        QVERIFY(QTest::qWaitFor([command] { return command->isEnabled(); }, kPatience));
        m_window->activateWindow(); // the dialog has gone
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        run->setFocus();
        QTest::keyClick(run, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(QTest::qWaitFor([&] { return stored().empty(); }, kPatience));
        QTest::keyClick(run, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(QTest::qWaitFor([&] { return stored().size() == 1; }, kPatience));
        QCOMPARE(stored()[0].text, std::string("checkpoint"));
    }
};

} // namespace dyno::tst_undo

DYNO_WIDGET_SUITE(tst_undo, dyno::tst_undo::TestUndo)
#include "tst_undo.moc"
