// SPDX-License-Identifier: GPL-3.0-or-later
// What a machine tells of itself in /proc and /sys, and its clock.
#include "metrics/host_events.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace dyno::tst_host_events {

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

} // namespace

class TestHostEvents : public QObject
{
    Q_OBJECT

    void write(const QString& name, const QByteArray& text)
    {
        const QString path = m_root.filePath(name);
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
        HostEvents host(m_root.path().toStdString());
        host.look(1 * kSecondNs, 100 * kSecondNs);
        write("proc/vmstat", "pswpin 10\npswpout 30\noom_kill_more 9\noom_kill 1\n");
        write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "9\n");
        host.look(2 * kSecondNs, 101 * kSecondNs);
        host.look(3 * kSecondNs, 102 * kSecondNs);
        QStringList told;
        for (const CounterEvent& one : host.take()) {
            QCOMPARE(one.fromNs, 1 * kSecondNs);
            QCOMPARE(one.toNs, 2 * kSecondNs);
            told << QString::fromStdString(one.sentence) + (one.amount ? QString(" %1").arg(*one.amount) : QString());
        }
        told.sort();
        QCOMPARE(told, QStringList({"cores of this machine were slowed down because they were hot 4",
                                    "this machine ended a process because memory was used up",
                                    "this machine swapped memory out 23"}));
        QVERIFY(host.takeLast().empty());
    }

    void clockJumps()
    {
        HostEvents host(m_root.filePath("nowhere").toStdString());
        host.look(1 * kSecondNs, 100 * kSecondNs);
        host.look(2 * kSecondNs, 101 * kSecondNs + kSecondNs * 4 / 10); // steered, not set
        host.look(3 * kSecondNs, 99 * kSecondNs + kSecondNs * 4 / 10);
        host.look(4 * kSecondNs, 130 * kSecondNs);
        const auto found = host.take();
        QCOMPARE(found.size(), std::size_t(2));
        QCOMPARE(found[0].sentence, std::string("the clock of this machine was set back by 3.0 s"));
        QCOMPARE(found[1].sentence, std::string("the clock of this machine was set forward by 29.6 s"));
        QCOMPARE(found[1].fromNs, 3 * kSecondNs);
    }

    //! This machine's own files have the counts, and two looks at once find nothing.
    void thisMachine()
    {
        HostEvents host;
        host.look(1 * kSecondNs, 1 * kSecondNs);
        host.look(1 * kSecondNs, 1 * kSecondNs);
        for (const CounterEvent& one : host.takeLast())
            QVERIFY2(one.sentence.find("clock") == std::string::npos, one.sentence.c_str());
        QFile vmstat("/proc/vmstat");
        QVERIFY(vmstat.open(QIODevice::ReadOnly));
        const QByteArray text = vmstat.readAll();
        QVERIFY(text.contains("\npswpout ") && text.contains("\npswpin "));
    }
};

} // namespace dyno::tst_host_events

DYNO_SUITE(tst_host_events, dyno::tst_host_events::TestHostEvents)
#include "tst_host_events.moc"
