// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/load_phases.h"

#include "base/text.h"
#include "plan/field_values.h"
#include "plan/load_groups.h"
#include "plan/plan_fields.h"
#include "workload/workload.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace dyno {

namespace {

constexpr std::string_view kPhasePrefix = "phase.";
constexpr std::string_view kGroupsOfPhase = "groups.";
constexpr std::size_t kLongestPhaseName = 32;
constexpr double kShortestPhase = 0.1; // seconds
constexpr std::string_view kWeights = "weights";
constexpr std::size_t kMostSections = 128;

bool isPhaseName(std::string_view name)
{
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const bool isNumber = name.find_first_not_of("0123456789") == std::string_view::npos; // a part of other measures
    return !isNumber && name.size() <= kLongestPhaseName && name.find_first_not_of(kLetters) == std::string_view::npos;
}

//! A number of users, or "25%" of them.
Expected<void> setPhaseUsers(PhasePace& pace, const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    if (!text || !text->ends_with('%')) {
        const auto users = integerFrom(value, 0, kMaxUsers, " users, or a share of them such as \"25%\"");
        if (!users)
            return tl::unexpected(users.error());
        pace.users = int(*users);
        pace.percent.reset();
        return {};
    }
    double percent = 0;
    const char* const end = text->data() + text->size() - 1;
    const auto read = std::from_chars(text->data(), end, percent);
    if (read.ec != std::errc() || read.ptr != end || !(percent >= 0 && percent <= 100))
        return badValue(fmt::format("\"{}\" is no share of the users", *text), "write 0% to 100%, such as \"25%\"");
    pace.percent = percent;
    pace.users.reset();
    return {};
}

Expected<void> setWeight(SectionWeights& weights, std::string_view section, const Value& value)
{
    const auto weight = integerFrom(value, 0, kMaxSectionWeight, "");
    if (!weight)
        return tl::unexpected(weight.error());
    if (section.empty())
        return badValue("a weight without the name of a section", "write weights = { read = 9, write = 1 }");
    if (weights.size() == kMostSections && !weights.contains(section))
        return badValue("there are too many sections", fmt::format("a workload has at most {}", kMostSections));
    weights.insert_or_assign(std::string(section), *weight);
    return {};
}

//! "read=9, write=1", which is one value of a case or a table's cell.
Expected<void> setWeights(PhasePace& pace, const Value& value)
{
    constexpr const char* kForm = "write \"read=9, write=1\", with the names of sections";
    const auto* text = std::get_if<std::string>(&value);
    if (!text)
        return badValue("weights are numbers by the names of sections", kForm);
    SectionWeights weights;
    for (std::string_view rest = trimmed(*text); !rest.empty();) {
        const std::string_view one = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        const std::size_t equals = one.find('=');
        const std::string_view name = trimmed(one.substr(0, equals));
        const std::string_view number = equals == std::string_view::npos ? "" : trimmed(one.substr(equals + 1));
        std::int64_t weight = 0;
        const auto read = std::from_chars(number.data(), number.data() + number.size(), weight);
        if (name.empty() || read.ec != std::errc() || read.ptr != number.data() + number.size())
            return badValue(fmt::format("\"{}\" is no weight of a section", trimmed(one)), kForm);
        if (weights.contains(name))
            return badValue(fmt::format("there are two weights of \"{}\"", name), kForm);
        if (const auto set = setWeight(weights, name, weight); !set)
            return set;
    }
    pace.weights = std::move(weights);
    return {};
}

bool isWeight(std::string_view field)
{
    return field.starts_with(kWeights) && field.substr(kWeights.size()).starts_with('.');
}

Expected<void> setPaceField(PhasePace& pace, std::string_view name, const Value& value)
{
    if (name == kWeights)
        return setWeights(pace, value);
    if (isWeight(name))
        return setWeight(pace.weights, name.substr(kWeights.size() + 1), value);
    if (name == "users")
        return setPhaseUsers(pace, value);
    if (name == "rate") {
        double rate = 0;
        if (const auto set = putInto(rate, realFrom(value, 0, kMaxRate, " a second")); !set)
            return set;
        pace.rate = rate;
        return {};
    }
    return badValue(fmt::format("a group has no field \"{}\" in a phase", name), suggestion(name, phaseGroupFields()));
}

//! A field of a phase, "groups.scans.rate": the group that it is of, none: the phase itself, and the field there.
struct PaceField
{
    std::optional<std::string> group;
    std::string_view field;
};
PaceField paceFieldIn(std::string_view name)
{
    if (!name.starts_with(kGroupsOfPhase))
        return {{}, name};
    name.remove_prefix(kGroupsOfPhase.size());
    const std::size_t dot = name.find('.');
    return {std::string(name.substr(0, dot)),
            dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1)};
}

