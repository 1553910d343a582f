// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"
#include "load/run_state.h"

#include <QTest>

#include <thread>
#include <vector>

using namespace dyno;

class TstRunState : public QObject
{
    Q_OBJECT
private slots:
    void budgetIsGivenOutExactlyOnce()
    {
        Signal signal;
        RunState state(signal);
        state.setBudget(10'000);
        std::atomic<int> got {0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                while (state.claim())
                    ++got;
            });
        }
        for (auto& thread : threads)
            thread.join();
        QCOMPARE(got.load(), 10'000);
    }

    void noBudgetMeansNoLimit()
    {
        Signal signal;
        RunState state(signal);
        for (int i = 0; i < 1000; ++i)
            QVERIFY(state.claim());
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
        std::atomic<bool> woken {false};
        std::thread waiter([&] {
            signal.waitUntil(nowNs() + 60'000'000'000);
            woken = true;
        });
        signal.notify();
        waiter.join();
        QVERIFY(woken);
    }
};

QTEST_GUILESS_MAIN(TstRunState)
#include "tst_run_state.moc"
