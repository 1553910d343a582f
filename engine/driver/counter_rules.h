// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What is known of counters that a server tells and nobody chose one by one: by their names.
#pragma once

#include "base/pattern.h"
#include <dyno/samples.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace dyno {

//! The whole text as a number; not a number for anything else.
[[nodiscard]] inline double counterNumberIn(std::string_view text)
{
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem == std::errc() && end == text.data() + text.size() && std::isfinite(value)
               ? value
               : std::numeric_limits<double>::quiet_NaN();
}

//! `pattern`: see fitsPattern().
struct CounterUnit
{
    const char* pattern;
    const char* unit;
};

//! A counter that is kept beside the chosen ones. It is a level where its name fits one of `levels`, else a count; its
//! unit is that of the first pattern which fits, "" where none does.
[[nodiscard]] inline CounterInfo hiddenCounter(std::string name, std::span<const char* const> levels,
                                               std::span<const CounterUnit> units)
{
    CounterInfo info;
    info.source = "server";
    info.hidden = true;
    for (const char* level : levels)
        info.rate = info.rate && !fitsPattern(name, level);
    for (const CounterUnit& one : units) {
        if (fitsPattern(name, one.pattern)) {
            info.unit = one.unit;
            break;
        }
    }
    info.name = std::move(name);
    return info;
}

} // namespace dyno
