// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Counts what a thread allocates with operator new. A program with a suite that includes this has allocation_count.cpp among
//! its sources, which replaces the global operators.
#pragma once

#include <cstdint>

namespace dyno::test {

//! Allocations of this thread so far.
[[nodiscard]] std::uint64_t allocations();

} // namespace dyno::test
