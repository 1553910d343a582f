// SPDX-License-Identifier: GPL-3.0-or-later
// The queue of arrivals in virtual time, and under many threads.
#include "base/clock.h"
#include "load/executor/pacer.h"
#include "support/suite.h"

#include <QTest>

#include <set>
#include <thread>

namespace dyno::tst_pacer {

namespace {

constexpr std::int64_t kMs = 1'000'000;

Schedule fixed(double rate)
{
    return Schedule(ArrivalModel::Fixed, RateProfile::constant(rate), 1);
}

} // namespace

class TstPacer : public QObject
{
    Q_OBJECT
private slots:
    void arrivalsComeInOrderAndOnTime()
    {
        ArrivalQueue queue(1000, 4, 100);
        const std::int64_t start = 5000 * kMs;
        queue.begin(fixed(100), start);
        queue.advance(start);
        for (std::uint64_t i = 0; i < 50; ++i) {
            queue.advance(start + std::int64_t(i) * 10 * kMs);
            const auto arrival = queue.claim();
            QVERIFY(arrival.has_value());
            QCOMPARE(arrival->number, i);
            QCOMPARE(arrival->dueNs, start + std::int64_t(i) * 10 * kMs);
            queue.advance(start + std::int64_t(i) * 10 * kMs);
            QCOMPARE(queue.backlog(), std::uint64_t(0));
        }
        QCOMPARE(queue.arrivals(), std::uint64_t(50));
        QCOMPARE(queue.dropped(), std::uint64_t(0));
    }

