// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Other machines whose figures a session stores beside the server's: settings of the plan as a whole,
//! "machine.NAME" = "ssh user@host".
#pragma once

#include "server/host/ssh_destination.h"

#include <dyno/plan.h>

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

inline constexpr std::string_view kMachineScope = "machine";
constexpr std::size_t kMostMachines = 8; //!< of a plan: each has a thread and a connection

struct Machine
{
    std::string name; //!< as series are told apart by it
    SshDestination to;
};

//! One of them by its setting. An error says what is wrong and what would be right.
[[nodiscard]] Expected<Machine> machineFrom(std::string_view name, const Value& value);
//! As a plan has it.
[[nodiscard]] std::string machineSetting(const SshDestination& to);
//! All of a plan without faults, in the order of their names.
[[nodiscard]] std::vector<Machine> machinesOf(const Plan& plan);

} // namespace dyno
