// SPDX-License-Identifier: GPL-3.0-or-later
// Tables that were there before, made with other options than a point wants: compared with what a real server shows.
#include "driver/driver.h"
#include "load/data/table_options.h"
#include "load/preflight/server_features.h"
#include "support/mariadb_fixture.h"
#include "support/suite.h"
#include "support/workload_harness.h"
#include "workload/workload.h"

#include <QTest>

namespace dyno::tst_table_options {

class TestTableOptions : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void recognisesWhatItMade_data();
    void recognisesWhatItMade();
    void partitionsOfEachWorkload();
    void ofOtherServers();
    void enginesUnderOtherNames();

private:
    //! The workload's tables with these knobs.
    static std::vector<TableSpec> tables(const Settings& knobs, const char* workload = "oltp_point_select",
                                         Settings params = {{"tables", std::int64_t(1)}})
    {
        return test::bind(workload, params, "mysql", knobs)->tablesFor(1);
    }
    void make(const std::vector<TableSpec>& tables)
    {
        for (const TableSpec& table : tables) {
            QVERIFY(m_admin->execute("DROP TABLE IF EXISTS " + table.name));
            const auto made = m_admin->execute(table.create);
            QVERIFY2(made, made ? "" : made.error().text().c_str());
        }
    }
    test::MariadbFixture m_server;
    std::unique_ptr<Admin> m_admin;
};

void TestTableOptions::initTestCase()
{
    DYNO_START_MARIADB(m_server);
    auto admin = m_server.admin();
    QVERIFY(admin);
    m_admin = std::move(*admin);
}

void TestTableOptions::recognisesWhatItMade_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("other");
    const auto row = [](const char* name, const char* value, const char* other) {
        QTest::addRow("%s %s %s", name, value, other) << name << value << other;
    };
    row("engine", "Aria", "InnoDB");
    row("engine", "innodb", "MyISAM");
    row("engine", "heap", "InnoDB");
    row("engine", "InnoDB", "HEAP");
    row("row_format", "COMPRESSED", "DYNAMIC");
    row("row_format", "DYNAMIC", "COMPACT");
    row("key_block_size", "4", "8");
    row("page_compressed", "true", "false");
    row("page_compressed", "false", "true");
    row("partitions", "4", "40");
    row("partitions", "0", "4");
    row("partitions", "4", "0");
    row("character_set", "utf8mb4", "latin1");
}

void TestTableOptions::recognisesWhatItMade()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(QString, other);
    const auto knobs = [&](const QString& text) {
        Settings settings{{name.toStdString(), parseValue(text.toStdString())}};
        if (name == "key_block_size")
            settings.emplace("row_format", std::string("COMPRESSED"));
        return settings;
    };
    make(tables(knobs(value)));
    const auto same = checkTableOptions(*m_admin, driverFor("mysql")->info().sql, tables(knobs(value)), knobs(value));
    QVERIFY2(same, same ? "" : same.error().text().c_str());
    const auto differs =
        checkTableOptions(*m_admin, driverFor("mysql")->info().sql, tables(knobs(other)), knobs(other));
    QVERIFY(!differs);
    QCOMPARE(differs.error().kind, ErrorKind::Refused);
    const std::string text = differs.error().text();
    QVERIFY2(text.find("sbtest1") != std::string::npos && text.find(name.toStdString() + "=") != std::string::npos,
             text.c_str());
}

//! Each workload divides its tables by a column of its own, and not all of its tables.
void TestTableOptions::partitionsOfEachWorkload()
{
    const Settings four{{"partitions", std::int64_t(4)}}, five{{"partitions", std::int64_t(5)}},
        none{{"partitions", std::int64_t(0)}};
    for (const char* workload :
         {"oltp_read_write", "iibench", "linkbench", "sensordata", "large_values", "ycsb", "randomtransaction"}) {
        const auto parted = tables(four, workload, {});
        make(parted);
        const auto same = checkTableOptions(*m_admin, driverFor("mysql")->info().sql, parted, four);
        QVERIFY2(same, same ? workload : same.error().text().c_str());
        QVERIFY2(!checkTableOptions(*m_admin, driverFor("mysql")->info().sql, tables(five, workload, {}), five),
                 workload);
        QVERIFY2(!checkTableOptions(*m_admin, driverFor("mysql")->info().sql, tables(none, workload, {}), none),
                 workload);
        const auto whole = tables(none, workload, {});
        make(whole);
        QVERIFY2(checkTableOptions(*m_admin, driverFor("mysql")->info().sql, whole, none), workload);
        QVERIFY2(!checkTableOptions(*m_admin, driverFor("mysql")->info().sql, parted, four), workload);
    }
    const auto ranges = tables({}, "iibench", {{"range_partitions", std::int64_t(3)}});
    make(ranges);
    QVERIFY(checkTableOptions(*m_admin, driverFor("mysql")->info().sql, ranges, none));
    QVERIFY(!checkTableOptions(*m_admin, driverFor("mysql")->info().sql, tables({}, "iibench", {}), none));
}

