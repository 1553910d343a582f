// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The other machines that a session watches over ssh, with connections that last for all its runs.
#pragma once

#include "load/run_controller.h"
#include "monitor/counter_monitor.h"
#include "monitor/machine/machine_monitor.h"

#include <dyno/plan.h>

#include <functional>
#include <memory>
#include <vector>

namespace dyno {

struct Machine;

//! Connects to it, asks once which series it has, and leaves it. Blocks for seconds at most; any thread. `enough` as
//! below.
[[nodiscard]] Expected<std::vector<CounterInfo>> seriesOfMachine(const Machine& machine,
                                                                 const std::function<bool()>& enough);

//! Control thread.
class WatchedMachines
{
public:
    //! Of the machines of the plan those whose series are known, with these at the end of `counters`; all are asked at
    //! the same time, in seconds at most. Events say of which nothing is known and why. `enough`, asked on other
    //! threads, ends it soon.
    [[nodiscard]] std::vector<std::unique_ptr<CounterMonitor>> watch(const Plan& plan,
                                                                     std::vector<CounterInfo>& counters,
                                                                     std::vector<EarlyEvent>& events,
                                                                     const std::function<bool()>& enough);

private:
    struct One
    {
        std::shared_ptr<MachineReader> reader;
        bool silent = false; //!< it did not answer before the last run
    };
    std::vector<One> m_machines;
    bool m_known = false; //!< those of the plan are there
};

} // namespace dyno
