// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/pair_replay.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {

constexpr double kSame = 1e-9;

struct PairReplayWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::PairReplay)
};

std::string labelOf(const StoredSession& session, const StoredRun& run)
{
    const auto point = std::size_t(run.header.point);
    return point < session.header.points.size() ? session.header.points[point].label() : std::string();
}

std::size_t indexOf(const StoredSession& session, const ReplayPick& pick, const PairSide* like)
{
    const auto& runs = session.runs;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (pick.run != 0 && runs[i].id == pick.run)
            return i;
    if (like) {
        const std::string label = labelOf(like->session, like->stored());
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (runs[i].header.repeat == like->stored().header.repeat && labelOf(session, runs[i]) == label)
                return i;
    }
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i].summary.status == RunStatus::Done)
            return i;
    return 0;
}

//! Value at `key` between the neighbours; 0 before the first.
double interpolated(const std::vector<double>& keys, const std::vector<double>& values, double key)
{
    const auto at = std::size_t(std::upper_bound(keys.begin(), keys.end(), key + kSame) - keys.begin());
    if (at == 0)
        return 0;
    if (at == keys.size())
        return values.back();
    const double span = keys[at] - keys[at - 1];
    return values[at - 1] + (span > 0 ? (key - keys[at - 1]) / span * (values[at] - values[at - 1]) : 0);
}

} // namespace

QString runLabel(const StoredSession& session, const StoredRun& run)
{
    const QString label = QString::fromStdString(labelOf(session, run));
    QStringList parts;
    if (!label.isEmpty())
        parts << label;
    const auto point = std::size_t(run.header.point);
    if (point < session.header.points.size() && session.header.points[point].load.repeats > 1)
        parts << PairReplayWords::tr("repeat %1").arg(run.header.repeat);
    return parts.isEmpty() ? PairReplayWords::tr("run %1").arg(run.header.index + 1) : parts.join(QStringLiteral(", "));
}

Expected<PairSidePtr> readPairSide(Library& library, const ReplayPick& pick, const PairSide* like)
{
    auto id = library.resolveId(pick.session.toStdString());
    if (!id)
        return fail(id.error());
    auto session = library.session(*id);
    if (!session)
        return fail(session.error());
    if (session->runs.empty())
        return fail(Error{ErrorKind::BadInput,
                          "The session \"" + session->info.title + "\" has no run",
                          {},
                          "Choose another session"});
    auto side = std::make_shared<PairSide>();
    side->session = std::move(*session);
    side->run = indexOf(side->session, pick, like);
    const StoredRun& run = side->stored();
    auto intervals = library.columns(run.id); // a whole day is there at once
    if (!intervals)
        return fail(intervals.error());
    auto events = library.events(run.id);
    if (!events)
        return fail(events.error());
    side->trace = traceOf(*intervals, runLabel(side->session, run), 0, false, stallRuleOf(run.summary));
    side->trace.phases = plotPhasesOf(side->session, run);
    for (PlotPhase& phase : side->trace.phases) {
        phase.from -= side->trace.zero;
        phase.to -= side->trace.zero;
    }
    double seconds = 0, transactions = 0, failed = 0, first = -1;
    const IntervalColumns::Operation& all = intervals->transaction;
    for (std::size_t i = 0; i < intervals->size(); ++i) {
        const Phase phase = intervals->phase[i];
        if ((phase != Phase::Warmup && phase != Phase::Measure) || intervals->lengthNs[i] <= 0)
            continue;
        first = first < 0 ? double(intervals->tNs[i]) / 1e9 : first;
        if (phase == Phase::Measure) {
            seconds += double(intervals->lengthNs[i]) / 1e9;
            transactions += double(all.count[i]);
            failed += double(all.errors[i]);
        }
        side->p50Ms.push_back(all.service.p50Ms[i]);
        side->p99Ms.push_back(all.service.p99Ms[i]);
        side->measured.push_back(seconds);
        side->transactions.push_back(transactions);
        side->failed.push_back(failed);
    }
    const double zero = std::max(0.0, first) + side->trace.warmup;
    side->markers = markersOf(run, int(side->run), *events, findStalls(*intervals, stallRuleOf(run.summary)), 0,
                              zero + side->end(), 1);
    for (ReplayMarker& marker : side->markers)
        marker.at -= zero;
    return PairSidePtr(std::move(side));
}

