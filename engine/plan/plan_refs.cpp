// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/plan_refs.h>

#include "plan/plan_fields.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::string_view kJoin = " × ";

bool hasCase(const Plan& plan, std::string_view axis, std::string_view label)
{
    if (axis == "users")
        return std::ranges::any_of(plan.load.users, [label](int users) { return fmt::format("{}", users) == label; });
    return std::ranges::any_of(plan.axes, [&](const Axis& one) {
        return one.name == axis && std::ranges::find(one.cases, label, &Case::label) != one.cases.end();
    });
}

} // namespace

std::vector<std::string> axesIn(std::string_view axes)
{
    std::vector<std::string> names;
    while (!axes.empty()) {
        const std::size_t at = axes.find(kJoin);
        names.emplace_back(axes.substr(0, at));
        axes = at == std::string_view::npos ? std::string_view() : axes.substr(at + kJoin.size());
    }
    return names;
}

std::string relativeAxisOf(const Plan& plan, const Published& published)
{
    const auto isNamed = [&published](std::string_view axis) {
        return !published.values.empty() && std::ranges::all_of(published.values, [axis](const PublishedValue& value) {
            return std::ranges::find(value.cases, axis, &CaseRef::axis) != value.cases.end();
        });
    };
    for (const Axis& axis : plan.axes) {
        if (std::ranges::find(axis.cases, published.relativeTo, &Case::label) != axis.cases.end() && isNamed(axis.name))
            return axis.name;
    }
    const bool ofUsers = std::ranges::any_of(plan.load.users, [&published](int users) { return fmt::format("{}", users) == published.relativeTo; });
    return ofUsers && isNamed("users") ? "users" : "";
}

void forgetLostCases(Plan& plan, const Plan& before)
{
    const auto isLost = [&](std::string_view axis, std::string_view label) {
        return hasCase(before, axis, label) && !hasCase(plan, axis, label);
    };
    std::erase_if(plan.skips, [&](const Skip& skip) {
        return std::ranges::any_of(skip.cases, [&](const CaseRef& one) { return isLost(one.axis, one.label); });
    });
    // Ratios fall back to the first case that is left.
    for (View& view : plan.views) {
        if (isLost(view.series, view.baseline))
            view.baseline.clear();
    }
    std::erase_if(plan.published, [&](Published& published) {
        if (published.values.empty())
            return false;
        if (!published.relativeTo.empty() && isLost(relativeAxisOf(before, published), published.relativeTo))
            return true;
        std::erase_if(published.values, [&](const PublishedValue& value) {
            return std::ranges::any_of(value.cases, [&](const CaseRef& one) {
                return one.axis != "users" && isLost(one.axis, one.label); // figures of further numbers of users stay
            });
        });
        return published.values.empty();
    });
}

std::string withAxisCalled(std::string_view axes, std::string_view axis, std::string_view next)
{
    std::string text;
    for (const std::string& one : axesIn(axes)) {
        const std::string_view name = one == axis ? next : std::string_view(one);
        if (!name.empty())
            text += fmt::format("{}{}", text.empty() ? "" : kJoin, name);
    }
    return text;
}

} // namespace dyno
