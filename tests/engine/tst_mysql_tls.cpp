// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! TLS, compression and source addresses of the MySQL driver against a real server on TCP with certificates of its own.
#include "config.h"
#include "driver/mysql/mysql_options.h"
#include "load/executor/wait_for_reply.h"
#include "mysql_test.h"
#include "recording_sink.h"
#include "store/session/session_writer.h"
#include "support/fake_mysql.h"
#include "support/suite.h"

#include <dyno/restore.h>

#include <dlfcn.h>
#include <fmt/format.h>

namespace dyno::tst_mysql_tls {
using namespace dyno::test;

namespace {

Value text(const std::filesystem::path& path)
{
    return path.string();
}
Value word(const char* value)
{
    return std::string(value);
}

} // namespace

class TestMysqlTls : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void off();
    void requiredIsEncrypted();
    void noFunctionOfTheProcessIsReplaced_data();
    void noFunctionOfTheProcessIsReplaced();
    void requiredWithAnotherAuthorityFails();
    void aCaMeansVerify();
    void onInAUriMeansVerify();
    void uncheckedTlsOverANetworkIsNoted();
    void verifyAcceptsTheRightName();
    void verifyRefusesAnotherName();
    void verifyOnAnEventLoop();
    void verifyRefusesAnotherAuthority();
    void verifyTrustsTheSystemOnly();
    void oldestVersion();
    void oldestVersionThatTheServerLacks();
    void ciphers_data();
    void ciphers();
    void openCiphers();
    void clientCertificate();
    void theUriGivesTheOptionsToo();
    void badOptions_data();
    void badOptions();
    void compression_data();
    void compression();
    void optionsAreReadOncePerTarget();
    void namesAreResolvedOnce();
    void sourceAddressesTakeTurns();
    void aRestoreFollowsTheSameRules();

private:
    //! A target by TCP under `host`.
    ConnectTargetPtr target(const Settings& connection, const std::string& host = "localhost")
    {
        auto made = std::make_shared<ConnectTarget>(*m_server.target({}, connection));
        made->uri.host = host;
        return made;
    }
    //! Connects as the load does. "" or the error.
    static std::string tryConnect(const ConnectTargetPtr& target, SessionPtr* kept = nullptr)
    {
        auto session = driverFor("mysql")->open(target);
        if (!session)
            return session.error().text();
        const bool done = run(**session, Request::step(RequestKind::Connect)).outcome == Outcome::Ok;
        std::string error = done ? std::string() : (*session)->lastError();
        if (kept)
            *kept = std::move(*session);
        return error;
    }
    //! Facts as the control plane sees them, or the error's text.
    static Expected<ServerFacts> factsOf(const ConnectTarget& target)
    {
        auto admin = driverFor("mysql")->admin(target);
        if (!admin)
            return fail(admin.error());
        return (*admin)->facts();
    }
    Settings verified() const { return {{"tls", word("verify")}, {"tls_ca", text(m_server.certificates().ca)}}; }

    MariadbFixture m_server;
};

void TestMysqlTls::initTestCase()
{
    if (const std::string why = MariadbFixture::whyMissing(true); !why.empty())
        QSKIP(why.c_str());
    const auto started = m_server.startOnNetwork({.tls = true, .options = {"--tls-version=TLSv1.2"}});
    QVERIFY2(started, started ? "" : started.error().text().c_str());
}

void TestMysqlTls::off()
{
    const auto facts = factsOf(*target({{"tls", word("off")}}));
    QVERIFY(facts);
    QCOMPARE(facts->cipher, std::string());
    QCOMPARE(facts->transport, std::string("TCP"));
    QVERIFY(facts->roundTripMs > 0);
}

void TestMysqlTls::requiredIsEncrypted()
{
    const auto facts = factsOf(*target({{"tls", word("required")}}));
    QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
    QVERIFY(!facts->cipher.empty());
    QCOMPARE(tryConnect(target({{"tls", word("required")}})), std::string());
    // With the authority the certificate is checked, but not its name: 127.0.0.1 is not in it.
    QCOMPARE(tryConnect(target({{"tls", word("required")}, {"tls_ca", text(m_server.certificates().ca)}}, "127.0.0.1")),
             std::string());
}

