// SPDX-License-Identifier: GPL-3.0-or-later
// The probe of a disk, on the disk that the tests lie on.
#include "support/must.h"
#include "support/suite.h"
#include <dyno/device_probe.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cmath>
#include <filesystem>

namespace dyno::tst_device_probe {

namespace {

DeviceProbeRequest smallRequest(const QTemporaryDir& dir)
{
    DeviceProbeRequest request;
    request.folder = dir.path().toStdString();
    request.fileBytes = 4 << 20;
    request.seconds = 0.15;
    request.readers = 4;
    return request;
}

} // namespace

class TestDeviceProbe : public QObject
{
    Q_OBJECT
private slots:
    void figures()
    {
        const QTemporaryDir dir;
        const DeviceProbeRequest request = smallRequest(dir);
        std::vector<std::string> said;
        const DeviceFigures figures =
            dyno::test::must(probeDevice(request, {}, [&said](const std::string& what) { said.push_back(what); }));
        QCOMPARE(said.size(), std::size_t(4));
        QCOMPARE(figures.folder, request.folder);
        QVERIFY(!figures.fileSystem.empty() && !figures.source.empty());
        QVERIFY(figures.bytesPerSecond > 0);
        for (const DeviceWork* work : {&figures.read, &figures.reads, &figures.sync}) {
            QVERIFY(work->perSecond > 0 && work->times.meanMs > 0);
            QVERIFY(work->times.p50Ms <= work->times.p99Ms &&
                    work->times.p99Ms <= work->times.maxMs * 1.02); // to within a bucket
        }
        // One at a time: so many of them fit into the time, and no more; four at once fit in four times.
        QVERIFY(figures.read.perSecond * figures.read.times.meanMs <= 1000 * 1.01);
        QVERIFY(figures.sync.perSecond * figures.sync.times.meanMs <= 1000 * 1.01);
        QVERIFY(figures.reads.perSecond * figures.reads.times.meanMs <= 4 * 1000 * 1.01);
        QVERIFY(QDir(dir.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty());
    }

    //! Where the file system knows no way past its cache, the figures say so. /dev/shm is memory.
    void withoutDirect()
    {
        if (!std::filesystem::is_directory("/dev/shm"))
            QSKIP("no /dev/shm");
        const QTemporaryDir dir(QStringLiteral("/dev/shm/dynobench-probe-XXXXXX"));
        if (!dir.isValid())
            QSKIP("/dev/shm cannot be written");
        DeviceProbeRequest request = smallRequest(dir);
        request.seconds = 0.05;
        const DeviceFigures figures = dyno::test::must(probeDevice(request));
        QCOMPARE(figures.fileSystem, std::string("tmpfs"));
        QVERIFY(!figures.direct || figures.read.perSecond > 0); // newer kernels take O_DIRECT there
    }

    void stops()
    {
        const QTemporaryDir dir;
        DeviceProbeRequest request = smallRequest(dir);
        request.seconds = 600;
        std::atomic<int> asked = 0;
        const auto figures = probeDevice(request, [&asked] { return ++asked > 200; });
        QVERIFY(!figures && figures.error().kind == ErrorKind::Interrupted);
        QVERIFY(QDir(dir.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty());
    }

    void fioResults_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<double>("perSecond"); // 0: refused
        QTest::newRow("none") << QByteArray() << 0.0;
        QTest::newRow("a text") << QByteArray("fio: pid=1, err=28/file:filesetup.c") << 0.0;
        QTest::newRow("no job") << QByteArray(R"({"jobs": []})") << 0.0;
        QTest::newRow("failed") << QByteArray(R"({"jobs": [{"error": 28, "read": {"iops": 5}}]})") << 0.0;
        QTest::newRow("nothing done") << QByteArray(R"({"jobs": [{"error": 0, "read": {"iops": 0.0}}]})") << 0.0;
        QTest::newRow("no number") << QByteArray(R"({"jobs": [{"read": {"iops": "many"}}]})") << 0.0;
        QTest::newRow("one")
            << QByteArray(
                   R"({"jobs": [{"error": 0, "read": {"iops": 2500.5, "clat_ns": {"mean": 400000.0, "max": 9000000,
                "percentile": {"50.000000": 350000, "99.000000": 1500000}}}}]})")
            << 2500.5;
    }
    void fioResults()
    {
        QFETCH(const QByteArray, json);
        QFETCH(const double, perSecond);
        const auto work = workOfFio(json.toStdString(), true);
        QCOMPARE(bool(work), perSecond > 0);
        if (!work)
            return;
        QCOMPARE(work->perSecond, perSecond);
        QCOMPARE(work->times.meanMs, 0.4);
        QCOMPARE(work->times.p50Ms, 0.35);
        QCOMPARE(work->times.p99Ms, 1.5);
        QCOMPARE(work->times.maxMs, 9.0);
        QVERIFY(!workOfFio(json.toStdString(), false)); // it wrote nothing
    }

    //! The same figures by another program: on one disk both are of the same size.
    void withFio()
    {
        const QTemporaryDir dir;
        DeviceProbeRequest request = smallRequest(dir);
        request.seconds = 0.3;
        request.folder = dir.filePath("a:b").toStdString(); // a mark of fio's
        QVERIFY(QDir(dir.path()).mkdir("a:b"));
        const auto figures = probeDeviceWithFio(request);
        if (!figures && figures.error().message == "fio is not installed")
            QSKIP("fio is not installed");
        QVERIFY2(figures, figures ? "" : figures.error().text().c_str());
        QVERIFY2(figures->tool.find("fio-") == 0, figures->tool.c_str());
        QCOMPARE(figures->folder, request.folder);
        QVERIFY(figures->bytesPerSecond > 0);
        for (const DeviceWork* work : {&figures->read, &figures->reads, &figures->sync}) {
            QVERIFY(work->perSecond > 0 && work->times.meanMs > 0);
            QVERIFY(work->times.p50Ms <= work->times.maxMs);
        }
        QVERIFY(figures->sync.perSecond * figures->sync.times.meanMs <= 1000 * 1.05);
        const DeviceFigures own = dyno::test::must(probeDevice(request));
        constexpr double kTimes = 20; // the machine does other things, too
        QVERIFY2(figures->read.perSecond < kTimes * own.read.perSecond &&
                     own.read.perSecond < kTimes * figures->read.perSecond,
                 qPrintable(QString("%1 and %2").arg(figures->read.perSecond).arg(own.read.perSecond)));
        const auto entries = QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot;
        QCOMPARE(QDir(dir.path()).entryList(entries), QStringList("a:b"));
        QVERIFY(QDir(dir.filePath("a:b")).entryList(entries).isEmpty());
    }

    void refused_data()
    {
        QTest::addColumn<QString>("field");
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("message");
        QTest::newRow("block") << "block" << 1000.0 << "multiple";
        QTest::newRow("no block") << "block" << 0.0 << "multiple";
        QTest::newRow("large block") << "block" << 2097152.0 << "1 MiB";
        QTest::newRow("small file") << "file" << 16384.0 << "64 blocks";
        QTest::newRow("parts of blocks") << "file" << 4194305.0 << "multiple";
        QTest::newRow("larger than the disk") << "file" << 0x1p60 << "are free";
        QTest::newRow("no readers") << "readers" << 0.0 << "readers";
        QTest::newRow("no time") << "seconds" << 0.0 << "time above 0";
        QTest::newRow("no number") << "seconds" << std::nan("") << "time above 0";
        QTest::newRow("no folder") << "folder" << 0.0 << "no such folder";
    }
    void refused()
    {
        QFETCH(const QString, field);
        QFETCH(const double, value);
        QFETCH(const QString, message);
        const QTemporaryDir dir;
        DeviceProbeRequest request = smallRequest(dir);
        if (field == "block")
            request.blockBytes = std::size_t(value);
        else if (field == "file")
            request.fileBytes = std::uint64_t(value);
        else if (field == "readers")
            request.readers = int(value);
        else if (field == "seconds")
            request.seconds = value;
        else
            request.folder += "/none";
        const auto figures = probeDevice(request);
        QVERIFY(!figures);
        QCOMPARE(figures.error().kind, ErrorKind::BadInput);
        QVERIFY2(figures.error().message.find(message.toStdString()) != std::string::npos,
                 figures.error().message.c_str());
        QVERIFY(!figures.error().remedy.empty());
        QVERIFY(QDir(dir.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty());
    }
};

} // namespace dyno::tst_device_probe

DYNO_SUITE(tst_device_probe, dyno::tst_device_probe::TestDeviceProbe)
#include "tst_device_probe.moc"
