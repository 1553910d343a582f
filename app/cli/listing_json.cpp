// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/listing_json.h"

#include <dyno/followers.h>
#include <dyno/formula.h>
#include <dyno/load_phases.h>
#include <dyno/own_recipes.h>
#include <dyno/path.h>
#include <dyno/report.h>
#include <dyno/uri.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dyno::cli {

namespace {

using ListJson = nlohmann::ordered_json;

std::string documentOf(const ListJson& json)
{
    return json.dump(1, ' ', false, ListJson::error_handler_t::replace) + "\n";
}

ListJson valueJson(const Value& value)
{
    return std::visit([](const auto& one) { return ListJson(one); }, value);
}

const char* typeName(OptionType type)
{
    switch (type) {
    case OptionType::Bool:
        return "bool";
    case OptionType::Integer:
        return "integer";
    case OptionType::Real:
        return "real";
    case OptionType::Text:
        return "text";
    case OptionType::Choice:
        return "choice";
    case OptionType::Duration:
        return "duration";
    case OptionType::Bytes:
        return "bytes";
    }
    return "text";
}

ListJson optionJson(const OptionSpec& option)
{
    return {{"name", option.name},
            {"label", option.label},
            {"help", option.help},
            {"type", typeName(option.type)},
            {"default", valueJson(option.defaultValue)},
            {"unit", option.unit},
            {"minimum", option.minimum ? ListJson(*option.minimum) : ListJson()},
            {"maximum", option.maximum ? ListJson(*option.maximum) : ListJson()},
            {"choices", option.choices},
            {"asks_first", askingOf(option)}}; // "" = never
}

//! null for a time that is not known.
ListJson timeJson(std::int64_t ms)
{
    return ms > 0 ? ListJson(ms) : ListJson();
}

//! By its id: whether it is built in, or was saved or added here.
const char* originOf(const std::string& recipe)
{
    return recipe.starts_with(kSavedRecipe) ? "saved" : recipe.starts_with(kAddedRecipe) ? "added" : "program";
}

} // namespace

std::string askingOf(const OptionSpec& option)
{
    return option.risk.empty() ? std::string() : "in somebody else's plan, it can " + option.risk;
}

std::string askingOf(const KnobInfo& knob)
{
    if (std::string asking = askingOf(knob.option); !asking.empty())
        return asking;
    if (knob.scope == "server")
        return "in somebody else's plan, on a remote server and on a managed one that keeps other tables";
    if (knob.scope != "connection")
        return {};
    std::string values; // some ask only with another machine
    for (const std::string& choice : knob.option.choices) {
        Plan plan;
        plan.target.uri = knob.driver + "://user@db.example/test"; // no URI of an embedded driver
        plan.set["connection." + knob.option.name] = choice;
        if (!risksOf(plan).empty())
            values += (values.empty() ? "" : " or ") + choice;
    }
    return values.empty() ? values : fmt::format("in somebody else's plan, to another machine, when it is {}", values);
}

std::string measureForm(std::string_view id)
{
    const std::pair<std::string_view, std::string_view> parts[] = {
        {"counter", "NAME"}, {"exit_rate", "ROWS"}, {kFormulaMeasure, "TEXT"}};
    for (const auto& [base, part] : parts) {
        if (id == base)
            return fmt::format("{}:{}", base, part);
    }
    return std::string(id);
}

std::string driversJson()
{
    ListJson list = ListJson::array();
    for (const DriverInfo& driver : drivers())
        list.push_back(
            {{"id", driver.id}, {"name", driver.name}, {"target", driver.uriForm}, {"library", driver.library}});
    return documentOf({{"drivers", list}});
}

std::string driverJson(const UriForm& form)
{
    ListJson schemes = ListJson::array(), options = ListJson::array();
    for (const UriScheme& scheme : form.schemes)
        schemes.push_back({{"name", scheme.name}, {"product", scheme.product}, {"example", scheme.example}});
    for (const UriOption& option : form.options) {
        ListJson one = optionJson(option.spec);
        if (!option.means.empty())
            one["means"] = option.means;
        options.push_back(std::move(one));
    }
    return documentOf({{"driver", form.driver}, {"schemes", schemes}, {"uri_options", options}});
}

std::string workloadsJson(const std::vector<WorkloadInfo>& all, const std::vector<OwnWorkload>& own)
{
    ListJson list = ListJson::array();
    for (const WorkloadInfo& workload : all) {
        ListJson operations = ListJson::array(), params = ListJson::array();
        for (const OperationInfo& operation : workload.operations)
            operations.push_back(operation.name);
        for (const OptionSpec& option : workload.options)
            params.push_back(optionJson(option));
        list.push_back({{"id", workload.id},
                        {"name", workload.name},
                        {"purpose", toText(workload.purpose)},
                        {"summary", workload.summary},
                        {"description", workload.description},
                        {"source", workload.source},
                        {"drivers", driversFor(workload)},
                        {"operations", operations},
                        {"params", params}});
    }
    ListJson yours = ListJson::array();
    for (const OwnWorkload& one : own)
        yours.push_back({{"name", one.name}, {"summary", one.summary}, {"fault", one.fault}, {"text", one.text}});
    return documentOf({{"workloads", list}, {"own", yours}});
}

std::string knobsJson(const std::vector<KnobInfo>& all)
{
    ListJson list = ListJson::array();
    for (const KnobInfo& knob : all) {
        ListJson editions = ListJson::array();
        for (const KnobEdition& edition : knob.editions)
            editions.push_back({{"product", edition.product},
                                {"since", edition.since},
                                {"until", edition.until},
                                {"decides_at_start", edition.decides}});
        ListJson one = optionJson(knob.option);
        one["asks_first"] = askingOf(knob);
        one["driver"] = knob.driver;
        one["scope"] = knob.scope;
        one["path"] = knob.scope + "." + knob.option.name;
        one["change"] = knob.initialisation ? "new-data" : knob.restart ? "restart" : "running";
        one["safety"] = knob.safety;
        one["manual"] = knob.manual;
        one["worth_a_try"] = knob.values;
        one["editions"] = std::move(editions);
        list.push_back(std::move(one));
    }
    return documentOf({{"knobs", list}});
}

