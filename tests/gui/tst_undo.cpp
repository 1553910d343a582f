// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+Z over what was done to stored sessions: deleting, archiving, titles, tags, notes.
#include "bridge/library_undo.h"
#include "own_window.h"
#include "parts/page.h"
#include "run/note_editor.h"
#include "run/replay_source.h"
#include "run/run_page.h"
#include "sessions/session_model.h"
#include "sessions/sessions_page.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QAction>
#include <QInputDialog>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

namespace dyno::tst_undo {
using namespace Qt::StringLiterals;

class TestUndo : public QObject, protected test::OwnWindow
{
    Q_OBJECT
    static constexpr int kPatience = test::kPatienceMs;
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
    //! A step back takes the message away, and its button does not take back what was done before that.
    void theMessagesButtonIsNoOtherStep()
    {
        (void)m_library->addShort("another"); // the newest: the first row
        m_context->notifyLibraryChanged();
        QVERIFY(listed({u"another"_s, u"one"_s}));
        selectFirst();
        sessions()->findChild<QAction*>(u"sessionArchive"_s)->trigger();
        QVERIFY(listed({u"one"_s}));
        selectFirst();
        QTest::keyClick(table(), Qt::Key_Delete);
        QVERIFY(listed({}));
        QVERIFY(QTest::qWaitFor([this] { return m_window->message().contains(u"one"_s); }, kPatience));
        sessions()->setFocus();
        QTest::keyClick(sessions(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(listed({u"one"_s}));
        QVERIFY2(m_window->message().isEmpty(), qPrintable(m_window->message()));
        const QUndoStack& stack = LibraryUndo::of(*m_context).stack();
        QCOMPARE(stack.index(), 1);
        m_window->findChild<QPushButton*>(u"messageAction"_s)->click();
        QCOMPARE(stack.index(), 1);
    }
    //! What else is said meanwhile stays.
    void messagesOfOthersStay()
    {
        QTest::keyClick(table(), Qt::Key_Delete);
        QVERIFY(listed({}));
        QVERIFY(QTest::qWaitFor([this] { return m_window->message().contains(u"one"_s); }, kPatience));
        m_window->openFile(u"/nowhere/a.dyno"_s);
        QVERIFY2(m_window->message().contains(u"/nowhere"_s), qPrintable(m_window->message()));
        sessions()->setFocus();
        QTest::keyClick(sessions(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(listed({u"one"_s}));
        QVERIFY2(m_window->message().contains(u"/nowhere"_s), qPrintable(m_window->message()));
    }
    //! Of two sessions one is archived already: a step back leaves it there.
    void theArchiveOfAMixedSelection()
    {
        const QString other = m_library->addShort("another");
        QVERIFY(m_library->open()->setArchived(other.toStdString(), true));
        sessions()->findChild<QAction*>(u"libraryShowArchived"_s)->setChecked(true);
        QVERIFY(QTest::qWaitFor([this] { return table()->model()->rowCount() == 2; }, kPatience));
        table()->selectAll();
        sessions()->findChild<QAction*>(u"sessionArchive"_s)->trigger();
        const auto archived = [this](const QString& id) { return m_library->open()->info(id.toStdString())->archived; };
        QVERIFY(QTest::qWaitFor([&] { return archived(m_id) == archived(other); }, kPatience));
        QVERIFY(QTest::qWaitFor([this] { return LibraryUndo::of(*m_context).stack().canUndo(); }, kPatience));
        LibraryUndo::of(*m_context).stack().undo();
        QVERIFY(QTest::qWaitFor([&] { return !archived(m_id) && archived(other); }, kPatience));
    }
    //! Each pause in typing saves; the way back is one step.
    void notesTypedWithPausesAreOneStep()
    {
        auto* notes = sessions()->findChild<QPlainTextEdit*>(u"sessionNotes"_s);
        sessions()->findChild<QAction*>(u"sessionNote"_s)->trigger();
        QTest::keyClicks(notes, u"slow"_s);
        QVERIFY(QTest::qWaitFor([this] { return info().notes == "slow"; }, kPatience));
        QTest::keyClicks(notes, u" disk"_s);
        QVERIFY(QTest::qWaitFor([this] { return info().notes == "slow disk"; }, kPatience));
        const QUndoStack& stack = LibraryUndo::of(*m_context).stack();
        QVERIFY(QTest::qWaitFor([this] { return !sessions()->busy(); }, kPatience));
        QCOMPARE(stack.count(), 1);
        QCOMPARE(stack.undoText(), u"change notes"_s);
        table()->setFocus();
        undo();
        QVERIFY(QTest::qWaitFor([this] { return info().notes.empty(); }, kPatience));
        redo();
        QVERIFY(QTest::qWaitFor([this] { return info().notes == "slow disk"; }, kPatience));
    }
    //! A step back that failed can be tried again; one of something that is not there any more is gone.
    void aStepBackThatFails()
    {
        LibraryUndo& undo = LibraryUndo::of(*m_context);
        int undone = 0, redone = 0;
        ErrorKind kind = ErrorKind::Storage;
        LibraryStep step;
        step.text = u"test"_s;
        step.undo = [&](auto notDone) {
            ++undone;
            QTimer::singleShot(0, this, [&kind, notDone] { notDone(Error{kind}); });
        };
        step.redo = [&](auto) { ++redone; };
        undo.done({u"below"_s, step.redo, step.redo, {}, {}});
        undo.done(step);
        undo.stack().undo();
        QVERIFY(QTest::qWaitFor([&] { return undo.stack().index() == 2; }, kPatience));
        QCOMPARE(undo.stack().undoText(), u"test"_s);
        kind = ErrorKind::BadInput;
        undo.stack().undo();
        QVERIFY(QTest::qWaitFor([&] { return undo.stack().count() == 1; }, kPatience));
        QCOMPARE(undo.stack().undoText(), u"below"_s);
        QVERIFY(!undo.stack().canRedo());
        QCOMPARE(undone, 2);
        QCOMPARE(redone, 0); // the stack moved, and nothing was written
    }
    //! Its old text does not come beside a note that somebody else deleted meanwhile.
    void aNoteThatIsGoneIsNotDoubled()
    {
        NoteEditor editor(*m_context);
        QSignalSpy changed(&editor, &NoteEditor::changed), failed(&editor, &NoteEditor::failed);
        const auto stored = [this] { return m_library->open()->annotations(m_id.toStdString()).value(); };
        editor.add(m_id, 0, 1, u"before"_s);
        QVERIFY(QTest::qWaitFor([&] { return changed.count() == 1; }, kPatience));
        QUndoStack& stack = LibraryUndo::of(*m_context).stack();
        QVERIFY2(stack.undoText().startsWith(u"add note at "_s), qPrintable(stack.undoText()));
        editor.change(m_id, 0, stored().front(), u"after"_s);
        QVERIFY(QTest::qWaitFor([&] { return changed.count() == 2; }, kPatience));
        QVERIFY2(stack.undoText().startsWith(u"change note at "_s), qPrintable(stack.undoText()));
        QVERIFY(m_library->open()->removeAnnotation(m_id.toStdString(), stored().front().id));
        stack.undo();
        QVERIFY(QTest::qWaitFor([&] { return failed.count() == 1; }, kPatience));
        QVERIFY(stored().empty());
        QCOMPARE(stack.count(), 1);
        QVERIFY(!stack.canRedo());
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
