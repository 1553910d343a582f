// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_fields.h"

#include "base/text.h"
#include "plan/field_values.h"
#include "plan/load_groups.h"
#include "plan/load_phases.h"
#include "plan/plan_keys.h"
#include "server/knobs/knob_guard.h"
#include <dyno/load_fields.h>
#include <dyno/path.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::array kKnobScopes{"server", "connection", "table", "host"};
constexpr std::string_view kOldLoadScope = "client"; //!< of load.executor and load.loops, in older plans

} // namespace

ScopedName splitScope(std::string_view key)
{
    const std::size_t dot = key.find('.');
    if (dot == std::string_view::npos)
        return {{}, key};
    const std::string_view scope = key.substr(0, dot);
    return {scope == kOldLoadScope ? "load" : scope, key.substr(dot + 1)};
}

bool isKnobScope(std::string_view scope)
{
    return std::find(kKnobScopes.begin(), kKnobScopes.end(), scope) != kKnobScopes.end();
}

const std::vector<std::string>& allScopes()
{
    static const std::vector<std::string> scopes{"target",   "server", "connection", "table",  "host",
                                                 "workload", "load",   "exporter",   "machine"};
    return scopes;
}

const std::vector<std::string>& targetFields()
{
    return planKeys("target");
}

Expected<void> setTargetField(TargetSpec& target, std::string_view name, const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    if (name == "uri") {
        if (!text)
            return badValue("a target's URI is text", "such as \"sqlite:data.db\"");
        target.uri = *text;
        return {};
    }
    if (name == "path") {
        const auto path = parsePath(text ? *text : toText(value));
        if (!path)
            return badValue(path.error().message, path.error().remedy);
        target.path = path->kind == TargetPath::Kind::Direct ? std::string(kDirectPath) : *text;
        return {};
    }
    if (name == "cost_per_hour")
        return putInto(target.price.costPerHour, realFrom(value, 0, kMaxPrice, " an hour; 0 when it is not known"));
    if (name == "watts")
        return putInto(target.price.watts, realFrom(value, 0, kMaxPrice, " W; 0 when they are not known"));
    if (name == "currency") {
        constexpr std::size_t kLongest = 12; // bytes: "$", "€", "EUR", "credits"
        if (!text || trimmed(*text).empty() || text->size() > kLongest)
            return badValue(fmt::format("\"{}\" is not a currency", toText(value)),
                            "a short name as it is to be shown, such as \"$\", \"€\" or \"CHF\"");
        target.price.currency = trimmed(*text);
        return {};
    }
    return badValue(fmt::format("there is no target.{}", name), suggestion(name, targetFields()));
}

const std::vector<std::string>& loadFieldNames()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const LoadField& field : loadFields())
            all.push_back(field.name);
        return all;
    }();
    return names;
}

Expected<int> usersFrom(const Value& value)
{
    const auto number = integerFrom(value, 1, kMaxUsers, " users");
    if (!number)
        return tl::unexpected(number.error());
    return int(*number);
}

Expected<PreparePolicy> prepareFrom(std::string_view text)
{
    return wordFrom(text,
                    std::array{PreparePolicy::Auto, PreparePolicy::Never, PreparePolicy::Always, PreparePolicy::Use});
}

double plannedWarmup(const LoadProfile& load)
{
    if (load.search.what != Search::What::Nothing)
        return 0; // each probe has its own
    return load.warmupUntilSteady ? std::min(load.warmupMaxSeconds, 2 * load.steady.windowSeconds) : load.warmupSeconds;
}

double plannedSeconds(const LoadProfile& load)
{
    const Search& search = load.search;
    if (search.what != Search::What::Nothing) {
        const double halves =
            std::log2(std::max(1.0, std::log(search.to / search.from) / std::log1p(search.precision)));
        return (2 + std::ceil(halves) + search.confirm) * search.probeSeconds + load.timeSeconds;
    }
    return plannedWarmup(load) + load.timeSeconds;
}

Expected<void> setLoadField(LoadProfile& load, std::string_view name, const Value& value)
{
    if (name == "time" && !load.phases.empty())
        return badValue("the measured time is the sum of the phases",
                        "remove it, or change load.phase.NAME.time of a phase");
    if (const LoadField* field = findLoadField(name))
        return field->set(load, value);
    if (const auto path = groupPathIn(name))
        return setInGroup(load, *path, value);
    if (const auto path = phasePathIn(name))
        return setInPhase(load, *path, value);
    return badValue(fmt::format("there is no load.{}", name), suggestion(name, loadFieldNames()));
}

Expected<void> applyToPoint(PointSpec& point, std::string_view key, const Value& value)
{
    const auto [scope, name] = splitScope(key);
    const auto put = [&, n = name](Settings& settings) -> Expected<void> {
        settings.insert_or_assign(std::string(n), value);
        return {};
    };
    if (scope == "server")
        return put(point.server);
    if (scope == "connection")
        return put(point.connection);
    if (scope == "table")
        return put(point.table);
    if (scope == "host")
        return put(point.host);
    if (scope == "load") {
        if (const LoadField* field = findLoadField(name); field && field->ofPlan)
            return badValue(fmt::format("load.{} holds for the whole plan", name), "write it under [load]");
        if (name == "users") {
            const auto one = usersFrom(value);
            if (!one)
                return tl::unexpected(one.error());
            point.load.users = {*one};
            return {};
        }
        return setLoadField(point.load, name, value);
    }
    if (scope == "target")
        return setTargetField(point.target, name, value);
    if (scope == "workload") {
        if (name != "name")
            return put(point.workload.params);
        const auto* text = std::get_if<std::string>(&value);
        if (!text)
            return badValue("a workload's name is text", "such as \"oltp_read_write\"");
        point.workload.name = *text;
        return {};
    }
    if (scope.empty())
        return badValue(fmt::format("\"{}\" has no scope", key),
                        fmt::format("write SCOPE.{}, with a scope of: {}", name, joined(allScopes())));
    return badValue(fmt::format("there is no scope \"{}\"", scope), suggestion(scope, allScopes()));
}

const OptionSpec* knobOption(std::string_view driver, std::string_view scope, std::string_view name)
{
    if (const KnobInfo* knob = findKnob(driver, scope, name))
        return &knob->option;
    if (scope != "connection")
        return nullptr;
    const DriverInfo* info = findDriver(driver);
    if (!info)
        return nullptr;
    const auto found = std::find_if(info->connection.begin(), info->connection.end(),
                                    [&](const OptionSpec& option) { return option.name == name; });
    return found == info->connection.end() ? nullptr : &*found;
}

std::vector<std::string> knobNames(std::string_view driver, std::string_view scope)
{
    std::vector<std::string> names;
    for (const KnobInfo& knob : knobs(driver)) {
        if (knob.scope == scope)
            names.push_back(knob.option.name);
    }
    return names;
}

bool takesFreeVariables(std::string_view driver, std::string_view scope)
{
    const DriverInfo* info = findDriver(driver);
    return info && info->freeVariables && (scope == "server" || scope == "connection");
}

std::string otherOwner(std::string_view driver, std::string_view scope, std::string_view name)
{
    if (knobOption(driver, scope, name))
        return {};
    const auto& all = knobCatalog();
    const auto owner = std::ranges::find_if(all, [&](const KnobInfo& knob) {
        return !knob.driver.empty() && knob.driver != driver && knob.scope == scope &&
               findKnob(knob.driver, scope, name) == &knob;
    });
    return owner == all.end() ? std::string() : owner->driver;
}

} // namespace dyno
