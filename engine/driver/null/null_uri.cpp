// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/null/null_driver.h"

namespace dyno {

namespace {

constexpr double kLongestServiceUs = 3.6e9; // an hour

std::vector<UriOption> optionsOfNull()
{
    return {
        {{.name = "service_us",
          .label = "Service time",
          .help =
              "How long each request takes on average, in microseconds. Connect, prepare, begin, commit and rollback "
              "take no time.",
          .type = OptionType::Integer,
          .defaultValue = std::int64_t(0),
          .unit = "µs",
          .minimum = 0,
          .maximum = kLongestServiceUs}},
        {{.name = "service_dist",
          .label = "Distribution",
          .help =
              "How service times are spread around their mean, service_us. Each user draws from a stream of its own.",
          .type = OptionType::Choice,
          .defaultValue = std::string("constant"),
          .choices = {"constant", "exponential", "uniform", "lognormal"}}},
        {{.name = "service_spread",
          .label = "Spread",
          .help = "uniform: half the width as a share of the mean, up to 1. lognormal: the standard deviation of the "
                  "logarithm. Without effect on the others.",
          .type = OptionType::Real,
          .defaultValue = 0.5,
          .minimum = 0,
          .maximum = 5}},
        {{.name = "service_seed",
          .label = "Seed",
          .help =
              "Same seed, same service times: they are a function of the seed, the user, and how many requests it has "
              "made.",
          .type = OptionType::Integer,
          .defaultValue = std::int64_t(1),
          .minimum = 0,
          .group = "advanced"}},
        {{.name = "freeze_every_ms",
          .label = "Freeze every",
          .help =
              "Period of freezes in milliseconds, 0 for none. A period begins where the monotonic clock is a multiple "
              "of it, so all users freeze together.",
          .type = OptionType::Integer,
          .defaultValue = std::int64_t(0),
          .unit = "ms",
          .minimum = 0,
          .maximum = 3.6e6,
          .group = "advanced"}},
        {{.name = "freeze_ms",
          .label = "Freeze for",
          .help = "Length of a freeze at the beginning of each period: nothing is worked on then, and what was begun "
                  "goes on "
                  "afterwards. Less than the period.",
          .type = OptionType::Integer,
          .defaultValue = std::int64_t(0),
          .unit = "ms",
          .minimum = 0,
          .maximum = 3.6e6,
          .group = "advanced"}},
        {{.name = "fail_every",
          .label = "Fail every",
          .help = "Every n-th request of a user fails; 0 means that none does.",
          .type = OptionType::Integer,
          .defaultValue = std::int64_t(0),
          .minimum = 0}},
        {{.name = "fail_as",
          .label = "Failure",
          .help = "How those requests fail.",
          .type = OptionType::Choice,
          .defaultValue = std::string("retryable"),
          .choices = {"retryable", "rejected", "timed_out", "disconnected"},
          .group = "advanced"}},
        {{.name = "pending",
          .label = "Answer later",
          .help = "Answers as a server on a socket does, so that event loops have something to wait for.",
          .type = OptionType::Bool,
          .defaultValue = false,
          .group = "advanced"}},
    };
}

bool nullWaits(const TargetUri& uri)
{
    const auto service = uri.query.find("service_us");
    if (service == uri.query.end())
        return false;
    constexpr int kWaitsFromUs = 50;              // below, the driver spins
    const Value us = parseValue(service->second); // 1e3 is a number too
    const auto* whole = std::get_if<std::int64_t>(&us);
    const auto* real = std::get_if<double>(&us);
    return (whole && *whole >= kWaitsFromUs) || (real && *real >= kWaitsFromUs);
}

} // namespace

UriForm nullUriForm()
{
    UriForm form;
    form.driver = "null";
    form.shape = UriShape::Options;
    form.kind = TargetKind::Embedded;
    form.schemes = {{"null", "null", "null:?service_us=100"}};
    form.options = optionsOfNull();
    form.commonNames = {"null"};
    form.waits = nullWaits;
    return form;
}

} // namespace dyno
