// SPDX-License-Identifier: GPL-3.0-or-later
// Several sessions beside each other: which axis they share, and at which cases the others are held.
#include <dyno/report.h>

#include "report/pivot/labels.h"
#include "report/pivot/side_by_side.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <utility>

namespace dyno {

namespace {

using CaseLabels = std::vector<std::string>;

bool isIn(const CaseLabels& list, std::string_view text)
{
    return std::ranges::find(list, text) != list.end();
}

bool hasAxis(const PointSpec& point, std::string_view axis)
{
    return axis == "users" || std::ranges::find(point.cases, axis, &CaseRef::axis) != point.cases.end();
}

//! The labels of one session on an axis, in plan order; numbers ascend. Empty: it does not have the axis.
CaseLabels labelsOf(const StoredSession& session, std::string_view axis)
{
    CaseLabels labels;
    for (const PointSpec& point : session.header.points) {
        if (hasAxis(point, axis) && !isIn(labels, report::caseLabel(point, axis)))
            labels.push_back(report::caseLabel(point, axis));
    }
    if (std::ranges::all_of(labels, [](const std::string& label) { return report::numberOf(label).has_value(); }))
        std::ranges::sort(labels, {}, [](const std::string& label) { return report::numberOf(label).value_or(0); });
    return labels;
}

//! Those that all sessions have which have the axis.
CaseLabels commonLabels(const std::vector<StoredSession>& sessions, std::string_view axis)
{
    CaseLabels common;
    bool first = true;
    for (const StoredSession& session : sessions) {
        const CaseLabels labels = labelsOf(session, axis);
        if (labels.empty())
            continue;
        if (std::exchange(first, false))
            common = labels;
        else
            std::erase_if(common, [&labels](const std::string& label) { return !isIn(labels, label); });
    }
    return common;
}

bool allHave(const std::vector<StoredSession>& sessions, std::string_view axis)
{
    return std::ranges::all_of(sessions,
                               [axis](const StoredSession& session) { return !labelsOf(session, axis).empty(); });
}

bool varies(const std::vector<StoredSession>& sessions, std::string_view axis)
{
    std::set<std::string> labels;
    for (const StoredSession& session : sessions) {
        for (const std::string& label : labelsOf(session, axis))
            labels.insert(label);
    }
    return labels.size() > 1;
}

//! True when a finished run of each session that has the axis has this case.
bool isDone(const std::vector<StoredSession>& sessions, std::string_view axis, const std::string& label)
{
    return std::ranges::all_of(sessions, [&](const StoredSession& session) {
        const auto& points = session.header.points;
        return labelsOf(session, axis).empty() || std::ranges::any_of(session.runs, [&](const StoredRun& run) {
                   const auto point = static_cast<std::size_t>(run.summary.point);
                   return run.summary.status == RunStatus::Done && run.summary.point >= 0 && point < points.size() &&
                          report::caseLabel(points[point], axis) == label;
               });
    });
}

//! The case to begin with: one with figures on all sides. The baseline of a plan's chart comes first, of users the
//! most.
CaseLabels firstHold(const std::vector<StoredSession>& sessions, std::string_view axis)
{
    std::vector<CaseLabels> holds = holdsOf(sessions, axis);
    if (axis == "users")
        std::ranges::reverse(holds);
    std::ranges::stable_sort(holds, {}, [&](const CaseLabels& hold) {
        const bool baseline = std::ranges::any_of(sessions, [&](const StoredSession& session) {
            const auto& views = session.header.plan.views;
            return !views.empty() && views.front().series == axis && isIn(hold, views.front().baseline);
        });
        const bool done = std::ranges::all_of(
            hold, [&](const std::string& label) { return hold.size() > 1 || isDone(sessions, axis, label); });
        return (done ? 0 : 2) + (baseline ? 0 : 1);
    });
    return holds.empty() ? CaseLabels() : holds.front();
}

CaseLabels axesNamed(const PivotRequest& request)
{
    CaseLabels named;
    for (const std::string* axes : {&request.x, &request.series, &request.facet}) {
        const CaseLabels some = report::splitAxes(*axes);
        named.insert(named.end(), some.begin(), some.end());
    }
    return named;
}

//! "64, 128", "1, 2, 3, 4 and 7 more".
std::string listed(const CaseLabels& labels)
{
    constexpr std::size_t kMost = 4;
    if (labels.size() <= kMost + 1)
        return fmt::format("{}", fmt::join(labels, ", "));
    return fmt::format("{} and {} more", fmt::join(labels.begin(), labels.begin() + kMost, ", "),
                       labels.size() - kMost);
}

} // namespace

bool isShown(const PivotRequest& request, const PointSpec& point)
{
    return std::ranges::all_of(request.fixed, [&](const CaseRef& one) {
        if (!hasAxis(point, one.axis))
            return true;
        const std::string label = report::caseLabel(point, one.axis);
        return std::ranges::find(request.fixed, CaseRef{one.axis, label}) != request.fixed.end();
    });
}

std::vector<std::vector<std::string>> holdsOf(const std::vector<StoredSession>& sessions, std::string_view axis)
{
    std::vector<CaseLabels> holds;
    const CaseLabels common = commonLabels(sessions, axis);
    for (const std::string& label : common) {
        if (holds.size() < kMostHolds)
            holds.push_back({label});
    }
    if (!common.empty())
        return holds;
    // Nothing in common: each with each, as long as a person can still choose among them.
    holds.emplace_back();
    for (const StoredSession& session : sessions) {
        std::vector<CaseLabels> longer;
        for (const CaseLabels& hold : holds) {
            for (const std::string& label : labelsOf(session, axis)) {
                CaseLabels one = hold;
                if (!isIn(one, label))
                    one.push_back(label);
                if (longer.size() < kMostHolds && std::ranges::find(longer, one) == longer.end())
                    longer.push_back(std::move(one));
            }
        }
        if (!longer.empty())
            holds = std::move(longer);
    }
    std::erase(holds, CaseLabels());
    return holds;
}

PivotRequest holdOtherAxes(const std::vector<StoredSession>& sessions, PivotRequest request)
{
    if (sessions.size() < 2) {
        request.fixed.clear();
        request.commonOnly = false;
        return request;
    }
    CaseLabels settled = axesNamed(request);
    request.commonOnly = isIn(report::splitAxes(request.series), "session");
    std::erase_if(request.fixed, [&](const CaseRef& one) {
        const bool known = std::ranges::any_of(
            sessions, [&one](const StoredSession& session) { return isIn(labelsOf(session, one.axis), one.label); });
        return !known || isIn(settled, one.axis);
    });
    for (const std::string& axis : axesOf(sessions)) { // the users come after the axes of plans, which may tell them
        if (axis == "session" || isIn(settled, axis) || !varies(sessions, axis))
            continue;
        const bool held = std::ranges::find(request.fixed, axis, &CaseRef::axis) != request.fixed.end();
        if (!held && axis == "users" && report::tellUsers(sessions, settled))
            continue;
        if (!held) {
            for (const std::string& label : firstHold(sessions, axis))
                request.fixed.push_back({axis, label});
        }
        settled.push_back(axis);
    }
    return request;
}

PivotRequest sideBySide(const std::vector<StoredSession>& sessions, PivotRequest wanted)
{
    if (sessions.size() < 2)
        return wanted;
    wanted.series = "session";
    wanted.facet.clear();
    wanted.baseline.clear();
    wanted.fixed.clear();
    const auto shared = [&sessions](const std::string& axis) {
        return axis != "session" && allHave(sessions, axis) ? commonLabels(sessions, axis).size() : std::size_t(0);
    };
    const std::string asked = wanted.x;
    if (shared(asked) < 2) {
        wanted.x = "users";
        std::size_t most = shared("users");
        for (const std::string& axis : axesOf(sessions)) {
            if (most < 2 && shared(axis) > most) {
                most = shared(axis);
                wanted.x = axis;
            }
        }
        // Of several axes with two cases and more, the one with most; of alike the first.
        for (const std::string& axis : axesOf(sessions)) {
            if (wanted.x != "users" && shared(axis) > most) {
                most = shared(axis);
                wanted.x = axis;
            }
        }
    }
    return holdOtherAxes(sessions, std::move(wanted));
}

void report::dropUnusedLabels(Pivot& pivot)
{
    const auto isGone = [&pivot](std::string PivotCell::*field) {
        return [&pivot, field](const std::string& label) {
            return std::ranges::find(pivot.cells, label, field) == pivot.cells.end();
        };
    };
    std::erase_if(pivot.xs, isGone(&PivotCell::x));
    std::erase_if(pivot.facets, isGone(&PivotCell::facet));
}

void report::keepCommon(Pivot& pivot, const std::vector<StoredSession>& sessions)
{
    const bool byUsers = pivot.request.x == "users";
    const auto name = [&](const std::string& axis, const CaseLabels& labels) {
        return fmt::format("{} {}", axis, listed(labels));
    };
    if (pivot.series.size() > 1) {
        std::map<std::pair<std::string, std::string>, int> series; // by x and facet
        for (const PivotCell& cell : pivot.cells)
            ++series[{cell.x, cell.facet}];
        const auto isCommon = [&series](const PivotCell& cell) { return series.at({cell.x, cell.facet}) > 1; };
        if (std::ranges::any_of(pivot.cells, isCommon)) {
            for (const std::string& one : pivot.series) {
                CaseLabels xs;
                for (const PivotCell& cell : pivot.cells) {
                    if (cell.series == one && !isCommon(cell) && !isIn(xs, cell.x))
                        xs.push_back(cell.x);
                }
                if (!xs.empty())
                    pivot.apart.push_back(fmt::format("Only {} has {}", one,
                                                      byUsers
                                                          ? listed(xs) + (xs == CaseLabels{"1"} ? " user" : " users")
                                                          : name(pivot.request.x, xs)));
            }
            std::erase_if(pivot.cells, [&](const PivotCell& cell) { return !isCommon(cell); });
            dropUnusedLabels(pivot);
        } else if (!pivot.cells.empty()) {
            pivot.apart.emplace_back("These sessions share no case, so no ratio can be formed");
        }
    }
    // Axes that are held: whoever has more of them, or alone has one.
    const CaseLabels titles = sessionLabels(sessions);
    std::set<std::string> seen;
    for (const CaseRef& held : pivot.request.fixed) {
        if (!seen.insert(held.axis).second)
            continue;
        const CaseLabels common = commonLabels(sessions, held.axis);
        std::vector<std::size_t> with;
        for (std::size_t s = 0; s < sessions.size(); ++s) {
            if (!labelsOf(sessions[s], held.axis).empty())
                with.push_back(s);
        }
        if (with.size() == 1)
            pivot.apart.push_back(fmt::format("Only {} varies {}", titles[with.front()], held.axis));
        if (with.size() == 1 || common.empty())
            continue;
        std::map<std::size_t, CaseLabels> only, lacks; // by session
        std::set<std::string> told;
        for (const std::size_t s : with) {
            for (const std::string& label : labelsOf(sessions[s], held.axis)) {
                if (isIn(common, label) || !told.insert(label).second)
                    continue;
                std::vector<std::size_t> without;
                for (const std::size_t other : with) {
                    if (!isIn(labelsOf(sessions[other], held.axis), label))
                        without.push_back(other);
                }
                if (without.size() + 1 == with.size())
                    only[s].push_back(label);
                else
                    std::ranges::for_each(without, [&](std::size_t one) { lacks[one].push_back(label); });
            }
        }
        for (const auto& [s, labels] : only)
            pivot.apart.push_back(fmt::format("Only {} has {}", titles[s], name(held.axis, labels)));
        for (const auto& [s, labels] : lacks)
            pivot.apart.push_back(fmt::format("{} lacks {}", titles[s], name(held.axis, labels)));
    }
}

std::string Pivot::scope() const
{
    std::vector<std::pair<std::string, std::string>> held; // axis, its labels
    for (const CaseRef& one : request.fixed) {
        auto found = std::ranges::find(held, one.axis, &std::pair<std::string, std::string>::first);
        if (found == held.end())
            held.emplace_back(one.axis, one.label);
        else
            found->second += " and " + one.label;
    }
    std::string text;
    for (const auto& [axis, labels] : held)
        text += fmt::format("{}{} = {}", text.empty() ? "At " : ", ", axis, labels);
    if (!text.empty())
        text += ".";
    for (const std::string& line : apart)
        text += fmt::format("{}{}.", text.empty() ? "" : " ", line);
    return text;
}

} // namespace dyno
