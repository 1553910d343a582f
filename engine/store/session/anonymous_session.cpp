// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where in a stored session names can stand, and where our own words do: those stay, whatever a host is called.
#include "store/session/anonymizer.h"

#include "base/text.h"
#include "metrics/phase_events.h"
#include "metrics/printed_lines.h"
#include "metrics/server_answers.h"
#include "plan/exporters.h"
#include "plan/load_groups.h"
#include "plan/load_phases.h"
#include "plan/machines.h"
#include "plan/plan_fields.h"
#include "store/codec/session_codec.h"
#include "store/library/search_index.h"
#include "store/session/added_series.h"
#include "store/session/artefacts.h"
#include "store/session/observing_file.h"
#include "store/session/seals.h"
#include "store/session/snapshots_file.h"
#include "store/session/statements_file.h"
#include <dyno/catalog.h>
#include <dyno/followers.h>
#include <dyno/formula.h>
#include <dyno/path.h>
#include <dyno/stored_plan.h>
#include <dyno/view_fields.h>
#include <dyno/visible_text.h>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

namespace dyno {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostUnpacked = std::size_t(64) << 20; //!< of a kept piece; the importer makes them of 4 MiB
constexpr std::string_view kMeasure = "measure";             //!< of a view
constexpr std::string_view kLeftOut = "left out of an anonymous export\n";

struct Column
{
    std::string table, name;
    [[nodiscard]] std::string full() const { return table + "." + name; }
};

std::vector<Column> textColumns(Database& database)
{
    std::vector<Column> columns;
    Statement select(database, "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
                               " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND c.type = 'TEXT'"
                               " ORDER BY m.name, c.cid");
    while (select.row())
        columns.push_back({select.text(0), select.text(1)});
    return columns;
}

//! NAME=VALUE lines, with the names as the server's variables have them.
Settings settingsOfOptionFile(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r\"'";
    Settings settings;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t mark = line.find_first_of("=:");
        if (mark == std::string_view::npos)
            continue;
        std::string name(trimmed(line.substr(0, mark), kBlank));
        std::ranges::replace(name, '-', '_');
        settings.insert_or_assign(name, std::string(trimmed(line.substr(mark + 1), kBlank)));
    }
    return settings;
}

void learnPath(std::string_view text, Anonymizer& names)
{
    if (const auto path = parsePath(text))
        names.learnHost(path->address.host);
}

void learnPlan(const Plan& plan, Anonymizer& names)
{
    names.learnUri(plan.target.uri);
    learnPath(plan.target.path, names);
    Settings set = plan.set; // a machine may be called "hostname": its value is no list of hosts
    std::erase_if(set, [](const auto& one) { return splitScope(one.first).scope == kMachineScope; });
    names.learn(set);
    for (const Exporter& exporter : exportersOf(plan))
        names.learnHost(exporter.host);
    for (const Machine& machine : machinesOf(plan)) {
        names.learnHost(machine.to.host);
        names.learnUser(machine.to.user);
    }
    for (const Axis& axis : plan.axes) {
        for (const Case& one : axis.cases) {
            names.learn(one.set);
            if (const auto uri = one.set.find("target.uri"); uri != one.set.end())
                names.learnUri(toText(uri->second));
            if (const auto path = one.set.find(kPathKey); path != one.set.end())
                learnPath(toText(path->second), names);
        }
    }
}

