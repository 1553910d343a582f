// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/connection_knobs.h"

#include <fmt/format.h>

namespace dyno {

std::string knobOrQuery(const ConnectTarget& target, std::string_view name)
{
    const std::string knob = textOf(target.connection, name);
    if (!knob.empty())
        return knob;
    const auto it = target.uri.query.find(name);
    return it == target.uri.query.end() ? std::string() : it->second;
}

Error badOption(const ConnectTarget& target, std::string_view name, std::string_view value, std::string_view right)
{
    return {ErrorKind::BadInput, fmt::format("{} cannot be \"{}\"", name, value), target.uri.display(),
            fmt::format("{} is {}", name, right)};
}

OptionSpec choiceOption(std::string name, std::string label, std::string help, std::string fallback,
                        std::vector<std::string> choices)
{
    OptionSpec option{.name = std::move(name), .label = std::move(label), .help = std::move(help)};
    option.type = OptionType::Choice;
    option.defaultValue = std::move(fallback);
    option.choices = std::move(choices);
    return option;
}

} // namespace dyno
