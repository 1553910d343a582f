// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/null/null_script.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dyno {

namespace {

constexpr double kLongestServiceUs = 3.6e9; // an hour

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
    return {
        {.name = "service_us",
         .label = "Service time",
         .help =
             "How long each request takes on average, in microseconds. Connect, prepare, begin, commit and rollback "
             "take no time.",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(0),
         .unit = "µs",
         .minimum = 0,
         .maximum = kLongestServiceUs},
        {.name = "service_dist",
         .label = "Distribution",
         .help =
             "How service times are spread around their mean, service_us. Each user draws from a stream of its own.",
         .type = OptionType::Choice,
         .defaultValue = std::string("constant"),
         .choices = {"constant", "exponential", "uniform", "lognormal"}},
        {.name = "service_spread",
         .label = "Spread",
         .help = "uniform: half the width as a share of the mean, up to 1. lognormal: the standard deviation of the "
                 "logarithm. Without effect on the others.",
         .type = OptionType::Real,
         .defaultValue = 0.5,
         .minimum = 0,
         .maximum = 5},
        {.name = "service_seed",
         .label = "Seed",
         .help =
             "Same seed, same service times: they are a function of the seed, the user, and how many requests it has "
             "made.",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(1),
         .minimum = 0,
         .group = "advanced"},
        {.name = "freeze_every_ms",
         .label = "Freeze every",
         .help =
             "Period of freezes in milliseconds, 0 for none. A period begins where the monotonic clock is a multiple "
             "of it, so all users freeze together.",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(0),
         .unit = "ms",
         .minimum = 0,
         .maximum = 3.6e6,
         .group = "advanced"},
        {.name = "freeze_ms",
         .label = "Freeze for",
         .help = "Length of a freeze at the beginning of each period: nothing is worked on then, and what was begun "
                 "goes on "
                 "afterwards. Less than the period.",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(0),
         .unit = "ms",
         .minimum = 0,
         .maximum = 3.6e6,
         .group = "advanced"},
        {.name = "fail_every",
         .label = "Fail every",
         .help = "Every n-th request of a user fails; 0 means that none does.",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(0),
         .minimum = 0},
        {.name = "fail_as",
         .label = "Failure",
         .help = "How those requests fail.",
         .type = OptionType::Choice,
         .defaultValue = std::string("retryable"),
         .choices = {"retryable", "rejected", "timed_out", "disconnected"},
         .group = "advanced"},
        {.name = "pending",
         .label = "Answer later",
         .help = "Answers as a server on a socket does, so that event loops have something to wait for.",
         .type = OptionType::Bool,
         .defaultValue = false,
         .group = "advanced"},
    };
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
