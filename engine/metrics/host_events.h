// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What happens to this machine while a run lasts and disturbs it: swapping, heat, a process that was killed for want
//! of memory, a clock that was set, a suspend.
#pragma once

#include "metrics/counter_events.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace dyno {

class HostUsage;
inline constexpr std::array kWatchedOfMemory{"pswpin", "pswpout", "oom_kill"}; //!< of vmstat

//! From what HostUsage read in /proc/vmstat, and the cores' thermal_throttle; what the kernel does not tell is not
//! looked at. One thread at a time; a look reads a file for each core that tells of heat.
class HostEvents
{
public:
    static constexpr double kClockJump = 0.5; //!< seconds that clocks may differ between two looks

    //! `usage`: of this machine, outlives this; its take() comes before each look. `root`: where sys is found, for
    //! tests.
    explicit HostEvents(const HostUsage& usage, const std::string& root = "");
    //! `nowNs`: nowNs(); `wallNs`: since 1970; `bootNs`: bootNs(), all of the same moment. At most once a second.
    void look(std::int64_t nowNs, std::int64_t wallNs, std::int64_t bootNs);
    void look();                                        //!< now
    [[nodiscard]] std::vector<CounterEvent> take();     //!< what is over by now
    [[nodiscard]] std::vector<CounterEvent> takeLast(); //!< also what lasts

private:
    [[nodiscard]] std::vector<CounterEvent> withJumps(std::vector<CounterEvent> events);

    const HostUsage& m_usage;
    std::vector<std::pair<std::string, double>> m_heat; //!< files with their last counts
    CounterEvents m_events;
    std::vector<CounterEvent> m_jumps;
    std::int64_t m_nowNs = 0, m_wallNs = 0, m_bootNs = 0; //!< of the last look; 0: none
};

} // namespace dyno