//! The replacing of each kind of content.
class SessionNames
{
public:
    explicit SessionNames(Database& database);
    void learnAll();
    void replaceAll();

private:
    [[nodiscard]] std::string plain(std::string_view text) { return m_names.replaced(text); }
    [[nodiscard]] std::string axis(const std::string& name);
    [[nodiscard]] Value setting(std::string_view name, const Value& value);
    [[nodiscard]] std::string settingName(const std::string& name);
    [[nodiscard]] Settings settings(const Settings& given);
    [[nodiscard]] std::vector<CaseRef> cases(std::vector<CaseRef> given);
    //! Of a JSON text: strings of objects and lists; not keys, and not what stands under one of `kept`.
    void replaceStrings(Json& json, const std::set<std::string, std::less<>>& kept);
    [[nodiscard]] std::string jsonText(std::string_view text, const std::set<std::string, std::less<>>& kept);
    [[nodiscard]] std::string point(std::string_view text);
    [[nodiscard]] std::string view(std::string_view text);
    [[nodiscard]] std::string plan(std::string_view text);
    //! Keys of settings, operations and measures name them, and are replaced alike.
    void replaceGroups(LoadProfile& load);
    void replaceSections(PhasePace& pace);
    void replaceAxesOf(View& view);
    [[nodiscard]] std::string operation(std::string_view name);
    [[nodiscard]] std::string measure(const std::string& name);
    //! nullopt: not text, or too long when unpacked.
    [[nodiscard]] static std::optional<std::string> fileText(std::string_view mediaType, std::string_view content);
    [[nodiscard]] std::string statements(std::string_view text);
    [[nodiscard]] std::string observing(std::string_view text);
    void learnQueries(std::string_view originsText);
    [[nodiscard]] std::string addedName(std::string_view name);
    [[nodiscard]] std::string addedOrigins(std::string_view text);
    [[nodiscard]] std::string event(std::string_view text);
    void replaceFiles();

    Database& m_database;
    Anonymizer m_names;
    std::set<std::string, std::less<>> m_axes;      //!< of the session
    std::set<std::string, std::less<>> m_exporters; //!< and machines: names in its plan
    std::set<std::string, std::less<>> m_added;     //!< names of series that were read back
    //! Of those that are called after their query: its number, and its length in the name.
    std::map<std::string, std::pair<std::size_t, std::size_t>, std::less<>> m_queried;
    std::map<std::string, std::size_t, std::less<>> m_queries; //!< numbers of the queries, from 1
    std::set<std::string, std::less<>> m_operations;           //!< of the workloads of this build
    std::set<std::pair<std::string, std::string>> m_choices;   //!< name and value of options: words that name nobody
    std::set<std::string, std::less<>> m_settings;             //!< paths that others may follow, see <dyno/followers.h>
};

SessionNames::SessionNames(Database& database)
    : m_database(database)
{
    const auto addChoices = [this](const OptionSpec& option, const std::string& name) {
        for (const std::string& choice : option.choices)
            m_choices.emplace(lowered(name), lowered(choice));
    };
    for (const KnobInfo& knob : knobs()) {
        addChoices(knob.option, knob.option.name);
        m_settings.insert(fmt::format("{}.{}", knob.scope, knob.option.name));
        for (const KnobEdition& edition : knob.editions)
            addChoices(knob.option, edition.name);
    }
    for (const DriverInfo& driver : drivers()) {
        for (const OptionSpec& option : driver.connection)
            addChoices(option, option.name);
    }
    for (const WorkloadInfo& workload : workloads()) {
        for (const OptionSpec& option : workload.options)
            addChoices(option, option.name);
        for (const OperationInfo& one : workload.operations)
            m_operations.insert(one.name);
    }
}

//! Labels that name a machine: {instance="db1:9100"}, {instance="https://shop.example.org/"}.
static void learnLabels(std::string_view series, Anonymizer& names)
{
    for (const std::string_view label : {"instance=\"", "node=\"", "nodename=\"", "host=\"", "hostname=\""}) {
        for (std::size_t at = series.find(label); at != std::string_view::npos; at = series.find(label, at)) {
            at += label.size();
            std::string_view value = series.substr(at, series.find('"', at) - at);
            if (const std::size_t scheme = value.find("://"); scheme != std::string_view::npos)
                value.remove_prefix(scheme + 3);
            value = value.substr(0, value.find_first_of("/?#"));
            value.remove_prefix(value.rfind('@') + 1); // npos + 1 is 0
            names.learnHost(value.substr(0, value.rfind(':')));
        }
    }
}

//! Names in the event of another server that answers.
static std::vector<std::string_view> answeringNames(std::string_view text)
{
    std::vector<std::string_view> names;
    if (!text.starts_with(kAnotherAnswers))
        return names;
    text.remove_prefix(kAnotherAnswers.size());
    for (const std::string_view end : {kAndTakesWrites, kAndReadsOnly}) {
        if (text.ends_with(end))
            text.remove_suffix(end.size());
    }
    for (const std::string_view mark : {kAnswersAlike, kAnswersCalled}) {
        if (!text.starts_with(mark))
            continue;
        text.remove_prefix(mark.size());
        const std::size_t before = text.find(kAnsweredBefore);
        names.push_back(text.substr(0, before));
        if (before != std::string_view::npos)
            names.push_back(text.substr(before + kAnsweredBefore.size()));
        break;
    }
    return names;
}

