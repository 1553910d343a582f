// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/counter_events.h"

#include <algorithm>
#include <utility>

namespace dyno {

CounterEvents::CounterEvents(std::vector<EventRule> rules, const std::vector<std::string>& names)
{
    const auto placeOf = [&names](const std::string& name) {
        const auto found = name.empty() ? names.end() : std::ranges::find(names, name);
        return found == names.end() ? kNowhere : std::size_t(found - names.begin());
    };
    for (EventRule& rule : rules) {
        Watched one;
        for (const std::string& name : rule.counts) {
            if (const std::size_t place = placeOf(name); place != kNowhere)
                one.counts.push_back(place);
        }
        one.level = placeOf(rule.level);
        one.limit = placeOf(rule.limit);
        one.amount = placeOf(rule.amount);
        one.follows = one.amount != kNowhere && !one.counts.empty() &&
                      std::ranges::find(one.counts, one.amount) == one.counts.end();
        if (one.counts.empty() && (one.level == kNowhere || one.limit == kNowhere))
            continue;
        one.rule = std::move(rule);
        m_watched.push_back(std::move(one));
    }
}

double CounterEvents::growth(std::size_t count, const std::vector<double>& values) const
{
    const double grew = values[count] - m_values[count];
    return grew > 0 ? grew : 0; // not where one of them is not a number, either
}

bool CounterEvents::happens(const Watched& one, const std::vector<double>& values) const
{
    if (std::ranges::any_of(one.counts, [&](std::size_t count) { return growth(count, values) > 0; }))
        return true;
    return one.level != kNowhere && one.limit != kNowhere && values[one.limit] > 0 &&
           values[one.level] > one.rule.share * values[one.limit];
}

void CounterEvents::add(std::int64_t atNs, const std::vector<double>& values)
{
    if (values.size() != m_values.size())
        reset();
    if (!m_values.empty()) {
        for (Watched& one : m_watched)
            look(one, atNs, values);
    }
    m_values = values;
    m_atNs = atNs;
}

void CounterEvents::look(Watched& one, std::int64_t atNs, const std::vector<double>& values)
{
    ++one.answers;
    const bool counted = happens(one, values), before = std::exchange(one.counted, counted);
    one.active += counted ? 1 : 0;
    const double more = one.amount == kNowhere ? 0 : growth(one.amount, values);
    const bool goesOn = one.follows && more > 0;
    if (!counted && !goesOn) {
        if (!one.follows || atNs - one.toNs >= kPauseNs)
            end(one);
        return;
    }
    if (one.follows && counted && !before)
        end(one);
    if (!std::exchange(one.lasts, true)) {
        one.fromNs = m_atNs;
        one.grew = 0;
    }
    one.toNs = atNs;
    one.grew += more;
}

void CounterEvents::reset()
{
    for (Watched& one : m_watched)
        end(one);
    m_values.clear();
}

void CounterEvents::end(Watched& one)
{
    if (!std::exchange(one.lasts, false))
        return;
    const bool often = one.told >= kSingleEvents && one.active * 2 > one.answers;
    if (one.untold > 0 || often || one.told >= kMostOfARule) {
        one.firstNs = one.untold++ == 0 ? one.fromNs : one.firstNs;
        one.lastNs = one.toNs;
        return;
    }
    ++one.told;
    CounterEvent event{one.fromNs, one.toNs, one.rule.sentence, {}, one.rule.unit};
    if (one.amount != kNowhere && one.grew > 0)
        event.amount = one.grew * one.rule.scale;
    m_over.push_back(std::move(event));
}

std::vector<CounterEvent> CounterEvents::take()
{
    std::ranges::stable_sort(m_over, {}, &CounterEvent::fromNs);
    return std::exchange(m_over, {});
}

std::vector<CounterEvent> CounterEvents::takeLast()
{
    reset();
    for (Watched& one : m_watched) {
        if (std::exchange(one.untold, 0) > 0)
            m_over.push_back({one.firstNs, one.lastNs, one.rule.sentence, {}, {}, one.active, one.answers});
    }
    return take();
}

} // namespace dyno
