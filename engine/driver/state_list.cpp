// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/state_list.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace dyno {

namespace {

constexpr std::size_t kShownStates = 3;
constexpr std::array<std::string_view, 6> kStateWords{"YES", "NO", "YES/NO", "NO/YES", "ENABLED", "DISABLED"};

} // namespace

StateList::StateList(std::string_view text)
{
    m_most = text.substr(0, text.find('|'));
    while (text.find('|') != text.npos) {
        text.remove_prefix(text.find('|') + 1);
        const std::string_view one = text.substr(0, text.find('|'));
        if (const auto mark = one.find('='); mark != one.npos)
            m_others.emplace(one.substr(mark + 1), one.substr(0, mark));
        else
            m_others.emplace(std::string(), one); // no name has it: its state is looked at all the same
    }
}

StateList::StateList(const States& states)
{
    std::map<std::string_view, std::size_t> counts;
    for (const auto& [name, state] : states)
        ++counts[state];
    if (const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
        most != counts.end())
        m_most = most->first;
    for (const auto& [name, state] : states) {
        if (state != m_most)
            m_others.emplace(name, state);
    }
}

std::string StateList::text() const
{
    std::string text = m_most;
    for (const auto& [name, state] : m_others)
        text += fmt::format("|{}={}", state, name);
    return text;
}

std::string_view StateList::of(std::string_view name) const
{
    const auto found = m_others.find(name);
    return found == m_others.end() ? m_most : std::string_view(found->second);
}

bool StateList::allAmong(const std::vector<std::string_view>& states) const
{
    const auto known = [&states](std::string_view one) { return std::ranges::count(states, one) > 0; };
    return known(m_most) && std::ranges::all_of(m_others, [&known](const auto& one) { return known(one.second); });
}

std::optional<StatesBack> StatesBack::from(std::string_view old, std::string_view ours, std::string_view found)
{
    const std::vector<std::string_view> words(kStateWords.begin(), kStateWords.end());
    const StateList before(old), set(ours), now(found);
    if (!before.allAmong(words) || !set.allAmong(words) || !now.allAmong(words))
        return {};
    std::set<std::string, std::less<>> names;
    for (const StateList* list : {&before, &set, &now}) {
        for (const auto& [name, state] : list->m_others)
            names.insert(name);
    }
    // Those without a name in any of the lists are alike.
    StateList next;
    next.m_most = now.m_most == set.m_most ? before.m_most : now.m_most;
    std::vector<std::string> stay;
    std::string state;
    if (next.m_most != before.m_most) {
        stay.emplace_back("most");
        state = next.m_most;
    }
    for (const std::string& name : names) {
        const std::string_view to = now.of(name) == set.of(name) ? before.of(name) : now.of(name);
        if (to != next.m_most)
            next.m_others.emplace(name, to);
        if (to == before.of(name))
            continue;
        stay.push_back(name);
        if (state.empty())
            state = to;
    }
    StatesBack back{next.text(), {}};
    if (stay.empty())
        return back;
    const std::size_t more = stay.size() > kShownStates ? stay.size() - kShownStates : 0;
    stay.resize(stay.size() - more);
    back.othersNow = fmt::format("{} for {}", state, fmt::join(stay, ", "));
    if (more > 0)
        back.othersNow += fmt::format(" and {} other{}", more, more == 1 ? "" : "s");
    return back;
}

std::string shownStates(std::string_view text)
{
    const auto others = std::ranges::count(text, '|');
    const std::string most(text.substr(0, text.find('|')));
    return others == 0 ? most : fmt::format("{}, {} other{}", most, others, others == 1 ? "" : "s");
}

} // namespace dyno
