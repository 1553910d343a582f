// SPDX-License-Identifier: GPL-3.0-or-later
#include "server/knob_guard.h"

#include "server/knob_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace dyno {

namespace {

//! Puts one value back unless somebody else has changed it since.
Expected<void> putBack(Admin& admin, const KnobChange& change)
{
    auto current = admin.variable(change.name);
    if (!current)
        return fail(std::move(current.error()));
    if (*current == change.oldValue)
        return {};
    if (*current != change.newValue)
        return fail({ErrorKind::Failed,
                     fmt::format("{} was set to {} here, but is now {}: somebody else changed it, so it was left alone",
                                 change.name, change.newValue, *current),
                     {},
                     fmt::format("it was {} before; set it by hand", change.oldValue)});
    auto restored = setAndVerify(admin, change.name, Value(change.oldValue));
    if (!restored)
        return fail(
            {restored.error().kind,
             fmt::format("{} could not be put back to {}: {}", change.name, change.oldValue, restored.error().message),
             restored.error().where, fmt::format("set it by hand to {}", change.oldValue)});
    return {};
}

} // namespace

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
        if (auto back = putBack(admin, m_changes[i]); !back)
            return fail(std::move(back.error()));
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
            return fail(std::move(taken.error()));
        }
        kept.newValue = std::move(*taken);
        inForce[name] = kept.newValue;
    }
    return inForce;
}

Expected<void> KnobGuard::restore(Admin& admin)
{
    std::optional<Error> first;
    // Backwards: a later value may have been possible only because of an earlier one.
    for (std::size_t i = m_changes.size(); i-- > 0;) {
        auto back = putBack(admin, m_changes[i]);
        // A server that does not answer may come back: its changes stay on the list for another try.
        if (back || back.error().kind != ErrorKind::Unreachable)
            m_changes.erase(m_changes.begin() + std::ptrdiff_t(i));
        if (!back && !first)
            first = std::move(back.error());
    }
    if (first)
        return fail(std::move(*first));
    return {};
}

} // namespace dyno
