// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Writes, changes and deletes notes on the time axis of stored runs, with a way back. GUI thread.
#pragma once

#include "bridge/app_context.h"
#include "bridge/library_worker.h"

#include <QObject>

#include <functional>
#include <memory>
#include <vector>

namespace dyno {

//! A session's notes after a change, with the events of the run that was changed.
struct RunNotes
{
    QString session;
    int run = 0;                //!< RunHeader::index
    std::int64_t storedRun = 0; //!< StoredRun::id
    std::vector<RunEvent> events;
    std::vector<Annotation> annotations; //!< of the whole session
};

//! Changes the library in the background. Runs are named by their RunHeader::index.
class NoteEditor : public QObject
{
    Q_OBJECT
public:
    explicit NoteEditor(AppContext& context, QObject* parent = nullptr);

    //! What cannot be written while a session runs is written when it has ended.
    void add(const QString& session, int run, double seconds, const QString& text);
    void change(const QString& session, int run, const Annotation& note, const QString& text);
    void remove(const QString& session, int run, const Annotation& note);
    [[nodiscard]] bool busy() const { return m_worker.busy(); }

signals:
    void changed(const dyno::RunNotes& notes);
    void failed(const QString& text);

private:
    //! A note of a run: where it stands, and its text before and after the change, "" = there is none.
    struct Change
    {
        QString session;
        int run = 0; //!< RunHeader::index
        std::int64_t ns = 0;
        QString before, after;
    };
    using Work = std::function<Expected<void>(Library& library, const StoredRun& run)>;
    using NotDone = std::function<void(const Error& error)>;
    //! `refused` may take a failure over: true when nobody need hear of it.
    void write(const QString& session, int run, Work work, std::function<void()> done,
               std::function<bool(const Error& error)> refused);
    void make(const Change& change, std::function<void()> done, NotDone notDone = {});
    //! Makes it so that it can be undone. `text`: what it is, a verb first; `told`: what was done, "" = no message.
    void makeUndoable(const Change& change, const QString& text, const QString& told = {});

    AppContext& m_context;
    LibraryWorker m_worker;
};

} // namespace dyno

Q_DECLARE_METATYPE(dyno::RunNotes)
