// SPDX-License-Identifier: GPL-3.0-or-later
// The knob catalogue and the comparison of values.
#include "driver/driver.h"
#include "server/knob_catalog.h"
#include "server/knob_guard.h"
#include "server/knob_values.h"

#include <QtTest>

#include <set>

using namespace dyno;

class TestKnobCatalog : public QObject
{
    Q_OBJECT
private slots:
    void shippedFilesHaveNoFaults();
    void everyKnobExplainsItself();
    void hasTheDurabilityKnobs();
    void connectionKnobsComeFromDrivers();
    void allFaultsWithTheirLines();
    void damagedToml();
    void twiceIsAFault();
    void notesAreApplied();
    void sameSetting_data();
    void sameSetting();
};

void TestKnobCatalog::shippedFilesHaveNoFaults()
{
    for (const Fault& fault : knobCatalogFaults())
        QFAIL(qPrintable(QString::fromStdString(fault.where + ":" + std::to_string(fault.line) + ": " + fault.what)));
    QVERIFY(!knobCatalog().empty());
}

void TestKnobCatalog::everyKnobExplainsItself()
{
    std::set<std::string> seen;
    for (const KnobInfo& knob : knobCatalog()) {
        const std::string name = knob.driver + "." + knob.scope + "." + knob.option.name;
        QVERIFY2(seen.insert(name).second, name.c_str());
        QVERIFY2(!knob.option.label.empty() && knob.option.help.size() > 20, name.c_str());
        QVERIFY2(knob.option.help.back() == '.', name.c_str());
        QVERIFY2(coerce(knob.option, knob.option.defaultValue), name.c_str());
        if (knob.scope == "server")
            QVERIFY2(!knob.manual.empty(), name.c_str());
    }
}

void TestKnobCatalog::hasTheDurabilityKnobs()
{
    const KnobInfo* flush = findKnob("mysql", "server", "innodb_flush_log_at_trx_commit");
    QVERIFY(flush);
    QCOMPARE(flush->option.type, OptionType::Integer);
    QVERIFY(!flush->restart);
    QVERIFY(!flush->safety.empty());
    QVERIFY(!coerce(flush->option, std::int64_t(4)));
    const KnobInfo* binlog = findKnob("mysql", "server", "log_bin");
    QVERIFY(binlog && binlog->restart);
    QCOMPARE(binlog->option.type, OptionType::Bool);
    const KnobInfo* pool = findKnob("mysql", "server", "innodb_buffer_pool_size");
    QVERIFY(pool);
    QCOMPARE(*coerce(pool->option, std::string("1GiB")), Value(std::int64_t(1) << 30));
    QVERIFY(findKnob("mysql", "table", "engine")->initialisation);
    QVERIFY(!findKnob("mysql", "server", "no_such_knob"));
    QVERIFY(!findKnob("sqlite", "server", "log_bin"));
}

void TestKnobCatalog::connectionKnobsComeFromDrivers()
{
    for (Driver* driver : builtinDrivers()) {
        const DriverInfo info = driver->info();
        for (const OptionSpec& option : info.connection) {
            const KnobInfo* knob = findKnob(info.id, "connection", option.name);
            QVERIFY2(knob, option.name.c_str());
            QCOMPARE(knob->option.help, option.help);
        }
    }
    QVERIFY(findKnob("sqlite", "connection", "synchronous"));
}

void TestKnobCatalog::allFaultsWithTheirLines()
{
    Faults faults;
    const KnobFile file = parseKnobFile("driver = \"mysql\"\n" // 1
                                        "colour = 1\n"         // 2: unknown
                                        "[[knob]]\n"           // 3
                                        "scope = \"moon\"\n"   // 4: no such scope
                                        "name = \"a\"\n"       // 5
                                        "label = \"A\"\n"      // 6
                                        "help = \"Help.\"\n"   // 7
                                        "type = \"number\"\n"  // 8: no such type
                                        "default = 1\n"        // 9
                                        "restart = \"yes\"\n"  // 10: not a bool
                                        "[[knob]]\n"           // 11: no name
                                        "scope = \"server\"\n" // 12
                                        "label = \"B\"\n"      // 13
                                        "help = \"Help.\"\n"   // 14
                                        "type = \"integer\"\n" // 15
                                        "maximum = 5\n"        // 16
                                        "default = 6\n",       // 17: out of range
                                        "x.toml", faults);
    QCOMPARE(file.knobs.size(), std::size_t(2));
    std::multiset<int> lines;
    for (const Fault& fault : faults) {
        QVERIFY2(fault.where.find("x.toml") == 0, fault.where.c_str());
        QVERIFY(!fault.remedy.empty());
        lines.insert(fault.line);
    }
    QCOMPARE(lines, (std::multiset<int>{2, 4, 8, 10, 11, 17}));
}

