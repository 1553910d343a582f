// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reading and declaring connection knobs, for drivers.
#pragma once

#include "driver/driver.h"

namespace dyno {

//! The knob, else the URI's query; "" when neither is given.
[[nodiscard]] std::string knobOrQuery(const ConnectTarget& target, std::string_view name);
//! "NAME cannot be "VALUE"", with what would be right.
[[nodiscard]] Error badOption(const ConnectTarget& target, std::string_view name, std::string_view value,
                              std::string_view right);
[[nodiscard]] OptionSpec choiceOption(std::string name, std::string label, std::string help, std::string fallback,
                                      std::vector<std::string> choices);

} // namespace dyno
