// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/load_groups.h"
#include "plan/plan_fields.h"
#include <dyno/plan_refs.h>
#include <dyno/view_fields.h>

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

namespace {

Expected<void> refuse(std::string_view path, std::string message, std::string remedy)
{
    return fail({.kind = ErrorKind::BadInput,
                 .message = std::move(message),
                 .where = std::string(path),
                 .remedy = std::move(remedy)});
}

Expected<void> keepCases(Plan& plan, std::string_view path, std::string_view name, std::string_view value)
{
    std::vector<std::string> names;
    const Plan before = plan;
    for (Axis& axis : plan.axes) {
        names.push_back(axis.name);
        if (axis.name != name)
            continue;
        std::vector<std::string> known;
        for (const Case& one : axis.cases)
            known.push_back(one.label);
        const std::vector<std::string> wanted = caseLabelsIn(value);
        if (wanted.empty())
            return refuse(path, "no case is named",
                          "name the cases to keep, with ; between them: " + joined(known, ";"));
        for (const std::string& label : wanted) {
            if (std::find(known.begin(), known.end(), label) == known.end())
                return refuse(path, fmt::format("the axis \"{}\" has no case \"{}\"", name, label),
                              suggestion(label, known));
        }
        std::erase_if(axis.cases, [&](const Case& one) {
            return std::find(wanted.begin(), wanted.end(), one.label) == wanted.end();
        });
        forgetLostCases(plan, before);
        return {};
    }
    return refuse(path, fmt::format("the plan has no axis \"{}\"", name), suggestion(name, names));
}

//! "pool[IO-bound].server.x" = value: a field that a case sets already gets another value.
Expected<void> setCaseField(Plan& plan, std::string_view path, std::string_view name, std::string_view value)
{
    const std::size_t open = name.find('[');
    const std::size_t close = name.find("].", open);
    if (close == std::string_view::npos)
        return refuse(path, "the field of the case is missing", "write axis.NAME[LABEL].FIELD=VALUE");
    const std::string_view axisName = name.substr(0, open);
    const std::string_view label = name.substr(open + 1, close - open - 1);
    const std::string_view field = name.substr(close + 2);
    std::vector<std::string> axes, labels, fields;
    for (Axis& axis : plan.axes) {
        axes.push_back(axis.name);
        if (axis.name != axisName)
            continue;
        for (Case& one : axis.cases) {
            labels.push_back(one.label);
            if (one.label != label)
                continue;
            if (const auto found = one.set.find(field); found != one.set.end()) {
                found->second = parseValue(value);
                return {};
            }
            for (const auto& [key, old] : one.set)
                fields.push_back(key);
            return refuse(path, fmt::format("the case \"{}\" does not set {}", label, field),
                          suggestion(field, fields));
        }
        return refuse(path, fmt::format("the axis \"{}\" has no case \"{}\"", axisName, label),
                      suggestion(label, labels));
    }
    return refuse(path, fmt::format("the plan has no axis \"{}\"", axisName), suggestion(axisName, axes));
}

//! An axis that sets the field itself would silently win.
Expected<void> checkNotAnAxis(const Plan& plan, std::string_view path)
{
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases) {
            if (one.set.contains(path))
                return refuse(path, fmt::format("the axis \"{}\" sets it in its cases", axis.name),
                              fmt::format("keep some of the cases with axis.{}=LABEL;LABEL", axis.name));
        }
    }
    return {};
}

//! "Exit velocity.measure" = value: a size may ask for another part of a measure or of the time, and then another name
//! fits.
Expected<void> setViewField(Plan& plan, std::string_view path, std::string_view name, std::string_view value)
{
    const std::size_t dot = name.rfind('.');
    const ViewField* field = dot == std::string_view::npos ? nullptr : findViewField(name.substr(dot + 1));
    if (!field || !field->ofSizes)
        return refuse(path,
                      "only the measure, the name, the part of the time (from, to) and the place of the verdict "
                      "(verdict_at) of a view can be set",
                      "write view.NAME.measure=MEASURE");
    std::vector<std::string> names;
    for (View& view : plan.views) {
        if (view.name == name.substr(0, dot)) {
            if (const auto set = field->set(view, std::string(value)); !set)
                return refuse(path, set.error().message, set.error().remedy);
            return {};
        }
        names.push_back(view.name);
    }
    return refuse(path, fmt::format("the plan has no view \"{}\"", name.substr(0, dot)),
                  suggestion(name.substr(0, dot), names));
}