void TestKnobCatalog::damagedToml()
{
    Faults faults;
    const KnobFile file = parseKnobFile("driver = \"mysql\"\n[[knob]\n", "x.toml", faults);
    QVERIFY(file.knobs.empty());
    QCOMPARE(faults.size(), std::size_t(1));
    QCOMPARE(faults.front().line, 2);
}

void TestKnobCatalog::twiceIsAFault()
{
    const std::string_view knob = "driver = \"mysql\"\n[[knob]]\nscope = \"server\"\nname = \"a\"\nlabel = \"A\"\n"
                                  "help = \"Help.\"\ntype = \"bool\"\ndefault = false\n";
    Faults faults;
    const KnobFile one = parseKnobFile(knob, "one.toml", faults);
    const KnobFile two = parseKnobFile(knob, "two.toml", faults);
    QVERIFY(faults.empty());
    static_cast<void>(buildKnobCatalog({one, two}, faults));
    QCOMPARE(faults.size(), std::size_t(1));
    QCOMPARE(faults.front().where, std::string("mysql.server.a"));
}

void TestKnobCatalog::notesAreApplied()
{
    Faults faults;
    const KnobFile file =
        parseKnobFile("driver = \"sqlite\"\n[[note]]\nscope = \"connection\"\nname = \"synchronous\"\n"
                      "safety = \"much\"\ninitialisation = true\n[[note]]\nscope = \"connection\"\n"
                      "name = \"nonsense\"\n",
                      "x.toml", faults);
    QVERIFY(faults.empty());
    const auto knobs = buildKnobCatalog({file}, faults);
    const auto knob = std::find_if(knobs.begin(), knobs.end(), [](const KnobInfo& k) {
        return k.driver == "sqlite" && k.option.name == "synchronous";
    });
    QVERIFY(knob != knobs.end());
    QCOMPARE(knob->safety, std::string("much"));
    QVERIFY(knob->initialisation);
    QCOMPARE(faults.size(), std::size_t(1));
    QCOMPARE(faults.front().line, 7);
}

void TestKnobCatalog::sameSetting_data()
{
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<QString>("actual");
    QTest::addColumn<bool>("same");
    const auto row = [](const char* wanted, const char* actual, bool same) {
        QTest::addRow("%s / %s", wanted, actual) << wanted << actual << same;
    };
    row("true", "ON", true);
    row("on", "1", true);
    row("1", "ON", true);
    row("false", "OFF", true);
    row("0", "OFF", true);
    row("true", "OFF", false);
    row("2", "ON", false);
    row("90", "90.000000", true);
    row("90.5", "90.000000", false);
    row("64M", "67108864", true);
    row("67108864", "67108864", true);
    row("100M", "134217728", false);
    row("row", "ROW", true);
    row("MIXED", "ROW", false);
    row("", "", true);
    row("", "ON", false);
    row("index_merge=off,mrr=on", "index_merge=off,mrr=on,mrr_cost_based=off", true);
    row("index_merge=on", "index_merge=off,mrr=on", false);
    row("ANSI,STRICT_ALL_TABLES", "STRICT_ALL_TABLES,ANSI", true);
    row("9223372036854775807", "9223372036854775807", true);
}

void TestKnobCatalog::sameSetting()
{
    QFETCH(QString, wanted);
    QFETCH(QString, actual);
    QFETCH(bool, same);
    QCOMPARE(dyno::sameSetting(parseValue(wanted.toStdString()), actual.toStdString()), same);
    QCOMPARE(dyno::sameSetting(Value(wanted.toStdString()), actual.toStdString()), same);
}

QTEST_GUILESS_MAIN(TestKnobCatalog)
#include "tst_knob_catalog.moc"