//! One weight changes those that there are; alone it would switch all other sections off.
Expected<void> checkSingleWeight(const LoadPhase& phase, std::string_view name)
{
    const auto [group, field] = paceFieldIn(name);
    if (!isWeight(field))
        return {};
    const auto own = group ? phase.groups.find(*group) : phase.groups.end();
    const PhasePace* const pace = !group ? &phase.pace : own == phase.groups.end() ? nullptr : &own->second;
    if (pace && !pace->weights.empty())
        return {};
    return badValue(fmt::format("the phase \"{}\" has no weights{} yet: one alone would switch all other sections off",
                                phase.name, group ? fmt::format(" of the group \"{}\"", *group) : std::string()),
                    "give all of them in one text, such as weights = \"read=2, write=1\"");
}

std::vector<std::string> namesOfPhases(const std::vector<LoadPhase>& phases)
{
    std::vector<std::string> names;
    for (const LoadPhase& phase : phases)
        names.push_back(phase.name);
    return names;
}

//! Where the plan says something of a phase.
std::string placeOfPhase(const Plan& plan, std::string_view phase, std::string_view field)
{
    const auto found = std::ranges::find(plan.load.phases, phase, &LoadPhase::name);
    return fmt::format("load.phase[{}].{}", found - plan.load.phases.begin(), field);
}

constexpr const char* kShorterRamp = "give a shorter ramp or a longer time";

std::string longRamp(const LoadPhase& phase)
{
    return fmt::format("a ramp of {} s is longer than its phase of {} s", phase.rampSeconds, phase.seconds);
}

std::string shareText(const PhaseShare& share)
{
    std::string text = fmt::format("{} of {} {}", share.users, share.of, share.of == 1 ? "user" : "users");
    if (share.open)
        text += fmt::format(", {:g} a second", share.rate);
    if (!share.weights.empty())
        text += ", " + weightsText(share.weights);
    return text;
}

//! The workload of a point's group, or of all its users, with its parameters.
std::pair<std::string, const Settings*> workloadOf(const PointSpec& point, std::string_view group)
{
    const auto found = std::ranges::find(point.load.groups, group, &LoadGroup::name);
    if (found == point.load.groups.end())
        return {point.workload.name, &point.workload.params};
    return {found->workload.empty() ? point.workload.name : found->workload, &found->params};
}

//! What is wrong with the weights of a phase: the field, what, and what to do.
struct WrongWeights
{
    std::string field, what, remedy;
};
std::optional<WrongWeights> wrongWeights(const SectionWeights& weights, const std::string& workload,
                                         const Settings& params)
{
    if (weights.empty())
        return {};
    const std::vector<std::string> sections = sectionsOf(workload, params);
    if (sections.size() < 2)
        return WrongWeights{std::string(kWeights), workload + " has no sections whose weights could change here",
                            "remove it, or give the workload several: a script has one after each line \\transaction "
                            "NAME"};
    std::int64_t sum = 0;
    for (const auto& [name, weight] : weights) {
        if (std::ranges::find(sections, name) == sections.end())
            return WrongWeights{fmt::format("{}.{}", kWeights, name),
                                fmt::format("{} has no section \"{}\"", workload, name),
                                fmt::format("its sections are {}", fmt::join(sections, ", "))};
        sum += weight;
    }
    if (sum == 0)
        return WrongWeights{std::string(kWeights), "no section has a weight above 0",
                            "give one of them some, or users = 0 to the phase"};
    return {};
}

} // namespace

const PhasePace& paceIn(const LoadPhase& phase, std::string_view group)
{
    const auto own = phase.groups.find(group);
    return own == phase.groups.end() ? phase.pace : own->second;
}

int usersIn(const LoadPhase& phase, std::string_view group, int users)
{
    const PhasePace& pace = paceIn(phase, group);
    // A group that says its rate only: all of them, or the share that the phase has for everybody.
    const std::optional<double> percent = pace.percent ? pace.percent : pace.users ? std::nullopt : phase.pace.percent;
    if (pace.users)
        return std::min(*pace.users, users);
    return percent ? std::min(users, int(std::ceil(*percent / 100 * users - 1e-9))) : users;
}

double rateIn(const LoadPhase& phase, std::string_view group, const Arrival& pace, int users)
{
    if (!pace.open() || usersIn(phase, group, users) == 0)
        return 0;
    return paceIn(phase, group).rate.value_or(pace.rate);
}

