// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The content of YCSB's fields, made without allocation at several bytes a nanosecond.
#pragma once

#include "base/random.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dyno::ycsb {

//! Eight bytes of the repeating masks 31, 63, 95, from place `first` on.
constexpr std::uint64_t maskFrom(std::size_t first)
{
    constexpr std::array<std::uint8_t, 3> kMasks{31, 63, 95};
    std::array<std::uint8_t, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = kMasks[(first + i) % kMasks.size()];
    return std::bit_cast<std::uint64_t>(bytes);
}

//! Writes `length` characters: a space plus random bits under the masks 31, 63, 95 in turn, which is what YCSB's
//! RandomByteIterator makes: ASCII 32 … 127 with gaps, 5⅔ random bits a byte, so that nothing compresses it much.
inline char* writeFieldText(char* out, std::size_t length, Random& random)
{
    constexpr std::uint64_t kSpaces = 0x2020202020202020ull; // no byte overflows: 32 + 95 = 127
    constexpr std::array<std::uint64_t, 3> kWords{maskFrom(0), maskFrom(8), maskFrom(16)};
    std::size_t word = 0;
    while (length > 0) {
        const std::uint64_t text = (random.next() & kWords[word]) + kSpaces;
        word = word == 2 ? 0 : word + 1;
        if (length < sizeof text) {
            std::memcpy(out, &text, length);
            return out + length;
        }
        std::memcpy(out, &text, sizeof text);
        out += sizeof text;
        length -= sizeof text;
    }
    return out;
}

} // namespace dyno::ycsb
