// SPDX-License-Identifier: GPL-3.0-or-later
// What this machine does: figures of known files of the kernel, and of bytes and CPU time that the test uses itself.
#include "base/clock.h"
#include "metrics/host_usage.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <arpa/inet.h>
#include <array>
#include <cmath>
#include <ctime>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace dyno::tst_host_usage {

namespace {

constexpr const char* kStat = "cpu  %1 0 200 9000 30 10 20 40 0 0\n"
                              "cpu0 1 2 3\n"
                              "intr 123 4 5 6\n"
                              "ctxt %2\n"
                              "procs_running 3\n"
                              "procs_blocked 2\n";
//! The disk of kDisks (100, 300, 20) after some use.
constexpr const char* kBusyDisk = " 259 0 nvme0n1 150 5 16100 475 230 7 8400 420 0 190 500 0 0 0 0 14 60\n";
//! As Linux 5.5 and newer write it: with discards and flushes.
constexpr const char* kDisks = " 7 0 loop0 999999 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n"
                               " 259 0 nvme0n1 %1 5 16000 400 200 7 8000 %2 0 90 500 0 0 0 0 10 %3\n"
                               " 259 1 nvme0n1p1 900 5 16000 400 200 7 8000 300 0 90 500 0 0 0 0 10 20\n";
constexpr const char* kNetwork = "Inter-|   Receive                            |  Transmit\n"
                                 " face |bytes    packets errs drop fifo frame compressed multicast|bytes\n"
                                 "    lo:  7000 1 0 0 0 0 0 0 7000 1 0 0 0 0 0 0\n"
                                 "  eth0:%1 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n"
                                 " bond0:%1 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n";

//! Sends bytes to itself by TCP; how many came.
std::size_t sendByLoopback(std::size_t bytes)
{
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
              to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    std::size_t got = 0;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener, any, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, any, &size) == 0 &&
        connect(to, any, size) == 0) {
        const int from = accept(listener, nullptr, nullptr);
        std::thread sender([to, bytes] {
            const std::string text(bytes, 'x');
            for (std::size_t at = 0; at < bytes;) {
                const ssize_t sent = send(to, text.data() + at, bytes - at, MSG_NOSIGNAL);
                if (sent <= 0)
                    break;
                at += std::size_t(sent);
            }
            shutdown(to, SHUT_WR);
        });
        std::array<char, 65536> buffer{};
        for (ssize_t more = 1; more > 0; got += std::size_t(std::max<ssize_t>(more, 0)))
            more = recv(from, buffer.data(), buffer.size(), 0);
        sender.join();
        close(from);
    }
    close(to);
    close(listener);
    return got;
}

double figureOf(const HostUsage& host, const std::vector<double>& figures, const char* name)
{
    for (std::size_t i = 0; i < host.series().size(); ++i) {
        if (host.series()[i].name == name)
            return figures.at(i);
    }
    return -1;
}

} // namespace

