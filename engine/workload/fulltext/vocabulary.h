// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The words that documents are made of: as many as wanted, each as frequent as Zipf's law says.
#pragma once

#include "base/random.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace dyno::fulltext {

//! Words of two to four syllables without an e, so that none of them is a stop word of any server: the 1024 most
//! frequent have four letters, those up to rank 65 536 six, the others eight. Which word has which rank is scattered by
//! a seed. Immutable; any thread.
class Vocabulary
{
public:
    static constexpr std::size_t kLongest = 8; //!< letters

    //! P(rank) ~ (rank + 1)^−exponent for the ranks 0 … words − 1; exponent ≥ 0. 16 bytes and some 20 ns a word.
    Vocabulary(std::int64_t words, double exponent, std::uint64_t seed);

    [[nodiscard]] std::int64_t size() const { return std::int64_t(m_texts.size()); }
    [[nodiscard]] std::string_view word(std::int64_t rank) const
    {
        return {m_texts[std::size_t(rank)].data(), lengthOf(std::size_t(rank))};
    }
    [[nodiscard]] std::int64_t draw(Random& random) const { return std::int64_t(drawRank(random)); }
    //! `count` words with a space between them; needs count · (kLongest + 1) bytes. Returns the end.
    char* write(char* out, std::int64_t count, Random& random) const
    {
        std::array<std::size_t, 16> ranks; // some at a time: their look-ups in a table that outgrows the caches overlap
        for (std::int64_t left = count; left > 0;) {
            const std::size_t some = left < std::int64_t(ranks.size()) ? std::size_t(left) : ranks.size();
            for (std::size_t i = 0; i < some; ++i)
                ranks[i] = drawRank(random);
            for (std::size_t i = 0; i < some; ++i) {
                std::memcpy(out, m_texts[ranks[i]].data(), kLongest);
                out += lengthOf(ranks[i]);
                *out++ = ' ';
            }
            left -= std::int64_t(some);
        }
        return count > 0 ? out - 1 : out;
    }

private:
    //! A column of the alias table (Walker 1977, Vose 1991): the draw's rest below `threshold` keeps it, else `other`
    //! is meant.
    struct Column
    {
        std::uint32_t threshold = 0;
        std::uint32_t other = 0;
    };
    static constexpr std::size_t kFour = 1024, kSix = 65536;
    [[nodiscard]] static std::size_t lengthOf(std::size_t rank)
    {
        return 4 + 2 * std::size_t(rank >= kFour) + 2 * std::size_t(rank >= kSix);
    }
    [[nodiscard]] std::size_t drawRank(Random& random) const
    {
        const unsigned __int128 product = static_cast<unsigned __int128>(random.next()) * m_columns.size();
        const auto column = static_cast<std::size_t>(product >> 64);
        const auto rest = static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 32);
        return rest < m_columns[column].threshold ? column : m_columns[column].other;
    }
    void makeColumns(double exponent);

    std::vector<std::array<char, kLongest>> m_texts;
    std::vector<Column> m_columns;
};

} // namespace dyno::fulltext
