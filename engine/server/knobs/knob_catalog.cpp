// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/knobs/knob_catalog.h"

#include "driver/driver.h"
#include "embedded.h"
#include "server/knobs/knob_guard.h"
#include "server/lifecycle/server_recipe.h"

#include <dyno/topics.h>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <toml++/toml.h>

namespace dyno {

namespace {

constexpr std::array<std::pair<std::string_view, OptionType>, 7> kTypes = {{
    {"bool", OptionType::Bool},
    {"integer", OptionType::Integer},
    {"real", OptionType::Real},
    {"text", OptionType::Text},
    {"choice", OptionType::Choice},
    {"duration", OptionType::Duration},
    {"bytes", OptionType::Bytes},
}};
constexpr std::array<std::string_view, 3> kScopes = {"server", "table", "host"};
constexpr std::array<std::string_view, 29> kKnobKeys = {
    "scope",       "name",  "label",   "help",           "type",         "default", "unit",   "minimum",   "maximum",
    "choices",     "group", "restart", "initialisation", "affects_data", "safety",  "manual", "values",    "editions",
    "replacement", "risk",  "topic",   "meaning",        "means",        "scale",   "waits",  "only_with", "cache_of",
    "part_of",     "part"};
constexpr std::array<std::string_view, 7> kEditionKeys = {"product", "since",   "until",  "name",
                                                          "restart", "default", "decides"};
constexpr std::array<std::string_view, 13> kNoteKeys = {"scope",  "name",   "restart",  "initialisation", "safety",
                                                        "manual", "values", "topic",    "meaning",        "means",
                                                        "scale",  "waits",  "only_with"};
constexpr std::array<std::string_view, 3> kNeverKeys = {"reason", "names", "except"};
constexpr std::array<std::string_view, 4> kMovesKeys = {"set", "moved", "above", "factor"};
constexpr std::array<std::string_view, 16> kVariablesKeys = {
    "state",    "data_folder",  "program_folder", "written",       "log_written", "log_engines",
    "ingested", "stored",       "stored_engines", "storage_reads", "slow",        "hosts",
    "users",    "host_options", "change_log",     "prefixes"};

//! One table of a catalogue, such as [[knob]], and where faults in it go.
class Entry
{
public:
    Entry(const toml::table& table, std::string where, Faults& faults)
        : m_table(table)
        , m_where(std::move(where))
        , m_faults(faults)
    {
    }

    void fault(std::string_view key, std::string what, std::string remedy) const
    {
        const toml::node* node = m_table.get(key);
        const toml::source_region& at = node ? node->source() : m_table.source();
        m_faults.push_back({.where = fmt::format("{}.{}", m_where, key),
                            .line = int(at.begin.line),
                            .column = int(at.begin.column),
                            .what = std::move(what),
                            .remedy = std::move(remedy)});
    }
    [[nodiscard]] int line() const { return int(m_table.source().begin.line); }
    [[nodiscard]] bool has(std::string_view key) const { return m_table.contains(key); }
    //! Calls `use` with an Entry of each table in the list `key`.
    template<class Use>
    void each(std::string_view key, const Use& use) const
    {
        const toml::node* node = m_table.get(key);
        if (!node)
            return;
        const toml::array* array = node->as_array();
        if (!array || !array->is_homogeneous<toml::table>()) {
            fault(key, "is not a list of tables", fmt::format("write {} = [ {{ … }}, {{ … }} ]", key));
            return;
        }
        std::size_t index = 0;
        for (const toml::node& item : *array)
            use(Entry(*item.as_table(), fmt::format("{}.{}[{}]", m_where, key, index++), m_faults));
    }

