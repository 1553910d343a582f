// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sqlite_file.h"
#include "plan/load_groups.h"
#include "plan/load_phases.h"
#include "plan/plan_check.h"
#include "plan/plan_fields.h"
#include "plan/plan_keys.h"
#include "plan/plan_syntax.h"
#include <dyno/load_fields.h>
#include <dyno/stored_plan.h>
#include <dyno/view_fields.h>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace dyno {

namespace {

constexpr const char* kGroups = "group"; //!< of [load]
constexpr const char* kPhases = "phase";

struct Position
{
    int line = 0;
    int column = 0;
};
Position positionOf(const toml::source_region& region)
{
    return {int(region.begin.line), int(region.begin.column)};
}

std::string kindOf(const toml::node& node)
{
    switch (node.type()) {
    case toml::node_type::table:
        return "a table";
    case toml::node_type::array:
        return "a list";
    case toml::node_type::string:
        return "text";
    case toml::node_type::integer:
        return "a whole number";
    case toml::node_type::floating_point:
        return "a number";
    case toml::node_type::boolean:
        return "true or false";
    default:
        return "a date or time";
    }
}

//! Walks the TOML tree into a Plan, remembers where each field stands, and lists what does not fit.
class PlanReader
{
public:
    void read(const toml::table& root);

