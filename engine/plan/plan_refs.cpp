// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/plan_refs.h>

#include "plan/plan_fields.h"
#include "server/knobs/knob_guard.h"

#include <dyno/uri.h>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
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

//! What answers at a target, as far as its URI tells.
struct Meets
{
    std::string driver, product; //!< product "": not known
    bool operator==(const Meets&) const = default;
};

Meets meetsOf(const std::string& uri)
{
    const auto target = parseUri(uri);
    return target ? Meets{target->driver, target->product} : Meets();
}

const std::string* targetOf(const Settings& settings)
{
    const auto found = settings.find("target.uri");
    return found == settings.end() ? nullptr : std::get_if<std::string>(&found->second);
}

//! All targets of the plan; those that cannot be read are left out.
std::vector<Meets> targetsOf(const Plan& plan)
{
    std::vector<Meets> targets{meetsOf(plan.target.uri)};
    if (const std::string* uri = targetOf(plan.set))
        targets.push_back(meetsOf(*uri));
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases) {
            if (const std::string* uri = targetOf(one.set))
                targets.push_back(meetsOf(*uri));
        }
    }
    std::erase(targets, Meets());
    return targets;
}

//! What a case that chooses its own target meets; all the others meet every target.
std::vector<Meets> targetsOf(const Case& one, const std::vector<Meets>& every)
{
    const std::string* uri = targetOf(one.set);
    return uri ? std::vector<Meets>{meetsOf(*uri)} : every;
}

bool isOfOthers(std::string_view key, const std::vector<Meets>& targets)
{
    const auto [scope, name] = splitScope(key);
    return isKnobScope(scope) && !targets.empty() && std::ranges::all_of(targets, [&](const Meets& target) {
               return !target.driver.empty() && !otherOwner(target.driver, scope, name).empty();
           });
}

using Setting = std::pair<std::string, Value>;

//! The setting of `targets` that means what this one of another driver means; nullopt when they have none in common.
std::optional<Setting> equivalentOf(std::string_view key, const Value& value, const std::vector<Meets>& targets)
{
    const auto [scope, name] = splitScope(key);
    const KnobInfo *knob = nullptr, *other = nullptr;
    for (const Meets& target : targets) {
        knob = findKnob(otherOwner(target.driver, scope, name), scope, name);
        const KnobInfo* here = knob ? equivalentKnob(*knob, target.driver, target.product) : nullptr;
        if (!here || (other && here != other))
            return {};
        other = here;
    }
    const auto meaning = other ? meaningOf(*knob, value) : std::nullopt;
    auto there = meaning ? valueMeaning(*other, *meaning) : std::nullopt;
    if (!there)
        return {};
    return Setting(fmt::format("{}.{}", other->scope, other->option.name), std::move(*there));
}

//! What belongs to others leaves the settings, and its equivalents come into them. Returns what left.
std::vector<std::string> replaceIn(Settings& settings, const std::vector<Meets>& targets)
{
    std::vector<std::string> gone;
    Settings there;
    for (const auto& [key, value] : settings) {
        if (!isOfOthers(key, targets))
            continue;
        gone.push_back(key);
        if (auto other = equivalentOf(key, value, targets))
            there.insert(std::move(*other));
    }
    for (const std::string& key : gone)
        settings.erase(key);
    settings.merge(there); // what the plan itself says of it counts
    return gone;
}

//! "1", or "innodb_doublewrite=off, sync_binlog=0" where the axis does not say what it is of.
std::string labelOf(const Case& one, const std::string& axis)
{
    std::string text;
    for (const auto& [key, value] : one.set) {
        const std::string_view name = splitScope(key).name;
        if (one.set.size() == 1 && name == axis)
            return toText(value);
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, toText(value));
    }
    return text;
}

//! What leaves combinations out, and what figures of others belong to.
template<class Change>
void eachReference(Plan& plan, const Change& change)
{
    for (Skip& skip : plan.skips)
        std::ranges::for_each(skip.cases, change);
    for (Published& published : plan.published) {
        for (PublishedValue& value : published.values)
            std::ranges::for_each(value.cases, change);
    }
}

//! An axis that is called as the knob it sets takes the name of the knob that it sets now.
void renameAfterKnob(Plan& plan, Axis& axis, const std::vector<std::string>& gone)
{
    const bool asKnob =
        std::ranges::any_of(gone, [&axis](const std::string& key) { return splitScope(key).name == axis.name; });
    if (!asKnob || axis.cases.empty() || axis.cases.front().set.size() != 1)
        return;
    const std::string name(splitScope(axis.cases.front().set.begin()->first).name);
    if (name == axis.name || std::ranges::find(plan.axes, name, &Axis::name) != plan.axes.end())
        return;
    for (View& view : plan.views) {
        for (std::string View::*axes : {&View::x, &View::series, &View::facet})
            view.*axes = withAxisCalled(view.*axes, axis.name, name);
    }
    eachReference(plan, [&](CaseRef& one) {
        if (one.axis == axis.name)
            one.axis = name;
    });
    axis.name = name;
}