    [[nodiscard]] std::string text(std::string_view key, bool required = false) const
    {
        const toml::node* node = m_table.get(key);
        if (!node) {
            if (required)
                fault(key, "is missing", "add it");
            return {};
        }
        if (const auto value = node->value<std::string>(); value && node->is_string())
            return *value;
        fault(key, "is not a text", "put it in quotes");
        return {};
    }
    [[nodiscard]] bool flag(std::string_view key) const
    {
        const toml::node* node = m_table.get(key);
        if (!node)
            return false;
        if (const auto* value = node->as_boolean())
            return value->get();
        fault(key, "is not true or false", "write true or false");
        return false;
    }
    [[nodiscard]] std::optional<double> number(std::string_view key) const
    {
        const toml::node* node = m_table.get(key);
        if (!node)
            return {};
        if (node->is_number())
            return node->value<double>();
        fault(key, "is not a number", "write a number");
        return {};
    }
    [[nodiscard]] std::vector<std::string> texts(std::string_view key) const
    {
        std::vector<std::string> result;
        const toml::node* node = m_table.get(key);
        if (!node)
            return result;
        if (const auto* array = node->as_array()) {
            for (const toml::node& item : *array) {
                if (const auto* value = item.as_string())
                    result.push_back(value->get());
                else
                    fault(key, "holds something that is not a text", "put each choice in quotes");
            }
        } else {
            fault(key, "is not a list", "write [\"A\", \"B\"]");
        }
        return result;
    }
    [[nodiscard]] std::optional<Value> value(std::string_view key) const
    {
        const toml::node* node = m_table.get(key);
        if (!node)
            return {};
        if (const auto* flagNode = node->as_boolean())
            return Value(flagNode->get());
        if (const auto* integer = node->as_integer())
            return Value(std::int64_t(integer->get()));
        if (const auto* real = node->as_floating_point())
            return Value(real->get());
        if (const auto* words = node->as_string())
            return Value(words->get());
        fault(key, "is not a value", "write a text, a number, true or false");
        return {};
    }
    template<class Keys>
    void checkKeys(const Keys& known) const
    {
        for (const auto& [key, node] : m_table) {
            if (std::find(known.begin(), known.end(), key.str()) == known.end())
                fault(key.str(), "is not known here", fmt::format("known: {}", fmt::join(known, ", ")));
        }
    }

private:
    const toml::table& m_table;
    std::string m_where;
    Faults& m_faults;
};

Value emptyValueOf(OptionType type)
{
    switch (type) {
    case OptionType::Bool:
        return false;
    case OptionType::Integer:
    case OptionType::Bytes:
        return std::int64_t(0);
    case OptionType::Real:
    case OptionType::Duration:
        return 0.0;
    case OptionType::Text:
    case OptionType::Choice:
        break;
    }
    return std::string();
}

bool isVersion(std::string_view text)
{
    return !text.empty() && text.front() != '.' && text.back() != '.' &&
           text.find_first_not_of("0123456789.") == std::string_view::npos;
}

//! topic, meaning, means, scale, waits and only_with, of a knob or a note.
template<class To>
void readMeaning(const Entry& entry, To& to)
{
    to.topic = entry.text("topic");
    if (!to.topic.empty() && topicPlace(to.topic) == kSettingTopics.size()) {
        std::vector<std::string_view> ids;
        for (const SettingTopic& topic : kSettingTopics)
            ids.push_back(topic.id);
        entry.fault("topic", fmt::format("\"{}\" is not a topic", to.topic),
                    fmt::format("one of {}", fmt::join(ids, ", ")));
    }
    to.waits = entry.flag("waits");
    to.onlyWith = entry.text("only_with");
    to.meaning = entry.text("meaning");
    to.scale = entry.number("scale").value_or(0);
    for (const std::string& text : entry.texts("means")) {
        const std::size_t at = text.find(": ");
        if (at == std::string::npos)
            entry.fault("means", fmt::format("\"{}\" has no value", text), "write \"VALUE: what it means\"");
        else
            to.means.emplace_back(text.substr(0, at), text.substr(at + 2));
    }
    if (to.meaning.empty() && (!to.means.empty() || to.scale != 0))
        entry.fault("means", "belongs to a meaning", "say what the knob decides: meaning = \"sync at commit\"");
}

KnobEdition readEdition(const Entry& entry, const OptionSpec& option)
{
    entry.checkKeys(kEditionKeys);
    KnobEdition edition;
    edition.product = entry.text("product", true);
    if (!recipeFor(edition.product))
        entry.fault("product", fmt::format("\"{}\" is not a product", edition.product),
                    fmt::format("one of {}", fmt::join(managedProducts(), ", ")));
    for (const auto& [key, version] : {std::pair("since", &edition.since), std::pair("until", &edition.until)}) {
        *version = entry.text(key);
        if (entry.has(key) && !isVersion(*version))
            entry.fault(key, fmt::format("\"{}\" is not a version", *version), "write it as \"10.6\" or \"8.0.30\"");
    }
    edition.name = entry.text("name");
    if (entry.has("restart"))
        edition.restart = entry.flag("restart");
    edition.decides = entry.texts("decides");
    if (const auto value = entry.value("default")) {
        if (auto checked = coerce(option, *value))
            edition.defaultValue = std::move(*checked);
        else
            entry.fault("default", checked.error().message, checked.error().remedy);
    }
    return edition;
}

KnobInfo readKnob(const Entry& entry, const std::string& driver)
{
    entry.checkKeys(kKnobKeys);
    KnobInfo knob;
    knob.driver = driver;
    knob.scope = entry.text("scope", true);
    if (std::find(kScopes.begin(), kScopes.end(), knob.scope) == kScopes.end())
        entry.fault("scope", fmt::format("\"{}\" is not a scope of a catalogue", knob.scope),
                    fmt::format("one of {}; connection knobs come from the driver", fmt::join(kScopes, ", ")));
    OptionSpec& option = knob.option;
    option.name = entry.text("name", true);
    option.label = entry.text("label", true);
    option.help = entry.text("help", true);
    const std::string type = entry.text("type", true);
    const auto known = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& t) { return t.first == type; });
    if (known == kTypes.end())
        entry.fault("type", fmt::format("\"{}\" is not a type", type),
                    "one of bool, integer, real, text, choice, duration, bytes");
    else
        option.type = known->second;
    option.unit = entry.text("unit");
    option.minimum = entry.number("minimum");
    option.maximum = entry.number("maximum");
    option.choices = entry.texts("choices");
    option.group = entry.text("group");
    option.affectsData = entry.flag("affects_data");
    option.risk = entry.text("risk");
    option.defaultValue = emptyValueOf(option.type);
    if (option.type == OptionType::Choice && option.choices.empty())
        entry.fault("choices", "is missing", "list what can be chosen");
    if (const auto value = entry.value("default")) {
        const auto checked = coerce(option, *value);
        if (checked)
            option.defaultValue = *checked;
        else
            entry.fault("default", checked.error().message, checked.error().remedy);
    } else {
        entry.fault("default", "is missing", "give the server's default");
    }
    knob.restart = entry.flag("restart");
    knob.initialisation = entry.flag("initialisation");
    knob.safety = entry.text("safety");
    knob.manual = entry.text("manual");
    knob.replacement = entry.text("replacement");
    knob.cacheOf = entry.text("cache_of");
    knob.values = entry.texts("values");
    readMeaning(entry, knob);
    for (const std::string& value : knob.values) {
        if (const auto checked = coerce(option, parseValue(value)); !checked)
            entry.fault("values", checked.error().message, checked.error().remedy);
    }
    entry.each("editions", [&](const Entry& edition) { knob.editions.push_back(readEdition(edition, option)); });
    return knob;
}

