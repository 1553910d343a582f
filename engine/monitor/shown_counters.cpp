// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/shown_counters.h>

#include "base/nearest.h"
#include "base/pattern.h"
#include "metrics/host_usage.h"
#include <dyno/formula.h>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyno {

namespace {

constexpr std::size_t kMostNear = 3;           //!< names in a sentence
constexpr std::string_view kServer = "server"; // whose counters need no source before them
constexpr std::string_view kCounterOf = "counter:";

//! As a formula has it.
std::string nameInFormula(const CounterInfo& counter)
{
    return counter.source == kServer ? counter.name : fmt::format("{}/{}", counter.source, counter.name);
}

//! Those that hold what was written, else the one that it is a slip of.
std::vector<std::string> nearTo(std::string_view name, const std::vector<std::string>& all)
{
    std::vector<std::string> near;
    for (const std::string& one : all) {
        if (near.size() < kMostNear && fitsPattern(one, fmt::format("*{}*", name)))
            near.push_back(one);
    }
    if (near.empty()) {
        if (std::string one = nearestName(name, all); !one.empty())
            near.push_back(std::move(one));
    }
    return near;
}

std::string nearText(std::string_view name, const std::vector<CounterInfo>& counters)
{
    std::vector<std::string> all;
    for (const CounterInfo& counter : counters)
        all.push_back(counter.name);
    const std::vector<std::string> near = nearTo(name, all);
    return near.empty() ? std::string() : fmt::format("; near it: {}", fmt::join(near, ", "));
}

//! What a series of a machine's disk tells of it: "bytes read" of "vda bytes read". "" = it is of no disk.
std::string_view figureOfDisk(std::string_view name)
{
    constexpr std::string_view kLink = "link "; // "link busy"
    for (const std::string_view figure : HostUsage::diskFigures()) {
        const std::size_t device = name.size() - std::min(figure.size(), name.size());
        if (device > 1 && name.ends_with(figure) && name.find(' ') == device - 1 && !name.starts_with(kLink))
            return figure;
    }
    return {};
}

//! `text` behind the name of a machine: its name, words of it parted by dots ("network.received"), or what all disks
//! tell ("disk.reads").
bool meansFigure(std::string_view text, std::string_view name)
{
    if (fitsPattern(name, text))
        return true;
    std::string words(text);
    std::ranges::replace(words, '.', ' ');
    constexpr std::string_view kDisk = "disk ";
    const std::string_view figure = figureOfDisk(name);
    return fitsPattern(name, words) ||
           (!figure.empty() && words.size() > kDisk.size() && fitsPattern(kDisk, words.substr(0, kDisk.size())) &&
            fitsPattern(figure, words.substr(kDisk.size())));
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
    return (mark == '/' || mark == ':' || mark == '.') && meansFigure(trimmed(name.substr(size + 1)), counter.name);
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
        sentences.push_back(fmt::format("nothing that is observed is called \"{}\"{}", name, nearText(name, counters)));
    }
    return sentences;
}

std::vector<std::string> unknownInFormulas(const std::vector<std::string>& measures,
                                           const std::vector<CounterInfo>& counters)
{
    std::vector<std::string> unknown;
    for (const std::string& measure : measures) {
        const std::size_t colon = std::min(measure.find(':'), measure.size() - 1);
        if (measure.empty() || std::string_view(measure).substr(0, colon) != kFormulaMeasure)
            continue;
        const auto formula = Formula::parse(std::string_view(measure).substr(colon + 1));
        for (const std::string& figure : formula ? formula->measures() : std::vector<std::string>()) {
            if (!figure.starts_with(kCounterOf))
                continue;
            const std::string name = figure.substr(kCounterOf.size());
            const auto isIt = [&name](const CounterInfo& one) {
                return (one.source == kServer && one.name == name) ||
                       fmt::format("{}/{}", one.source, one.name) == name;
            };
            if (std::ranges::none_of(counters, isIt) && std::ranges::find(unknown, name) == unknown.end())
                unknown.push_back(name);
        }
    }
    return unknown;
}

std::string unknownInFormula(std::string_view name, const std::vector<CounterInfo>& counters)
{
    std::vector<std::string> all;
    for (const CounterInfo& counter : counters)
        all.push_back(nameInFormula(counter));
    const std::vector<std::string> near = nearTo(name, all);
    return fmt::format("a formula uses {}, but no counter has that name{}", name,
                       near.empty() ? std::string() : fmt::format(": did you mean {}?", fmt::join(near, ", ")));
}

} // namespace dyno
