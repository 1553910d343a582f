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

//! What stands in a key.
enum class KeyForm : std::uint8_t {
    Hashed,  //!< YCSB's hash of the number
    Ordered, //!< the number
    GoYcsb,  //!< go-ycsb's hash of the number, which takes its octets the other way round
};

//! FNV-1a over the eight octets of `number`, lowest first unless `highestFirst`; the absolute value of the signed
//! result, as Java's Math.abs has it (the smallest number of all stays negative).
constexpr std::int64_t hashOf(std::int64_t number, bool highestFirst = false)
{
    std::uint64_t hash = 0xCBF29CE484222325ull;
    const auto octets = std::uint64_t(number);
    for (int i = 0; i < 8; ++i) {
        hash ^= octets >> (8 * (highestFirst ? 7 - i : i)) & 0xFF;
        hash *= 1099511628211ull;
    }
    const auto value = std::int64_t(hash);
    return value < 0 ? std::int64_t(0 - hash) : value;
}

//! "user" and the number or its hash, with zeros before it up to `padding` digits. The view is into `out`.
inline std::string_view writeKey(KeyText& out, std::int64_t number, KeyForm form, int padding)
{
    constexpr std::string_view kPrefix = "user";
    std::array<char, 24> digits;
    char* const first = digits.data();
    const std::int64_t shown = form == KeyForm::Ordered ? number : hashOf(number, form == KeyForm::GoYcsb);
    char* const end = std::to_chars(first, first + digits.size(), shown).ptr;
    char* to = std::copy(kPrefix.begin(), kPrefix.end(), out.data());
    to = std::fill_n(to, std::max<std::ptrdiff_t>(0, padding - (end - first)), '0');
    to = std::copy(first, end, to);
    return {out.data(), std::size_t(to - out.data())};
}

} // namespace dyno::ycsb