//! "db2:3306", "db2": what learnHost() learns, or an address.
static bool isHostWithPort(std::string_view name)
{
    const auto isOfHost = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_';
    };
    const std::string_view host = name.substr(0, name.rfind(':'));
    return !host.empty() && std::ranges::all_of(host, isOfHost) &&
           std::ranges::all_of(name.substr(std::min(name.size(), host.size() + 1)),
                               [](char c) { return c >= '0' && c <= '9'; });
}

//! A query is any text: those who are called after it are called "query 1" instead.
void SessionNames::learnQueries(std::string_view originsText)
{
    for (const SeriesOrigin& origin : readOrigins(originsText)) {
        const std::size_t number = m_queries.emplace(origin.query, m_queries.size() + 1).first->second;
        const std::string query = visibleText(origin.query);
        const bool isMetric = std::ranges::all_of(query, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
        });
        for (const std::string& name : origin.names) {
            if (!isMetric && name.starts_with(query))
                m_queried.emplace(name, std::pair(number, query.size()));
        }
    }
}

void SessionNames::learnAll()
{
    Statement session(m_database, "SELECT host, plan FROM session");
    while (session.row()) {
        m_names.learnHost(codec::readHost(session.bytes(0)).name);
        const ParsedPlan parsed = parseStoredPlan(session.bytes(1), "plan");
        if (!parsed.plan)
            continue;
        learnPlan(*parsed.plan, m_names);
        for (const Exporter& exporter : exportersOf(*parsed.plan))
            m_exporters.insert(exporter.name);
        for (const Machine& machine : machinesOf(*parsed.plan))
            m_exporters.insert(machine.name);
    }
    Statement point(m_database, "SELECT spec FROM point");
    while (point.row()) {
        const PointSpec spec = codec::readPoint(point.bytes(0));
        m_names.learnUri(spec.target.uri);
        learnPath(spec.target.path, m_names);
        for (const Settings* settings : {&spec.server, &spec.connection, &spec.host})
            m_names.learn(*settings);
        for (const CaseRef& one : spec.cases)
            m_axes.insert(one.axis);
    }
    m_axes.erase("users");
    Statement added(m_database, "SELECT source, name FROM counter");
    while (added.row()) {
        const std::string source = added.text(0);
        if (!isAddedSource(source))
            continue;
        const std::string_view place = std::string_view(source).substr(addedSource({}).size());
        m_names.learnHost(place.substr(0, place.rfind(':')));
        m_exporters.insert(source);
        learnLabels(*m_added.insert(added.text(1)).first, m_names);
    }
    for (const char* sql : {"SELECT variables FROM fact_set", "SELECT effective FROM run"}) {
        Statement select(m_database, sql);
        while (select.row())
            m_names.learn(codec::readSettings(select.bytes(0)));
    }
    Statement file(m_database, "SELECT DISTINCT option_file FROM server_facts WHERE option_file IS NOT NULL");
    while (file.row())
        m_names.learn(settingsOfOptionFile(file.bytes(0)));
    for (const Column& column : textColumns(m_database)) {
        Statement select(m_database, fmt::format("SELECT \"{}\" FROM \"{}\"", column.name, column.table));
        while (select.row())
            m_names.learnFolders(select.bytes(0));
    }
    Statement kept(m_database, "SELECT media_type, content, name FROM artefact");
    while (kept.row()) {
        const auto text = fileText(kept.bytes(0), kept.bytes(1));
        if (!text)
            continue;
        m_names.learnFolders(*text);
        if (isAddedSeriesFile(kept.text(2)))
            learnQueries(*text);
    }
    // The server that takes over stands nowhere else.
    Statement event(m_database, "SELECT text FROM event");
    while (event.row()) {
        const std::string text = event.text(0);
        for (const std::string_view name : answeringNames(text)) {
            if (isHostWithPort(name))
                m_names.learnHost(name.substr(0, name.rfind(':')));
        }
    }
}

