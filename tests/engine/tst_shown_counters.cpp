// SPDX-License-Identifier: GPL-3.0-or-later
// Which counters a plan's load.observe means, and what is said of names that mean none.
#include "support/suite.h"
#include <dyno/shown_counters.h>

#include <QTest>

namespace dyno::tst_shown_counters {

class TestShownCounters : public QObject
{
    Q_OBJECT

    std::vector<CounterInfo> m_counters;

    std::vector<std::string> shown() const
    {
        std::vector<std::string> names;
        for (const CounterInfo& one : m_counters) {
            if (!one.hidden)
                names.push_back(one.name);
        }
        return names;
    }

private slots:
    void init()
    {
        m_counters = {
            {"server", "Questions", "statements", true, false}, {"server", "Key_reads", "reads", true, true},
            {"server", "Com_insert", "statements", true, true}, {"server", "Com_update", "statements", true, true},
            {"host", "vda reads", "requests", true, true},      {"host", "CPU pressure", "%", false, false}};
    }

    void namesThatMeanThem_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("means");
        QTest::newRow("its name") << "Key_reads"
                                  << "Key_reads";
        QTest::newRow("in another case") << "KEY_READS"
                                         << "Key_reads";
        QTest::newRow("with its source") << "server/Key_reads"
                                         << "Key_reads";
        QTest::newRow("as the window names it") << "host: vda reads"
                                                << "vda reads";
        QTest::newRow("with a slash") << "Host/vda reads"
                                      << "vda reads";
        QTest::newRow("with a dot") << "host.vda reads"
                                    << "vda reads";
        QTest::newRow("with a star") << "key*"
                                     << "Key_reads";
        QTest::newRow("any reads of the host") << "host/*reads"
                                               << "vda reads";
        QTest::newRow("reads of each disk") << "host.disk.reads"
                                            << "vda reads";
        QTest::newRow("the same with a blank") << "Host/Disk reads"
                                               << "vda reads";
        QTest::newRow("all of each disk") << "host.disk.*"
                                          << "vda reads";
    }
    void namesThatMeanThem()
    {
        QFETCH(QString, name);
        QFETCH(QString, means);
        QVERIFY(showCounters(m_counters, {name.toStdString()}).empty());
        std::vector<std::string> wanted{"Questions", means.toStdString(), "CPU pressure"};
        QCOMPARE(shown(), wanted);
    }

    //! Of disks what a machine tells of them alone; of everything else its words, with dots between them.
    void figuresOfAMachine()
    {
        const auto means = [](const char* name, const char* figure, const char* source = "host") {
            return meansCounter(name, {source, figure, "", true});
        };
        QVERIFY(means("host.disk.bytes.read", "sdb bytes read") && means("host.disk.busy", "nvme0n1 busy"));
        QVERIFY(means("db2.disk.write latency", "sdb write latency", "db2"));
        QVERIFY(means("host.network.received", "network received") && means("host/CPU.user", "CPU user"));
        QVERIFY(!means("host.disk.reads", "sdb bytes read") && !means("host.disk.read", "sdb reads"));
        QVERIFY(!means("host.disk.busy", "link busy") && !means("host.disk.pressure", "CPU pressure"));
        QVERIFY(!means("disk.reads", "vda reads") && !means("server.disk.reads", "reads", "server"));
        QVERIFY(!means("host.disk.", "vda reads") && !means("host.network", "network received"));
    }

    void several()
    {
        QVERIFY(showCounters(m_counters, {"com_*", "Questions"}).empty()); // one that is shown anyway is no fault
        QCOMPARE(shown(), (std::vector<std::string>{"Questions", "Com_insert", "Com_update", "CPU pressure"}));
    }

    void nearNames()
    {
        const auto said = showCounters(m_counters, {"Key_raeds", "com_", "server/vda reads", "nothing like it", "%"});
        QCOMPARE(said, (std::vector<std::string>{
                           "nothing that is observed is called \"Key_raeds\"; near it: Key_reads",
                           "nothing that is observed is called \"com_\"; near it: Com_insert, Com_update",
                           "nothing that is observed is called \"server/vda reads\"",
                           "nothing that is observed is called \"nothing like it\"",
                           "nothing that is observed is called \"%\""}));
        QCOMPARE(shown(), (std::vector<std::string>{"Questions", "CPU pressure"}));
        QCOMPARE(showCounters(m_counters, {}).size(), std::size_t(0));
    }

    void inFormulas()
    {
        const std::vector<std::string> measures{"tps",
                                                "",
                                                "counter:nothing",
                                                "formula:Key_raeds / tps",
                                                "formula:Misses = Key_reads / Questions + service_p99 [ms]",
                                                "formula:'host/vda reads' / 'vda reads' - Key_raeds",
                                                "formula:(broken"};
        const auto unknown = unknownInFormulas(measures, m_counters);
        // Of another source than the server, its name alone is not enough.
        QCOMPARE(unknown, (std::vector<std::string>{"Key_raeds", "vda reads"}));
        QCOMPARE(unknownInFormula(unknown[0], m_counters),
                 std::string("a formula uses Key_raeds, but no counter has that name: did you mean Key_reads?"));
        QCOMPARE(unknownInFormula(unknown[1], m_counters),
                 std::string("a formula uses vda reads, but no counter has that name: did you mean host/vda reads?"));
        QVERIFY(unknownInFormulas({"formula:tps / 2"}, {}).empty());
    }
};

} // namespace dyno::tst_shown_counters

DYNO_SUITE(tst_shown_counters, dyno::tst_shown_counters::TestShownCounters)
#include "tst_shown_counters.moc"