    Plan plan;
    Faults faults;
    std::map<std::string, Position> positions; //!< by field path
    std::set<std::string> meant;               //!< paths that a misspelt name probably meant

private:
    void note(const std::string& where, const toml::source_region& region) { positions[where] = positionOf(region); }
    void fault(const std::string& where, const toml::source_region& region, std::string what, std::string remedy)
    {
        const Position at = positionOf(region);
        faults.push_back({where, at.line, at.column, std::move(what), std::move(remedy)});
    }
    void wrongKind(const std::string& where, const toml::node& node, const std::string& wanted)
    {
        fault(where, node.source(), fmt::format("this is {}, where {} belongs", kindOf(node), wanted),
              "give " + wanted);
    }
    void checkKeys(const toml::table& table, const std::string& where, const std::vector<std::string>& known);
    const toml::table* tableAt(const toml::table& parent, std::string_view key, const std::string& where);
    std::vector<const toml::table*> tablesAt(const toml::table& parent, std::string_view key, const std::string& where);
    //! False when it is not there.
    bool flagAt(const toml::table& table, std::string_view key, const std::string& where);
    std::string textAt(const toml::table& table, std::string_view key, const std::string& where,
                       std::string fallback = {});
    std::optional<Value> valueOf(const toml::node& node, const std::string& where);
    std::optional<Value> listOf(const toml::array& list, const std::string& where);
    std::optional<Value> textsOf(const toml::array& list, const std::string& where);
    void settingsOf(const toml::table& table, const std::string& where, const std::string& prefix, Settings& into);
    void readTarget(const toml::table& table);
    void readWorkload(const toml::table& table);
    void readLoad(const toml::table& table);
    void readUsers(const toml::node& node);
    void readGroup(const toml::table& table, const std::string& where);
    void readPhases(const toml::table& load);
    void readPhase(const toml::table& table, const std::string& where);
    void readAxis(const toml::table& table, const std::string& where);
    std::vector<CaseRef> casesAt(const toml::table& table, const std::string& where);
    void readSkip(const toml::table& table, const std::string& where);
    void readPublished(const toml::table& table, const std::string& where);
    void readView(const toml::table& table, const std::string& where);
    void readRecipe(const toml::table& table);
    void readSizes(const toml::table& table);
    void readFiles(const toml::table& table);
};

std::string under(const std::string& where, std::string_view key)
{
    return where.empty() ? std::string(key) : fmt::format("{}.{}", where, key);
}

void PlanReader::checkKeys(const toml::table& table, const std::string& where, const std::vector<std::string>& known)
{
    for (auto&& [key, node] : table) {
        const std::string path = under(where, key.str());
        note(path, key.source());
        if (std::find(known.begin(), known.end(), key.str()) != known.end())
            continue;
        const bool isTop = where.empty();
        // Only what is not given yet can be meant by a misspelt name.
        std::vector<std::string> open;
        std::copy_if(known.begin(), known.end(), std::back_inserter(open), [&](const std::string& name) {
            return !table.contains(name) || name == "axis" || name == "view";
        });
        if (const std::string near = nearest(key.str(), open); !near.empty())
            meant.insert(under(where, near));
        const char* kind = isTop && (node.is_table() || node.is_array_of_tables()) ? "table" : "key";
        std::string what = isTop ? fmt::format("a plan has no {} \"{}\"", kind, key.str())
                                 : fmt::format("unknown key \"{}\" in {}", key.str(), where);
        fault(path, key.source(), std::move(what), suggestion(key.str(), open.empty() ? known : open));
    }
}

const toml::table* PlanReader::tableAt(const toml::table& parent, std::string_view key, const std::string& where)
{
    const toml::node* node = parent.get(key);
    if (!node)
        return nullptr;
    if (const toml::table* table = node->as_table())
        return table;
    wrongKind(where, *node, fmt::format("a table: [{}]", where));
    return nullptr;
}

std::vector<const toml::table*> PlanReader::tablesAt(const toml::table& parent, std::string_view key,
                                                     const std::string& where)
{
    std::vector<const toml::table*> tables;
    const toml::node* node = parent.get(key);
    if (!node)
        return tables;
    const toml::array* array = node->as_array();
    if (!array) {
        wrongKind(where, *node, fmt::format("a list of tables: [[{}]]", where));
        return tables;
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
        const std::string path = fmt::format("{}[{}]", where, i);
        const toml::node& item = (*array)[i];
        note(path, item.source());
        tables.push_back(item.as_table());
        if (!tables.back())
            wrongKind(path, item, "a table");
    }
    return tables;
}

bool PlanReader::flagAt(const toml::table& table, std::string_view key, const std::string& where)
{
    const toml::node* node = table.get(key);
    if (!node)
        return false;
    if (const auto* flag = node->as_boolean())
        return flag->get();
    wrongKind(under(where, key), *node, "true or false");
    return false;
}

std::string PlanReader::textAt(const toml::table& table, std::string_view key, const std::string& where,
                               std::string fallback)
{
    const toml::node* node = table.get(key);
    if (!node)
        return fallback;
    const std::string path = under(where, key);
    note(path, node->source());
    if (const auto* text = node->as_string())
        return text->get();
    wrongKind(path, *node, "text in double quotes");
    return fallback;
}

std::optional<Value> PlanReader::valueOf(const toml::node& node, const std::string& where)
{
    if (const auto* flag = node.as_boolean())
        return Value(flag->get());
    if (const auto* integer = node.as_integer())
        return Value(integer->get());
    if (const auto* real = node.as_floating_point())
        return Value(real->get());
    if (const auto* text = node.as_string())
        return Value(text->get());
    wrongKind(where, node, "true, false, a number or text");
    return {};
}

//! ["a", "b"] → "a,b"
std::optional<Value> PlanReader::listOf(const toml::array& list, const std::string& where)
{
    std::string text;
    for (const toml::node& item : list) {
        const auto* one = item.as_string();
        if (!one || one->get().empty() || one->get().find(',') != std::string::npos) {
            wrongKind(where, item, "a list of texts, none of them empty or with a comma");
            return {};
        }
        text += (text.empty() ? "" : ",") + one->get();
    }
    return Value(std::move(text));
}

//! "server.x" = 1, server.x = 1 and server = { x = 1 } all become "server.x".
void PlanReader::settingsOf(const toml::table& table, const std::string& where, const std::string& prefix,
                            Settings& into)
{
    for (auto&& [key, node] : table) {
        const std::string name = prefix.empty() ? std::string(key.str()) : fmt::format("{}.{}", prefix, key.str());
        const std::string path = fmt::format("{}.{}", where, name);
        note(path, key.source());
        if (const toml::table* inner = node.as_table()) {
            settingsOf(*inner, where, name, into);
        } else if (auto value = valueOf(node, path)) {
            if (!into.emplace(name, std::move(*value)).second)
                fault(path, key.source(), fmt::format("{} is given twice", name), "remove one of the two");
        }
    }
}

void PlanReader::readTarget(const toml::table& table)
{
    checkKeys(table, "target", targetFields());
    plan.target.uri = textAt(table, "uri", "target");
    for (const std::string& name : targetFields()) {
        const toml::node* node = table.get(name);
        if (!node || name == "uri")
            continue;
        const std::string path = under("target", name);
        note(path, node->source());
        if (const auto value = valueOf(*node, path)) {
            if (const auto set = setTargetField(plan.target, name, *value); !set)
                fault(path, node->source(), set.error().message, set.error().remedy);
        }
    }
}

void PlanReader::readWorkload(const toml::table& table)
{
    checkKeys(table, "workload", planKeys("workload"));
    plan.workload.line = positions["workload"].line;
    plan.workload.name = textAt(table, "name", "workload");
    if (const toml::table* params = tableAt(table, "params", "workload.params"))
        settingsOf(*params, "workload.params", {}, plan.workload.params);
    if (table.contains("prepare")) {
        const std::size_t before = faults.size();
        const auto policy = prepareFrom(textAt(table, "prepare", "workload"));
        if (policy)
            plan.workload.prepare = *policy;
        else if (faults.size() == before)
            fault("workload.prepare", table.get("prepare")->source(), policy.error().message, policy.error().remedy);
    }
    plan.workload.cleanup = flagAt(table, "cleanup", "workload");
}

void PlanReader::readUsers(const toml::node& node)
{
    const toml::array* array = node.as_array();
    if (!array) {
        if (const auto value = valueOf(node, "load.users")) {
            if (const auto set = setLoadField(plan.load, "users", *value); !set)
                fault("load.users", node.source(), set.error().message, set.error().remedy);
        }
        return;
    }
    if (array->empty()) {
        fault("load.users", node.source(), "the list of users is empty",
              "give at least one number, such as [1, 4, 16]");
        return;
    }
    std::vector<int> users;
    for (std::size_t i = 0; i < array->size(); ++i) {
        const std::string path = fmt::format("load.users[{}]", i);
        const toml::node& item = (*array)[i];
        note(path, item.source());
        const auto value = valueOf(item, path);
        if (!value)
            continue;
        if (const auto one = usersFrom(*value))
            users.push_back(*one);
        else
            fault(path, item.source(), one.error().message, one.error().remedy);
    }
    if (!users.empty())
        plan.load.users = users;
}

void PlanReader::readLoad(const toml::table& table)
{
    std::vector<std::string> known = loadFieldNames();
    known.emplace_back(kGroups);
    known.emplace_back(kPhases);
    checkKeys(table, "load", known);
    const std::string groups = under("load", kGroups);
    const std::vector<const toml::table*> tables = tablesAt(table, kGroups, groups);
    if (tables.size() > kMostGroups)
        fault(groups, table.source(), fmt::format("{} groups of users are too many", tables.size()),
              fmt::format("at most {} work at once", kMostGroups));
    for (std::size_t i = 0; i < std::min(tables.size(), kMostGroups); ++i) {
        if (tables[i])
            readGroup(*tables[i], fmt::format("{}[{}]", groups, i));
    }
    readPhases(table);
    for (auto&& [key, node] : table) {
        const std::string path = under("load", key.str());
        note(path, node.source());
        if (key.str() == "users") {
            readUsers(node);
            continue;
        }
        const LoadField* field = findLoadField(key.str());
        if (!field)
            continue;
        const toml::array* list = field->kind == LoadFieldKind::List ? node.as_array() : nullptr;
        if (const auto value = list ? listOf(*list, path) : valueOf(node, path)) {
            if (const auto set = setLoadField(plan.load, key.str(), *value); !set)
                fault(path, node.source(), set.error().message, set.error().remedy);
        }
    }
    // Names are read in alphabetic order: what one implies must not replace what another one says.
    if (const toml::node* time = table.get("time")) {
        if (const auto value = valueOf(*time, "load.time"))
            (void)setLoadField(plan.load, "time", *value);
    }
    if (const toml::node* arrival = table.get("arrival"); arrival && plan.load.arrival.open()) {
        if (const auto* word = arrival->as_string(); word && word->get() == toText(ArrivalModel::Closed))
            fault("load.arrival", arrival->source(), "a closed loop has no rate: users begin when they are done",
                  "leave out rate, rate_to, steps and a search for a rate, or write arrival = \"poisson\"");
    }
}

void PlanReader::readGroup(const toml::table& table, const std::string& where)
{
    std::vector<std::string> known{"name", "params"};
    known.insert(known.end(), groupFields().begin(), groupFields().end());
    checkKeys(table, where, known);
    LoadGroup group;
    group.name = textAt(table, "name", where);
    for (const std::string& field : groupFields()) {
        const toml::node* node = table.get(field);
        if (!node)
            continue;
        const std::string path = under(where, field);
        note(path, node->source());
        if (const auto value = valueOf(*node, path)) {
            if (const auto set = setGroupField(group, field, *value); !set)
                fault(path, node->source(), set.error().message, set.error().remedy);
        }
    }
    if (const toml::table* params = tableAt(table, "params", where + ".params"))
        settingsOf(*params, where + ".params", {}, group.params);
    if (const toml::node* arrival = table.get("arrival"); arrival && group.pace.open()) {
        if (const auto* word = arrival->as_string(); word && word->get() == toText(ArrivalModel::Closed))
            fault(under(where, "arrival"), arrival->source(),
                  "a closed loop has no rate: users begin when they are done",
                  "leave out rate, or write arrival = \"poisson\"");
    }
    plan.load.groups.push_back(std::move(group));
}

void PlanReader::readPhases(const toml::table& load)
{
    const std::string phases = under("load", kPhases);
    const std::vector<const toml::table*> tables = tablesAt(load, kPhases, phases);
    if (tables.size() > kMostPhases)
        fault(phases, load.source(), fmt::format("{} phases are too many", tables.size()),
              fmt::format("a plan has at most {}", kMostPhases));
    for (std::size_t i = 0; i < std::min(tables.size(), kMostPhases); ++i) {
        if (tables[i])
            readPhase(*tables[i], fmt::format("{}[{}]", phases, i));
    }
    takePhaseTimes(plan.load);
}

void PlanReader::readPhase(const toml::table& table, const std::string& where)
{
    std::vector<std::string> known{"name", "groups"};
    known.insert(known.end(), phaseFields().begin(), phaseFields().end());
    checkKeys(table, where, known);
    LoadPhase phase;
    phase.name = textAt(table, "name", where);
    const auto readField = [&](const toml::node& node, const std::string& path, const std::string& field) {
        note(path, node.source());
        if (const auto value = valueOf(node, path)) {
            if (const auto set = setPhaseField(phase, field, *value); !set)
                fault(path, node.source(), set.error().message, set.error().remedy);
        }
    };
    const auto readFields = [&](const toml::table& from, const std::vector<std::string>& fields,
                                const std::string& place, const std::string& prefix) {
        for (const std::string& field : fields) {
            const toml::node* node = from.get(field);
            if (!node)
                continue;
            const std::string path = under(place, field);
            const toml::table* weights = field == "weights" ? node->as_table() : nullptr;
            if (!weights) {
                readField(*node, path, prefix + field);
                continue;
            }
            note(path, node->source());
            for (auto&& [section, weight] : *weights)
                readField(weight, under(path, section.str()), fmt::format("{}{}.{}", prefix, field, section.str()));
        }
    };
    readFields(table, phaseFields(), where, {});
    const std::string groups = where + ".groups";
    if (const toml::table* named = tableAt(table, "groups", groups)) {
        for (auto&& [group, node] : *named) {
            const std::string path = under(groups, group.str());
            note(path, group.source());
            const toml::table* fields = node.as_table();
            if (!fields) {
                wrongKind(path, node, "a table such as { users = 4 }");
                continue;
            }
            checkKeys(*fields, path, phaseGroupFields());
            phase.groups.try_emplace(std::string(group.str()));
            readFields(*fields, phaseGroupFields(), path, fmt::format("groups.{}.", group.str()));
        }
    }
    plan.load.phases.push_back(std::move(phase));
}

void PlanReader::readAxis(const toml::table& table, const std::string& where)
{
    checkKeys(table, where, planKeys("axis"));
    Axis axis;
    axis.line = positions[where].line;
    axis.name = textAt(table, "name", where);
    const std::string casesPath = where + ".cases";
    const std::vector<const toml::table*> cases = tablesAt(table, "cases", casesPath);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (!cases[i])
            continue;
        const std::string path = fmt::format("{}[{}]", casesPath, i);
        checkKeys(*cases[i], path, planKeys("case"));
        Case one;
        one.line = positions[path].line;
        one.label = textAt(*cases[i], "label", path);
        if (const toml::table* set = tableAt(*cases[i], "set", path + ".set"))
            settingsOf(*set, path + ".set", {}, one.set);
        if (cases[i]->contains("expect"))
            one.expect = textAt(*cases[i], "expect", path);
        one.optional = flagAt(*cases[i], "optional", path);
        axis.cases.push_back(std::move(one));
    }
    plan.axes.push_back(std::move(axis));
}

