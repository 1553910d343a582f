// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/session_log.h"

#include "format.h"
#include "plots/series_labels.h"
#include "qt_text.h"
#include "run/replay_markers.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

struct SessionLogWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::SessionLog)
};

EventRow rowOf(const ErrorBurst& burst)
{
    EventRow row;
    row.seconds = double(burst.tNs) / 1e9;
    row.lengthSeconds = double(burst.lengthNs) / 1e9;
    row.kind = EventKind::Error;
    row.tone = toneOf(row.kind);
    row.text = SessionLogWords::tr("burst of errors, %1: transactions failed: %2")
                   .arg(format::duration(row.lengthSeconds), format::count(qint64(burst.errors)));
    return row;
}

EventRow rowOf(const Stall& stall)
{
    EventRow row;
    row.seconds = double(stall.tNs) / 1e9;
    row.lengthSeconds = double(stall.lengthNs) / 1e9;
    row.kind = EventKind::Stall;
    row.tone = stall.stalled ? Tone::Bad : Tone::Warn;
    row.text = stallText(stall);
    return row;
}

} // namespace

EventRow rowOf(const RunEvent& event)
{
    EventRow row;
    row.seconds = double(event.tNs) / 1e9;
    row.lengthSeconds = double(event.lengthNs) / 1e9;
    row.kind = event.kind;
    row.text = qtText(event.text);
    row.tone = toneOf(event.kind);
    return row;
}

QString placeOf(const SessionHeader& session, const RunHeader& run)
{
    const auto at = std::size_t(run.point);
    const QString point = at < session.points.size() ? pointWords(session.points[at]) : QString();
    const QString place = SessionLogWords::tr("run %1 of %2").arg(run.index + 1).arg(session.runs.size());
    return point.isEmpty() ? place : SessionLogWords::tr("%1: %2", "run, its point").arg(place, point);
}

void SessionLog::clear(qint64 sessionStartMs)
{
    m_startMs = sessionStartMs;
    m_runs.clear();
}

void SessionLog::beginRun(int run, const QString& place)
{
    std::erase_if(m_runs, [run](const Run& one) { return one.index == run; });
    m_runs.push_back({run, place, 0, {}, {}});
}

void SessionLog::setRunStart(qint64 ms)
{
    if (!m_runs.empty())
        m_runs.back().startMs = ms;
}

void SessionLog::add(EventRow event)
{
    if (m_runs.empty())
        return;
    std::vector<EventRow>& told = m_runs.back().told;
    told.push_back(std::move(event));
    if (told.size() > kMostOfRun)
        told.erase(told.begin());
}

void SessionLog::forgetTold()
{
    if (!m_runs.empty())
        m_runs.back().told.clear();
}

bool SessionLog::setFound(const std::vector<Stall>& stalls, const std::vector<ErrorBurst>& bursts)
{
    if (m_runs.empty())
        return false;
    std::vector<EventRow> found;
    for (const Stall& stall : stalls)
        found.push_back(rowOf(stall));
    for (const ErrorBurst& burst : bursts)
        found.push_back(rowOf(burst));
    const bool same = std::ranges::equal(found, m_runs.back().found, [](const EventRow& a, const EventRow& b) {
        return a.seconds == b.seconds && a.text == b.text;
    });
    m_runs.back().found = std::move(found);
    return !same;
}

std::vector<LoggedEvent> SessionLog::newestFirst() const
{
    std::vector<LoggedEvent> all;
    double reached = 0; // seconds since the session began
    for (const Run& run : m_runs) {
        std::vector<EventRow> rows = run.told;
        rows.insert(rows.end(), run.found.begin(), run.found.end());
        std::ranges::stable_sort(rows, {}, &EventRow::seconds);
        const bool known = run.startMs > 0 && m_startMs > 0;
        const double before = rows.empty() ? 0 : std::min(0.0, rows.front().seconds);
        const double start = known ? double(run.startMs - m_startMs) / 1e3 : reached - before;
        for (EventRow& row : rows) {
            LoggedEvent one{row, run.index, run.place, 0, start + row.seconds};
            reached = std::max(reached, one.sinceStart + row.lengthSeconds);
            if (run.startMs > 0)
                one.clockMs = run.startMs + std::llround(row.seconds * 1e3);
            all.push_back(std::move(one));
        }
    }
    std::ranges::reverse(all);
    return all;
}

qint64 runStartMs(const RunSummary& summary, const std::vector<RunEvent>& events)
{
    if (summary.startedMs <= 0)
        return 0;
    std::int64_t first = 0;
    for (const RunEvent& event : events)
        first = std::min(first, event.tNs);
    return summary.startedMs - first / 1'000'000;
}

} // namespace dyno
