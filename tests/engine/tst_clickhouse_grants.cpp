// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What ClickHouse's SHOW GRANTS says of a right; lines as its manual has them (GRANT, SHOW GRANTS), without a server.
//! And which of its counters are kept, by names as its source has them.
#include "driver/clickhouse/clickhouse_admin.h"
#include "driver/clickhouse/clickhouse_grants.h"
#include "support/suite.h"

#include <QTest>

namespace dyno::tst_clickhouse_grants {

class TestClickhouseGrants : public QObject
{
    Q_OBJECT
private slots:
    void grants_data();
    void grants();
    void roles();
    void keptCounters();
};

void TestClickhouseGrants::grants_data()
{
    QTest::addColumn<QStringList>("lines");
    QTest::addColumn<QString>("right");
    QTest::addColumn<QString>("database");
    QTest::addColumn<bool>("given");
    const auto row = [](const char* name, QStringList lines, const char* right, const char* database, bool given) {
        QTest::newRow(name) << lines << right << database << given;
    };
    const QStringList writer{"GRANT SELECT(x, y), INSERT ON sbtest.* TO bench",
                             "GRANT CREATE TABLE ON `s b`.* TO bench"};
    row("given", writer, "INSERT", "sbtest", true);
    row("columns of it", writer, "SELECT", "sbtest", true);
    row("columns are no rights", {"GRANT SELECT(INSERT) ON a.* TO u"}, "INSERT", "a", false);
    row("not given", writer, "CREATE TABLE", "sbtest", false);
    row("another database", writer, "SELECT", "sbtest2", false);
    row("a quoted name", writer, "CREATE TABLE", "s b", true);
    row("a backquote", {"GRANT SELECT ON `a\\`b`.* TO u"}, "SELECT", "a`b", true);
    row("an old administrator",
        {"GRANT SHOW, SELECT, INSERT, ALTER, CREATE, DROP, TRUNCATE ON *.* TO default WITH GRANT OPTION"},
        "CREATE TABLE", "x", true);
    row("a new administrator", {"GRANT ALL ON *.* TO default WITH GRANT OPTION"}, "DROP TABLE", "x", true);
    row("another of the group", {"GRANT CREATE VIEW, CREATE DATABASE ON *.* TO u"}, "CREATE TABLE", "x", false);
    row("no group", {"GRANT SELECT ON *.* TO u"}, "SELECTED TABLE", "x", false);
    row("a table", {"GRANT SELECT ON a.t TO u"}, "SELECT", "a", true);
    row("many databases", {"GRANT SELECT ON bench*.* TO u"}, "SELECT", "bench_17", true);
    row("not of those", {"GRANT SELECT ON bench*.* TO u"}, "SELECT", "other", false);
    row("revoked", {"GRANT SELECT, DROP TABLE ON *.* TO u", "REVOKE DROP TABLE ON a.* FROM u"}, "DROP TABLE", "a",
        false);
    row("not revoked", {"GRANT SELECT, DROP TABLE ON *.* TO u", "REVOKE DROP TABLE ON a.* FROM u"}, "DROP TABLE", "b",
        true);
    row("a table revoked", {"GRANT SELECT ON *.* TO u", "REVOKE SELECT ON a.secret FROM u"}, "SELECT", "a", true);
    row("something else", {"GRANT S3 ON * TO u"}, "SELECT", "a", false);
}

void TestClickhouseGrants::grants()
{
    QFETCH(QStringList, lines);
    QFETCH(QString, right);
    QFETCH(QString, database);
    QFETCH(bool, given);
    clickhouse::Grants grants;
    for (const QString& line : lines)
        grants.add(line.toStdString());
    QCOMPARE(grants.has(right.toStdString(), database.toStdString()), given);
    QVERIFY(!grants.hasRoles());
}

void TestClickhouseGrants::roles()
{
    clickhouse::Grants grants;
    grants.add("GRANT `a role ON x.y` TO u");
    QVERIFY(grants.hasRoles() && !grants.has("SELECT", "x"));
}

//! A large machine has more asynchronous metrics than are kept in all; the others come first, and none is what somebody
//! called a disk.
void TestClickhouseGrants::keptCounters()
{
    std::set<std::string> known{"asynchronous_metrics.DiskUsed_payroll_backup",
                                "asynchronous_metrics.NetworkReceiveBytes_eth0",
                                "asynchronous_metrics.BlockReadBytes_sda",
                                "asynchronous_metrics.CPUFrequencyMHz_3",
                                "asynchronous_metrics.Temperature0",
                                "asynchronous_metrics.OSUserTimeNormalized",
                                "asynchronous_metrics.LoadAverage15",
                                "asynchronous_metrics.jemalloc.arenas.all.dirty_purged",
                                "metrics.MemoryTracking",
                                "events.ContextLock"};
    for (int core = 0; core < 200; ++core) {
        for (const char* time : {"User", "System", "Idle", "IOWait", "Nice", "Irq", "SoftIrq", "Steal"})
            known.insert("asynchronous_metrics.OS" + std::string(time) + "TimeCPU" + std::to_string(core));
    }
    QCOMPARE(
        clickhouse::keptKeys(known),
        (std::vector<std::string>{"events.ContextLock", "metrics.MemoryTracking", "asynchronous_metrics.LoadAverage15",
                                  "asynchronous_metrics.OSUserTimeNormalized",
                                  "asynchronous_metrics.jemalloc.arenas.all.dirty_purged"}));
}

} // namespace dyno::tst_clickhouse_grants

DYNO_SUITE(tst_clickhouse_grants, dyno::tst_clickhouse_grants::TestClickhouseGrants)
#include "tst_clickhouse_grants.moc"