Expected<void> setWorkloadField(Plan& plan, std::string_view path, std::string_view name, std::string_view value)
{
    if (name == "name") {
        plan.workload.name = value;
    } else if (name == "prepare") {
        const auto policy = prepareFrom(value);
        if (!policy)
            return refuse(path, policy.error().message, policy.error().remedy);
        plan.workload.prepare = *policy;
    } else if (name == "cleanup") {
        const Value flag = parseValue(value);
        if (!std::holds_alternative<bool>(flag))
            return refuse(path, fmt::format("\"{}\" is neither true nor false", value), "give true or false");
        plan.workload.cleanup = std::get<bool>(flag);
    } else {
        plan.set.erase(std::string(path));
        plan.workload.params.insert_or_assign(std::string(name), parseValue(value));
    }
    return {};
}

} // namespace

std::vector<CaseRef> casesIn(std::string_view text)
{
    std::vector<CaseRef> cases;
    for (const std::string& one : caseLabelsIn(text)) {
        if (const std::size_t at = one.find(" = "); at != std::string::npos)
            cases.push_back({one.substr(0, at), one.substr(at + 3)});
    }
    return cases;
}

std::vector<std::string> caseLabelsIn(std::string_view text)
{
    std::vector<std::string> labels;
    while (true) {
        const std::size_t end = text.find(';');
        std::string_view one = text.substr(0, end);
        while (!one.empty() && one.front() == ' ')
            one.remove_prefix(1);
        while (!one.empty() && one.back() == ' ')
            one.remove_suffix(1);
        if (!one.empty())
            labels.emplace_back(one);
        if (end == std::string_view::npos)
            return labels;
        text.remove_prefix(end + 1);
    }
}

Expected<void> setField(Plan& plan, std::string_view path, std::string_view value)
{
    // A parameter as a plan's file writes it and as faults name it.
    constexpr std::string_view kParams = "workload.params.";
    if (path.starts_with(kParams) && path.size() > kParams.size())
        return setField(plan, fmt::format("workload.{}", path.substr(kParams.size())), value);
    if (path == "title") {
        plan.title = value;
        return {};
    }
    if (path == "description") {
        plan.description = value;
        return {};
    }
    const auto [scope, name] = splitScope(path);
    if (scope == "axis") {
        if (name == "users")
            return setField(plan, "load.users", value);
        if (name.find('[') != std::string_view::npos)
            return setCaseField(plan, path, name, value);
        return keepCases(plan, path, name, value);
    }
    if (scope == "view")
        return setViewField(plan, path, name, value);
    if (scope.empty() || std::find(allScopes().begin(), allScopes().end(), scope) == allScopes().end()) {
        std::vector<std::string> known = allScopes();
        known.insert(known.end(), {"axis", "view"});
        return refuse(path, scope.empty() ? "this field has no scope" : fmt::format("there is no scope \"{}\"", scope),
                      scope.empty() ? "write SCOPE.NAME=VALUE, with a scope of: " + joined(known)
                                    : suggestion(scope, known));
    }
    if (name.empty())
        return refuse(path, "the name of the field is missing", "write SCOPE.NAME=VALUE");
    if (const auto free = checkNotAnAxis(plan, path); !free)
        return free;
    if (scope == "target") {
        if (const auto set = setTargetField(plan.target, name, std::string(value)); !set)
            return refuse(path, set.error().message, set.error().remedy);
        plan.set.erase(std::string(path));
        return {};
    }
    if (scope == "workload")
        return setWorkloadField(plan, path, name, value);
    if (scope == "load") {
        const Plan before = plan;
        const auto ofGroup = groupPathIn(name);
        const Value given = ofGroup && !ofGroup->parameter().empty() ? parseValue(value) : Value(std::string(value));
        if (const auto set = setLoadField(plan.load, name, given); !set)
            return refuse(path, set.error().message, set.error().remedy);
        forgetLostCases(plan, before);
        plan.set.erase(std::string(path));
        return {};
    }
    plan.set.insert_or_assign(std::string(path), parseValue(value));
    return {};
}

Expected<void> applySize(Plan& plan, std::string_view size)
{
    std::vector<std::string> names;
    for (const PlanSize& one : plan.sizes) {
        names.push_back(one.name);
        if (one.name != size)
            continue;
        Plan changed = plan;
        for (const auto& [path, value] : one.fields) {
            if (auto set = setField(changed, path, value); !set)
                return set;
        }
        changed.sizes.clear();
        plan = std::move(changed);
        return {};
    }
    return refuse("size", fmt::format("there is no size \"{}\"", size),
                  names.empty() ? "this plan has one size only: leave --size out" : suggestion(size, names));
}

} // namespace dyno
