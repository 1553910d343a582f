// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions of the MongoDB driver while a real server dies and comes back, and while the connection to it is cut,
// delayed, truncated, corrupted and frozen.
#include "base/clock.h"
#include "mongo_servers.h"
#include "mongodb_test.h"
#include "support/fault_proxy.h"
#include "support/suite.h"

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <future>
#include <thread>

namespace dyno::tst_mongodb_faults {
using namespace dyno::test;

namespace {

using Direction = FaultProxy::Direction;
using End = FaultProxy::End;

constexpr std::int64_t kRows = 200;

StatementSet statements()
{
    StatementSpec find;
    find.text = R"({"find": "t", "filter": {"_id": {"$gt": "?"}}})";
    find.parameters = {Param::Type::Integer};
    find.returnsRows = true;
    StatementSpec slowly = find;
    slowly.text = R"({"find": "t", "filter": {"_id": {"$gt": "?"}}, "batchSize": 2})";
    return {find, slowly};
}

Reply select(Session& session, unsigned statement = 0)
{
    const std::array params = {Param::of(std::int64_t(0))};
    return execute(session, statement, params);
}

} // namespace

class TstMongodbFaults : public QObject
{
    Q_OBJECT

    ConnectTargetPtr throughProxy() const
    {
        auto target = std::make_shared<ConnectTarget>(*server().target(statements()));
        target->uri.port = m_proxy.port();
        return target;
    }
    //! The session connects again, as an executor does until it succeeds, and works as if nothing had been. libmongoc
    //! looks at a server twice a second at most.
    void verifyRecovers(Session& session)
    {
        Reply connected;
        for (int tries = 0; tries < 100; ++tries) {
            connected = run(session, Request::step(RequestKind::Connect));
            if (connected.outcome == Outcome::Ok)
                break;
            QVERIFY2(connected.outcome == Outcome::Disconnected, session.lastError().c_str());
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        QVERIFY2(connected.outcome == Outcome::Ok, session.lastError().c_str());
        const Reply reply = select(session);
        QVERIFY2(reply.outcome == Outcome::Ok, session.lastError().c_str());
        QCOMPARE(reply.rows, kRows);
    }

    [[nodiscard]] MongoFixture& server() const { return *m_servers.server(); }

    MongoServers m_servers;
    FaultProxy m_proxy;

private slots:
    void initTestCase_data() { MongoServers::addRows(true); }
    void initTestCase()
    {
        if (const std::string why = MongoFixture::whyMissing(true); !why.empty())
            QSKIP(why.c_str());
    }
    void init()
    {
        DYNO_TAKE_MONGO(m_servers, {.tls = true});
        if (m_servers.fresh()) {
            std::string command = R"({"insert": "t", "documents": [)";
            for (std::int64_t id = 1; id <= kRows; ++id)
                command += fmt::format(R"({}{{"_id": {}, "c": "{}"}})", id == 1 ? "" : ", ", id, std::string(50, 'x'));
            // in the journal, for the server is killed
            VERIFY_OK(m_servers.admin()->execute(command + R"(], "writeConcern": {"w": 1, "j": true}})"));
        }
        VERIFY_OK(m_proxy.start({.port = server().port()}));
    }
    void cleanup() { m_proxy.stop(); }

    void serverKilledAndRestarted()
    {
        const auto target = server().target(statements());
        const SessionPtr first = connectedSession(target);
        const SessionPtr second = connectedSession(target);
        QCOMPARE(select(*first).rows, kRows);
        server().kill();
        for (Session* session : {first.get(), second.get()}) {
            QVERIFY(select(*session).outcome == Outcome::Disconnected);
            QVERIFY(!session->lastError().empty());
            QVERIFY(run(*session, Request::step(RequestKind::Connect)).outcome == Outcome::Disconnected);
            QVERIFY(session->reply().code != 0);
        }
        VERIFY_OK(server().restart());
        verifyRecovers(*first);
        verifyRecovers(*second);
    }

    void cutWhileIdle()
    {
        const auto target = throughProxy();
        const SessionPtr session = connectedSession(target);
        for (const End how : {End::Fin, End::Reset}) {
            QVERIFY(m_proxy.cut(how) >= 1);
            QVERIFY(select(*session).outcome == Outcome::Disconnected);
            QVERIFY(select(*session).outcome == Outcome::Disconnected); // until it connects again
            verifyRecovers(*session);
        }
    }

    void truncatedAnswers()
    {
        const SessionPtr session = connectedSession(throughProxy());
        QCOMPARE(select(*session).rows, kRows);
        for (const int bytes : {0, 3, 16, 40, 5000}) {
            // The threads that watch the server carry data too: the fault may be theirs.
            bool hit = false;
            for (int tries = 0; tries < 5 && !hit; ++tries) {
                m_proxy.cutAfter(Direction::ToClient, std::uint64_t(bytes));
                const Reply reply = select(*session);
                hit = reply.outcome == Outcome::Disconnected;
                QVERIFY2(hit || reply.outcome == Outcome::Ok, session->lastError().c_str());
                verifyRecovers(*session);
            }
            QVERIFY2(hit, qPrintable(QString("after %1 bytes").arg(bytes)));
        }
    }

    void corruptedAnswers()
    {
        const SessionPtr session = connectedSession(throughProxy());
        QCOMPARE(select(*session).rows, kRows);
        // Length, answered request, kind, and the document's own length: none may be taken for an answer. What stands
        // inside values has no check in this protocol.
        for (const std::uint64_t offset : {0U, 2U, 3U, 12U, 20U, 21U, 23U}) {
            bool spoiled = false;
            for (int tries = 0; tries < 5 && !spoiled; ++tries) {
                const std::uint64_t before = m_proxy.facts().corrupted;
                m_proxy.corrupt(Direction::ToClient, offset, 1, 0xA5);
                auto pending = std::async(std::launch::async, [&] { return select(*session); });
                // On a busy machine the answer is late, and the order would wait for the next connection.
                const bool done =
                    m_proxy.waitFor([before](const FaultProxy::Facts& facts) { return facts.corrupted > before; });
                // A length that became larger makes the client wait for bytes that nobody sends.
                if (pending.wait_for(std::chrono::milliseconds(300)) != std::future_status::ready)
                    session->abort();
                const Reply got = pending.get();
                QVERIFY(done);
                spoiled = got.outcome != Outcome::Ok;
                QVERIFY(!spoiled || (got.code != 0 && !session->lastError().empty()));
                if (!spoiled)
                    QCOMPARE(got.rows, kRows);
                verifyRecovers(*session);
                if (QTest::currentTestFailed())
                    return;
            }
            QVERIFY2(spoiled, qPrintable(QString("byte %1").arg(offset)));
        }
    }

    void delayed()
    {
        constexpr std::int64_t kDelay = 60'000'000;
        const SessionPtr session = connectedSession(throughProxy());
        m_proxy.setDelay(Direction::ToServer, kDelay);
        m_proxy.setDelay(Direction::ToClient, kDelay);
        const std::int64_t start = nowNs();
        COMPARE_OK(*session, select(*session));
        QVERIFY(nowNs() - start >= 2 * kDelay);
    }

    //! A request and a connect under way end when somebody else says so.
    void frozenUntilAborted()
    {
        for (const bool connecting : {false, true}) {
            const auto target = throughProxy();
            const SessionPtr session = connecting ? openMongoSession(target) : connectedSession(target);
            m_proxy.freeze();
            auto pending = std::async(std::launch::async, [&] {
                return connecting ? run(*session, Request::step(RequestKind::Connect)) : select(*session);
            });
            QVERIFY(pending.wait_for(std::chrono::milliseconds(250)) == std::future_status::timeout);
            session->abort();
            QVERIFY(pending.wait_for(std::chrono::seconds(8)) == std::future_status::ready);
            QVERIFY(pending.get().outcome == Outcome::Disconnected);
            QVERIFY(!session->lastError().empty());
            m_proxy.thaw();
            verifyRecovers(*session);
        }
    }

    void answersThatTakeTooLong()
    {
        auto target = std::make_shared<ConnectTarget>(*throughProxy());
        target->connection.insert_or_assign("socket_timeout", 0.3);
        const SessionPtr session = connectedSession(target);
        m_proxy.freeze();
        QVERIFY(select(*session).outcome == Outcome::Disconnected); // the answer may still come: nothing can follow it
        m_proxy.thaw();
        verifyRecovers(*session);
    }

    void refusedThenBack()
    {
        const SessionPtr session = connectedSession(throughProxy());
        VERIFY_OK(m_proxy.setRefusing(true));
        QVERIFY(m_proxy.cut(End::Fin) >= 1);
        QVERIFY(select(*session).outcome == Outcome::Disconnected);
        QVERIFY(run(*session, Request::step(RequestKind::Connect)).outcome == Outcome::Disconnected);
        VERIFY_OK(m_proxy.setRefusing(false));
        verifyRecovers(*session);
    }

    //! The server forgets a cursor between two batches: it is restarted, and the connection comes back within.
    void cursorLost()
    {
        const SessionPtr session = connectedSession(server().target(statements()));
        const Reply reply = json(*session, R"({"getMore": {"$numberLong": "123456789"}, "collection": "t"})");
        QVERIFY2(reply.outcome == Outcome::Retryable, session->lastError().c_str());
        QCOMPARE(reply.code, 43);
        COMPARE_OK(*session, select(*session, 1)); // a hundred batches
        QCOMPARE(session->reply().rows, kRows);
    }

    void tls_data()
    {
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("tls");
        QTest::addColumn<int>("authority"); // 0 none, 1 right, 2 wrong
        QTest::addColumn<bool>("works");
        QTest::newRow("encrypted") << "127.0.0.1"
                                   << "required" << 0 << true;
        QTest::newRow("checked") << "localhost"
                                 << "verify" << 1 << true;
        QTest::newRow("other authority") << "localhost"
                                         << "verify" << 2 << false;
        QTest::newRow("other authority, name ignored") << "localhost"
                                                       << "required" << 2 << false;
        QTest::newRow("other name") << "127.0.0.1"
                                    << "verify" << 1 << false;
        QTest::newRow("other name ignored") << "127.0.0.1"
                                            << "required" << 1 << true;
        QTest::newRow("no TLS to a TLS port") << "127.0.0.1"
                                              << "off" << 0 << false;
    }
    void tls()
    {
        QFETCH(QString, host);
        QFETCH(QString, tls);
        QFETCH(int, authority);
        QFETCH(bool, works);
        works = works || (server().mongod() && tls == QStringLiteral("off")); // one port takes both
        TargetUri uri = server().uri();
        uri.host = host.toStdString();
        uri.port = server().tlsPort();
        Settings settings{{"tls", tls.toStdString()}, {"server_selection_timeout", 3.0}, {"connect_timeout", 3.0}};
        const TestCertificates& certificates = server().certificates();
        if (authority != 0)
            settings.emplace("tls_ca", (authority == 1 ? certificates.ca : certificates.otherCa).string());
        const auto target = mongoTarget(uri, statements(), settings);
        const auto admin = driverFor("mongodb")->admin(*target);
        QVERIFY2(admin.has_value() == works, admin ? "connected" : admin.error().text().c_str());
        const SessionPtr session = openMongoSession(target);
        const Reply reply = run(*session, Request::step(RequestKind::Connect));
        QVERIFY2((reply.outcome == Outcome::Ok) == works, session->lastError().c_str());
        if (works) {
            QCOMPARE((*admin)->facts()->cipher, std::string(tls == QStringLiteral("off") ? "" : "TLS"));
            QCOMPARE(select(*session).rows, kRows);
        } else {
            QVERIFY(!admin.error().remedy.empty());
            QVERIFY(reply.outcome == Outcome::Disconnected);
            QVERIFY(!session->lastError().empty());
        }
    }

    void clientCertificate()
    {
        MongoFixture strict;
        VERIFY_OK(strict.startOwn({.product = server().mongod() ? MongoProduct::Mongod : MongoProduct::Ferretdb,
                                   .tls = true,
                                   .clientCertificates = true}));
        const TestCertificates& certificates = strict.certificates();
        const std::filesystem::path both = certificates.ca.parent_path() / "both.pem";
        std::ofstream(both) << std::ifstream(certificates.clientCert).rdbuf()
                            << std::ifstream(certificates.clientKey).rdbuf();
        TargetUri uri = strict.uri();
        uri.host = "localhost";
        uri.port = strict.tlsPort();
        Settings settings{
            {"tls", std::string("verify")}, {"tls_ca", certificates.ca.string()}, {"server_selection_timeout", 3.0}};
        const SessionPtr without = openMongoSession(mongoTarget(uri, {}, settings));
        QVERIFY(run(*without, Request::step(RequestKind::Connect)).outcome == Outcome::Disconnected);
        settings.emplace("tls_cert_key", both.string());
        const SessionPtr with = openMongoSession(mongoTarget(uri, {}, settings));
        COMPARE_OK(*with, run(*with, Request::step(RequestKind::Connect)));
        COMPARE_OK(*with, json(*with, R"({"ping": 1})"));
    }

    //! The server has no users: whoever comes with a password is refused, and the password is nowhere in the text.
    void wrongPassword()
    {
        TargetUri uri = server().uri();
        uri.user = "ann";
        uri.password = "s3cret-Pa55";
        const auto target = mongoTarget(
            uri, statements(), {{"auth_mechanism", std::string(server().mongod() ? "SCRAM-SHA-1" : "SCRAM-SHA-256")}});
        const auto admin = driverFor("mongodb")->admin(*target);
        QVERIFY(!admin);
        QCOMPARE(admin.error().kind, ErrorKind::Refused);
        QVERIFY2(admin.error().remedy.find("password") != std::string::npos, admin.error().text().c_str());
        QVERIFY2(admin.error().message.find("the server answers, but refuses the user or password") == 0,
                 admin.error().text().c_str());
        QVERIFY2(admin.error().text().find("s3cret") == std::string::npos, admin.error().text().c_str());
        const SessionPtr session = openMongoSession(target);
        const Reply reply = run(*session, Request::step(RequestKind::Connect));
        QVERIFY2(reply.outcome == Outcome::Rejected, session->lastError().c_str());
        QVERIFY(reply.code != 0);
        QVERIFY2(session->lastError().find("s3cret") == std::string::npos, session->lastError().c_str());
        QVERIFY(!session->lastError().empty());
    }
};

} // namespace dyno::tst_mongodb_faults

DYNO_SUITE(tst_mongodb_faults, dyno::tst_mongodb_faults::TstMongodbFaults)
#include "tst_mongodb_faults.moc"
