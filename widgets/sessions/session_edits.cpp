// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_edits.h"

#include "bridge/app_context.h"
#include "bridge/library_worker.h"
#include "format.h"
#include "parts/banner.h"

#include <QPointer>

namespace dyno {

SessionEdits::SessionEdits(AppContext& context, LibraryWorker& worker, Banner& banner, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_worker(worker)
    , m_banner(banner)
{
}

void SessionEdits::write(const QString& what, std::function<Expected<void>(Library&)> work, std::function<void()> done)
{
    m_worker.run<void>(Library::Mode::ReadWrite, std::move(work),
                       [this, what, done = std::move(done)](Expected<void> result) {
                           if (!result) {
                               m_banner.showError(what, result.error());
                               emit failed();
                           } else if (done) {
                               done();
                           }
                       });
}

void SessionEdits::rename(const QString& id, const QString& title)
{
    write(
        tr("The session was not renamed"),
        [id = id.toStdString(), title = title.toStdString()](Library& library) { return library.rename(id, title); },
        [this] { m_context.notifyLibraryChanged(); });
}

void SessionEdits::setTags(const QString& id, const QStringList& tags)
{
    std::vector<std::string> list;
    for (const QString& tag : tags)
        list.push_back(tag.toStdString());
    write(
        tr("The tags were not saved"),
        [id = id.toStdString(), list = std::move(list)](Library& library) { return library.setTags(id, list); },
        [this] { m_context.notifyLibraryChanged(); });
}

void SessionEdits::setNotes(const QString& id, const QString& notes)
{
    write(tr("The notes were not saved"), [id = id.toStdString(), notes = notes.toStdString()](Library& library) {
        return library.setNotes(id, notes);
    });
}

void SessionEdits::writeEach(const QString& what, const QStringList& ids,
                             std::function<Expected<void>(Library&, const std::string&)> work,
                             std::function<void()> done)
{
    write(
        what,
        [ids, work = std::move(work)](Library& library) -> Expected<void> {
            for (const QString& id : ids) {
                if (auto result = work(library, id.toStdString()); !result)
                    return result;
            }
            return {};
        },
        std::move(done));
}

void SessionEdits::setArchived(const QStringList& ids, bool archived, bool undo)
{
    writeEach(
        tr("The archive was not changed"), ids,
        [archived](Library& library, const std::string& id) { return library.setArchived(id, archived); },
        [this, ids, archived, undo] {
            m_context.notifyLibraryChanged();
            if (!undo)
                return;
            const QString count = format::count(ids.size());
            const QString text = ids.size() == 1
                                     ? (archived ? tr("Archived one session") : tr("Restored one session"))
                                     : (archived ? tr("Archived %1 sessions") : tr("Restored %1 sessions")).arg(count);
            m_context.showMessage(text, tr("Undo"), [edits = QPointer(this), ids, archived] {
                if (edits)
                    edits->setArchived(ids, !archived, false);
            });
        });
}

void SessionEdits::remove(const QStringList& ids, const QString& title)
{
    const QString text =
        ids.size() == 1 ? tr("Deleted “%1”").arg(title) : tr("Deleted %1 sessions").arg(format::count(ids.size()));
    writeEach(
        tr("The session was not deleted"), ids,
        [](Library& library, const std::string& id) { return library.remove(id); },
        [this, text, ids] {
            m_context.notifyLibraryChanged();
            m_context.showMessage(text, tr("Undo"), [edits = QPointer(this), ids] {
                if (edits)
                    edits->restore(ids);
            });
        });
}

void SessionEdits::restore(const QStringList& ids)
{
    writeEach(
        tr("The session was not restored"), ids,
        [](Library& library, const std::string& id) { return library.restore(id); },
        [this] { m_context.notifyLibraryChanged(); });
}

} // namespace dyno
