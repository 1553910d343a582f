// SPDX-License-Identifier: GPL-3.0-or-later
// Where the curves of a pivot bend.
#include "report/pivot/knees.h"

#include "report/pivot/labels.h"

#include <dyno/analysis.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

//! The one number that the cases of this axis set: sizes of a cache. Empty where they set several or none.
std::vector<double> numbersSetBy(const Axis& axis, const std::vector<std::string>& labels)
{
    std::vector<double> values;
    for (const std::string& label : labels) {
        const auto found = std::ranges::find(axis.cases, label, &Case::label);
        if (found == axis.cases.end() || found->set.size() != 1 ||
            found->set.begin()->first != axis.cases.front().set.begin()->first)
            return {};
        const Value& value = found->set.begin()->second;
        if (const auto* integer = std::get_if<std::int64_t>(&value))
            values.push_back(double(*integer));
        else if (const auto* real = std::get_if<double>(&value))
            values.push_back(*real);
        else
            return {};
    }
    return values;
}

//! What x stands for: its labels where they are numbers, what its cases set, else places.
std::vector<double> valuesAlongX(const std::vector<StoredSession>& sessions, const Pivot& pivot)
{
    std::vector<double> values;
    if (pivot.numericX) {
        for (const std::string& x : pivot.xs)
            values.push_back(report::numberOf(x).value_or(0)); // numericX: it is one
        return values;
    }
    for (const StoredSession& session : sessions) {
        const auto axis = std::ranges::find(session.header.plan.axes, pivot.request.x, &Axis::name);
        if (axis == session.header.plan.axes.end() || axis->cases.empty() || axis->cases.front().set.empty())
            continue;
        if (values = numbersSetBy(*axis, pivot.xs); !values.empty())
            return values;
    }
    for (std::size_t i = 0; i < pivot.xs.size(); ++i)
        values.push_back(double(i));
    return values;
}

} // namespace

std::vector<Knee> report::kneesOf(const std::vector<StoredSession>& sessions, const Pivot& pivot)
{
    std::vector<Knee> knees;
    const std::vector<double> along = valuesAlongX(sessions, pivot);
    for (const std::string& facet : pivot.facets) {
        for (const std::string& series : pivot.series) {
            std::vector<std::pair<LinePoint, std::string>> found;
            for (std::size_t i = 0; i < pivot.xs.size(); ++i) {
                const PivotCell* cell = pivot.cell(pivot.xs[i], series, facet);
                if (!cell || cell->estimate.runs.empty())
                    continue;
                if (const double value = pivot.figure(*cell).value; std::isfinite(value))
                    found.emplace_back(LinePoint{along[i], value}, pivot.xs[i]);
            }
            std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first.x; });
            std::vector<LinePoint> points;
            for (const auto& [point, x] : found)
                points.push_back(point);
            if (const auto knee = findKnee(points))
                knees.push_back({found[*knee].second, series, facet});
        }
    }
    return knees;
}

std::string report::kneesText(const Pivot& pivot)
{
    std::string text;
    for (const Knee& knee : pivot.knees) {
        std::string of = knee.series;
        if (pivot.facets.size() > 1)
            of += (of.empty() ? "" : ", ") + knee.facet;
        text += fmt::format("{}{}{} = {}", text.empty() ? "Knee of the curve (Kneedle): " : "; ",
                            of.empty() ? of : of + " at ", pivot.request.x, knee.x);
    }
    return text.empty() && pivot.request.knee ? "Knee of the curve (Kneedle): none found."
           : text.empty()                     ? text
                                              : text + ".";
}

} // namespace dyno
