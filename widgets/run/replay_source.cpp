// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/replay_source.h"

#include <algorithm>

namespace dyno {

namespace {

Expected<std::vector<SamplePtr>> samplesOf(Library& library, std::int64_t run)
{
    auto intervals = library.intervals(run, IntervalDetail::Transactions);
    if (!intervals)
        return fail(intervals.error());
    std::vector<SamplePtr> samples;
    samples.reserve(intervals->size());
    for (IntervalSample& sample : *intervals)
        samples.push_back(std::make_shared<const IntervalSample>(std::move(sample)));
    return samples;
}

Expected<std::vector<std::vector<double>>> statementTimesOf(Library& library, std::int64_t run)
{
    auto columns = library.columns(run, {.operations = true});
    if (!columns)
        return fail(columns.error());
    std::vector<std::vector<double>> times;
    for (IntervalColumns::Operation& operation : columns->ops)
        times.push_back(std::move(operation.service.p99Ms));
    return times;
}

Expected<ReplayData::Rest> restOf(Library& library, const StoredSession& session)
{
    ReplayData::Rest rest;
    for (const StoredRun& run : session.runs) {
        auto samples = samplesOf(library, run.id);
        if (!samples)
            return fail(samples.error());
        rest.samples.push_back(std::move(*samples));
        rest.times.push_back(statementTimesOf(library, run.id).value_or(std::vector<std::vector<double>>()));
    }
    return rest;
}

} // namespace

Expected<ReplayData::Ptr> ReplayData::read(const std::filesystem::path& library, const std::string& id,
                                           std::size_t atOnce)
{
    auto opened = Library::open(library, Library::Mode::ReadOnly);
    if (!opened)
        return fail(opened.error());
    auto resolved = (*opened)->resolveId(id);
    if (!resolved)
        return fail(resolved.error());
    auto session = (*opened)->session(*resolved);
    if (!session)
        return fail(session.error());
    auto data = std::make_shared<ReplayData>();
    data->session = std::move(*session);
    std::size_t intervals = 0;
    for (const StoredRun& run : data->session.runs) {
        auto lines = (*opened)->columns(run.id);
        if (!lines)
            return fail(lines.error());
        auto events = (*opened)->events(run.id);
        if (!events)
            return fail(events.error());
        intervals += lines->size();
        data->stalls.push_back(findStalls(*lines, stallRuleOf(run.summary)));
        data->bursts.push_back(findErrorBursts(*lines));
        data->lines.push_back(std::move(*lines));
        data->events.push_back(std::move(*events));
    }
    auto annotations = (*opened)->annotations(*resolved);
    if (!annotations)
        return fail(annotations.error());
    data->annotations = std::move(*annotations);
    if (intervals > atOnce)
        return Ptr(std::move(data));
    data->lines.clear();
    auto rest = restOf(**opened, data->session);
    if (!rest)
        return fail(rest.error());
    data->samples = std::move(rest->samples);
    data->times = std::move(rest->times);
    return Ptr(std::move(data));
}

Expected<ReplayData::Rest> ReplayData::readRest(const std::filesystem::path& library, const StoredSession& session)
{
    auto opened = Library::open(library, Library::Mode::ReadOnly);
    if (!opened)
        return fail(opened.error());
    return restOf(**opened, session);
}

double ReplayData::endOf(std::size_t run, std::size_t interval) const
{
    if (!whole())
        return double(lines[run].tNs[interval] + lines[run].lengthNs[interval]) / 1e9;
    const IntervalSample& sample = *samples[run][interval];
    return double(sample.tNs + sample.lengthNs) / 1e9;
}

std::optional<std::size_t> ReplayData::placeOf(int run) const
{
    const auto found = std::ranges::find(session.runs, run, [](const StoredRun& one) { return one.header.index; });
    return found == session.runs.end() ? std::optional<std::size_t>() : std::size_t(found - session.runs.begin());
}

double ReplayData::lengthOf(std::size_t run) const
{
    return intervals(run) == 0 ? 0 : endOf(run, intervals(run) - 1);
}

ReplaySource::ReplaySource(QObject* parent)
    : RunFeed(parent)
    , m_job(this)
    , m_rest(this)
{
    connect(&m_clock, &ReplayClock::advanced, this, &ReplaySource::advanceTo);
    connect(&m_clock, &ReplayClock::sought, this, &ReplaySource::rebuildAt);
    connect(&m_clock, &ReplayClock::ended, this, &ReplaySource::emitEnd);
}

void ReplaySource::load(const std::filesystem::path& library, const QString& sessionId)
{
    close();
    m_job.start(
        [library, id = sessionId.toStdString(), most = m_atOnce] { return ReplayData::read(library, id, most); },
        [this, library](Expected<ReplayData::Ptr> result) {
            if (!result) {
                emit failed(QString::fromStdString(result.error().text()));
                return;
            }
            setData(std::move(*result));
            if (m_data && !m_data->whole())
                readRest(library);
        });
}

void ReplaySource::reload(const std::filesystem::path& library)
{
    if (!m_data)
        return;
    m_rest.cancel();
    m_job.start(
        [library, id = m_data->session.info.id, most = m_atOnce] { return ReplayData::read(library, id, most); },
        [this, library, before = m_data](Expected<ReplayData::Ptr> result) {
            if (m_data != before) // a note, or another warm-up, that may have come after what was read
                return reload(library);
            if (!result) {
                emit reloadFailed(QString::fromStdString(result.error().text()));
                if (!m_data->whole())
                    readRest(library);
                return;
            }
            change(std::move(*result));
            emit reloaded();
            if (!m_data->whole())
                readRest(library);
        });
}

void ReplaySource::readRest(const std::filesystem::path& library)
{
    m_rest.start([library, session = m_data->session] { return ReplayData::readRest(library, session); },
                 [this](Expected<ReplayData::Rest> result) {
                     if (result)
                         complete(std::move(*result));
                     else
                         emit failed(QString::fromStdString(result.error().text()));
                 });
}

//! What was changed of it meanwhile stays.
void ReplaySource::complete(ReplayData::Rest rest)
{
    auto changed = std::make_shared<ReplayData>(*m_data);
    changed->samples = std::move(rest.samples);
    changed->times = std::move(rest.times);
    changed->lines.clear();
    change(std::move(changed));
    emit completed();
}

//! Other data of the same session; the position stays.
void ReplaySource::change(ReplayData::Ptr data)
{
    const double position = m_clock.position();
    const bool wasPlaying = playing();
    m_data = std::move(data);
    buildItems();
    buildLog();
    seek(position);
    if (wasPlaying)
        play();
}

void ReplaySource::setData(std::shared_ptr<const ReplayData> data)
{
    close();
    m_data = std::move(data);
    m_header = std::make_shared<const SessionHeader>(m_data->session.header);
    if (m_onlyOf != m_data->session.info.id || m_only >= int(m_data->session.runs.size()))
        m_only = -1;
    m_onlyOf = m_data->session.info.id;
    buildItems();
    buildLog();
    emit ready();
    const auto left = m_left.find(m_data->session.info.id);
    seek(m_only < 0 && left != m_left.end() && left->second < length() ? left->second
                                                                       : 0); // it is of the whole session
}

void ReplaySource::buildItems()
{
    m_items.clear();
    m_starts.clear();
    std::vector<ReplayMarker> markers;
    const std::size_t runs = m_data->session.runs.size();
    double at = 0;
    for (std::size_t run = 0; run < runs; ++run) {
        m_starts.push_back(at);
        if (m_only >= 0 && run != std::size_t(m_only))
            continue;
        const double end = at + m_data->lengthOf(run);
        std::vector<Item> items;
        for (std::size_t i = 0; i < m_data->events[run].size(); ++i) {
            const double t = at + double(m_data->events[run][i].tNs) / 1e9;
            items.push_back({std::clamp(t, at, end), Item::Kind::Event, int(run), i});
        }
        for (std::size_t i = 0; i < m_data->intervals(run); ++i)
            items.push_back({at + m_data->endOf(run, i), Item::Kind::Sample, int(run), i});
        std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.at < b.at; });
        m_items.push_back({at, Item::Kind::RunStart, int(run), 0});
        m_items.insert(m_items.end(), items.begin(), items.end());
        m_items.push_back({end, Item::Kind::RunEnd, int(run), 0});
        static const std::vector<Stall> none;
        const auto marks =
            markersOf(m_data->session.runs[run], int(run), m_data->events[run],
                      run < m_data->stalls.size() ? m_data->stalls[run] : none, at, end - at, m_only >= 0 ? 1 : runs);
        markers.insert(markers.end(), marks.begin(), marks.end());
        at = end;
    }
    m_clock.setAxis(at, std::move(markers));
}

