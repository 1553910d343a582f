// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/library.h>

#include <QObject>
#include <QStringList>

#include <functional>

namespace dyno {

class AppContext;
class Banner;
class LibraryWorker;

//! What changes stored sessions: titles, tags, notes, the archive, deleting and bringing back. Says in the banner what
//! was not done, and in a message what is out of sight now. All of it can be undone (LibraryUndo). GUI thread.
class SessionEdits : public QObject
{
    Q_OBJECT
public:
    SessionEdits(AppContext& context, LibraryWorker& worker, Banner& banner, QObject* parent);

    void rename(const QString& id, const QString& title);
    void setTags(const QString& id, const QStringList& tags);
    void setNotes(const QString& id, const QString& notes);
    void setArchived(const QStringList& ids, bool archived);
    void remove(const QStringList& ids, const QString& title); //!< `title`: of the first
    void restore(const QStringList& ids);

signals:
    void failed(); //!< what is shown may differ from what is stored

private:
    using Work = std::function<Expected<void>(Library& library, const std::string& id)>;
    using NotDone = std::function<void(const Error& error)>;
    //! Does `work` for each session, until one fails; `what`: not done, for the banner.
    void write(const QString& what, const QStringList& ids, Work work, std::function<void()> done,
               NotDone notDone = {});
    void writeAndReload(const QString& what, const QStringList& ids, Work work, NotDone notDone);
    //! Gives a session another value. `read` says which one it has: that is what it has again after an undo. `typedKey`
    //! is for what somebody goes on writing: its steps in a row are one, and lists need not reload.
    template<class T>
    void change(const QString& what, const QString& did, const QString& id, T value, T (*read)(const SessionInfo&),
                Expected<void> (*set)(Library&, const std::string&, const T&), const QString& typedKey = {});
    void bringBack(const QStringList& ids, NotDone notDone);

    AppContext& m_context;
    LibraryWorker& m_worker;
    Banner& m_banner;
};

} // namespace dyno
