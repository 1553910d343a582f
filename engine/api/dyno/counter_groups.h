// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Counters of a server that are looked at together. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

struct CounterGroup
{
    std::string title;              //!< the subject: "Locks"
    std::vector<std::string> names; //!< in the order they are shown, each as meansCounter() takes it
};

//! Those of a driver's servers. A server has at least one counter of each group that fits its product; versions lack
//! some. Empty for a driver that has none or that this build does not have.
[[nodiscard]] std::vector<CounterGroup> counterGroups(std::string_view driver);

} // namespace dyno
