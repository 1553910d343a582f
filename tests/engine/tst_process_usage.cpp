// SPDX-License-Identifier: GPL-3.0-or-later
// What another process uses: a child of a known load, and what a run's summary makes of it.
#include "base/clock.h"
#include "metrics/process_usage.h"
#include "server/lifecycle/child_process.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QTest>

#include <QTemporaryDir>

#include <cmath>
#include <latch>
#include <limits>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace dyno::tst_process_usage {

namespace {

//! CPU time of ended children, for which somebody waited: the kernel's own account.
double childrenSeconds()
{
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

IntervalSample interval(std::uint64_t operations, double cores, double switches)
{
    IntervalSample sample;
    sample.lengthNs = 2'000'000'000;
    sample.transaction.count = operations / 2;
    sample.ops.resize(1);
    sample.ops[0].count = operations;
    sample.counters = {7, cores, switches};
    return sample;
}

} // namespace

class TestProcessUsage : public QObject
{
    Q_OBJECT
    QTemporaryDir m_dir;

    std::filesystem::path log() const { return m_dir.filePath("log").toStdString(); }

private slots:
    void cpuTimeIsTheKernels()
    {
        const double before = childrenSeconds();
        const std::int64_t start = nowNs();
        ChildProcess child;
        QVERIFY(child.start({"/bin/sh", "-c", "while :; do :; done"}, log()));
        // When it was read is known to lie between two readings of the clock, however far a busy machine brings them
        // apart.
        std::int64_t early = nowNs();
        ProcessUsage usage(int(child.pid()));
        std::int64_t late = nowNs();
        double least = 0, most = double(late - start) * 1e-9; // before the first reading it worked all the time or not
        for (int i = 0; i < 4; ++i) {
            poll(nullptr, 0, 100);
            const std::int64_t asked = nowNs();
            const std::vector<double> figures = usage.take();
            const std::int64_t told = nowNs();
            QCOMPARE(figures.size(), ProcessUsage::counters().size());
            least += figures[0] * double(asked - late) * 1e-9;
            most += figures[0] * double(told - early) * 1e-9;
            early = asked;
            late = told;
        }
        child.kill();
        const double whole = childrenSeconds() - before;
        most += double(nowNs() - early) * 1e-9; // and after the last
        constexpr double kTick = 0.02;
        QVERIFY2(least > kTick && least < whole + kTick && whole < most + kTick,
                 qPrintable(QString("%1 to %2 s, really %3 s").arg(least).arg(most).arg(whole)));
        const std::vector<double> gone = usage.take();
        QVERIFY(std::isnan(gone[0]) && std::isnan(gone[1]));
    }

    //! A process that sleeps a hundred times a second switches as often, and hardly works.
    void switchesAreCounted()
    {
        ChildProcess child;
        QVERIFY(child.start({"/bin/bash", "-c", "exec {fd}<> <(:); while :; do read -t 0.01 -u $fd; done"}, log()));
        ProcessUsage usage(int(child.pid()));
        poll(nullptr, 0, 200);
        static_cast<void>(usage.take()); // has started by then
        poll(nullptr, 0, 500);
        const std::vector<double> figures = usage.take();
        QVERIFY2(figures[1] > 20 && figures[1] < 2000, qPrintable(QString::number(figures[1])));
        QVERIFY2(figures[0] < 0.9, qPrintable(QString::number(figures[0])));
    }

    //! A server may have a process for each connection: those that work, and those that have ended, count with it.
    void childProcessesCountToo()
    {
        ChildProcess child;
        const QString end = m_dir.filePath("end");
        const std::string loop = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done";
        // One that ends after some work, and after that one that works on.
        QVERIFY(child.start(
            {"/bin/sh", "-c",
             "/bin/sh -c '" + loop + "'; : >" + end.toStdString() + "; /bin/sh -c 'while :; do :; done' & wait"},
            log()));
        ProcessUsage usage(int(child.pid()));
        double seconds = 0;
        std::int64_t before = nowNs();
        const auto look = [&] {
            const double cores = usage.take()[0];
            const std::int64_t now = nowNs();
            seconds += cores * double(now - before) * 1e-9;
            before = now;
        };
        // How fast it works is the machine's affair, that it does is not.
        QVERIFY(QTest::qWaitFor([&] { return QFile::exists(end); }, 2 * test::kPatienceMs));
        look();
        const double ended = seconds;
        QVERIFY2(ended >= 0.02, qPrintable(QString::number(ended)));
        QVERIFY(QTest::qWaitFor(
            [&] {
                look();
                return seconds > ended + 0.1;
            },
            2 * test::kPatienceMs));
        child.kill();
    }

