// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! TLS of the PostgreSQL driver, and to whom it gives a password, against a real server on TCP with certificates of its
//! own.
#include "postgresql_test.h"
#include "support/patience.h"
#include "support/suite.h"

#include <QFile>
#include <QTemporaryDir>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace dyno::tst_postgresql_tls {
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

class TestPostgresqlTls : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void off();
    void requiredIsEncrypted();
    void aCaMeansVerify();
    void verifyAcceptsTheRightName();
    void verifyRefusesAnotherName();
    void errorsAreKnownInEveryLanguage();
    void nothingIsPrinted();
    void verifyRefusesAnotherAuthority();
    void verifyTrustsTheSystemOnly();
    void filesOfTheHomeFolderDecideNothing();
    void oldestVersion();
    void oldestVersionThatTheServerLacks();
    void clientCertificate();
    void keyThatOthersMayRead();
    void certificateForASocket();
    void badFiles_data();
    void badFiles();
    void passwordGoesToKnownServersOnly_data();
    void passwordGoesToKnownServersOnly();
    void serverWithoutTls();

private:
    ConnectTargetPtr target(const Settings& connection, const std::string& host = "localhost", bool loop = false)
    {
        TargetUri uri = m_server.networkUri();
        uri.host = host;
        auto made = std::make_shared<ConnectTarget>(*PostgresqlFixture::targetAt(uri, {}, connection));
        made->eventLoop = loop;
        return made;
    }
    //! What the server sees of a connection of both kinds of session: the words of `query`, or the error.
    static std::string answer(const ConnectTargetPtr& target, const std::string& query)
    {
        std::string both;
        for (const bool loop : {false, true}) {
            auto copy = std::make_shared<ConnectTarget>(*target);
            copy->eventLoop = loop;
            StatementSpec spec = statement(query, {}, true);
            spec.keep = Keep::All;
            copy->statements = {spec};
            auto session = driverFor("postgresql")->open(copy);
            if (!session)
                return session.error().text();
            std::string one;
            if (finishRequest(**session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok ||
                finishRequest(**session, Request::execute(StatementId{0}, {})).outcome != Outcome::Ok)
                one = (*session)->lastError();
            else
                one = (*session)->kept().at(0, 0).text;
            if (loop && one != both)
                return "the two kinds of session differ: " + both + " / " + one;
            both = one;
        }
        return both;
    }
    //! "t" when the connection is encrypted.
    static std::string encrypted(const ConnectTargetPtr& target)
    {
        return answer(target, "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    }
    Settings verified() const { return {{"tls", word("verify")}, {"tls_ca", file(m_server.certificates().ca)}}; }
    static bool refused(const ConnectTargetPtr& target, std::string_view words)
    {
        const auto admin = driverFor("postgresql")->admin(*target);
        if (admin)
            qWarning("it connects");
        else if (admin.error().text().find(words) == std::string::npos)
            qWarning("%s", admin.error().text().c_str());
        return !admin && admin.error().kind != ErrorKind::Unreachable &&
               admin.error().text().find(words) != std::string::npos &&
               admin.error().text().find(kPostgresqlPassword) == std::string::npos && encrypted(target) != "true" &&
               encrypted(target) != "false";
    }

    PostgresqlFixture m_server;
    std::unique_ptr<Admin> m_admin;
};

void TestPostgresqlTls::initTestCase()
{
    DYNO_START_POSTGRESQL(m_server, {.tls = true,
                                     .settings = {"ssl_max_protocol_version='TLSv1.2'"},
                                     .access = {"host all clear 127.0.0.1/32 password", "host all old 127.0.0.1/32 md5",
                                                "host all free 127.0.0.1/32 trust",
                                                "hostssl all certified 127.0.0.1/32 scram-sha-256 "
                                                "clientcert=verify-ca"}});
    auto admin = m_server.admin();
    QVERIFY(admin);
    m_admin = std::move(*admin);
    for (const char* user : {"clear", "free", "certified"})
        QVERIFY(m_admin->execute(std::string("CREATE ROLE ") + user + " LOGIN PASSWORD '" + kPostgresqlPassword + "'"));
    QVERIFY(m_admin->execute(std::string("SET password_encryption = 'md5'; CREATE ROLE old LOGIN PASSWORD '") +
                             kPostgresqlPassword + "'"));
}

void TestPostgresqlTls::off()
{
    QCOMPARE(encrypted(target({{"tls", word("off")}})), std::string("false"));
    QCOMPARE(encrypted(target({}, "127.0.0.1")), std::string("false"));
}

void TestPostgresqlTls::requiredIsEncrypted()
{
    QCOMPARE(encrypted(target({{"tls", word("required")}})), std::string("true"));
    // With the authority the certificate is checked, but not its name: 127.0.0.1 is not in it.
    QCOMPARE(encrypted(target({{"tls", word("required")}, {"tls_ca", file(m_server.certificates().ca)}}, "127.0.0.1")),
             std::string("true"));
    QVERIFY(refused(target({{"tls", word("required")}, {"tls_ca", file(m_server.certificates().otherCa)}}), "tls_ca"));
}

void TestPostgresqlTls::aCaMeansVerify()
{
    QCOMPARE(encrypted(target({{"tls_ca", file(m_server.certificates().ca)}})), std::string("true"));
    QVERIFY(refused(target({{"tls_ca", file(m_server.certificates().ca)}}, "127.0.0.1"), "name"));
}

void TestPostgresqlTls::verifyAcceptsTheRightName()
{
    QCOMPARE(encrypted(target(verified())), std::string("true"));
}

void TestPostgresqlTls::verifyRefusesAnotherName()
{
    QVERIFY(refused(target(verified(), "127.0.0.1"), "use the name that the server's certificate holds"));
}

//! As in a window in German: the library translates its errors where it has a translation.
void TestPostgresqlTls::errorsAreKnownInEveryLanguage()
{
    const std::string before = std::setlocale(LC_ALL, nullptr);
    qputenv("LANGUAGE", "de");
    std::setlocale(LC_ALL, "C.UTF-8"); // where it is unknown, there are no translations either
    const bool known = refused(target(verified(), "127.0.0.1"), "use the name that the server's certificate holds");
    qunsetenv("LANGUAGE");
    std::setlocale(LC_ALL, before.c_str());
    QVERIFY(known);
}

//! The library warns on standard error of files that it does not like.
void TestPostgresqlTls::nothingIsPrinted()
{
    QTemporaryDir folder;
    const QByteArray file = folder.filePath("printed").toLocal8Bit();
    std::fflush(stderr);
    const int kept = ::dup(STDERR_FILENO);
    const int printed = ::open(file.constData(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    QVERIFY(kept >= 0 && printed >= 0 && ::dup2(printed, STDERR_FILENO) >= 0);
    TargetUri uri = m_server.networkUri();
    uri.password.clear();
    const bool refusedWithout = !driverFor("postgresql")->admin(*PostgresqlFixture::targetAt(uri));
    const bool encryptedWith = encrypted(target({{"tls", word("required")}})) == "true";
    std::fflush(stderr);
    ::dup2(kept, STDERR_FILENO);
    ::close(kept);
    ::close(printed);
    QFile text(QString::fromLocal8Bit(file));
    QVERIFY(text.open(QIODevice::ReadOnly));
    QCOMPARE(text.readAll(), QByteArray());
    QVERIFY(refusedWithout && encryptedWith);
}

void TestPostgresqlTls::verifyRefusesAnotherAuthority()
{
    QVERIFY(refused(target({{"tls", word("verify")}, {"tls_ca", file(m_server.certificates().otherCa)}}),
                    "name the PEM file of the authority"));
}

void TestPostgresqlTls::verifyTrustsTheSystemOnly()
{
    const ConnectTargetPtr unknown = target({{"tls", word("verify")}});
    const auto session = driverFor("postgresql")->open(unknown);
    if (!session)
        QSKIP(session.error().text().c_str()); // a system without a list of authorities
    QVERIFY(refused(unknown, "name the PEM file of the authority"));
    ::setenv("SSL_CERT_FILE", m_server.certificates().ca.c_str(), 1);
    const std::string there = encrypted(target({{"tls", word("verify")}}));
    ::unsetenv("SSL_CERT_FILE");
    QCOMPARE(there, std::string("true"));
}

//! libpq would verify with a root.crt there, and show a postgresql.crt to whoever asks.
void TestPostgresqlTls::filesOfTheHomeFolderDecideNothing()
{
    QTemporaryDir home;
    QVERIFY(home.isValid());
    const std::filesystem::path folder = home.path().toStdString();
    std::filesystem::create_directory(folder / ".postgresql");
    std::filesystem::copy_file(m_server.certificates().otherCa, folder / ".postgresql" / "root.crt");
    std::filesystem::copy_file(m_server.certificates().clientCert, folder / ".postgresql" / "postgresql.crt");
    std::filesystem::copy_file(m_server.certificates().clientKey, folder / ".postgresql" / "postgresql.key");
    const QByteArray before = qgetenv("HOME");
    qputenv("HOME", home.path().toLocal8Bit());
    const std::string there = answer(target({{"tls", word("required")}}),
                                     "SELECT ssl::text || coalesce(client_dn, '') FROM pg_stat_ssl WHERE pid = "
                                     "pg_backend_pid()");
    qputenv("HOME", before);
    QCOMPARE(there, std::string("true"));
}

void TestPostgresqlTls::oldestVersion()
{
    Settings settings = verified();
    settings["tls_min_version"] = word("1.2");
    QCOMPARE(answer(target(settings), "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"),
             std::string("TLSv1.2"));
}

void TestPostgresqlTls::oldestVersionThatTheServerLacks()
{
    Settings settings = verified();
    settings["tls_min_version"] = word("1.3");
    QVERIFY(refused(target(settings), "tls_min_version"));
}

void TestPostgresqlTls::clientCertificate()
{
    const auto as = [this](const Settings& settings) {
        auto made = std::make_shared<ConnectTarget>(*target(settings));
        made->uri.user = "certified";
        return made;
    };
    QVERIFY(encrypted(as(verified())) != "true");
    Settings settings = verified();
    settings["tls_cert"] = file(m_server.certificates().clientCert);
    settings["tls_key"] = file(m_server.certificates().clientKey);
    std::filesystem::permissions(m_server.certificates().clientKey,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    QCOMPARE(encrypted(as(settings)), std::string("true"));
}

void TestPostgresqlTls::keyThatOthersMayRead()
{
    Settings settings = verified();
    settings["tls_cert"] = file(m_server.certificates().clientCert);
    settings["tls_key"] = file(m_server.certificates().clientKey);
    std::filesystem::permissions(m_server.certificates().clientKey, std::filesystem::perms::all);
    const auto session = driverFor("postgresql")->open(target(settings));
    std::filesystem::permissions(m_server.certificates().clientKey,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    QVERIFY(!session);
    QVERIFY2(session.error().remedy.find("chmod 600") != std::string::npos, session.error().text().c_str());
}

void TestPostgresqlTls::badFiles_data()
{
    QTest::addColumn<QString>("knob");
    QTest::addColumn<QString>("path");
    QTest::newRow("no such file") << "tls_ca"
                                  << "/there/is/none.pem";
    QTest::newRow("no PEM") << "tls_ca"
                            << "/dev/null";
    QTest::newRow("certificate without key") << "tls_cert"
                                             << "";
    QTest::newRow("key without certificate") << "tls_key"
                                             << "";
}

void TestPostgresqlTls::badFiles()
{
    QFETCH(QString, knob);
    QFETCH(QString, path);
    Settings settings = verified();
    const std::filesystem::path given = !path.isEmpty()      ? std::filesystem::path(path.toStdString())
                                        : knob == "tls_cert" ? m_server.certificates().clientCert
                                                             : m_server.certificates().clientKey;
    settings[knob.toStdString()] = file(given);
    const auto session = driverFor("postgresql")->open(target(settings));
    QVERIFY(!session);
    QCOMPARE(session.error().kind, ErrorKind::BadInput);
    QVERIFY2(session.error().text().find(knob.toStdString()) != std::string::npos, session.error().text().c_str());
}

//! The remedy leads to no other error.
void TestPostgresqlTls::certificateForASocket()
{
    const auto session = driverFor("postgresql")
                             ->open(m_server.target({}, {{"tls_cert", file(m_server.certificates().clientCert)},
                                                         {"tls_key", file(m_server.certificates().clientKey)}}));
    QVERIFY(!session);
    QCOMPARE(session.error().kind, ErrorKind::BadInput);
    QVERIFY2(session.error().remedy.find("remove tls_cert and tls_key") != std::string::npos,
             session.error().text().c_str());
}

void TestPostgresqlTls::passwordGoesToKnownServersOnly_data()
{
    QTest::addColumn<QString>("user");
    QTest::addColumn<QString>("tls");
    QTest::addColumn<bool>("goes");
    QTest::newRow("SCRAM, not known") << "postgres"
                                      << "required" << true;
    QTest::newRow("SCRAM, known") << "postgres"
                                  << "verify" << true;
    // Whoever stands between would have the password, or what can be tried against it.
    QTest::newRow("in clear, not known") << "clear"
                                         << "required" << false;
    QTest::newRow("md5, not known") << "old"
                                    << "required" << false;
    // One that asks for nothing has not shown that it knows the password either.
    QTest::newRow("nothing asked, not known") << "free"
                                              << "required" << false;
    QTest::newRow("in clear, known") << "clear"
                                     << "verify" << true;
    QTest::newRow("md5, known") << "old"
                                << "verify" << true;
}

void TestPostgresqlTls::passwordGoesToKnownServersOnly()
{
    QFETCH(QString, user);
    QFETCH(QString, tls);
    QFETCH(bool, goes);
    Settings settings = {{"tls", tls.toStdString()}};
    if (tls == "verify")
        settings["tls_ca"] = file(m_server.certificates().ca);
    auto made = std::make_shared<ConnectTarget>(*target(settings));
    made->uri.user = user.toStdString();
    if (goes)
        QCOMPARE(encrypted(made), std::string("true"));
    else
        QVERIFY(refused(made, "no password was sent"));
}

void TestPostgresqlTls::serverWithoutTls()
{
    QVERIFY(m_admin->execute("ALTER SYSTEM SET ssl = off"));
    QVERIFY(m_admin->execute("SELECT pg_reload_conf()"));
    const auto isOff = [this] { return encrypted(target({{"tls", word("required")}})) != "true"; };
    const bool done = QTest::qWaitFor(isOff, kPatienceMs);
    const bool required = refused(target({{"tls", word("required")}}), "TLS");
    const bool verify = refused(target(verified()), "set up TLS on the server");
    QVERIFY(m_admin->execute("ALTER SYSTEM RESET ssl"));
    QVERIFY(m_admin->execute("SELECT pg_reload_conf()"));
    QVERIFY(done && required && verify);
    QVERIFY(QTest::qWaitFor([&] { return !isOff(); }, kPatienceMs));
}

} // namespace dyno::tst_postgresql_tls

DYNO_SUITE(tst_postgresql_tls, dyno::tst_postgresql_tls::TestPostgresqlTls)
#include "tst_postgresql_tls.moc"
