// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/null/null_script.h"

#include "driver/null/null_driver.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dyno {

namespace {

Outcome outcomeNamed(std::string_view name)
{
    if (name == "rejected")
        return Outcome::Rejected;
    if (name == "timed_out")
        return Outcome::TimedOut;
    return name == "disconnected" ? Outcome::Disconnected : Outcome::Retryable;
}

ServiceDistribution distributionNamed(std::string_view name)
{
    if (name == "exponential")
        return ServiceDistribution::Exponential;
    if (name == "uniform")
        return ServiceDistribution::Uniform;
    return name == "lognormal" ? ServiceDistribution::Lognormal : ServiceDistribution::Constant;
}

} // namespace

std::int64_t NullScript::drawServiceNs(Random& random) const
{
    const double mean = double(serviceNs);
    switch (distribution) {
    case ServiceDistribution::Constant:
        break;
    case ServiceDistribution::Exponential:
        return std::int64_t(-mean * std::log1p(-random.unit()));
    case ServiceDistribution::Uniform:
        return std::int64_t(mean * (1 + spread * (2 * random.unit() - 1)));
    case ServiceDistribution::Lognormal: {
        // Box and Muller's transform; the shift by half the variance keeps the mean.
        const double radius = std::sqrt(-2 * std::log1p(-random.unit()));
        const double normal = radius * std::cos(2 * std::numbers::pi * random.unit());
        return std::int64_t(mean * std::exp(spread * normal - spread * spread / 2));
    }
    }
    return serviceNs;
}

std::int64_t NullScript::doneAt(std::int64_t startNs, std::int64_t workNs) const
{
    if (freezeNs <= 0)
        return startNs + workNs;
    // Of each period the first part is frozen. In "thawed time" work takes exactly its length.
    const std::int64_t awakeNs = freezeEveryNs - freezeNs;
    const std::int64_t thawed =
        startNs / freezeEveryNs * awakeNs + std::max<std::int64_t>(0, startNs % freezeEveryNs - freezeNs);
    const std::int64_t end = thawed + workNs;
    // What ends with a period ends before the freeze that follows, but even no work waits for the end of a freeze.
    const std::int64_t periods = (workNs > 0 ? end - 1 : end) / awakeNs;
    return periods * freezeEveryNs + freezeNs + (end - periods * awakeNs);
}

OptionSpecs nullOptions()
{
    OptionSpecs options;
    for (UriOption& option : nullUriForm().options)
        options.push_back(std::move(option.spec));
    return options;
}

Expected<NullScript> nullScriptOf(const ConnectTarget& target)
{
    Settings given = target.connection;
    for (const auto& [name, value] : target.uri.query)
        given[name] = parseValue(value);
    Faults faults;
    const Settings settings = resolve(nullOptions(), given, {}, faults);
    if (!faults.empty()) {
        return fail({ErrorKind::BadInput, faults.front().where + ": " + faults.front().what, target.uri.display(),
                     faults.front().remedy});
    }
    NullScript script{.serviceNs = integerOf(settings, "service_us") * 1000,
                      .distribution = distributionNamed(textOf(settings, "service_dist")),
                      .spread = realOf(settings, "service_spread"),
                      .seed = std::uint64_t(integerOf(settings, "service_seed")),
                      .freezeEveryNs = integerOf(settings, "freeze_every_ms") * 1'000'000,
                      .freezeNs = integerOf(settings, "freeze_ms") * 1'000'000,
                      .failEvery = integerOf(settings, "fail_every"),
                      .failure = outcomeNamed(textOf(settings, "fail_as")),
                      .pending = boolOf(settings, "pending")};
    if (script.freezeNs > 0 && script.freezeNs >= script.freezeEveryNs)
        return fail({ErrorKind::BadInput, "freeze_ms must be less than freeze_every_ms", target.uri.display(),
                     "set freeze_every_ms to the time from one freeze to the next"});
    if (script.distribution == ServiceDistribution::Uniform && script.spread > 1)
        return fail({ErrorKind::BadInput, "service_spread of uniform service times is at most 1", target.uri.display(),
                     "a time cannot be below 0"});
    return script;
}

} // namespace dyno
