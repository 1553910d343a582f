// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which counters of a server are looked at first. Any thread.
#pragma once

#include "samples.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! What a counter tells, whatever the product calls it.
enum class CounterRole { ServerCpu, Syncs, DirtyPages, DiskWrites };

//! CounterInfo::source and CounterInfo::name of a counter that plays a role.
struct MainCounter
{
    CounterRole role = CounterRole::ServerCpu;
    std::string source, name;
};

//! Those of a driver's servers, the most important first; a role that products count by different names has several.
//! Empty for a driver that names none or that this build does not have.
[[nodiscard]] std::vector<MainCounter> mainCounters(std::string_view driver);

//! Which of `counters` plays a role.
struct PlayedRole
{
    CounterRole role = CounterRole::ServerCpu;
    std::size_t counter = 0; //!< index into them
};
//! At most one counter a role, in the order of mainCounters(); roles that none of `counters` plays are not there.
[[nodiscard]] std::vector<PlayedRole> rolesOf(const std::vector<CounterInfo>& counters, std::string_view driver);

//! What it means when a counter of a driver's servers moves while throughput falls.
struct MoveReading
{
    std::string source, name; //!< CounterInfo::source and CounterInfo::name
    bool up = true;           //!< it rises; false: it falls
    std::string sentence;     //!< "Transactions waited for each other's row locks"; without a full stop
};
//! The most telling one first. Empty for a driver that has none or that this build does not have.
[[nodiscard]] std::vector<MoveReading> moveReadings(std::string_view driver);

} // namespace dyno