//! An engine is refused exactly when the server takes none of that name.
void TestTableOptions::enginesUnderOtherNames()
{
    int taken = 0, refused = 0;
    for (const char* engine : {"HEAP", "Memory", "merge", "MRG_MyISAM", "maria", "ARIA", "innobase", "InnoDB", "NDB",
                               "ndbcluster", "heaps"}) {
        const Settings knobs{{"engine", std::string(engine)}};
        const auto workload = test::bind("oltp_point_select", {{"tables", std::int64_t(1)}}, "mysql", knobs);
        const auto checked = checkFeatures(*m_admin, probesOf(*workload, driverFor("mysql")->info()));
        QVERIFY(m_admin->execute("DROP TABLE IF EXISTS sbtest1"));
        const auto made = m_admin->execute(workload->tables().front().create);
        QVERIFY2(made.has_value() == checked.has_value(),
                 (std::string(engine) + ": " + (made ? checked : made).error().text()).c_str());
        ++(made ? taken : refused);
        if (!made)
            continue;
        const auto same = checkTableOptions(*m_admin, driverFor("mysql")->info().sql, workload->tables(), knobs);
        QVERIFY2(same, same ? "" : same.error().text().c_str());
    }
    QVERIFY2(taken >= 8 && refused >= 1, qPrintable(QString("%1 taken, %2 refused").arg(taken).arg(refused)));
}

void TestTableOptions::ofOtherServers()
{
    const std::string mysql =
        "CREATE TABLE `sbtest1` (\n  `id` int NOT NULL COMMENT 'ROW_FORMAT=COMPACT',\n  PRIMARY KEY (`id`)\n"
        ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci COMPRESSION='zlib' "
        "ENCRYPTION='Y'\n/*!50100 PARTITION BY HASH (`id`)\nPARTITIONS 4 */";
    const Settings right{{"compression", std::string("zlib")},   {"encryption", std::string("Y")},
                         {"partitions", std::int64_t(4)},        {"character_set", std::string("utf8mb4")},
                         {"create_options", std::string("X=1")}, {"row_format", std::string()},
                         {"engine", std::string("INNODB")}};
    const std::string parts = "CREATE TABLE sbtest1 (id INTEGER) PARTITION BY HASH(id) PARTITIONS 4";
    QCOMPARE(missingTableOptions(mysql, right, parts), std::vector<std::string>());
    // What the workload makes by itself, without a knob that asks for it.
    const std::string whole = mysql.substr(0, mysql.find("\n/*!"));
    QCOMPARE(missingTableOptions(mysql, {}, parts), std::vector<std::string>());
    QCOMPARE(missingTableOptions(whole, {}, "CREATE TABLE sbtest1 (id INTEGER)"), std::vector<std::string>());
    const auto missing = missingTableOptions(whole, {}, parts);
    QVERIFY(missing.size() == 1 && missing.front().starts_with("the partitions of this workload"));
    const Settings wrong{
        {"compression", std::string("lz4")}, {"encryption", std::string("N")}, {"row_format", std::string("COMPACT")}};
    QCOMPARE(missingTableOptions(mysql, wrong, parts),
             (std::vector<std::string>{"compression=lz4", "encryption=N", "row_format=COMPACT"}));
}

} // namespace dyno::tst_table_options

DYNO_SUITE(tst_table_options, dyno::tst_table_options::TestTableOptions)
#include "tst_table_options.moc"
