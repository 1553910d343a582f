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
//! was not done, and in a message what can be undone. GUI thread.
class SessionEdits : public QObject
{
    Q_OBJECT
public:
    SessionEdits(AppContext& context, LibraryWorker& worker, Banner& banner, QObject* parent);

    void rename(const QString& id, const QString& title);
    void setTags(const QString& id, const QStringList& tags);
    void setNotes(const QString& id, const QString& notes);
    void setArchived(const QStringList& ids, bool archived, bool undo = true);
    void remove(const QStringList& ids, const QString& title); //!< `title`: of the first
    void restore(const QStringList& ids);

signals:
    void failed(); //!< what is shown may differ from what is stored

private:
    void write(const QString& what, std::function<Expected<void>(Library&)> work, std::function<void()> done = {});
    //! The same for each of several sessions, until one fails.
    void writeEach(const QString& what, const QStringList& ids,
                   std::function<Expected<void>(Library&, const std::string&)> work, std::function<void()> done);

    AppContext& m_context;
    LibraryWorker& m_worker;
    Banner& m_banner;
};

} // namespace dyno
