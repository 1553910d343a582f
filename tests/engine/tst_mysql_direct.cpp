// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! When the driver keeps to the client library's public calls, by the versions of the library.
#include "driver/driver.h"
#include "driver/mysql/mysql_direct.h"
#include "support/suite.h"

#include <QTest>

namespace dyno::tst_mysql_direct {

class TestMysqlDirect : public QObject
{
    Q_OBJECT
private slots:
    void path_data();
    void path();
    void theDriverTells();
};

void TestMysqlDirect::path_data()
{
    QTest::addColumn<QString>("knob");
    QTest::addColumn<QString>("built");
    QTest::addColumn<QString>("loaded");
    QTest::addColumn<QString>("path");
    QTest::newRow("tested") << "auto"
                            << "3.3.20"
                            << "3.3.20"
                            << "on threads";
    QTest::newRow("knob") << "off"
                          << "3.3.20"
                          << "3.3.20"
                          << "off";
    QTest::newRow("newer is loaded") << "auto"
                                     << "3.3.20"
                                     << "3.4.1"
                                     << "off: built with Connector/C 3.3.20, but 3.4.1 is loaded";
    QTest::newRow("older is loaded") << "auto"
                                     << "3.3.20"
                                     << "3.3.4"
                                     << "off: built with Connector/C 3.3.20, but 3.3.4 is loaded";
    QTest::newRow("tested is loaded") << "auto"
                                      << "3.4.1"
                                      << "3.3.20"
                                      << "off: built with Connector/C 3.4.1, but 3.3.20 is loaded";
    QTest::newRow("not tested") << "auto"
                                << "3.4.1"
                                << "3.4.1"
                                << "off: Connector/C 3.4.1 is not tested";
    QTest::newRow("another digit") << "auto"
                                   << "3.3.2"
                                   << "3.3.2"
                                   << "off: Connector/C 3.3.2 is not tested";
    QTest::newRow("none") << "auto"
                          << ""
                          << ""
                          << "off: Connector/C  is not tested";
}

void TestMysqlDirect::path()
{
    QFETCH(QString, knob);
    QFETCH(QString, built);
    QFETCH(QString, loaded);
    QFETCH(QString, path);
    QCOMPARE(QString::fromStdString(mysql::directPath(knob.toStdString(), built.toStdString(), loaded.toStdString())),
             path);
}

void TestMysqlDirect::theDriverTells()
{
    ConnectTarget target;
    const auto told = [&target] {
        return QString::fromStdString(textOf(driverFor("mysql")->inForce(target), "direct"));
    };
    if (mysql::directPath("auto") == mysql::kDirect) {
        target.statements = {{"SELECT c FROM t WHERE id=?", {Param::Type::Integer}}};
        QVERIFY2(told().startsWith("off: no statement has"), qPrintable(told()));
        target.statements.push_back({"INSERT", std::vector(mysql::kDirectFrom, Param::Type::Integer)});
        target.eventLoop = true;
        QCOMPARE(told(), QString("off: users live on event loops"));
        target.eventLoop = false;
        QCOMPARE(mysql::directFrom(target), mysql::kDirectFrom);
        target.statements.pop_back();
        target.connection["direct"] = std::string("always");
        QCOMPARE(mysql::directFrom(target), std::size_t(0));
        QCOMPARE(told(), QString::fromStdString(std::string(mysql::kDirect)));
        target.statements.push_back({"INSERT", std::vector(mysql::kDirectFrom, Param::Type::Integer)});
        target.connection.erase("direct");
    }
    QCOMPARE(told(), QString::fromStdString(mysql::directPath("auto")));
    target.connection["direct"] = std::string("off");
    QCOMPARE(textOf(driverFor("mysql")->inForce(target), "direct"), std::string("off"));
}

} // namespace dyno::tst_mysql_direct

DYNO_SUITE(tst_mysql_direct, dyno::tst_mysql_direct::TestMysqlDirect)
#include "tst_mysql_direct.moc"
