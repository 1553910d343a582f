// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Who learns a password: whoever answers in a server's place, and asks for the password itself, does not.
#include "managed_test.h"
#include "server/lifecycle/managed_server.h"
#include "support/fake_mysql.h"
#include "support/suite.h"

#include <QTemporaryDir>
#include <QTest>

#include <ifaddrs.h>
#include <net/if.h>

namespace dyno::tst_sign_in {
using namespace dyno::test;

namespace {

constexpr const char* kPassword = "hunter2-in-clear";

//! An address of this machine that is not loopback; "" without any network.
std::string addressOfThisHost()
{
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0)
        return {};
    std::string found;
    for (const ifaddrs* one = all; one && found.empty(); one = one->ifa_next) {
        std::array<char, INET_ADDRSTRLEN> text{};
        if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_LOOPBACK) != 0)
            continue;
        const auto& address = reinterpret_cast<const sockaddr_in&>(*one->ifa_addr).sin_addr;
        if (::inet_ntop(AF_INET, &address, text.data(), text.size()))
            found = text.data();
    }
    ::freeifaddrs(all);
    return found;
}

ConnectTargetPtr targetOf(const std::string& uri, const Settings& connection = {},
                          const std::string& password = kPassword)
{
    auto target = std::make_shared<ConnectTarget>();
    target->uri = *parseUri(uri);
    target->uri.password = password;
    for (const OptionSpec& option : driverFor(target->uri.driver)->info().connection)
        target->connection.emplace(option.name, option.defaultValue);
    for (const auto& [name, value] : connection)
        target->connection.insert_or_assign(name, value);
    return target;
}

//! Signs in as the control plane does, and as the load does. "" or the error of the control plane.
std::string signIn(const ConnectTargetPtr& target)
{
    Driver* driver = driverFor(target->uri.driver);
    if (auto session = driver->open(target); session)
        (*session)->start(Request::step(RequestKind::Connect));
    auto admin = driver->admin(*target);
    return admin ? std::string() : admin.error().text();
}

bool holds(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TestSignIn : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void thePasswordItselfIsNotSent_data();
    void thePasswordItselfIsNotSent();
    void theKeyOfAStrangerIsNotTaken_data();
    void theKeyOfAStrangerIsNotTaken();
    void verifyWithoutTlsSendsNothing();
    void aUnixSocketMayHaveIt();
    void anotherMachineIsVerified();
    void othersAreNotUsedAtAll_data();
    void othersAreNotUsedAtAll();
    void plainIsNotSent_data();
    void plainIsNotSent();
    void identitiesOfThisMachineAreNotShown_data();
    void identitiesOfThisMachineAreNotShown();
    void signsInToMysql_data();
    void signsInToMysql();
};

void TestSignIn::initTestCase()
{
    if (!driverFor("mysql"))
        QSKIP("this build has no MySQL driver");
}

void TestSignIn::thePasswordItselfIsNotSent_data()
{
    QTest::addColumn<QString>("greeted");
    QTest::addColumn<QString>("switchedTo");
    QTest::addColumn<QString>("tls");
    for (const char* tls : {"", "off", "required"}) {
        const auto row = [tls](const char* name) -> QTestData& { return QTest::addRow("%s, tls=%s", name, tls); };
        row("clear at once") << "mysql_clear_password"
                             << "" << tls;
        row("clear later") << "mysql_native_password"
                           << "mysql_clear_password" << tls;
        row("dialog") << "mysql_native_password"
                      << "dialog" << tls;
        row("old") << "mysql_native_password"
                   << "mysql_old_password" << tls;
    }
}

void TestSignIn::thePasswordItselfIsNotSent()
{
    QFETCH(QString, greeted);
    QFETCH(QString, switchedTo);
    QFETCH(QString, tls);
    FakeMysql fake({greeted.toStdString(), switchedTo.toStdString(), {}});
    QVERIFY(fake.listens());
    const std::string error = signIn(targetOf(fake.uri(), {{"tls", tls.toStdString()}}));
    QVERIFY2(holds(error, "would reveal the password"), error.c_str());
    QVERIFY2(holds(error, "tls=verify"), error.c_str());
    if (greeted.contains("clear") || switchedTo.contains("clear"))
        QVERIFY2(holds(error, "mysql_clear_password"), error.c_str());
    QVERIFY(!holds(error, kPassword));
    QVERIFY(!holds(fake.received(), kPassword));
}

