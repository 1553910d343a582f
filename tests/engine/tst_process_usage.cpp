// SPDX-License-Identifier: GPL-3.0-or-later
// What another process uses: a child of a known load, and what a run's summary makes of it.
#include "base/clock.h"
#include "metrics/process_usage.h"
#include "server/lifecycle/child_process.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QTest>

#include <QTemporaryDir>

#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <latch>
#include <limits>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

//! Maps memory and touches each of its pages; it stays.
void touchPages(std::size_t bytes)
{
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (std::size_t at = 0; at < bytes; at += std::size_t(sysconf(_SC_PAGESIZE)))
        static_cast<volatile char*>(memory)[at] = 1;
}

constexpr std::size_t kCrowd = ProcessUsage::kThreads + 20, kCrowdEnds = 40, kCrowdBytes = 64 << 10;

//! A forked process: answers each order when it is done. Only what is safe after a fork.
[[noreturn]] void obey(int orders, int answers, std::size_t bytes, const char* file, const std::vector<char>& content)
{
    pid_t child = 0;
    std::array<int, 2> ready{};
    std::array<pid_t, kCrowd> crowd{};
    for (char order = 0; read(orders, &order, 1) == 1 && order != 'q';) {
        char there = 0;
        if (order == 'm')
            touchPages(bytes);
        if (order == 'c' && pipe(ready.data()) == 0) {
            child = fork();
            if (child == 0) {
                touchPages(bytes);
                [[maybe_unused]] const ssize_t said = write(ready[1], &order, 1);
                for (;;)
                    pause();
            }
            if (read(ready[0], &there, 1) != 1)
                _exit(1);
        }
        if (order == 'e') {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
        if (order == 'C') { // many, which touch nothing more
            for (pid_t& one : crowd) {
                one = fork();
                if (one == 0) {
                    prctl(PR_SET_PDEATHSIG, SIGKILL);
                    touchPages(kCrowdBytes);
                    for (;;)
                        pause();
                }
            }
        }
        if (order == 'E') { // the last of them, which nobody had looked at, and some others
            for (std::size_t i = crowd.size() - kCrowdEnds; i < crowd.size(); ++i) {
                kill(crowd[i], SIGKILL);
                waitpid(crowd[i], nullptr, 0);
            }
        }
        if (order == 'w') {
            const int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
            if (write(fd, content.data(), content.size()) != ssize_t(content.size()) || fsync(fd) != 0)
                _exit(1);
            close(fd);
        }
        if (write(answers, &order, 1) != 1)
            _exit(1);
    }
    _exit(0);
}

//! Bytes that the kernel says this process had storage write.
std::uint64_t writtenByThis()
{
    std::ifstream io("/proc/self/io");
    std::string name;
    std::uint64_t value = 0;
    while (io >> name >> value) {
        if (name == "write_bytes:")
            return value;
    }
    return 0;
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
            QCOMPARE(figures.size(), usage.series().size());
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

    //! A process that does what it is told: memory that is touched, a file that is written, a child that touches memory
    //! and ends, after which nothing of it counts a second time.
    void memoryFaultsAndBytes()
    {
        constexpr std::size_t kBytes = std::size_t(24) << 20, kFileBytes = std::size_t(4) << 20;
        const auto pages = double(kBytes) / double(sysconf(_SC_PAGESIZE));
        std::array<int, 2> orders{}, answers{};
        QVERIFY(pipe2(orders.data(), O_CLOEXEC) == 0 && pipe2(answers.data(), O_CLOEXEC) == 0);
        const QByteArray file = m_dir.filePath("written").toLocal8Bit();
        const std::vector<char> content(kFileBytes, 'x');
        const pid_t process = fork();
        QVERIFY(process >= 0);
        if (process == 0 && close(orders[1]) == 0 && close(answers[0]) == 0) // it ends with this one
            obey(orders[0], answers[1], kBytes, file.constData(), content);
        QVERIFY(close(orders[0]) == 0 && close(answers[1]) == 0);
        ProcessUsage usage(process);
        const std::vector<CounterInfo> series = usage.series();
        std::int64_t early = nowNs(), late = early;
        std::vector<double> figures;
        const auto of = [&](const char* name) {
            const auto found = std::ranges::find(series, name, &CounterInfo::name);
            return found == series.end() ? std::nan("") : figures.at(std::size_t(found - series.begin()));
        };
        double least = 0, most = 0; // seconds that the figures are of, at least and at most
        const auto order = [&](char what) {
            char answer = 0;
            const bool done = write(orders[1], &what, 1) == 1 && read(answers[0], &answer, 1) == 1 && answer == what;
            const std::int64_t asked = nowNs();
            figures = usage.take();
            const std::int64_t told = nowNs();
            least = double(asked - late) * 1e-9;
            most = double(told - early) * 1e-9;
            early = asked;
            late = told;
            return done;
        };
        const auto isAbout = [&](const char* name, double count) {
            const bool is = of(name) * most >= count && of(name) * least <= count * 1.3 + 600;
            if (!is)
                qWarning("%s: %g a second in %g to %g s, not %g", name, of(name), least, most, count);
            return is;
        };
        QVERIFY(order('.')); // nothing but a round
        const double before = of("resident memory");
        QVERIFY(before > 1e6);
        QVERIFY(order('c'));
        QVERIFY(isAbout("minor page faults", pages));
        // A child shares what was there at the fork, which counts with both.
        constexpr double kUncounted = 2 << 20; // the kernel counts in batches
        QVERIFY(of("resident memory") > before + double(kBytes) - kUncounted);
        QVERIFY(order('e'));
        QVERIFY(isAbout("minor page faults", 0));
        QVERIFY(std::abs(of("resident memory") - before) < kUncounted);
        QVERIFY(order('m'));
        QVERIFY(isAbout("minor page faults", pages));
        QVERIFY(isAbout("major page faults", 0));
        QVERIFY(std::abs(of("resident memory") - before - double(kBytes)) < kUncounted);
        const std::uint64_t ownBytes = writtenByThis();
        QFile own(m_dir.filePath("own"));
        QVERIFY(own.open(QIODevice::WriteOnly) && own.write(content.data(), qint64(content.size())) > 0 && own.flush());
        QVERIFY(fsync(own.handle()) == 0);
        const bool counted = writtenByThis() - ownBytes >= kFileBytes;
        const bool wrote = order('w');
        const double bytes = of("storage written");
        const bool wellCounted = isAbout("storage written", double(kFileBytes));
        order('q');
        int status = 0;
        QCOMPARE(waitpid(process, &status, 0), process);
        close(orders[1]);
        close(answers[0]);
        QVERIFY(wrote);
        for (const double figure : usage.take())
            QVERIFY(std::isnan(figure));
        if (!counted || std::isnan(bytes))
            QSKIP("bytes written: the kernel does not count them for this folder's file system, or not for this user");
        QVERIFY(wellCounted);
    }

    //! Of more than are looked at some end, and all that are left can be looked at: what the process has counted of
    //! those that nobody had seen is no news, and neither is what those did that are seen for the first time.
    void manyChildren()
    {
        std::array<int, 2> orders{}, answers{};
        QVERIFY(pipe2(orders.data(), O_CLOEXEC) == 0 && pipe2(answers.data(), O_CLOEXEC) == 0);
        const pid_t process = fork();
        QVERIFY(process >= 0);
        if (process == 0 && close(orders[1]) == 0 && close(answers[0]) == 0)
            obey(orders[0], answers[1], 0, "", {});
        QVERIFY(close(orders[0]) == 0 && close(answers[1]) == 0);
        const auto order = [&](char what) {
            char answer = 0;
            return write(orders[1], &what, 1) == 1 && read(answers[0], &answer, 1) == 1 && answer == what;
        };
        ProcessUsage usage(process);
        const auto series = usage.series();
        const auto found = std::ranges::find(series, "minor page faults", &CounterInfo::name);
        QVERIFY(found != series.end());
        const auto at = std::size_t(found - series.begin());
        // So many are looked at once in a second at most; CPU time is known always.
        const auto look = [&] {
            std::vector<double> figures = usage.take();
            const std::int64_t before = nowNs();
            while (nowNs() - before < ProcessUsage::kManyEveryNs)
                poll(nullptr, 0, 20);
            figures = usage.take();
            return figures;
        };
        QVERIFY(order('C'));
        static_cast<void>(look());
        const std::vector<double> soon = usage.take();
        QVERIFY(std::isfinite(soon[0]) && std::isnan(soon[1]) && std::isnan(soon[at]));
        QVERIFY(order('E'));
        const std::vector<double> ended = look();
        const std::vector<double> calm = look();
        order('q');
        int status = 0;
        QCOMPARE(waitpid(process, &status, 0), process);
        close(orders[1]);
        close(answers[0]);
        QVERIFY(std::isnan(ended[at]));
        QVERIFY(std::isfinite(ended[0]) && std::isfinite(ended[1]));
        QVERIFY2(calm[at] >= 0 && calm[at] < 300, qPrintable(QString::number(calm[at])));
    }

    //! A server that is started again is another process: after a gap its figures go on, and no later one that has the
    //! number of the first gives any.
    void anotherProcess()
    {
        const auto work = [this](ChildProcess& child) {
            return child.start({"/bin/sh", "-c", "while :; do :; done"}, log()).has_value();
        };
        const auto worksIn = [](ProcessUsage& usage) {
            return QTest::qWaitFor([&] { return usage.take()[0] > 0; }, 2 * test::kPatienceMs);
        };
        ChildProcess first, second;
        QVERIFY(work(first));
        const auto now = std::make_shared<std::atomic<int>>(int(first.pid()));
        ProcessUsage usage(int(first.pid()));
        usage.follow(now);
        const std::size_t figures = usage.series().size();
        QVERIFY(worksIn(usage));
        first.kill();
        for (int i = 0; i < 2; ++i) {
            for (const double figure : usage.take())
                QVERIFY(std::isnan(figure));
        }
        QVERIFY(work(second));
        *now = int(second.pid());
        const std::vector<double> gap = usage.take();
        QCOMPARE(gap.size(), figures);
        QVERIFY(std::ranges::all_of(gap, [](double one) { return std::isnan(one); }));
        QVERIFY(worksIn(usage));
        QCOMPARE(usage.take().size(), figures);
        second.kill();
    }

    //! Of this process what it touches itself, without what it has started; of bytes nothing when that ended.
    void generatorWithoutItsChildren()
    {
        ProcessUsage usage = ProcessUsage::ofGenerator();
        const std::vector<CounterInfo> series = usage.series();
        for (const CounterInfo& one : series)
            QVERIFY(one.source.ends_with(kOfProcess) && cpuProcessOf(one).empty() && one.rate);
        const std::int64_t began = nowNs();
        touchPages(4 << 20);
        const std::vector<double> figures = usage.take();
        const double seconds = double(nowNs() - began) * 1e-9;
        QCOMPARE(figures.size(), series.size());
        QVERIFY(figures[0] * seconds >= double(4 << 20) / double(sysconf(_SC_PAGESIZE)) * 0.99);
        const pid_t child = fork();
        QVERIFY(child >= 0);
        if (child == 0)
            _exit(0);
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        const std::vector<double> after = usage.take();
        QVERIFY(std::isfinite(after[0]));
        for (std::size_t i = 2; i < after.size(); ++i)
            QVERIFY(std::isnan(after[i]));
        for (const double figure : usage.take())
            QVERIFY(figure >= 0);
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
        const std::size_t usual = ProcessUsage(int(child.pid())).series().size();
        QCOMPARE(series.size(), usual + all);
        for (std::size_t i = usual; i < figures.size(); ++i)
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
