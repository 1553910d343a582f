// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions of the MySQL driver, blocking and on an event loop, while the connection to a real server is cut, delayed,
// truncated, corrupted and frozen.
#include "base/clock.h"
#include "load/executor/wait_for_reply.h"
#include "mysql_test.h"
#include "support/fault_proxy.h"
#include "support/suite.h"

#include <array>
#include <atomic>
#include <future>

namespace dyno::tst_mysql_faults {
using namespace dyno::test;

namespace {

using Direction = FaultProxy::Direction;
using End = FaultProxy::End;

constexpr std::int64_t kRows = 200;

//! Runs a request of either kind of session to its end.
Reply finish(Session& session, const Request& request)
{
    if (session.start(request) == Progress::Pending)
        finishPending(session);
    return session.reply();
}

} // namespace

class TestMysqlFaults : public dyno::test::MysqlTest
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup() { m_proxy.stop(); }
    void cutWhileExecuting_data() { kinds(); }
    void cutWhileExecuting();
    void truncatedAnswers_data() { kinds(); }
    void truncatedAnswers();
    void truncatedWhileConnecting_data() { kinds(); }
    void truncatedWhileConnecting();
    void corruptedAnswers_data() { kinds(); }
    void corruptedAnswers();
    void corruptedRequests_data() { kinds(); }
    void corruptedRequests();
    void delayed_data() { kinds(); }
    void delayed();
    void throttled_data() { kinds(); }
    void throttled();
    void frozenUntilAborted_data() { kinds(); }
    void frozenUntilAborted();
    void refusedThenBack_data() { kinds(); }
    void refusedThenBack();

private:
    static void kinds()
    {
        QTest::addColumn<bool>("loop");
        QTest::addColumn<bool>("prepared");
        QTest::newRow("blocking, prepared") << false << true;
        QTest::newRow("blocking, text") << false << false;
        if (driverFor("mysql")->info().eventLoop) {
            QTest::newRow("event loop, prepared") << true << true;
            QTest::newRow("event loop, text") << true << false;
        }
    }
    //! A session of the row's kind through the proxy, connected.
    SessionPtr throughProxy()
    {
        SessionPtr session = unconnected();
        if (session && finish(*session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok)
            qWarning("%s", session->lastError().c_str());
        return session;
    }
    SessionPtr unconnected()
    {
        const bool prepared = fetch("prepared");
        auto target = std::make_shared<ConnectTarget>(
            *m_server.target({statement("SELECT id, c FROM t WHERE id > ?", {kInteger}, true),
                              statement("SELECT SLEEP(?) AS marker_of_this_test", {kInteger}, true)},
                             {{"protocol", std::string(prepared ? "prepared" : "text")}}));
        target->uri.query["socket"] = m_proxy.socket();
        target->eventLoop = fetch("loop");
        return openSession(target);
    }
    static bool fetch(const char* column) { return *static_cast<bool*>(QTest::qData(column, qMetaTypeId<bool>())); }
    //! All rows after `id`.
    static Reply select(Session& session, std::int64_t id = 0)
    {
        const std::array params = {Param::of(id)};
        return finish(session, Request::execute(StatementId{0}, params));
    }
    //! The session connects again and works as if nothing had been.
    void verifyRecovers(Session& session)
    {
        const Reply connected = finish(session, Request::step(RequestKind::Connect));
        QVERIFY2(connected.outcome == Outcome::Ok, session.lastError().c_str());
        const Reply reply = select(session);
        QVERIFY2(reply.outcome == Outcome::Ok, session.lastError().c_str());
        QCOMPARE(reply.rows, kRows);
    }
    //! Runs the SELECT with a byte of the answer or request spoiled; gives up waiting after a moment, as a user who
    //! presses stop does.
    void spoil(Session& session, Direction direction, std::uint64_t offset, std::uint8_t mask, bool mustFail);

    FaultProxy m_proxy;
};

void TestMysqlFaults::initTestCase()
{
    startServer();
    if (!m_admin)
        return; // no server here: skipped
    QVERIFY(m_admin->execute("SET GLOBAL max_connect_errors = 1000000"));
}

void TestMysqlFaults::init()
{
    makeTable();
    QVERIFY(m_admin->execute("INSERT INTO t SELECT seq, seq, seq, REPEAT('x', 50) FROM seq_1_to_200"));
    const auto started = m_proxy.start({.socket = m_server.socket()}, std::string(DYNO_TEST_WORK_DIR) + "/faults.sock");
    QVERIFY2(started, started ? "" : started.error().text().c_str());
}

void TestMysqlFaults::cutWhileExecuting()
{
    for (const End how : {End::Fin, End::Reset}) {
        QTRY_COMPARE_WITH_TIMEOUT(m_proxy.facts().open, std::uint64_t(0), 20'000); // the last one has said goodbye
        const auto session = throughProxy();
        const std::array params = {Param::of(std::int64_t(100))};
        auto reply =
            std::async(std::launch::async, [&] { return finish(*session, Request::execute(StatementId{1}, params)); });
        QVERIFY(waitForRow("SELECT 1 FROM information_schema.processlist WHERE state = 'User sleep' AND info LIKE "
                           "'SELECT SLEEP(%) AS marker%'"));
        QCOMPARE(m_proxy.cut(how), std::size_t(1));
        QCOMPARE(reply.get().outcome, Outcome::Disconnected);
        QVERIFY(!session->lastError().empty());
        // Gone for good until it connects again.
        QCOMPARE(select(*session).outcome, Outcome::Disconnected);
        verifyRecovers(*session);
        // The server does not look at its socket while it sleeps.
        const std::string id = cell("SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(%'");
        static_cast<void>(m_admin->execute("KILL " + id));
        QVERIFY(waitForRow(
            "SELECT 1 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM information_schema.processlist WHERE info LIKE "
            "'SELECT SLEEP(%')"));
    }
}

void TestMysqlFaults::truncatedAnswers()
{
    const auto session = throughProxy();
    QCOMPARE(select(*session).rows, kRows);
    for (const int bytes : {0, 1, 3, 4, 5, 9, 40, 120, 1000, 10'000}) {
        for (const End how : {End::Fin, End::Reset}) {
            m_proxy.cutAfter(Direction::ToClient, std::uint64_t(bytes), how);
            const Reply reply = select(*session);
            QVERIFY2(reply.outcome == Outcome::Disconnected, qPrintable(QString("after %1 bytes").arg(bytes)));
            QVERIFY(reply.code >= 1000);
            verifyRecovers(*session);
        }
    }
}

void TestMysqlFaults::truncatedWhileConnecting()
{
    for (const int bytes : {0, 1, 3, 4, 5, 10, 30, 60, 90}) {
        const auto session = unconnected();
        m_proxy.cutAfter(Direction::ToClient, std::uint64_t(bytes));
        const Reply reply = finish(*session, Request::step(RequestKind::Connect));
        QVERIFY2(reply.outcome == Outcome::Disconnected,
                 qPrintable(QString("after %1 bytes: %2").arg(bytes).arg(session->lastError().c_str())));
        QVERIFY(!session->lastError().empty());
        verifyRecovers(*session);
    }
}

void TestMysqlFaults::spoil(Session& session, Direction direction, std::uint64_t offset, std::uint8_t mask,
                            bool mustFail)
{
    const std::uint64_t before = m_proxy.facts().corrupted;
    m_proxy.corrupt(direction, offset, 1, mask);
    auto reply = std::async(std::launch::async, [&] { return select(session); });
    // On a busy machine the answer is late, and the order would wait for the next connection's greeting.
    const bool spoiled = m_proxy.waitFor([before](const FaultProxy::Facts& facts) { return facts.corrupted > before; });
    // A length that became larger makes the client wait for bytes that nobody sends.
    if (reply.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready)
        session.abort();
    const Reply got = reply.get();
    QVERIFY(spoiled);
    const QString where = QString("byte %1, mask %2: outcome %3, code %4, \"%5\"")
                              .arg(offset)
                              .arg(mask)
                              .arg(int(got.outcome))
                              .arg(got.code)
                              .arg(session.lastError().c_str());
    QVERIFY2(!mustFail || got.outcome != Outcome::Ok, qPrintable(where));
    QVERIFY2(got.outcome == Outcome::Ok || (got.code != 0 && !session.lastError().empty()), qPrintable(where));
    verifyRecovers(session);
}

void TestMysqlFaults::corruptedAnswers()
{
    const auto session = throughProxy();
    QCOMPARE(select(*session).rows, kRows);
    // Without the right length (3 bytes) nothing can be understood. The packet's number the library does not check, and
    // values inside rows have no check in this protocol; there, only crashes count.
    for (const std::uint8_t mask : {std::uint8_t(0xFF), std::uint8_t(0x01), std::uint8_t(0x80)}) {
        for (std::uint64_t offset = 0; offset < 3 && !QTest::currentTestFailed(); ++offset)
            spoil(*session, Direction::ToClient, offset, mask, true);
    }
    for (std::uint64_t offset = 3; offset < 120 && !QTest::currentTestFailed(); offset += 3)
        spoil(*session, Direction::ToClient, offset, 0xFF, false);
}

void TestMysqlFaults::corruptedRequests()
{
    const auto session = throughProxy();
    QCOMPARE(select(*session).rows, kRows);
    for (std::uint64_t offset = 0; offset < 5; ++offset)
        spoil(*session, Direction::ToServer, offset, 0x55, true);
}

void TestMysqlFaults::delayed()
{
    constexpr std::int64_t kDelay = 60'000'000;
    const auto session = throughProxy();
    QCOMPARE(select(*session).rows, kRows); // prepared
    m_proxy.setDelay(Direction::ToServer, kDelay);
    m_proxy.setDelay(Direction::ToClient, kDelay);
    for (const std::int64_t after : {std::int64_t(0), kRows / 2, kRows}) {
        const std::int64_t start = nowNs();
        const Reply reply = select(*session, after);
        QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
        QCOMPARE(reply.rows, kRows - after);
        QVERIFY(nowNs() - start >= 2 * kDelay);
    }
    const std::int64_t start = nowNs();
    QCOMPARE(finish(*session, Request::step(RequestKind::Connect)).outcome, Outcome::Ok);
    QVERIFY(nowNs() - start >= 2 * kDelay); // a greeting, and an answer to ours
}

void TestMysqlFaults::throttled()
{
    const auto session = throughProxy();
    m_proxy.setThrottle(Direction::ToClient, 50'000);
    const std::int64_t start = nowNs();
    const Reply reply = select(*session);
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(reply.rows, kRows); // over 10 kB, in pieces of 500 bytes
    QVERIFY(nowNs() - start > 100'000'000);
}

void TestMysqlFaults::frozenUntilAborted()
{
    for (const bool connecting : {false, true}) {
        const auto session = connecting ? unconnected() : throughProxy();
        m_proxy.freeze();
        auto reply = std::async(std::launch::async, [&] {
            return connecting ? finish(*session, Request::step(RequestKind::Connect)) : select(*session);
        });
        QVERIFY(reply.wait_for(std::chrono::milliseconds(200)) == std::future_status::timeout);
        if (connecting) {
            // A connect is not cut short, but what comes of it is thrown away.
            session->abort();
            m_proxy.thaw();
        } else {
            session->abort();
        }
        QCOMPARE(reply.get().outcome, Outcome::Disconnected);
        m_proxy.thaw();
        verifyRecovers(*session);
    }
}

void TestMysqlFaults::refusedThenBack()
{
    const auto session = throughProxy();
    QVERIFY(m_proxy.setRefusing(true));
    QCOMPARE(m_proxy.cut(End::Fin), std::size_t(1));
    QCOMPARE(select(*session).outcome, Outcome::Disconnected);
    const Reply refused = finish(*session, Request::step(RequestKind::Connect));
    QCOMPARE(refused.outcome, Outcome::Disconnected);
    QCOMPARE(refused.code, 2002);
    QVERIFY(m_proxy.setRefusing(false));
    verifyRecovers(*session);
}

} // namespace dyno::tst_mysql_faults

DYNO_SUITE(tst_mysql_faults, dyno::tst_mysql_faults::TestMysqlFaults)
#include "tst_mysql_faults.moc"
