// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The time in which this machine was suspended, which nowNs() does not have. Any thread.
#pragma once

#include "base/clock.h"

#include <time.h>

namespace dyno {

//! Nanoseconds since the machine started, give or take those between the readings of two clocks; 0 where the kernel
//! does not say.
inline std::int64_t suspendedNs()
{
    timespec boot{};
    const bool known = ::clock_gettime(CLOCK_BOOTTIME, &boot) == 0;
    return known ? std::int64_t(boot.tv_sec) * 1'000'000'000 + boot.tv_nsec - nowNs() : 0;
}

} // namespace dyno
