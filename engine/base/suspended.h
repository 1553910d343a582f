// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The time in which this machine was suspended, which nowNs() does not have. Any thread.
#pragma once

#include "base/clock.h"

#include <time.h>

namespace dyno {

//! Nanoseconds for which the machine was suspended since it started, give or take a millisecond; 0 where the kernel
//! does not say.
inline std::int64_t suspendedNs()
{
    constexpr std::int64_t kNearNs = 1'000'000; // a thread may be preempted, or the machine suspended, in between
    for (;;) {
        const std::int64_t before = nowNs();
        timespec boot{};
        if (::clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
            return 0;
        const std::int64_t bootNs = std::int64_t(boot.tv_sec) * 1'000'000'000 + boot.tv_nsec;
        if (nowNs() - before <= kNearNs)
            return bootNs - before;
    }
}

} // namespace dyno
