// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/knobs/knob_guard.h"

#include "driver/state_list.h"
#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_values.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace dyno {

namespace {

std::optional<double> number(const std::string& text)
{
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return text.empty() || *end != '\0' ? std::nullopt : std::optional(value);
}

//! What the moved one becomes; nothing when it stays or that cannot be known.
std::optional<std::string> movedTo(const MovedVariable& pair, const std::string& value, const std::string& now)
{
    const auto mover = number(value), moved = number(now);
    if (!mover || !moved || (pair.above ? *mover <= *moved : *mover >= *moved))
        return {};
    return pair.factor == 1 ? printedLike(Value(value), now) : fmt::format("{:.0f}", *mover * pair.factor);
}

//! Of many things under one name: those that nobody else has changed.
void putStatesBack(Admin& admin, const KnobChange& change, const StatesBack& back, RestoredKnob& result)
{
    if (back.next != result.foundValue) {
        auto done = admin.setVariable(change.name, Value(back.next));
        const auto now = done ? admin.variable(change.name) : Expected<std::string>(std::string());
        if (!done || !now || *now == result.foundValue) {
            result.text = !done ? done.error().text() : !now ? now.error().text() : "the server did not take it";
            return;
        }
    }
    result.outcome = RestoreOutcome::Restored;
    if (back.othersNow.empty())
        return;
    result.outcome = RestoreOutcome::OthersValue;
    result.oldValue = shownStates(change.oldValue);
    result.ourValue = shownStates(change.newValue);
    result.foundValue = back.othersNow;
}

} // namespace

RestoredKnob putBack(Admin& admin, const KnobChange& change, bool overwrite)
{
    RestoredKnob result{{}, change.name, change.oldValue, change.newValue, {}, RestoreOutcome::Failed, {}};
    auto current = admin.variable(change.name);
    if (!current) {
        result.text = current.error().text();
        return result;
    }
    result.foundValue = *current;
    if (sameSetting(Value(change.oldValue), *current)) {
        result.outcome = RestoreOutcome::WasBack;
    } else if (!overwrite && !sameSetting(Value(change.newValue), *current)) {
        if (const auto back = StatesBack::from(change.oldValue, change.newValue, *current))
            putStatesBack(admin, change, *back, result);
        else
            result.outcome = RestoreOutcome::OthersValue;
    } else if (auto restored = setAndVerify(admin, change.name, Value(change.oldValue))) {
        result.outcome = RestoreOutcome::Restored;
    } else {
        result.text = restored.error().text();
    }
    return result;
}

std::optional<Error> problemOf(const RestoredKnob& knob)
{
    if (knob.outcome == RestoreOutcome::OthersValue)
        return Error{ErrorKind::Failed,
                     fmt::format("{} was set to {} here, but is now {}: somebody else changed it, so it was left alone",
                                 knob.name, knob.ourValue, knob.foundValue),
                     knob.target, fmt::format("it was {} before; set it by hand", knob.oldValue)};
    if (knob.outcome == RestoreOutcome::Failed)
        return Error{ErrorKind::Failed,
                     fmt::format("{} could not be put back to {}: {}", knob.name, knob.oldValue, knob.text),
                     knob.target, fmt::format("set it by hand to {}", knob.oldValue)};
    return {};
}

KnobGuard::KnobGuard(Announce announce)
    : m_announce(std::move(announce))
{
}

KnobChange* KnobGuard::find(std::string_view name)
{
    const auto it =
        std::find_if(m_changes.begin(), m_changes.end(), [&](const KnobChange& change) { return change.name == name; });
    return it == m_changes.end() ? nullptr : &*it;
}

//! Announces a change from what is in force now and keeps it. The value to go back to is the one from before the first
//! change, whatever points came between.
Expected<void> KnobGuard::note(const std::string& name, const std::string& now, const std::string& value)
{
    KnobChange* earlier = find(name);
    KnobChange change{name, earlier ? earlier->oldValue : now, value};
    if (m_announce) {
        if (auto noted = m_announce(change); !noted)
            return noted;
    }
    std::erase(m_others, name);
    if (earlier)
        *earlier = std::move(change);
    else
        m_changes.push_back(std::move(change));
    return {};
}

