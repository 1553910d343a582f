// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What another machine does while a run lasts, beside the counters of the server. How it is reached is not known here.
#pragma once

#include "metrics/host_usage.h"
#include "monitor/counter_monitor.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! A way to a machine that runs hostScript(). Called on the threads of monitors, and possibly after these are gone.
class MachineWay
{
public:
    struct Answer
    {
        std::string greeting, text;
    };
    virtual ~MachineWay() = default;
    //! `enough`, asked while it waits, ends it soon.
    //! `sent`: it is connected, and the question is on its way.
    [[nodiscard]] virtual Expected<Answer> ask(std::chrono::milliseconds patience, const std::function<bool()>& enough,
                                               const std::function<void()>& sent) = 0;
    virtual void refuse(const Error& why) = 0;            //!< of what it answered
    [[nodiscard]] virtual std::int64_t cpuNs() const = 0; //!< that it took on this machine up to the last answer
};

//! The series of one machine over all runs of a session. Any thread.
class MachineReader
{
public:
    static constexpr std::chrono::milliseconds kPatience{3000}; //!< for an answer, with connecting

    //! `name`: CounterInfo::source of its series.
    MachineReader(std::string name, std::unique_ptr<MachineWay> way);
    //! Which there are; asks for them, unless an earlier answer says so.
    [[nodiscard]] Expected<std::vector<CounterInfo>> series(std::chrono::milliseconds patience,
                                                            const std::function<bool()>& enough);
    //! A value for each of them, over the time since the last call by the machine's own clock.
    [[nodiscard]] Expected<std::vector<double>> take(const std::function<bool()>& enough, AskMeter& meter);
    //! Of the next take(): nothing is said of the time before it.
    void forget();
    [[nodiscard]] const std::string& name() const { return m_name; }

private:
    //! The place has a new answer then.
    [[nodiscard]] Expected<void> ask(std::chrono::milliseconds patience, const std::function<bool()>& enough,
                                     AskMeter& meter);

    std::string m_name;
    std::unique_ptr<MachineWay> m_way;
    std::mutex m_mutex; //!< for all below
    std::shared_ptr<AnsweredPlace> m_place;
    std::optional<HostUsage> m_usage;
};

//! Asks it once an interval, at most about once a second. `series` as it has them.
[[nodiscard]] std::unique_ptr<CounterMonitor> monitorOf(std::shared_ptr<MachineReader> reader,
                                                        const std::vector<CounterInfo>& series);

} // namespace dyno