//! cases = { durability = "flush=0", users = 16 }
std::vector<CaseRef> PlanReader::casesAt(const toml::table& table, const std::string& where)
{
    std::vector<CaseRef> cases;
    const std::string path = where + ".cases";
    const toml::table* named = tableAt(table, "cases", path);
    if (!named) {
        if (!table.contains("cases"))
            fault(where, table.source(), "the cases are missing", "add cases = { AXIS = \"LABEL\", … }");
        return cases;
    }
    for (auto&& [axis, node] : *named) {
        const std::string one = under(path, axis.str());
        note(one, axis.source());
        if (const auto value = valueOf(node, one))
            cases.push_back({std::string(axis.str()), toText(*value)});
    }
    return cases;
}

void PlanReader::readSkip(const toml::table& table, const std::string& where)
{
    checkKeys(table, where, planKeys("skip"));
    plan.skips.push_back({casesAt(table, where), positions[where].line});
}

void PlanReader::readPublished(const toml::table& table, const std::string& where)
{
    checkKeys(table, where, planKeys("published"));
    Published published;
    published.line = positions[where].line;
    published.source = textAt(table, "source", where);
    published.date = textAt(table, "date", where);
    published.hardware = textAt(table, "hardware", where);
    published.measure = textAt(table, "measure", where, published.measure);
    published.relativeTo = textAt(table, "relative_to", where);
    const std::string path = where + ".values";
    const auto figures = tablesAt(table, "values", path);
    for (std::size_t i = 0; i < figures.size(); ++i) {
        if (!figures[i])
            continue;
        const std::string one = fmt::format("{}[{}]", path, i);
        checkKeys(*figures[i], one, planKeys("value"));
        const toml::node* value = figures[i]->get("value");
        if (!value)
            fault(one, figures[i]->source(), "the value is missing", "add value = NUMBER");
        else if (!value->is_number())
            wrongKind(one + ".value", *value, "a number");
        else
            published.values.push_back({casesAt(*figures[i], one), value->value<double>().value_or(0)});
    }
    plan.published.push_back(std::move(published));
}

