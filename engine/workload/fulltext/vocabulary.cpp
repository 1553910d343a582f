// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/fulltext/vocabulary.h"

#include <cmath>

namespace dyno::fulltext {

namespace {

constexpr std::string_view kConsonants = "bdfghjklmnprstvz"; // 16
constexpr std::string_view kVowels = "aiou";                 // 4, without e
constexpr unsigned kSyllableBits = 6;

} // namespace

Vocabulary::Vocabulary(std::int64_t words, double exponent, std::uint64_t seed)
    : m_texts(std::size_t(words))
{
    std::uint64_t state = seed;
    const std::uint64_t factor = splitMix(state) | 1, offset = splitMix(state);
    for (std::size_t rank = 0; rank < m_texts.size(); ++rank) {
        const std::size_t length = lengthOf(rank);
        // A bijection of the words of this length: no word comes twice.
        const std::uint64_t mask = (std::uint64_t(1) << (kSyllableBits * length / 2)) - 1;
        std::uint64_t number = (rank * factor + offset) & mask;
        m_texts[rank].fill(' ');
        for (std::size_t i = 0; i < length; i += 2, number >>= kSyllableBits) {
            m_texts[rank][i] = kConsonants[number & 15];
            m_texts[rank][i + 1] = kVowels[(number >> 4) & 3];
        }
    }
    makeColumns(exponent);
}

void Vocabulary::makeColumns(double exponent)
{
    const std::size_t count = m_texts.size();
    std::vector<double> shares(count);
    double sum = 0;
    for (std::size_t rank = 0; rank < count; ++rank)
        sum += shares[rank] = std::pow(double(rank + 1), -exponent);
    std::vector<std::uint32_t> small, large;
    for (std::size_t rank = 0; rank < count; ++rank) {
        shares[rank] *= double(count) / sum;
        (shares[rank] < 1 ? small : large).push_back(std::uint32_t(rank));
    }
    m_columns.resize(count);
    constexpr double kWhole = 4294967296.0;
    while (!small.empty() && !large.empty()) {
        const std::uint32_t less = small.back(), more = large.back();
        small.pop_back();
        m_columns[less] = {static_cast<std::uint32_t>(shares[less] * kWhole), more};
        shares[more] -= 1 - shares[less];
        if (shares[more] < 1) {
            large.pop_back();
            small.push_back(more);
        }
    }
    for (const auto* rest : {&small, &large}) {
        for (const std::uint32_t rank : *rest)
            m_columns[rank] = {UINT32_MAX, rank};
    }
}

} // namespace dyno::fulltext