std::string SessionNames::axis(const std::string& name)
{
    return m_axes.contains(name) ? plain(name) : name;
}

Value SessionNames::setting(std::string_view name, const Value& value)
{
    const auto* text = std::get_if<std::string>(&value);
    if (!text || m_choices.contains({lowered(withoutScope(name)), lowered(*text)}) ||
        m_settings.contains(pathAfterSameAs(*text)))
        return value;
    if (const auto [scope, own] = splitScope(name); scope == kMachineScope) {
        // Name by name, so that it stays what a plan may say.
        if (auto machine = machineFrom(own, value)) {
            machine->to.user = plain(machine->to.user);
            machine->to.host = plain(machine->to.host);
            return machineSetting(machine->to);
        }
    }
    return plain(*text);
}

//! Names of groups and phases of the load stand in keys.
std::string SessionNames::settingName(const std::string& name)
{
    if (const auto [scope, own] = splitScope(name); scope == kExporterScope || scope == kMachineScope)
        return fmt::format("{}.{}", scope, plain(own));
    if (const auto path = groupPathOf(name))
        return fmt::format("load.group.{}.{}", plain(path->group), path->field);
    const auto path = phasePathOf(name);
    if (!path)
        return name;
    static constexpr std::string_view kOfGroups = "groups.", kOfWeights = "weights.";
    const auto fieldOfPace = [this](std::string_view field) {
        return field.starts_with(kOfWeights) ? fmt::format("{}{}", kOfWeights, plain(field.substr(kOfWeights.size())))
                                             : std::string(field);
    };
    const std::size_t dot = path->field.find('.', kOfGroups.size());
    if (!path->field.starts_with(kOfGroups) || dot == std::string_view::npos)
        return fmt::format("load.phase.{}.{}", plain(path->phase), fieldOfPace(path->field));
    return fmt::format("load.phase.{}.{}{}.{}", plain(path->phase), kOfGroups,
                       plain(path->field.substr(kOfGroups.size(), dot - kOfGroups.size())),
                       fieldOfPace(path->field.substr(dot + 1)));
}

Settings SessionNames::settings(const Settings& given)
{
    Settings result;
    for (const auto& [name, value] : given) {
        result.insert_or_assign(settingName(name), setting(name, value));
    }
    return result;
}

std::vector<CaseRef> SessionNames::cases(std::vector<CaseRef> given)
{
    for (CaseRef& one : given)
        one = {axis(one.axis), one.axis == "users" ? one.label : plain(one.label)};
    return given;
}

void SessionNames::replaceStrings(Json& json, const std::set<std::string, std::less<>>& kept)
{
    if (json.is_string()) {
        json = plain(json.get<std::string>());
    } else if (json.is_array()) {
        for (Json& one : json)
            replaceStrings(one, kept);
    } else if (json.is_object()) {
        for (const auto& [key, value] : json.items()) {
            if (!kept.contains(key))
                replaceStrings(value, kept);
        }
    }
}

std::string SessionNames::jsonText(std::string_view text, const std::set<std::string, std::less<>>& kept)
{
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_structured())
        return plain(text);
    replaceStrings(json, kept);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string SessionNames::point(std::string_view text)
{
    PointSpec spec = codec::readPoint(text);
    spec.cases = cases(std::move(spec.cases));
    spec.target.uri = plain(spec.target.uri);
    spec.target.path = plain(spec.target.path);
    if (!findWorkload(spec.workload.name))
        spec.workload.name = plain(spec.workload.name);
    for (Settings* part : {&spec.workload.params, &spec.server, &spec.connection, &spec.table, &spec.host})
        *part = settings(*part);
    replaceGroups(spec.load);
    return codec::write(spec);
}

void SessionNames::replaceSections(PhasePace& pace)
{
    const SectionWeights weights = std::exchange(pace.weights, {});
    for (const auto& [section, weight] : weights)
        pace.weights.insert_or_assign(plain(section), weight);
}

