// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/shown_counters.h>

#include "base/nearest.h"
#include "base/pattern.h"

#include <algorithm>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::size_t kMostNear = 3; //!< names in a sentence

//! Those that hold what was written, else the one that it is a slip of.
std::vector<std::string> nearTo(std::string_view name, const std::vector<CounterInfo>& counters)
{
    std::vector<std::string> near, all;
    for (const CounterInfo& counter : counters) {
        all.push_back(counter.name);
        if (near.size() < kMostNear && fitsPattern(counter.name, fmt::format("*{}*", name)))
            near.push_back(counter.name);
    }
    if (near.empty()) {
        if (std::string one = nearestName(name, all); !one.empty())
            near.push_back(std::move(one));
    }
    return near;
}

} // namespace

bool meansCounter(std::string_view name, const CounterInfo& counter)
{
    if (fitsPattern(counter.name, name))
        return true;
    const std::size_t size = counter.source.size();
    if (name.size() <= size || !fitsPattern(counter.source, name.substr(0, size)))
        return false;
    const char mark = name[size];
    return (mark == '/' || mark == ':' || mark == '.') && fitsPattern(counter.name, trimmed(name.substr(size + 1)));
}

std::vector<std::string> showCounters(std::vector<CounterInfo>& counters, const std::vector<std::string>& names)
{
    std::vector<std::string> sentences;
    for (const std::string& name : names) {
        bool found = false;
        for (CounterInfo& counter : counters) {
            const bool meant = meansCounter(name, counter);
            found = found || meant;
            counter.hidden = counter.hidden && !meant;
        }
        if (found)
            continue;
        std::string sentence = fmt::format("nothing that is observed is called \"{}\"", name);
        std::string before = "; near it: ";
        for (const std::string& one : nearTo(name, counters)) {
            sentence += fmt::format("{}{}", before, one);
            before = ", ";
        }
        sentences.push_back(std::move(sentence));
    }
    return sentences;
}

} // namespace dyno