//! What a knob says of the variable that holds it, if it does.
void readPart(const Entry& entry, const KnobInfo& knob, std::vector<KnobPart>& parts)
{
    if (!entry.has("part_of") && !entry.has("part"))
        return;
    if (knob.scope != "server")
        entry.fault("part_of", "is for knobs of the scope server", "remove it");
    parts.push_back({knob.driver, knob.option.name, entry.text("part_of", true), entry.text("part", true)});
}

KnobNote readNote(const Entry& entry, const std::string& driver)
{
    entry.checkKeys(kNoteKeys);
    KnobNote note;
    note.driver = driver;
    note.scope = entry.text("scope", true);
    note.name = entry.text("name", true);
    note.restart = entry.flag("restart");
    note.initialisation = entry.flag("initialisation");
    note.safety = entry.text("safety");
    note.manual = entry.text("manual");
    note.values = entry.texts("values");
    readMeaning(entry, note);
    note.line = entry.line();
    return note;
}

NeverRule readNever(const Entry& entry, const std::string& driver)
{
    entry.checkKeys(kNeverKeys);
    NeverRule rule{driver, entry.text("reason", true), entry.texts("names"), entry.texts("except")};
    if (rule.names.empty())
        entry.fault("names", "is missing", "list the names of variables");
    return rule;
}

MovedVariable readMoves(const Entry& entry)
{
    entry.checkKeys(kMovesKeys);
    return {entry.text("set", true), entry.text("moved", true), entry.flag("above"),
            entry.number("factor").value_or(1)};
}

