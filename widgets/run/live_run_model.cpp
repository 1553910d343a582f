// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/live_run_model.h"

#include "format.h"
#include "parts/starved.h"
#include "plots/series_labels.h"
#include "run/replay_markers.h"
#include "run/replay_source.h"

#include <QDateTime>

#include <algorithm>
#include <cmath>
#include <dyno/load_phases.h>
#include <dyno/server_variables.h>
#include <limits>
#include <numeric>

namespace dyno {

namespace {

constexpr double kLiveSeconds = 5; //!< that the live verdict about the load generator looks at

double seconds(std::int64_t ns)
{
    return double(ns) / 1e9;
}

//! Not a number where nothing finished, or where it is not known.
double shownMs(const Histogram& histogram, double p)
{
    return histogram.empty() ? kNone : percentileMs(histogram, p);
}

void append(RunSeries::Latency& series, const Histogram& histogram)
{
    series.p50.append(shownMs(histogram, 50));
    series.p95.append(shownMs(histogram, 95));
    series.p99.append(shownMs(histogram, 99));
    series.p999.append(shownMs(histogram, 99.9));
}

void append(RunSeries::Latency& series, const IntervalColumns::Latency& lines, std::size_t i)
{
    series.p50.append(lines.p50Ms[i]);
    series.p95.append(lines.p95Ms[i]);
    series.p99.append(lines.p99Ms[i]);
    series.p999.append(lines.p999Ms[i]);
}

} // namespace

LiveRunModel::LiveRunModel(QObject* parent)
    : QObject(parent)
{
    m_foundCheck.setSingleShot(true);
    m_foundCheck.setInterval(0);
    connect(&m_foundCheck, &QTimer::timeout, this, &LiveRunModel::logFound);
}

void LiveRunModel::attach(RunFeed* feed)
{
    if (m_feed == feed)
        return;
    if (m_feed)
        disconnect(m_feed, nullptr, this, nullptr);
    clear();
    m_feed = feed;
    if (!feed)
        return;
    connect(feed, &RunFeed::sessionStarted, this, &LiveRunModel::onSession);
    connect(feed, &RunFeed::progressed, this, &LiveRunModel::onProgress);
    connect(feed, &RunFeed::runStarted, this, &LiveRunModel::onRun);
    connect(feed, &RunFeed::sampled, this, &LiveRunModel::onSample);
    if (auto* replay = qobject_cast<ReplaySource*>(feed)) {
        connect(replay, &ReplaySource::outlined, this, &LiveRunModel::onOutline);
        connect(replay, &ReplaySource::timed, this, &LiveRunModel::onTimes);
        connect(replay, &ReplaySource::logged, this, [this](const std::shared_ptr<const SessionLog>& log) {
            if (m_stored == log)
                return;
            m_stored = log;
            emit eventAdded();
        });
    }
    connect(feed, &RunFeed::manyBegin, this, [this] { m_many = true; });
    connect(feed, &RunFeed::manyEnd, this, &LiveRunModel::endMany);
    connect(feed, &RunFeed::eventHappened, this, &LiveRunModel::onEvent);
    connect(feed, &RunFeed::runFinished, this, &LiveRunModel::onRunFinished);
    connect(feed, &RunFeed::sessionFinished, this, &LiveRunModel::onFinished);
}

void LiveRunModel::clear()
{
    m_state = State::Idle;
    m_many = false;
    m_session.reset();
    m_result.reset();
    m_progress = {};
    m_points.clear();
    m_pointRates.clear();
    m_counts = {};
    m_ended.clear();
    clearRun();
    m_log.clear(0);
    m_stored.reset();
    emit sessionReset();
    emit runReset();
    emit pointsChanged();
    emit headChanged();
}

void LiveRunModel::clearRun()
{
    m_run.reset();
    m_last.reset();
    m_series = {};
    m_builder.reset();
    m_soFar = {};
    m_warmupEnd = 0;
    m_recent.clear();
    m_limit.clear();
    m_measuring = m_embedded = m_separate = m_outlined = false;
    m_stalls.clear();
    m_events.clear();
    m_failures = {};
    m_foundCheck.stop();
    m_pending = m_pendingEvent = false;
}

void LiveRunModel::onSession(const SessionHeaderPtr& header)
{
    m_state = State::Running;
    m_session = header;
    m_result.reset();
    m_progress = {};
    m_progress.runs = int(header->runs.size());
    m_points.clear();
    for (const PointSpec& spec : header->points) {
        PointProgress progress;
        progress.label = pointWords(spec);
        m_points.push_back(std::move(progress));
    }
    m_pointRates.assign(header->points.size(), {});
    m_ended.clear();
    m_counts = countRuns(header->runs, {});
    for (const RunSummary& run : header->earlier)
        count(run);
    clearRun();
    m_log.clear(header->startedMs);
    emit sessionReset();
    emit runReset();
    emit pointsChanged();
    emit headChanged();
}

void LiveRunModel::onProgress(const ProgressReport& report)
{
    m_progress = report;
    emit headChanged();
}

void LiveRunModel::onRun(const RunHeaderPtr& header)
{
    logFound();
    clearRun();
    m_run = header;
    m_log.beginRun(header->index, m_session ? placeOf(*m_session, *header) : QString());
    m_series.counters.resize(header->counters.size());
    m_series.operations.resize(header->operations.size());
    const PointSpec* spec = point();
    const auto uri = spec ? parseUri(spec->target.uri) : Expected<TargetUri>();
    m_driver = uri ? uri->driver : std::string();
    m_place = spec && uri ? workPlaceOf(*uri) : WorkPlace::OnThisMachine;
    m_embedded = m_place == WorkPlace::InProcess;
    m_builder.emplace(header->operations, m_place, m_session ? m_session->host.cores : 0);
    m_builder->setCounters(header->counters, storageReadCounters());
    m_progress.run = header->index;
    for (std::size_t i = 0; i < m_points.size(); ++i)
        m_points[i].current = int(i) == header->point;
    emit runReset();
    emit pointsChanged();
    emit headChanged();
}

void LiveRunModel::onSample(const SamplePtr& sample)
{
    if (!m_builder || sample->lengthNs <= 0)
        return;
    appendThroughput(sample);
    const double length = seconds(sample->lengthNs);
    const std::uint64_t queries = m_builder->operationsIn(*sample);
    m_series.qps.append(double(queries) / length);
    append(m_series.response, sample->transaction.responseOrService());
    append(m_series.service, sample->transaction.service);
    m_separate = m_separate || !sample->transaction.response.empty();
    m_series.clientCpu.append(sample->client.cpuSeconds / length);
    m_series.hostBusy.append(sample->client.hostBusy);
    for (std::size_t i = 0; i < m_series.counters.size(); ++i) {
        QVector<double>& counter = m_series.counters[i];
        counter.resize(m_series.time.size() - 1, kNone); // an outline tells nothing of hidden ones
        counter.append(i < sample->counters.size() ? sample->counters[i] : kNone);
    }
    appendOperations(*sample);
    m_builder->add(*sample);
    remember(sample);
    m_pending = true;
    if (!m_many)
        tellSamples();
}

//! An outline tells nothing of them; samples of a replay have no times: see onTimes().
void LiveRunModel::appendOperations(const IntervalSample& sample)
{
    const qsizetype before = m_series.time.size() - 1;
    for (std::size_t i = 0; i < m_series.operations.size(); ++i) {
        RunSeries::Operation& series = m_series.operations[i];
        series.calls.resize(before, kNone);
        series.p99.resize(before, kNone);
        const OpInterval* of = i < sample.ops.size() ? &sample.ops[i] : nullptr;
        series.calls.append(of ? double(of->count) / seconds(sample.lengthNs) : kNone);
        series.p99.append(of ? shownMs(of->service, 99) : kNone);
    }
}

void LiveRunModel::onTimes(const SamplePtr& sample, const std::vector<std::vector<double>>& times, std::size_t interval)
{
    if (m_last != sample) // one without a length was not taken
        return;
    for (std::size_t i = 0; i < std::min(times.size(), m_series.operations.size()); ++i) {
        QVector<double>& values = m_series.operations[i].p99;
        if (interval < times[i].size() && !values.isEmpty())
            values.last() = times[i][interval];
    }
}

//! What an outline tells as well.
void LiveRunModel::appendThroughput(const SamplePtr& sample)
{
    m_last = sample;
    const double length = seconds(sample->lengthNs);
    m_series.time.append(seconds(sample->tNs) + length / 2);
    m_series.tps.append(double(sample->transaction.count) / length);
    m_series.errors.append(double(sample->transaction.errors) / length);
    m_series.rows.append(double(sample->rows) / length);
    if (sample->phase == Phase::Warmup)
        m_warmupEnd = seconds(sample->tNs + sample->lengthNs);
    else if (sample->phase == Phase::Measure)
        beginMeasuring(sample->tNs);
    m_stalls.add(*sample);
    m_failures.tNs.push_back(sample->tNs);
    m_failures.lengthNs.push_back(sample->lengthNs);
    m_failures.phase.push_back(sample->phase);
    m_failures.transaction.count.push_back(sample->transaction.count);
    m_failures.transaction.errors.push_back(sample->transaction.errors);
    timeRun(sample->tNs + sample->lengthNs);
}

//! An interval of the measured time, of which the first says where the phases of the load lie. In a replay they lie
//! where they were when the run was recorded; where that is may not be known.
void LiveRunModel::beginMeasuring(std::int64_t tNs)
{
    if (m_measuring)
        return;
    m_measuring = true;
    const LoadProfile* own = load();
    if (!own || own->phases.empty())
        return;
    if (const auto* replay = qobject_cast<const ReplaySource*>(m_feed.data()); replay && replay->data()) {
        const auto place = replay->data()->placeOf(m_run->index);
        const StoredRun* stored = place ? &replay->data()->session.runs[*place] : nullptr;
        if (stored && !stored->phasesDamage.empty())
            return;
        if (stored)
            tNs = stored->recordedWarmupEndNs.value_or(stored->warmupEndNs);
    }
    std::vector<PhaseSpan> spans = phaseSpans(*own, tNs);
    m_builder->setPhases(spans);
    for (PhaseSpan& span : spans)
        span.fromNs += span.rampNs;
    m_stalls.setStretches(std::move(spans));
}

const LoadProfile* LiveRunModel::load() const
{
    return point() ? &point()->load : nullptr;
}

//! What is told now happened `ns` after the run's first phase began. A replay knows when that was.
void LiveRunModel::timeRun(std::int64_t ns)
{
    if (!m_log.knowsRunStart())
        m_log.setRunStart(QDateTime::currentMSecsSinceEpoch() - std::max<std::int64_t>(0, ns) / 1'000'000);
}

void LiveRunModel::logFound()
{
    m_foundCheck.stop();
    if (m_run && !m_stored && m_log.setFound(m_stalls.stalls(), findErrorBursts(m_failures)))
        emit eventAdded();
}

void LiveRunModel::onOutline(const IntervalColumns& lines, std::size_t interval)
{
    if (!m_builder || lines.lengthNs[interval] <= 0)
        return;
    m_outlined = true;
    auto sample = std::make_shared<IntervalSample>();
    sample->tNs = lines.tNs[interval];
    sample->lengthNs = lines.lengthNs[interval];
    sample->phase = lines.phase[interval];
    sample->rows = lines.rows[interval];
    sample->transaction.count = lines.transaction.count[interval];
    sample->transaction.errors = lines.transaction.errors[interval];
    appendThroughput(sample);
    m_separate = m_separate || !lines.transaction.response.p50Ms.empty();
    append(m_series.response, m_separate ? lines.transaction.response : lines.transaction.service, interval);
    append(m_series.service, lines.transaction.service, interval);
    for (QVector<double>* unknown : {&m_series.qps, &m_series.clientCpu, &m_series.hostBusy})
        unknown->append(kNone);
    for (std::size_t i = 0; i < m_series.counters.size(); ++i) {
        if (!m_run->counters[i].hidden) // of a long run that would be much memory for nothing
            m_series.counters[i].append(kNone);
    }
    m_pending = true;
    if (!m_many)
        tellSamples();
}

//! What is told once for all samples that came at a time.
void LiveRunModel::tellSamples()
{
    if (!m_pending)
        return;
    m_pending = false;
    m_soFar = m_builder->summary();
    judgeClient();
    if (m_run && std::size_t(m_run->point) < m_points.size()) {
        const auto at = std::size_t(m_run->point);
        PointProgress& point = m_points[at];
        if (m_pointRates[at].empty() && m_soFar.seconds > 0) {
            point.tps = m_soFar.tps;
            emit pointsChanged();
        }
    }
    m_foundCheck.start();
    emit sampleAppended();
}

void LiveRunModel::endMany()
{
    m_many = false;
    tellSamples();
    if (m_pendingEvent) {
        m_pendingEvent = false;
        emit eventAdded();
    }
}

//! Keeps the samples of the last seconds.
void LiveRunModel::remember(const SamplePtr& sample)
{
    m_recent.push_back(sample);
    double covered = 0;
    for (const SamplePtr& one : m_recent)
        covered += seconds(one->lengthNs);
    while (m_recent.size() > 1 && covered - seconds(m_recent.front()->lengthNs) >= kLiveSeconds) {
        covered -= seconds(m_recent.front()->lengthNs);
        m_recent.pop_front();
    }
}

void LiveRunModel::judgeClient()
{
    ClientVerdict verdict(m_place, m_session ? m_session->host.cores : 0);
    if (m_run)
        verdict.setCounters(m_run->counters);
    for (const SamplePtr& one : m_recent)
        verdict.add(*one);
    m_limit = QString::fromStdString(verdict.reason());
}

std::vector<std::pair<double, double>> LiveRunModel::starved() const
{
    return starvedStretches(m_soFar.starvation, [&times = m_series.time](double from) {
        const auto middle = std::ranges::upper_bound(times, from);
        return middle == times.end() ? std::nullopt : std::optional(2 * *middle - from);
    });
}

QString LiveRunModel::clientLimit() const
{
    return m_limit;
}

void LiveRunModel::setEvents(const std::vector<RunEvent>& events)
{
    m_events.clear();
    m_log.forgetTold();
    m_many = true;
    for (const RunEvent& event : events)
        onEvent(event);
    endMany();
    if (events.empty())
        emit eventAdded();
}

void LiveRunModel::onEvent(const RunEvent& event)
{
    timeRun(event.tNs);
    m_log.add(rowOf(event));
    m_events.push_front(rowOf(event));
    if (m_events.size() > SessionLog::kMostOfRun)
        m_events.pop_back();
    m_pendingEvent = m_many;
    if (!m_many)
        emit eventAdded();
}

void LiveRunModel::onRunFinished(const RunSummaryPtr& summary)
{
    tellSamples(); // of this run
    logFound();
    count(*summary);
    if (m_run && m_run->point == summary->point && m_run->repeat == summary->repeat) {
        m_soFar = *summary;
        m_limit = QString::fromStdString(summary->clientReason);
    }
    emit pointsChanged();
    emit headChanged();
}

void LiveRunModel::count(const RunSummary& summary)
{
    if (!m_session)
        return;
    m_ended.push_back(summary);
    m_ended.back().times = {}; // large, and nobody asks for them here
    m_ended.back().operations.clear();
    m_counts = countRuns(m_session->runs, m_ended);
    const auto at = std::size_t(summary.point);
    if (at >= m_points.size())
        return;
    PointProgress& point = m_points[at];
    switch (summary.status) {
    case RunStatus::Done: {
        auto& rates = m_pointRates[at];
        rates.push_back(summary.tps);
        point.tps = std::accumulate(rates.begin(), rates.end(), 0.0) / double(rates.size());
        ++point.runs;
        break;
    }
    case RunStatus::Skipped:
    case RunStatus::Stopped:
        ++point.skipped;
        break;
    default:
        ++point.failed;
        break;
    }
}

void LiveRunModel::onFinished(const SessionSummaryPtr& summary)
{
    m_state = State::Finished;
    m_result = summary;
    for (PointProgress& point : m_points)
        point.current = false;
    emit pointsChanged();
    emit headChanged();
    emit finished();
}

const PointSpec* LiveRunModel::point() const
{
    if (!m_session || !m_run || std::size_t(m_run->point) >= m_session->points.size())
        return nullptr;
    return &m_session->points[std::size_t(m_run->point)];
}

std::vector<RunMeasure> LiveRunModel::measures() const
{
    return measuresOf(m_run ? m_run->counters : std::vector<CounterInfo>(), m_driver,
                      m_session ? m_session->host.cores : 0,
                      m_session ? m_session->plan.load.observe : std::vector<std::string>(),
                      m_run ? m_run->operations : std::vector<OperationInfo>());
}

std::vector<MoveReading> LiveRunModel::readings() const
{
    return moveReadings(m_driver);
}

double LiveRunModel::warmupSeconds() const
{
    if (m_measuring || !point())
        return m_warmupEnd;
    return std::max(m_warmupEnd, point()->load.warmupSeconds);
}

double LiveRunModel::plannedSeconds() const
{
    const PointSpec* spec = point();
    return spec && spec->load.timeSeconds > 0 ? warmupSeconds() + spec->load.timeSeconds : 0;
}

QString LiveRunModel::title() const
{
    if (!m_session)
        return tr("Run");
    return m_session->title.empty() ? QString::fromStdString(m_session->plan.workload.name)
                                    : QString::fromStdString(m_session->title);
}

QString LiveRunModel::subtitle() const
{
    if (!m_session)
        return {};
    QStringList parts;
    const PointSpec* spec = point();
    const std::string& uri = spec ? spec->target.uri : m_session->plan.target.uri;
    if (m_run && !m_run->server.product.empty()) {
        // "10.11.19-MariaDB-0+deb12u1" says no more here than "10.11.19"
        const QString version = QString::fromStdString(m_run->server.version).section(QLatin1Char('-'), 0, 0);
        parts << QStringLiteral("%1 %2").arg(QString::fromStdString(m_run->server.product), version).trimmed();
    } else {
        parts << QString::fromStdString(redactUri(uri));
    }
    const std::string& workload = spec ? spec->workload.name : m_session->plan.workload.name;
    const WorkloadInfo* info = findWorkload(workload);
    parts << QString::fromStdString(info ? info->name : workload);
    if (spec) {
        QStringList cases;
        for (const CaseRef& ref : spec->cases)
            if (ref.axis != "users")
                cases << caseWords(QString::fromStdString(ref.axis), QString::fromStdString(ref.label));
        const QString where = tr("point %1 of %2").arg(m_run->point + 1).arg(m_session->points.size());
        parts << (cases.isEmpty() ? where : where + QStringLiteral(": ") + cases.join(QStringLiteral(", ")));
        parts << tr("%n user(s)", nullptr, spec->allUsers());
        if (spec->load.repeats > 1)
            parts << tr("repeat %1 of %2").arg(m_run->repeat).arg(spec->load.repeats);
    }
    return parts.join(QStringLiteral("  ·  "));
}

QString LiveRunModel::stateText() const
{
    if (m_state == State::Finished && m_result) {
        switch (m_result->status) {
        case RunStatus::Failed:
            return tr("failed");
        case RunStatus::Stopped:
            return tr("stopped");
        case RunStatus::Cut:
            return tr("cut off");
        case RunStatus::Damaged:
            return tr("damaged");
        default:
            return tr("done");
        }
    }
    if (m_state == State::Idle)
        return {};
    if (m_progress.paused)
        return tr("paused");
    switch (m_progress.phase) {
    case Phase::Prepare:
        return tr("preparing");
    case Phase::Connect:
        return tr("connecting");
    case Phase::Warmup:
        return tr("warm-up");
    case Phase::Measure:
        return tr("measuring");
    case Phase::Done:
        break;
    }
    return tr("between runs");
}

Tone LiveRunModel::stateTone() const
{
    if (m_state == State::Finished && m_result)
        return m_result->status == RunStatus::Done     ? Tone::Good
               : m_result->status == RunStatus::Failed ? Tone::Bad
                                                       : Tone::Warn;
    return m_progress.paused || m_progress.phase != Phase::Measure ? Tone::Neutral : Tone::Accent;
}

QString LiveRunModel::progressText() const
{
    if (!m_session)
        return {};
    QStringList parts{tr("%1 of %n run(s) complete", nullptr, m_counts.planned).arg(format::count(m_counts.done))};
    const auto add = [&parts](int number, const QString& text) {
        if (number > 0)
            parts << text.arg(format::count(number));
    };
    const bool ended = m_state == State::Finished;
    add(m_counts.failed, tr("%1 failed", "runs"));
    add(m_counts.skipped, tr("%1 skipped", "runs"));
    add(m_counts.stopped, tr("%1 stopped", "runs"));
    add(m_counts.cut, tr("%1 cut off", "runs"));
    add(m_counts.damaged, tr("%1 damaged", "runs"));
    add(ended ? m_counts.notRun : 0, tr("%1 not run", "runs"));
    const QString dot = QStringLiteral("  ·  ");
    QString text = parts.join(dot);
    if (ended)
        return text;
    if (m_progress.phase == Phase::Prepare && m_progress.total > 0) {
        const QString rows = tr("loading %1 of %2 rows")
                                 .arg(format::count(qint64(m_progress.done)), format::count(qint64(m_progress.total)));
        if (m_progress.tries == 0)
            return rows;
        return rows + dot +
               tr("retrying after a lock conflict, try %1 of %2")
                   .arg(format::count(m_progress.tries), format::count(m_progress.mostTries));
    }
    if (m_progress.secondsLeft >= 0)
        text += QStringLiteral("  ·  ") + tr("%1 left").arg(format::duration(std::ceil(m_progress.secondsLeft)));
    return text;
}

} // namespace dyno