    //! The kernel's own count of another process, threads and children that start later included.
    void eventsOfAProcessAreCounted()
    {
        ChildProcess child;
        // Each round of a new process touches pages that nobody has touched.
        QVERIFY(child.start({"/bin/sh", "-c", "while :; do /bin/true; sleep 0.02; done"}, log()));
        poll(nullptr, 0, 200);
        const auto faults = ProcessEvent::open(int(child.pid()), ProcessEvent::Kind::PageFaults);
        if (!faults)
            QSKIP(qPrintable(QString("page faults of another process: ") + faults.error().text().c_str()));
        poll(nullptr, 0, 500);
        const double some = (*faults)->take();
        QVERIFY2(some > 100, qPrintable(QString::number(some)));
        child.kill();
        poll(nullptr, 0, 100);
        static_cast<void>((*faults)->take());
        QCOMPARE((*faults)->take(), 0.0); // it is gone, and nothing is counted twice
    }

    //! Threads that the process has, and those that they start, on the kernel's own count: pages that each touches
    //! first.
    void allThreadsAreCounted()
    {
        constexpr int kThreads = 3;
        constexpr std::size_t kPages = 500;
        const auto page = std::size_t(sysconf(_SC_PAGESIZE));
        const auto touch = [page] {
            void* memory = mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED)
                return;
            madvise(memory, kPages * page, MADV_NOHUGEPAGE);
            for (std::size_t i = 0; i < kPages; ++i)
                static_cast<volatile char*>(memory)[i * page] = 1;
            munmap(memory, kPages * page);
        };
        std::latch there(kThreads + 1), counted(1);
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&] {
                there.count_down();
                counted.wait();
                touch();
                std::thread(touch).join(); // one that comes
            });
        }
        there.arrive_and_wait();
        const auto faults = ProcessEvent::open(::getpid(), ProcessEvent::Kind::PageFaults);
        counted.count_down();
        for (std::thread& thread : threads)
            thread.join();
        if (!faults)
            QSKIP(qPrintable(QString("page faults of threads: ") + faults.error().text().c_str()));
        const double all = (*faults)->take();
        constexpr double kTouched = 2.0 * kThreads * kPages;
        QVERIFY2(all >= kTouched && all < 4 * kTouched, qPrintable(QString::number(all)));
    }

    //! A thread that had no counter while it ran makes the figure no worse than the others can tell.
    void countersAreScaledTogether()
    {
        QCOMPARE(ProcessEvent::together({}), 0.0);
        QCOMPARE(ProcessEvent::together({{100, 10, 10}, {0, 0, 0}}), 100.0);
        QCOMPARE(ProcessEvent::together({{100, 20, 10}, {30, 10, 10}, {0, 10, 0}}), 260.0);
        QVERIFY(std::isnan(ProcessEvent::together({{0, 10, 0}})));
    }

    //! Where the processor has such counters they count; where not, the reason is one of those that are known.
    void processorCountsOrTheReason()
    {
        ChildProcess child;
        QVERIFY(child.start({"/bin/sh", "-c", "while :; do :; done"}, log()));
        poll(nullptr, 0, 100);
        std::vector<ProcessUsage::Counted> counted;
        std::string why;
        for (const ProcessorSeries& one : processorSeries()) {
            auto event = ProcessEvent::open(int(child.pid()), one.kind);
            if (event) {
                counted.push_back({&one, std::move(*event)});
                continue;
            }
            why = event.error().message;
            QVERIFY2(why == "the processor shows no such counter" || why.starts_with("the kernel does not allow it"),
                     why.c_str());
            QVERIFY(event.error().kind == ErrorKind::Refused && !event.error().remedy.empty());
        }
        const std::size_t all = counted.size();
        ProcessUsage usage(int(child.pid()), kProcessSource, std::move(counted));
        poll(nullptr, 0, 300);
        const std::vector<double> figures = usage.take();
        const std::vector<CounterInfo> series = usage.series();
        QCOMPARE(figures.size(), series.size());
        QCOMPARE(series.size(), 2 + all);
        for (std::size_t i = 2; i < figures.size(); ++i)
            QVERIFY2(figures[i] > 0, series[i].name.c_str());
        // A loop of a shell on a core of today: more than one instruction in four cycles, less than eight in one.
        const auto of = [&](const char* name) {
            const auto found = std::ranges::find(series, name, &CounterInfo::name);
            return found == series.end() ? 0 : figures[std::size_t(found - series.begin())];
        };
        if (const double cycles = of(kProcessCycles); cycles > 0 && of(kProcessInstructions) > 0)
            QVERIFY(of(kProcessInstructions) / cycles > 0.25 && of(kProcessInstructions) / cycles < 8);
        if (!why.empty())
            QSKIP(qPrintable(QString("the counting itself: ") + why.c_str()));
    }

    void viewsThatWantProcessorCounts()
    {
        std::map<std::string, int> wanted;
        for (const ProcessorSeries& one : processorSeries()) {
            for (const char* measure : {"counter:server process/dTLB load misses", "server_tlb_misses_per_op",
                                        "server_instructions_per_op", "server_ipc", "tps", "counter:instructions"})
                wanted[measure] += one.tells(measure) ? 1 : 0;
        }
        QCOMPARE(wanted, (std::map<std::string, int>{{"counter:server process/dTLB load misses", 1},
                                                     {"server_tlb_misses_per_op", 1},
                                                     {"server_instructions_per_op", 1},
                                                     {"server_ipc", 2},
                                                     {"tps", 0},
                                                     {"counter:instructions", 0}}));
    }

    void noSuchEvent()
    {
        const auto none = ProcessEvent::open(-1, ProcessEvent::Kind::PageFaults);
        QVERIFY(!none && !none.error().message.empty());
    }

    void noSuchProcess()
    {
        ProcessUsage usage(-1);
        for (const double figure : usage.take())
            QVERIFY(std::isnan(figure));
    }

    void summaryDividesByOperations()
    {
        std::vector<CounterInfo> counters = {{"server", "threads", "threads", false}};
        const std::vector<CounterInfo> told = ProcessUsage::counters();
        counters.insert(counters.end(), told.begin(), told.end());
        SummaryBuilder builder({{"read", OpClass::Read}});
        builder.setCounters(counters);
        constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
        builder.add(interval(1000, 0.5, 300));
        builder.add(interval(3000, 1.5, 500));
        builder.add(interval(9000, kUnknown, kUnknown)); // its operations are not divided by
        IntervalSample warmup = interval(1000, 2, 1000);
        warmup.phase = Phase::Warmup;
        builder.add(warmup);
        const RunSummary summary = builder.summary();
        QCOMPARE(summary.serverCpuUsPerOp.value_or(-1), (0.5 + 1.5) * 2 * 1e6 / 4000);
        QCOMPARE(summary.serverSwitchesPerOp.value_or(-1), (300.0 + 500.0) * 2 / 4000);
        QVERIFY(summary.tells("server_cpu_us_per_op") && summary.tells("server_switches_per_op"));
    }

    //! Of a server of others nothing is known: no figure, not 0.
    void othersHaveNone()
    {
        SummaryBuilder builder({{"read", OpClass::Read}});
        builder.setCounters({{"server", kProcessCpu, "cores", false}});
        IntervalSample sample = interval(1000, 0, 0);
        sample.counters = {1};
        builder.add(sample);
        const RunSummary summary = builder.summary();
        QVERIFY(!summary.serverCpuUsPerOp && !summary.serverSwitchesPerOp);
        QVERIFY(!summary.tells("server_cpu_us_per_op") && !summary.tells("server_switches_per_op"));
        QVERIFY(summary.tells("tps"));
    }
};

} // namespace dyno::tst_process_usage

DYNO_SUITE(tst_process_usage, dyno::tst_process_usage::TestProcessUsage)
#include "tst_process_usage.moc"
