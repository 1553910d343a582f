// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions of the PostgreSQL driver, blocking and on an event loop, while the connection to a real server is cut,
// delayed, truncated, corrupted and frozen.
#include "base/clock.h"
#include "postgresql_test.h"
#include "support/fault_proxy.h"
#include "support/suite.h"

#include <future>

namespace dyno::tst_postgresql_faults {
using namespace dyno::test;

namespace {

using Direction = FaultProxy::Direction;
using End = FaultProxy::End;

constexpr std::int64_t kRows = 200;

} // namespace

class TestPostgresqlFaults : public dyno::test::PostgresqlTest
{
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_proxy.stop(); }
    void cutWhileExecuting_data() { kinds(); }
    void cutWhileExecuting();
    void truncatedAnswers_data() { kinds(); }
    void truncatedAnswers();
    void truncatedWhileConnecting_data() { kinds(); }
    void truncatedWhileConnecting();
    void corrupted_data() { kinds(); }
    void corrupted();
    void delayed_data() { kinds(); }
    void delayed();
    void frozenUntilAborted_data() { kinds(); }
    void frozenUntilAborted();
    void noAnswerInTime_data() { kinds(); }
    void noAnswerInTime();
    void batchIsCut_data();
    void batchIsCut();
    void bulkIsCut();
    void refusedThenBack_data() { kinds(); }
    void refusedThenBack();

private:
    //! A session of the row's kind through the proxy.
    SessionPtr unconnected(double timeoutSeconds = 60)
    {
        auto target = std::make_shared<ConnectTarget>(*m_server.target(
            {statement("SELECT id, c FROM t WHERE id > ?", {kInteger}, true),
             statement("SELECT pg_sleep(?) AS marker_of_this_test", {kInteger}, true)},
            {{"protocol", static_cast<QString*>(QTest::qData("protocol", QMetaType::QString))->toStdString()},
             {"connect_timeout", timeoutSeconds}}));
        target->uri.query["socket"] = m_proxy.socket();
        target->eventLoop = *static_cast<bool*>(QTest::qData("loop", QMetaType::Bool));
        return openSession("postgresql", target);
    }
    SessionPtr throughProxy() { return connect(unconnected()); }
    //! All rows after `id`.
    static Reply select(Session& session, std::int64_t id = 0)
    {
        const std::array params = {Param::of(id)};
        return finishRequest(session, Request::execute(StatementId{0}, params));
    }
    //! The session connects again and works as if nothing had been.
    void verifyRecovers(Session& session)
    {
        const Reply connected = finishRequest(session, Request::step(RequestKind::Connect));
        QVERIFY2(connected.outcome == Outcome::Ok, session.lastError().c_str());
        const Reply reply = select(session);
        QVERIFY2(reply.outcome == Outcome::Ok, session.lastError().c_str());
        QCOMPARE(reply.rows, kRows);
    }
    void spoil(Session& session, Direction direction, std::uint64_t offset, std::uint8_t mask);

    FaultProxy m_proxy;
};

void TestPostgresqlFaults::init()
{
    makeTable();
    QVERIFY(m_admin->execute("INSERT INTO t SELECT n, n, n, repeat('x', 50) FROM generate_series(1, 200) n"));
    const auto started = m_proxy.start({.socket = m_server.socket()}, (m_server.folder() / ".s.PGSQL.1").string());
    QVERIFY2(started, started ? "" : started.error().text().c_str());
}

