// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"
#include "metrics/self_health.h"
#include "support/suite.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace dyno::tst_self_health {

namespace {

double threadCpuSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

//! Works until this thread has used that much CPU time.
void work(double seconds)
{
    const double end = threadCpuSeconds() + seconds;
    while (threadCpuSeconds() < end) {
    }
}

std::size_t openFiles()
{
    std::size_t count = 0;
    for (int fd = 0; fd < 1024; ++fd)
        count += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
}

} // namespace

class TstSelfHealth : public QObject
{
    Q_OBJECT

private slots:
    void countsOwnWork()
    {
        SelfHealth health;
        const std::int64_t start = nowNs();
        work(0.05);
        const ClientHealth busy = health.take();
        const double elapsed = double(nowNs() - start) * 1e-9;
        QVERIFY2(busy.cpuSeconds >= 0.05, qPrintable(QString::number(busy.cpuSeconds)));
        QVERIFY2(busy.cpuSeconds <= elapsed + 0.05, qPrintable(QString::number(busy.cpuSeconds)));
        QVERIFY(busy.hostBusy >= 0 && busy.hostBusy <= 1);
        QVERIFY(busy.schedDelaySeconds >= 0 && busy.schedDelaySeconds <= elapsed * 64);
        // counted once
        const ClientHealth after = health.take();
        QVERIFY2(after.cpuSeconds < 0.05, qPrintable(QString::number(after.cpuSeconds)));
    }

    void seesMemory()
    {
        SelfHealth health;
        const std::uint64_t before = health.take().rssBytes;
        std::vector<char> block(64 << 20, 'x');
        const std::uint64_t after = health.take().rssBytes;
        QVERIFY(block[4711] == 'x');
        QVERIFY2(after >= before + (60u << 20), qPrintable(QString("%1 %2").arg(before).arg(after)));
    }

    //! More threads than cores that all want to run must wait for one another.
    void seesThreadsWaitForACore()
    {
        if (access("/proc/self/schedstat", R_OK) != 0)
            QSKIP("this kernel has no scheduler statistics");
        SelfHealth health;
        std::vector<std::thread> threads;
        std::atomic<unsigned> done{0};
        std::atomic<bool> measured{false};
        const unsigned count = 4 * std::max(1u, std::thread::hardware_concurrency());
        for (unsigned i = 0; i < count; ++i) {
            threads.emplace_back([&] {
                work(0.03);
                ++done;
                done.notify_all();
                measured.wait(false); // an ended thread has no statistics any more
            });
        }
        for (unsigned seen = done.load(); seen < count; seen = done.load())
            done.wait(seen);
        const ClientHealth crowded = health.take();
        measured = true;
        measured.notify_all();
        for (std::thread& thread : threads)
            thread.join();
        QVERIFY2(crowded.schedDelaySeconds > 0.03, qPrintable(QString::number(crowded.schedDelaySeconds)));
        QVERIFY(crowded.cpuSeconds >= 0.03 * count);
    }

    //! The busiest thread's share is its own CPU time by the time that went by, whoever else wants the core.
    void seesTheBusiestThread()
    {
        if (access("/proc/self/schedstat", R_OK) != 0)
            QSKIP("this kernel has no scheduler statistics");
        const std::int64_t early = nowNs();
        SelfHealth health;
        const std::int64_t start = nowNs();
        std::atomic<bool> worked{false};
        std::atomic<bool> measured{false};
        std::thread busy([&] {
            work(0.25);
            worked = true;
            worked.notify_all();
            measured.wait(false);
        });
        work(0.02); // another thread that does less
        worked.wait(false);
        const double shortest = double(nowNs() - start) * 1e-9; // between its two looks at the clock
        const ClientHealth figures = health.take();
        const double longest = double(nowNs() - early) * 1e-9;
        measured = true;
        measured.notify_all();
        busy.join();
        QVERIFY2(
            figures.busiestThread > 0.9 * 0.25 / longest && figures.busiestThread < 1.15 * 0.25 / shortest,
            qPrintable(
                QString("%1, wanted %2 to %3").arg(figures.busiestThread).arg(0.25 / longest).arg(0.25 / shortest)));
        QVERIFY(figures.busiestThread <= 1);
        (void)health.take();
        poll(nullptr, 0, 100); // a stretch in which no thread works
        QVERIFY2(health.take().busiestThread < 0.5, "it is counted since the last call");
    }

