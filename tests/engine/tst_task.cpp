// SPDX-License-Identifier: GPL-3.0-or-later
// Runs at -O0 and under the sanitizers too (presets dev, asan, tsan): the textbook Task overflows the stack there.
#include "coro/task.h"
#include "support/allocation_count.h"
#include "support/suite.h"
#include "workload/user_context.h"

#include <QTest>

#include <atomic>
#include <cstring>
#include <deque>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace dyno::tst_task {

namespace {

constexpr OpId kOp{0};

//! Always Done, as a blocking driver.
class DoneSession final : public Session
{
public:
    Progress start(const Request&) override
    {
        m_reply = {};
        m_reply.rows = 1;
        return Progress::Done;
    }
    [[nodiscard]] std::string lastError() const override { return {}; }
};

//! A little event loop: what is pending is finished in the order in which it was started.
class LoopSession;
struct Loop
{
    std::deque<LoopSession*> pending;
    std::uint64_t resumed = 0;
};

class LoopSession final : public Session
{
public:
    //! Answers at once when `sequence % doneEvery == 0`, else later; 0 = always later.
    LoopSession(Loop& loop, std::uint64_t doneEvery)
        : m_loop(loop)
        , m_doneEvery(doneEvery)
    {
    }
    Progress start(const Request&) override
    {
        m_reply = {};
        m_reply.rows = 1;
        if (m_doneEvery != 0 && ++m_sequence % m_doneEvery == 0)
            return Progress::Done;
        m_loop.pending.push_back(this);
        return Progress::Pending;
    }
    Progress resume(IoEvents) override { return Progress::Done; }
    [[nodiscard]] std::string lastError() const override { return {}; }
    UserContext* user = nullptr;

private:
    Loop& m_loop;
    std::uint64_t m_doneEvery;
    std::uint64_t m_sequence = 0;
};

void drain(Loop& loop)
{
    while (!loop.pending.empty()) {
        LoopSession* session = loop.pending.front();
        loop.pending.pop_front();
        if (session->resume({.read = true}) == Progress::Done) {
            ++loop.resumed;
            coro::run(session->user->takeWaiter());
        }
    }
}

//! Remembers which thread made it and whether another one destroyed it; a coroutine's parameters die with its frame.
class ThreadMark
{
public:
    explicit ThreadMark(std::atomic<int>& strays)
        : m_strays(&strays)
    {
    }
    ThreadMark(const ThreadMark& other)
        : m_strays(other.m_strays)
    {
    }
    ThreadMark& operator=(const ThreadMark&) = delete;
    ~ThreadMark()
    {
        if (m_home != std::this_thread::get_id())
            ++*m_strays;
    }

private:
    std::atomic<int>* m_strays;
    std::thread::id m_home = std::this_thread::get_id();
};

Task<std::int64_t> transaction(UserContext& user, int operations)
{
    std::int64_t rows = 0;
    const Request request = Request::sql("SELECT 1");
    for (int i = 0; i < operations; ++i) {
        const Reply reply = co_await user.execute(kOp, request);
        rows += reply.rows;
    }
    co_return rows;
}

Task<std::int64_t> userLoop(UserContext& user, int transactions)
{
    std::int64_t rows = 0;
    for (int i = 0; i < transactions; ++i) {
        const std::int64_t some = co_await transaction(user, 4);
        rows += some;
    }
    co_return rows;
}

Task<int> failing(UserContext& user, int depth)
{
    const Request request = Request::sql("SELECT 1");
    (void)co_await user.execute(kOp, request);
    if (depth == 0)
        throw std::runtime_error("deep down");
    const int value = co_await failing(user, depth - 1);
    co_return value;
}

Task<bool> catching(UserContext& user)
{
    bool caught = false;
    try {
        (void)co_await failing(user, 3);
    } catch (const std::runtime_error& error) {
        caught = std::string_view(error.what()) == "deep down";
    }
    // an exception leaves the coroutine usable
    const std::int64_t rows = co_await transaction(user, 2);
    co_return caught&& rows == 2;
}

Task<void> marked(UserContext& user, ThreadMark mark, int rounds)
{
    (void)mark;
    for (int i = 0; i < rounds; ++i)
        (void)co_await transaction(user, 2);
}

Task<std::unique_ptr<int>> makesPointer(UserContext& user)
{
    const Request request = Request::sql("SELECT 1");
    (void)co_await user.execute(kOp, request);
    co_return std::make_unique<int>(7);
}

//! A user with its recorder, for one session.
struct User
{
    explicit User(Session& session)
        : recorder(1, 1, false)
        , context(session, recorder.shard(0), {})
    {
    }
    Recorder recorder;
    UserContext context;
};

} // namespace