void TestSignIn::theKeyOfAStrangerIsNotTaken_data()
{
    QTest::addColumn<QString>("method");
    QTest::newRow("caching_sha2_password") << "caching_sha2_password";
    QTest::newRow("sha256_password") << "sha256_password";
}

//! Who has a key of its own in the middle would decrypt the password with it.
void TestSignIn::theKeyOfAStrangerIsNotTaken()
{
    QFETCH(QString, method);
    const std::string address = addressOfThisHost();
    if (address.empty())
        QSKIP("this machine has no address but loopback");
    FakeMysql fake({method.toStdString(), {}, {"\x01\x04"}}, address);
    QVERIFY(fake.listens());
    const std::string error = signIn(targetOf(fake.uri(), {{"tls", std::string("off")}}));
    QVERIFY2(holds(error, "would reveal the password"), error.c_str());
    QVERIFY(!holds(fake.received(), kPassword));
    QVERIFY2(!fake.received().ends_with('\2') && !fake.received().ends_with('\1'), "asked for the key");
}

void TestSignIn::verifyWithoutTlsSendsNothing()
{
    FakeMysql fake({"mysql_clear_password", {}, {}});
    const std::string error = signIn(targetOf(fake.uri(), {{"tls", std::string("verify")}}));
    QVERIFY2(holds(error, "TLS"), error.c_str());
    QCOMPARE(fake.received(), std::string());
}

void TestSignIn::aUnixSocketMayHaveIt()
{
    QTemporaryDir folder;
    FakeMysql fake({"mysql_native_password", "mysql_clear_password", {}}, folder.filePath("s").toStdString());
    QVERIFY(fake.listens());
    const std::string error = signIn(targetOf(fake.uri()));
    QVERIFY2(holds(error, "the server answers, but refuses the user or password"), error.c_str());
    QVERIFY(holds(fake.received(), kPassword));
}

//! Over a network nothing is said before the server has shown who it is.
void TestSignIn::anotherMachineIsVerified()
{
    const std::string address = addressOfThisHost();
    if (address.empty())
        QSKIP("this machine has no address but loopback");
    FakeMysql fake({}, address);
    QVERIFY(fake.listens());
    const std::string error = signIn(targetOf(fake.uri()));
    QVERIFY2(holds(error, "TLS") || holds(error, "tls="), error.c_str());
    QCOMPARE(fake.received(), std::string());
}

void TestSignIn::othersAreNotUsedAtAll_data()
{
    QTest::addColumn<QString>("method");
    QTest::addColumn<bool>("socket");
    for (const char* method : {"dialog", "mysql_old_password", "auth_gssapi_client", "authentication_kerberos_client",
                               "authentication_ldap_sasl_client", "no_such_method"}) {
        QTest::addRow("%s, socket", method) << method << true;
        QTest::addRow("%s, loopback", method) << method << false;
    }
}

//! Not even by a server that is known: they load more libraries, or take identities that this machine has.
void TestSignIn::othersAreNotUsedAtAll()
{
    QFETCH(QString, method);
    QFETCH(bool, socket);
    QTemporaryDir folder;
    const std::string place = socket ? folder.filePath("s").toStdString() : std::string("127.0.0.1");
    FakeMysql fake({"mysql_native_password", method.toStdString(), {}}, place);
    QVERIFY(fake.listens());
    const std::string error = signIn(targetOf(fake.uri()));
    QVERIFY2(holds(error, socket ? "is not used here" : "would reveal the password"), error.c_str());
    QVERIFY(!holds(fake.received(), kPassword));
}

void TestSignIn::plainIsNotSent_data()
{
    QTest::addColumn<bool>("byUri");
    QTest::addColumn<QString>("tls");
    for (const char* tls : {"", "required"}) {
        QTest::addRow("URI, tls=%s", tls) << true << tls;
        QTest::addRow("knob, tls=%s", tls) << false << tls;
    }
}