//! Of all runs, those too that are not played.
void ReplaySource::buildLog()
{
    const StoredSession& session = m_data->session;
    auto log = std::make_shared<SessionLog>();
    log->clear(session.header.startedMs);
    for (std::size_t run = 0; run < session.runs.size(); ++run) {
        const StoredRun& stored = session.runs[run];
        const std::vector<RunEvent>& events = m_data->events[run];
        log->beginRun(stored.header.index, placeOf(session.header, stored.header));
        log->setRunStart(runStartMs(stored.summary, events));
        for (const RunEvent& event : events)
            log->add(rowOf(event));
        log->setFound(run < m_data->stalls.size() ? m_data->stalls[run] : std::vector<Stall>(),
                      run < m_data->bursts.size() ? m_data->bursts[run] : std::vector<ErrorBurst>());
    }
    m_log = std::move(log);
}

void ReplaySource::playOnly(int run)
{
    if (!m_data || run == m_only || run >= int(m_data->session.runs.size()))
        return;
    pause();
    m_only = run;
    buildItems();
    emit ready();
    seek(0);
}

void ReplaySource::setEvents(std::size_t run, std::vector<RunEvent> events, std::vector<Annotation> annotations)
{
    if (!m_data || run >= m_data->events.size())
        return;
    auto changed = std::make_shared<ReplayData>(*m_data);
    changed->events[run] = std::move(events);
    changed->annotations = std::move(annotations);
    change(std::move(changed));
}