std::string recipesJson(const std::vector<RecipeInfo>& all, bool withPlans)
{
    ListJson list = ListJson::array();
    for (const RecipeInfo& recipe : all) {
        ListJson one = {{"id", recipe.id},       {"title", recipe.title},     {"summary", recipe.summary},
                        {"needs", recipe.needs}, {"minutes", recipe.minutes}, {"tags", recipe.tags},
                        {"sizes", recipe.sizes}, {"departs", recipe.departs}, {"origin", originOf(recipe.id)}};
        if (withPlans)
            one["plan"] = recipe.toml;
        list.push_back(std::move(one));
    }
    return documentOf({{"recipes", list}});
}

std::string experimentsJson()
{
    ListJson list = ListJson::array();
    for (const ExperimentInfo& one : experiments())
        list.push_back({{"id", one.id}, {"title", one.title}, {"recipes", one.recipes}, {"reason", one.reason}});
    return documentOf({{"experiments", list}});
}

std::string measuresJson()
{
    ListJson list = ListJson::array();
    for (const MeasureInfo& measure : measures()) {
        const char* needs = measure.needs == PriceNeed::CostPerHour ? "cost_per_hour"
                            : measure.needs == PriceNeed::Watts     ? "watts"
                                                                    : "";
        list.push_back({{"name", measureForm(measure.id)},
                        {"meaning", measure.label},
                        {"unit", measure.unit},
                        {"better", !measure.judged ? ListJson() : ListJson(measure.higherIsBetter ? "more" : "less")},
                        {"needs", needs}});
    }
    return documentOf({{"measures", list}});
}

std::string sessionsJson(const std::vector<SessionInfo>& sessions)
{
    ListJson list = ListJson::array();
    for (const SessionInfo& session : sessions)
        list.push_back({{"id", session.id},
                        {"title", session.title},
                        {"tags", session.tags},
                        {"notes", session.notes},
                        {"workload", session.workload},
                        {"target", redactUri(session.target)},
                        {"product", session.product},
                        {"source", session.source},
                        {"started_ms", timeJson(session.startedMs)},
                        {"finished_ms", timeJson(session.finishedMs)},
                        {"status", toText(session.status)},
                        {"reason", session.reason},
                        {"runs_done", session.runsDone},
                        {"runs_planned", session.runsPlanned},
                        {"archived", session.archived}});
    return documentOf({{"sessions", list}});
}

std::string libraryCheckJson(const std::string& file, const LibraryCheck& check)
{
    return documentOf({{"library", file},
                       {"sessions", check.sessions},
                       {"runs", check.runs},
                       {"bytes", check.bytes},
                       {"not_sealed", check.unsealed},
                       {"problems", check.problems}});
}

std::string planCheckJson(const std::string& name, const Faults& faults, const Plan* plan, const Expansion* expansion,
                          const std::vector<Risk>& risks)
{
    ListJson wrong = ListJson::array(), asks = ListJson::array(), points = ListJson::array();
    for (const Fault& fault : faults)
        wrong.push_back({{"where", fault.where},
                         {"line", fault.line},
                         {"column", fault.column},
                         {"what", fault.what},
                         {"remedy", fault.remedy}});
    for (const Risk& risk : risks)
        asks.push_back({{"key", risk.key}, {"what", toText(risk)}});
    ListJson document = {{"plan", name}, {"faults", wrong}};
    if (!plan || !expansion)
        return documentOf(document);
    for (const PointSpec& point : expansion->points) {
        ListJson cases = ListJson::object();
        for (const CaseRef& one : point.cases)
            cases[one.axis] = one.label;
        ListJson multiples = ListJson::object();
        for (const auto& [parameter, value] : multiplesOf(*plan, point))
            multiples[parameter] = integerOf({{parameter, value}}, parameter);
        ListJson followers = ListJson::object();
        for (const auto& [path, value] : followersOf(*plan, point))
            followers[path] = valueJson(value);
        points.push_back({{"cases", cases},
                          {"users", point.users()},
                          {"workload", point.workload.name},
                          {"target", redactUri(point.target.uri)},
                          {"multiples", multiples},
                          {"followers", followers}});
        if (point.target.path != kDirectPath)
            points.back()["path"] = point.target.path;
        if (!point.load.groups.empty())
            points.back()["all_users"] = point.allUsers();
        for (const LoadGroup& group : point.load.groups) {
            ListJson one = {
                {"name", group.name}, {"users", group.users.value_or(point.users())}, {"workload", group.workload}};
            if (group.pace.open())
                one["rate"] = group.pace.rate;
            points.back()["groups"].push_back(std::move(one));
        }
        for (const LoadPhase& phase : point.load.phases)
            points.back()["phases"].push_back({{"name", phase.name},
                                               {"seconds", phase.seconds},
                                               {"ramp_s", phase.rampSeconds},
                                               {"load", phaseText(point.load, phase)}});
    }
    document["title"] = plan->title;
    document["runs"] = expansion->runs.size();
    document["estimated_s"] = expansion->estimatedSeconds;
    document["estimated_bytes"] = expansion->estimatedBytes > 0 ? ListJson(expansion->estimatedBytes) : ListJson();
    document["needs_agreement"] = std::move(asks);
    document["points"] = std::move(points);
    return documentOf(document);
}

} // namespace dyno::cli
