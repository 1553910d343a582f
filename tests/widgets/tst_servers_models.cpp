// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The lists of the Servers page, without a server.
#include "parts/plan_text.h"
#include "plan/server_list_model.h"
#include "servers/left_changes.h"
#include "servers/variables_model.h"
#include "support/suite.h"

#include <QAbstractItemModelTester>
#include <QTest>

namespace dyno::tst_servers_models {
using namespace Qt::StringLiterals;

namespace {

ServerList sampleList()
{
    ServerList list;
    ServerProgram program;
    program.product = "mariadb";
    program.name = "MariaDB";
    program.version = "10.11.19-MariaDB-0+deb12u1";
    program.program = "/usr/sbin/mariadbd";
    program.uri = "managed:mariadb";
    list.programs = {program};
    ServerInstance instance;
    instance.name = "shop";
    instance.product = "mariadb";
    instance.version = "10.11.19";
    instance.state = InstanceState::Running;
    instance.named = true;
    instance.bytes = 3 << 20;
    list.instances = {instance};
    RemoteServer remote;
    remote.uri = "mysql://bench@db1:3306/sbtest";
    remote.production = true;
    list.remotes.servers = {remote};
    list.left = {{remote.uri, "sync_binlog", "1", "0", 0, false}};
    return list;
}

QString text(const QAbstractItemModel& model, int row, int role = Qt::DisplayRole, int column = 0)
{
    return model.index(row, column).data(role).toString();
}

} // namespace

class TstServersModels : public QObject
{
    Q_OBJECT
private slots:
    void groupsAndRows();
    void emptyGroupsSayWhatToDo();
    void remoteStates();
    void namesOfProducts();
    void instancesAreReachedBySocket();
    void values_data();
    void values();
    void variables();
    void sizesHaveUnits();
    void parts();
    void leftChangesAndResults();
};

void TstServersModels::groupsAndRows()
{
    ServerListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setList(sampleList());
    QCOMPARE(model.rowCount(), 6);
    QVERIFY(!(model.index(0).flags() & Qt::ItemIsSelectable));
    QCOMPARE(text(model, 1), u"shop"_s);
    QVERIFY(text(model, 1, ServerListModel::SecondRole).startsWith(u"running"_s));
    QCOMPARE(model.rowOf(u"instance:shop"_s), 1);
    QVERIFY(model.instance(u"instance:shop"_s));
    QVERIFY(!model.remote(u"instance:shop"_s));
    QCOMPARE(text(model, 5), u"MariaDB 10.11.19"_s);
    model.setActivity("shop", u"stopping…"_s);
    QVERIFY(text(model, 1, ServerListModel::SecondRole).startsWith(u"stopping…"_s));
    model.setActivity("shop", {});
    QVERIFY(text(model, 1, ServerListModel::SecondRole).startsWith(u"running"_s));
}

void TstServersModels::emptyGroupsSayWhatToDo()
{
    ServerListModel model;
    model.setList({});
    QCOMPARE(model.rowCount(), 6); // three titles, three hints
    for (int row = 1; row < 6; row += 2)
        QVERIFY(text(model, row).size() > 20);
}

void TstServersModels::remoteStates()
{
    ServerListModel model;
    const ServerList list = sampleList();
    model.setList(list);
    const int row = model.rowOf(ServerListModel::keyOf(list.remotes.servers.front()));
    QCOMPARE(text(model, row), u"db1:3306"_s);
    QCOMPARE(text(model, row, ServerListModel::RightRole), u"production"_s);
    QVERIFY(text(model, row, ServerListModel::SecondRole).startsWith(u"1 left changed"_s));
    RemoteState state;
    state.facts = ServerFacts{"MySQL", "8.0.36", "TCP", "", false, 0.4, {}};
    model.setRemoteState(list.remotes.servers.front().uri, state);
    QVERIFY(text(model, row, ServerListModel::SecondRole).contains(u"MySQL 8.0.36"_s));
    QCOMPARE(Tone(model.index(row).data(ServerListModel::ToneRole).toInt()), Tone::Warn);
}

void TstServersModels::namesOfProducts()
{
    QCOMPARE(productText("mongodb", "7.0.14"), u"MongoDB 7.0.14"_s);
    QCOMPARE(productText("ferretdb", "1.24.0"), u"FerretDB 1.24.0"_s);
    QCOMPARE(productText("Percona Server for MongoDB", "7.0.14-8"), u"Percona Server for MongoDB 7.0.14"_s);
    QCOMPARE(sentenceText("mongodb has no connection knob x"), u"MongoDB has no connection knob x"_s);
    RemoteServer remote;
    remote.uri = "mongodb://bench@db1,db2:27018/ycsb";
    QCOMPARE(remoteText(remote), u"db1,db2:27018"_s);
    remote.uri = "mongodb://%2Frun%2Fmongodb.sock";
    QCOMPARE(remoteText(remote), u"/run/mongodb.sock"_s);
}

void TstServersModels::instancesAreReachedBySocket()
{
    ServerInstance instance;
    instance.product = "ferretdb";
    instance.state = InstanceState::Running;
    QVERIFY(!instanceTarget(instance)); // by TCP alone
    instance.socket = "/tmp/x/s.sock";
    const auto documents = instanceTarget(instance);
    QVERIFY(documents);
    QCOMPARE(documents->driver, std::string("mongodb"));
    QCOMPARE(documents->display(), std::string("mongodb://%2Ftmp%2Fx%2Fs.sock"));
    instance.product = "mariadb";
    QCOMPARE(instanceTarget(instance).value_or(TargetUri()).driver, std::string("mysql"));
    instance.state = InstanceState::Stopped;
    QVERIFY(!instanceTarget(instance));
}

void TstServersModels::values_data()
{
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("usual");
    QTest::addColumn<bool>("differ");
    QTest::newRow("same") << u"16"_s << u"16"_s << false;
    QTest::newRow("switches") << u"ON"_s << u"1"_s << false;
    QTest::newRow("off") << u"OFF"_s << u"0"_s << false;
    QTest::newRow("numbers") << u"0.500000"_s << u"0.5"_s << false;
    QTest::newRow("case") << u"o_direct"_s << u"O_DIRECT"_s << false;
    QTest::newRow("other") << u"2"_s << u"1"_s << true;
    QTest::newRow("not known") << u"2"_s << QString() << false;
}

void TstServersModels::values()
{
    QFETCH(QString, value);
    QFETCH(QString, usual);
    VariableState state{"x", value.toStdString(), usual.toStdString(), false, true};
    QTEST(differs(state), "differ");
}

void TstServersModels::variables()
{
    VariablesModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    VariableRow pool{
        {"innodb_buffer_pool_size", "2147483648", "134217728", true, true}, u"Buffer pool"_s, {}, {}, true};
    VariableRow binlog{{"log_bin", "OFF", "0", true, false}, u"Binary log"_s, {}, {}, false};
    model.setRows({pool, binlog});
    QCOMPARE(model.differing(), 1);
    QCOMPARE(text(model, 0, Qt::DisplayRole, VariablesModel::ValueColumn), u"2\u00a0GiB"_s);
    QVERIFY(text(model, 0, Qt::ToolTipRole, VariablesModel::ValueColumn).contains(u"2147483648"_s));
    QVERIFY(text(model, 1, Qt::DisplayRole, VariablesModel::ChangeColumn).contains(u"restart"_s));
    VariablesFilter filter;
    filter.setSourceModel(&model);
    QCOMPARE(filter.rowCount(), 1);
    filter.setOnlyDiffering(false);
    QCOMPARE(filter.rowCount(), 2);
    filter.setSearch(u"binary log"_s); // the knob's label
    QCOMPARE(filter.rowCount(), 1);
    QCOMPARE(text(filter, 0), u"log_bin"_s);
}

//! Sizes have their unit; what the catalogue does not know may be a count.
void TstServersModels::sizesHaveUnits()
{
    QCOMPARE(variableText("1073741824", true), u"1\u00a0GiB"_s);
    QCOMPARE(variableText("16777216", true), u"16\u00a0MiB"_s);
    QCOMPARE(variableText("1048576", false), u"1048576"_s); // open_files_limit
    QCOMPARE(variableText("8192", true), u"8\u00a0KiB"_s);
    QCOMPARE(variableText("512", true), u"512"_s);
    QCOMPARE(variableText("18446744073709547520", true), u"18446744073709547520"_s); // no limit
    QCOMPARE(variableText("-1", true), u"-1"_s);
    QCOMPARE(variableText("O_DIRECT", false), u"O_DIRECT"_s);
    QCOMPARE(variableText("", false), u"–"_s);
}

void TstServersModels::parts()
{
    DataPartsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setParts({{"redo log", "", 1 << 20}, {"table", "a.b", 3 << 20}});
    QCOMPARE(model.total(), quint64(4) << 20);
    QCOMPARE(text(model, 0, Qt::DisplayRole, DataPartsModel::NameColumn), u"a.b"_s); // largest first
    QVERIFY(text(model, 0, Qt::DisplayRole, DataPartsModel::ShareColumn).startsWith(u"75"_s));
}

void TstServersModels::leftChangesAndResults()
{
    const std::string uri = "mysql://bench@db1:3306/sbtest";
    LeftChangesModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setLeft({{uri, "a", "1", "2", 0, false}, {uri, "b", "1", "2", 0, false}, {uri, "c", "1", "2", 0, false}});
    QCOMPARE(model.open(), 3);
    model.addResults({{uri, "a", "1", "2", "1", RestoreOutcome::Restored, ""},
                      {uri, "b", "1", "2", "7", RestoreOutcome::OthersValue, ""},
                      {uri, "c", "1", "2", "2", RestoreOutcome::Failed, "access denied"}});
    QCOMPARE(model.open(), 2);
    QVERIFY(model.othersSet());
    const auto state = [&model](int row) { return text(model, row, Qt::DisplayRole, LeftChangesModel::ResultColumn); };
    QCOMPARE(state(0), u"restored"_s);
    QVERIFY(state(1).contains(u"changed to 7 by somebody else"_s));
    QVERIFY(state(2).contains(u"access denied"_s));
    // The list is read again: what is restored is off it and still shown, the rest keeps its reason.
    model.setLeft({{uri, "b", "1", "2", 0, false}, {uri, "c", "1", "2", 0, false}});
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.open(), 2);
    QVERIFY(state(0).contains(u"changed to 7 by somebody else"_s));
    QCOMPARE(state(2), u"restored"_s);
}

} // namespace dyno::tst_servers_models

DYNO_WIDGET_SUITE(tst_servers_models, dyno::tst_servers_models::TstServersModels)
#include "tst_servers_models.moc"
