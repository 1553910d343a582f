// SPDX-License-Identifier: GPL-3.0-or-later
// connection.protocol = multi: statements that go to a real server in one packet, blocking and on an event loop.
#include "base/clock.h"
#include "load/executor/wait_for_reply.h"
#include "mysql_test.h"
#include "support/allocation_count.h"
#include "support/fault_proxy.h"
#include "support/suite.h"
#include "support/workload_harness.h"

#include <algorithm>
#include <filesystem>
#include <future>

namespace dyno::tst_mysql_batch {
using namespace dyno::test;

namespace {

constexpr unsigned kInsert = 0, kSelect = 1, kUpdate = 2;

StatementSet statements()
{
    return {statement("INSERT INTO t (id, i, c) VALUES (?, ?, ?)", {kInteger, kInteger, kText}),
            statement("SELECT id, c FROM t WHERE id >= ?", {kInteger}, true),
            statement("UPDATE t SET i = i + 1 WHERE id = ?", {kInteger})};
}

Reply finish(Session& session, const Request& request)
{
    if (session.start(request) == Progress::Pending)
        finishPending(session);
    return session.reply();
}

Reply send(Session& session)
{
    if (session.batch()->send() == Progress::Pending)
        finishPending(session);
    return session.reply();
}

void add(Session& session, unsigned number, std::initializer_list<Param> params)
{
    const std::vector<Param> list(params);
    session.batch()->add(Request::execute(StatementId{number}, list)); // which is gone when it is sent
}

void addStep(Session& session, RequestKind kind)
{
    session.batch()->add(Request::step(kind));
}

void addInsert(Session& session, std::int64_t id, std::string_view text)
{
    add(session, kInsert, {Param::of(id), Param::of(std::int64_t(0)), Param::of(text)});
}

Task<Outcome> flushOf(UserContext& user)
{
    const Reply reply = co_await user.flush();
    co_return reply.outcome;
}

Task<Reply> postOf(UserContext& user, OpId op, const Request& request)
{
    const Reply reply = co_await user.post(op, request);
    co_return reply;
}

Task<Reply> executeOf(UserContext& user, OpId op, const Request& request)
{
    const Reply reply = co_await user.execute(op, request);
    co_return reply;
}

} // namespace

class TestMysqlBatch : public dyno::test::MysqlTest
{
    Q_OBJECT
private slots:
    void answersComeInOrder_data() { kinds(); }
    void answersComeInOrder();
    void anErrorStopsTheRest_data() { kinds(); }
    void anErrorStopsTheRest();
    void deadlockInTheMiddle_data() { kinds(); }
    void deadlockInTheMiddle();
    void killedInTheMiddle_data() { kinds(); }
    void killedInTheMiddle();
    void cutWithinTheAnswers_data() { kinds(); }
    void cutWithinTheAnswers();
    void whatCannotBeSent_data() { kinds(); }
    void whatCannotBeSent();
    void oneRoundTripATransaction_data() { kinds(); }
    void oneRoundTripATransaction();
    void transactionsAllocateNothing_data() { kinds(); }
    void transactionsAllocateNothing();
    void userSendsWhatWasPosted_data() { kinds(); }
    void userSendsWhatWasPosted();
    void otherProtocolsHaveNoBatch();

private:
    static void kinds()
    {
        QTest::addColumn<bool>("loop");
        QTest::newRow("blocking") << false;
        if (driverFor("mysql")->info().eventLoop) // not under the sanitizers, see mysql_async_session.h
            QTest::newRow("event loop") << true;
    }
    //! A session of the row's kind, connected.
    SessionPtr open(StatementSet set = statements(), const std::string& socket = {}, const char* protocol = "multi")
    {
        const bool loop = *static_cast<bool*>(QTest::qData("loop", qMetaTypeId<bool>()));
        auto target =
            std::make_shared<ConnectTarget>(*m_server.target(std::move(set), {{"protocol", std::string(protocol)}}));
        target->eventLoop = loop;
        if (!socket.empty())
            target->uri.query["socket"] = socket;
        SessionPtr session = openSession(target);
        if (session && finish(*session, Request::step(RequestKind::Connect)).outcome != Outcome::Ok)
            qWarning("%s", session->lastError().c_str());
        return session;
    }
    //! A user of that session with the tables of oltp_read_write.
    std::unique_ptr<TestUser> oltpUser(const WorkloadInstance& instance, SessionPtr session)
    {
        auto user =
            std::make_unique<TestUser>(std::move(session), workloadFor("oltp_read_write")->info().operations.size());
        for (const TableSpec& table : instance.tables()) {
            if (!m_admin->drop(table.name) || !m_admin->execute(table.create))
                return {};
            const LoadSlice slice{1, 1, table.rows, false};
            if (complete(instance.load(user->context, slice), user->context) != Outcome::Ok)
                return {};
        }
        return user;
    }
};

void TestMysqlBatch::answersComeInOrder()
{
    const auto session = open();
    for (int round = 0; round < 3; ++round) { // the memory of the first is used again
        const std::int64_t id = round * 10;
        addStep(*session, RequestKind::Begin);
        addInsert(*session, id + 1, "it's \\ \"quoted\"; -- and more");
        addInsert(*session, id + 2, "second");
        add(*session, kSelect, {Param::of(id + 1)});
        add(*session, kUpdate, {Param::of(id + 2)});
        session->batch()->add(Request::sql("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"));
        addStep(*session, RequestKind::Commit);
        const std::int64_t sentNs = nowNs();
        const Reply reply = send(*session);
        QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
        const auto answers = session->batch()->answers();
        const std::vector<std::pair<int, int>> expected = {{0, 0}, {0, 1}, {0, 1}, {2, 0}, {0, 1}, {3, 0}, {0, 0}};
        QCOMPARE(answers.size(), expected.size());
        std::int64_t before = sentNs;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(answers[i].reply.outcome, Outcome::Ok);
            QCOMPARE(answers[i].reply.rows, expected[i].first);
            QCOMPARE(answers[i].reply.affected, expected[i].second);
            QVERIFY(answers[i].arrivedNs >= before);
            before = answers[i].arrivedNs;
        }
        QVERIFY(before <= nowNs());
        session->batch()->clear();
        QVERIFY(session->batch()->answers().empty());
    }
    QCOMPARE(cell("SELECT c FROM t WHERE id = 21"), std::string("it's \\ \"quoted\"; -- and more"));
    QCOMPARE(cell("SELECT CONCAT(COUNT(*), ' ', SUM(i)) FROM t"), std::string("6 3"));
    QCOMPARE(finish(*session, Request::sql("SELECT id FROM t")).rows, 6); // one by one it works as before
}

