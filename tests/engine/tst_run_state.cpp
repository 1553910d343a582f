// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"
#include "load/executor/run_state.h"
#include "support/suite.h"

#include <QTest>

#include <thread>
#include <vector>

namespace dyno::tst_run_state {

class TstRunState : public QObject
{
    Q_OBJECT
private slots:
    void budgetIsDividedAmongTheUsers()
    {
        Signal signal;
        RunState state(signal);
        const std::uint32_t before = state.budgetRound();
        QCOMPARE(state.budgetOf(0, 4), UINT64_MAX); // no limit
        state.setBudget(10'003);
        QVERIFY(state.budgetRound() != before);
        std::uint64_t sum = 0;
        for (std::uint64_t user = 0; user < 4; ++user) {
            QVERIFY(state.budgetOf(user, 4) == 2500 || state.budgetOf(user, 4) == 2501);
            sum += state.budgetOf(user, 4);
        }
        QCOMPARE(sum, std::uint64_t(10'003));
        state.setBudget(2);
        QCOMPARE(state.budgetOf(1, 4), std::uint64_t(1));
        QCOMPARE(state.budgetOf(3, 4), std::uint64_t(0));
    }

    void wakingEndsAWaitAndIsNotMissed()
    {
        WakeUp wake;
        const std::uint32_t ticket = wake.ticket();
        wake.wakeAll(); // before the wait begins: it must not begin
        const std::int64_t start = nowNs();
        wake.waitUntil(ticket, start + 60'000'000'000);
        QVERIFY(nowNs() - start < 30'000'000'000);

        std::atomic<bool> woken{false};
        std::thread waiter([&] {
            const std::uint32_t mine = wake.ticket();
            const std::int64_t deadline = nowNs() + 60'000'000'000;
            while (wake.ticket() == mine && nowNs() < deadline)
                wake.waitUntil(mine, deadline);
            woken = wake.ticket() != mine;
        });
        while (!woken)
            wake.wakeAll();
        waiter.join();
        QVERIFY(woken);
    }

    void waitingEndsAtItsTime()
    {
        WakeUp wake;
        const std::int64_t until = nowNs() + 20'000'000;
        while (nowNs() < until)
            wake.waitUntil(wake.ticket(), until);
        QVERIFY(nowNs() >= until);
    }

    void anOutageLastsUntilAllAreBack()
    {
        Outages outages;
        QVERIFY(!outages.any());
        const Error why{ErrorKind::Failed, "gone", {}, {}};
        outages.lost(100, why);
        outages.lost(150, {ErrorKind::Failed, "second", {}, {}});
        outages.back(300);
        QVERIFY(outages.any());
        QVERIFY(outages.take().empty()); // one is still away
        outages.back(400);
        const auto over = outages.take();
        QCOMPARE(over.size(), std::size_t(1));
        QCOMPARE(over.front().startNs, std::int64_t(100));
        QCOMPARE(over.front().endNs, std::int64_t(400));
        QCOMPARE(over.front().users, 2);
        QVERIFY(!outages.any());
        QVERIFY(!outages.lasting());
        outages.lost(500, why);
        QCOMPARE(outages.lasting()->message, std::string("gone"));
        const auto lasting = outages.take(900);
        QCOMPARE(lasting.size(), std::size_t(1));
        QCOMPARE(lasting.front().endNs, std::int64_t(900));
    }

    void firstFailureWinsAndStops()
    {
        Signal signal;
        RunState state(signal);
        QVERIFY(!state.stopping());
        state.fail({ErrorKind::Failed, "first", {}, {}});
        state.fail({ErrorKind::Failed, "second", {}, {}});
        QVERIFY(state.stopping());
        QCOMPARE(state.failure()->message, std::string("first"));
    }

    void errorTextsKeepTheFirstOfEachCode()
    {
        ErrorTexts texts;
        QVERIFY(texts.wants(1213));
        texts.add(1213, "Deadlock found");
        texts.add(1213, "another text");
        QVERIFY(!texts.wants(1213));
        QVERIFY(texts.wants(1205));
        for (int code = 0; code < 100; ++code)
            texts.add(code, "x"); // more codes than it tells apart: must not overrun
        QVERIFY(!texts.wants(5000));
        QCOMPARE(texts.take().at(1213), std::string("Deadlock found"));
    }

    void signalRaisedBeforeTheWaitIsNotLost()
    {
        Signal signal;
        signal.notify();
        const auto start = nowNs();
        signal.waitUntil(start + 60'000'000'000); // returns at once; the test's own limit would end a lost one
        QVERIFY(nowNs() - start < 30'000'000'000);
    }

    void signalWakesAWaiter()
    {
        Signal signal;
        std::atomic<bool> woken{false};
        std::thread waiter([&] {
            signal.waitUntil(nowNs() + 60'000'000'000);
            woken = true;
        });
        signal.notify();
        waiter.join();
        QVERIFY(woken);
    }
};

} // namespace dyno::tst_run_state

DYNO_SUITE(tst_run_state, dyno::tst_run_state::TstRunState)
#include "tst_run_state.moc"
