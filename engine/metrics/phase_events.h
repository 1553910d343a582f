// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/samples.h>

#include <string_view>

namespace dyno {

// Texts of events of kind Phase that are always the same, beside toText(Phase::Warmup).
inline constexpr const char* kMeasuring = "measuring";
inline constexpr const char* kSettling = "settling"; //!< after a search

[[nodiscard]] inline bool isFixedPhaseEvent(std::string_view text)
{
    return text == toText(Phase::Warmup) || text == kMeasuring || text == kSettling;
}

} // namespace dyno