//! Sets one variable, with those that it takes along. Returns what is in force.
Expected<std::string> KnobGuard::set(Admin& admin, const std::string& name, const std::string& now, const Value& value)
{
    std::vector<std::pair<std::string, std::string>> watched; //!< name, value before
    for (const MovedVariable& pair : movedVariables()) {
        if (pair.set != name)
            continue;
        auto before = admin.variable(pair.moved);
        if (!before)
            continue; // not one of this server's
        if (const auto after = movedTo(pair, toText(value), *before)) {
            if (!find(pair.moved))
                m_moved.insert(pair.moved);
            if (auto noted = note(pair.moved, *before, *after); !noted)
                return fail(std::move(noted.error()));
        }
        watched.emplace_back(pair.moved, std::move(*before));
    }
    if (auto noted = note(name, now, printedLike(value, now)); !noted)
        return fail(std::move(noted.error()));
    m_moved.erase(name);
    // Put back first, before what it moved: that would move it in turn.
    if (KnobChange* own = find(name); !watched.empty())
        std::rotate(m_changes.begin() + (own - m_changes.data()), m_changes.begin() + (own - m_changes.data()) + 1,
                    m_changes.end());
    auto taken = setAndVerify(admin, name, value);
    for (const auto& [moved, before] : watched) {
        const auto actual = admin.variable(moved);
        const KnobChange* kept = find(moved);
        if (!actual || sameSetting(Value(kept ? kept->newValue : before), *actual))
            continue;
        if (!kept)
            m_moved.insert(moved);
        if (auto noted = note(moved, before, *actual); !noted)
            return fail(std::move(noted.error()));
    }
    // What the server really has now: restore() compares with it.
    if (auto actual = taken ? taken : admin.variable(name))
        find(name)->newValue = *actual;
    return taken;
}

//! What an earlier point changed and this one does not want goes back.
Expected<void> KnobGuard::putBackUnwanted(Admin& admin, const Settings& wanted)
{
    // A variable that was moved stays as long as the one that moved it; before that gets another value, both go back,
    // so that a point is the same whatever came before it.
    const auto stays = [&](const std::string& name) {
        const auto asked = wanted.find(name);
        const KnobChange* change = find(name);
        return asked != wanted.end() && change && sameSetting(asked->second, change->newValue);
    };
    std::vector<std::string> names; //!< to be put back
    for (const KnobChange& change : m_changes) {
        bool keep = wanted.contains(change.name);
        for (const MovedVariable& pair : movedVariables()) {
            if (pair.moved == change.name && m_moved.contains(change.name) && !keep)
                keep = stays(pair.set);
            else if (pair.set == change.name && m_moved.contains(pair.moved) && keep)
                keep = stays(change.name);
        }
        if (!keep)
            names.push_back(change.name);
    }
    for (std::size_t i = m_changes.size(); i-- > 0;) {
        if (std::find(names.begin(), names.end(), m_changes[i].name) == names.end())
            continue;
        if (auto problem = problemOf(putBack(admin, m_changes[i])))
            return fail(std::move(*problem));
        m_moved.erase(m_changes[i].name);
        m_changes.erase(m_changes.begin() + std::ptrdiff_t(i));
    }
    return {};
}

Expected<Settings> KnobGuard::apply(Admin& admin, const Settings& wanted)
{
    // Everything that can be known beforehand first, so that a typing error changes nothing.
    for (const auto& [name, value] : wanted) {
        if (auto now = admin.variable(name); !now)
            return fail(std::move(now.error()));
    }
    if (auto back = putBackUnwanted(admin, wanted); !back)
        return fail(std::move(back.error()));
    Settings inForce;
    std::optional<Error> problem;
    for (auto it = wanted.begin(); it != wanted.end() && !problem; ++it) {
        auto now = admin.variable(it->first);
        if (now && !sameSetting(it->second, *now))
            now = set(admin, it->first, *now, it->second);
        if (now)
            inForce[it->first] = *now;
        else
            problem = std::move(now.error());
    }
    // A later one may have moved an earlier one, or somebody else did.
    for (auto it = wanted.begin(); it != wanted.end() && !problem; ++it) {
        if (auto actual = admin.variable(it->first); actual && !sameSetting(it->second, *actual))
            problem = notTaken(it->first, it->second, *actual);
    }
    if (problem) {
        // Half a point is worth nothing: what was changed for it goes back at once, as far as the server answers.
        static_cast<void>(restore(admin));
        return fail(std::move(*problem));
    }
    return inForce;
}

Expected<void> KnobGuard::restore(Admin& admin)
{
    std::optional<Error> first;
    m_notRestored.clear();
    // Backwards: a later value may have been possible only because of an earlier one.
    for (std::size_t i = m_changes.size(); i-- > 0;) {
        const RestoredKnob back = putBack(admin, m_changes[i]);
        auto problem = problemOf(back);
        // What failed may succeed at another try: it stays on the list. Another's value does not.
        if (back.outcome != RestoreOutcome::Failed)
            m_changes.erase(m_changes.begin() + std::ptrdiff_t(i));
        if (back.outcome == RestoreOutcome::OthersValue)
            m_others.push_back(back.name);
        else if (problem)
            m_notRestored.push_back(back.name);
        if (problem && !first)
            first = std::move(problem);
    }
    m_notRestored.insert(m_notRestored.end(), m_others.begin(), m_others.end());
    m_moved.clear();
    if (first)
        return fail(std::move(*first));
    return {};
}

} // namespace dyno