class TstHostUsage : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        for (const char* path : {"proc/net", "proc/pressure", "sys/block/nvme0n1", "sys/block/loop0",
                                 "sys/class/net/eth0/device", "sys/class/net/bond0"})
            QVERIFY(QDir(m_folder.path()).mkpath(path));
    }

    void figuresOfKnownFiles()
    {
        write("proc/stat", QString(kStat).arg(1000).arg(5000));
        write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 600 kB\nDirty: 5 kB\n");
        write("proc/vmstat", "pgfault 7\npgmajfault 40\npswpin 1\npswpout 2\n");
        write("proc/diskstats", QString(kDisks).arg(100).arg(300).arg(20));
        write("proc/net/dev", QString(kNetwork).arg(2000));
        write("proc/net/snmp", "Ip: A\nIp: 1\nTcp: A RetransSegs B\nTcp: 1 11 -1\n");
        write("proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=100000\nfull avg10=0 total=5\n");
        HostUsage host(m_folder.path().toStdString());
        const std::int64_t began = nowNs();
        while (nowNs() - began < 20'000'000)
            continue;
        write("proc/stat", QString(kStat).arg(1100).arg(5600).replace("30 10 20 40", "50 12 21 45"));
        write("proc/vmstat", "pgfault 7\npgmajfault 41\npswpin 3\npswpout 6\n");
        write("proc/diskstats", kBusyDisk);
        write("proc/net/dev", QString(kNetwork).arg(4000));
        write("proc/net/snmp", "Tcp: A RetransSegs B\nTcp: 1 13 -1\n");
        write("proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=110000\n");
        const std::vector<double> figures = host.take();
        const auto of = [&](const char* name) { return figureOf(host, figures, name); };
        // All rates are over one time, which is not known exactly: the context switches' tells it.
        const double seconds = 600 / of("context switches");
        QVERIFY2(seconds > 0.02 && seconds < 5, qPrintable(QString::number(seconds)));
        const auto is = [&](const char* name, double value) {
            return QTest::qCompare(std::round(of(name) * 1e6) / 1e6, std::round(value * 1e6) / 1e6, name, "expected",
                                   __FILE__, __LINE__);
        };
        QVERIFY(is("CPU user", 1.0 / seconds));    // 100 ticks of 10 ms
        QVERIFY(is("CPU system", 0.03 / seconds)); // with interrupts
        QVERIFY(is("CPU iowait", 0.2 / seconds));
        QVERIFY(is("CPU steal", 0.05 / seconds));
        QVERIFY(is("runnable threads", 3));
        QVERIFY(is("threads blocked by I/O", 2));
        QVERIFY(is("memory available", 600 * 1024));
        QVERIFY(is("dirty memory", 5 * 1024));
        QVERIFY(is("major page faults", 1 / seconds));
        QVERIFY(is("pages swapped in", 2 / seconds));
        QVERIFY(is("pages swapped out", 4 / seconds));
        QVERIFY(is("nvme0n1 reads", 50 / seconds));
        QVERIFY(is("nvme0n1 bytes read", 100 * 512 / seconds));
        QVERIFY(is("nvme0n1 read latency", 1.5)); // 75 ms of 50
        QVERIFY(is("nvme0n1 writes", 30 / seconds));
        QVERIFY(is("nvme0n1 bytes written", 400 * 512 / seconds));
        QVERIFY(is("nvme0n1 write latency", 4));
        QVERIFY(is("nvme0n1 flushes", 4 / seconds));
        QVERIFY(is("nvme0n1 flush latency", 10));
        QVERIFY(is("nvme0n1 busy", 10 / seconds));                                 // 100 ms
        QVERIFY(std::isnan(figureOf(host, host.take(), "nvme0n1 write latency"))); // no write ended
        QVERIFY(is("network received", 2000 / seconds));
        QVERIFY(is("network sent", 0));
        QVERIFY(is("loopback", 0));
        QVERIFY(is("TCP retransmits", 2 / seconds));
        QVERIFY(is("I/O pressure", 1.0 / seconds)); // 10 ms: 1 % of a second
        // Neither a partition nor a loop device, and nothing that the kernel does not tell.
        QVERIFY(of("loop0 reads") < 0 && of("nvme0n1p1 reads") < 0);
        QVERIFY(of("CPU pressure") < 0 && of("transparent huge pages") < 0);
        QCOMPARE(figures.size(), host.series().size());
    }

    //! After a disk went away, or its counts began again, nothing absurd is told.
    void countsThatGoDownAreUnknown()
    {
        write("proc/stat", QString(kStat).arg(1000).arg(5000));
        write("proc/diskstats", QString(kDisks).arg(100).arg(300).arg(20));
        HostUsage host(m_folder.path().toStdString());
        write("proc/stat", QString(kStat).arg(10).arg(5));
        write("proc/diskstats", "");
        std::vector<double> figures = host.take();
        QVERIFY(std::isnan(figureOf(host, figures, "CPU user")));
        QVERIFY(std::isnan(figureOf(host, figures, "context switches")));
        QVERIFY(std::isnan(figureOf(host, figures, "nvme0n1 reads")));
        write("proc/diskstats", QString(kDisks).arg(5).arg(300).arg(20));
        figures = host.take();
        QVERIFY(std::isnan(figureOf(host, figures, "nvme0n1 reads"))); // nothing to count from
        figures = host.take();
        QCOMPARE(figureOf(host, figures, "nvme0n1 reads"), 0.0);
        QFile::remove(m_folder.filePath("proc/stat"));
        QVERIFY(std::isnan(figureOf(host, host.take(), "runnable threads")));
    }

    //! This machine, used in known ways.
    void usageOfThisMachineIsSeen()
    {
        HostUsage host;
        const std::int64_t began = nowNs();
        (void)host.take();
        timespec cpu{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
        const double cpuBefore = double(cpu.tv_sec) + double(cpu.tv_nsec) * 1e-9;
        constexpr std::size_t kBytes = 20'000'000;
        QCOMPARE(sendByLoopback(kBytes), kBytes);
        double used = 0;
        while (used < 0.3) {
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
            used = double(cpu.tv_sec) + double(cpu.tv_nsec) * 1e-9 - cpuBefore;
        }
        const std::vector<double> figures = host.take();
        const double seconds = double(nowNs() - began) * 1e-9;
        const double cores = figureOf(host, figures, "CPU user") + figureOf(host, figures, "CPU system");
        // Ticks are 10 ms; others may use the machine too.
        QVERIFY2(cores * seconds > used * 0.8 && cores < double(sysconf(_SC_NPROCESSORS_ONLN)) * 1.1,
                 qPrintable(QString::number(cores)));
        const double loopback = figureOf(host, figures, "loopback");
        QVERIFY2(loopback < 0 || loopback * seconds >= double(kBytes), qPrintable(QString::number(loopback)));
    }

private:
    void write(const char* name, const QString& text)
    {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(text.toUtf8());
    }
    QTemporaryDir m_folder;
};

} // namespace dyno::tst_host_usage

DYNO_SUITE(tst_host_usage, dyno::tst_host_usage::TstHostUsage)
#include "tst_host_usage.moc"
