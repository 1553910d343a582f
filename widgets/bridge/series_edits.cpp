// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/series_edits.h"

#include "bridge/app_context.h"
#include "bridge/library_undo.h"
#include "format.h"
#include "qt_text.h"

#include <QPointer>

#include <algorithm>
#include <utility>

namespace dyno {

namespace {

constexpr std::size_t kMostKeptValues = 8'000'000; //!< of a step that can be undone: 64 MB

//! Each once, whatever the number of runs that have it.
std::vector<CounterInfo> countersOf(const SeriesChanges& changes, std::vector<SeriesAddition> SeriesChange::*side)
{
    std::vector<CounterInfo> counters;
    for (const SeriesChange& run : changes.runs) {
        for (const SeriesAddition& addition : run.*side) {
            for (const AddedSeries& one : addition.series) {
                if (std::ranges::find(counters, one.counter) == counters.end())
                    counters.push_back(one.counter);
            }
        }
    }
    return counters;
}

//! Writes what `find` gives: it gets the session as it is stored.
template<class Find>
Expected<void> change(Library& library, const std::string& id, SeriesChanges& changes, const Find& find)
{
    const auto stored = library.session(id);
    if (!stored)
        return fail(stored.error());
    auto found = find(*stored);
    if (!found)
        return fail(found.error());
    changes = std::move(*found);
    return library.changeSeries(changes.runs);
}

} // namespace

SeriesEdits::SeriesEdits(AppContext& context)
    : QObject(&context)
    , m_context(context)
    , m_worker(context.library())
{
}

SeriesEdits& SeriesEdits::of(AppContext& context)
{
    auto* edits = context.findChild<SeriesEdits*>(QString(), Qt::FindDirectChildrenOnly);
    return edits ? *edits : *new SeriesEdits(context);
}

void SeriesEdits::tell(const QString& session, const std::vector<CounterInfo>& added)
{
    m_context.notifyFiguresChanged(session);
    emit changed(session, added);
}

std::function<void(SeriesEdits::NotDone)> SeriesEdits::act(const QString& session, Changes changes, bool back,
                                                           std::vector<CounterInfo> added)
{
    return [self = QPointer(this), session, changes = std::move(changes), back,
            added = std::move(added)](NotDone notDone) {
        if (!self)
            return;
        self->m_worker.run<void>(
            Library::Mode::ReadWrite,
            [changes, back](Library& library) { return library.changeSeries(changes->runs, back); },
            [self = self.data(), session, added, notDone = std::move(notDone)](const Expected<void>& result) {
                if (result)
                    return self->tell(session, added);
                self->tell(session, {}); // somebody else's change is seen
                self->m_context.showMessage(tr("The series were not changed: %1").arg(qtText(result.error().text())));
                notDone(result.error());
            });
    };
}

void SeriesEdits::finish(const QString& session, const Changes& changes, bool adding)
{
    const std::vector<CounterInfo> come = countersOf(*changes, &SeriesChange::to),
                                   gone = countersOf(*changes, &SeriesChange::from);
    const int count = int(adding ? come.size() : gone.size());
    LibraryStep step;
    step.text = adding ? tr("add %n series", nullptr, count) : tr("remove %n added series", nullptr, count);
    step.told = adding ? tr("Added %n series", nullptr, count) : tr("Removed %n added series", nullptr, count);
    tell(session, come);
    if (!changes->hasValues || changes->values() > kMostKeptValues)
        return m_context.showMessage(tr("%1; they are too large to be undone").arg(step.told));
    // What an Add replaced was shown before it.
    step.undo = act(session, changes, true, adding ? std::vector<CounterInfo>() : gone);
    step.redo = act(session, changes, false, come);
    LibraryUndo::of(m_context).done(std::move(step));
}

void SeriesEdits::add(const QString& session, std::shared_ptr<const SessionAdditions> all, Done done)
{
    const auto changes = std::make_shared<SeriesChanges>();
    const std::size_t come = all->values();
    const std::size_t room = come < kMostKeptValues ? kMostKeptValues - come : 0;
    const auto store = [id = session.toStdString(), all = std::move(all), changes, room](Library& library) {
        return change(library, id, *changes,
                      [&](const StoredSession& stored) { return changesToAdd(library, stored, *all, room); });
    };
    m_worker.run<void>(Library::Mode::ReadWrite, store,
                       [this, session, changes, done = std::move(done)](const Expected<void>& result) {
                           if (result)
                               finish(session, changes, true);
                           done(result);
                       });
}

void SeriesEdits::remove(const QString& session)
{
    const auto changes = std::make_shared<SeriesChanges>();
    const auto take = [id = session.toStdString(), changes](Library& library) {
        return change(library, id, *changes, [&](const StoredSession& stored) {
            return changesToRemove(library, stored, 0, kMostKeptValues);
        });
    };
    m_worker.run<void>(Library::Mode::ReadWrite, take, [this, session, changes](const Expected<void>& result) {
        if (!result)
            return m_context.showMessage(tr("The series were not removed: %1").arg(qtText(result.error().text())));
        if (changes->runs.empty())
            return m_context.showMessage(tr("The session has no added series"));
        finish(session, changes, false);
    });
}

} // namespace dyno
