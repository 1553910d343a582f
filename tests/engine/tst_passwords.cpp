// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which password goes to which server.
#include "driver/driver.h"
#include "recording_sink.h"
#include "server/lifecycle/child_process.h"
#include "support/fake_mysql.h"
#include "support/suite.h"

#include <dyno/passwords.h>
#include <dyno/preflight.h>
#include <dyno/servers.h>

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace dyno::tst_passwords {
using namespace dyno::test;

namespace {

Plan planOf(const std::string& target, const std::vector<std::string>& cases)
{
    Plan plan;
    plan.target.uri = target;
    plan.workload.name = "oltp_point_select";
    plan.workload.params = {{"tables", std::int64_t(1)}, {"table_size", std::int64_t(10)}};
    plan.load.timeSeconds = plan.load.intervalSeconds = 0.5;
    plan.load.users = {1};
    if (!cases.empty())
        plan.axes.push_back({"server", {}, 0});
    for (const std::string& one : cases)
        plan.axes.front().cases.push_back({one, {{"target.uri", one}}, 0});
    return plan;
}

} // namespace

class TestPasswords : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void oneAccountOnly_data();
    void oneAccountOnly();
    void theOwnerOfAPlan();
    void namedServers();
    void aNameForTwoServersIsNone();
    void sideBySideOnlyTheFirstGetsIt();
    void programsDoNotGetThem();

private:
    QTemporaryDir m_dir;
};

void TestPasswords::init()
{
    qputenv("XDG_DATA_HOME", m_dir.path().toUtf8());
    qputenv("DYNO_PASSWORD", "hunter2");
}

void TestPasswords::cleanup()
{
    for (const char* name : {"DYNO_PASSWORD", "DYNO_PASSWORD_SHOP_1"})
        qunsetenv(name);
    for (const RemoteServer& server : remoteServers().servers)
        QVERIFY(forgetRemoteServer(server.uri));
}

void TestPasswords::oneAccountOnly_data()
{
    QTest::addColumn<QString>("uri");
    QTest::addColumn<bool>("gets");
    const auto row = [](const char* uri, bool gets) { QTest::newRow(uri) << uri << gets; };
    row("mysql://ann@db1/test", true);
    row("mysql://ann@DB1:3306/other?tls=verify", true);
    row("mariadb://ann@db1", true);
    row("mysql://bob@db1/test", false);
    row("mysql://db1/test", false);
    row("mysql://ann@db1:3307/test", false);
    row("mysql://ann@db2/test", false);
    row("mysql://ann@localhost/test?socket=/run/other.sock", false);
    row("mongodb://ann@db1/test", false);
    row("managed:mariadb", false);
}

void TestPasswords::oneAccountOnly()
{
    QFETCH(QString, uri);
    QFETCH(bool, gets);
    const TargetUri owner = *parseUri("mysql://ann@db1/test");
    const TargetUri one = *parseUri(uri.toStdString());
    QCOMPARE(passwordFor(one, owner), std::string(gets ? "hunter2" : ""));
    QCOMPARE(passwordFor(one, owner, "typed"), std::string(gets ? "typed" : ""));
    QCOMPARE(passwordFor(one, {}), std::string());
    QCOMPARE(passwordFor(one, {}, "typed"), std::string());
}

void TestPasswords::theOwnerOfAPlan()
{
    const auto ownerOf = [](const Plan& plan) {
        const auto owner = passwordOwner(plan);
        return owner ? owner->display() : std::string();
    };
    const std::string first = "mysql://ann@db1/test", second = "mysql://ann@db2/test";
    QCOMPARE(ownerOf(planOf(first, {})), first);
    QCOMPARE(ownerOf(planOf("managed:mariadb", {"sqlite:", first, second})), first);
    QCOMPARE(ownerOf(planOf(first, {second, first})), first); // what the plan names as its target
    QCOMPARE(ownerOf(planOf("managed:mariadb", {})), std::string());
}

void TestPasswords::namedServers()
{
    QVERIFY(saveRemoteServer({.uri = "mysql://bob@db2:3307/", .name = "Shop-1"}));
    qputenv("DYNO_PASSWORD_SHOP_1", "of-the-shop");
    const TargetUri owner = *parseUri("mysql://ann@db1/test");
    const auto of = [&](const char* uri) { return passwordFor(*parseUri(uri), owner, "typed"); };
    QCOMPARE(of("mysql://bob@db2:3307/test"), std::string("of-the-shop"));
    QCOMPARE(of("mysql://ann@db2:3307/test"), std::string());
    QCOMPARE(of("mysql://bob@db2/test"), std::string());
    QCOMPARE(of("mysql://bob@shop-1/test"), std::string()); // a plan's name is not this user's
    QCOMPARE(of("mysql://ann@db1/test"), std::string("typed"));
    // The name is closer to the server than the one password for everything.
    const TargetUri shop = *parseUri("mysql://bob@db2:3307/");
    QCOMPARE(passwordFor(shop, shop), std::string("of-the-shop"));
}

void TestPasswords::aNameForTwoServersIsNone()
{
    QVERIFY(saveRemoteServer({.uri = "mysql://bob@db2/", .name = "shop 1"}));
    QVERIFY(saveRemoteServer({.uri = "mysql://bob@db3/", .name = "SHOP.1"}));
    qputenv("DYNO_PASSWORD_SHOP_1", "of-the-shop");
    QCOMPARE(passwordFor(*parseUri("mysql://bob@db2/"), {}), std::string());
    QCOMPARE(passwordFor(*parseUri("mysql://bob@db3/"), {}), std::string());
}

//! A plan with the user's server and a stranger's beside it.
void TestPasswords::sideBySideOnlyTheFirstGetsIt()
{
    if (!driverFor("mysql"))
        QSKIP("this build has no MySQL driver");
    FakeMysql own({}), stranger({});
    QVERIFY(own.listens() && stranger.listens());
    std::string reason;
    for (const FakeMysql* first : {&own, &stranger}) { // one that refuses is the end of a session
        const Plan plan = planOf(own.uri(), {first->uri(), "null:"});
        RecordingSink sink;
        SessionRunner runner(plan, {}, {&sink});
        runner.start();
        runner.wait();
        reason = sink.session.reason;
        QVERIFY(!preflight(plan, {}));
        QVERIFY(!cleanupData(plan, {}));
    }
    // A proof is 20 bytes long, after the user's name; without a password there is none.
    const auto proofs = [](FakeMysql& fake) {
        std::set<int> lengths;
        for (const std::string& answer : fake.answers()) {
            const std::size_t name = answer.find(std::string("ann") + '\0');
            lengths.insert(name == std::string::npos ? -1 : answer.at(name + 4));
        }
        return lengths;
    };
    QVERIFY2(!own.answers().empty(), reason.c_str());
    QCOMPARE(proofs(own), std::set<int>({20}));
    QCOMPARE(proofs(stranger), std::set<int>({0}));
}

void TestPasswords::programsDoNotGetThem()
{
    qputenv("DYNO_PASSWORD_SHOP_1", "of-the-shop");
    const std::string file = m_dir.filePath("environment").toStdString();
    QVERIFY(runCommand({"/bin/sh", "-c", "env > \"$1\"", "sh", file}, std::chrono::seconds(60)));
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    QVERIFY(text.find("PATH=") != std::string::npos);
    QVERIFY2(text.find("DYNO_PASSWORD") == std::string::npos, text.c_str());
}

} // namespace dyno::tst_passwords

DYNO_SUITE(tst_passwords, dyno::tst_passwords::TestPasswords)
#include "tst_passwords.moc"
