// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! pgbench's functions that are more than one call of the C library, by its manual ("Built-In Functions"). Hashes and
//! permutations are the same numbers as pgbench's; random numbers have its distributions, from our generator.
#pragma once

#include "base/random.h"

#include <cstdint>

namespace dyno::script {

constexpr double kLeastGaussian = 2.0;                         //!< least parameter of random_gaussian()
constexpr double kLeastZipfian = 1.001, kMostZipfian = 1000.0; //!< of random_zipfian()

//! The numbers low … high, each `low` ≤ `high` and fewer than 2^63 of them.
struct Interval
{
    std::int64_t low = 0, high = 0;
};

//! P(i) ~ e^(−parameter·i/n): the first of n numbers most often. `parameter` > 0.
[[nodiscard]] std::int64_t exponential(Random& random, Interval interval, double parameter);
//! A bell around the middle, cut off at `parameter` standard deviations on either side; `parameter` ≥ kLeastGaussian.
[[nodiscard]] std::int64_t gaussian(Random& random, Interval interval, double parameter);
//! P(i) ~ i^−exponent for the i-th of the numbers.
[[nodiscard]] std::int64_t zipfian(Random& random, Interval interval, double exponent);

[[nodiscard]] std::int64_t hashFnv1a(std::int64_t value, std::int64_t seed);
[[nodiscard]] std::int64_t hashMurmur2(std::int64_t value, std::int64_t seed);
//! Where `value` modulo `size` goes in a permutation of 0 … size − 1 that `seed` chooses; `size` > 0.
[[nodiscard]] std::int64_t permuted(std::int64_t value, std::int64_t size, std::int64_t seed);

} // namespace dyno::script
