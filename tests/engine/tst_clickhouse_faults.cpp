// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions of the ClickHouse driver while the connection to a real server is cut, truncated and frozen, and while the
// server itself goes.
#include "base/clock.h"
#include "clickhouse_test.h"
#include "support/fault_proxy.h"
#include "support/suite.h"

#include <array>
#include <future>

namespace dyno::tst_clickhouse_faults {
using namespace dyno::test;

namespace {

using Direction = FaultProxy::Direction;
using End = FaultProxy::End;

constexpr std::int64_t kRows = 5000;

} // namespace

class TestClickhouseFaults : public dyno::test::ClickhouseTest
{
    Q_OBJECT

    SessionPtr unconnected(double timeoutSeconds = 60)
    {
        TargetUri uri = m_server.uri();
        uri.port = m_proxy.port();
        return openSession("clickhouse", ClickhouseFixture::targetAt(
                                             uri,
                                             {statement("SELECT number, toString(number) FROM system.numbers LIMIT ?",
                                                        {kInteger}, true),
                                              statement("INSERT INTO t (id) VALUES (?)", {kInteger})},
                                             {{"connect_timeout", timeoutSeconds}}));
    }
    SessionPtr throughProxy() { return connect(unconnected()); }
    static Reply select(Session& session)
    {
        const std::array params = {Param::of(kRows)};
        return execute(session, 0, params);
    }
    //! The session connects again and works as if nothing had been.
    static void verifyRecovers(Session& session)
    {
        COMPARE_OK(session, run(session, Request::step(RequestKind::Connect)));
        const Reply reply = select(session);
        COMPARE_OK(session, reply);
        QCOMPARE(reply.rows, kRows);
    }

    FaultProxy m_proxy;

private slots:
    void init()
    {
        makeTable();
        const auto started = m_proxy.start({.port = m_server.port()});
        QVERIFY2(started, started ? "" : started.error().text().c_str());
    }
    void cleanup() { m_proxy.stop(); }

    void truncatedAnswers()
    {
        const auto session = throughProxy();
        QCOMPARE(select(*session).rows, kRows);
        for (const int bytes : {0, 1, 10, 100, 250, 300, 1000, 10'000, 40'000}) {
            for (const End how : {End::Fin, End::Reset}) {
                m_proxy.cutAfter(Direction::ToClient, std::uint64_t(bytes), how);
                const Reply reply = select(*session);
                QVERIFY2(reply.outcome == Outcome::Disconnected, qPrintable(QString("after %1 bytes").arg(bytes)));
                QCOMPARE(reply.code, 210);
                QVERIFY(!session->lastError().empty());
                QCOMPARE(select(*session).outcome, Outcome::Disconnected); // gone for good until it connects again
                verifyRecovers(*session);
            }
        }
    }

    void truncatedWhileConnecting()
    {
        for (const int bytes : {0, 1, 20, 200}) {
            const auto session = unconnected();
            m_proxy.cutAfter(Direction::ToClient, std::uint64_t(bytes));
            const Reply reply = run(*session, Request::step(RequestKind::Connect));
            QVERIFY2(reply.outcome == Outcome::Disconnected, qPrintable(QString("after %1 bytes").arg(bytes)));
            verifyRecovers(*session);
        }
    }

    //! A kept connection that ends is lost, and what was sent on it is never sent again behind the workload's back.
    void insertIsNeverRepeated()
    {
        const auto session = throughProxy();
        const std::array params = {Param::of(std::int64_t(1))};
        COMPARE_OK(*session, execute(*session, 1, params));
        const auto before = m_proxy.facts().accepted;
        m_proxy.cutAfter(Direction::ToClient, 0); // the server does it, and its answer is lost
        QCOMPARE(execute(*session, 1, params).outcome, Outcome::Disconnected);
        QCOMPARE(m_proxy.facts().accepted, before);
        const auto twice = [this] { return cell("SELECT count() FROM t") == "2"; };
        QVERIFY(QTest::qWaitFor(twice, kPatienceMs));
    }

    void cutBetweenRequests()
    {
        const auto session = throughProxy();
        COMPARE_OK(*session, select(*session));
        QCOMPARE(m_proxy.cut(End::Fin), std::size_t(1));
        QCOMPARE(select(*session).outcome, Outcome::Disconnected);
        verifyRecovers(*session);
    }

    void frozenUntilAborted()
    {
        const auto session = throughProxy();
        m_proxy.freeze();
        auto reply = std::async(std::launch::async, [&] { return select(*session); });
        QCOMPARE(reply.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
        const std::int64_t start = nowNs();
        session->abort();
        QCOMPARE(reply.get().outcome, Outcome::Disconnected);
        QVERIFY(nowNs() - start < 30'000'000'000);
        m_proxy.thaw();
        verifyRecovers(*session);
    }

    void noAnswerInTime()
    {
        const auto session = unconnected(1);
        m_proxy.freeze();
        auto reply = std::async(std::launch::async, [&] { return run(*session, Request::step(RequestKind::Connect)); });
        // The kernel completes the connect, and the answer never comes.
        QCOMPARE(reply.get().outcome, Outcome::Disconnected);
        QVERIFY(!session->lastError().empty());
        m_proxy.thaw();
        const auto patient = unconnected(); // a second may be too short for an answer that comes
        verifyRecovers(*patient);
    }

    void refusedThenBack()
    {
        const auto session = throughProxy();
        m_proxy.cut(End::Fin);
        QVERIFY(m_proxy.setRefusing(true));
        QCOMPARE(select(*session).outcome, Outcome::Disconnected);
        const Reply refused = run(*session, Request::step(RequestKind::Connect));
        QCOMPARE(refused.outcome, Outcome::Disconnected);
        QCOMPARE(refused.code, 210);
        QVERIFY(m_proxy.setRefusing(false));
        verifyRecovers(*session);
    }

    void serverIsKilled()
    {
        const auto session =
            connected({statement("SELECT number, toString(number) FROM system.numbers LIMIT ?", {kInteger}, true)});
        COMPARE_OK(*session, select(*session));
        m_server.kill();
        QCOMPARE(select(*session).outcome, Outcome::Disconnected);
        const auto gone = m_admin->query("SELECT 1");
        QVERIFY(!gone);
        QCOMPARE(gone.error().kind, ErrorKind::Unreachable);
        const auto back = m_server.restart();
        QVERIFY2(back, back ? "" : back.error().text().c_str());
        auto admin = m_server.admin();
        QVERIFY(admin);
        m_admin = std::move(*admin);
        verifyRecovers(*session);
    }
};

} // namespace dyno::tst_clickhouse_faults

DYNO_SUITE(tst_clickhouse_faults, dyno::tst_clickhouse_faults::TestClickhouseFaults)
#include "tst_clickhouse_faults.moc"