ServerVariables readVariables(const Entry& entry, const std::string& driver)
{
    entry.checkKeys(kVariablesKeys);
    return {.driver = driver,
            .state = entry.texts("state"),
            .dataFolder = entry.text("data_folder"),
            .programFolder = entry.text("program_folder"),
            .written = entry.texts("written"),
            .logWritten = entry.texts("log_written"),
            .logEngines = entry.texts("log_engines"),
            .ingested = entry.texts("ingested"),
            .stored = entry.texts("stored"),
            .storedEngines = entry.texts("stored_engines"),
            .storageReads = entry.texts("storage_reads"),
            .slow = entry.texts("slow"),
            .hosts = entry.texts("hosts"),
            .users = entry.texts("users"),
            .hostOptions = entry.texts("host_options"),
            .changeLog = entry.text("change_log"),
            .prefixes = entry.texts("prefixes")};
}

//! Calls `use` with each table of the array `key`.
template<class Use>
void eachTable(const toml::table& root, std::string_view key, std::string_view file, Faults& faults, const Use& use)
{
    const toml::node* node = root.get(key);
    if (!node)
        return;
    const toml::array* array = node->as_array();
    if (!array || !array->is_homogeneous<toml::table>()) {
        faults.push_back({.where = fmt::format("{}: {}", file, key),
                          .line = int(node->source().begin.line),
                          .column = 1,
                          .what = "is not a list of tables",
                          .remedy = fmt::format("write [[{}]]", key)});
        return;
    }
    std::size_t index = 0;
    for (const toml::node& item : *array)
        use(Entry(*item.as_table(), fmt::format("{}: {}[{}]", file, key, index++), faults));
}

struct Catalog
{
    std::vector<KnobInfo> knobs;
    std::vector<KnobPart> parts;
    std::vector<NeverRule> never;
    std::vector<ServerVariables> variables;
    std::vector<MovedVariable> moves;
    Faults faults;
};

const Catalog& builtCatalog()
{
    static const Catalog catalog = [] {
        Catalog built;
        std::vector<KnobFile> files;
        for (const EmbeddedFile& file : embeddedFiles()) {
            if (file.path.starts_with("knobs/"))
                files.push_back(parseKnobFile(file.text, file.path, built.faults));
        }
        built.knobs = buildKnobCatalog(files, built.faults);
        for (KnobFile& file : files) {
            std::ranges::move(file.parts, std::back_inserter(built.parts));
            std::ranges::move(file.never, std::back_inserter(built.never));
            std::ranges::move(file.variables, std::back_inserter(built.variables));
            std::ranges::move(file.moves, std::back_inserter(built.moves));
        }
        return built;
    }();
    return catalog;
}

} // namespace

KnobFile parseKnobFile(std::string_view toml, std::string_view name, Faults& faults)
{
    KnobFile file;
    toml::table root;
    try {
        root = toml::parse(toml, name);
    } catch (const toml::parse_error& error) {
        faults.push_back({.where = std::string(name),
                          .line = int(error.source().begin.line),
                          .column = int(error.source().begin.column),
                          .what = std::string(error.description()),
                          .remedy = "correct the TOML"});
        return file;
    }
    // "" is a driver too: knobs of the host belong to all of them.
    const std::string driver = Entry(root, std::string(name), faults).text("driver", true);
    for (const auto& [key, node] : root) {
        if (key != "driver" && key != "knob" && key != "note" && key != "never" && key != "variables" && key != "moves")
            faults.push_back({.where = fmt::format("{}: {}", name, key.str()),
                              .line = int(node.source().begin.line),
                              .column = 1,
                              .what = "is not known here",
                              .remedy = "known: driver, [[knob]], [[note]], [[never]], [[variables]], [[moves]]"});
    }
    eachTable(root, "knob", name, faults, [&](const Entry& entry) {
        file.knobs.push_back(readKnob(entry, driver));
        readPart(entry, file.knobs.back(), file.parts);
    });
    eachTable(root, "note", name, faults, [&](const Entry& entry) { file.notes.push_back(readNote(entry, driver)); });
    eachTable(root, "never", name, faults, [&](const Entry& entry) { file.never.push_back(readNever(entry, driver)); });
    eachTable(root, "variables", name, faults,
              [&](const Entry& entry) { file.variables.push_back(readVariables(entry, driver)); });
    eachTable(root, "moves", name, faults, [&](const Entry& entry) { file.moves.push_back(readMoves(entry)); });
    return file;
}

