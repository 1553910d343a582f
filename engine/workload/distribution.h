// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which row an operation hits: the random distributions of sysbench over [low, high], in the form in which
//! sysbench 1.0.20 draws them and in a corrected form. Numbers are drawn without allocation in O(1).
#pragma once

#include "base/random.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace dyno {

enum class DistributionKind : std::uint8_t { Uniform, Gaussian, Special, Pareto, Zipfian };

//! "uniform", "gaussian", "special", "pareto", "zipfian"; nullopt for anything else.
[[nodiscard]] std::optional<DistributionKind> distributionFromText(std::string_view text);

//! Shape of a distribution, without the interval it is drawn over.
struct DistributionSpec
{
    DistributionKind kind = DistributionKind::Uniform;
    //! True: exactly what sysbench 1.0.20 does. Only `special` differs, see Distribution::draw().
    bool compat = false;
    int iterations = 12;       //!< rand_spec_iter: uniforms that are averaged (gaussian, special); 1…100
    double specialPercent = 1; //!< rand_spec_pct: size of the hot zone in percent of the interval; 0…100
    double specialShare = 75;  //!< rand_spec_res: percentage of draws that go to the hot zone; 0…<100
    double paretoH = 0.2; //!< rand_pareto_h: a share 1 − h of the draws hits a share h of the interval; 0 < h < 1
    double zipfianExponent = 0.8; //!< rand_zipfian_exp: P(rank) ~ rank^−exponent; ≥ 0
};

//! A distribution over the integers [low, high], both included. Immutable: any number of threads may draw from one
//! object, each with its own Random. Making one costs a few logarithms, so one may be made per transaction.
class Distribution
{
public:
    //! Needs low ≤ high, and the ranges given at DistributionSpec.
    Distribution(const DistributionSpec& spec, std::int64_t low, std::int64_t high);

    //! One value. With n = high − low + 1, t = high − low, u, v uniform in [0, 1) and m the mean of `iterations`
    //! uniforms:
    //! - uniform: every value with 1/n.
    //! - gaussian: low + ⌊n·m⌋, a bell of mean low + n/2 and standard deviation n/√(12·iterations).
    //! - special, corrected: with probability `specialShare` % uniform over a hot zone of `specialPercent` % of the
    //!   interval around its middle, from an independent v; otherwise the gaussian over the whole interval.
    //! - special, compat: x = u·t·100/(100 − share). If x < t: low + ⌊t·m⌋. Else low + ⌊u·(t·pct/100 + 1) + t/2 −
    //!   t·pct/200⌋ with the *same* u, which is then at least 1 − share/100: 75 % of the draws fall into only 0.75 % of
    //!   the interval, right of its middle (for 1…1 000 000: 497 500…505 001).
    //! - pareto: low + ⌊n·u^p⌋ with p = ln h / ln(1 − h).
    //! - zipfian: rank 1 is `low`; not scrambled. Rejection-inversion (W. Hörmann and G. Derflinger,
    //!   "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 6(3), 1996):
    //!   little more than one uniform a draw.
    [[nodiscard]] std::int64_t draw(Random& random) const;

    [[nodiscard]] std::int64_t low() const { return m_low; }
    [[nodiscard]] std::int64_t high() const { return m_high; }

private:
    [[nodiscard]] double mean(Random& random) const;
    [[nodiscard]] std::int64_t drawSpecial(Random& random) const;
    [[nodiscard]] std::int64_t drawZipfian(Random& random) const;
    //! ∫ x^−s dx, shifted so that it is 0 at 1, and its inverse.
    [[nodiscard]] double areaTo(double x) const;
    [[nodiscard]] double areaInverse(double area) const;
    [[nodiscard]] std::int64_t at(double offset) const; //!< low + ⌊offset⌋, kept inside the interval

    DistributionKind m_kind;
    bool m_compat;
    int m_iterations;
    std::int64_t m_low, m_high;
    double m_count;            //!< n
    double m_perIteration;     //!< 1 / iterations
    double m_exponent = 0;     //!< pareto: p; zipfian: s
    double m_coldShare = 0;    //!< special: 1 − share/100
    double m_hotStart = 0;     //!< special: offset of the hot zone
    double m_hotWidth = 0;     //!< special: width of the hot zone
    double m_areaFirst = 0;    //!< zipfian: area left of the first hat
    double m_areaLast = 0;     //!< zipfian: area up to n + ½
    double m_sureDistance = 0; //!< zipfian: closer to the rank than this needs no test
};

//! Numbers 0…2^32 − 1 without repetition: quadratic residues modulo the prime 4294967291 (J. Preshing, "How to generate
//! a sequence of unique random integers", 2012; his RandomSequence is in the public domain). Stateless: index i gives
//! value i of the sequence, and 2^32 different indices give 2^32 different values.
class UniqueSequence
{
public:
    explicit UniqueSequence(std::uint64_t seed);
    //! The numbers of sysbench 1.0.20, which are the same in all its runs whatever its seed: it takes two numbers of
    //! the C library's generator before that has one.
    [[nodiscard]] static UniqueSequence ofSysbench();
    [[nodiscard]] std::uint32_t at(std::uint32_t index) const
    {
        return permute((permute(index + m_start) + m_offset) ^ 0x5BF03635u);
    }

private:
    UniqueSequence(std::uint32_t start, std::uint32_t offset);
    static UniqueSequence ofSeed(std::uint64_t seed);
    static std::uint32_t permute(std::uint32_t x)
    {
        constexpr std::uint32_t kPrime = 4294967291u; // ≡ 3 mod 4: x → ±x² mod p is a permutation
        if (x >= kPrime)
            return x; // the five numbers that the prime leaves out stand for themselves
        const auto residue = static_cast<std::uint32_t>(std::uint64_t(x) * x % kPrime);
        return x <= kPrime / 2 ? residue : kPrime - residue;
    }
    std::uint32_t m_start, m_offset;
};

} // namespace dyno