class TstTask : public QObject
{
    Q_OBJECT

private slots:
    //! The case that kills symmetric transfer: every await completes at once.
    void manySynchronousAwaits()
    {
        DoneSession session;
        User user(session);
        Task<std::int64_t> task = transaction(user.context, 200'000);
        task.start();
        QVERIFY(task.done());
        QCOMPARE(task.result(), std::int64_t(200'000));

        Task<std::int64_t> nested = userLoop(user.context, 200'000);
        nested.start();
        QVERIFY(nested.done());
        QCOMPARE(nested.result(), std::int64_t(800'000));
    }

    void manyPendingAwaits_data()
    {
        QTest::addColumn<quint64>("doneEvery");
        QTest::newRow("always pending") << quint64(0);
        QTest::newRow("half") << quint64(2);
        QTest::newRow("every third done") << quint64(3);
    }
    void manyPendingAwaits()
    {
        QFETCH(quint64, doneEvery);
        Loop loop;
        constexpr int kUsers = 50;
        constexpr int kTransactions = 1000;
        std::vector<std::unique_ptr<LoopSession>> sessions;
        std::vector<std::unique_ptr<User>> users;
        std::vector<Task<std::int64_t>> tasks;
        for (int i = 0; i < kUsers; ++i) {
            sessions.push_back(std::make_unique<LoopSession>(loop, doneEvery));
            users.push_back(std::make_unique<User>(*sessions.back()));
            sessions.back()->user = &users.back()->context;
            tasks.push_back(userLoop(users.back()->context, kTransactions));
        }
        for (Task<std::int64_t>& task : tasks) {
            task.start();
            QVERIFY(!task.done());
        }
        drain(loop);
        for (Task<std::int64_t>& task : tasks) {
            QVERIFY(task.done());
            QCOMPARE(task.result(), std::int64_t(4 * kTransactions));
        }
        const std::uint64_t operations = std::uint64_t(kUsers) * kTransactions * 4;
        const std::uint64_t done = doneEvery == 0 ? 0 : operations / doneEvery;
        QVERIFY(loop.resumed >= operations - done && loop.resumed <= operations - done + kUsers);
    }

    void operationsAreRecorded()
    {
        DoneSession session;
        User user(session);
        Task<std::int64_t> task = transaction(user.context, 100);
        task.start();
        QVERIFY(task.done());
        IntervalSampler sampler(user.recorder);
        QCOMPARE(sampler.take().ops[0].count, std::uint64_t(100));
        QCOMPARE(user.context.lastCode(), 0);
    }

    void exceptionsPropagate_data()
    {
        QTest::addColumn<bool>("pending");
        QTest::newRow("done") << false;
        QTest::newRow("pending") << true;
    }
    void exceptionsPropagate()
    {
        QFETCH(bool, pending);
        Loop loop;
        DoneSession doneSession;
        LoopSession loopSession(loop, 0);
        User user(pending ? static_cast<Session&>(loopSession) : static_cast<Session&>(doneSession));
        loopSession.user = &user.context;

        Task<bool> caught = catching(user.context);
        caught.start();
        drain(loop);
        QVERIFY(caught.done());
        QVERIFY(caught.result());

        Task<int> uncaught = failing(user.context, 5);
        uncaught.start();
        drain(loop);
        QVERIFY(uncaught.done());
        QVERIFY_EXCEPTION_THROWN((void)uncaught.result(), std::runtime_error);
    }

    void valuesAreMoved()
    {
        DoneSession session;
        User user(session);
        Task<std::unique_ptr<int>> task = makesPointer(user.context);
        Task<std::unique_ptr<int>> moved = std::move(task);
        QVERIFY(task.done()); // empty
        QVERIFY(!moved.done());
        moved.start();
        QCOMPARE(*moved.result(), 7);
        Task<std::unique_ptr<int>> assigned;
        assigned = std::move(moved);
        QVERIFY(assigned.done());
    }

    //! Started or not: the frame goes back with the Task.
    void unstartedTasksAreFreed()
    {
        DoneSession session;
        User user(session);
        std::atomic<int> strays{0};
        {
            const Task<void> never = marked(user.context, ThreadMark(strays), 1);
            QVERIFY(!never.done());
        }
        QCOMPARE(strays.load(), 0);
    }

    //! A transaction allocates nothing after the first one, in either way of ending.
    void framesAreRecycled_data() { exceptionsPropagate_data(); }
    void framesAreRecycled()
    {
        QFETCH(bool, pending);
        Loop loop;
        DoneSession doneSession;
        LoopSession loopSession(loop, 0);
        User user(pending ? static_cast<Session&>(loopSession) : static_cast<Session&>(doneSession));
        loopSession.user = &user.context;
        const auto once = [&user, &loop] {
            Task<std::int64_t> task = transaction(user.context, 10);
            task.start();
            drain(loop);
            return task.result();
        };
        // the frame, and the queue's own blocks, come into being once
        for (int i = 0; i < 100; ++i)
            QCOMPARE(once(), std::int64_t(10));
        const std::uint64_t before = test::allocations();
        std::int64_t rows = 0;
        for (int i = 0; i < 1000; ++i)
            rows += once();
        const std::uint64_t after = test::allocations();
        QCOMPARE(rows, std::int64_t(10'000));
        // std::deque moves on to a new block of 512 bytes (64 pointers) now and then
        QVERIFY2(after - before <= (pending ? 10'000u / 64 + 2 : 0u), qPrintable(QString::number(after - before)));
    }

    void poolReusesBySizeClass()
    {
        void* small = coro::FramePool::allocate(100);
        coro::FramePool::release(small, 100);
        QCOMPARE(coro::FramePool::allocate(128), small); // the same class: 65 … 128
        void* other = coro::FramePool::allocate(100);
        QVERIFY(other != small);
        coro::FramePool::release(small, 128);
        coro::FramePool::release(other, 100);
        QCOMPARE(coro::FramePool::allocate(65), other); // last in, first out
        QCOMPARE(coro::FramePool::allocate(65), small);
        coro::FramePool::release(small, 65);
        coro::FramePool::release(other, 65);
        // the largest class, and one that goes to the heap
        for (const std::size_t size : {std::size_t(2048), std::size_t(2049), std::size_t(100'000)}) {
            void* frame = coro::FramePool::allocate(size);
            std::memset(frame, 1, size);
            coro::FramePool::release(frame, size);
        }
    }

    //! Threads run users of their own, each on a loop of its own; a frame dies on the thread that made it, and nothing
    //! of one thread's pool is seen by another (the tsan preset would tell).
    void framesStayOnTheirThread()
    {
        constexpr int kThreads = 4;
        std::atomic<int> strays{0};
        std::atomic<int> finished{0};
        std::latch begin(kThreads);
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&strays, &finished, &begin] {
                Loop loop;
                std::vector<std::unique_ptr<LoopSession>> sessions;
                std::vector<std::unique_ptr<User>> users;
                std::vector<Task<void>> tasks;
                begin.arrive_and_wait();
                for (int n = 0; n < 20; ++n) {
                    sessions.push_back(std::make_unique<LoopSession>(loop, 5));
                    users.push_back(std::make_unique<User>(*sessions.back()));
                    sessions.back()->user = &users.back()->context;
                    tasks.push_back(marked(users.back()->context, ThreadMark(strays), 200));
                    tasks.back().start();
                }
                drain(loop);
                for (const Task<void>& task : tasks)
                    finished += task.done() ? 1 : 0;
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(finished.load(), kThreads * 20);
        QCOMPARE(strays.load(), 0);
    }

    //! run() inside run(), as when an executor is entered from a callback, leaves nothing behind in the slot.
    void nestedRuns()
    {
        DoneSession session;
        User user(session);
        Loop loop;
        LoopSession inner(loop, 0);
        User innerUser(inner);
        inner.user = &innerUser.context;
        Task<std::int64_t> waiting = transaction(innerUser.context, 3);
        waiting.start();
        QVERIFY(!waiting.done());
        QVERIFY(!coro::t_next);
        Task<std::int64_t> other = transaction(user.context, 3);
        other.start();
        QVERIFY(other.done());
        drain(loop);
        QVERIFY(waiting.done());
        QVERIFY(!coro::t_next);
    }
};

} // namespace dyno::tst_task

DYNO_SUITE(tst_task, dyno::tst_task::TstTask)
#include "tst_task.moc"
