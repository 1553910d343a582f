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
#include <cstring>
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

void put(const QTemporaryDir& root, const QString& name, const QString& text)
{
    const QString path = root.filePath(name);
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(text.toUtf8());
}

//! Puts `text` into a file that the kernel has made.
bool tellKernel(const QString& file, const QByteArray& text)
{
    QFile out(file);
    return out.open(QIODevice::WriteOnly | QIODevice::ExistingOnly | QIODevice::Unbuffered) &&
           out.write(text) == text.size();
}

//! A control group of version 1 with a tenth of a core, in which the calling thread is while this lives.
class TightGroup
{
public:
    TightGroup()
    {
        m_isMade = QFile::exists(m_home) && QDir().mkdir(m_folder);
        m_isIn = m_isMade && tellKernel(m_folder + "/cpu.cfs_period_us", "20000") &&
                 tellKernel(m_folder + "/cpu.cfs_quota_us", "2000") &&
                 tellKernel(m_folder + "/tasks", QByteArray::number(::gettid()));
    }
    ~TightGroup()
    {
        if (m_isIn)
            tellKernel(m_home, QByteArray::number(::gettid()));
        if (m_isMade)
            QDir().rmdir(m_folder);
    }
    TightGroup(const TightGroup&) = delete;
    TightGroup& operator=(const TightGroup&) = delete;
    [[nodiscard]] bool isIn() const { return m_isIn; }
    //! Periods in which its quota was used up, since it was made.
    [[nodiscard]] double heldBack() const
    {
        QFile in(m_folder + "/cpu.stat");
        constexpr const char* kName = "nr_throttled ";
        for (const QByteArray& line : in.open(QIODevice::ReadOnly) ? in.readAll().split('\n') : QList<QByteArray>()) {
            if (line.startsWith(kName))
                return line.mid(qsizetype(std::strlen(kName))).toDouble();
        }
        return -1;
    }

private:
    //! The tasks of the group in which this thread was; "" where there is none of version 1.
    static QString home()
    {
        QFile in("/proc/thread-self/cgroup");
        for (const QByteArray& line : in.open(QIODevice::ReadOnly) ? in.readAll().split('\n') : QList<QByteArray>()) {
            const QList<QByteArray> fields = line.split(':'); // number, controllers, path, which may have colons
            if (fields.size() > 2 && fields[1].split(',').contains("cpu"))
                return QDir::cleanPath(kGroups + fields.mid(2).join(':') + "/tasks");
        }
        return {};
    }

    static constexpr const char* kGroups = "/sys/fs/cgroup/cpu";
    const QString m_home = home();
    QString m_folder = QString("%1/dynobench-test-%2").arg(kGroups).arg(::getpid());
    bool m_isMade = false, m_isIn = false;
};

double figureOf(const HostUsage& host, const std::vector<double>& figures, const char* name)
{
    for (std::size_t i = 0; i < host.series().size(); ++i) {
        if (host.series()[i].name == name)
            return figures.at(i);
    }
    return -1;
}

//! Counts what is asked for, and may be slow to tell clocks.
class WatchedPlace final : public HostPlace
{
public:
    explicit WatchedPlace(std::string root)
        : m_files(std::move(root))
    {
    }
    std::string_view text(std::string_view file) override
    {
        heats += file.find("/temp1_input") != std::string_view::npos ? 1 : 0;
        if (file.ends_with("scaling_cur_freq")) {
            ++clocks;
            const timespec time{0, sleepNs};
            if (sleepNs > 0)
                nanosleep(&time, nullptr);
        }
        return m_files.text(file);
    }
    bool hasDisk(const std::string& name) override { return m_files.hasDisk(name); }
    bool isDevice(const std::string& interface) override { return m_files.isDevice(interface); }
    std::vector<std::string> list(const std::string& folder) override { return m_files.list(folder); }
    std::int64_t timeNs() override { return now; }
    double ticksPerSecond() override { return 100; }