//! The texts of a list with "; " between them.
std::optional<Value> PlanReader::textsOf(const toml::array& list, const std::string& where)
{
    std::string texts;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto* text = list[i].as_string();
        if (!text) {
            wrongKind(fmt::format("{}[{}]", where, i), list[i], "a text");
            return std::nullopt;
        }
        texts += (texts.empty() ? "" : "; ") + text->get();
    }
    return texts;
}

void PlanReader::readView(const toml::table& table, const std::string& where)
{
    std::vector<std::string> names;
    View view;
    for (const ViewField& field : viewFields()) {
        names.push_back(field.name);
        const toml::node* node = table.get(field.name);
        if (!node)
            continue;
        std::optional<Value> value;
        if (field.type != ViewField::Type::Text)
            value = valueOf(*node, under(where, field.name));
        else if (field.list && node->is_array())
            value = textsOf(*node->as_array(), under(where, field.name));
        else if (node->is_string())
            value = textAt(table, field.name.c_str(), where);
        else
            (void)textAt(table, field.name.c_str(), where); // says what is wrong
        if (!value)
            continue;
        if (const auto set = field.set(view, *value); !set)
            fault(under(where, field.name), node->source(), set.error().message, set.error().remedy);
    }
    checkKeys(table, where, names);
    plan.views.push_back(std::move(view));
}

