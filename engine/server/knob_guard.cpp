// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/knob_guard.h"

#include "server/knob_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace dyno {

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
{}

Expected<Settings> KnobGuard::apply(Admin& admin, const Settings& wanted)
{
    // Everything that can be known beforehand first, so that a typing error changes nothing.
    std::vector<std::pair<std::string, std::string>> current;
    for (const auto& [name, value] : wanted) {
        auto now = admin.variable(name);
        if (!now)
            return fail(std::move(now.error()));
        current.emplace_back(name, std::move(*now));
    }
    for (std::size_t i = m_changes.size(); i-- > 0;) {
        if (wanted.contains(m_changes[i].name))
            continue;
        if (auto problem = problemOf(putBack(admin, m_changes[i])))
            return fail(std::move(*problem));
        m_changes.erase(m_changes.begin() + std::ptrdiff_t(i));
    }
    Settings inForce;
    for (const auto& [name, now] : current) {
        const Value& value = wanted.find(name)->second;
        if (sameSetting(value, now)) {
            inForce[name] = now;
            continue;
        }
        const auto earlier = std::find_if(m_changes.begin(), m_changes.end(),
                                          [&](const KnobChange& change) { return change.name == name; });
        const bool again = earlier != m_changes.end();
        // The value to go back to is the one from before the first change, whatever points came between.
        const KnobChange change{name, again ? earlier->oldValue : now, toText(value)};
        if (m_announce) {
            if (auto noted = m_announce(change); !noted)
                return fail(std::move(noted.error()));
        }
        KnobChange& kept = again ? *earlier : m_changes.emplace_back(change);
        auto taken = setAndVerify(admin, name, value);
        if (!taken) {
            // What the server really has now: restore() compares with it.
            if (auto actual = admin.variable(name))
                kept.newValue = *actual;
            // Half a point is worth nothing: what was changed for it goes back at once, as far as the server answers.
            static_cast<void>(restore(admin));
            return fail(std::move(taken.error()));
        }
        kept.newValue = std::move(*taken);
        inForce[name] = kept.newValue;
    }
    // A later one may have moved an earlier one: innodb_io_capacity_max takes innodb_io_capacity along.
    std::optional<Error> moved;
    for (KnobChange& change : m_changes) {
        auto actual = admin.variable(change.name);
        if (!actual || *actual == change.newValue)
            continue;
        if (const auto asked = wanted.find(change.name); !moved && asked != wanted.end())
            moved = notTaken(change.name, asked->second, *actual);
        change.newValue = std::move(*actual);
    }
    if (moved) {
        static_cast<void>(restore(admin));
        return fail(std::move(*moved));
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
        if (problem) {
            m_notRestored.push_back(back.name);
            if (!first)
                first = std::move(problem);
        }
    }
    if (first)
        return fail(std::move(*first));
    return {};
}

} // namespace dyno