    //! Waking up is a switch; a thread that yields a hundred times has switched about as often.
    void countsSwitches()
    {
        SelfHealth health;
        std::atomic<int> turn{0};
        std::thread other([&turn] {
            for (int i = 1; i < 400; i += 2) {
                for (int seen = turn.load(); seen != i; seen = turn.load())
                    turn.wait(seen);
                turn = i + 1;
                turn.notify_all();
            }
        });
        for (int i = 0; i < 400; i += 2) {
            for (int seen = turn.load(); seen != i; seen = turn.load())
                turn.wait(seen);
            turn = i + 1;
            turn.notify_all();
        }
        other.join();
        const std::uint64_t switches = health.take().switches;
        QVERIFY2(switches >= 1, qPrintable(QString::number(switches)));
        QVERIFY(health.take().switches < switches + 50);
    }

    void knowsTheCoresItMayUse()
    {
        cpu_set_t before;
        CPU_ZERO(&before);
        QCOMPARE(sched_getaffinity(0, sizeof before, &before), 0);
        int core = 0;
        while (!CPU_ISSET(core, &before))
            ++core;
        SelfHealth health;
        QCOMPARE(health.take().allowedCores, CPU_COUNT(&before));
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        QCOMPARE(sched_setaffinity(0, sizeof one, &one), 0);
        work(0.3);
        const ClientHealth pinned = health.take();
        QCOMPARE(sched_setaffinity(0, sizeof before, &before), 0);
        QCOMPARE(pinned.allowedCores, 1);
        // This thread worked all the time on that core, or others did.
        QVERIFY2(pinned.allowedBusy > 0.8, qPrintable(QString::number(pinned.allowedBusy)));
        QVERIFY(pinned.allowedBusy <= 1);
        QCOMPARE(health.take().allowedCores, CPU_COUNT(&before));
    }

    //! More threads than are looked at one by one: the sum is scaled up, and a call stays short.
    void manyThreads()
    {
        if (access("/proc/self/schedstat", R_OK) != 0)
            QSKIP("this kernel has no scheduler statistics");
#ifdef __SANITIZE_THREAD__
        QSKIP("thousands of threads are more than this sanitizer can watch in the time");
#endif
        constexpr std::size_t kCount = SelfHealth::kThreads + 700;
        std::atomic<int> round{0};
        std::atomic<std::size_t> done{0};
        std::vector<std::thread> threads;
        threads.reserve(kCount);
        for (std::size_t i = 0; i < kCount; ++i) {
            threads.emplace_back([&] {
                round.wait(0);
                work(0.0005);
                ++done;
                done.notify_all();
                round.wait(1);
            });
        }
        SelfHealth health;
        (void)health.take();
        round = 1;
        round.notify_all();
        for (std::size_t seen = done.load(); seen < kCount; seen = done.load())
            done.wait(seen);
        const double start = threadCpuSeconds(); // whoever else wants the core
        const ClientHealth crowd = health.take();
        const double milliseconds = (threadCpuSeconds() - start) * 1e3;
        round = 2;
        round.notify_all();
        for (std::thread& thread : threads)
            thread.join();
        // All of them wanted to run at once, so each waited for a good part of what the others did on its core.
        const double all = double(kCount) * 0.0005 * double(kCount) / 2 / double(std::thread::hardware_concurrency());
        QVERIFY2(crowd.schedDelaySeconds > 0.05 * all, qPrintable(QString::number(crowd.schedDelaySeconds)));
        QVERIFY2(milliseconds < 500, qPrintable(QString::number(milliseconds)));
    }

    void keepsTwoFilesAndGivesThemBack()
    {
        const std::size_t before = openFiles();
        {
            SelfHealth health;
            for (int i = 0; i < 100; ++i)
                (void)health.take();
            QVERIFY(openFiles() <= before + 2);
        }
        QCOMPARE(openFiles(), before);
    }
};

} // namespace dyno::tst_self_health

DYNO_SUITE(tst_self_health, dyno::tst_self_health::TstSelfHealth)
#include "tst_self_health.moc"
