// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Time for the engine: nanoseconds on a monotonic clock, real or set by hand in tests.
#pragma once

#include <chrono>
#include <cstdint>

namespace dyno {

//! CLOCK_MONOTONIC in nanoseconds; costs about 25 ns where the clock source is tsc.
inline std::int64_t nowNs()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

//! The control thread's clock: what waits can be tested without sleeping.
class Clock
{
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual std::int64_t now() const = 0; //!< ns
};

class RealClock final : public Clock
{
public:
    [[nodiscard]] std::int64_t now() const override { return nowNs(); }
};

class ManualClock final : public Clock
{
public:
    [[nodiscard]] std::int64_t now() const override { return m_now; }
    void advance(std::int64_t ns) { m_now += ns; }

private:
    std::int64_t m_now = 0;
};

} // namespace dyno
