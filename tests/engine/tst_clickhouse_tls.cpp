// SPDX-License-Identifier: GPL-3.0-or-later
// TLS of the ClickHouse driver, and to whom it gives a password, against a real server with certificates of its own.
#include "clickhouse_test.h"
#include "support/fault_proxy.h"
#include "support/suite.h"

namespace dyno::tst_clickhouse_tls {
using namespace dyno::test;

namespace {

Value file(const std::filesystem::path& path)
{
    return path.string();
}
Value word(const char* value)
{
    return std::string(value);
}

} // namespace

class TestClickhouseTls : public dyno::test::ClickhouseTest
{
    Q_OBJECT

    ConnectTargetPtr secured(const Settings& connection, const std::string& host = "localhost") const
    {
        TargetUri uri = m_server.uri();
        uri.host = host;
        uri.port = m_server.tlsPort();
        return ClickhouseFixture::targetAt(uri, {}, connection);
    }
    //! "" when it connects, else the error as a person sees it.
    static std::string connectError(const ConnectTargetPtr& target)
    {
        const auto admin = driverFor("clickhouse")->admin(*target);
        const auto session = openSession("clickhouse", target);
        const bool connects = session && run(*session, Request::step(RequestKind::Connect)).outcome == Outcome::Ok;
        if (connects != admin.has_value())
            return "session and control plane differ";
        return admin ? "" : admin.error().text();
    }
    static bool says(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

private slots:
    void initTestCase() { startServer(true); }

    void requiredIsEncrypted()
    {
        const auto admin = driverFor("clickhouse")->admin(*secured({{"tls", word("required")}}));
        QVERIFY2(admin, admin ? "" : admin.error().text().c_str());
        const auto facts = (*admin)->facts();
        QVERIFY(facts);
        QVERIFY2(facts->cipher.find("TLS") != std::string::npos, facts->cipher.c_str());
        QCOMPARE(m_admin->facts()->cipher, std::string());
    }

    void verify()
    {
        const auto& files = m_server.certificates();
        QCOMPARE(connectError(secured({{"tls", word("verify")}, {"tls_ca", file(files.ca)}})), std::string());
        QCOMPARE(connectError(secured({{"tls_ca", file(files.ca)}})), std::string()); // a CA means verify
        const std::string other = connectError(secured({{"tls", word("verify")}, {"tls_ca", file(files.otherCa)}}));
        QVERIFY2(says(other, "no TLS connection") && says(other, "tls_ca"), other.c_str());
        const std::string system = connectError(secured({{"tls", word("verify")}}));
        QVERIFY2(says(system, "no TLS connection"), system.c_str());
        const std::string name =
            connectError(secured({{"tls", word("verify")}, {"tls_ca", file(files.ca)}}, "127.0.0.1"));
        QVERIFY2(says(name, "use the name that the server's certificate holds"), name.c_str());
        const std::string plain = connectError(secured({}));
        QVERIFY2(!plain.empty(), plain.c_str()); // HTTP at a port of TLS
    }

    void serverWithoutTls()
    {
        const std::string text = connectError(m_server.target({}, {{"tls", word("required")}}));
        QVERIFY2(says(text, "no TLS connection") && says(text, "https_port"), text.c_str());
    }

    // What an HTTP server does when it finds no end of a line in the first bytes of TLS, which are random.
    void serverThatWaitsForMore()
    {
        FaultProxy proxy;
        const auto started = proxy.start({.port = m_server.port()});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
        proxy.freeze();
        TargetUri uri = m_server.uri();
        uri.port = proxy.port();
        const std::string text =
            connectError(ClickhouseFixture::targetAt(uri, {}, {{"tls", word("required")}, {"connect_timeout", 1.0}}));
        QVERIFY2(says(text, "no TLS connection") && says(text, "https_port"), text.c_str());
    }

    void clientCertificate()
    {
        const auto& files = m_server.certificates();
        QCOMPARE(connectError(secured({{"tls", word("verify")},
                                       {"tls_ca", file(files.ca)},
                                       {"tls_cert", file(files.clientCert)},
                                       {"tls_key", file(files.clientKey)}})),
                 std::string());
        for (const char* missing : {"tls_cert", "tls_key"}) {
            Settings settings{
                {"tls", word("required")}, {"tls_cert", file(files.clientCert)}, {"tls_key", file(files.clientKey)}};
            settings.erase(missing);
            const auto admin = driverFor("clickhouse")->admin(*secured(settings));
            QVERIFY(!admin);
            QVERIFY2(says(admin.error().text(), missing), admin.error().text().c_str());
        }
    }

    void passwordGoesToKnownServersOnly_data()
    {
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("tls");
        QTest::addColumn<QString>("refusal");
        QTest::newRow("loopback") << "127.0.0.1"
                                  << "off"
                                  << "";
        QTest::newRow("in clear") << "192.0.2.1"
                                  << "off"
                                  << "not encrypted";
        QTest::newRow("to nobody known") << "192.0.2.1"
                                         << "required"
                                         << "nobody has verified";
    }
    void passwordGoesToKnownServersOnly()
    {
        QFETCH(QString, host);
        QFETCH(QString, tls);
        QFETCH(QString, refusal);
        TargetUri uri = m_server.uri();
        uri.host = host.toStdString();
        uri.user = kClickhouseUser;
        uri.password = kClickhousePassword;
        const auto target = ClickhouseFixture::targetAt(uri, {}, {{"tls", tls.toStdString()}});
        const auto admin = driverFor("clickhouse")->admin(*target);
        QCOMPARE(admin.has_value(), refusal.isEmpty());
        if (admin)
            return;
        QCOMPARE(admin.error().kind, ErrorKind::BadInput);
        QVERIFY2(says(admin.error().text(), refusal.toStdString()), admin.error().text().c_str());
        QVERIFY(!says(admin.error().text(), kClickhousePassword));
        QVERIFY(!driverFor("clickhouse")->open(target));
    }

    void passwordStaysSecret()
    {
        TargetUri uri = m_server.uri();
        uri.user = kClickhouseUser;
        for (const char* password : {"", "not the right one"}) {
            uri.password = password;
            const auto admin = driverFor("clickhouse")->admin(*ClickhouseFixture::targetAt(uri));
            QVERIFY(!admin);
            const std::string text = admin.error().text();
            QCOMPARE(admin.error().kind, ErrorKind::Refused);
            QVERIFY2(says(text, "refuses the user or password"), text.c_str());
            QVERIFY(!*password || !says(text, password));
        }
        uri.password = "two\r\nX-ClickHouse-User: default"; // would be another header
        const auto injected = driverFor("clickhouse")->admin(*ClickhouseFixture::targetAt(uri));
        QVERIFY(!injected);
        QCOMPARE(injected.error().kind, ErrorKind::BadInput);
        uri.password = kClickhousePassword;
        QVERIFY(driverFor("clickhouse")->admin(*ClickhouseFixture::targetAt(uri)));
    }
};

} // namespace dyno::tst_clickhouse_tls

DYNO_SUITE(tst_clickhouse_tls, dyno::tst_clickhouse_tls::TestClickhouseTls)
#include "tst_clickhouse_tls.moc"
