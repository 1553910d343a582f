// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Short forms of what workloads describe their parameters with.
#pragma once

#include <dyno/error.h>
#include <dyno/value.h>

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyno {

[[nodiscard]] inline OptionSpec numberOption(OptionType type, std::string name, std::string label, std::string help,
                                             Value value, std::string unit, double minimum, double maximum,
                                             std::string group)
{
    return {.name = std::move(name),
            .label = std::move(label),
            .help = std::move(help),
            .type = type,
            .defaultValue = std::move(value),
            .unit = std::move(unit),
            .minimum = minimum,
            .maximum = maximum,
            .group = std::move(group)};
}

[[nodiscard]] inline OptionSpec integerOption(std::string name, std::string label, std::string help, std::int64_t value,
                                              std::string unit, double minimum, double maximum, std::string group)
{
    return numberOption(OptionType::Integer, std::move(name), std::move(label), std::move(help), value, std::move(unit),
                        minimum, maximum, std::move(group));
}

[[nodiscard]] inline OptionSpec realOption(std::string name, std::string label, std::string help, double value,
                                           std::string unit, double minimum, double maximum, std::string group)
{
    return numberOption(OptionType::Real, std::move(name), std::move(label), std::move(help), value, std::move(unit),
                        minimum, maximum, std::move(group));
}

[[nodiscard]] inline OptionSpec flagOption(std::string name, std::string label, std::string help, bool value,
                                           std::string group)
{
    return {.name = std::move(name),
            .label = std::move(label),
            .help = std::move(help),
            .type = OptionType::Bool,
            .defaultValue = value,
            .group = std::move(group)};
}

//! OptionSpec::risk of text that becomes part of CREATE TABLE.
inline constexpr const char* kFreeTableOptions =
    "add text of its own to CREATE TABLE: it can hold further statements and name files of the server";

[[nodiscard]] inline OptionSpec textOption(std::string name, std::string label, std::string help, std::string value,
                                           std::string group)
{
    return {.name = std::move(name),
            .label = std::move(label),
            .help = std::move(help),
            .type = OptionType::Text,
            .defaultValue = std::move(value),
            .group = std::move(group)};
}

[[nodiscard]] inline OptionSpec choiceOption(std::string name, std::string label, std::string help, std::string value,
                                             std::vector<std::string> choices, std::string group)
{
    OptionSpec option =
        textOption(std::move(name), std::move(label), std::move(help), std::move(value), std::move(group));
    option.type = OptionType::Choice;
    option.choices = std::move(choices);
    return option;
}

//! The same, for one whose change needs the data to be loaded again.
[[nodiscard]] inline OptionSpec ofData(OptionSpec option)
{
    option.affectsData = true;
    return option;
}

//! A fault in a workload's parameter.
[[nodiscard]] inline tl::unexpected<Error> wrongParameter(std::string what, std::string_view option, std::string remedy)
{
    return fail({ErrorKind::BadInput, std::move(what), fmt::format("workload.{}", option), std::move(remedy)});
}

} // namespace dyno
