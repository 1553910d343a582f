// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/warmup_mover.h"

#include "format.h"

#include <QMenu>
#include <QPointer>

#include <algorithm>
#include <cmath>

namespace dyno {

WarmupMover::WarmupMover(AppContext& context, ReplaySource& replay, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_replay(replay)
    , m_worker(context.library())
{
}

const StoredRun* WarmupMover::run(int index) const
{
    const ReplayData* data = m_replay.data();
    if (!data)
        return nullptr;
    const auto at = data->placeOf(index);
    return at ? &data->session.runs[*at] : nullptr;
}

void WarmupMover::move(int index, double seconds)
{
    if (const StoredRun* stored = run(index))
        change(*stored, std::llround(seconds * 1e9), true);
}

void WarmupMover::restore(int index)
{
    if (const StoredRun* stored = run(index))
        change(*stored, {}, true);
}

void WarmupMover::addActions(QMenu* menu, const StoredRun& run, double seconds)
{
    const int index = run.header.index;
    menu->addSeparator();
    menu->addAction(tr("Warm-up ends here (%1)").arg(format::clock(seconds)), this,
                    [this, index, seconds] { move(index, seconds); })
        ->setObjectName(QStringLiteral("warmupEndsHere"));
    if (run.recordedWarmupEndNs) {
        const QString at = format::clock(double(*run.recordedWarmupEndNs) / 1e9);
        menu->addAction(tr("Warm-up as recorded (%1)").arg(at), this, [this, index] { restore(index); })
            ->setObjectName(QStringLiteral("warmupAsRecorded"));
    }
}

void WarmupMover::change(const StoredRun& run, std::optional<std::int64_t> endNs, bool undoable)
{
    // What undo goes back to: another moved end, or what was recorded.
    const std::optional<std::int64_t> before =
        run.recordedWarmupEndNs ? std::optional(run.warmupEndNs) : std::optional<std::int64_t>();
    const auto done = [this, run, before, undoable](Expected<Data> data) {
        if (!data) {
            emit failed(QString::fromStdString(data.error().text()));
            return;
        }
        show(*data);
        m_context.notifyFiguresChanged(QString::fromStdString((*data)->session.info.id));
        if (!undoable)
            return;
        const auto& runs = (*data)->session.runs;
        const auto now = std::ranges::find(runs, run.id, &StoredRun::id);
        if (now == runs.end() || now->warmupEndNs == run.warmupEndNs)
            return;
        m_context.showMessage(tr("Run %1: measured time now begins at %2")
                                  .arg(run.header.index + 1)
                                  .arg(format::clock(double(now->warmupEndNs) / 1e9)),
                              tr("Undo"), [self = QPointer(this), run, before] {
                                  if (self)
                                      self->change(run, before, false);
                              });
    };
    m_worker.run<Data>(
        Library::Mode::ReadWrite,
        [file = m_worker.file(), session = m_replay.data() ? m_replay.data()->session.info.id : std::string(),
         id = run.id, endNs](Library& library) -> Expected<Data> {
            const auto moved = endNs ? library.moveWarmupEnd(id, *endNs) : library.restoreWarmupEnd(id);
            if (!moved)
                return fail(moved.error());
            return ReplayData::read(file, session);
        },
        done);
}

//! Unless another session is replayed by now.
void WarmupMover::show(const Data& data)
{
    if (!m_replay.data() || m_replay.data()->session.info.id != data->session.info.id)
        return;
    const double position = m_replay.position();
    const bool playing = m_replay.playing();
    m_replay.setData(data);
    m_replay.seek(position);
    if (playing)
        m_replay.play();
}

} // namespace dyno
