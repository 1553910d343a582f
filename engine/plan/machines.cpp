// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/machines.h"

#include "base/text.h"
#include "plan/exporters.h"
#include "plan/field_values.h"
#include "plan/plan_fields.h"

#include <fmt/format.h>

namespace dyno {

namespace {

constexpr std::size_t kLongestMachine = 512;
constexpr std::string_view kSsh = "ssh ";

} // namespace

Expected<Machine> machineFrom(std::string_view name, const Value& value)
{
    if (!isSourceName(name))
        return badValue(fmt::format("\"{}\" is no name for a machine", name), sourceNameRule());
    const auto* text = std::get_if<std::string>(&value);
    if (!text || text->size() > kLongestMachine || hasControlByte(*text) || !text->starts_with(kSsh))
        return badValue("a machine is reached by ssh", "write \"ssh USER@HOST\"");
    auto to = sshDestinationFrom(trimmed(text->substr(kSsh.size())));
    if (!to)
        return badValue(to.error().message, to.error().remedy);
    return Machine{std::string(name), std::move(*to)};
}

std::string machineSetting(const SshDestination& to)
{
    return std::string(kSsh) + to.display();
}

std::vector<Machine> machinesOf(const Plan& plan)
{
    std::vector<Machine> machines;
    for (const auto& [key, value] : plan.set) {
        const auto [scope, name] = splitScope(key);
        if (scope != kMachineScope || machines.size() >= kMostMachines)
            continue;
        if (auto one = machineFrom(name, value))
            machines.push_back(std::move(*one));
    }
    return machines;
}

} // namespace dyno