void SessionNames::replaceGroups(LoadProfile& load)
{
    for (LoadGroup& group : load.groups) {
        group.name = plain(group.name);
        if (!group.workload.empty() && !findWorkload(group.workload))
            group.workload = plain(group.workload);
        group.params = settings(group.params);
    }
    for (LoadPhase& phase : load.phases) {
        phase.name = plain(phase.name);
        replaceSections(phase.pace);
        const auto groups = std::exchange(phase.groups, {});
        for (const auto& [group, pace] : groups)
            replaceSections(phase.groups.insert_or_assign(plain(group), pace).first->second);
    }
}

void SessionNames::replaceAxesOf(View& view)
{
    for (const ViewField& field : viewFields()) {
        const Value value = field.value(view);
        if (field.name == kMeasure)
            (void)field.set(view, measure(std::get<std::string>(value)));
        else if (field.names == ViewField::Names::Axes)
            (void)field.set(view, axis(std::get<std::string>(value)));
        else if (field.names == ViewField::Names::Text)
            (void)field.set(view, plain(std::get<std::string>(value)));
    }
}

//! A kept view has the fields of View as its keys (see viewText()).
std::string SessionNames::view(std::string_view text)
{
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return plain(text);
    for (const ViewField& field : viewFields()) {
        const auto found = json.find(field.name);
        if (found == json.end() || !found->is_string())
            continue;
        if (field.name == kMeasure)
            *found = measure(found->get<std::string>());
        else if (field.names == ViewField::Names::Axes)
            *found = axis(found->get<std::string>());
        else if (field.names == ViewField::Names::Text)
            *found = plain(found->get<std::string>());
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string SessionNames::plan(std::string_view text)
{
    ParsedPlan parsed = parseStoredPlan(text, "plan");
    if (!parsed.plan) // of a workload or driver that this build lacks: whoever reads it goes by the points
        return plain(withoutFiles(text));
    Plan& plan = *parsed.plan;
    plan.title = plain(plan.title);
    plan.description = plain(plan.description);
    plan.target.uri = plain(plan.target.uri);
    plan.target.path = plain(plan.target.path);
    plan.workload.params = settings(plan.workload.params);
    plan.set = settings(plan.set);
    replaceGroups(plan.load);
    for (Axis& one : plan.axes) {
        one.name = axis(one.name);
        for (Case& value : one.cases) {
            value.label = plain(value.label);
            value.set = settings(value.set);
        }
    }
    for (Skip& skip : plan.skips)
        skip.cases = cases(std::move(skip.cases));
    for (Published& published : plan.published) {
        published.measure = measure(published.measure);
        published.source = plain(published.source);
        published.hardware = plain(published.hardware);
        published.relativeTo = plain(published.relativeTo);
        for (PublishedValue& value : published.values)
            value.cases = cases(std::move(value.cases));
    }
    for (View& view : plan.views)
        replaceAxesOf(view);
    for (std::string& one : plan.departs)
        one = plain(one);
    plan.files.clear(); // rows of a person's: any of them may name somebody
    plan.sizes.clear(); // one of them was run, and paths in them name axes and cases
    return writePlan(plan);
}

//! "tps:scans": behind the colon is an operation or a group of users; counters have the names that their server gives.
std::string SessionNames::measure(const std::string& name)
{
    const std::size_t colon = name.find(':'), slash = name.find('/');
    if (colon != std::string::npos && name.substr(0, colon) == kFormulaMeasure) {
        const auto formula = Formula::parse(name.substr(colon + 1));
        return std::string(kFormulaMeasure) + ":" +
               (formula ? formula->renamed([this](const std::string& one) { return measure(one); },
                                           [this](const std::string& label) { return plain(label); })
                        : plain(name.substr(colon + 1)));
    }
    if (name.starts_with("counter:") && slash != std::string::npos &&
        m_exporters.contains(name.substr(colon + 1, slash - colon - 1)))
        return plain(name.substr(0, slash + 1)) + addedName(name.substr(slash + 1));
    return colon == std::string::npos || name.starts_with("counter")
               ? name
               : name.substr(0, colon + 1) + operation(name.substr(colon + 1));
}

std::string SessionNames::operation(std::string_view name)
{
    if (m_operations.contains(name))
        return std::string(name);
    // Of a group of users: "scans.random_ranges" is no name of a host.
    const std::size_t dot = name.find('.');
    if (dot != std::string_view::npos && m_operations.contains(name.substr(dot + 1)))
        return plain(name.substr(0, dot)) + std::string(name.substr(dot));
    return plain(name);
}

std::optional<std::string> SessionNames::fileText(std::string_view mediaType, std::string_view content)
{
    std::optional<std::string> text = mediaType == kGzip ? unpacked(content, kMostUnpacked) : std::string(content);
    if (text && text->find('\0') != std::string::npos)
        text.reset();
    return text;
}

//! Sources of exporters and machines have the plan's names for them; a stranger's file has any words.
std::string SessionNames::observing(std::string_view text)
{
    ObservingCost cost = readObserving(text);
    for (ObservedSource& one : cost.sources) {
        for (std::string* word : {&one.source, &one.what})
            *word = isObservingWord(*word) ? *word : plain(*word);
    }
    return observingJson(cost);
}

std::string SessionNames::addedName(std::string_view name)
{
    const auto found = m_queried.find(name);
    if (found == m_queried.end())
        return plain(name);
    return fmt::format("query {}{}", found->second.first, plain(name.substr(found->second.second)));
}

std::string SessionNames::addedOrigins(std::string_view text)
{
    std::vector<SeriesOrigin> origins = readOrigins(text);
    for (SeriesOrigin& one : origins) {
        const auto number = m_queries.find(one.query);
        one.place = plain(one.place);
        one.query = number == m_queries.end() ? std::string("query") : fmt::format("query {}", number->second);
        for (std::string& name : one.names)
            name = addedName(name);
    }
    return originsJson(origins);
}

//! A server may be called anything: only names of hosts can be replaced. What a script printed may be anything too.
std::string SessionNames::event(std::string_view text)
{
    if (isFixedPhaseEvent(text))
        return std::string(text);
    if (text.starts_with(kPrintedByScript))
        return std::string(kPrintedByScript) + "(text removed)";
    if (std::ranges::all_of(answeringNames(text), isHostWithPort))
        return plain(text);
    const std::string_view role = text.ends_with(kAndTakesWrites) ? kAndTakesWrites
                                  : text.ends_with(kAndReadsOnly) ? kAndReadsOnly
                                                                  : std::string_view();
    return std::string(kAnotherAnswers) + std::string(role);
}

std::string SessionNames::statements(std::string_view text)
{
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return plain(text);
    replaceStrings(json, {"operation"});
    if (const auto plans = json.find("plans"); plans != json.end() && plans->is_array()) {
        for (Json& one : *plans) {
            if (one.is_object() && one.contains("operation") && one["operation"].is_string())
                one["operation"] = operation(one["operation"].get<std::string>());
        }
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

//! A share is called after its host, and so are mostly the volumes of a device mapper.
static std::string anonymousDisk(const DeviceFigures& device)
{
    constexpr std::string_view kDevices = "/dev/";
    const std::string_view source = device.source;
    if (!source.starts_with(kDevices))
        return source == device.fileSystem ? device.source : std::string();
    const auto isPlain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    };
    const std::string_view name = source.substr(kDevices.size());
    if (std::ranges::all_of(name, isPlain))
        return device.source;
    return name.starts_with("mapper/") ? "/dev/mapper" : std::string();
}

void SessionNames::replaceFiles()
{
    Statement select(m_database, "SELECT rowid, media_type, content, name FROM artefact");
    Statement update(m_database, "UPDATE artefact SET content = ? WHERE rowid = ?");
    while (select.row()) {
        const std::string mediaType = select.text(1);
        const auto text = fileText(mediaType, select.bytes(2));
        const std::string content = !text                               ? std::string(kLeftOut)
                                    : mediaType == "application/json"   ? jsonText(*text, {"format"})
                                    : isStatementsFile(select.text(3))  ? statements(*text)
                                    : isObservingFile(select.text(3))   ? observing(*text)
                                    : isSnapshotsFile(select.text(3))   ? anonymousSnapshots(*text)
                                    : isAddedSeriesFile(select.text(3)) ? addedOrigins(*text)
                                                                        : plain(*text);
        if (text && text->empty())
            continue;
        const std::string kept = content.empty() ? std::string(kLeftOut) : content; // nothing in it could be read
        update.blob(mediaType == kGzip ? packed(kept) : kept);
        update << select.integer(0);
        update.run();
    }
}

void SessionNames::replaceAll()
{
    using Call = std::function<std::string(std::string_view)>;
    const auto keep = [](std::string_view text) { return std::string(text); };
    const auto summary = [this](std::string_view text) {
        Json json = Json::parse(text, nullptr, false);
        if (!json.is_object())
            return plain(text);
        replaceStrings(json, {"status", "told", "operations"});
        if (const auto operations = json.find("operations"); operations != json.end() && operations->is_array()) {
            for (Json& one : *operations) {
                if (one.is_object() && one.contains("name") && one["name"].is_string())
                    one["name"] = operation(one["name"].get<std::string>());
            }
        }
        return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    const auto variables = [this](std::string_view text) { return codec::write(settings(codec::readSettings(text))); };
    const auto inForce = [this](std::string_view text) {
        std::optional<DeviceFigures> device = codec::readDevice(text);
        if (device) {
            device->folder.clear();
            device->source = anonymousDisk(*device);
        }
        return codec::write(settings(codec::readSettings(text)), device);
    };
    // What is not here is text that a person or a server wrote.
    const std::map<std::string, Call, std::less<>> calls = {
        {"session.id", keep},
        {"session.status", keep},
        {"session.writer_boot", keep},
        {"session.workload",
         [this](std::string_view text) { return findWorkload(text) ? std::string(text) : plain(text); }},
        {"session.host", [this](std::string_view text) { return jsonText(text, {}); }},
        {"session.plan", [this](std::string_view text) { return plan(text); }},
        {"point.spec", [this](std::string_view text) { return point(text); }},
        {"run.status", keep},
        {"run.effective", inForce},
        {"run.summary", summary},
        {"run.recorded_summary", summary},
        {"phase.phase", keep},
        {"op.name", [this](std::string_view text) { return operation(text); }},
        {"op.class", keep},
        {"interval.phase", keep},
        {"interval.errors", keep},
        {"counter.source",
         [this](std::string_view text) { return m_exporters.contains(text) ? plain(text) : std::string(text); }},
        // A server's names are words of its own; labels of an exporter's series may name hosts, and so may a query.
        {"counter.name",
         [this](std::string_view text) {
             const bool own = text.find('{') == std::string_view::npos && !m_added.contains(text);
             return own ? std::string(text) : m_added.contains(text) ? addedName(text) : plain(text);
         }},
        {"counter.unit", keep},
        {"event.kind", keep},
        {"event.text", [this](std::string_view text) { return event(text); }},
        {"fact_set.variables", variables},
        {"server_facts.moment", keep},
        {"data_part.kind", keep},
        {"artefact.media_type", keep},
        {"artefact.name",
         [this](std::string_view text) {
             return text == "import.json" || isStatementsFile(text) || isObservingFile(text) || isSnapshotsFile(text) ||
                            isAddedSeriesFile(text)
                        ? std::string(text)
                        : plain(text);
         }},
        {"view.text", [this](std::string_view text) { return view(text); }},
    };
    for (const Column& column : textColumns(m_database)) {
        const auto found = calls.find(column.full());
        const Call call = found == calls.end() ? [this](std::string_view text) { return plain(text); } : found->second;
        m_database.addFunction("anonymous", call);
        m_database.exec(
            fmt::format("UPDATE \"{0}\" SET \"{1}\" = anonymous(\"{1}\") WHERE \"{1}\" IS NOT anonymous(\"{1}\")",
                        column.table, column.name));
    }
    replaceFiles();
    // What they refer to goes with this object.
    m_database.addFunction("anonymous", keep);
}

} // namespace

Expected<void> anonymize(Database& database)
{
    Transaction transaction(database);
    database.exec("DELETE FROM session_setting");
    database.exec("DELETE FROM setting");
    Seals seals(database, database.number("SELECT key FROM session"));
    const std::vector<Seals::Held> held = seals.held();
    SessionNames names(database);
    names.learnAll();
    names.replaceAll();
    for (const Seals::Held& one : held) // what was damaged stays so
        seals.set(one.part, one.index, one.run);
    indexSessions(database);
    return transaction.commit();
}

} // namespace dyno
