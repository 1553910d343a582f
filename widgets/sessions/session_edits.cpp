// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/session_edits.h"

#include "bridge/app_context.h"
#include "bridge/library_undo.h"
#include "bridge/library_worker.h"
#include "format.h"
#include "parts/banner.h"

#include <QPointer>

#include <memory>
#include <utility>

namespace dyno {

SessionEdits::SessionEdits(AppContext& context, LibraryWorker& worker, Banner& banner, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_worker(worker)
    , m_banner(banner)
{
}

void SessionEdits::write(const QString& what, const QStringList& ids, Work work, std::function<void()> done,
                         NotDone notDone)
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
        [this, what, done = std::move(done), notDone = std::move(notDone)](Expected<void> result) {
            if (!result) {
                m_banner.showError(what, result.error());
                if (notDone)
                    notDone(result.error());
                emit failed();
            } else if (done) {
                done();
            }
        });
}

void SessionEdits::writeAndReload(const QString& what, const QStringList& ids, Work work, NotDone notDone)
{
    write(
        what, ids, std::move(work), [this] { m_context.notifyLibraryChanged(); }, std::move(notDone));
}

template<class T>
void SessionEdits::change(const QString& what, const QString& did, const QString& id, T value,
                          T (*read)(const SessionInfo&), Expected<void> (*set)(Library&, const std::string&, const T&),
                          const QString& typedKey)
{
    auto before = std::make_shared<T>();
    const auto put = [self = QPointer(this), what, id, set](const T& to) {
        return [self, what, id, set, to](NotDone notDone) {
            if (self)
                self->writeAndReload(
                    what, {id},
                    [set, to](Library& library, const std::string& session) { return set(library, session, to); },
                    std::move(notDone));
        };
    };
    write(
        what, {id},
        [before, value, read, set](Library& library, const std::string& session) -> Expected<void> {
            const auto info = library.info(session);
            if (!info)
                return fail(info.error());
            *before = read(*info);
            return set(library, session, value);
        },
        [this, before, did, put, value, typedKey] {
            if (typedKey.isEmpty())
                m_context.notifyLibraryChanged();
            if (*before != value)
                LibraryUndo::of(m_context).done({did, put(*before), put(value), {}, typedKey});
        });
}

void SessionEdits::rename(const QString& id, const QString& title)
{
    change<std::string>(
        tr("The session was not renamed"), tr("rename to “%1”").arg(title), id, title.toStdString(),
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
        tr("The tags were not saved"), tr("change tags"), id, std::move(list),
        [](const SessionInfo& info) { return info.tags; },
        [](Library& library, const std::string& session, const Tags& to) { return library.setTags(session, to); });
}

void SessionEdits::setNotes(const QString& id, const QString& notes)
{
    change<std::string>(
        tr("The notes were not saved"), tr("change notes"), id, notes.toStdString(),
        [](const SessionInfo& info) { return info.notes; },
        [](Library& library, const std::string& session, const std::string& to) {
            return library.setNotes(session, to);
        },
        QStringLiteral("notes ") + id);
}

void SessionEdits::setArchived(const QStringList& ids, bool archived)
{
    const auto put = [this](bool to, const QStringList& all) {
        return [self = QPointer(this), to, all](NotDone notDone) {
            if (self)
                self->writeAndReload(
                    tr("The archive was not changed"), all,
                    [to](Library& library, const std::string& id) { return library.setArchived(id, to); },
                    std::move(notDone));
        };
    };
    auto changed = std::make_shared<QStringList>(); // the others were there already, and stay
    write(
        tr("The archive was not changed"), ids,
        [changed, archived](Library& library, const std::string& id) -> Expected<void> {
            const auto info = library.info(id);
            if (!info)
                return fail(info.error());
            if (info->archived == archived)
                return {};
            *changed << QString::fromStdString(id);
            return library.setArchived(id, archived);
        },
        [this, changed, put, archived] {
            m_context.notifyLibraryChanged();
            if (changed->isEmpty())
                return;
            const bool one = changed->size() == 1;
            const QString count = format::count(changed->size());
            LibraryStep step;
            if (archived) {
                step.text = one ? tr("archive session") : tr("archive %1 sessions").arg(count);
                step.told = one ? tr("Archived one session") : tr("Archived %1 sessions").arg(count);
            } else {
                step.text = one ? tr("restore session") : tr("restore %1 sessions").arg(count);
                step.told = one ? tr("Restored one session") : tr("Restored %1 sessions").arg(count);
            }
            step.undo = put(!archived, *changed);
            step.redo = put(archived, *changed);
            LibraryUndo::of(m_context).done(std::move(step));
        });
}

void SessionEdits::remove(const QStringList& ids, const QString& title)
{
    const auto work = [](Library& library, const std::string& id) { return library.remove(id); };
    const QString what = tr("The session was not deleted");
    write(what, ids, work, [this, ids, title, what, work] {
        m_context.notifyLibraryChanged();
        const bool one = ids.size() == 1;
        const QString count = format::count(ids.size());
        LibraryStep step;
        step.text = one ? tr("delete “%1”").arg(title) : tr("delete %1 sessions").arg(count);
        step.told = one ? tr("Deleted “%1”").arg(title) : tr("Deleted %1 sessions").arg(count);
        step.undo = [self = QPointer(this), ids](NotDone notDone) {
            if (self)
                self->bringBack(ids, std::move(notDone));
        };
        step.redo = [self = QPointer(this), ids, what, work](NotDone notDone) {
            if (self)
                self->writeAndReload(what, ids, work, std::move(notDone));
        };
        LibraryUndo::of(m_context).done(std::move(step));
    });
}

void SessionEdits::restore(const QStringList& ids)
{
    bringBack(ids, {});
}

void SessionEdits::bringBack(const QStringList& ids, NotDone notDone)
{
    writeAndReload(
        tr("The session was not restored"), ids,
        [](Library& library, const std::string& id) { return library.restore(id); }, std::move(notDone));
}

} // namespace dyno
