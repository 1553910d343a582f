// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/pivot/meanings.h"

#include "report/format.h"

#include <dyno/catalog.h>
#include <dyno/uri.h>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

namespace dyno::report {

const std::vector<KnobInfo>& allKnobs()
{
    static const std::vector<KnobInfo> all = knobs();
    return all;
}

std::optional<std::pair<std::string, Value>> inForce(const KnobInfo& knob, const RunHeader& run)
{
    const auto edition = editionFor(knob, run.server.product, run.server.version);
    if (!edition)
        return {};
    const std::string& name = edition->name;
    for (const Settings* settings : {&run.effective, &run.server.variables}) {
        for (const std::string& key : {name, knob.scope + "." + name, knob.scope + "." + knob.option.name}) {
            const auto found = settings->find(key);
            if (found != settings->end() && !toText(found->second).empty())
                return std::pair(name, found->second);
        }
    }
    return {};
}

std::string meaningText(const KnobInfo& knob, const Value& value)
{
    const auto meaning = meaningOf(knob, value);
    if (!meaning)
        return toText(value);
    return knob.scale != 0 ? bytes(double(parseBytes(*meaning).value_or(0))) : *meaning;
}

namespace {

//! What the runs say of one meaning.
struct SaidOfMeaning
{
    std::string topic;
    std::set<std::string> keys; //!< "server.sync_binlog": the knobs that stand for it
    //! What a value means → the settings that say so, each once, both in the order of the runs.
    std::vector<std::pair<std::string, std::vector<std::string>>> values;
    std::size_t runs = 0;

    void add(const std::string& text, const std::string& setting)
    {
        ++runs;
        auto found = std::ranges::find(values, text, &std::pair<std::string, std::vector<std::string>>::first);
        if (found == values.end())
            found = values.insert(values.end(), {text, {}});
        if (std::ranges::find(found->second, setting) == found->second.end())
            found->second.push_back(setting);
    }
};

} // namespace

Meanings meaningsThatDiffer(const std::vector<StoredSession>& sessions)
{
    std::map<std::string, SaidOfMeaning> told;
    std::set<std::string> products;
    std::size_t runs = 0;
    for (const StoredSession& session : sessions) {
        for (const StoredRun& run : session.runs) {
            const auto point = static_cast<std::size_t>(run.header.point);
            if (run.header.server.product.empty() || run.header.point < 0 || point >= session.header.points.size())
                continue;
            const auto uri = parseUri(session.header.points[point].target.uri);
            if (!uri)
                continue;
            ++runs;
            products.insert(run.header.server.product);
            std::set<std::string> seen;
            for (const KnobInfo& knob : allKnobs()) {
                if (knob.meaning.empty() || knob.driver != uri->driver || seen.contains(knob.meaning))
                    continue;
                const auto setting = inForce(knob, run.header);
                if (!setting)
                    continue;
                seen.insert(knob.meaning);
                SaidOfMeaning& one = told[knob.meaning];
                one.topic = knob.topic;
                one.keys.insert(knob.scope + "." + knob.option.name);
                const std::string text = meaningText(knob, setting->second), value = toText(setting->second);
                one.add(text, text == value ? setting->first : fmt::format("{} = {}", setting->first, value));
            }
        }
    }
    Meanings result;
    if (products.size() < 2)
        return result;
    for (const auto& [meaning, one] : told) {
        const bool everywhere = one.runs == runs;
        if (everywhere && one.keys.size() < 2)
            continue; // all call it the same: it is compared as any other setting
        Difference difference{.name = meaning, .values = {}, .topic = one.topic};
        for (const auto& [text, settings] : one.values)
            difference.values.push_back(fmt::format("{} ({})", text, fmt::join(settings, ", ")));
        const bool off = one.values.size() == 1 && sameValue(one.values.front().first, "off");
        if (!everywhere && !off)
            difference.values.emplace_back("(no such setting)");
        for (const std::string& key : one.keys) {
            result.names.insert(key);
            result.names.insert(key.substr(key.find('.') + 1));
        }
        if (difference.values.size() > 1)
            result.differences.push_back(std::move(difference));
    }
    return result;
}

std::string topicOf(std::string_view name)
{
    const std::size_t dot = name.find('.');
    const std::string_view scope = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
    const std::string_view bare = dot == std::string_view::npos ? name : name.substr(dot + 1);
    for (const KnobInfo& knob : allKnobs()) {
        const bool called = knob.option.name == bare ||
                            std::ranges::find(knob.editions, bare, &KnobEdition::name) != knob.editions.end();
        if (called && !knob.topic.empty() && (scope.empty() || scope == knob.scope))
            return knob.topic;
    }
    return {};
}

} // namespace dyno::report
