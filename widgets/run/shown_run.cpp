// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/shown_run.h"

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr double kBeforeNext = 1e-6; //!< seconds: at the end of a run the next one begins

} // namespace

ShownRun::ShownRun(RunBridge& live, QObject* parent)
    : QObject(parent)
    , m_live(live)
{
    connect(&m_model, &LiveRunModel::runReset, this, [this] { m_notes.clear(); });
}

bool ShownRun::nothingMeasured() const
{
    return !m_replaying && !m_live.active() && ended() && m_model.series().size() == 0;
}

QString ShownRun::sessionId() const
{
    return m_model.session() ? QString::fromStdString(m_model.session()->id) : QString();
}

int ShownRun::missingRuns() const
{
    if (m_replaying) {
        const ReplayData* shown = m_replay.data();
        const bool ours = shown && !isImported(shown->session);
        return ours && shown->session.info.status != RunStatus::Running ? countRuns(shown->session).missing() : 0;
    }
    const bool kept = m_model.result() && m_model.session() && m_model.result()->storageProblem.empty();
    return kept ? m_model.counts().missing() : 0;
}

void ShownRun::showLive()
{
    m_replaying = false;
    m_replay.close();
    m_model.attach(&m_live);
}

void ShownRun::showReplay(const std::filesystem::path& library, const QString& sessionId)
{
    m_replaying = true;
    m_model.attach(&m_replay);
    m_replay.load(library, sessionId);
}

void ShownRun::seekTo(int run, double seconds)
{
    const auto at = m_replay.data() ? m_replay.data()->placeOf(run) : std::optional<std::size_t>();
    if (!at)
        return;
    if (m_replay.onlyRun() >= 0 && m_replay.onlyRun() != int(*at))
        m_replay.playOnly(-1);
    m_replay.pause();
    const double length = m_replay.data()->lengthOf(*at);
    const double last = std::max(0.0, length - kBeforeNext);
    m_replay.seek(m_replay.runStart(int(*at)) + std::clamp(seconds, 0.0, last));
}

std::optional<std::size_t> ShownRun::place() const
{
    return m_replaying && m_model.run() && m_replay.data() ? m_replay.data()->placeOf(m_model.run()->index)
                                                           : std::optional<std::size_t>();
}

const StoredRun* ShownRun::stored() const
{
    const auto at = place();
    return at ? &m_replay.data()->session.runs[*at] : nullptr;
}

double ShownRun::plannedSeconds() const
{
    const auto at = place();
    return at ? m_replay.data()->lengthOf(*at) : m_model.plannedSeconds();
}

bool ShownRun::canAnnotate() const
{
    if (!m_model.run() || !m_model.session())
        return false;
    return m_replaying ? m_replay.loaded() : ended();
}

const std::vector<Annotation>& ShownRun::notes() const
{
    return m_replaying && m_replay.data() ? m_replay.data()->annotations : m_notes;
}

const Annotation* ShownRun::find(double seconds, const QString* text) const
{
    const StoredRun* replayed = stored();
    const std::int64_t run = replayed ? replayed->id : m_notesRun;
    const auto found = std::ranges::find_if(notes(), [&](const Annotation& note) {
        return note.run == run && std::fabs(double(note.tNs) / 1e9 - seconds) < 1e-3 &&
               (!text || QString::fromStdString(note.text) == *text);
    });
    return found == notes().end() ? nullptr : &*found;
}

const Annotation* ShownRun::noteAt(double seconds) const
{
    return find(seconds, nullptr);
}

const Annotation* ShownRun::noteOf(const EventRow& event) const
{
    return event.kind == EventKind::Note ? find(event.seconds, &event.text) : nullptr;
}

void ShownRun::takeNotes(const RunNotes& notes)
{
    if (sessionId() != notes.session)
        return;
    if (m_replaying && m_replay.data()) {
        if (const auto at = m_replay.data()->placeOf(notes.run))
            m_replay.setEvents(*at, notes.events, notes.annotations);
        return;
    }
    if (!m_model.run() || m_model.run()->index != notes.run)
        return;
    m_notes = notes.annotations;
    m_notesRun = notes.storedRun;
    m_model.setEvents(notes.events);
}

} // namespace dyno
