// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the load generator itself costs, and whether it got the processor when it wanted it.
#pragma once

#include <dyno/samples.h>

#include <cstdint>
#include <unordered_map>

namespace dyno {

//! Reads the process's own figures from getrusage() and /proc. One thread at a time. What this system does not tell
//! stays 0. A call costs three reads and one more small file for each thread of the process: tens of microseconds
//! with a few threads, some milliseconds with thousands.
class SelfHealth
{
public:
    SelfHealth();
    ~SelfHealth();
    SelfHealth(const SelfHealth&) = delete;
    SelfHealth& operator=(const SelfHealth&) = delete;

    //! The figures since the last call, or since construction.
    [[nodiscard]] ClientHealth take();

private:
    double cpuSince();
    double hostBusySince();
    double schedDelaySince();
    [[nodiscard]] std::uint64_t residentBytes() const;

    int m_statm = -1;
    int m_stat = -1;
    double m_cpuSeconds = 0;
    std::uint64_t m_hostBusyTicks = 0, m_hostTotalTicks = 0;
    std::unordered_map<int, std::uint64_t> m_waitNs; //!< by thread
};

} // namespace dyno