void TestMysqlBatch::anErrorStopsTheRest()
{
    const auto session = open();
    for (int round = 0; round < 2; ++round) {
        session->batch()->clear();
        addStep(*session, RequestKind::Begin);
        addInsert(*session, 1, "a");
        addInsert(*session, 1, "the same id again");
        addInsert(*session, 2, "not done");
        addStep(*session, RequestKind::Commit);
        const Reply reply = send(*session);
        QCOMPARE(reply.outcome, Outcome::Rejected);
        QCOMPARE(reply.code, 1062);
        QCOMPARE(reply.affected, 0);
        QVERIFY(session->lastError().find("Duplicate entry") != std::string::npos);
        const auto answers = session->batch()->answers();
        QCOMPARE(answers.size(), std::size_t(3));
        QCOMPARE(answers[1].reply.affected, 1);
        QCOMPARE(answers[2].reply.code, 1062);
        // The transaction is still open, as after statements that went one by one.
        QCOMPARE(finish(*session, Request::sql("SELECT id FROM t")).rows, 1);
        QCOMPARE(finish(*session, Request::step(RequestKind::Rollback)).outcome, Outcome::Ok);
        QCOMPARE(finish(*session, Request::sql("SELECT id FROM t")).rows, 0);
    }
}

//! The batch changes row 1 and then waits for a lock that the test holds, so that another session can come in between.
void TestMysqlBatch::deadlockInTheMiddle()
{
    QVERIFY(m_admin->execute("INSERT INTO t (id, i) SELECT seq, 0 FROM seq_1_to_100"));
    QCOMPARE(cell("SELECT GET_LOCK('between', 20)"), std::string("1"));
    const auto session = open();
    addStep(*session, RequestKind::Begin);
    add(*session, kUpdate, {Param::of(std::int64_t(1))});
    session->batch()->add(Request::sql("SELECT GET_LOCK('between', 60)"));
    add(*session, kUpdate, {Param::of(std::int64_t(2))});
    add(*session, kUpdate, {Param::of(std::int64_t(3))});
    addStep(*session, RequestKind::Commit);
    auto batch = std::async(std::launch::async, [&] { return send(*session); });
    QVERIFY(waitForRow(
        "SELECT 1 FROM information_schema.processlist WHERE state = 'User lock' AND info LIKE 'SELECT GET_LOCK%'"));

    const auto other = connected(); // has changed more rows: the server gives up the batch
    COMPARE_OK(*other, sql(*other, "BEGIN"));
    COMPARE_OK(*other, sql(*other, "UPDATE t SET i = i + 1000 WHERE id > 1"));
    auto update = std::async(std::launch::async, [&] { return sql(*other, "UPDATE t SET i = i + 1000 WHERE id = 1"); });
    QVERIFY(waitForRow("SELECT 1 FROM information_schema.global_status WHERE VARIABLE_NAME = "
                       "'INNODB_ROW_LOCK_CURRENT_WAITS' AND VARIABLE_VALUE > 0"));
    QTest::qSleep(1000); // the answer is there; on a busy machine the thread that reads it may not have been yet
    const std::int64_t releasedNs = nowNs();
    QVERIFY(m_admin->query("SELECT RELEASE_LOCK('between')"));

    const Reply reply = batch.get();
    QCOMPARE(reply.outcome, Outcome::Retryable);
    QCOMPARE(reply.code, 1213);
    const auto answers = session->batch()->answers();
    QCOMPARE(answers.size(), std::size_t(4));
    QCOMPARE(answers[1].reply.affected, 1);
    // Each answer has come when its statement was done, not with the last one.
    QVERIFY(answers[1].arrivedNs < releasedNs);
    QVERIFY(answers[3].arrivedNs > releasedNs);
    QCOMPARE(update.get().affected, 1);
    COMPARE_OK(*other, sql(*other, "COMMIT"));
    QCOMPARE(finish(*session, Request::step(RequestKind::Rollback)).outcome, Outcome::Ok);
    QCOMPARE(finish(*session, Request::sql("SELECT RELEASE_LOCK('between')")).rows, 1);

    session->batch()->clear(); // again, now that nobody is in the way
    addStep(*session, RequestKind::Begin);
    for (const int id : {1, 2, 3})
        add(*session, kUpdate, {Param::of(std::int64_t(id))});
    addStep(*session, RequestKind::Commit);
    QCOMPARE(send(*session).outcome, Outcome::Ok);
    QCOMPARE(cell("SELECT SUM(i) FROM t"), std::string("100003"));
}