void TestMysqlTls::noFunctionOfTheProcessIsReplaced_data()
{
    QTest::addColumn<QString>("library");
    QTest::newRow("getaddrinfo") << "libc.";
    QTest::newRow("SSL_CTX_set_default_verify_paths") << "libssl.";
}

//! Whoever looks up a name or loads authorities in this process, Qt too, gets the system's own functions.
void TestMysqlTls::noFunctionOfTheProcessIsReplaced()
{
    QFETCH(QString, library);
    if (DYNO_SANITIZED == 1)
        QSKIP("a sanitizer puts functions of its own before those of the system");
    void* const found = dlsym(RTLD_DEFAULT, QTest::currentDataTag());
    if (!found)
        QSKIP("no library of this process has it");
    Dl_info info{};
    QVERIFY(dladdr(found, &info) != 0);
    QVERIFY2(QByteArray(info.dli_fname).contains(library.toUtf8()), info.dli_fname);
}

void TestMysqlTls::requiredWithAnotherAuthorityFails()
{
    const auto admin = driverFor("mysql")->admin(
        *target({{"tls", word("required")}, {"tls_ca", text(m_server.certificates().otherCa)}}));
    QVERIFY(!admin);
    QCOMPARE(admin.error().kind, ErrorKind::Refused);
}

void TestMysqlTls::aCaMeansVerify()
{
    const auto facts = factsOf(*target({{"tls_ca", text(m_server.certificates().ca)}}));
    QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
    QVERIFY(!facts->cipher.empty());
    QVERIFY(!factsOf(*target({{"tls_ca", text(m_server.certificates().ca)}}, "127.0.0.1"))); // not its name
}

void TestMysqlTls::onInAUriMeansVerify()
{
    auto made = std::make_shared<ConnectTarget>(*target({}));
    made->uri.query["tls"] = "on";
    QVERIFY(!factsOf(*made)); // no authority of this system knows the certificate
    made->uri.query["tls_ca"] = m_server.certificates().ca.string();
    const auto facts = factsOf(*made);
    QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
}

void TestMysqlTls::uncheckedTlsOverANetworkIsNoted()
{
    const std::string address = "0.0.0.0"; // Linux takes it to this machine, and it is no address of loopback
    auto admin = m_server.admin();
    QVERIFY(admin);
    QVERIFY((*admin)->execute("CREATE OR REPLACE USER remote@'%' IDENTIFIED BY 'pa5s'"));
    QVERIFY((*admin)->execute("GRANT ALL ON *.* TO remote@'%'"));
    const auto as = [&](const Settings& connection, const std::string& host) {
        auto one = std::make_shared<ConnectTarget>(*target(connection, host));
        one->uri.user = "remote";
        one->uri.password = "pa5s";
        return one;
    };
    const auto unverified = [&](const Settings& connection, const std::string& host) {
        const auto facts = factsOf(*as(connection, host));
        if (!facts)
            qWarning("%s", facts.error().text().c_str());
        return facts && facts->unverified;
    };
    QVERIFY(unverified({{"tls", word("required")}}, address));
    QVERIFY(!unverified({{"tls", word("required")}}, "localhost"));
    QVERIFY(!unverified({{"tls", word("off")}}, address));
    QVERIFY(!unverified(verified(), "localhost"));
    // Nothing said: verified on another machine, and no authority of this system knows the certificate.
    const auto byDefault = factsOf(*as({}, address));
    QVERIFY(!byDefault);
    QVERIFY2(byDefault.error().text().find("tls=") != std::string::npos, byDefault.error().text().c_str());

    Plan plan;
    plan.target.uri = fmt::format("mysql://remote@{}:{}/{}", address, m_server.uri().port, m_server.database());
    plan.workload.name = "oltp_point_select";
    plan.workload.params = {{"tables", std::int64_t(1)}, {"table_size", std::int64_t(10)}};
    plan.set["connection.tls"] = std::string("required");
    plan.load.timeSeconds = plan.load.intervalSeconds = 0.5;
    plan.load.users = {1};
    RunnerOptions options;
    options.password = "pa5s";
    {
        RecordingSink refused;
        SessionRunner runner(plan, options, {&refused});
        runner.start();
        runner.wait();
        QVERIFY2(refused.session.status == RunStatus::Failed &&
                     refused.session.reason.find("have not allowed") != std::string::npos,
                 refused.session.reason.c_str());
    }
    options.consent.allow("connection.tls");
    RecordingSink sink;
    SessionRunner runner(plan, options, {&sink});
    runner.start();
    runner.wait();
    QVERIFY2(sink.session.status == RunStatus::Done, sink.session.reason.c_str());
    const auto notes = std::ranges::count_if(sink.events.at(0), [](const RunEvent& event) {
        return event.kind == EventKind::Note && event.text.find("without a check") != std::string::npos;
    });
    QCOMPARE(notes, 1);
    QCOMPARE(sink.runs.at(0).server.transport, std::string("TCP, server not verified"));

    plan.set["connection.tls"] = std::string("off");
    RecordingSink open;
    SessionRunner again(plan, options, {&open});
    again.start();
    again.wait();
    QVERIFY2(open.session.status == RunStatus::Done, open.session.reason.c_str());
    QCOMPARE(open.runs.at(0).server.transport, std::string("TCP, not encrypted"));
    QCOMPARE(std::ranges::count_if(open.events.at(0),
                                   [](const RunEvent& event) {
                                       return event.kind == EventKind::Note &&
                                              event.text.find("not encrypted over a network") != std::string::npos;
                                   }),
             1);
}