void TestSignIn::plainIsNotSent()
{
    QFETCH(bool, byUri);
    QFETCH(QString, tls);
    if (!driverFor("mongodb"))
        QSKIP("this build has no MongoDB driver");
    FakeMysql listener({});
    QVERIFY(listener.listens());
    const std::string uri = "mongodb://ann@127.0.0.1:" + std::to_string(listener.port()) + "/test";
    const auto target = byUri ? targetOf(uri + "?authMechanism=PLAIN", {{"tls", tls.toStdString()}})
                              : targetOf(uri, {{"tls", tls.toStdString()}, {"auth_mechanism", std::string("PLAIN")}});
    const std::string error = signIn(target);
    QVERIFY2(holds(error, "PLAIN sends the password itself"), error.c_str());
    QCOMPARE(listener.received(), std::string()); // not even a greeting
}

void TestSignIn::identitiesOfThisMachineAreNotShown_data()
{
    QTest::addColumn<QString>("mechanism");
    QTest::addColumn<QString>("said");
    QTest::newRow("GSSAPI") << "GSSAPI"
                            << "identity of this machine";
    QTest::newRow("AWS") << "MONGODB-AWS"
                         << "identity of this machine";
    QTest::newRow("OIDC") << "MONGODB-OIDC"
                          << "identity of this machine";
    QTest::newRow("certificate that nobody gave") << "MONGODB-X509"
                                                  << "tls_cert_key";
}

void TestSignIn::identitiesOfThisMachineAreNotShown()
{
    QFETCH(QString, mechanism);
    QFETCH(QString, said);
    if (!driverFor("mongodb"))
        QSKIP("this build has no MongoDB driver");
    FakeMysql listener({});
    QVERIFY(listener.listens());
    const std::string uri = "mongodb://ann@127.0.0.1:" + std::to_string(listener.port()) + "/test";
    for (const auto& target : {targetOf(uri + "?authMechanism=" + mechanism.toStdString()),
                               targetOf(uri, {{"auth_mechanism", mechanism.toStdString()}})}) {
        const std::string error = signIn(target);
        QVERIFY2(holds(error, said.toStdString()), error.c_str());
        QCOMPARE(listener.received(), std::string());
    }
}

void TestSignIn::signsInToMysql_data()
{
    QTest::addColumn<QString>("transport");
    QTest::addColumn<QString>("tls");
    QTest::newRow("socket") << "socket"
                            << "";
    QTest::newRow("loopback") << "tcp"
                              << "off";
    QTest::newRow("loopback, encrypted") << "tcp"
                                         << "required";
    QTest::newRow("loopback, verified") << "tcp"
                                        << "verify";
}

//! Our caching_sha2_password against a real MySQL: the first sign-in, which needs the password, and one from its cache.
void TestSignIn::signsInToMysql()
{
    QFETCH(QString, transport);
    QFETCH(QString, tls);
    if (basedirIn("DYNO_TEST_MYSQL80").empty())
        QSKIP("DYNO_TEST_MYSQL80 names no folder of a MySQL server");
    auto made = ManagedServer::create(
        managedUri("mysql", {{"basedir", basedirIn("DYNO_TEST_MYSQL80")}, {"transport", transport.toStdString()}}),
        DYNO_TEST_WORK_DIR);
    QVERIFY(made);
    ManagedServer& server = **made;
    VERIFY_OK(server.ensure(smallKnobs()));
    auto root = adminOf(server);
    VERIFY_OK(root);
    const std::string method = "IDENTIFIED WITH caching_sha2_password BY '" + std::string(kPassword) + "'";
    VERIFY_OK((*root)->execute("CREATE USER ann@'%' " + method));
    VERIFY_OK((*root)->execute("GRANT ALL ON *.* TO ann@'%'"));
    TargetUri uri = server.connectUri();
    uri.user = "ann";
    Settings connection = server.connectionDefaults();
    connection["tls"] = tls.toStdString();
    const auto target = targetOf(uri.display(), connection);
    for (const char* sign : {"first", "from the cache"}) {
        const auto admin = driverFor("mysql")->admin(*target);
        QVERIFY2(admin, (sign + (": " + (admin ? std::string() : admin.error().text()))).c_str());
    }
    const std::string wrong = signIn(targetOf(uri.display(), connection, "wrong"));
    QVERIFY2(holds(wrong, "the server answers, but refuses the user or password"), wrong.c_str());
    QVERIFY2(signIn(target).empty(), "after a wrong one");
}

} // namespace dyno::tst_sign_in

DYNO_SUITE(tst_sign_in, dyno::tst_sign_in::TestSignIn)
#include "tst_sign_in.moc"
