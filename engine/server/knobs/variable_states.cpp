// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/knobs/variable_states.h"

#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"
#include "server/knobs/knob_source.h"
#include "server/knobs/knob_values.h"

#include <algorithm>

namespace dyno {

Expected<std::vector<VariableState>> variableStates(Admin& admin, std::string_view driver)
{
    auto facts = admin.facts();
    if (!facts)
        return fail(std::move(facts.error()));
    const KnobSource* source = knobSourceFor(driver);
    const VariableWords words = source ? source->words(admin, *facts) : VariableWords();
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
            if (word->second.readOnly)
                state.dynamic = !*word->second.readOnly;
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
    const KnobSource* source = knobSourceFor(driver);
    if (const auto fixed = source ? source->readOnly(admin, name, facts) : std::nullopt)
        return fixed;
    const KnobInfo* knob = findKnob(driver, "server", name);
    if (!knob)
        return {};
    const auto edition = editionFor(*knob, facts.product, facts.version);
    return edition ? edition->restart : std::nullopt;
}

} // namespace dyno