void TestMysqlTls::verifyAcceptsTheRightName()
{
    SessionPtr session;
    QCOMPARE(tryConnect(target(verified()), &session), std::string());
    COMPARE_OK(*session, sql(*session, "SELECT 1"));
    const auto facts = factsOf(*target(verified()));
    QVERIFY(facts);
    QVERIFY(!facts->cipher.empty());
}

void TestMysqlTls::verifyRefusesAnotherName()
{
    const ConnectTargetPtr byAddress = target(verified(), "127.0.0.1");
    QVERIFY(!tryConnect(byAddress).empty());
    const auto admin = driverFor("mysql")->admin(*byAddress);
    QVERIFY(!admin);
    QCOMPARE(admin.error().kind, ErrorKind::Refused);
    QVERIFY2(admin.error().remedy.find("127.0.0.1") != std::string::npos, admin.error().text().c_str());
}

//! There the library looks the name up on a small stack of its own.
void TestMysqlTls::verifyOnAnEventLoop()
{
    if (!driverFor("mysql")->info().eventLoop)
        QSKIP("event loops do not run under the sanitizers, see mysql_async_session.h");
    const auto connectTo = [this](const std::string& host) {
        auto made = std::make_shared<ConnectTarget>(*target(verified(), host));
        made->eventLoop = true;
        const auto session = driverFor("mysql")->open(made);
        if (!session)
            return session.error().text();
        if ((*session)->start(Request::step(RequestKind::Connect)) == Progress::Pending)
            finishPending(**session);
        return (*session)->reply().outcome == Outcome::Ok ? std::string() : (*session)->lastError();
    };
    QCOMPARE(connectTo("localhost"), std::string());
    QVERIFY(!connectTo("127.0.0.1").empty());
    QVERIFY(!connectTo("no-such-host.invalid").empty());
}

void TestMysqlTls::verifyRefusesAnotherAuthority()
{
    const ConnectTargetPtr wrong = target({{"tls", word("verify")}, {"tls_ca", text(m_server.certificates().otherCa)}});
    QVERIFY(!tryConnect(wrong).empty());
    const auto admin = driverFor("mysql")->admin(*wrong);
    QVERIFY(!admin);
    QVERIFY2(admin.error().remedy.find("tls_ca") != std::string::npos, admin.error().text().c_str());
}

//! Without a CA the system's authorities count, which know nothing of this server.
void TestMysqlTls::verifyTrustsTheSystemOnly()
{
    QVERIFY(!tryConnect(target({{"tls", word("verify")}})).empty());
    // A system that knows the server's authority lets it in.
    const QByteArray given = qgetenv("SSL_CERT_FILE");
    qputenv("SSL_CERT_FILE", m_server.certificates().ca.c_str());
    const std::string error = tryConnect(target({{"tls", word("verify")}}));
    given.isEmpty() ? qunsetenv("SSL_CERT_FILE") : qputenv("SSL_CERT_FILE", given);
    QCOMPARE(error, std::string());
}