std::string weightsText(const SectionWeights& weights)
{
    std::string text;
    for (const auto& [name, weight] : weights)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, weight);
    return text;
}

std::vector<std::string> sectionsOf(const std::string& workload, const Settings& params)
{
    const Workload* known = workloadFor(workload);
    return known ? known->sections(params) : std::vector<std::string>();
}

std::vector<PhaseShare> sharesIn(const LoadProfile& load, const LoadPhase& phase)
{
    std::vector<PhaseShare> shares;
    const int usual = load.users.empty() ? 1 : load.users.front();
    const auto add = [&](const std::string& group, const Arrival& pace, int users) {
        if (users > 0)
            shares.push_back({group, usersIn(phase, group, users), users, rateIn(phase, group, pace, users),
                              pace.open(), paceIn(phase, group).weights});
    };
    if (load.groups.empty())
        add({}, load.arrival, usual);
    for (const LoadGroup& group : load.groups)
        add(group.name, group.pace, group.users.value_or(usual));
    return shares;
}

bool changesLoad(const LoadProfile& load)
{
    const auto differ = [](const PhaseShare& one, const PhaseShare& other) {
        return one.users != other.users || one.rate != other.rate || one.weights != other.weights;
    };
    return std::ranges::any_of(load.phases, [&](const LoadPhase& phase) {
        const std::vector<PhaseShare> shares = sharesIn(load, phase), first = sharesIn(load, load.phases.front());
        return std::ranges::any_of(shares, [](const PhaseShare& one) { return one.users != one.of; }) ||
               !std::ranges::equal(shares, first, std::not_fn(differ));
    });
}

std::string phaseText(const LoadProfile& load, const LoadPhase& phase)
{
    std::string text;
    for (const PhaseShare& share : sharesIn(load, phase))
        text += fmt::format("{}{}{}", text.empty() ? "" : "; ", share.group.empty() ? "" : share.group + ": ",
                            shareText(share));
    return text;
}

std::vector<PhaseSpan> phaseSpans(const LoadProfile& load, std::int64_t measuredFromNs)
{
    std::vector<PhaseSpan> spans;
    std::int64_t from = measuredFromNs;
    for (const LoadPhase& phase : load.phases) {
        const std::int64_t to = from + std::int64_t(std::llround(phase.seconds * 1e9));
        spans.push_back({phase.name, from, to, std::int64_t(phase.rampSeconds * 1e9)});
        from = to;
    }
    return spans;
}

const std::vector<std::string>& phaseFields()
{
    static const std::vector<std::string> fields{"time", "ramp", "users", "rate", "weights"};
    return fields;
}

const std::vector<std::string>& phaseGroupFields()
{
    static const std::vector<std::string> fields{"users", "rate", "weights"};
    return fields;
}

Expected<void> setPhaseField(LoadPhase& phase, std::string_view name, const Value& value)
{
    if (name == "time")
        return putInto(phase.seconds, durationFrom(value, kShortestPhase, kMaxSeconds));
    if (name == "ramp")
        return putInto(phase.rampSeconds, durationFrom(value, 0, kMaxSeconds));
    if (const auto [group, field] = paceFieldIn(name); group) {
        PhasePace pace;
        if (const auto known = phase.groups.find(*group); known != phase.groups.end())
            pace = known->second;
        if (const auto set = setPaceField(pace, field, value); !set)
            return set;
        phase.groups.insert_or_assign(*group, pace);
        return {};
    }
    if (!isWeight(name) && std::ranges::find(phaseFields(), name) == phaseFields().end())
        return badValue(fmt::format("a phase has no field \"{}\"", name), suggestion(name, phaseFields()));
    return setPaceField(phase.pace, name, value);
}

Value phaseGroupField(const PhasePace& pace, std::string_view name)
{
    if (name == "rate")
        return pace.rate ? Value(*pace.rate) : Value(std::string());
    if (name == kWeights)
        return weightsText(pace.weights);
    if (pace.percent)
        return fmt::format("{}%", *pace.percent);
    return pace.users ? Value(std::int64_t(*pace.users)) : Value(std::string());
}

Value phaseField(const LoadPhase& phase, std::string_view name)
{
    if (name == "time")
        return phase.seconds;
    if (name == "ramp")
        return phase.rampSeconds > 0 ? Value(phase.rampSeconds) : Value(std::string());
    return phaseGroupField(phase.pace, name);
}

