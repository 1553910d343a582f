// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/variable_states.h"

#include "server/knob_catalog.h"
#include "server/knob_guard.h"
#include "server/knob_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace dyno {

namespace {

struct ServersWord
{
    std::string defaultValue;
    bool known = false; //!< whether it can be set while the server runs
    bool readOnly = false;
};

//! What the server itself tells of its variables; empty where it does not.
std::map<std::string, ServersWord, std::less<>> askServer(Admin& admin, const ServerFacts& facts)
{
    std::map<std::string, ServersWord, std::less<>> words;
    if (facts.product == "MariaDB") {
        const auto rows = admin.query("SELECT LOWER(variable_name), COALESCE(default_value, ''), read_only FROM "
                                      "information_schema.system_variables");
        for (std::size_t i = 0; rows && i < rows->size(); ++i)
            words[(*rows)[i].at(0)] = {(*rows)[i].at(1), true, (*rows)[i].at(2) == "YES"};
    } else if (facts.variables.contains("version")) {
        // Nobody has set it: what is in force is the default. Not in MySQL 5.7 and older.
        const auto rows = admin.query("SELECT LOWER(i.variable_name), g.variable_value FROM "
                                      "performance_schema.variables_info i JOIN performance_schema.global_variables g "
                                      "USING (variable_name) WHERE i.variable_source = 'COMPILED'");
        for (std::size_t i = 0; rows && i < rows->size(); ++i)
            words[(*rows)[i].at(0)] = {(*rows)[i].at(1), false, false};
    }
    return words;
}

} // namespace

Expected<std::vector<VariableState>> variableStates(Admin& admin, std::string_view driver)
{
    auto facts = admin.facts();
    if (!facts)
        return fail(std::move(facts.error()));
    const auto words = driver == "mysql" ? askServer(admin, *facts) : decltype(askServer(admin, *facts))();
    // A server's variables are no settings of a connection, even where both have the same name; an embedded engine has
    // no others.
    const bool server = std::any_of(knobCatalog().begin(), knobCatalog().end(),
                                    [&](const KnobInfo& one) { return one.driver == driver && one.scope == "server"; });
    std::vector<VariableState> states;
    for (const auto& [name, value] : facts->variables) {
        VariableState& state = states.emplace_back();
        state.name = name;
        state.value = toText(value);
        const KnobInfo* knob = findKnob(driver, "server", name);
        const auto edition = knob ? editionFor(*knob, facts->product, facts->version) : std::nullopt;
        const KnobInfo* session = server ? nullptr : findKnob(driver, "connection", name);
        state.knob = edition.has_value() || session;
        if (edition) {
            state.dynamic = !*edition->restart && !knob->initialisation;
            const auto* flag = std::get_if<bool>(&*edition->defaultValue);
            state.defaultValue = flag ? (*flag ? "ON" : "OFF") : toText(*edition->defaultValue);
        } else if (session) {
            state.dynamic = !session->initialisation;
            state.defaultValue = toText(session->option.defaultValue);
        }
        if (const auto word = words.find(name); word != words.end()) {
            if (!word->second.defaultValue.empty())
                state.defaultValue = word->second.defaultValue;
            if (word->second.known)
                state.dynamic = !word->second.readOnly;
        }
        // Written as the server prints it: 75 and 75.000000 are one value.
        if (!state.defaultValue.empty() && sameSetting(Value(state.defaultValue), state.value))
            state.defaultValue = state.value;
    }
    return states;
}

std::optional<bool> needsRestart(Admin& admin, std::string_view driver, std::string_view name, const ServerFacts& facts)
{
    // Names come from plans and libraries: only what can be a name goes into a statement.
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != name.npos)
        return {};
    if (facts.product == "MariaDB") {
        const auto rows = admin.query(
            fmt::format("SELECT read_only FROM information_schema.system_variables WHERE variable_name = '{}'", name));
        if (rows && !rows->empty())
            return rows->front().at(0) == "YES";
    }
    const KnobInfo* knob = findKnob(driver, "server", name);
    if (!knob)
        return {};
    const auto edition = editionFor(*knob, facts.product, facts.version);
    return edition ? edition->restart : std::nullopt;
}

} // namespace dyno
