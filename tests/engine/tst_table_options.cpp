// SPDX-License-Identifier: GPL-3.0-or-later
// Tables that were there before, made with other options than a point wants: compared with what a real server shows.
#include "driver/driver.h"
#include "load/table_options.h"
#include "support/mariadb_fixture.h"
#include "workload/workload.h"

#include <QtTest>

using namespace dyno;

class TestTableOptions : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void recognisesWhatItMade_data();
    void recognisesWhatItMade();
    void ofOtherServers();

private:
    //! Makes the workload's table with these knobs, under the name sbtest1.
    void make(const Settings& knobs)
    {
        QVERIFY(m_admin->execute("DROP TABLE IF EXISTS sbtest1"));
        const auto instance = workloadFor("oltp_point_select")->bind({{"tables", std::int64_t(1)}}, driverFor("mysql")->info(), knobs);
        QVERIFY2(instance, instance ? "" : instance.error().text().c_str());
        const auto made = m_admin->execute((*instance)->tablesFor(1).at(0).create);
        QVERIFY2(made, made ? "" : made.error().text().c_str());
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
    make(knobs(value));
    const auto same = checkTableOptions(*m_admin, {"sbtest1"}, knobs(value));
    QVERIFY2(same, same ? "" : same.error().text().c_str());
    const auto differs = checkTableOptions(*m_admin, {"sbtest1"}, knobs(other));
    QVERIFY(!differs);
    QCOMPARE(differs.error().kind, ErrorKind::Refused);
    const std::string text = differs.error().text();
    QVERIFY2(text.find("sbtest1") != std::string::npos && text.find(name.toStdString() + "=") != std::string::npos,
             text.c_str());
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
    QCOMPARE(missingTableOptions(mysql, right), std::vector<std::string>());
    const Settings wrong{
        {"compression", std::string("lz4")}, {"encryption", std::string("N")}, {"row_format", std::string("COMPACT")}};
    QCOMPARE(missingTableOptions(mysql, wrong),
             (std::vector<std::string>{"compression=lz4", "encryption=N", "row_format=COMPACT"}));
}

QTEST_GUILESS_MAIN(TestTableOptions)
#include "tst_table_options.moc"
