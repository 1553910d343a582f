// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/session/observing_file.h"

#include <dyno/samples.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace dyno {

namespace {

using ObservingJson = nlohmann::ordered_json;

constexpr std::string_view kObservingOf = "observing of run ";
constexpr std::string_view kObservingEnd = ".json";
constexpr std::size_t kMostSources = 64;
constexpr std::size_t kMostObserving = std::size_t(1) << 20; //!< bytes that are read of one file
constexpr std::size_t kLongestSource = 256;
constexpr std::uint64_t kMostRequests = INT64_MAX; //!< of a stranger's file

double figureIn(const ObservingJson& json, const char* key)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number())
        return 0;
    const auto value = found->get<double>();
    return std::isfinite(value) && value >= 0 ? value : 0;
}

std::string wordIn(const ObservingJson& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>().substr(0, kLongestSource)
                                                     : std::string();
}

double thousandths(double value)
{
    return std::round(value * 1e3) / 1e3;
}

} // namespace

double ObservingCost::corePercent() const
{
    double ms = 0;
    for (const ObservedSource& one : sources)
        ms += one.cpuMs;
    return seconds > 0 ? ms / 10 / seconds : 0;
}

std::string observingFile(int run)
{
    return fmt::format("{}{}{}", kObservingOf, run + 1, kObservingEnd);
}

bool isObservingFile(std::string_view name)
{
    if (!name.starts_with(kObservingOf) || !name.ends_with(kObservingEnd))
        return false;
    name.remove_prefix(kObservingOf.size());
    name.remove_suffix(std::min(name.size(), kObservingEnd.size()));
    return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string observingJson(const std::optional<ObservingCost>& cost)
{
    if (!cost)
        return "null";
    ObservingJson json{{"seconds", thousandths(cost->seconds)},
                       {"generator_core_percent", thousandths(cost->corePercent())},
                       {"sources", ObservingJson::array()}};
    for (const ObservedSource& one : cost->sources) {
        json["sources"].push_back({{"source", one.source},
                                   {"what", one.what},
                                   {"requests", one.requests},
                                   {"per_second", thousandths(cost->perSecond(one))},
                                   {"mean_ms", thousandths(one.meanMs)},
                                   {"max_ms", thousandths(one.maxMs)},
                                   {"generator_cpu_ms", thousandths(one.cpuMs)}});
        if (one.serverCpuMs)
            json["sources"].back()["server_cpu_ms"] = thousandths(*one.serverCpuMs);
    }
    return json.dump(-1, ' ', false, ObservingJson::error_handler_t::replace);
}

ObservingCost readObserving(std::string_view text)
{
    ObservingCost cost;
    const ObservingJson json = ObservingJson::parse(text, nullptr, false);
    if (!json.is_object())
        return cost;
    cost.seconds = figureIn(json, "seconds");
    const auto sources = json.find("sources");
    if (sources == json.end() || !sources->is_array())
        return cost;
    for (std::size_t i = 0; i < std::min(sources->size(), kMostSources); ++i) {
        const ObservingJson& one = (*sources)[i];
        if (!one.is_object())
            continue;
        const auto requests = one.find("requests");
        cost.sources.push_back(
            {wordIn(one, "source"), wordIn(one, "what"),
             requests != one.end() && requests->is_number_unsigned()
                 ? std::min(requests->get<std::uint64_t>(), kMostRequests)
                 : 0,
             figureIn(one, "mean_ms"), figureIn(one, "max_ms"), figureIn(one, "generator_cpu_ms"),
             one.contains("server_cpu_ms") ? std::optional(figureIn(one, "server_cpu_ms")) : std::nullopt});
    }
    return cost;
}

bool isObservingWord(std::string_view word)
{
    constexpr std::array<std::string_view, 8> kOwn{"counters", "statement digest", "snapshots", "kernel files",
                                                   "series",   "server",           kHostSource, kProcessSource};
    return std::ranges::find(kOwn, word) != kOwn.end();
}

std::function<Expected<std::optional<ObservingCost>>(int run)> observingCosts(Library& library, std::string session)
{
    std::optional<Error> problem;
    std::set<std::string, std::less<>> names;
    if (const auto files = library.artefacts(session)) {
        for (const ArtefactInfo& file : *files)
            names.insert(file.name);
    } else {
        problem = files.error();
    }
    return [&library, session = std::move(session), problem = std::move(problem),
            names = std::move(names)](int run) -> Expected<std::optional<ObservingCost>> {
        if (problem)
            return fail(*problem);
        const std::string name = observingFile(run);
        if (!names.contains(name))
            return std::optional<ObservingCost>();
        std::string json;
        const auto read = library.artefact(session, name, [&json](std::string_view piece) {
            json += piece;
            return json.size() <= kMostObserving;
        });
        if (!read)
            return fail(read.error());
        return readObserving(json);
    };
}

Expected<std::optional<ObservingCost>> observingCost(Library& library, std::string_view session, int run)
{
    return observingCosts(library, std::string(session))(run);
}

} // namespace dyno