//! The case gets the label; what names it goes on doing so.
void renameCase(Plan& plan, const Axis& axis, Case& one, const std::string& label)
{
    for (View& view : plan.views) {
        if (view.series == axis.name && view.baseline == one.label)
            view.baseline = label;
    }
    for (Published& published : plan.published) {
        if (published.relativeTo == one.label && relativeAxisOf(plan, published) == axis.name)
            published.relativeTo = label;
    }
    eachReference(plan, [&](CaseRef& reference) {
        if (reference.axis == axis.name && reference.label == one.label)
            reference.label = label;
    });
    one.label = label;
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
    const bool ofUsers = std::ranges::any_of(
        plan.load.users, [&published](int users) { return fmt::format("{}", users) == published.relativeTo; });
    return ofUsers && isNamed("users") ? "users" : "";
}

void forgetLostCases(Plan& plan, const Plan& before)
{
    const auto hasAxis = [](const Plan& one, std::string_view axis) {
        return std::ranges::find(one.axes, axis, &Axis::name) != one.axes.end();
    };
    // A published case that nobody can run here goes with its axis only.
    const auto isLost = [&](std::string_view axis, std::string_view label) {
        return (hasCase(before, axis, label) && !hasCase(plan, axis, label)) ||
               (hasAxis(before, axis) && !hasAxis(plan, axis));
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
    const std::vector<Meets> every = targetsOf(plan);
    for (const auto& [key, value] : plan.set) {
        if (isOfOthers(key, every))
            keys.insert(key);
    }
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases) {
            for (const auto& [key, value] : one.set) {
                if (isOfOthers(key, targetsOf(one, every)))
                    keys.insert(key);
            }
        }
    }
    return {keys.begin(), keys.end()};
}

std::vector<KnobEquivalent> knobsToCarryOver(const Plan& plan)
{
    std::map<std::string, std::string> found;
    const std::vector<Meets> every = targetsOf(plan);
    const auto look = [&found](const Settings& settings, const std::vector<Meets>& targets) {
        for (const auto& [key, value] : settings) {
            if (const auto other = isOfOthers(key, targets) ? equivalentOf(key, value, targets) : std::nullopt)
                found.emplace(key, other->first);
        }
    };
    look(plan.set, every);
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases)
            look(one.set, targetsOf(one, every));
    }
    std::vector<KnobEquivalent> list;
    for (const auto& [from, to] : found)
        list.push_back({from, to});
    return list;
}

void replaceKnobsOfOtherDrivers(Plan& plan)
{
    const Plan before = plan;
    const std::vector<Meets> every = targetsOf(plan);
    replaceIn(plan.set, every);
    for (PlanSize& size : plan.sizes) {
        std::vector<std::pair<std::string, std::string>> kept;
        for (const auto& [key, text] : size.fields) {
            if (!isOfOthers(key, every))
                kept.emplace_back(key, text);
            else if (const auto other = equivalentOf(key, parseValue(text), every))
                kept.emplace_back(other->first, toText(other->second));
        }
        size.fields = std::move(kept);
    }
    std::vector<std::string> left;
    for (Axis& axis : plan.axes) {
        // One case may set nothing: what the server has without being told.
        bool hasDefault = std::ranges::any_of(axis.cases, [](const Case& one) { return one.set.empty(); });
        std::vector<std::string> gone;
        std::vector<std::size_t> changed;
        std::vector<Case> kept;
        for (Case& one : axis.cases) {
            const Settings was = one.set;
            const std::vector<std::string> keys = replaceIn(one.set, targetsOf(one, every));
            gone.insert(gone.end(), keys.begin(), keys.end());
            const bool twice =
                !keys.empty() && !one.set.empty() && std::ranges::find(kept, one.set, &Case::set) != kept.end();
            if (twice || (!keys.empty() && one.set.empty() && std::exchange(hasDefault, true)))
                continue;
            const bool allNew =
                std::ranges::none_of(one.set, [&was](const auto& entry) { return was.contains(entry.first); });
            if (!one.set.empty() && allNew)
                changed.push_back(kept.size());
            kept.push_back(std::move(one));
        }
        axis.cases = std::move(kept);
        if (!gone.empty() && std::ranges::all_of(axis.cases, [](const Case& one) { return one.set.empty(); }))
            left.push_back(axis.name);
        renameAfterKnob(plan, axis, gone);
        for (const std::size_t i : changed) {
            Case& one = axis.cases[i];
            renameCase(plan, axis, one, labelOf(one, axis.name));
        }
    }
    std::erase_if(plan.axes, [&left](const Axis& axis) { return std::ranges::find(left, axis.name) != left.end(); });
    forgetLostCases(plan, before);
    for (View& view : plan.views) {
        for (const std::string& axis : left)
            leaveAxisOut(view, axis);
    }
}

} // namespace dyno