void TestPostgresqlFaults::cutWhileExecuting()
{
    for (const End how : {End::Fin, End::Reset}) {
        QTRY_COMPARE_WITH_TIMEOUT(m_proxy.facts().open, std::uint64_t(0), 20'000); // the last one has said goodbye
        const auto session = throughProxy();
        const std::array params = {Param::of(std::int64_t(100))};
        auto reply = std::async(std::launch::async,
                                [&] { return finishRequest(*session, Request::execute(StatementId{1}, params)); });
        QVERIFY(waitForRow("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"));
        QCOMPARE(m_proxy.cut(how), std::size_t(1));
        QCOMPARE(reply.get().outcome, Outcome::Disconnected);
        QVERIFY(!session->lastError().empty());
        // Gone for good until it connects again.
        QCOMPARE(select(*session).outcome, Outcome::Disconnected);
        verifyRecovers(*session);
        // The server does not look at its socket while it sleeps.
        static_cast<void>(cell("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"));
        QVERIFY(waitForRow("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep')"));
    }
}

void TestPostgresqlFaults::truncatedAnswers()
{
    const auto session = throughProxy();
    QCOMPARE(select(*session).rows, kRows);
    for (const int bytes : {0, 1, 3, 4, 5, 9, 40, 120, 1000, 10'000}) {
        for (const End how : {End::Fin, End::Reset}) {
            m_proxy.cutAfter(Direction::ToClient, std::uint64_t(bytes), how);
            const Reply reply = select(*session);
            QVERIFY2(reply.outcome == Outcome::Disconnected, qPrintable(QString("after %1 bytes").arg(bytes)));
            QVERIFY(reply.code != 0);
            QVERIFY(!session->lastError().empty());
            verifyRecovers(*session);
        }
    }
}

void TestPostgresqlFaults::truncatedWhileConnecting()
{
    for (const int bytes : {0, 1, 4, 5, 9, 12, 30, 100, 250}) {
        const auto session = unconnected();
        m_proxy.cutAfter(Direction::ToClient, std::uint64_t(bytes));
        const Reply reply = finishRequest(*session, Request::step(RequestKind::Connect));
        QVERIFY2(reply.outcome == Outcome::Disconnected,
                 qPrintable(QString("after %1 bytes: %2").arg(bytes).arg(session->lastError().c_str())));
        QVERIFY(!session->lastError().empty());
        verifyRecovers(*session);
    }
}

void TestPostgresqlFaults::spoil(Session& session, Direction direction, std::uint64_t offset, std::uint8_t mask)
{
    const std::uint64_t before = m_proxy.facts().corrupted;
    m_proxy.corrupt(direction, offset, 1, mask);
    auto reply = std::async(std::launch::async, [&] { return select(session); });
    // On a busy machine the answer is late, and the order would wait for the next connection's greeting.
    const bool spoiled = m_proxy.waitFor([before](const FaultProxy::Facts& facts) { return facts.corrupted > before; });
    // A length that became larger makes the one or the other wait for bytes that nobody sends.
    if (reply.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready)
        session.abort();
    const Reply got = reply.get();
    QVERIFY(spoiled);
    QVERIFY2(got.outcome == Outcome::Ok || (got.code != 0 && !session.lastError().empty()),
             qPrintable(QString("byte %1, mask %2").arg(offset).arg(mask)));
    verifyRecovers(session);
}

//! Most of it has no check in this protocol: crashes count, and waiting for ever.
void TestPostgresqlFaults::corrupted()
{
    const auto session = throughProxy();
    QCOMPARE(select(*session).rows, kRows);
    for (std::uint64_t offset = 0; offset < 60 && !QTest::currentTestFailed(); offset += 2)
        spoil(*session, Direction::ToClient, offset, offset % 4 == 0 ? 0xFF : 0x01);
    for (std::uint64_t offset = 0; offset < 6 && !QTest::currentTestFailed(); ++offset)
        spoil(*session, Direction::ToServer, offset, 0x55);
}

void TestPostgresqlFaults::delayed()
{
    constexpr std::int64_t kDelay = 60'000'000;
    const auto session = throughProxy();
    QCOMPARE(select(*session).rows, kRows); // prepared
    m_proxy.setDelay(Direction::ToServer, kDelay);
    m_proxy.setDelay(Direction::ToClient, kDelay);
    const std::int64_t start = nowNs();
    const Reply reply = select(*session, kRows / 2);
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(reply.rows, kRows / 2);
    QVERIFY(nowNs() - start >= 2 * kDelay);
    m_proxy.setDelay(Direction::ToServer, 0);
    m_proxy.setDelay(Direction::ToClient, 0);
    m_proxy.setThrottle(Direction::ToClient, 50'000);
    QCOMPARE(select(*session).rows, kRows); // over 10 kB, in pieces of 500 bytes
}

void TestPostgresqlFaults::frozenUntilAborted()
{
    for (const bool connecting : {false, true}) {
        const auto session = connecting ? unconnected() : throughProxy();
        m_proxy.freeze();
        auto reply = std::async(std::launch::async, [&] {
            return connecting ? finishRequest(*session, Request::step(RequestKind::Connect)) : select(*session);
        });
        QVERIFY(reply.wait_for(std::chrono::milliseconds(200)) == std::future_status::timeout);
        session->abort(); // while connecting too
        QCOMPARE(reply.get().outcome, Outcome::Disconnected);
        m_proxy.thaw();
        verifyRecovers(*session);
    }
}

void TestPostgresqlFaults::noAnswerInTime()
{
    const auto session = unconnected(1);
    m_proxy.freeze();
    const Reply reply = finishRequest(*session, Request::step(RequestKind::Connect));
    m_proxy.thaw();
    QCOMPARE(reply.outcome, Outcome::Disconnected);
    QVERIFY2(session->lastError().find("no answer in 1 s") != std::string::npos, session->lastError().c_str());
}

void TestPostgresqlFaults::batchIsCut_data()
{
    QTest::addColumn<QString>("protocol");
    QTest::addColumn<bool>("loop");
    QTest::newRow("blocking") << "pipeline" << false;
    QTest::newRow("event loop") << "pipeline" << true;
}

void TestPostgresqlFaults::batchIsCut()
{
    const auto session = throughProxy();
    QCOMPARE(select(*session).rows, kRows);
    const std::array params = {Param::of(std::int64_t(0))};
    for (const int bytes : {0, 7, 100, 4000, 15'000}) {
        m_proxy.cutAfter(Direction::ToClient, std::uint64_t(bytes));
        session->batch()->clear();
        session->batch()->add(Request::step(RequestKind::Begin));
        session->batch()->add(Request::execute(StatementId{0}, params));
        session->batch()->add(Request::execute(StatementId{0}, params));
        session->batch()->add(Request::step(RequestKind::Commit));
        if (session->batch()->send() == Progress::Pending)
            finishPending(*session);
        QCOMPARE(session->reply().outcome, Outcome::Disconnected);
        QCOMPARE(session->batch()->answers().back().reply.outcome, Outcome::Disconnected);
        QVERIFY(session->batch()->answers().size() <= 4);
        verifyRecovers(*session);
    }
}

void TestPostgresqlFaults::bulkIsCut()
{
    auto target = std::make_shared<ConnectTarget>(*m_server.target());
    target->uri.query["socket"] = m_proxy.socket();
    target->loader = true;
    const auto session = connect(openSession("postgresql", target));
    std::string rows;
    for (int id = 1000; id < 50'000; ++id)
        rows += std::to_string(id) + "\t1\n";
    m_proxy.cutAfter(Direction::ToServer, 100'000);
    const Request load{.kind = RequestKind::Bulk, .text = "t (id, i)", .value = rows};
    QCOMPARE(run(*session, load).outcome, Outcome::Disconnected);
    QVERIFY(!session->lastError().empty());
    COMPARE_OK(*session, run(*session, Request::step(RequestKind::Connect)));
    QCOMPARE(run(*session, load).affected, 49'000);
}

void TestPostgresqlFaults::refusedThenBack()
{
    const auto session = throughProxy();
    QVERIFY(m_proxy.setRefusing(true));
    QCOMPARE(m_proxy.cut(End::Fin), std::size_t(1));
    QCOMPARE(select(*session).outcome, Outcome::Disconnected);
    const Reply refused = finishRequest(*session, Request::step(RequestKind::Connect));
    QCOMPARE(refused.outcome, Outcome::Disconnected);
    QVERIFY(refused.code != 0);
    QVERIFY(m_proxy.setRefusing(false));
    verifyRecovers(*session);
}

} // namespace dyno::tst_postgresql_faults

DYNO_SUITE(tst_postgresql_faults, dyno::tst_postgresql_faults::TestPostgresqlFaults)
#include "tst_postgresql_faults.moc"
