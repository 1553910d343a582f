// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the null target is told to do: how long requests take, when nothing is worked on, which requests fail. A real
//! driver has nothing like it beside the list of its connection options.
#pragma once

#include "base/random.h"
#include "driver/driver.h"

namespace dyno {

//! How service times are spread around their mean.
enum class ServiceDistribution : std::uint8_t { Constant, Exponential, Uniform, Lognormal };

//! From the connection knobs and, before them, the URI.
struct NullScript
{
    std::int64_t serviceNs = 0; //!< mean
    ServiceDistribution distribution = ServiceDistribution::Constant;
    double spread = 0;
    std::uint64_t seed = 1;
    std::int64_t freezeEveryNs = 0;
    std::int64_t freezeNs = 0;
    std::int64_t failEvery = 0;
    Outcome failure = Outcome::Retryable;
    bool pending = false;

    [[nodiscard]] std::int64_t drawServiceNs(Random& random) const;
    //! When a request is through that begins at `startNs` and needs `workNs`: no work is done in a freeze.
    [[nodiscard]] std::int64_t doneAt(std::int64_t startNs, std::int64_t workNs) const;
};

//! The scope "connection" of this driver.
[[nodiscard]] OptionSpecs nullOptions();
//! Errors name the option that cannot be so.
[[nodiscard]] Expected<NullScript> nullScriptOf(const ConnectTarget& target);

} // namespace dyno
