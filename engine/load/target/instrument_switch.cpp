// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/target/instrument_switch.h"

#include "base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyno {

Expected<void> InstrumentSwitch::apply(Admin& admin, InstrumentsLevel level, const Settings& ofPoint)
{
    m_told.clear();
    if (level != m_level && changed()) {
        // Each level begins at what the server has by itself, so that a point is the same whatever came before it.
        if (auto back = putBack(admin); !back)
            return back;
    }
    if (level != m_level)
        m_what.clear();
    m_level = level;
    if (level == InstrumentsLevel::None)
        return {};
    auto done = switchOn(admin, ofPoint);
    if (!done && done.error().kind == ErrorKind::Refused) {
        const Error& why = done.error();
        m_told = fmt::format("{}: not switched on, {}{}{}", toText(level), why.message, why.remedy.empty() ? "" : "; ",
                             why.remedy);
        m_what.clear();
        return {};
    }
    return done;
}

Expected<void> InstrumentSwitch::switchOn(Admin& admin, const Settings& ofPoint)
{
    auto settings = admin.instruments(m_level);
    if (!settings)
        return fail(std::move(settings.error()));
    std::vector<std::string> set;               // by the point itself
    for (const auto& [name, value] : ofPoint) { // servers tell no case of letters apart
        if (settings->wanted.erase(lowered(name)) > 0)
            set.push_back(name);
    }
    if (!changed()) { // else it says what a restart of the server took
        m_what = std::move(settings->what);
        if (!m_what.empty() && !set.empty())
            m_what += fmt::format(" (except {}, which the plan sets)", fmt::join(set, ", "));
    }
    if (auto applied = m_guard.apply(admin, settings->wanted); !applied)
        return fail(std::move(applied.error()));
    m_told = m_what.empty() ? fmt::format("{}: already on", toText(m_level))
                            : fmt::format("{}: {} switched on, put back afterwards", toText(m_level), m_what);
    return {};
}

Expected<void> InstrumentSwitch::putBack(Admin& admin)
{
    auto back = m_guard.restore(admin);
    if (!back && changed())
        return back;
    if (!back)
        m_left.push_back(back.error().message);
    return {};
}

void InstrumentSwitch::forget()
{
    m_guard = KnobGuard(m_announce);
    m_what.clear();
}

Expected<void> InstrumentSwitch::restore(Admin& admin)
{
    m_level = InstrumentsLevel::None;
    return m_guard.restore(admin);
}

std::vector<std::string> InstrumentSwitch::notRestored() const
{
    std::vector<std::string> names = m_guard.notRestored();
    for (const KnobChange& change : m_guard.changes()) {
        if (std::ranges::find(names, change.name) == names.end())
            names.push_back(change.name);
    }
    return names;
}

} // namespace dyno
