// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/random.h"
#include "support/suite.h"

#include <QTest>

#include <array>
#include <cmath>
#include <set>

namespace dyno::tst_random {

class TstRandom : public QObject
{
    Q_OBJECT

private slots:
    //! Rosetta Code, "Pseudo-random numbers/Splitmix64", seed 1234567; the same as Vigna's splitmix64.c gives.
    void splitMixKnownAnswers()
    {
        std::uint64_t state = 1234567;
        for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                             4593380528125082431u, 16408922859458223821u})
            QCOMPARE(splitMix(state), expected);
    }

    //! xoroshiro128plus.c (2018 constants 24, 16, 37), state {1, 2}; also the test vector of the rand_xoshiro crate.
    void xoroshiroKnownAnswers()
    {
        Random random = Random::fromState(1, 2);
        const std::array<std::uint64_t, 10> answers = {3u,
                                                       412333834243u,
                                                       2360170716294286339u,
                                                       9295852285959843169u,
                                                       2797080929874688578u,
                                                       6019711933173041966u,
                                                       3076529664176959358u,
                                                       3521761819100106140u,
                                                       7493067640054542992u,
                                                       920801338098114767u};
        for (const std::uint64_t expected : answers)
            QCOMPARE(random.next(), expected);
    }

    //! The generator's authors say to fill the state from SplitMix64.
    void seedingIsSplitMix()
    {
        std::uint64_t state = 42;
        const std::uint64_t a = splitMix(state);
        const std::uint64_t b = splitMix(state);
        Random expected = Random::fromState(a, b);
        Random random(42);
        for (int i = 0; i < 100; ++i)
            QCOMPARE(random.next(), expected.next());
    }

    void uniformStaysInside()
    {
        Random random(7);
        std::array<int, 6> seen{};
        for (int i = 0; i < 60000; ++i) {
            const std::int64_t value = random.uniform(-2, 3);
            QVERIFY(value >= -2 && value <= 3);
            ++seen[std::size_t(value + 2)];
        }
        // chi-square with 5 degrees of freedom; 20.5 is passed by chance once in a thousand, and the seed is fixed
        double chiSquare = 0;
        for (const int count : seen)
            chiSquare += (count - 10000.0) * (count - 10000.0) / 10000.0;
        QVERIFY2(chiSquare < 20.5, qPrintable(QString::number(chiSquare)));
        QCOMPARE(random.uniform(5, 5), std::int64_t(5));
        // the whole range has a span of 0 modulo 2^64
        std::set<bool> signs;
        for (int i = 0; i < 64; ++i)
            signs.insert(random.uniform(INT64_MIN, INT64_MAX) < 0);
        QCOMPARE(signs.size(), std::size_t(2));
    }

    void unitIsHalfOpen()
    {
        Random random(11);
        double sum = 0;
        for (int i = 0; i < 100000; ++i) {
            const double value = random.unit();
            QVERIFY(value >= 0 && value < 1);
            sum += value;
        }
        // standard error of the mean: 1 / sqrt(12 · 100000) = 0.0009
        QVERIFY(std::abs(sum / 100000 - 0.5) < 0.004);
    }

    void itemsHaveTheirOwnStreams()
    {
        std::set<std::uint64_t> firsts;
        for (std::uint64_t stream = 0; stream < 100; ++stream) {
            for (std::uint64_t sequence = 0; sequence < 100; ++sequence)
                firsts.insert(Random::forItem(1, stream, sequence).next());
        }
        QCOMPARE(firsts.size(), std::size_t(10000));
        QCOMPARE(Random::forItem(5, 6, 7).next(), Random::forItem(5, 6, 7).next());
        QVERIFY(Random::forItem(5, 6, 7).next() != Random::forItem(6, 6, 7).next());
    }
};

} // namespace dyno::tst_random

DYNO_SUITE(tst_random, dyno::tst_random::TstRandom)
#include "tst_random.moc"
