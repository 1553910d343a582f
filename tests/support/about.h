// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Counters of a run whose users go on while they are read.
#pragma once

#include <algorithm>

namespace dyno::test {

//! Counters are read one after the other at the borders of the measured time, while users go on: a busy machine, or a
//! sanitizer, leaves time for many transactions between two of them.
template<class Number>
bool about(Number one, Number other)
{
    return std::max(one, other) - std::min(one, other) <= 10 + std::max(one, other) / 10;
}

} // namespace dyno::test
