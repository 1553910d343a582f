// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which of its statistics a PostgreSQL server is asked for: versions have them in different places. Pure.
#pragma once

#include "driver/driver.h"

#include <set>
#include <string>
#include <vector>

namespace dyno::postgresql {

struct CounterChoice
{
    std::vector<CounterInfo> counters;
    std::string query; //!< one row with their values; "" when there are none
};
//! Of a server whose statistics views have these columns, each as "view.column". `numbers`: those of them that are
//! numbers: what is not chosen of them is kept beside the chosen ones, under that name.
[[nodiscard]] CounterChoice countersFor(const std::set<std::string>& columns,
                                        const std::set<std::string>& numbers = {});

} // namespace dyno::postgresql
