// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_edits.h"

#include "bridge/app_context.h"
#include "bridge/library_undo.h"
#include "bridge/library_worker.h"
#include "format.h"
#include "parts/banner.h"

#include <QPointer>

#include <algorithm>
#include <memory>
#include <optional>

namespace dyno {

SessionEdits::SessionEdits(AppContext& context, LibraryWorker& worker, Banner& banner, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_worker(worker)
    , m_banner(banner)
{
}

void SessionEdits::write(const QString& what, const QStringList& ids, Work work, std::function<void()> done)
{
    m_worker.run<void>(
        Library::Mode::ReadWrite,
        [ids, work = std::move(work)](Library& library) -> Expected<void> {
            for (const QString& id : ids) {
                if (auto result = work(library, id.toStdString()); !result)
                    return result;
            }
            return {};
        },
        [this, what, done = std::move(done)](Expected<void> result) {
            if (!result) {
                m_banner.showError(what, result.error());
                emit failed();
            } else if (done) {
                done();
            }
        });
}

template<class T>
void SessionEdits::change(const QString& what, const QString& did, const QString& id, T value,
                          T (*read)(const SessionInfo&), Expected<void> (*set)(Library&, const std::string&, const T&),
                          bool stale)
{
    auto before = std::make_shared<std::optional<T>>();
    const auto put = [self = QPointer(this), what, id, set](const T& to) {
        if (self)
            self->write(
                what, {id},
                [set, to](Library& library, const std::string& session) { return set(library, session, to); },
                [self] {
                    if (self)
                        self->m_context.notifyLibraryChanged();
                });
    };
    write(
        what, {id},
        [before, value, read, set](Library& library, const std::string& session) -> Expected<void> {
            auto found = library.search(session + " is:any"); // it begins the id, or somebody's notes name it
            if (!found)
                return fail(found.error());
            const auto own = std::ranges::find(*found, session, &SessionInfo::id);
            if (own != found->end())
                *before = read(*own);
            return set(library, session, value);
        },
        [this, before, did, put, value, stale] {
            if (stale)
                m_context.notifyLibraryChanged();
            if (*before && **before != value)
                LibraryUndo::of(m_context).done(
                    did, [put, to = **before] { put(to); }, [put, value] { put(value); }, false);
        });
}

void SessionEdits::rename(const QString& id, const QString& title)
{
    change<std::string>(
        tr("The session was not renamed"), tr("renamed “%1”").arg(title), id, title.toStdString(),
        [](const SessionInfo& info) { return info.title; },
        [](Library& library, const std::string& session, const std::string& to) {
            return library.rename(session, to);
        });
}

void SessionEdits::setTags(const QString& id, const QStringList& tags)
{
    using Tags = std::vector<std::string>;
    Tags list;
    for (const QString& tag : tags)
        list.push_back(tag.toStdString());
    change<Tags>(
        tr("The tags were not saved"), tr("changed tags"), id, std::move(list),
        [](const SessionInfo& info) { return info.tags; },
        [](Library& library, const std::string& session, const Tags& to) { return library.setTags(session, to); });
}

void SessionEdits::setNotes(const QString& id, const QString& notes)
{
    change<std::string>(
        tr("The notes were not saved"), tr("changed notes"), id, notes.toStdString(),
        [](const SessionInfo& info) { return info.notes; },
        [](Library& library, const std::string& session, const std::string& to) {
            return library.setNotes(session, to);
        },
        false); // the page has them, and somebody goes on writing
}

void SessionEdits::setArchivedNow(const QStringList& ids, bool archived, std::function<void()> done)
{
    write(
        tr("The archive was not changed"), ids,
        [archived](Library& library, const std::string& id) { return library.setArchived(id, archived); },
        [this, done = std::move(done)] {
            m_context.notifyLibraryChanged();
            if (done)
                done();
        });
}

void SessionEdits::setArchived(const QStringList& ids, bool archived)
{
    setArchivedNow(ids, archived, [this, ids, archived] {
        const QString count = format::count(ids.size());
        const QString text = ids.size() == 1
                                 ? (archived ? tr("Archived one session") : tr("Restored one session"))
                                 : (archived ? tr("Archived %1 sessions") : tr("Restored %1 sessions")).arg(count);
        const auto put = [edits = QPointer(this), ids](bool to) {
            if (edits)
                edits->setArchivedNow(ids, to, {});
        };
        LibraryUndo::of(m_context).done(
            text, [put, archived] { put(!archived); }, [put, archived] { put(archived); }, true);
    });
}

void SessionEdits::removeNow(const QStringList& ids, std::function<void()> done)
{
    write(
        tr("The session was not deleted"), ids,
        [](Library& library, const std::string& id) { return library.remove(id); },
        [this, done = std::move(done)] {
            m_context.notifyLibraryChanged();
            if (done)
                done();
        });
}

void SessionEdits::remove(const QStringList& ids, const QString& title)
{
    const QString text =
        ids.size() == 1 ? tr("Deleted “%1”").arg(title) : tr("Deleted %1 sessions").arg(format::count(ids.size()));
    removeNow(ids, [this, text, ids] {
        const auto with = [edits = QPointer(this), ids](auto act) {
            return [edits, ids, act] {
                if (edits)
                    act(*edits, ids);
            };
        };
        LibraryUndo::of(m_context).done(
            text, with([](SessionEdits& edits, const QStringList& all) { edits.restore(all); }),
            with([](SessionEdits& edits, const QStringList& all) { edits.removeNow(all, {}); }), true);
    });
}

void SessionEdits::restore(const QStringList& ids)
{
    write(
        tr("The session was not restored"), ids,
        [](Library& library, const std::string& id) { return library.restore(id); },
        [this] { m_context.notifyLibraryChanged(); });
}

} // namespace dyno
