// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of a counter by its name, and texts that are no numbers.
#include "driver/counter_rules.h"
#include "support/suite.h"

#include <QTest>

#include <array>

namespace dyno::tst_counter_rules {

class TestCounterRules : public QObject
{
    Q_OBJECT

private slots:
    void numbers()
    {
        QCOMPARE(counterNumberIn("0"), 0.0);
        QCOMPARE(counterNumberIn("18446744073709551615"), 18446744073709551615.0);
        QCOMPARE(counterNumberIn("-3"), -3.0);
        QCOMPARE(counterNumberIn("0.000112"), 0.000112);
        for (const char* text : {"", "ON", "12abc", "10.11.6", " 1", "1 ", "nan", "inf", "-inf", "1e999", "0x10"})
            QVERIFY2(std::isnan(counterNumberIn(text)), text);
    }

    void byName()
    {
        constexpr std::array levels{"Threads_*", "*_avg"};
        constexpr std::array units{CounterUnit{"*bytes*", "bytes"}, CounterUnit{"Com_*", "statements"}};
        const CounterInfo count = hiddenCounter("Com_insert", levels, units);
        QVERIFY(count == (CounterInfo{"server", "Com_insert", "statements", true, true}));
        const CounterInfo level = hiddenCounter("Threads_cached", levels, units);
        QVERIFY(level == (CounterInfo{"server", "Threads_cached", "", false, true}));
        QVERIFY(!hiddenCounter("wait_bytes_avg", levels, units).rate);
        QCOMPARE(hiddenCounter("wait_bytes_avg", levels, units).unit, std::string("bytes"));
        QVERIFY(hiddenCounter("what_nobody_knows", levels, units).rate);
    }
};

} // namespace dyno::tst_counter_rules

DYNO_SUITE(tst_counter_rules, dyno::tst_counter_rules::TestCounterRules)
#include "tst_counter_rules.moc"