void ReplaySource::close()
{
    pause();
    m_job.cancel();
    m_rest.cancel();
    if (m_data && m_only < 0)
        m_left[m_data->session.info.id] = m_clock.position();
    m_data.reset();
    m_header.reset();
    m_log.reset();
    m_items.clear();
    m_starts.clear();
    m_next = 0;
    m_clock.setAxis(0, {});
    m_ended = false;
}

double ReplaySource::runStart(int run) const
{
    return run >= 0 && std::size_t(run) < m_starts.size() ? m_starts[std::size_t(run)] : 0;
}

void ReplaySource::advanceTo(double seconds)
{
    if (!m_data)
        return;
    emit manyBegin();
    while (m_next < m_items.size() && m_items[m_next].at <= seconds)
        emitItem(m_items[m_next++]);
    emit manyEnd();
    emitProgress();
}

//! Earlier runs are told by their summaries alone; only the run at the position gets its samples again.
void ReplaySource::rebuildAt(double seconds)
{
    if (!m_data)
        return;
    m_ended = false;
    emit logged(m_log);
    emit sessionStarted(m_header);
    const auto after = std::upper_bound(m_items.begin(), m_items.end(), seconds,
                                        [](double at, const Item& item) { return at < item.at; });
    m_next = std::size_t(after - m_items.begin());
    std::size_t first = m_next;
    while (first > 0 && m_items[first - 1].kind != Item::Kind::RunStart)
        --first;
    if (first > 0)
        --first;
    emit manyBegin();
    for (std::size_t i = 0; i < first; ++i)
        if (m_items[i].kind == Item::Kind::RunEnd)
            emitItem(m_items[i]);
    for (std::size_t i = first; i < m_next; ++i)
        emitItem(m_items[i]);
    emit manyEnd();
    emitProgress();
}

void ReplaySource::emitItem(const Item& item)
{
    const auto run = std::size_t(item.run);
    m_run = item.run;
    switch (item.kind) {
    case Item::Kind::RunStart:
        m_phase = Phase::Connect;
        emit runStarted(std::make_shared<const RunHeader>(m_data->session.runs[run].header));
        break;
    case Item::Kind::Event:
        emit eventHappened(m_data->events[run][item.index]);
        break;
    case Item::Kind::Sample: {
        if (!m_data->whole()) {
            m_phase = m_data->lines[run].phase[item.index];
            emit outlined(m_data->lines[run], item.index);
            break;
        }
        const SamplePtr& sample = m_data->samples[run][item.index];
        m_phase = sample->phase;
        emit sampled(sample);
        if (run < m_data->times.size())
            emit timed(sample, m_data->times[run], item.index);
        break;
    }
    case Item::Kind::RunEnd:
        emit runFinished(std::make_shared<const RunSummary>(m_data->session.runs[run].summary));
        break;
    }
}

void ReplaySource::emitProgress()
{
    ProgressReport report;
    report.run = m_run;
    report.runs = int(m_data->session.runs.size());
    report.phase = m_phase;
    report.fraction = length() > 0 ? position() / length() : 1;
    report.secondsLeft = length() - position();
    emit progressed(report);
}

void ReplaySource::emitEnd()
{
    if (m_ended || !m_data)
        return;
    m_ended = true;
    auto summary = std::make_shared<SessionSummary>();
    summary->status = m_data->session.info.status;
    summary->reason = m_data->session.info.reason;
    summary->finishedMs = m_data->session.info.finishedMs;
    for (const StoredRun& run : m_data->session.runs)
        summary->runs.push_back(run.summary);
    emit sessionFinished(summary);
}

} // namespace dyno
