// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How much of a server's own instruments a point wants on: what the server counts and times of its statements and
//! waits, at a cost to all who use it. They are never switched on unless a plan says so, and are put back afterwards.
#pragma once

#include <cstdint>

namespace dyno {

enum class InstrumentsLevel : std::uint8_t {
    None,  //!< nothing is touched: what is on stays on
    Light, //!< statements by kind
    Full,  //!< also waits, stages, transactions and locks
};
[[nodiscard]] const char* toText(InstrumentsLevel level); //!< "none", "light", "full"

constexpr const char* kInstrumentsKey = "load.instruments";

} // namespace dyno
