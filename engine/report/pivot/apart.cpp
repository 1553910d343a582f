// SPDX-License-Identifier: GPL-3.0-or-later
// What several sessions are to each other: the same runs, or runs at different times.
#include <dyno/analysis.h>

#include "report/pivot/labels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace dyno {

namespace {

//! Another tool's file may not tell it: not a number on both sides then.
bool isSameFigure(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool isSameRun(const StoredRun& a, const StoredRun& b)
{
    const RunSummary &one = a.summary, &other = b.summary;
    return one.point == other.point && one.repeat == other.repeat && one.status == other.status &&
           isSameFigure(one.seconds, other.seconds) && one.transactions == other.transactions &&
           isSameFigure(one.tps, other.tps) && one.queries == other.queries && one.errors == other.errors &&
           isSameFigure(one.service.meanMs, other.service.meanMs) &&
           isSameFigure(one.service.maxMs, other.service.maxMs) &&
           isSameFigure(one.response.meanMs, other.response.meanMs) && isSameFigure(one.cpuUsPerOp, other.cpuUsPerOp);
}

std::int64_t endOf(const SessionInfo& session)
{
    return std::max(session.startedMs, session.finishedMs);
}

} // namespace

bool holdSameRuns(const StoredSession& a, const StoredSession& b)
{
    if (a.info.id == b.info.id)
        return true;
    const bool measured = std::ranges::any_of(
        a.runs, [](const StoredRun& run) { return run.summary.status == RunStatus::Done && run.summary.tps > 0; });
    return measured && a.header.startedMs == b.header.startedMs && std::ranges::equal(a.runs, b.runs, isSameRun);
}

bool ranApart(const std::vector<StoredSession>& sessions)
{
    // Of another tool's files the time is often that of the file.
    const auto isUnknown = [](const StoredSession& one) { return one.info.startedMs <= 0 || report::isImported(one); };
    if (std::ranges::any_of(sessions, isUnknown))
        return false;
    return std::ranges::any_of(sessions, [&sessions](const StoredSession& one) {
        return std::ranges::any_of(sessions, [&one](const StoredSession& other) {
            return one.info.startedMs < other.info.startedMs && endOf(one.info) <= other.info.startedMs;
        });
    });
}

std::string timeText(const std::vector<StoredSession>& sessions, std::string_view measure)
{
    if (!ranApart(sessions))
        return {};
    const MeasureInfo* info = findMeasure(measure);
    if (!info || info->fromIntervals)
        info = findMeasure("tps");
    const std::vector<std::string> names = report::sessionLabels(sessions);
    std::string drifts;
    for (std::size_t i = 0; i < sessions.size(); ++i)
        drifts += fmt::format("{}{}: {}", drifts.empty() ? "" : "; ", names[i], toText(driftOf(sessions[i], info->id)));
    return fmt::format(
        "These sessions ran one after the other, not interleaved, so time itself may explain a difference. "
        "{} in each session: {}.",
        info->label, drifts);
}

} // namespace dyno
