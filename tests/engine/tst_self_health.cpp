// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"
#include "metrics/self_health.h"

#include <QtTest>

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

using namespace dyno;

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

QTEST_GUILESS_MAIN(TstSelfHealth)
#include "tst_self_health.moc"
