// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Counts what a thread allocates with operator new, and how much it holds. A program with a suite that includes this
//! has allocation_count.cpp among its sources, which replaces the global operators.
#pragma once

#include <cstdint>

namespace dyno::test {

//! Allocations of this thread so far.
[[nodiscard]] std::uint64_t allocations();

//! The most bytes that this thread held at a time since beginPeak(), beyond those that it held then.
[[nodiscard]] std::int64_t peakBytes();
void beginPeak();

} // namespace dyno::test