//! What describes a recipe is not part of the plan (see RecipeInfo), but for how it departs from its post.
void PlanReader::readRecipe(const toml::table& table)
{
    checkKeys(table, "recipe", planKeys("recipe"));
    for (const char* key : {"id", "summary", "needs"})
        (void)textAt(table, key, "recipe");
    if (const toml::node* minutes = table.get("minutes"); minutes && !minutes->is_number())
        wrongKind("recipe.minutes", *minutes, "a number of minutes");
    for (const char* key : {"tags", "departs"}) { // departs: what differs from the published experiment, and why
        const toml::node* list = table.get(key);
        const toml::array* array = list ? list->as_array() : nullptr;
        if (list && (!array || (!array->empty() && !array->is_homogeneous(toml::node_type::string))))
            wrongKind(under("recipe", key), *list, "a list of texts");
        else if (array && key == std::string_view("departs"))
            for (const toml::node& one : *array)
                plan.departs.push_back(one.value_or(std::string()));
    }
}

void PlanReader::readSizes(const toml::table& table)
{
    for (auto&& [key, node] : table) {
        const std::string where = under("size", key.str());
        note(where, key.source());
        const toml::table* fields = node.as_table();
        if (!fields) {
            wrongKind(where, node, fmt::format("a table: [{}]", where));
            continue;
        }
        PlanSize size;
        size.name = std::string(key.str());
        Settings settings;
        settingsOf(*fields, where, {}, settings);
        for (const bool names : {false, true}) { // last: until then a view is called as the other fields call it
            for (const auto& [name, value] : settings) {
                if (names == (name.starts_with("view.") && name.ends_with(".name")))
                    size.fields.emplace_back(name, toText(value));
            }
        }
        plan.sizes.push_back(std::move(size));
    }
}

