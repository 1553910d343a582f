// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/export/markdown_text.h"
#include "report/format.h"
#include "report/pivot/labels.h"
#include <dyno/figures.h>
#include <dyno/plan_refs.h>
#include <dyno/report.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace dyno {

namespace {

using report::escaped;
using report::human;

bool hasAllOf(const PointSpec& point, const std::vector<CaseRef>& cases)
{
    return std::all_of(cases.begin(), cases.end(), [&](const CaseRef& one) {
        if (one.axis == "users" && one.label == fmt::format("{}", point.users()))
            return true; // also where the plan has one number of users only
        return one.axis == kOperationAxis ||
               std::find(point.cases.begin(), point.cases.end(), one) != point.cases.end();
    });
}

//! The measure of a figure that names an operation or a step in its cases.
std::string measureOfCases(const std::string& measure, const std::vector<CaseRef>& cases)
{
    const auto found = std::ranges::find(cases, kOperationAxis, &CaseRef::axis);
    return found == cases.end() ? measure : measure + ":" + found->label;
}

//! True when the cases of the axis say how many users there are.
bool tellsUsers(const Plan& plan, std::string_view axis)
{
    return axis == "users" || std::ranges::any_of(plan.axes, [axis](const Axis& one) {
               return one.name == axis &&
                      std::ranges::any_of(one.cases, [](const Case& c) { return c.set.contains("load.users"); });
           });
}

//! The point that differs from `point` in having the case `label` on that axis; −1 when there is none.
int pointBeside(const SessionHeader& header, const PointSpec& point, const std::string& axis, const std::string& label)
{
    const std::vector<PointSpec>& points = header.points;
    const bool otherUsers = tellsUsers(header.plan, axis);
    const auto others = [&axis](const PointSpec& one) {
        std::vector<CaseRef> cases = one.cases;
        std::erase_if(cases, [&axis](const CaseRef& c) { return c.axis == axis; });
        return cases;
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (report::caseLabel(points[i], axis) == label && others(points[i]) == others(point) &&
            (otherUsers || points[i].users() == point.users()))
            return int(i);
    }
    return -1;
}

//! The axes of the figures, in the plan's order, then users and operations.
std::vector<std::string> axesOf(const Plan& plan, const Published& published)
{
    std::vector<std::string> axes;
    const auto isNamed = [&](const std::string& axis) {
        return std::any_of(published.values.begin(), published.values.end(), [&](const PublishedValue& value) {
            return std::any_of(value.cases.begin(), value.cases.end(),
                               [&](const CaseRef& one) { return one.axis == axis; });
        });
    };
    for (const Axis& axis : plan.axes) {
        if (isNamed(axis.name))
            axes.push_back(axis.name);
    }
    for (const std::string_view last : {std::string_view("users"), kOperationAxis}) {
        if (isNamed(std::string(last)))
            axes.emplace_back(last);
    }
    return axes;
}

std::string labelOf(const std::vector<CaseRef>& cases, const std::string& axis)
{
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const CaseRef& one) { return one.axis == axis; });
    return found == cases.end() ? "best" : escaped(found->label);
}

//! Of figures in percent: they need no shares beside them.
std::string percentTable(const std::vector<PublishedRow>& rows, const std::vector<std::string>& names,
                         const MeasureInfo* measure, const Published& published)
{
    std::vector<std::string> head;
    for (const std::string& axis : names)
        head.push_back(escaped(axis));
    const std::string what = fmt::format("% of {}", escaped(published.relativeTo));
    head.insert(head.end(), {fmt::format("published, {}", what), fmt::format("here, {}", what)});
    std::string text = fmt::format("{}:\n\n", escaped(measure ? measure->label : published.measure)) +
                       report::row(head) + report::rule(head.size());
    for (const PublishedRow& one : rows) {
        std::vector<std::string> cells;
        for (const std::string& axis : names)
            cells.push_back(labelOf(one.cases, axis));
        cells.push_back(fmt::format("{} %", human(one.published)));
        cells.push_back(one.own ? fmt::format("{} %", human(one.own->mean)) : "–");
        text += report::row(cells);
    }
    return text;
}