    int clocks = 0, heats = 0;
    long sleepNs = 0;
    std::int64_t now = 1'000'000'000;

private:
    LocalPlace m_files;
};

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
        write("proc/vmstat", "pgfault 57\npgmajfault 41\npswpin 3\npswpout 6\n");
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
        QVERIFY(is("page faults", 50 / seconds));
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

    //! Its bytes are those of its device, and count with no other; it is as busy as its busier direction.
    void networkLink()
    {
        constexpr const char* kLink = "%1dynolink3a:%2 1 0 0 0 0 0 0 %3 1 0 0 0 0 0 0\n";
        const auto tell = [&](int eth, int received, int sent) {
            write("proc/net/dev", QString(kLink).arg(QString(kNetwork).arg(eth)).arg(received).arg(sent));
        };
        write("proc/stat", QString(kStat).arg(10).arg(1000));
        tell(2000, 100, 5000);
        const std::string root = m_folder.path().toStdString();
        HostUsage host(root, {"dynolink3a", 8e6});
        HostUsage unlimited(root, {"dynolink3a", 0});
        const std::int64_t began = nowNs();
        while (nowNs() - began < 20'000'000)
            continue;
        write("proc/stat", QString(kStat).arg(10).arg(1600));
        tell(2300, 600, 2'005'000);
        const std::vector<double> figures = host.take();
        const double seconds = 600 / figureOf(host, figures, "context switches");
        QCOMPARE(figureOf(host, figures, "link received"), 500 / seconds);
        QCOMPARE(figureOf(host, figures, "link sent"), 2e6 / seconds);
        QVERIFY(std::abs(figureOf(host, figures, "link busy") - 100 * 2e6 / 1e6 / seconds) < 1e-6 * 200 / seconds);
        QCOMPARE(figureOf(host, figures, "network received"), 300 / seconds);
        QCOMPARE(figureOf(unlimited, unlimited.take(), "link busy"), -1.0); // of no rate
        const HostUsage without(root);
        QCOMPARE(figureOf(without, {}, "link received"), -1.0);
    }

    //! Version 1 or 2, by the group's own path or as a container sees it; only where there is something to limit.
    void controlGroup_data()
    {
        QTest::addColumn<QString>("groups");
        QTest::addColumn<QStringList>("files"); // name, text, name, text …
        QTest::addColumn<QString>("later");     // of cpu.stat
        QTest::addColumn<double>("waited");     // ms; below 0: no such series
        QTest::addColumn<double>("memory");     // bytes, likewise
        QTest::newRow("version 2") << "0::/app.slice/bench\n"
                                   << QStringList{"app.slice/bench/cpu.max",
                                                  "50000 100000\n",
                                                  "app.slice/bench/memory.max",
                                                  "1073741824\n",
                                                  "app.slice/bench/cpu.stat",
                                                  "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 1000\n",
                                                  "app.slice/bench/memory.current",
                                                  "4096\n"}
                                   << "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 41000\n"
                                   << 40.0 << 4096.0;
        QTest::newRow("version 2, limits further up") << "0::/pod/app/leaf\n"
                                                      << QStringList{"pod/app/leaf/cpu.max",
                                                                     "max 100000\n",
                                                                     "pod/app/leaf/memory.max",
                                                                     "max\n",
                                                                     "pod/app/leaf/cpu.stat",
                                                                     "nr_throttled 0\nthrottled_usec 0\n",
                                                                     "pod/app/leaf/memory.current",
                                                                     "1024\n",
                                                                     "pod/app/cpu.max",
                                                                     "200000 100000\n",
                                                                     "pod/app/cpu.stat",
                                                                     "nr_throttled 3\nthrottled_usec 1000\n",
                                                                     "pod/memory.max",
                                                                     "65536\n",
                                                                     "pod/memory.current",
                                                                     "2048\n",
                                                                     "pod/cpu.max",
                                                                     "100000 100000\n"}
                                                      << "nr_throttled 3\nthrottled_usec 9000\n"
                                                      << 8.0 << 2048.0;
        QTest::newRow("version 2, no limit")
            << "0::/user.slice/shell\n"
            << QStringList{"user.slice/shell/cpu.max",        "max 100000\n",
                           "user.slice/shell/cpu.stat",       "nr_throttled 0\nthrottled_usec 0\n",
                           "user.slice/shell/memory.max",     "max\n",
                           "user.slice/shell/memory.current", "1024\n"}
            << "nr_throttled 0\nthrottled_usec 0\n"
            << -1.0 << -1.0;
        QTest::newRow("version 2, a path without an end")
            << "0::nothing\n"
            << QStringList{"cpu.max", "max 100000\n"} << "" << -1.0 << -1.0;
        QTest::newRow("version 2, a container")
            << "0::/\n"
            << QStringList{"cpu.max",        "50000 100000\n", "memory.max",
                           "65536\n",        "cpu.stat",       "nr_throttled 3\nthrottled_usec 1000\n",
                           "memory.current", "8192\n"}
            << "nr_throttled 3\nthrottled_usec 3000\n"
            << 2.0 << 8192.0;
        QTest::newRow("version 2, the root") << "0::/\n"
                                             << QStringList{"cpu.stat", "usage_usec 5\n"} << "usage_usec 6\n"
                                             << -1.0 << -1.0;
        QTest::newRow("version 1, a container")
            << "4:memory:/docker/1\n2:cpu,cpuacct:/docker/1\n0::/docker/1\n"
            << QStringList{"cpu,cpuacct/cpu.cfs_quota_us", "50000\n",
                           "cpu,cpuacct/cpu.stat",         "nr_periods 9\nnr_throttled 3\nthrottled_time 1000000\n",
                           "memory/memory.limit_in_bytes", "1073741824\n",
                           "memory/memory.usage_in_bytes", "12288\n"}
            << "nr_periods 9\nnr_throttled 3\nthrottled_time 31000000\n"
            << 30.0 << 12288.0;
        QTest::newRow("version 1, the root") << "4:memory:/\n2:cpu:/\n"
                                             << QStringList{"cpu/cpu.cfs_quota_us",
                                                            "-1\n",
                                                            "cpu/cpu.stat",
                                                            "nr_throttled 0\nthrottled_time 0\n",
                                                            "memory/memory.limit_in_bytes",
                                                            "9223372036854771712\n",
                                                            "memory/memory.usage_in_bytes",
                                                            "12288\n"}
                                             << "" << -1.0 << -1.0;
    }
    void controlGroup()
    {
        QFETCH(QString, groups);
        QFETCH(QStringList, files);
        QFETCH(QString, later);
        QFETCH(double, waited);
        QFETCH(double, memory);
        QTemporaryDir root;
        put(root, "proc/self/cgroup", groups);
        put(root, "proc/stat", QString(kStat).arg(10).arg(1000));
        for (int i = 0; i + 1 < files.size(); i += 2)
            put(root, "sys/fs/cgroup/" + files[i], files[i + 1]);
        HostUsage host(root.path().toStdString());
        const std::int64_t began = nowNs();
        while (nowNs() - began < 20'000'000)
            continue;
        put(root, "proc/stat", QString(kStat).arg(10).arg(1600));
        for (int i = 0; i + 1 < files.size(); i += 2) {
            if (files[i].endsWith("cpu.stat"))
                put(root, "sys/fs/cgroup/" + files[i], later);
        }
        const std::vector<double> figures = host.take();
        const double seconds = 600 / figureOf(host, figures, "context switches");
        const double found = figureOf(host, figures, "waiting for CPU quota");
        QVERIFY2(waited < 0 ? found == -1 : std::abs(found * seconds - waited) < 1e-6,
                 qPrintable(QString::number(found)));
        QCOMPARE(figureOf(host, figures, "CPU quota used up"), waited < 0 ? -1.0 : 0.0);
        QCOMPARE(figureOf(host, figures, "memory of the control group"), memory);
    }

    //! The kernel's own: a thread that works on in a group with little of a core is held back.
    void realControlGroup()
    {
        const TightGroup group;
        if (!group.isIn())
            QSKIP("a real control group: this user may make none of version 1, or the kernel has none with a quota");
        const std::int64_t early = nowNs();
        const double before = group.heldBack();
        HostUsage host;
        const double began = group.heldBack();
        const std::int64_t late = nowNs();
        while (group.heldBack() < began + 3 && nowNs() - late < 20'000'000'000)
            continue;
        const double ended = group.heldBack();
        const std::int64_t asked = nowNs();
        const std::vector<double> figures = host.take();
        const std::int64_t told = nowNs();
        const double after = group.heldBack();
        QVERIFY2(ended >= began + 3, qPrintable(QString("%1 to %2").arg(began).arg(ended)));
        const double rate = figureOf(host, figures, "CPU quota used up");
        constexpr double kRounding = 1e-6;
        QVERIFY2(rate * double(told - early) * 1e-9 >= ended - began - kRounding &&
                     rate * double(asked - late) * 1e-9 <= after - before + kRounding,
                 qPrintable(QString("%1 a second; %2 to %3").arg(rate).arg(ended - began).arg(after - before)));
        QVERIFY(figureOf(host, figures, "waiting for CPU quota") > 0);
    }

    void clockAndTemperature()
    {
        QTemporaryDir root;
        const QString clock("sys/devices/system/cpu/cpu%1/cpufreq/scaling_cur_freq");
        put(root, clock.arg(0), "3000000\n");
        put(root, clock.arg(1), "1000000\n");
        put(root, "sys/class/hwmon/hwmon0/name", "nvme\n");
        put(root, "sys/class/hwmon/hwmon0/temp1_input", "99000\n"); // a disk's
        put(root, "sys/class/hwmon/hwmon1/name", "coretemp\n");
        put(root, "sys/class/hwmon/hwmon1/temp1_label", "Package id 0\n");
        put(root, "sys/class/hwmon/hwmon1/temp1_input", "63500\n");
        put(root, "sys/class/hwmon/hwmon1/temp2_label", "Core 0\n"); // asking it interrupts the core
        put(root, "sys/class/hwmon/hwmon1/temp2_input", "71000\n");
        put(root, "sys/class/thermal/thermal_zone0/type", "acpitz\n");
        put(root, "sys/class/thermal/thermal_zone0/temp", "98000\n");
        HostUsage host(root.path().toStdString());
        const std::vector<double> figures = host.take();
        QCOMPARE(figureOf(host, figures, "CPU clock"), 2000.0);
        QCOMPARE(figureOf(host, figures, "slowest CPU clock"), 1000.0);
        QCOMPARE(figureOf(host, figures, "CPU temperature"), 63.5);
        for (int core = 2; core < 64; ++core)
            put(root, clock.arg(core), "1000000\n");
        const auto place = std::make_shared<WatchedPlace>(root.path().toStdString());
        HostUsage many(place, kHostSource);
        QVERIFY(place->clocks <= 2 * 4); // to see which there are, and for the first figures
        place->clocks = place->heats = 0;
        for (int i = 0; i < 10; ++i) { // of one second
            QVERIFY(figureOf(many, many.take(), "CPU clock") > 0);
            place->now += 100'000'000;
        }
        QVERIFY(place->clocks <= 4 && place->heats <= 1);
        place->now += 1'000'000'000;
        put(root, clock.arg(0), "5000000\n");
        QVERIFY(figureOf(many, many.take(), "CPU clock") > 1000);
        QVERIFY(place->clocks > 0 && place->clocks <= 8);
    }

    //! What takes long to ask is not asked again: kernels that sleep for it.
    void slowClocksAreNotRead()
    {
        QTemporaryDir root;
        put(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000\n");
        put(root, "sys/class/hwmon/hwmon0/name", "k10temp\n");
        put(root, "sys/class/hwmon/hwmon0/temp1_label", "Tctl\n");
        put(root, "sys/class/hwmon/hwmon0/temp1_input", "51000\n");
        const auto place = std::make_shared<WatchedPlace>(root.path().toStdString());
        place->sleepNs = 10'000'000;
        HostUsage host(place, kHostSource);
        const int asked = place->clocks;
        QCOMPARE(figureOf(host, host.take(), "CPU clock"), -1.0);
        place->now += 2'000'000'000;
        static_cast<void>(host.take());
        QCOMPARE(place->clocks, asked);
        QCOMPARE(figureOf(host, host.take(), "CPU temperature"), 51.0);
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
    void write(const char* name, const QString& text) { put(m_folder, name, text); }
    QTemporaryDir m_folder;
};

} // namespace dyno::tst_host_usage

DYNO_SUITE(tst_host_usage, dyno::tst_host_usage::TstHostUsage)
#include "tst_host_usage.moc"
