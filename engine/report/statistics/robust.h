// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Statistics that single wild values hardly move. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dyno {

//! By this a median absolute deviation estimates the standard deviation of normally distributed values: 1 / Φ⁻¹(3/4)
//! (Hampel, "The Influence Curve and Its Role in Robust Estimation", JASA 69, 1974).
inline constexpr double kMadToDeviation = 1.4826;

//! The middle value, or the mean of the two in the middle. `values`: at least one.
inline double medianOf(std::vector<double> values)
{
    const auto half = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    return values.size() % 2 == 1 ? *half : (*std::max_element(values.begin(), half) + *half) / 2;
}

} // namespace dyno
