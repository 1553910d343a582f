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

//! Each once, whatever the number of runs that have it.
std::vector<CounterInfo> countersIn(const SessionAdditions& all)
{
    std::vector<CounterInfo> counters;
    for (const SessionAdditions::Run& run : all.runs) {
        for (const SeriesAddition& addition : run.additions) {
            for (const AddedSeries& one : addition.series) {
                if (std::ranges::find(counters, one.counter) == counters.end())
                    counters.push_back(one.counter);
            }
        }
    }
    return counters;
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

std::function<void(SeriesEdits::NotDone)> SeriesEdits::act(const QString& session, Work work,
                                                           std::vector<CounterInfo> added)
{
    return [self = QPointer(this), session, work = std::move(work), added = std::move(added)](NotDone notDone) {
        if (!self)
            return;
        self->m_worker.run<void>(
            Library::Mode::ReadWrite, work,
            [self = self.data(), session, added, notDone = std::move(notDone)](const Expected<void>& result) {
                if (result)
                    return self->tell(session, added);
                self->m_context.showMessage(tr("The series were not changed: %1").arg(qtText(result.error().text())));
                notDone(result.error());
            });
    };
}

void SeriesEdits::add(const QString& session, std::shared_ptr<const SessionAdditions> all, Done done)
{
    const auto before = std::make_shared<SessionAdditions>();
    const auto store = [id = session.toStdString(), all, before](Library& library) -> Expected<void> {
        const auto stored = library.session(id);
        if (!stored)
            return fail(stored.error());
        auto was = addedTo(library, *stored, 0);
        if (!was)
            return fail(was.error());
        std::erase_if(was->runs, [&all](const SessionAdditions::Run& run) {
            return std::ranges::find(all->runs, run.id, &SessionAdditions::Run::id) == all->runs.end();
        });
        *before = std::move(*was);
        auto added = addSeries(library, *all);
        if (!added)
            (void)setAddedSeries(library, *before);
        return added;
    };
    m_worker.run<void>(
        Library::Mode::ReadWrite, store,
        [this, session, all, before, done = std::move(done)](const Expected<void>& result) {
            if (result) {
                const std::vector<CounterInfo> added = countersIn(*all);
                const int count = int(added.size());
                LibraryStep step;
                step.text = tr("add %n series", nullptr, count);
                step.told = tr("Added %n series", nullptr, count);
                step.undo = act(session, [before](Library& library) { return setAddedSeries(library, *before); }, {});
                step.redo = act(
                    session, [all](Library& library) { return addSeries(library, *all); }, added);
                tell(session, added);
                LibraryUndo::of(m_context).done(std::move(step));
            }
            done(result);
        });
}

void SeriesEdits::remove(const QString& session)
{
    const auto before = std::make_shared<SessionAdditions>();
    const auto bare = [before](Library& library) {
        SessionAdditions none;
        for (const SessionAdditions::Run& run : before->runs)
            none.runs.push_back({run.id, run.number, {}});
        return setAddedSeries(library, none);
    };
    const auto take = [id = session.toStdString(), before, bare](Library& library) -> Expected<void> {
        const auto stored = library.session(id);
        if (!stored)
            return fail(stored.error());
        auto was = addedTo(library, *stored, 0);
        if (!was)
            return fail(was.error());
        std::erase_if(was->runs, [](const SessionAdditions::Run& run) { return run.additions.empty(); });
        *before = std::move(*was);
        return bare(library);
    };
    m_worker.run<void>(Library::Mode::ReadWrite, take, [this, session, before, bare](const Expected<void>& result) {
        if (!result)
            return m_context.showMessage(tr("The series were not removed: %1").arg(qtText(result.error().text())));
        const std::vector<CounterInfo> removed = countersIn(*before);
        if (removed.empty())
            return m_context.showMessage(tr("The session has no added series"));
        const int count = int(removed.size());
        LibraryStep step;
        step.text = tr("remove %n added series", nullptr, count);
        step.told = tr("Removed %n added series", nullptr, count);
        step.undo = act(
            session, [before](Library& library) { return setAddedSeries(library, *before); }, removed);
        step.redo = act(session, bare, {});
        tell(session, {});
        LibraryUndo::of(m_context).done(std::move(step));
    });
}

} // namespace dyno
