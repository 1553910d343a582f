// SPDX-License-Identifier: GPL-3.0-or-later
// What rules of counters find in a series of answers.
#include "metrics/counter_events.h"
#include "support/suite.h"

#include <QTest>

#include <limits>

namespace dyno::tst_counter_events {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

EventRule checkpointRule()
{
    return {
        .sentence = "checkpoint", .counts = {"timed", "asked", "nowhere"}, .amount = "pages", .unit = "pages written"};
}

} // namespace

class TestCounterEvents : public QObject
{
    Q_OBJECT
private slots:
    //! Neighbouring answers are one event, which is told when it is over.
    void oneEvent()
    {
        CounterEvents events({checkpointRule()}, {"pages", "timed", "asked"});
        events.add(1 * kSecond, {100, 5, 0}); // nothing to count from yet
        events.add(2 * kSecond, {100, 5, 0});
        events.add(3 * kSecond, {140, 6, 0});
        QVERIFY(events.take().empty());
        events.add(4 * kSecond, {150, 6, 1});
        events.add(5 * kSecond, {150, 6, 1});
        QVERIFY(events.take().empty()); // it may only pause
        const auto found = events.takeLast();
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].sentence, std::string("checkpoint"));
        QCOMPARE(found[0].fromNs, 2 * kSecond);
        QCOMPARE(found[0].toNs, 4 * kSecond);
        QVERIFY(found[0].amount == 50.0);
        QCOMPARE(found[0].unit, std::string("pages written"));
        QVERIFY(events.take().empty() && events.takeLast().empty());
    }

    //! One checkpoint that writes now and then is one event; the next one begins with its count.
    void pauses()
    {
        CounterEvents events({checkpointRule()}, {"pages", "timed", "asked"});
        double pages = 100, timed = 5;
        for (int i = 0; i <= 100; ++i) {
            timed += i == 10 || i == 60;
            pages += i >= 10 && i % 10 == 0 && i < 80 ? 7 : 0;
            events.add(i * kSecond, {pages, timed, 0});
        }
        const auto found = events.take();
        QCOMPARE(found.size(), std::size_t(2));
        QCOMPARE(found[0].fromNs, 9 * kSecond);
        QCOMPARE(found[0].toNs, 50 * kSecond);
        QVERIFY(found[0].amount == 35.0);
        QCOMPARE(found[1].fromNs, 59 * kSecond);
        QCOMPARE(found[1].toNs, 70 * kSecond);
        QVERIFY(found[1].amount == 14.0);
        QVERIFY(events.takeLast().empty());
    }

    void lastsToTheEnd()
    {
        CounterEvents events({checkpointRule()}, {"timed"}); // no amount is known
        events.add(1 * kSecond, {5});
        events.add(2 * kSecond, {6});
        const auto found = events.takeLast();
        QCOMPARE(found.size(), std::size_t(1));
        QVERIFY(!found[0].amount);
        QVERIFY(events.takeLast().empty());
    }

    //! What is not known, what goes down and what comes after a restart are no events.
    void nothingFromNothing()
    {
        CounterEvents events({checkpointRule()}, {"timed"});
        for (const double value : {5.0, kUnknown, 9.0, 2.0})
            events.add(kSecond, {value});
        events.reset();
        events.add(kSecond, {7});
        QVERIFY(events.takeLast().empty());
        CounterEvents none({{.sentence = "never", .counts = {"missing"}}}, {"timed"});
        none.add(1, {1});
        none.add(2, {2});
        QVERIFY(none.takeLast().empty());
    }

    void levels()
    {
        CounterEvents events({{.sentence = "full",
                               .counts = {},
                               .amount = {},
                               .unit = {},
                               .level = "age",
                               .limit = "most",
                               .share = 0.875}},
                             {"age", "most"});
        events.add(1 * kSecond, {99, 100}); // when it began is not known
        events.add(2 * kSecond, {87, 100});
        QVERIFY(events.take().empty());
        events.add(3 * kSecond, {88, 100});
        events.add(4 * kSecond, {88, kUnknown});
        const auto found = events.take();
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].fromNs, 2 * kSecond);
        QCOMPARE(found[0].toNs, 3 * kSecond);
    }

    //! Every third answer is worth an event each time; every second and third one is told once, with how often.
    void often()
    {
        for (const bool much : {false, true}) {
            CounterEvents events({checkpointRule()}, {"timed"});
            double count = 0;
            for (int i = 0; i <= 60; ++i) {
                count += much ? i % 3 != 0 : i % 3 == 1;
                events.add(i * kSecond, {count});
            }
            const auto told = events.takeLast();
            if (!much) {
                QCOMPARE(told.size(), std::size_t(20));
                continue;
            }
            QCOMPARE(told.size(), CounterEvents::kSingleEvents + 1);
            const CounterEvent* all = nullptr;
            for (const CounterEvent& one : told)
                all = one.times > 0 ? &one : all;
            QVERIFY(all);
            QCOMPARE(all->times, std::size_t(40));
            QCOMPARE(all->of, std::size_t(60));
            QCOMPARE(all->fromNs, 15 * kSecond); // of the first that was not told
            QCOMPARE(all->toNs, 59 * kSecond);
        }
    }

    void neverTooMany()
    {
        CounterEvents events({checkpointRule()}, {"timed"});
        double count = 0;
        for (int i = 0; i < 3000; ++i) {
            count += i % 10 == 1;
            events.add(i * kSecond, {count});
        }
        QCOMPARE(events.takeLast().size(), CounterEvents::kMostOfARule + 1);
    }
};

} // namespace dyno::tst_counter_events

DYNO_SUITE(tst_counter_events, dyno::tst_counter_events::TestCounterEvents)
#include "tst_counter_events.moc"
