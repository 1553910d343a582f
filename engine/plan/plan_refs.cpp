// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/plan_refs.h>

#include "plan/plan_fields.h"
#include "server/knobs/knob_guard.h"

#include <dyno/formula.h>
#include <dyno/run_fields.h>
#include <dyno/uri.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace dyno {

namespace {

constexpr std::string_view kJoin = " × ";

//! The axes of a view ("a × b") with `axis` called `next`, or without it when `next` is empty.
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
    renameInRefs(plan, axis.name, {}, name);
    axis.name = name;
}

//! Makes the places of a verdict (View::verdictAt) follow; what names none of them stays as it is.
void renameInPlaces(std::string& places, const std::string& axis, const std::string& label, const std::string& next)
{
    std::vector<CaseRef> cases = casesIn(places);
    bool changed = false;
    for (CaseRef& one : cases) {
        if (one.axis != axis || (!label.empty() && one.label != label))
            continue;
        (label.empty() ? one.axis : one.label) = next;
        changed = true;
    }
    if (!changed)
        return;
    places.clear();
    for (const CaseRef& one : cases)
        places += fmt::format("{}{} = {}", places.empty() ? "" : "; ", one.axis, one.label);
}

bool isPlaceOfVerdict(std::string_view path)
{
    return path.starts_with("view.") && path.ends_with(".verdict_at");
}

//! Fields of a size that change or keep cases by name ("axis.NAME[LABEL].FIELD", "axis.NAME" = "LABEL;LABEL").
void forgetCasesOfSize(PlanSize& size, const std::vector<CaseRef>& lost)
{
    for (const CaseRef& gone : lost) {
        const std::string keeps = "axis." + gone.axis;
        const std::string changes = fmt::format("{}[{}].", keeps, gone.label);
        std::erase_if(size.fields, [&](auto& field) {
            auto& [path, value] = field;
            if (isPlaceOfVerdict(path))
                return std::ranges::any_of(casesIn(value), [&gone](const CaseRef& one) { return one == gone; });
            if (path != keeps)
                return path.starts_with(changes);
            std::vector<std::string> labels = caseLabelsIn(value);
            if (std::erase(labels, gone.label) > 0)
                value = fmt::format("{}", fmt::join(labels, ";"));
            return labels.empty();
        });
    }
}

//! Makes them follow an axis, or one of its cases (`label` not empty), to another name.
void renameInSize(PlanSize& size, const std::string& axis, const std::string& label, const std::string& next)
{
    const std::string keeps = "axis." + axis;
    const std::string changes = label.empty() ? keeps + "[" : fmt::format("{}[{}].", keeps, label);
    const std::string becomes = label.empty() ? fmt::format("axis.{}[", next) : fmt::format("{}[{}].", keeps, next);
    for (auto& [path, value] : size.fields) {
        if (isPlaceOfVerdict(path)) {
            renameInPlaces(value, axis, label, next);
        } else if (path.starts_with(changes)) {
            path.replace(0, changes.size(), becomes);
        } else if (path == keeps && label.empty()) {
            path = "axis." + next;
        } else if (path == keeps) {
            std::vector<std::string> labels = caseLabelsIn(value);
            std::ranges::replace(labels, label, next);
            value = fmt::format("{}", fmt::join(labels, ";"));
        }
    }
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
        if (isLost(view.series, view.verdict))
            view.verdict.clear();
        const std::vector<CaseRef> places = casesIn(view.verdictAt);
        if (std::ranges::any_of(places, [&](const CaseRef& one) { return isLost(one.axis, one.label); }))
            view.verdictAt.clear();
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
    std::vector<CaseRef> lost;
    for (const Axis& axis : before.axes) {
        for (const Case& one : axis.cases) {
            if (!hasCase(plan, axis.name, one.label))
                lost.push_back({axis.name, one.label});
        }
    }
    for (PlanSize& size : plan.sizes)
        forgetCasesOfSize(size, lost);
}