//! Unpacked once, as a faulty one is to be known before it is loaded.
void PlanReader::readFiles(const toml::table& table)
{
    std::size_t left = PackedFile::kMostBytes;
    for (auto&& [key, node] : table) {
        const std::string path = under("files", key.str());
        note(path, node.source());
        const auto* text = node.as_string();
        if (!text) {
            fault(path, node.source(), "this is no content of a file", "a text in base64, as `dyno plan` writes it");
            continue;
        }
        auto file = PackedFile::read(text->get(), left);
        if (!file) {
            fault(path, node.source(), file.error().message, file.error().remedy);
        } else if ((*file)->sha256() != key.str()) {
            fault(path, node.source(), fmt::format("the content has the SHA-256 {}", (*file)->sha256()),
                  "copy it whole from the plan");
        } else {
            left -= (*file)->bytes();
            plan.files.insert_or_assign((*file)->sha256(), std::move(*file));
        }
    }
}

void PlanReader::read(const toml::table& root)
{
    checkKeys(root, {}, planKeys(""));
    plan.title = textAt(root, "title", {});
    plan.description = textAt(root, "description", {});
    if (const toml::table* target = tableAt(root, "target", "target")) {
        plan.target.line = positions["target"].line;
        readTarget(*target);
    }
    if (const toml::table* workload = tableAt(root, "workload", "workload"))
        readWorkload(*workload);
    if (const toml::table* set = tableAt(root, "set", "set"))
        settingsOf(*set, "set", {}, plan.set);
    if (const toml::table* load = tableAt(root, "load", "load"))
        readLoad(*load);
    const auto each = [&](const char* key, void (PlanReader::*readOne)(const toml::table&, const std::string&)) {
        const auto tables = tablesAt(root, key, key);
        for (std::size_t i = 0; i < tables.size(); ++i) {
            if (tables[i])
                (this->*readOne)(*tables[i], fmt::format("{}[{}]", key, i));
        }
    };
    each("axis", &PlanReader::readAxis);
    each("skip", &PlanReader::readSkip);
    each("published", &PlanReader::readPublished);
    each("view", &PlanReader::readView);
    if (const toml::table* recipe = tableAt(root, "recipe", "recipe"))
        readRecipe(*recipe);
    if (const toml::table* sizes = tableAt(root, "size", "size"))
        readSizes(*sizes);
    if (const toml::table* files = tableAt(root, "files", "files"))
        readFiles(*files);
}

