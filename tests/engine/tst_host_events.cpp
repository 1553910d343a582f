// SPDX-License-Identifier: GPL-3.0-or-later
// What a machine tells of itself in /proc and /sys, and its clock.
#include "base/clock.h"
#include "metrics/host_events.h"
#include "metrics/host_usage.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <ctime>

namespace dyno::tst_host_events {

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

} // namespace

class TestHostEvents : public QObject
{
    Q_OBJECT

    void write(const QString& name, const QByteArray& text)
    {
        const QString path = QDir(m_root.path()).filePath(name);
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    QTemporaryDir m_root;

private slots:
    void memoryAndHeat()
    {
        write("proc/vmstat", "pswpin 10\npswpout 7\noom_kill_more 3\noom_kill 0\n");
        for (const char* core : {"0", "1"})
            write(QString("sys/devices/system/cpu/cpu%1/thermal_throttle/core_throttle_count").arg(core), "5\n");
        HostUsage usage(m_root.path().toStdString());
        HostEvents host(usage, m_root.path().toStdString());
        host.look(1 * kSecondNs, 100 * kSecondNs, 1 * kSecondNs);
        write("proc/vmstat", "pswpin 10\npswpout 30\noom_kill_more 9\noom_kill 1\n");
        write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "9\n");
        static_cast<void>(usage.take());
        host.look(2 * kSecondNs, 101 * kSecondNs, 2 * kSecondNs);
        host.look(3 * kSecondNs, 102 * kSecondNs, 3 * kSecondNs);
        QStringList told;
        for (const CounterEvent& one : host.take()) {
            QCOMPARE(one.fromNs, 1 * kSecondNs);
            QCOMPARE(one.toNs, 2 * kSecondNs);
            told << QString::fromStdString(one.sentence) + (one.amount ? QString(" %1").arg(*one.amount) : QString());
        }
        told.sort();
        QCOMPARE(told,
                 QStringList({"cores of this machine were slowed down because they were hot 4",
                              "out of memory: the kernel ended a process", "this machine swapped memory out 23"}));
        QVERIFY(host.takeLast().empty());
    }

    void clockJumps()
    {
        const HostUsage usage(m_root.filePath("nowhere").toStdString());
        HostEvents host(usage, m_root.filePath("nowhere").toStdString());
        host.look(1 * kSecondNs, 100 * kSecondNs, 1 * kSecondNs);
        host.look(2 * kSecondNs, 101 * kSecondNs + kSecondNs * 4 / 10, 2 * kSecondNs); // steered, not set
        host.look(3 * kSecondNs, 99 * kSecondNs + kSecondNs * 4 / 10, 3 * kSecondNs);
        host.look(4 * kSecondNs, 130 * kSecondNs, 4 * kSecondNs);
        const auto found = host.take();
        QCOMPARE(found.size(), std::size_t(2));
        QCOMPARE(found[0].sentence, std::string("the clock of this machine was set back by 3.0 s"));
        QCOMPARE(found[1].sentence, std::string("the clock of this machine was set forward by 29.6 s"));
        QCOMPARE(found[1].fromNs, 3 * kSecondNs);
    }

    //! The clock of runs stands still meanwhile; nobody set the one of the day.
    void suspended()
    {
        const HostUsage usage(m_root.filePath("nowhere").toStdString());
        HostEvents host(usage, m_root.filePath("nowhere").toStdString());
        host.look(1 * kSecondNs, 100 * kSecondNs, 1 * kSecondNs);
        host.look(2 * kSecondNs, 3701 * kSecondNs, 3602 * kSecondNs);
        const auto found = host.take();
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].sentence, std::string("this machine was suspended for 3600.0 s"));
    }

    //! Two logical cores of one tell the same count; one that goes offline and comes back tells nothing.
    void coresOfHeat()
    {
        QTemporaryDir root;
        const QString cores = root.filePath("sys/devices/system/cpu/cpu%1/");
        const auto tell = [&](int cpu, const QByteArray& count) {
            write(cores.arg(cpu) + "topology/physical_package_id", "0\n");
            write(cores.arg(cpu) + "topology/core_id", cpu == 2 ? "1\n" : "0\n");
            write(cores.arg(cpu) + "thermal_throttle/core_throttle_count", count);
        };
        for (const int cpu : {0, 1, 2})
            tell(cpu, "5\n");
        const HostUsage usage(root.path().toStdString());
        HostEvents host(usage, root.path().toStdString());
        const auto look = [&host](std::int64_t second) {
            host.look(second * kSecondNs, second * kSecondNs, second * kSecondNs);
        };
        look(1);
        tell(2, "");
        look(2);
        tell(2, "5\n");
        look(3);
        QVERIFY(host.take().empty());
        for (const int cpu : {0, 1})
            tell(cpu, "8\n");
        host.look(3 * kSecondNs + kSecondNs / 2, 0, 0); // too soon
        look(4);
        const auto found = host.takeLast();
        QCOMPARE(found.size(), std::size_t(1));
        QVERIFY(found[0].amount == 3.0);
        QCOMPARE(found[0].fromNs, 3 * kSecondNs);
    }

    //! Its clocks agree, so nothing is told of them.
    void thisMachine()
    {
        const HostUsage usage;
        HostEvents host(usage);
        using namespace std::chrono;
        host.look();
        timespec boot{};
        const std::int64_t now = nowNs();
        const std::int64_t wall = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
        QCOMPARE(::clock_gettime(CLOCK_BOOTTIME, &boot), 0);
        host.look(now + kSecondNs, wall + kSecondNs, boot.tv_sec * kSecondNs + boot.tv_nsec + kSecondNs);
        for (const CounterEvent& one : host.takeLast())
            QVERIFY2(one.sentence.find("clock") == std::string::npos &&
                         one.sentence.find("suspended") == std::string::npos,
                     one.sentence.c_str());
    }
};

} // namespace dyno::tst_host_events

DYNO_SUITE(tst_host_events, dyno::tst_host_events::TestHostEvents)
#include "tst_host_events.moc"