void TestMysqlTls::oldestVersion()
{
    SessionPtr session;
    QCOMPARE(tryConnect(target({{"tls", word("required")}, {"tls_min_version", word("1.2")}}), &session),
             std::string());
    const Reply reply = sql(*session, "SELECT 1 FROM information_schema.session_status WHERE variable_name = "
                                      "'ssl_version' AND variable_value = 'TLSv1.2'");
    QCOMPARE(reply.rows, 1); // the server has no other
}

void TestMysqlTls::oldestVersionThatTheServerLacks()
{
    const ConnectTargetPtr newer = target({{"tls", word("required")}, {"tls_min_version", word("1.3")}});
    QVERIFY(!tryConnect(newer).empty());
    const auto admin = driverFor("mysql")->admin(*newer);
    QVERIFY(!admin);
    QCOMPARE(admin.error().kind, ErrorKind::Refused);
    QVERIFY2(admin.error().remedy.find("tls_min_version") != std::string::npos, admin.error().text().c_str());
}

void TestMysqlTls::ciphers_data()
{
    QTest::addColumn<QString>("asked");
    QTest::newRow("128") << "ECDHE-RSA-AES128-GCM-SHA256";
    QTest::newRow("256") << "ECDHE-RSA-AES256-GCM-SHA384";
}

void TestMysqlTls::ciphers()
{
    QFETCH(QString, asked);
    const auto facts = factsOf(*target({{"tls", word("required")}, {"tls_ciphers", asked.toStdString()}}));
    QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
    QCOMPARE(QString::fromStdString(facts->cipher), asked);
}

//! Encryption that is asked for is not taken back by the list of its ciphers.
void TestMysqlTls::openCiphers()
{
    for (const char* list : {"NULL-SHA256:@SECLEVEL=0", "ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0", "eNULL", "ALL:aNULL",
                             "ECDHE-RSA-AES128-GCM-SHA256,ADH-AES128-SHA", "AECDH-NULL-SHA", "kEDH+anull",
                             "COMPLEMENTOFALL", "TLS_SHA256_SHA256"}) {
        const auto admin = driverFor("mysql")->admin(*target({{"tls", word("required")}, {"tls_ciphers", word(list)}}));
        QVERIFY2(!admin, list);
        QVERIFY2(admin.error().kind == ErrorKind::BadInput && admin.error().message.find("tls_ciphers") == 0,
                 admin.error().text().c_str());
    }
    const auto facts = factsOf(
        *target({{"tls", word("required")}, {"tls_ciphers", word("ECDHE-RSA-AES128-GCM-SHA256:!aNULL:-eNULL")}}));
    QVERIFY2(facts, facts ? "" : facts.error().text().c_str());
}

void TestMysqlTls::clientCertificate()
{
    auto admin = m_server.admin();
    QVERIFY(admin);
    QVERIFY((*admin)->execute("CREATE OR REPLACE USER shown@'%' IDENTIFIED BY 'pa5s' REQUIRE X509"));
    const auto as = [this](const Settings& connection) {
        auto one = std::make_shared<ConnectTarget>(*target(connection));
        one->uri.user = "shown";
        one->uri.password = "pa5s";
        one->uri.database.clear();
        return one;
    };
    Settings connection = verified();
    const auto refused = driverFor("mysql")->admin(*as(connection));
    QVERIFY(!refused);
    QVERIFY2(refused.error().remedy.find("tls_cert") != std::string::npos, refused.error().text().c_str());
    QVERIFY(refused.error().text().find("pa5s") == std::string::npos);
    connection["tls_cert"] = text(m_server.certificates().clientCert);
    connection["tls_key"] = text(m_server.certificates().clientKey);
    QCOMPARE(tryConnect(as(connection)), std::string());
    connection["tls_key"] = text(m_server.certificates().serverKey); // another one's
    QVERIFY(!tryConnect(as(connection)).empty());
}

void TestMysqlTls::theUriGivesTheOptionsToo()
{
    const std::string uri = fmt::format("mysql://root@localhost:{}/{}?tls=verify&tls_ca={}&tls_min_version=1.2",
                                        m_server.uri().port, m_server.database(), m_server.certificates().ca.string());
    const auto parsed = parseUri(uri);
    QVERIFY2(parsed, parsed ? "" : parsed.error().text().c_str());
    auto made = std::make_shared<ConnectTarget>(*m_server.target());
    made->uri = *parsed;
    QCOMPARE(tryConnect(made), std::string());
    made = std::make_shared<ConnectTarget>(*made);
    made->uri.query["tls_ca"] = m_server.certificates().otherCa.string();
    QVERIFY(!tryConnect(made).empty());
}