void renameLoadPart(Plan& plan, std::string_view kind, const std::string& name, const std::string& next)
{
    // What speaks of two by one name cannot follow one of them.
    const auto named = [&plan](const std::string& one) {
        return std::ranges::count(plan.load.phases, one, &LoadPhase::name) +
               std::ranges::count(plan.load.groups, one, &LoadGroup::name);
    };
    if (name.empty() || next.empty() || named(name) > 0 || named(next) > 1)
        return;
    const bool isGroup = kind == "group";
    const std::string own = fmt::format("load.{}.{}.", kind, name), ownNext = fmt::format("load.{}.{}.", kind, next);
    const std::string ofGroup = fmt::format(".groups.{}.", name); // of a phase
    const auto renamed = [&](std::string key) {
        // A size speaks of a case's setting as axis.NAME[LABEL].KEY.
        const std::size_t ofCase = key.starts_with("axis.") ? key.find("].load.") : std::string::npos;
        const std::size_t from = ofCase == std::string::npos ? 0 : ofCase + 2;
        const std::string_view setting = std::string_view(key).substr(from);
        const std::size_t at = setting.find(ofGroup);
        if (setting.starts_with(own))
            key.replace(from, own.size(), ownNext);
        else if (isGroup && setting.starts_with("load.phase.") && at != std::string_view::npos)
            key.replace(from + at, ofGroup.size(), fmt::format(".groups.{}.", next));
        return key;
    };
    const auto renameKeys = [&renamed](Settings& settings) {
        Settings set;
        for (const auto& [key, value] : settings)
            set.insert_or_assign(renamed(key), value);
        settings = std::move(set);
    };
    renameKeys(plan.set);
    for (Axis& axis : plan.axes) {
        for (Case& one : axis.cases)
            renameKeys(one.set);
    }
    // Of a measure's parts phases have those of throughput and times, groups those of operations too.
    const auto followed = [&](std::string measure) {
        const std::size_t colon = measure.find(':');
        const std::string_view base = std::string_view(measure).substr(0, colon);
        const RunField* field = colon == std::string::npos ? nullptr : findRunField(base);
        if (!field || field->parts != RunField::Parts::Operations ||
            (!isGroup && base != "tps" && base != "transactions" && !field->latency))
            return measure;
        const std::string_view part = std::string_view(measure).substr(colon + 1);
        if (part == name || (isGroup && part.starts_with(name + '.')))
            measure.replace(colon + 1, name.size(), next);
        return measure;
    };
    const auto follow = [&](std::string& measure) {
        const std::string start = fmt::format("{}:", kFormulaMeasure);
        if (!measure.starts_with(start)) {
            measure = followed(measure);
            return;
        }
        const auto formula = Formula::parse(measure.substr(start.size()));
        const auto speaks = [&](const std::string& one) { return followed(one) != one; };
        if (formula && std::ranges::any_of(formula->measures(), speaks)) // others stay as they are written
            measure = start + formula->renamed(followed, [](const std::string& label) { return label; });
    };
    for (View& view : plan.views)
        follow(view.measure);
    for (Published& published : plan.published)
        follow(published.measure);
    for (PlanSize& size : plan.sizes) {
        for (auto& [key, value] : size.fields) {
            if (key.starts_with("view.") && key.ends_with(".measure"))
                follow(value);
            key = renamed(key);
        }
    }
    for (LoadPhase& phase : plan.load.phases) {
        auto pace = isGroup ? phase.groups.extract(name) : decltype(phase.groups.extract(name))();
        if (!pace)
            continue;
        pace.key() = next;
        phase.groups.insert(std::move(pace));
    }
}

void renameInRefs(Plan& plan, const std::string& axis, const std::string& label, const std::string& next)
{
    const auto follow = [&](std::vector<CaseRef>& cases) {
        for (CaseRef& ref : cases) {
            if (ref.axis == axis && label.empty())
                ref.axis = next;
            else if (ref.axis == axis && ref.label == label)
                ref.label = next;
        }
    };
    for (Skip& skip : plan.skips)
        follow(skip.cases);
    for (View& view : plan.views) {
        if (!label.empty() && view.series == axis) {
            for (std::string* one : {&view.baseline, &view.verdict})
                *one = *one == label ? next : *one;
        }
        renameInPlaces(view.verdictAt, axis, label, next);
    }
    for (Published& figures : plan.published) {
        const bool ofAxis = std::ranges::any_of(figures.values, [&](const PublishedValue& value) {
            return std::ranges::find(value.cases, axis, &CaseRef::axis) != value.cases.end();
        });
        if (ofAxis && !label.empty() && figures.relativeTo == label)
            figures.relativeTo = next;
        for (PublishedValue& value : figures.values)
            follow(value.cases);
    }
    for (PlanSize& size : plan.sizes)
        renameInSize(size, axis, label, next);
    if (label.empty()) {
        for (View& view : plan.views) {
            for (std::string* field : {&view.x, &view.series, &view.facet})
                *field = withAxisCalled(*field, axis, next);
        }
    }
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
    for (std::string* label : {&view.baseline, &view.verdict, &view.verdictAt})
        label->clear(); // of what the series were
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
            const std::string label = labelOf(one, axis.name);
            if (!one.label.empty())
                renameInRefs(plan, axis.name, one.label, label);
            one.label = label;
        }
    }
    std::erase_if(plan.axes, [&left](const Axis& axis) { return std::ranges::find(left, axis.name) != left.end(); });
    forgetLostCases(plan, before);
    for (View& view : plan.views) {
        for (const std::string& axis : left)
            leaveAxisOut(view, axis);
    }
}

namespace {

//! All of it is a number: "1", "0.5", "-3".
bool isBareNumber(std::string_view label)
{
    double number = 0;
    const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
    return error == std::errc() && end == label.data() + label.size() && std::isfinite(number);
}

//! Not ON and OFF: beside NORMAL and FULL they are names like those.
bool isBareSwitch(std::string_view label)
{
    std::string lower(label);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    constexpr std::array kWords{"true", "false"};
    return std::ranges::find(kWords, lower) != kWords.end();
}

//! The axis has the plan author's own word, often one in the plural: "warehouses".
bool isPlural(std::string_view axis)
{
    const auto ends = [axis](std::string_view with) { return axis.ends_with(with); };
    return axis.size() > 4 && axis.find('_') == std::string_view::npos && ends("s") && !ends("ss") && !ends("us") &&
           !ends("is");
}

} // namespace

std::string wordsOfCase(const CaseRef& one)
{
    const bool number = isBareNumber(one.label);
    if (one.axis.empty() || !(number || isBareSwitch(one.label)))
        return one.label;
    if (!number || !isPlural(one.axis))
        return one.axis + "=" + one.label;
    if (one.label != "1")
        return one.label + " " + one.axis;
    const auto ends = [&one](std::string_view with) { return one.axis.ends_with(with); };
    if (ends("ies") || ends("xes") || ends("ches") || ends("shes")) // their singular is not a letter less
        return one.axis + "=1";
    return "1 " + one.axis.substr(0, one.axis.size() - 1);
}

} // namespace dyno