void TestMysqlBatch::killedInTheMiddle()
{
    QCOMPARE(cell("SELECT GET_LOCK('between', 20)"), std::string("1"));
    const auto session = open();
    addStep(*session, RequestKind::Begin);
    addInsert(*session, 1, "goes with its connection");
    session->batch()->add(Request::sql("SELECT GET_LOCK('between', 60)"));
    addStep(*session, RequestKind::Commit);
    auto batch = std::async(std::launch::async, [&] { return send(*session); });
    const std::string_view waiting =
        "SELECT id FROM information_schema.processlist WHERE state = 'User lock' AND info LIKE 'SELECT GET_LOCK%'";
    QVERIFY(waitForRow(waiting));
    QVERIFY(m_admin->execute("KILL " + cell(waiting)));
    QCOMPARE(batch.get().outcome, Outcome::Disconnected);
    QVERIFY(!session->lastError().empty());
    const auto answers = session->batch()->answers();
    QVERIFY(!answers.empty() && answers.size() <= 3);
    QCOMPARE(answers.back().reply.outcome, Outcome::Disconnected);
    QVERIFY(m_admin->query("SELECT RELEASE_LOCK('between')"));

    // Without a connection the batch says so, and with a new one it works.
    session->batch()->clear();
    addInsert(*session, 1, "lost");
    QCOMPARE(send(*session).outcome, Outcome::Disconnected);
    QCOMPARE(session->batch()->answers().size(), std::size_t(1));
    QCOMPARE(finish(*session, Request::step(RequestKind::Connect)).outcome, Outcome::Ok);
    session->batch()->clear();
    addInsert(*session, 1, "there");
    const Reply reply = send(*session);
    QVERIFY2(reply.outcome == Outcome::Ok, session->lastError().c_str());
    QCOMPARE(cell("SELECT c FROM t"), std::string("there"));
}

