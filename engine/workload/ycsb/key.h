// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! YCSB's names of records, so that data made here can be read by YCSB and the other way round.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dyno::ycsb {

constexpr std::int64_t kMaxPadding = 100; //!< digits
//! Room for "user" and the digits, also those of a padded number.
using KeyText = std::array<char, 4 + kMaxPadding + 24>;

//! FNV-1a over the eight octets of `number`, lowest first; the absolute value of the signed result, as Java's Math.abs
//! has it (the smallest number of all stays negative).
constexpr std::int64_t hashOf(std::int64_t number)
{
    std::uint64_t hash = 0xCBF29CE484222325ull;
    auto octets = std::uint64_t(number);
    for (int i = 0; i < 8; ++i) {
        hash ^= octets & 0xFF;
        hash *= 1099511628211ull;
        octets >>= 8;
    }
    const auto value = std::int64_t(hash);
    return value < 0 ? std::int64_t(0 - hash) : value;
}

//! "user" and the number, or its hash unless `ordered`, with zeros before it up to `padding` digits. The view is into `out`.
inline std::string_view writeKey(KeyText& out, std::int64_t number, bool ordered, int padding)
{
    constexpr std::string_view kPrefix = "user";
    std::array<char, 24> digits;
    char* const first = digits.data();
    char* const end = std::to_chars(first, first + digits.size(), ordered ? number : hashOf(number)).ptr;
    char* to = std::copy(kPrefix.begin(), kPrefix.end(), out.data());
    to = std::fill_n(to, std::max<std::ptrdiff_t>(0, padding - (end - first)), '0');
    to = std::copy(first, end, to);
    return {out.data(), std::size_t(to - out.data())};
}

} // namespace dyno::ycsb
