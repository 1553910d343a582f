// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Moves the end of the warm-up of a run that is being replayed, with a way back. GUI thread.
#pragma once

#include "bridge/app_context.h"
#include "bridge/library_worker.h"
#include "run/replay_source.h"

#include <QObject>

#include <optional>

class QMenu;

namespace dyno {

//! Changes the library in the background, then gives the replay the changed session at the same position.
class WarmupMover : public QObject
{
    Q_OBJECT
public:
    //! Both must outlive it.
    WarmupMover(AppContext& context, ReplaySource& replay, QObject* parent = nullptr);

    //! The replayed session's run of that RunHeader::index; nullptr when there is none.
    [[nodiscard]] const StoredRun* run(int index) const;
    void move(int index, double seconds);
    void restore(int index); //!< as it was recorded
    //! What the menu of a plot of `run` offers at that time.
    void addActions(QMenu* menu, const StoredRun& run, double seconds);

signals:
    void failed(const QString& text);

private:
    using Data = std::shared_ptr<const ReplayData>;
    //! `endNs`: nothing = as recorded. `undoable`: offers to take it back.
    void change(const StoredRun& run, std::optional<std::int64_t> endNs, bool undoable);
    void show(const Data& data);

    AppContext& m_context;
    ReplaySource& m_replay;
    LibraryWorker m_worker;
};

} // namespace dyno