void TestMysqlBatch::cutWithinTheAnswers()
{
    QVERIFY(m_admin->execute("INSERT INTO t (id, i, c) SELECT seq, 0, REPEAT('x', 50) FROM seq_1_to_100"));
    FaultProxy proxy;
    const auto started = proxy.start({.socket = m_server.socket()}, std::string(DYNO_TEST_WORK_DIR) + "/cut.sock");
    QVERIFY2(started, started ? "" : started.error().text().c_str());
    const auto session = open(statements(), proxy.socket());
    const auto addAll = [&] {
        session->batch()->clear();
        addStep(*session, RequestKind::Begin);
        for (int i = 0; i < 3; ++i)
            add(*session, kSelect, {Param::of(std::int64_t(51))});
        addStep(*session, RequestKind::Commit);
    };
    // BEGIN's answer has 11 bytes, that of each SELECT about 3000.
    for (const auto& [bytes, most] : {std::pair(0, 1), {5, 1}, {100, 2}, {4000, 3}, {7000, 4}}) {
        addAll();
        proxy.cutAfter(FaultProxy::Direction::ToClient, std::uint64_t(bytes));
        const Reply reply = send(*session);
        const auto answers = session->batch()->answers();
        const QString what = QString("cut after %1 bytes: %2 answers").arg(bytes).arg(answers.size());
        QVERIFY2(reply.outcome == Outcome::Disconnected, qPrintable(what));
        QVERIFY2(!answers.empty() && answers.size() <= std::size_t(most), qPrintable(what));
        for (const Batch::Answer& answer : answers.first(answers.size() - 1))
            QVERIFY(answer.reply.outcome == Outcome::Ok);
        QVERIFY(answers.back().reply.outcome == Outcome::Disconnected && answers.back().reply.rows == 0);
        QCOMPARE(finish(*session, Request::step(RequestKind::Connect)).outcome, Outcome::Ok);
        addAll();
        QCOMPARE(send(*session).outcome, Outcome::Ok);
        QCOMPARE(session->batch()->answers().size(), std::size_t(5));
    }
}

void TestMysqlBatch::whatCannotBeSent()
{
    const auto session = open();
    QCOMPARE(send(*session).outcome, Outcome::Ok); // nothing
    QVERIFY(session->batch()->answers().empty());
    for (const bool unknown : {true, false}) {
        session->batch()->clear();
        addInsert(*session, 1, "must not be sent either");
        if (unknown)
            add(*session, 99, {});
        else
            session->batch()->add(Request{.kind = RequestKind::Bulk, .text = "t (id)", .value = "1\n"});
        addInsert(*session, 2, "nor this");
        QCOMPARE(send(*session).outcome, Outcome::Rejected);
        QVERIFY(!session->lastError().empty());
        QCOMPARE(cell("SELECT COUNT(*) FROM t"), std::string("0"));
    }
}

//! With 25 ms on the way to the server, twenty statements one by one cannot be done in less than half a second.
void TestMysqlBatch::oneRoundTripATransaction()
{
    constexpr std::int64_t kDelay = 25'000'000;
    FaultProxy proxy;
    const auto folder = std::filesystem::path(DYNO_TEST_WORK_DIR);
    const auto started = proxy.start({.socket = m_server.socket()}, (folder / "batch.sock").string());
    QVERIFY2(started, started ? "" : started.error().text().c_str());
    const auto instance = test::bind("oltp_read_write", {{"table_size", std::int64_t(300)}}, "mysql");
    std::array<std::int64_t, 2> took{};
    for (const bool multi : {false, true}) {
        const auto user = oltpUser(*instance, open(instance->statements(), proxy.socket(), multi ? "multi" : "text"));
        QVERIFY(user);
        IntervalSampler sampler(user->recorder);
        static_cast<void>(sampler.take());
        proxy.setDelay(FaultProxy::Direction::ToServer, kDelay);
        std::int64_t& least = took[multi ? 1 : 0];
        for (std::uint64_t i = 0; i == 0 || (multi && i < 10 && least >= took[0]);
             ++i) { // a busy machine may hold one up
            const std::int64_t start = nowNs();
            QCOMPARE(user->run(*instance, 7 + i), Outcome::Ok);
            if (multi)
                QCOMPARE(complete(flushOf(user->context), user->context), Outcome::Ok);
            least = i == 0 ? nowNs() - start : std::min(least, nowNs() - start);
            // The time of each operation begins with the packet, and all answers are there after the delay.
            const IntervalSample sample = sampler.take();
            std::uint64_t operations = 0;
            for (const OpInterval& op : sample.ops) {
                operations += op.count;
                QVERIFY(op.service.percentileNs(0.001) >= double(kDelay) * 0.98); // a bucket's middle may lie below
            }
            QCOMPARE(operations, std::uint64_t(20));
            QCOMPARE(sample.rows, std::uint64_t(4));
        }
        proxy.setDelay(FaultProxy::Direction::ToServer, 0);
    }
    QVERIFY(took[0] >= 20 * kDelay);
    QVERIFY(took[1] >= kDelay);
    QVERIFY2(took[1] < took[0], qPrintable(QString("%1 and %2 ms").arg(took[0] / 1'000'000).arg(took[1] / 1'000'000)));
}

