// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/replay_source.h"

#include <algorithm>

namespace dyno {

namespace {

constexpr int kTickMs = 33;

double endOf(const IntervalSample& sample)
{
    return double(sample.tNs + sample.lengthNs) / 1e9;
}

} // namespace

Expected<std::shared_ptr<const ReplayData>> ReplayData::read(const std::filesystem::path& library,
                                                             const std::string& id)
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
    for (const StoredRun& run : data->session.runs) {
        auto intervals = (*opened)->intervals(run.id);
        if (!intervals)
            return fail(intervals.error());
        auto events = (*opened)->events(run.id);
        if (!events)
            return fail(events.error());
        std::vector<SamplePtr> samples;
        samples.reserve(intervals->size());
        for (IntervalSample& sample : *intervals)
            samples.push_back(std::make_shared<const IntervalSample>(std::move(sample)));
        data->samples.push_back(std::move(samples));
        data->events.push_back(std::move(*events));
    }
    return std::shared_ptr<const ReplayData>(std::move(data));
}

ReplaySource::ReplaySource(QObject* parent)
    : RunFeed(parent)
    , m_job(this)
{
    m_timer.setInterval(kTickMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] { advance(double(m_clock.restart()) / 1000 * m_speed); });
}

void ReplaySource::load(const std::filesystem::path& library, const QString& sessionId)
{
    close();
    m_job.start([library, id = sessionId.toStdString()] { return ReplayData::read(library, id); },
                [this](Expected<std::shared_ptr<const ReplayData>> result) {
                    if (result)
                        setData(std::move(*result));
                    else
                        emit failed(QString::fromStdString(result.error().text()));
                });
}

void ReplaySource::setData(std::shared_ptr<const ReplayData> data)
{
    close();
    m_data = std::move(data);
    m_header = std::make_shared<const SessionHeader>(m_data->session.header);
    double at = 0;
    for (std::size_t run = 0; run < m_data->session.runs.size(); ++run) {
        m_starts.push_back(at);
        const auto& samples = m_data->samples[run];
        const double end = at + (samples.empty() ? 0 : endOf(*samples.back()));
        std::vector<Item> items;
        for (std::size_t i = 0; i < m_data->events[run].size(); ++i) {
            const double t = at + double(m_data->events[run][i].tNs) / 1e9;
            items.push_back({std::clamp(t, at, end), Item::Kind::Event, int(run), i});
        }
        for (std::size_t i = 0; i < samples.size(); ++i)
            items.push_back({at + endOf(*samples[i]), Item::Kind::Sample, int(run), i});
        std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.at < b.at; });
        m_items.push_back({at, Item::Kind::RunStart, int(run), 0});
        m_items.insert(m_items.end(), items.begin(), items.end());
        m_items.push_back({end, Item::Kind::RunEnd, int(run), 0});
        at = end;
    }
    m_length = at;
    emit ready();
    seek(0);
}

void ReplaySource::close()
{
    pause();
    m_job.cancel();
    m_data.reset();
    m_header.reset();
    m_items.clear();
    m_starts.clear();
    m_next = 0;
    m_length = m_position = 0;
    m_ended = false;
}

double ReplaySource::runStart(int run) const
{
    return run >= 0 && std::size_t(run) < m_starts.size() ? m_starts[std::size_t(run)] : 0;
}

void ReplaySource::play()
{
    if (!m_data || playing())
        return;
    if (m_position >= m_length)
        seek(0);
    m_clock.start();
    m_timer.start();
    emit playingChanged(true);
}

void ReplaySource::pause()
{
    if (!playing())
        return;
    m_timer.stop();
    emit playingChanged(false);
}

void ReplaySource::setSpeed(double factor)
{
    m_speed = std::clamp(factor, 1.0, 100.0);
}

void ReplaySource::advance(double seconds)
{
    if (!m_data)
        return;
    m_position = std::min(m_length, m_position + seconds);
    while (m_next < m_items.size() && m_items[m_next].at <= m_position)
        emitItem(m_items[m_next++]);
    emitProgress();
    emit positionChanged(m_position);
    if (m_next >= m_items.size()) {
        pause();
        emitEnd();
    }
}

//! Earlier runs are told by their summaries alone; only the run at the position gets its samples again.
void ReplaySource::seek(double seconds)
{
    if (!m_data)
        return;
    m_position = std::clamp(seconds, 0.0, m_length);
    m_ended = false;
    emit sessionStarted(m_header);
    const auto after = std::upper_bound(m_items.begin(), m_items.end(), m_position,
                                        [](double at, const Item& item) { return at < item.at; });
    m_next = std::size_t(after - m_items.begin());
    std::size_t first = m_next;
    while (first > 0 && m_items[first - 1].kind != Item::Kind::RunStart)
        --first;
    if (first > 0)
        --first;
    for (std::size_t i = 0; i < first; ++i)
        if (m_items[i].kind == Item::Kind::RunEnd)
            emitItem(m_items[i]);
    for (std::size_t i = first; i < m_next; ++i)
        emitItem(m_items[i]);
    emitProgress();
    emit positionChanged(m_position);
    if (m_next >= m_items.size())
        emitEnd();
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
        const SamplePtr& sample = m_data->samples[run][item.index];
        m_phase = sample->phase;
        emit sampled(sample);
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
    report.fraction = m_length > 0 ? m_position / m_length : 1;
    report.secondsLeft = m_length - m_position;
    emit progressed(report);
}

void ReplaySource::emitEnd()
{
    if (m_ended)
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