std::vector<KnobInfo> buildKnobCatalog(const std::vector<KnobFile>& files, Faults& faults)
{
    std::vector<KnobInfo> knobs;
    std::set<std::string> drivers;
    for (Driver* driver : builtinDrivers()) {
        const DriverInfo info = driver->info();
        drivers.insert(info.id);
        for (const OptionSpec& option : info.connection) {
            KnobInfo knob;
            knob.driver = info.id;
            knob.scope = "connection";
            knob.option = option;
            knobs.push_back(std::move(knob));
        }
    }
    for (const KnobFile& file : files) {
        for (const KnobInfo& knob : file.knobs) {
            const bool twice = std::any_of(knobs.begin(), knobs.end(), [&](const KnobInfo& other) {
                return other.driver == knob.driver && other.scope == knob.scope &&
                       other.option.name == knob.option.name;
            });
            if (twice)
                faults.push_back({.where = fmt::format("{}.{}.{}", knob.driver, knob.scope, knob.option.name),
                                  .what = "is described twice",
                                  .remedy = "remove one of them"});
            else
                knobs.push_back(knob);
        }
    }
    for (const KnobFile& file : files) {
        for (const KnobNote& note : file.notes) {
            const auto knob = std::find_if(knobs.begin(), knobs.end(), [&](const KnobInfo& k) {
                return k.driver == note.driver && k.scope == note.scope && k.option.name == note.name;
            });
            if (knob == knobs.end()) {
                // A build without the driver has no such knob: nothing is wrong with the note then.
                if (drivers.contains(note.driver))
                    faults.push_back({.where = fmt::format("{}.{}.{}", note.driver, note.scope, note.name),
                                      .line = note.line,
                                      .what = "the driver has no such knob",
                                      .remedy = "correct the note's name"});
                continue;
            }
            knob->restart |= note.restart;
            knob->initialisation |= note.initialisation;
            knob->safety = note.safety;
            knob->manual = note.manual;
            knob->values = note.values;
            knob->topic = note.topic;
            knob->meaning = note.meaning;
            knob->means = note.means;
            knob->scale = note.scale;
            knob->waits = note.waits;
            knob->onlyWith = note.onlyWith;
            for (const std::string& value : note.values) {
                if (const auto checked = coerce(knob->option, parseValue(value)); !checked)
                    faults.push_back({.where = fmt::format("{}.{}.{}.values", note.driver, note.scope, note.name),
                                      .line = note.line,
                                      .what = checked.error().message,
                                      .remedy = checked.error().remedy});
            }
        }
    }
    return knobs;
}

const Faults& knobCatalogFaults()
{
    return builtCatalog().faults;
}

const std::vector<KnobPart>& knobParts()
{
    return builtCatalog().parts;
}

const std::vector<NeverRule>& neverRules()
{
    return builtCatalog().never;
}

const std::vector<ServerVariables>& serverVariables()
{
    return builtCatalog().variables;
}

const std::vector<std::string>& storageReadCounters()
{
    static const std::vector<std::string> all = [] {
        std::vector<std::string> names;
        for (const ServerVariables& one : serverVariables())
            names.insert(names.end(), one.storageReads.begin(), one.storageReads.end());
        return names;
    }();
    return all;
}

const std::vector<MovedVariable>& movedVariables()
{
    return builtCatalog().moves;
}

std::string_view shortVariableName(std::string_view variable)
{
    for (const ServerVariables& one : serverVariables()) {
        for (const std::string& prefix : one.prefixes) {
            if (variable.starts_with(prefix) && variable.size() > prefix.size())
                return variable.substr(prefix.size());
        }
    }
    return variable;
}

bool isServerState(std::string_view variable)
{
    return std::ranges::any_of(serverVariables(), [variable](const ServerVariables& one) {
        return std::ranges::find(one.state, variable) != one.state.end();
    });
}

const std::vector<KnobInfo>& knobCatalog()
{
    return builtCatalog().knobs;
}

const KnobInfo* findKnob(std::string_view driver, std::string_view scope, std::string_view name)
{
    const auto& knobs = knobCatalog();
    const auto find = [&](const auto& isCalled) {
        const auto knob = std::find_if(knobs.begin(), knobs.end(), [&](const KnobInfo& k) {
            return (k.driver == driver || k.driver.empty()) && k.scope == scope && isCalled(k);
        });
        return knob == knobs.end() ? nullptr : &*knob;
    };
    if (const KnobInfo* knob = find([&](const KnobInfo& k) { return k.option.name == name; }))
        return knob;
    return find([&](const KnobInfo& k) {
        return std::any_of(k.editions.begin(), k.editions.end(), [&](const KnobEdition& e) { return e.name == name; });
    });
}

} // namespace dyno
