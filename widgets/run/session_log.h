// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The events of a session, of all its runs so far: what a run told of itself, and what was found in its intervals.
//! One thread.
#pragma once

#include "parts/labels.h"

#include <dyno/analysis.h>
#include <dyno/moved.h>
#include <dyno/runner.h>
#include <dyno/samples.h>

#include <QString>

#include <vector>

namespace dyno {

struct EventRow
{
    double seconds = 0, lengthSeconds = 0; //!< from the start of the run's first phase; negative before it
    EventKind kind = EventKind::Note;
    QString text;
    Tone tone = Tone::Neutral;
};
[[nodiscard]] EventRow rowOf(const RunEvent& event);

//! An event with its place in the session.
struct LoggedEvent
{
    EventRow event;
    int run = 0;        //!< RunHeader::index
    QString place;      //!< "run 3 of 24: flush=1, 64 users"
    qint64 clockMs = 0; //!< since 1970, UTC; 0 = not known
    double sinceStart =
        0; //!< seconds since the session began; a run whose beginning is not known follows the one before
};

[[nodiscard]] QString placeOf(const SessionHeader& session, const RunHeader& run); //!< LoggedEvent::place

class SessionLog
{
public:
    static constexpr std::size_t kMostOfRun = 500; //!< events; of more the newest are kept

    void clear(qint64 sessionStartMs); //!< another session; 0 = its beginning is not known
    //! From now on events are of this run; what was known of it is forgotten.
    void beginRun(int run, const QString& place);
    //! When the current run's first phase began, since 1970; 0 = not known.
    void setRunStart(qint64 ms);
    [[nodiscard]] bool knowsRunStart() const { return !m_runs.empty() && m_runs.back().startMs > 0; }
    void add(EventRow event);
    void forgetTold(); //!< add() has others for the current run
    //! Stalls and bursts of errors of the current run, instead of those known so far; true when they differ.
    bool setFound(const std::vector<Stall>& stalls, const std::vector<ErrorBurst>& bursts);
    [[nodiscard]] std::vector<LoggedEvent> newestFirst() const;

private:
    struct Run
    {
        int index = 0;
        QString place;
        qint64 startMs = 0;
        std::vector<EventRow> told, found;
    };
    qint64 m_startMs = 0;
    std::vector<Run> m_runs; //!< in the order they began
};

//! When the first phase of a stored run began, since 1970; 0 = not known. Its preparation began at
//! RunSummary::startedMs, with the first of its events: what passed before that event is not seen.
[[nodiscard]] qint64 runStartMs(const RunSummary& summary, const std::vector<RunEvent>& events);

} // namespace dyno