void TestMysqlTls::badOptions_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::newRow("version") << "tls_min_version"
                             << "1.1";
    QTest::newRow("missing CA") << "tls_ca"
                                << "/nowhere/ca.pem";
    QTest::newRow("a folder") << "tls_ca"
                              << "/tmp";
    QTest::newRow("not PEM") << "tls_ca"
                             << "/proc/self/cmdline";
    QTest::newRow("certificate alone") << "tls_cert"
                                       << "CLIENT";
    QTest::newRow("key alone") << "tls_key"
                               << "KEY";
    QTest::newRow("compression") << "compression"
                                 << "zstd";
    QTest::newRow("protocol") << "protocol"
                              << "binary";
    QTest::newRow("direct") << "direct"
                            << "on";
    QTest::newRow("sources") << "source_addresses"
                             << "127.0.0.2, here";
}

void TestMysqlTls::badOptions()
{
    QFETCH(QString, name);
    QFETCH(QString, value);
    if (value == "CLIENT")
        value = QString::fromStdString(m_server.certificates().clientCert.string());
    if (value == "KEY")
        value = QString::fromStdString(m_server.certificates().clientKey.string());
    auto made = std::make_shared<ConnectTarget>(*target({{"tls", word("required")}}));
    made->connection[name.toStdString()] = value.toStdString();
    const auto session = driverFor("mysql")->open(made);
    QVERIFY(!session);
    QCOMPARE(session.error().kind, ErrorKind::BadInput);
    QVERIFY2(session.error().message.find(name.toStdString()) != std::string::npos, session.error().text().c_str());
    QVERIFY(!session.error().remedy.empty());
}

void TestMysqlTls::compression_data()
{
    QTest::addColumn<QString>("value");
    QTest::addColumn<bool>("on");
    QTest::newRow("off") << "off" << false;
    QTest::newRow("on") << "on" << true;
    QTest::newRow("zlib") << "zlib" << true;
}

void TestMysqlTls::compression()
{
    QFETCH(QString, value);
    QFETCH(bool, on);
    for (const char* tls : {"off", "required"}) {
        SessionPtr session;
        QCOMPARE(tryConnect(target({{"tls", word(tls)}, {"compression", value.toStdString()}}), &session),
                 std::string());
        const Reply reply = sql(*session, fmt::format("SELECT 1 FROM information_schema.session_status WHERE "
                                                      "variable_name = 'compression' AND variable_value = '{}'",
                                                      on ? "ON" : "OFF"));
        QCOMPARE(reply.rows, 1);
    }
}

void TestMysqlTls::optionsAreReadOncePerTarget()
{
    const ConnectTargetPtr one = target(verified());
    const auto first = mysql::sharedOptions(one);
    const auto second = mysql::sharedOptions(one);
    QVERIFY(first && second);
    QCOMPARE(first->get(), second->get());
    const auto other = mysql::sharedOptions(target(verified()));
    QVERIFY(other);
    QVERIFY(other->get() != first->get());
}

void TestMysqlTls::namesAreResolvedOnce()
{
    // Two addresses are known for localhost, but this server listens on one of them.
    const auto plain = mysql::sharedOptions(target({{"tls", word("required")}}));
    QVERIFY(plain);
    QCOMPARE((*plain)->host, std::string("127.0.0.1"));
    const auto checked = mysql::sharedOptions(target(verified()));
    QVERIFY(checked);
    QCOMPARE((*checked)->host, std::string("localhost"));
    const auto unknown = driverFor("mysql")->open(target({{"tls", word("off")}}, "no-such-host.invalid"));
    QVERIFY(unknown); // connecting says so
    QCOMPARE(run(**unknown, Request::step(RequestKind::Connect)).outcome, Outcome::Disconnected);
}