std::optional<PhasePath> phasePathIn(std::string_view loadField)
{
    if (!loadField.starts_with(kPhasePrefix))
        return {};
    loadField.remove_prefix(kPhasePrefix.size());
    const std::size_t dot = loadField.find('.');
    if (dot == std::string_view::npos)
        return PhasePath{loadField, {}};
    return PhasePath{loadField.substr(0, dot), loadField.substr(dot + 1)};
}

std::optional<PhasePath> phasePathOf(std::string_view key)
{
    const auto [scope, name] = splitScope(key);
    return scope == "load" ? phasePathIn(name) : std::nullopt;
}

Expected<void> setInPhase(LoadProfile& load, const PhasePath& path, const Value& value)
{
    const auto phase = std::ranges::find(load.phases, path.phase, &LoadPhase::name);
    if (phase == load.phases.end())
        return badValue(fmt::format("the plan has no phase \"{}\"", path.phase),
                        load.phases.empty() ? "add a [[load.phase]] of that name"
                                            : suggestion(path.phase, namesOfPhases(load.phases)));
    if (const auto one = checkSingleWeight(*phase, path.field); !one)
        return one;
    if (const auto set = setPhaseField(*phase, path.field, value); !set)
        return set;
    takePhaseTimes(load);
    return {};
}

void takePhaseTimes(LoadProfile& load)
{
    if (load.phases.empty())
        return;
    load.timeSeconds = 0;
    for (const LoadPhase& phase : load.phases)
        load.timeSeconds += phase.seconds;
}

Faults groupFaults(const std::vector<LoadGroup>& groups, const LoadPhase& phase)
{
    Faults faults;
    const auto fault = [&faults](std::string where, std::string what, std::string remedy) {
        faults.push_back({.where = std::move(where), .what = std::move(what), .remedy = std::move(remedy)});
    };
    if (!groups.empty() && phase.pace.users)
        fault("users", "a number of users applies to a whole run, but this plan has groups",
              "write groups = { GROUP = { users = … } }, or a share of each group such as \"25%\"");
    if (!groups.empty() && phase.pace.rate)
        fault("rate", "a rate applies to a whole run, but this plan has groups",
              "write groups = { GROUP = { rate = … } }");
    if (!groups.empty() && !phase.pace.weights.empty())
        fault(std::string(kWeights), "weights apply to a whole run, but this plan has groups",
              "write groups = { GROUP = { weights = { … } } }");
    std::vector<std::string> names;
    for (const LoadGroup& group : groups)
        names.push_back(group.name);
    for (const auto& [group, pace] : phase.groups) {
        if (std::ranges::find(names, group) == names.end())
            fault("groups." + group, fmt::format("the plan has no group \"{}\"", group),
                  names.empty() ? "write users and rate of the phase itself, or add a [[load.group]]"
                                : suggestion(group, names));
    }
    return faults;
}

Faults phaseFaults(const Plan& plan)
{
    Faults faults;
    if (plan.load.phases.empty())
        return faults;
    std::vector<std::string> names, groups;
    for (const LoadGroup& group : plan.load.groups)
        groups.push_back(group.name);
    double sum = 0;
    for (const LoadPhase& phase : plan.load.phases) {
        const std::string where = fmt::format("load.phase[{}]", names.size());
        const auto fault = [&](std::string_view field, std::string what, std::string remedy) {
            faults.push_back(
                {.where = fmt::format("{}.{}", where, field), .what = std::move(what), .remedy = std::move(remedy)});
        };
        if (!isPhaseName(phase.name))
            fault("name",
                  phase.name.empty() ? std::string("the phase has no name")
                                     : fmt::format("\"{}\" is no name of a phase", phase.name),
                  fmt::format("give name = \"…\", with letters, digits, _ and - only, at most {} of them, and no "
                              "number alone",
                              kLongestPhaseName));
        else if (std::ranges::find(names, phase.name) != names.end())
            fault("name", fmt::format("there are two phases called \"{}\"", phase.name), "choose another name");
        else if (std::ranges::find(groups, phase.name) != groups.end())
            fault("name", fmt::format("a group of users is called \"{}\" too", phase.name),
                  "choose another name: measures name both");
        names.push_back(phase.name);
        if (!(phase.seconds >= kShortestPhase && phase.seconds <= kMaxSeconds))
            fault("time",
                  phase.seconds == 0 ? std::string("the phase has no time")
                                     : fmt::format("{} s is no time of a phase", phase.seconds),
                  "give time = \"10s\" or another time");
        else if (phase.rampSeconds > phase.seconds)
            fault("ramp", longRamp(phase), kShorterRamp);
        for (Fault& one : groupFaults(plan.load.groups, phase))
            fault(one.where, std::move(one.what), std::move(one.remedy));
        sum += phase.seconds;
    }
    if (std::abs(sum - plan.load.timeSeconds) > 1e-6 && faults.empty() && plan.load.arrival.steps.empty())
        faults.push_back({.where = "load.time",
                          .what = fmt::format("the measured time is the sum of the phases, {} s", sum),
                          .remedy = "remove load.time, or change the times of the phases"});
    return faults;
}

