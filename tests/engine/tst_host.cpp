// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"
#include "support/suite.h"
#include <dyno/catalog.h>
#include <dyno/runner.h>

#include <QTest>

#include <unistd.h>

namespace dyno::tst_host {

class TstHost : public QObject
{
    Q_OBJECT

private slots:
    void facts()
    {
        const HostFacts facts = hostFacts();
        QVERIFY(!facts.name.empty());
        QVERIFY(!facts.os.empty());
        QVERIFY(facts.kernel.find(' ') != std::string::npos);
        QVERIFY(!facts.cpu.empty());
        QCOMPARE(facts.cores, int(sysconf(_SC_NPROCESSORS_ONLN)));
        // the C library asks the kernel another way
        const auto memory = std::uint64_t(sysconf(_SC_PHYS_PAGES)) * std::uint64_t(sysconf(_SC_PAGESIZE));
        QVERIFY(facts.memoryBytes > memory / 2 && facts.memoryBytes < memory * 2);
    }

    void dataFolderFollowsTheEnvironment()
    {
        const QByteArray data = qgetenv("XDG_DATA_HOME");
        const QByteArray home = qgetenv("HOME");
        qputenv("HOME", "/home/ann");
        qputenv("XDG_DATA_HOME", "/data/ann");
        const auto given = dataFolder();
        qputenv("XDG_DATA_HOME", "relative/is/invalid");
        const auto relative = dataFolder();
        qunsetenv("XDG_DATA_HOME");
        const auto none = dataFolder();
        const auto library = defaultLibrary();
        qunsetenv("HOME");
        const auto homeless = dataFolder();
        qputenv("HOME", home);
        if (!data.isNull())
            qputenv("XDG_DATA_HOME", data);
        QCOMPARE(given.string(), std::string("/data/ann/dynobench"));
        QCOMPARE(relative.string(), std::string("/home/ann/.local/share/dynobench"));
        QCOMPARE(none.string(), std::string("/home/ann/.local/share/dynobench"));
        QCOMPARE(library.string(), std::string("/home/ann/.local/share/dynobench/library.dynolib"));
        QVERIFY(homeless.is_absolute());
    }

    void version()
    {
        QCOMPARE(QString(softwareVersion()), QString(DYNO_VERSION));
        QVERIFY(QRegularExpression("^\\d+\\.\\d+\\.\\d+$").match(softwareVersion()).hasMatch());
    }
};

} // namespace dyno::tst_host

DYNO_SUITE(tst_host, dyno::tst_host::TstHost)
#include "tst_host.moc"