    void everyFreeUserFindsAnArrivalHoweverRareTheyAre()
    {
        ArrivalQueue queue(1000, 3, 0.1);
        queue.begin(fixed(0.1), 0);
        queue.advance(0);
        for (int i = 0; i < 3; ++i)
            QCOMPARE(queue.claim()->dueNs, i * 10'000 * kMs);
        QVERIFY(!queue.claim()); // the fourth user does not exist
        queue.advance(0);
        QVERIFY(queue.claim());
    }

    void lateArrivalsKeepTheirTime()
    {
        ArrivalQueue queue(1000, 1, 100);
        queue.begin(fixed(100), 0);
        queue.advance(2000 * kMs); // nobody came for two seconds: 0, 10, … 2000 ms
        QCOMPARE(queue.arrivals(), std::uint64_t(201));
        QCOMPARE(queue.backlog(), std::uint64_t(201));
        QCOMPARE(queue.claim()->dueNs, std::int64_t(0));
        QCOMPARE(queue.claim()->dueNs, 10 * kMs);
        queue.advance(2000 * kMs);
        QCOMPARE(queue.backlog(), std::uint64_t(199));
    }

    void whatFindsTheRoomFullIsDroppedAndCounted()
    {
        ArrivalQueue queue(10, 1, 1000);
        queue.begin(fixed(1000), 0);
        queue.advance(100 * kMs); // 101 arrivals, nobody serves
        QCOMPARE(queue.arrivals(), std::uint64_t(101));
        QCOMPARE(queue.dropped(), std::uint64_t(91));
        QCOMPARE(queue.backlog(), std::uint64_t(10));
        // The first ten stayed.
        for (int i = 0; i < 10; ++i)
            QCOMPARE(queue.claim()->dueNs, i * kMs);
        queue.advance(101 * kMs);
        QCOMPARE(queue.claim()->dueNs, 101 * kMs); // there is room again
        QCOMPARE(queue.dropped(), std::uint64_t(91));
    }

    void overloadFarBeyondTheRingIsCountedToo()
    {
        ArrivalQueue queue(10, 1, 1000);
        queue.begin(fixed(1000), 0);
        queue.advance(100'000 * kMs); // 100 001 arrivals through a ring of some thousand
        QCOMPARE(queue.arrivals(), std::uint64_t(100'001));
        QCOMPARE(queue.dropped() + queue.backlog(), std::uint64_t(100'001));
        QVERIFY(queue.backlog() <= 10);
    }

    void anotherScheduleTakesBackWhatIsNotDue()
    {
        ArrivalQueue queue(100, 4, 1000);
        queue.begin(fixed(10), 0);
        queue.advance(0);
        const auto first = queue.claim(); // due at 0
        const auto held = queue.claim();  // due at 100 ms, its user waits for it
        queue.advance(50 * kMs);
        queue.begin(fixed(1000), 60 * kMs);
        QVERIFY(queue.stands(*first));
        QVERIFY(!queue.stands(*held));
        queue.advance(60 * kMs);
        const auto next = queue.claim();
        QCOMPARE(next->dueNs, 60 * kMs);
        QVERIFY(queue.stands(*next));
        queue.advance(69 * kMs); // 60 … 69 ms: ten of the new ones, one of the old
        QCOMPARE(queue.arrivals(), std::uint64_t(11));
        QCOMPARE(queue.backlog(), std::uint64_t(9));
    }

    //! From 200 ms on the first user only, from 300 ms on both again; a rate of 0 is quiet until the next schedule.
    void whoWillRestClaimsNothing()
    {
        ArrivalQueue queue(100, 4, 10);
        queue.setUsers({{0, 2}, {200 * kMs, 1}, {300 * kMs, 2}});
        queue.followUsers(1000 * kMs);
        queue.begin(fixed(10), 1000 * kMs);
        queue.advance(1000 * kMs);
        Claimant second{1, 1000 * kMs};
        QCOMPARE(queue.claim(&second)->dueNs, 1000 * kMs);
        QCOMPARE(queue.claim(&second)->dueNs, 1100 * kMs);
        QVERIFY(!second.restsByThen);
        QVERIFY(!queue.claim(&second) && second.restsByThen);
        Claimant first{0, 1000 * kMs};
        QCOMPARE(queue.claim(&first)->dueNs, 1200 * kMs);
        second.restsByThen = false;
        QCOMPARE(queue.claim(&second)->dueNs, 1300 * kMs);
        QVERIFY(!second.restsByThen && !queue.quiet());
        Claimant late{3, 1500 * kMs}; // what waits is for anybody
        queue.advance(1500 * kMs);
        QCOMPARE(queue.claim(&late)->dueNs, 1400 * kMs);
        QCOMPARE(queue.claim(&late)->dueNs, 1500 * kMs);
        queue.begin(fixed(0), 1600 * kMs);
        QVERIFY(queue.quiet() && !queue.allMade());
        queue.begin(fixed(10), 1700 * kMs);
        QVERIFY(!queue.quiet());
    }

    void aLimitedScheduleEnds()
    {
        ArrivalQueue queue(100, 2, 1000);
        queue.begin(fixed(1000), 0, false, 5);
        queue.advance(0);
        while (queue.claim())
            queue.advance(1 * kMs);
        queue.advance(1000 * kMs);
        QVERIFY(queue.allMade() && !queue.claim());
        QCOMPARE(queue.arrivals(), std::uint64_t(5));
        queue.begin(fixed(1000), 1000 * kMs);
        QVERIFY(!queue.allMade());
    }

    void emptyingTheRoomDropsWhoWaits()
    {
        ArrivalQueue queue(1000, 1, 1000);
        queue.begin(fixed(1000), 0);
        queue.advance(99 * kMs);
        QCOMPARE(queue.backlog(), std::uint64_t(100));
        queue.begin(fixed(1000), 100 * kMs, true);
        queue.advance(100 * kMs);
        QCOMPARE(queue.dropped(), std::uint64_t(100));
        QCOMPARE(queue.claim()->dueNs, 100 * kMs);
    }

    void eachArrivalGoesToOneUser()
    {
        // Four users and the producer at full speed: every arrival is served once or dropped once.
        Signal signal;
        RunState state(signal);
        constexpr std::uint64_t kArrivals = 400'000;
        ArrivalQueue queue(5000, 4, 1e6);
        queue.begin(fixed(1e6), 0);
        std::atomic<bool> done{false};
        std::vector<std::vector<std::uint64_t>> served(4);
        std::vector<std::thread> users;
        for (int u = 0; u < 4; ++u) {
            users.emplace_back([&, u] {
                while (true) {
                    const bool last = done.load();
                    if (const auto arrival = queue.claim()) {
                        if (arrival->dueNs < std::int64_t(kArrivals) * 1000)
                            served[std::size_t(u)].push_back(arrival->number);
                    } else if (last) {
                        return;
                    }
                }
            });
        }
        for (std::int64_t now = 0; now < std::int64_t(kArrivals) * 1000; now += 100'000)
            queue.advance(now);
        queue.advance(std::int64_t(kArrivals) * 1000 - 1);
        done = true;
        for (auto& user : users)
            user.join();
        std::set<std::uint64_t> all;
        std::size_t count = 0;
        for (const auto& numbers : served) {
            QVERIFY(std::is_sorted(numbers.begin(), numbers.end()));
            all.insert(numbers.begin(), numbers.end());
            count += numbers.size();
        }
        QCOMPARE(all.size(), count);
        QCOMPARE(queue.arrivals(), kArrivals);
        QCOMPARE(count + queue.dropped(), std::size_t(kArrivals));
    }

    void theThreadKeepsUpWithTheClock()
    {
        Signal signal;
        RunState state(signal);
        Pacer pacer(state, 1000, 1, 2000);
        const std::int64_t start = nowNs();
        pacer.begin(fixed(2000), start);
        std::uint64_t served = 0;
        std::int64_t last = start;
        QTRY_VERIFY_WITH_TIMEOUT(
            [&] {
                while (const auto arrival = pacer.queue().claim()) {
                    ++served;
                    last = arrival->dueNs;
                }
                return served >= 1000;
            }(),
            10'000);
        QCOMPARE(last, start + std::int64_t(served - 1) * 500'000);
    }
};

} // namespace dyno::tst_pacer

DYNO_SUITE(tst_pacer, dyno::tst_pacer::TstPacer)
#include "tst_pacer.moc"
