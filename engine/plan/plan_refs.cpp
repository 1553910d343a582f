// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/plan_refs.h>

#include "plan/plan_fields.h"

#include <dyno/uri.h>

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

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

std::string driverOfUri(const std::string& uri)
{
    const auto target = parseUri(uri);
    return target ? target->driver : std::string();
}

const std::string* targetOf(const Settings& settings)
{
    const auto found = settings.find("target.uri");
    return found == settings.end() ? nullptr : std::get_if<std::string>(&found->second);
}

//! Drivers of all targets of the plan; those that cannot be read are left out.
std::vector<std::string> driversOf(const Plan& plan)
{
    std::vector<std::string> drivers{driverOfUri(plan.target.uri)};
    if (const std::string* uri = targetOf(plan.set))
        drivers.push_back(driverOfUri(*uri));
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases) {
            if (const std::string* uri = targetOf(one.set))
                drivers.push_back(driverOfUri(*uri));
        }
    }
    std::erase(drivers, std::string());
    return drivers;
}

//! What a case that chooses its own target meets; all the others meet every target.
std::vector<std::string> driversOf(const Case& one, const std::vector<std::string>& every)
{
    const std::string* uri = targetOf(one.set);
    return uri ? std::vector<std::string>{driverOfUri(*uri)} : every;
}

bool isOfOthers(std::string_view key, const std::vector<std::string>& drivers)
{
    const auto [scope, name] = splitScope(key);
    return isKnobScope(scope) && !drivers.empty() && std::ranges::all_of(drivers, [&](const std::string& driver) {
               return !driver.empty() && !otherOwner(driver, scope, name).empty();
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

void leaveAxisOut(View& view, const std::string& axis)
{
    if (!view.x.empty()) { // empty over time
        view.x = withAxisCalled(view.x, axis, {});
        view.x = view.x.empty() ? "users" : view.x;
    }
    view.facet = withAxisCalled(view.facet, axis, {});
    const std::string series = withAxisCalled(view.series, axis, {});
    if (series == view.series)
        return;
    view.series = series;
    view.baseline.clear(); // a label of what the series were
    if (series.empty() && view.relativeTo == RelativeTo::Baseline)
        view.relativeTo = RelativeTo::Nothing;
}

std::vector<std::string> knobsOfOtherDrivers(const Plan& plan)
{
    std::set<std::string> keys;
    const std::vector<std::string> every = driversOf(plan);
    for (const auto& [key, value] : plan.set) {
        if (isOfOthers(key, every))
            keys.insert(key);
    }
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases) {
            for (const auto& [key, value] : one.set) {
                if (isOfOthers(key, driversOf(one, every)))
                    keys.insert(key);
            }
        }
    }
    return {keys.begin(), keys.end()};
}

void removeKnobsOfOtherDrivers(Plan& plan)
{
    const Plan before = plan;
    const std::vector<std::string> every = driversOf(plan);
    std::erase_if(plan.set, [&](const auto& entry) { return isOfOthers(entry.first, every); });
    for (PlanSize& size : plan.sizes)
        std::erase_if(size.fields, [&](const auto& entry) { return isOfOthers(entry.first, every); });
    std::vector<std::string> gone;
    for (Axis& axis : plan.axes) {
        // One case may set nothing: what the server has without being told.
        bool hasDefault = std::ranges::any_of(axis.cases, [](const Case& one) { return one.set.empty(); });
        bool touched = false;
        std::vector<Case> kept;
        for (Case& one : axis.cases) {
            const std::vector<std::string> drivers = driversOf(one, every);
            const auto erased =
                std::erase_if(one.set, [&](const auto& entry) { return isOfOthers(entry.first, drivers); });
            const bool removed = erased > 0;
            touched = touched || removed;
            if (!removed || !one.set.empty() || !std::exchange(hasDefault, true))
                kept.push_back(std::move(one));
        }
        axis.cases = std::move(kept);
        if (touched && std::ranges::all_of(axis.cases, [](const Case& one) { return one.set.empty(); }))
            gone.push_back(axis.name);
    }
    std::erase_if(plan.axes, [&gone](const Axis& axis) { return std::ranges::find(gone, axis.name) != gone.end(); });
    forgetLostCases(plan, before);
    for (View& view : plan.views) {
        for (const std::string& axis : gone)
            leaveAxisOut(view, axis);
    }
}

} // namespace dyno
