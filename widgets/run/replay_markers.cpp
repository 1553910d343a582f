// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/replay_markers.h"

#include "format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dyno {

namespace {

constexpr std::int64_t kSameMoment = 50'000'000; //!< ns: the phase is told a moment after its first interval begins
constexpr double kSamePlace = 0.05;              //!< seconds: markers that are nearer than this are one stop

struct ReplayMarkersWords
{
    Q_DECLARE_TR_FUNCTIONS(dyno::ReplayMarker)
};

} // namespace

Tone toneOf(EventKind kind)
{
    switch (kind) {
    case EventKind::Stall:
    case EventKind::Error:
        return Tone::Bad;
    case EventKind::Reconnect:
        return Tone::Warn;
    case EventKind::Note:
        return Tone::Accent;
    default:
        return Tone::Neutral;
    }
}

std::vector<ReplayMarker> markersOf(const StoredRun& run, int index, const std::vector<RunEvent>& events,
                                    const std::vector<Stall>& stalls, double start, double length, std::size_t runs)
{
    std::vector<ReplayMarker> markers;
    const auto add = [&](std::int64_t ns, std::int64_t lengthNs, MarkerKind kind, Tone tone, QString text) {
        const double at = start + std::clamp(double(ns) / 1e9, 0.0, length);
        markers.push_back({at, double(lengthNs) / 1e9, index, kind, tone, std::move(text)});
    };
    if (runs > 1)
        add(0, 0, MarkerKind::RunStart, Tone::Neutral,
            ReplayMarkersWords::tr("run %1 begins").arg(run.header.index + 1));
    if (!run.knowsWarmupEnd())
        add(0, 0, MarkerKind::Event, Tone::Warn,
            ReplayMarkersWords::tr("%1: where its warm-up ended is not known")
                .arg(QString::fromStdString(run.phasesDamage)));
    if (run.warmupEndNs > 0)
        add(run.warmupEndNs, 0, MarkerKind::WarmupEnd, Tone::Good, ReplayMarkersWords::tr("measured time begins"));
    for (const RunEvent& event : events) {
        const bool phase = event.kind == EventKind::Phase;
        if (phase && run.warmupEndNs > 0 && std::abs(event.tNs - run.warmupEndNs) < kSameMoment)
            continue; // told already
        add(event.tNs, event.lengthNs,
            phase                            ? MarkerKind::Phase
            : event.kind == EventKind::Note  ? MarkerKind::Note
            : event.kind == EventKind::Stall ? MarkerKind::Stall
                                             : MarkerKind::Event,
            toneOf(event.kind), QString::fromStdString(event.text));
    }
    for (const Stall& stall : stalls) {
        add(stall.tNs, stall.lengthNs, MarkerKind::Stall, stall.stalled ? Tone::Bad : Tone::Warn, stallText(stall));
    }
    std::ranges::stable_sort(markers, {}, &ReplayMarker::at);
    return markers;
}

const ReplayMarker* nextMarker(std::span<const ReplayMarker> markers, double position, bool forward)
{
    const ReplayMarker* found = nullptr;
    for (const ReplayMarker& marker : markers) {
        if (forward && marker.at > position + kSamePlace)
            return &marker;
        if (!forward && marker.at < position - kSamePlace)
            found = &marker;
    }
    return found;
}

} // namespace dyno