std::vector<std::pair<std::int64_t, std::int64_t>> pairsOf(const StoredSession& first, const StoredSession& second)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    const auto played = [](const StoredRun& run) { return run.summary.status != RunStatus::Pending; };
    for (const StoredRun& run : first.runs) {
        const auto same = std::ranges::find_if(second.runs, [&](const StoredRun& other) {
            return other.header.repeat == run.header.repeat && labelOf(second, other) == labelOf(first, run);
        });
        if (same != second.runs.end() && played(run) && played(*same))
            pairs.emplace_back(run.id, same->id);
    }
    for (std::size_t i = 0; pairs.empty() && i < std::min(first.runs.size(), second.runs.size()); ++i)
        pairs.emplace_back(first.runs[i].id, second.runs[i].id);
    return pairs;
}

PairTimeline::PairTimeline(PairSidePtr first, PairSidePtr second, PairAxis axis)
    : m_sides{std::move(first), std::move(second)}
    , m_axis(axis)
{
    if (empty())
        return;
    if (m_axis == PairAxis::Rows && !countsRows())
        m_axis = PairAxis::Time;
    if (m_axis == PairAxis::Time) {
        m_warmup = std::max(side(0).trace.warmup, side(1).trace.warmup);
        m_length = m_warmup + std::max(side(0).end(), side(1).end());
        return;
    }
    const RunTrace& other = side(1).trace; // the warm-up has no place among the rows
    const auto at = std::ranges::lower_bound(other.rows, side(0).rows());
    m_handOver = at == other.rows.end() ? side(1).end() : other.seconds[std::size_t(at - other.rows.begin())];
    m_length = side(0).end() + std::max(0.0, side(1).end() - m_handOver);
}

bool PairTimeline::countsRows() const
{
    return !empty() && side(0).rows() > 0 && side(1).rows() > 0;
}

double PairTimeline::rowsAt(double position) const
{
    if (position <= side(0).end())
        return interpolated(side(0).trace.seconds, side(0).trace.rows, position);
    const double later = interpolated(side(1).trace.seconds, side(1).trace.rows, m_handOver + position - side(0).end());
    return std::max(side(0).rows(), later);
}

std::size_t PairTimeline::shown(int index, double position) const
{
    const RunTrace& trace = side(index).trace;
    if (m_axis == PairAxis::Time) {
        const auto end = std::upper_bound(trace.seconds.begin(), trace.seconds.end(), position - m_warmup + kSame);
        return std::size_t(end - trace.seconds.begin());
    }
    if (index == 0) {
        const auto end = std::upper_bound(trace.seconds.begin(), trace.seconds.end(), position + kSame);
        return std::size_t(end - trace.seconds.begin());
    }
    if (position >= m_length)
        return trace.seconds.size(); // a tail that changed no more rows is shown too
    const auto end = std::upper_bound(trace.rows.begin(), trace.rows.end(), rowsAt(position) + kSame);
    return std::size_t(end - trace.rows.begin());
}

//! Where a moment of a run stands on the axis.
double PairTimeline::positionOf(int index, double seconds) const
{
    if (m_axis == PairAxis::Time)
        return m_warmup + seconds;
    if (index == 0)
        return seconds;
    const double rows = interpolated(side(1).trace.seconds, side(1).trace.rows, seconds);
    if (rows > side(0).rows())
        return side(0).end() + std::max(0.0, seconds - m_handOver);
    const RunTrace& pace = side(0).trace;
    const auto at = std::ranges::lower_bound(pace.rows, rows);
    return at == pace.rows.end() ? side(0).end() : pace.seconds[std::size_t(at - pace.rows.begin())];
}

std::vector<ReplayMarker> PairTimeline::markers() const
{
    std::vector<ReplayMarker> all;
    for (const int index : {0, 1}) {
        if (empty())
            break;
        for (ReplayMarker marker : side(index).markers) {
            if (m_axis == PairAxis::Rows && marker.at < 0)
                continue;
            marker.at = std::clamp(positionOf(index, marker.at), 0.0, m_length);
            marker.text =
                QStringLiteral("%1: %2").arg(index == 0 ? QStringLiteral("A") : QStringLiteral("B"), marker.text);
            all.push_back(std::move(marker));
        }
    }
    std::ranges::stable_sort(all, {}, &ReplayMarker::at);
    return all;
}

} // namespace dyno