Estimate scaled(Estimate one, double factor)
{
    for (std::vector<double>* figures : {&one.runs, &one.shares}) {
        for (double& figure : *figures)
            figure *= factor;
    }
    for (double* figure : {&one.mean, &one.median})
        *figure *= factor;
    for (std::optional<double>* bound : {&one.low, &one.high}) {
        if (*bound)
            **bound *= factor;
    }
    return one;
}

std::string tableOf(const StoredSession& session, const Published& published, const RunFigures& figures)
{
    const std::vector<PublishedRow> rows = publishedBeside(session, published, figures);
    const MeasureInfo* measure = findMeasure(published.measure);
    if (!published.relativeTo.empty())
        return percentTable(rows, axesOf(session.header.plan, published), measure, published);
    const std::string unit = measure ? measure->unit : published.measure;
    const bool follows = unitFollowsSize(unit);
    const auto number = [&](double v) { return follows ? amountText(v, unit) : human(v); };
    const std::string of = follows ? std::string() : ", " + unit;
    double most = 0, ownMost = 0;
    for (const PublishedRow& one : rows) {
        if (!one.own)
            continue; // shares of the same rows on both sides
        most = std::max(most, one.published);
        ownMost = std::max(ownMost, one.own->mean);
    }
    std::vector<std::string> head = axesOf(session.header.plan, published);
    const std::size_t axes = head.size();
    for (std::string& axis : head)
        axis = escaped(axis);
    head.insert(head.end(), {"published" + of, "of its largest", "here" + of, "of its largest"});
    std::string text = report::row(head) + report::rule(head.size());
    const auto share = [](double value, double largest) {
        return largest > 0 ? fmt::format("{:.0f} %", value / largest * 100) : std::string("–");
    };
    const std::vector<std::string> names = axesOf(session.header.plan, published);
    for (const PublishedRow& one : rows) {
        std::vector<std::string> cells;
        for (std::size_t i = 0; i < axes; ++i)
            cells.push_back(labelOf(one.cases, names[i]));
        cells.push_back(number(one.published));
        cells.push_back(one.own ? share(one.published, most) : "–");
        cells.push_back(one.own ? number(one.own->mean) : "–");
        cells.push_back(one.own ? share(one.own->mean, ownMost) : "–");
        text += report::row(cells);
    }
    return text;
}

} // namespace

