// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The texts of sysbench's rows: groups of eleven random decimal digits joined by "-", made without allocation.
#pragma once

#include "base/random.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dyno::oltp {

constexpr std::size_t kGroupDigits = 11;
constexpr std::size_t kCGroups = 10;
constexpr std::size_t kPadGroups = 5;
constexpr std::size_t kCLength = kCGroups * (kGroupDigits + 1) - 1;     //!< 119
constexpr std::size_t kPadLength = kPadGroups * (kGroupDigits + 1) - 1; //!< 59

//! "00", "01" … "99"; 200 bytes stay in the first-level cache, a table of four-digit chunks (40 kB) would not.
constexpr std::array<char, 200> kDigitPairs = [] {
    std::array<char, 200> pairs{};
    for (std::size_t i = 0; i < 100; ++i) {
        pairs[2 * i] = char('0' + i / 10);
        pairs[2 * i + 1] = char('0' + i % 10);
    }
    return pairs;
}();

//! Writes eleven digits, each uniform and independent of the others: one 64-bit draw read as a binary fraction, whose
//! decimal expansion follows by multiplication. Every one of the 10^11 texts is equally likely to within
//! 10^11/2^64, which is less than 10^−8.
inline char* writeDigitGroup(char* out, Random& random)
{
    std::uint64_t fraction = random.next();
    for (std::size_t i = 0; i + 1 < kGroupDigits; i += 2) {
        const unsigned __int128 product = static_cast<unsigned __int128>(fraction) * 100;
        std::memcpy(out, &kDigitPairs[2 * static_cast<std::size_t>(product >> 64)], 2);
        fraction = static_cast<std::uint64_t>(product);
        out += 2;
    }
    *out++ = static_cast<char>('0' + static_cast<char>((static_cast<unsigned __int128>(fraction) * 10) >> 64));
    return out;
}

//! Writes `groups` groups with "-" between them; returns the end.
inline char* writeDigitGroups(char* out, std::size_t groups, Random& random)
{
    for (std::size_t i = 0; i < groups; ++i) {
        if (i != 0)
            *out++ = '-';
        out = writeDigitGroup(out, random);
    }
    return out;
}

} // namespace dyno::oltp