//! `inner` is `outer` itself or a field below it.
bool isBelow(std::string_view inner, std::string_view outer)
{
    return inner.starts_with(outer) &&
           (inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[');
}

//! One mistake, one fault: what was wrong already when it was read is not held against the plan again.
bool isConsequence(const Fault& fault, const Faults& earlier, const std::set<std::string>& meant)
{
    const bool isView = fault.where.starts_with("view[");
    for (const Fault& other : earlier) {
        if (other.where.empty())
            continue;
        if (isBelow(fault.where, other.where) || isBelow(other.where, fault.where))
            return true;
        if (isView && isBelow(other.where, "axis"))
            return true;
    }
    return std::any_of(meant.begin(), meant.end(), [&](const std::string& path) {
        return isBelow(fault.where, path) || (isView && path == "axis");
    });
}

//! The position of the field, or of the nearest thing around it that stands in the file.
Position positionFor(const std::map<std::string, Position>& positions, std::string where)
{
    while (!where.empty()) {
        if (const auto found = positions.find(where); found != positions.end() && found->second.line > 0)
            return found->second;
        const std::size_t end = where.find_last_of(".[");
        where.resize(end == std::string::npos ? 0 : end);
    }
    return {1, 1};
}

ParsedPlan parsedWith(Faults (*check)(const Plan&), std::string_view toml, std::string_view name)
{
    ParsedPlan result;
    ParsedToml parsed = parseToml(toml);
    result.faults = std::move(parsed.faults);
    for (Fault& fault : result.faults) {
        if (fault.where.empty())
            fault.where = std::string(name);
    }
    if (!parsed.usable)
        return result;
    PlanReader reader;
    reader.read(parsed.root);
    // A line that was blanked may have been all that its table held.
    for (const Fault& fault : reader.faults) {
        if (result.faults.empty() || !isConsequence(fault, result.faults, {}))
            result.faults.push_back(fault);
    }
    const Faults earlier = result.faults;
    for (Fault& fault : check(reader.plan)) {
        if (isConsequence(fault, earlier, reader.meant))
            continue;
        const Position at = positionFor(reader.positions, fault.where);
        fault.line = at.line;
        fault.column = at.column;
        result.faults.push_back(std::move(fault));
    }
    std::stable_sort(result.faults.begin(), result.faults.end(), [](const Fault& a, const Fault& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    if (result.faults.empty()) {
        reader.plan.source = std::string(name);
        result.plan = std::move(reader.plan);
    }
    return result;
}

} // namespace

ParsedPlan parsePlan(std::string_view toml, std::string_view name)
{
    return parsedWith(checkPlan, toml, name);
}

ParsedPlan parseStoredPlan(std::string_view toml, std::string_view name)
{
    return parsedWith(checkStoredPlan, toml, name);
}

std::string withoutFiles(std::string_view toml)
{
    ParsedToml parsed = parseToml(toml);
    if (!parsed.faults.empty())
        return {}; // a fault may have split the table
    if (!parsed.root.contains("files"))
        return std::string(toml);
    parsed.root.erase("files");
    std::ostringstream text;
    text << parsed.root;
    return text.str();
}

ParsedPlan readPlan(const std::filesystem::path& file)
{
    ParsedPlan result;
    const auto fault = [&](std::string what, std::string remedy) {
        result.faults.push_back({.where = file.string(), .what = std::move(what), .remedy = std::move(remedy)});
        return std::move(result);
    };
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (status.type() == std::filesystem::file_type::not_found)
        return fault("there is no such file", "give a plan's file, or a recipe's id (`dyno recipes` lists them)");
    if (status.type() == std::filesystem::file_type::directory)
        return fault("this is a folder", "give a plan's file inside it");
    if (isSqliteFile(file)) // this process may have it open
        return fault("this is a library or another SQLite database, not a plan",
                     "give a plan's file, or a recipe's id (`dyno recipes` lists them)");
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    // An empty file would set the fail bit of `text <<`, so its emptiness is asked for first.
    if (stream && stream.peek() != std::ifstream::traits_type::eof())
        text << stream.rdbuf();
    if (!stream.is_open() || stream.bad() || !text)
        return fault("the file cannot be read", "check its permissions");
    return parsePlan(text.str(), file.string());
}

} // namespace dyno
