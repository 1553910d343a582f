// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What SHOW GRANTS says of a right, line by line; without a server.
#include "driver/mysql/mysql_grants.h"
#include "support/suite.h"

#include <QTest>

namespace dyno::tst_mysql_grants {

class TestMysqlGrants : public QObject
{
    Q_OBJECT
private slots:
    void grants_data();
    void grants();
};

void TestMysqlGrants::grants_data()
{
    QTest::addColumn<QStringList>("lines");
    QTest::addColumn<QString>("right");
    QTest::addColumn<QString>("database");
    QTest::addColumn<bool>("given");
    const auto row = [](const char* name, QStringList lines, const char* right, const char* database, bool given) {
        QTest::newRow(name) << lines << right << database << given;
    };
    const QStringList reader{"GRANT USAGE ON *.* TO `u`@`%` IDENTIFIED BY PASSWORD '*AB ON *.* TO C'",
                             "GRANT SELECT, INSERT ON `sbtest`.* TO `u`@`%`"};
    row("given", reader, "SELECT", "sbtest", true);
    row("not given", reader, "CREATE", "sbtest", false);
    row("another database", reader, "SELECT", "sbtest2", false);
    row("everything", {"GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION"}, "DROP", "x", true);
    row("everything in one", {"GRANT ALL PRIVILEGES ON `a`.* TO u"}, "DROP", "a", true);
    row("a pattern", {"GRANT CREATE ON `bench%`.* TO u"}, "CREATE", "bench_17", true);
    row("a pattern that ends", {"GRANT CREATE ON `bench_`.* TO u"}, "CREATE", "bench17", false);
    row("no pattern", {"GRANT CREATE ON `bench\\_1`.* TO u"}, "CREATE", "benchx1", false);
    row("escaped", {"GRANT CREATE ON `bench\\_1`.* TO u"}, "CREATE", "bench_1", true);
    row("a backquote", {"GRANT CREATE ON `a``b`.* TO u"}, "CREATE", "a`b", true);
    row("a table", {"GRANT SELECT (id, k), INSERT ON `a`.`t` TO u"}, "SELECT", "a", true);
    row("columns are no rights", {"GRANT SELECT (id, INSERT) ON `a`.`t` TO u"}, "INSERT", "a", false);
    row("a routine", {"GRANT EXECUTE ON PROCEDURE `a`.`p` TO u"}, "SELECT", "a", false);
    row("a role", {"GRANT `all` TO u"}, "SELECT", "a", false);
    row("revoked", {"GRANT SELECT, DROP ON *.* TO u", "REVOKE DROP ON `a`.* FROM u"}, "DROP", "a", false);
    row("not revoked", {"GRANT SELECT, DROP ON *.* TO u", "REVOKE DROP ON `a`.* FROM u"}, "DROP", "b", true);
}

void TestMysqlGrants::grants()
{
    QFETCH(QStringList, lines);
    QFETCH(QString, right);
    QFETCH(QString, database);
    QFETCH(bool, given);
    mysql::Grants grants;
    for (const QString& line : lines)
        grants.add(line.toStdString());
    QCOMPARE(grants.has(right.toStdString(), database.toStdString()), given);
}

} // namespace dyno::tst_mysql_grants

DYNO_SUITE(tst_mysql_grants, dyno::tst_mysql_grants::TestMysqlGrants)
#include "tst_mysql_grants.moc"
