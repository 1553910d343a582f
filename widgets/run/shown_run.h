// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the Run page shows: the session that runs or ran last, or a stored one that is replayed; and the notes of the
//! run shown. GUI thread.
#pragma once

#include "run/live_run_model.h"
#include "run/note_editor.h"
#include "run/replay_source.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace dyno {

class ShownRun : public QObject
{
    Q_OBJECT
public:
    explicit ShownRun(RunBridge& live, QObject* parent = nullptr); //!< `live` must outlive it

    [[nodiscard]] const LiveRunModel& model() const { return m_model; }
    [[nodiscard]] ReplaySource& replay() { return m_replay; }
    [[nodiscard]] bool replaying() const { return m_replaying; }
    [[nodiscard]] bool underWay() const { return !m_replaying && m_live.active(); } //!< it runs now
    [[nodiscard]] bool ended() const { return m_model.state() == LiveRunModel::State::Finished; }
    [[nodiscard]] bool nothingMeasured() const; //!< it ended without a value
    [[nodiscard]] QString sessionId() const;    //!< "" when there is none
    [[nodiscard]] int missingRuns() const;      //!< when it has ended and is in the library

    void showLive();
    void showReplay(const std::filesystem::path& library, const QString& sessionId);

    //! Stands there in a replay: at this second of the run with that RunHeader::index, in the whole session if only
    //! another run was replayed.
    void seekTo(int run, double seconds);

    //! The run whose warm-up can be moved: one that is stored and replayed.
    [[nodiscard]] const StoredRun* stored() const;
    //! Where the axis of time ends, as far as it is known beforehand.
    [[nodiscard]] double plannedSeconds() const;

    // Notes of the run shown
    [[nodiscard]] bool canAnnotate() const; //!< it is in the library to its end
    [[nodiscard]] const Annotation* noteAt(double seconds) const;
    [[nodiscard]] const Annotation* noteOf(const EventRow& event) const; //!< nullptr for an event that is none
    void takeNotes(const RunNotes& notes);                               //!< unless another session is shown by now

private:
    [[nodiscard]] std::optional<std::size_t> place() const; //!< of the run replayed, in StoredSession::runs
    [[nodiscard]] const std::vector<Annotation>& notes() const;
    [[nodiscard]] const Annotation* find(double seconds, const QString* text) const;

    RunBridge& m_live;
    LiveRunModel m_model;
    ReplaySource m_replay;
    bool m_replaying = false;
    std::vector<Annotation> m_notes; //!< of a session that has just ended; of a replayed one the replay has them
    std::int64_t m_notesRun = 0;     //!< StoredRun::id that m_notes are asked for
};

} // namespace dyno