bool haveRates(const std::vector<LoadPhase>& phases, std::string_view group)
{
    return !phases.empty() && std::ranges::all_of(phases, [group](const LoadPhase& phase) {
        return paceIn(phase, group).rate.has_value() || usersIn(phase, group, 1) == 0;
    });
}

Faults phaseFaults(const Plan& plan, const PointSpec& point)
{
    Faults faults;
    const LoadProfile& load = point.load;
    const std::string label = point.label();
    const std::string inPoint = label.empty() ? label : " in the point " + label; // of a plan with several
    const auto fault = [&faults](std::string where, std::string what, std::string remedy) {
        faults.push_back({.where = std::move(where), .what = std::move(what), .remedy = std::move(remedy)});
    };
    const auto excluded = [&fault](bool given, const char* field, const char* what) {
        if (given)
            fault(fmt::format("load.{}", field), what, "remove it, or the [[load.phase]] tables");
    };
    excluded(load.events > 0, "events", "the phases end at their times, not after a number of transactions");
    excluded(load.rows > 0, "rows", "the phases end at their times, not after a number of rows");
    excluded(load.search.what != Search::What::Nothing, "search", "a search looks for one load, and phases have many");
    excluded(!load.arrival.steps.empty(), "steps", "each phase has a rate of its own");
    excluded(load.arrival.rateTo > 0, "rate_to", "each phase has a rate of its own; ramp leads to it");
    excluded(load.stopAfterSteady > 0, "stop_when_steady", "the phases end at their times, steady or not");
    if (load.warms() && load.phases.front().rampSeconds > 0)
        fault(placeOfPhase(plan, load.phases.front().name, "ramp"),
              "the warm-up has the load of the first phase already", "remove this ramp, or the warm-up");
    const std::vector<OperationInfo> operations = operationsOf(point);
    int most = 0;
    for (const LoadPhase& phase : load.phases) {
        if (phase.rampSeconds > phase.seconds) // a case may change one of the two
            fault(placeOfPhase(plan, phase.name, "ramp"), longRamp(phase) + inPoint, kShorterRamp);
        if (std::ranges::find(operations, phase.name, &OperationInfo::name) != operations.end() && load.groups.empty())
            fault(placeOfPhase(plan, phase.name, "name"),
                  fmt::format("{} has an operation \"{}\"", point.workload.name, phase.name),
                  "choose another name: measures name both");
        for (const PhaseShare& share : sharesIn(load, phase)) {
            const PhasePace& pace = paceIn(phase, share.group);
            const auto at = [&](const std::string& field) {
                const bool own = phase.groups.contains(share.group);
                return placeOfPhase(plan, phase.name, own ? fmt::format("groups.{}.{}", share.group, field) : field);
            };
            const auto [workload, params] = workloadOf(point, share.group);
            if (const auto wrong = wrongWeights(pace.weights, workload, *params))
                fault(at(wrong->field), wrong->what + inPoint, wrong->remedy);
            if (pace.users && *pace.users > share.of)
                fault(at("users"),
                      fmt::format("{} users are more than the {} there are{}", *pace.users, share.of, inPoint),
                      share.group.empty()
                          ? "give load.users the largest number of all phases, or write a share such as "
                            "\"100%\""
                          : "give the group the largest number of all phases, or write a share such as "
                            "\"100%\"");
            if (pace.rate && !share.open)
                fault(at("rate"), "a closed loop has no rate: users begin when they are done",
                      share.group.empty() ? "write load.arrival = \"poisson\" or \"fixed\""
                                          : "write arrival = \"poisson\" or \"fixed\" in its [[load.group]]");
            else if (pace.rate && *pace.rate > 0 && share.users == 0)
                fault(at("rate"), "this phase has a rate but no users", "remove the rate, or give it users");
            most = std::max(most, share.users);
        }
    }
    if (most == 0 && faults.empty())
        fault(placeOfPhase(plan, load.phases.front().name, "users"), "no phase has any users" + inPoint,
              "give one of them some");
    return faults;
}

} // namespace dyno