void TestMysqlBatch::transactionsAllocateNothing()
{
    const auto instance = test::bind("oltp_read_write", {{"table_size", std::int64_t(300)}}, "mysql");
    const auto user = oltpUser(*instance, open(instance->statements()));
    QVERIFY(user);
    const auto runAll = [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t i = first; i < last; ++i) {
            if (user->run(*instance, i) != Outcome::Ok ||
                complete(flushOf(user->context), user->context) != Outcome::Ok)
                return false;
        }
        return true;
    };
    QVERIFY2(runAll(0, 50), user->session->lastError().c_str());
    const std::uint64_t before = allocations();
    QVERIFY2(runAll(50, 250), user->session->lastError().c_str());
    QCOMPARE(allocations() - before, std::uint64_t(0));
}

void TestMysqlBatch::userSendsWhatWasPosted()
{
    TestUser user(open(), 2);
    IntervalSampler sampler(user.recorder);
    const OpId first{0}, second{1};
    const std::array one = {Param::of(std::int64_t(1)), Param::of(std::int64_t(0)), Param::of(std::string_view("x"))};
    const std::array two = {Param::of(std::int64_t(2)), Param::of(std::int64_t(0)), Param::of(std::string_view("y"))};
    const std::array all = {Param::of(std::int64_t(0))};
    const Request insertOne = Request::execute(StatementId{kInsert}, one);
    const Request insertTwo = Request::execute(StatementId{kInsert}, two);
    const Request select = Request::execute(StatementId{kSelect}, all);

    // An operation whose answer is wanted takes with it what was posted.
    user.context.beginTransaction(0);
    QCOMPARE(complete(postOf(user.context, first, insertOne), user.context).outcome, Outcome::Ok);
    QCOMPARE(cell("SELECT COUNT(*) FROM t"), std::string("0"));
    QCOMPARE(complete(executeOf(user.context, second, select), user.context).rows, 1);
    IntervalSample sample = sampler.take();
    QVERIFY(sample.ops[0].count == 1 && sample.ops[1].count == 1 && sample.rows == 1);

    // What a transaction posted that gave up is not sent by the next one.
    QCOMPARE(complete(postOf(user.context, first, insertTwo), user.context).outcome, Outcome::Ok);
    user.context.beginTransaction(1);
    QCOMPARE(complete(executeOf(user.context, second, select), user.context).rows, 1);
    QCOMPARE(complete(flushOf(user.context), user.context), Outcome::Ok);
    sample = sampler.take();
    QVERIFY(sample.ops[0].count == 0 && sample.ops[1].count == 1);

    // An error of a posted operation is that operation's, and those after it do not count.
    user.context.beginTransaction(2);
    QCOMPARE(complete(postOf(user.context, second, select), user.context).outcome, Outcome::Ok);
    QCOMPARE(complete(postOf(user.context, first, insertOne), user.context).outcome, Outcome::Ok);
    QCOMPARE(complete(executeOf(user.context, second, select), user.context).code, 1062);
    QCOMPARE(user.context.lastCode(), 1062);
    sample = sampler.take();
    QVERIFY(sample.ops[0].count == 0 && sample.ops[0].errors == 1);
    QVERIFY(sample.ops[1].count == 1 && sample.ops[1].errors == 0);
}

void TestMysqlBatch::otherProtocolsHaveNoBatch()
{
    for (const char* protocol : {"prepared", "text"})
        QVERIFY(!connected({}, {{"protocol", std::string(protocol)}})->batch());
    // A load is not made of transactions whose answers may come later.
    auto loader = std::make_shared<ConnectTarget>(*m_server.target({}, {{"protocol", std::string("multi")}}));
    loader->loader = true;
    QVERIFY(!openSession(loader)->batch());
}

} // namespace dyno::tst_mysql_batch

DYNO_SUITE(tst_mysql_batch, dyno::tst_mysql_batch::TestMysqlBatch)
#include "tst_mysql_batch.moc"
