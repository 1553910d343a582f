// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/report.h>

#include "report/labels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

namespace dyno {

namespace report {

namespace {

bool contains(const std::vector<std::string>& list, std::string_view text)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

} // namespace

std::vector<std::string> sessionLabels(const std::vector<StoredSession>& sessions)
{
    std::map<std::string, int> count;
    for (const StoredSession& session : sessions)
        ++count[session.info.title];
    std::vector<std::string> labels;
    for (const StoredSession& session : sessions) {
        std::string label = session.info.title;
        if (count[label] > 1 || label.empty())
            label += (label.empty() ? "" : " · ") + session.info.id.substr(0, 8);
        labels.push_back(std::move(label));
    }
    return labels;
}

std::string caseLabel(const PointSpec& point, std::string_view axis)
{
    for (const CaseRef& reference : point.cases) {
        if (reference.axis == axis)
            return reference.label;
    }
    return axis == "users" ? std::to_string(point.users()) : std::string(kNoCase);
}

std::vector<std::string> splitAxes(std::string_view axes)
{
    std::vector<std::string> names;
    while (!axes.empty()) {
        const std::size_t at = axes.find(kAxisJoin);
        names.emplace_back(axes.substr(0, at));
        axes = at == std::string_view::npos ? std::string_view() : axes.substr(at + kAxisJoin.size());
    }
    return names;
}

std::optional<double> numberOf(std::string_view label)
{
    double value = 0;
    const auto read = std::from_chars(label.data(), label.data() + label.size(), value);
    if (label.empty() || read.ec != std::errc() || read.ptr != label.data() + label.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

} // namespace report

namespace {

using report::contains;

//! The sessions' points with the labels of the axes that are asked for.
class Labels
{
public:
    explicit Labels(const std::vector<StoredSession>& sessions)
        : m_sessions(sessions)
        , m_titles(report::sessionLabels(sessions))
    {}

    [[nodiscard]] std::string of(std::size_t session, const PointSpec& point, std::string_view axes) const
    {
        std::string label;
        for (const std::string& axis : report::splitAxes(axes)) {
            if (!label.empty())
                label += ", ";
            label += axis == "session" ? m_titles[session] : report::caseLabel(point, axis);
        }
        return label;
    }

    //! Distinct labels in plan order; numbers ascend.
    [[nodiscard]] std::vector<std::string> all(std::string_view axes) const
    {
        std::vector<std::string> labels;
        for (std::size_t s = 0; s < m_sessions.size(); ++s) {
            for (const PointSpec& point : m_sessions[s].header.points) {
                std::string label = of(s, point, axes);
                if (!contains(labels, label))
                    labels.push_back(std::move(label));
            }
        }
        if (allNumbers(labels)) {
            std::stable_sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
                return *report::numberOf(a) < *report::numberOf(b);
            });
        }
        return labels;
    }

    [[nodiscard]] static bool allNumbers(const std::vector<std::string>& labels)
    {
        return !labels.empty() &&
               std::all_of(labels.begin(), labels.end(), [](const auto& l) { return report::numberOf(l).has_value(); });
    }

private:
    const std::vector<StoredSession>& m_sessions;
    std::vector<std::string> m_titles;
};

//! Fills in what was left open. Axes that vary and are not asked for become facets: runs of different cases must never
//! be taken for repeats of each other.
PivotRequest completed(PivotRequest request, const std::vector<StoredSession>& sessions, const Labels& labels)
{
    if (!findMeasure(request.measure))
        request.measure = "tps";
    std::vector<std::string> varying;
    for (const std::string& axis : axesOf(sessions)) {
        if (labels.all(axis).size() > 1)
            varying.push_back(axis);
    }
    if (request.x.empty())
        request.x = varying.empty() || contains(varying, "users") ? std::string("users") : varying.front();
    const auto taken = [&request](const std::string& axis) {
        const auto in = [&axis](const std::string& axes) { return contains(report::splitAxes(axes), axis); };
        return in(request.x) || in(request.series) || in(request.facet);
    };
    if (request.series.empty()) {
        // Two sessions are compared with each other, and one session's first axis by its cases.
        if (contains(varying, "session") && !taken("session"))
            request.series = "session";
        for (const std::string& axis : varying) {
            if (request.series.empty() && !taken(axis))
                request.series = axis;
        }
    }
    for (const std::string& axis : varying) {
        if (taken(axis))
            continue;
        if (!request.facet.empty())
            request.facet += report::kAxisJoin;
        request.facet += axis;
    }
    return request;
}

double medianOf(std::vector<double> values)
{
    return estimate(std::move(values)).median;
}

using Key = std::tuple<std::string, std::string, std::string>; // x, series, facet

struct Collected
{
    std::vector<double> values, p95s;
    int failed = 0;
    bool limited = false;
};

std::map<Key, Collected> collect(const std::vector<StoredSession>& sessions, const PivotRequest& request,
                                 const Labels& labels)
{
    std::map<Key, Collected> cells;
    for (std::size_t s = 0; s < sessions.size(); ++s) {
        const StoredSession& session = sessions[s];
        std::vector<Collected*> byPoint;
        for (const PointSpec& point : session.header.points) {
            byPoint.push_back(&cells[{labels.of(s, point, request.x), labels.of(s, point, request.series),
                                      labels.of(s, point, request.facet)}]);
        }
        for (const StoredRun& run : session.runs) {
            const auto point = static_cast<std::size_t>(run.summary.point);
            if (run.summary.point < 0 || point >= byPoint.size())
                continue;
            Collected& cell = *byPoint[point];
            const RunStatus status = run.summary.status;
            if (status == RunStatus::Done) {
                cell.values.push_back(measureOf(run.summary, settingOf(session, run), request.measure));
                cell.p95s.push_back(run.summary.service.p95Ms);
                cell.limited = cell.limited || run.summary.clientLimited;
            } else if (status == RunStatus::Failed || status == RunStatus::Stopped || status == RunStatus::Cut) {
                ++cell.failed;
            }
        }
    }
    return cells;
}

} // namespace

std::vector<std::string> axesOf(const std::vector<StoredSession>& sessions)
{
    std::vector<std::string> axes;
    for (const StoredSession& session : sessions) {
        for (const PointSpec& point : session.header.points) {
            for (const CaseRef& reference : point.cases) {
                if (reference.axis != "users" && !contains(axes, reference.axis))
                    axes.push_back(reference.axis);
            }
        }
    }
    axes.emplace_back("users");
    if (sessions.size() > 1)
        axes.emplace_back("session");
    return axes;
}

const PivotCell* Pivot::cell(std::string_view x, std::string_view oneSeries, std::string_view facet) const
{
    for (const PivotCell& candidate : cells) {
        if (candidate.x == x && candidate.series == oneSeries && candidate.facet == facet)
            return &candidate;
    }
    return nullptr;
}

Pivot pivot(const std::vector<StoredSession>& sessions, PivotRequest request)
{
    const Labels labels(sessions);
    Pivot pivot;
    pivot.request = completed(std::move(request), sessions, labels);
    const std::map<Key, Collected> collected = collect(sessions, pivot.request, labels);
    pivot.xs = labels.all(pivot.request.x);
    pivot.series = labels.all(pivot.request.series);
    pivot.facets = labels.all(pivot.request.facet);
    pivot.numericX = Labels::allNumbers(pivot.xs);
    std::string& baseline = pivot.request.baseline;
    if (!contains(pivot.series, baseline))
        baseline = pivot.series.empty() ? std::string() : pivot.series.front();

    const bool higherIsBetter = findMeasure(pivot.request.measure)->higherIsBetter;
    std::map<std::pair<std::string, std::string>, Estimate> baselines; // by x and facet
    for (const auto& [key, values] : collected) {
        if (std::get<1>(key) == baseline)
            baselines[{std::get<0>(key), std::get<2>(key)}] = estimate(values.values);
    }
    for (const std::string& facet : pivot.facets) {
        for (const std::string& series : pivot.series) {
            for (const std::string& x : pivot.xs) {
                const auto found = collected.find({x, series, facet});
                if (found == collected.end())
                    continue; // this combination is in no plan
                PivotCell cell{x, series, facet, estimate(found->second.values), {}, 0, 0, false};
                cell.p95Ms = medianOf(found->second.p95s);
                cell.failedRuns = found->second.failed;
                cell.clientLimited = found->second.limited;
                const auto base = baselines.find({x, facet});
                if (series == baseline)
                    cell.ratio = {1, std::nullopt, std::nullopt, Verdict::Baseline};
                else if (base != baselines.end() && !base->second.runs.empty() && !cell.estimate.runs.empty())
                    cell.ratio = ratioOf(cell.estimate, base->second, higherIsBetter);
                pivot.cells.push_back(std::move(cell));
            }
        }
    }
    return pivot;
}

} // namespace dyno