void TestMysqlTls::sourceAddressesTakeTurns()
{
    const ConnectTargetPtr from = target({{"source_addresses", word("127.0.0.2, 127.0.0.3")}}, "127.0.0.1");
    auto admin = m_server.admin();
    QVERIFY(admin);
    QVERIFY((*admin)->execute("CREATE OR REPLACE USER root@'127.0.0.%'"));
    QVERIFY((*admin)->execute("GRANT ALL ON *.* TO root@'127.0.0.%'"));
    std::vector<SessionPtr> sessions(4);
    for (SessionPtr& session : sessions)
        QCOMPARE(tryConnect(from, &session), std::string());
    const auto rows = (*admin)->query("SELECT SUBSTRING_INDEX(host, ':', 1), COUNT(*) FROM "
                                      "information_schema.processlist WHERE host LIKE '127.0.0.2:%' OR host LIKE "
                                      "'127.0.0.3:%' GROUP BY 1 ORDER BY 1");
    QVERIFY(rows);
    QCOMPARE(*rows, TextRows({{"127.0.0.2", "2"}, {"127.0.0.3", "2"}}));
}

//! Settings that are put back go over the same kind of connection as a run, and the password to the same account.
void TestMysqlTls::aRestoreFollowsTheSameRules()
{
    QTemporaryDir dir;
    qputenv("XDG_DATA_HOME", dir.path().toUtf8());
    auto admin = m_server.admin();
    QVERIFY(admin);
    QVERIFY((*admin)->execute("CREATE OR REPLACE USER remote@'%' IDENTIFIED BY 'pa5s'"));
    QVERIFY((*admin)->execute("GRANT ALL ON *.* TO remote@'%'"));
    int libraries = 0;
    // Of a session that set io_capacity to 300 on this target and was killed.
    const auto restored = [&](const std::string& target) {
        const std::filesystem::path library = dir.filePath(QString("%1.dynolib").arg(++libraries)).toStdString();
        {
            auto writer = SessionWriter::open(library);
            SessionHeader header;
            header.id = "00000000-0000-4000-8000-000000000001";
            header.plan.target.uri = target;
            if (!writer)
                return RestoredKnob();
            (*writer)->onSessionStarted(header);
            if (!(*writer)->recordKnobChange(target, "innodb_io_capacity", "200", "300"))
                return RestoredKnob();
        }
        if (!(*admin)->execute("SET GLOBAL innodb_io_capacity=300"))
            return RestoredKnob();
        const auto results = restoreLeftChanges(library, target, "pa5s");
        return results && results->size() == 1 ? results->front() : RestoredKnob();
    };
    const auto value = [&] { return (*admin)->variable("innodb_io_capacity").value_or("?"); };
    const auto at = [&](const char* host, const std::string& query) {
        return fmt::format("mysql://remote@{}:{}/{}", host, m_server.uri().port, query);
    };
    const RestoredKnob verified =
        restored(at("localhost", "?tls=verify&tls_ca=" + m_server.certificates().ca.string()));
    QVERIFY2(verified.outcome == RestoreOutcome::Restored, verified.text.c_str());
    QCOMPARE(value(), std::string("200"));
    // 0.0.0.0 leads here, and is no address of loopback: verified unless something else is said, and no authority knows
    // it.
    for (const std::string& target :
         {at("0.0.0.0", ""), at("localhost", "?tls=verify&tls_ca=" + m_server.certificates().otherCa.string()),
          at("0.0.0.0", "?tls=verify&tls_ca=" + m_server.certificates().ca.string())}) {
        const RestoredKnob refused = restored(target);
        QVERIFY2(refused.outcome == RestoreOutcome::Failed && refused.text.find("TLS") != std::string::npos,
                 refused.text.c_str());
        QCOMPARE(value(), std::string("300"));
    }
    FakeMysql impostor({"mysql_clear_password", {}, {}}, "0.0.0.0");
    QVERIFY(impostor.listens());
    QCOMPARE(restored(impostor.uri("remote")).outcome, RestoreOutcome::Failed);
    QCOMPARE(impostor.received(), std::string());
    FakeMysql near({"mysql_native_password", "mysql_clear_password", {}});
    QCOMPARE(restored(near.uri("remote")).outcome, RestoreOutcome::Failed);
    QVERIFY(near.received().find("pa5s") == std::string::npos);
    QVERIFY((*admin)->execute("SET GLOBAL innodb_io_capacity=200"));
}

} // namespace dyno::tst_mysql_tls

DYNO_SUITE(tst_mysql_tls, dyno::tst_mysql_tls::TestMysqlTls)
#include "tst_mysql_tls.moc"
