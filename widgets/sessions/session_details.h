// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The panel beside the session list: facts, tags, notes and annotations of the selected session. GUI thread.
#pragma once

#include <dyno/library.h>

#include <QTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTextBrowser;

namespace dyno {

class Chip;
class EmptyState;
class LibraryWorker;

//! Notes are Markdown: shown as it reads, written as text. They are saved a moment after the last key, and at once when
//! another session is shown or the panel goes away.
class SessionDetails : public QWidget
{
    Q_OBJECT
public:
    static constexpr int kSaveAfterMs = 600;

    explicit SessionDetails(QWidget* parent = nullptr);
    ~SessionDetails() override;

    void showSession(const SessionInfo& session); //!< keeps what is being typed when it is the same session
    void showCount(int selected);                 //!< none or several selected
    //! Whether runs of it are not complete and could be run here.
    [[nodiscard]] static bool canRunMissing(const SessionInfo& session);
    //! Reads in the background why runs failed, how the sittings of a session compare, whether the load generator was
    //! the limit of some run, and what was written onto the time axes, and shows both.
    void readVerdict(LibraryWorker& worker);
    void flush(); //!< saves what is not saved yet
    void editNotes();
    [[nodiscard]] QString sessionId() const { return m_id; }

signals:
    void notesChanged(const QString& id, const QString& notes);
    void tagsChanged(const QString& id, const QStringList& tags);
    void compareRequested();
    void runMissingRequested(const QString& id);

protected:
    void hideEvent(QHideEvent* event) override;

private:
    //! What somebody should know before believing a figure of the session.
    struct Verdict
    {
        int runs = 0;
        QStringList damage;
        QStringList missing; //!< one a run that failed, with its reason; then how the sittings compare
        QStringList limited; //!< one a run, with its reason
        QStringList annotations;
    };
    [[nodiscard]] static Expected<Verdict> verdictOf(Library& library, const std::string& id);
    void showVerdict(const Verdict& verdict);
    void layOut();
    void saveTags();
    void setFacts(const SessionInfo& session);
    void showNotes(bool asText); //!< to read, or to write

    QString m_id;
    QString m_savedNotes;
    QStringList m_savedTags;
    QTimer m_saveTimer;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QLabel* m_title;
    Chip* m_status;
    QLabel* m_reason;
    QLabel* m_damage;
    QLabel* m_missing;
    QPushButton* m_runMissing;
    QLabel* m_limit;
    QWidget* m_factsBox;
    QLineEdit* m_tags;
    QPlainTextEdit* m_notes;
    QTextBrowser* m_notesView; //!< the notes as they read
    QStackedWidget* m_notesStack;
    QPushButton* m_notesEdit;
    QLabel* m_annotations;
    QLabel* m_saved;
};

} // namespace dyno