std::vector<PublishedRow> publishedBeside(const StoredSession& session, const Published& published,
                                          const RunFigures& figures)
{
    const MeasureInfo* measure = findMeasure(published.measure);
    const bool higher = !measure || measure->higherIsBetter;
    const bool relative = !published.relativeTo.empty();
    const std::string axis = relative ? relativeAxisOf(session.header.plan, published) : std::string();
    const std::vector<PointSpec>& points = session.header.points;
    using Figures = std::map<int, std::vector<RunFigure>>; // by point
    std::map<std::string, Figures> byMeasure;
    const auto figuresOf = [&](const std::string& id) -> const Figures& {
        const auto [place, fresh] = byMeasure.try_emplace(id);
        if (!fresh)
            return place->second;
        const MeasureInfo* info = findMeasure(id);
        const std::vector<double> read =
            figures && info && info->fromIntervals ? figures(session, id) : std::vector<double>();
        for (std::size_t i = 0; i < session.runs.size(); ++i) {
            const StoredRun& run = session.runs[i];
            if (run.summary.status != RunStatus::Done)
                continue;
            auto figure = figureOfRun(run.summary, settingOf(session, run), id);
            if (!figure && i < read.size() && !std::isnan(read[i]))
                figure = RunFigure{read[i]};
            if (figure)
                place->second[run.summary.point].push_back(*figure);
        }
        return place->second;
    };
    std::vector<PublishedRow> rows;
    for (const PublishedValue& value : published.values) {
        PublishedRow row{value.cases, value.value, {}, {}};
        const std::string id = measureOfCases(published.measure, value.cases);
        const Figures& found = figuresOf(id);
        double best = 0;
        for (const auto& [point, runs] : found) {
            if (point < 0 || std::size_t(point) >= points.size() || !hasAllOf(points[std::size_t(point)], value.cases))
                continue;
            double whole = 100; // of what the figures are shown
            if (relative) {
                const auto beside =
                    found.find(pointBeside(session.header, points[std::size_t(point)], axis, published.relativeTo));
                whole = beside == found.end() ? 0 : figureOfPoint(beside->second, id).mean;
            }
            const Estimate own = figureOfPoint(runs, id);
            if (whole == 0 || (row.own && (higher ? own.mean <= best : own.mean >= best)))
                continue;
            best = own.mean;
            row.own = scaled(own, relative ? 100 / whole : 1);
            row.ownPoint = points[std::size_t(point)].label();
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::optional<double> publishedAt(const Published& published, const PivotRequest& request, const PivotCell& cell)
{
    // Percent of a case belong where the chart shows percent of that case, and amounts where it shows amounts.
    const bool relative = !published.relativeTo.empty();
    if (relative ? request.relativeTo != RelativeTo::Baseline || request.baseline != published.relativeTo
                 : request.relativeTo != RelativeTo::Nothing)
        return {};
    const auto isOfSeries = [&](const PublishedValue& value) {
        return !relative || std::ranges::find(value.cases, request.series, &CaseRef::axis) != value.cases.end();
    };
    const auto [base, part] = splitMeasure(request.measure);
    const bool byOperation = published.measure != request.measure; // a part of the measure is a case of the figures
    if (byOperation && (part.empty() || published.measure != base))
        return {};
    std::vector<CaseRef> cases;
    if (byOperation)
        cases.push_back({std::string(kOperationAxis), part});
    const auto add = [&cases](const std::string& axes, const std::string& label) {
        std::ranges::move(report::casesAlong(axes, label), std::back_inserter(cases));
    };
    add(request.x, cell.x);
    add(request.series, cell.series);
    add(request.facet, cell.facet);
    cases.insert(cases.end(), request.fixed.begin(), request.fixed.end());
    const std::vector<std::string> x = report::splitAxes(request.x);
    for (const PublishedValue& value : published.values) {
        const bool fits = std::all_of(value.cases.begin(), value.cases.end(), [&](const CaseRef& one) {
            return std::find(cases.begin(), cases.end(), one) != cases.end();
        });
        const bool saysX = std::all_of(x.begin(), x.end(), [&](const std::string& axis) {
            return std::any_of(value.cases.begin(), value.cases.end(),
                               [&](const CaseRef& one) { return one.axis == axis; });
        });
        const bool saysPart =
            !byOperation || std::ranges::find(value.cases, kOperationAxis, &CaseRef::axis) != value.cases.end();
        if (fits && saysX && saysPart && isOfSeries(value))
            return value.value;
    }
    return {};
}

std::string publishedTables(const StoredSession& session, const RunFigures& figures)
{
    std::string text;
    for (const Published& published : session.header.plan.published) {
        if (published.values.empty())
            continue;
        text += text.empty() ? "## Published figures\n\n" : "";
        text += fmt::format("{}{}{}. Another machine at another time{}.\n\n{}\n", escaped(published.source),
                            published.date.empty() ? "" : ", " + escaped(published.date),
                            published.hardware.empty() ? "" : ", on " + escaped(published.hardware),
                            published.relativeTo.empty()
                                ? ": compare the shape, not the height; shares are of the rows that both have"
                                : "",
                            tableOf(session, published, figures));
    }
    return text;
}

} // namespace dyno
