// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What workload code sees of its virtual user.
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "driver/driver.h"
#include "metrics/recorder.h"

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dyno {

//! The facts about a user that a workload may depend on.
struct UserPlace
{
    UserId user{};
    int users = 1; //!< in all; of a group, in it
    std::uint64_t seed = 1;
    int before = 0;              //!< users of other groups before the first one of this user's
    int everyone = 0;            //!< users of all groups; 0: there is one, or none
    OpId firstOp{};              //!< of this group's workload, among the operations of the run
    std::optional<OpId> group{}; //!< the operation that counts this group's transactions
};

//! Weights of a workload's sections, each added to those before it: section i has the numbers from [i - 1] up to, and
//! without, [i].
using SectionSums = std::vector<std::int64_t>;

//! The section of the next transaction, by their weights; the last sum is above 0.
[[nodiscard]] inline std::size_t drawSection(const SectionSums& sums, Random& random)
{
    const std::int64_t drawn = random.uniform(0, sums.back() - 1);
    return std::size_t(std::ranges::upper_bound(sums, drawn) - sums.begin());
}

//! What a workload keeps for one user from one transaction to the next.
class UserMemory
{
public:
    UserMemory() = default;
    UserMemory(const UserMemory&) = delete;
    UserMemory& operator=(const UserMemory&) = delete;
    virtual ~UserMemory() = default;
};

//! What a user that pauses within a transaction has to know of its run. Any thread.
class PauseSignal
{
public:
    virtual ~PauseSignal() = default;
    [[nodiscard]] virtual std::uint32_t ticket() const = 0; //!< for UserContext::pause()
    [[nodiscard]] virtual bool stopping() const = 0;
};

//! One virtual user's view: its session, its random stream, its scratch space. Belongs to one worker thread.
class UserContext
{
public:
    UserContext(Session& session, RecorderShard& recorder, UserPlace place)
        : m_session(session)
        , m_recorder(recorder)
        , m_batch(session.batch())
        , m_place(place)
    {
    }

    //! When an operation's answer has to be there.
    enum class Wanted : std::uint8_t {
        Now,
        Later, //!< at the transaction's end: nothing that comes before depends on it
    };

    //! Awaiter of one operation: times it, records it, gives the Reply. Allocates nothing.
    class Execution
    {
    public:
        Execution(UserContext& user, OpId op, const Request& request, Wanted wanted)
            : m_user(user)
            , m_op(op)
            , m_request(request)
            , m_batched(user.m_batch && (wanted == Wanted::Later || !user.m_batchedOps.empty()))
            , m_later(wanted == Wanted::Later)
            , m_startNs(nowNs())
        {
        }
        bool await_ready()
        {
            if (!m_batched) [[likely]]
                return m_user.m_session.start(m_request) == Progress::Done;
            m_user.m_batch->add(m_request);
            m_user.m_batchedOps.push_back({m_op, m_request.kind});
            return m_later || m_user.m_batch->send() == Progress::Done;
        }
        void await_suspend(std::coroutine_handle<> handle) noexcept { m_user.m_waiter = handle; }
        Reply await_resume()
        {
            if (m_batched) [[unlikely]]
                return m_later ? Reply{} : m_user.takeAnswers(m_startNs);
            const Reply reply = m_user.m_session.reply();
            m_user.record({m_op, m_request.kind}, reply, nowNs() - m_startNs);
            return reply;
        }

    private:
        UserContext& m_user;
        OpId m_op;
        const Request& m_request; //!< lives in the awaiting coroutine's frame
        bool m_batched, m_later;
        std::int64_t m_startNs;
    };
    //! `request` must outlive the co_await: make it a named variable first. What was posted before goes with it; then
    //! an error may be that of an earlier operation.
    [[nodiscard]] Execution execute(OpId op, const Request& request) { return {*this, op, request, Wanted::Now}; }
    //! The same for an operation whose rows and counts nobody looks at, and which nothing else waits for. Where the
    //! session sends statements together (Session::batch()) the reply is Ok at once, and they go with the next
    //! execute(), with flush(), or at the transaction's end: workloads need not care. Their times count from the
    //! sending of all to the arrival of each one's own answer.
    [[nodiscard]] Execution post(OpId op, const Request& request) { return {*this, op, request, Wanted::Later}; }

    //! Awaiter that sends what was posted and gives the reply that failed, else the last one; Ok when there is nothing.
    class Flush
    {
    public:
        explicit Flush(UserContext& user)
            : m_user(user)
        {
        }
        bool await_ready()
        {
            m_empty = m_user.m_batchedOps.empty();
            if (m_empty) [[likely]]
                return true;
            m_startNs = nowNs();
            return m_user.m_batch->send() == Progress::Done;
        }
        void await_suspend(std::coroutine_handle<> handle) noexcept { m_user.m_waiter = handle; }
        Reply await_resume() { return m_empty ? Reply{} : m_user.takeAnswers(m_startNs); }

    private:
        UserContext& m_user;
        std::int64_t m_startNs = 0;
        bool m_empty = true;
    };
    [[nodiscard]] Flush flush() { return Flush(*this); }

    //! Awaiter of a step that is not part of the workload's operations (connect, prepare, rollback after an error,
    //! load) or a part of one. Rows that it changes are not counted: see countRows().
    class Step
    {
    public:
        Step(UserContext& user, const Request& request)
            : m_user(user)
            , m_request(request)
        {
        }
        bool await_ready() { return m_user.m_session.start(m_request) == Progress::Done; }
        void await_suspend(std::coroutine_handle<> handle) noexcept { m_user.m_waiter = handle; }
        Reply await_resume()
        {
            const Reply reply = m_user.m_session.reply();
            m_user.follow(m_request.kind, reply.outcome);
            m_user.m_stepRows += rowsOf(reply);
            if (reply.outcome != Outcome::Ok) {
                m_user.m_lastCode = reply.code;
                m_user.m_brokenOff.reset();
            }
            return reply;
        }

    private:
        UserContext& m_user;
        const Request& m_request;
    };
    [[nodiscard]] Step step(const Request& request) { return {*this, request}; }

    //! Awaiter that pauses this user until a time on nowNs()'s clock, or until all users are woken after `ticket` was
    //! read (RunState::wake). It may return early: look at what was waited for again.
    class Pause
    {
    public:
        Pause(UserContext& user, std::int64_t untilNs, std::uint32_t ticket)
            : m_user(user)
            , m_untilNs(untilNs)
            , m_ticket(ticket)
        {
        }
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> handle) noexcept
        {
            m_user.m_waiter = handle;
            m_user.m_pauseUntilNs = m_untilNs;
            m_user.m_pauseTicket = m_ticket;
        }
        void await_resume() const noexcept {}

    private:
        UserContext& m_user;
        std::int64_t m_untilNs;
        std::uint32_t m_ticket;
    };
    [[nodiscard]] Pause pause(std::int64_t untilNs, std::uint32_t ticket) { return {*this, untilNs, ticket}; }

    //! Awaiter that lets the other users of an event loop have a turn; nothing in the thread executor.
    class Yield : public Pause
    {
    public:
        explicit Yield(UserContext& user)
            : Pause(user, 1, 0)
            , m_shares(user.m_sharesThread)
        {
        }
        bool await_ready() const noexcept { return !m_shares; }

    private:
        bool m_shares;
    };
    [[nodiscard]] Yield yield() { return Yield(*this); }

    [[nodiscard]] Session& session() { return m_session; }
    //! Of WorkloadInstance::sections(), as the current phase of the load has them; nullptr: as the workload has them.
    [[nodiscard]] const SectionSums* sectionSums() const { return m_sectionSums; }
    //! For the virtual user, before each transaction. They outlive the user.
    void setSectionSums(const SectionSums* sums) { m_sectionSums = sums; }
    //! See Session::kept().
    [[nodiscard]] const KeptRows& kept() const { return m_session.kept(); }
    //! The current transaction's random stream: a function of (seed, stream(), sequence number).
    [[nodiscard]] Random& random() { return m_random; }
    [[nodiscard]] UserId user() const { return m_place.user; }
    [[nodiscard]] int users() const { return m_place.users; }
    //! Number of this user among those of all groups, and how many there are: for keys and random streams that no two
    //! users of a run may share.
    [[nodiscard]] std::uint64_t number() const
    {
        return std::uint64_t(indexOf(m_place.user)) + std::uint64_t(m_place.before);
    }
    [[nodiscard]] std::uint64_t everyone() const
    {
        return std::uint64_t(m_place.everyone > 0 ? m_place.everyone : m_place.users);
    }
    [[nodiscard]] std::uint64_t seed() const { return m_place.seed; }
    [[nodiscard]] std::uint64_t sequence() const { return m_sequence; }
    //! What the sequence numbers count: the transactions of this user, or the arrivals of an
    //! open loop: 0, or what stands for the group that they are of.
    [[nodiscard]] std::uint64_t stream() const { return m_stream; }
    [[nodiscard]] std::int32_t lastCode() const { return m_lastCode; }
    //! The operation in which the connection broke, with its time until then; none when that was in something else.
    [[nodiscard]] std::optional<CallUnderWay> brokenOff() const { return m_brokenOff; }
    //! Reused between transactions of this user (a bulk insert's statement, a row's text).
    [[nodiscard]] std::string& buffer() { return m_buffer; }
    //! This user's memory, which `make()` makes the first time; the same type each time.
    template<class Memory, class Make>
    [[nodiscard]] Memory& memory(const Make& make)
    {
        if (!m_memory) [[unlikely]]
            m_memory = make();
        return static_cast<Memory&>(*m_memory);
    }
    //! For pauses within a transaction; nullptr where there is no run, and no time to lose: nobody pauses there.
    [[nodiscard]] const PauseSignal* pauseSignal() const { return m_pauseSignal; }
    //! For the virtual user: lives as long as its transactions.
    void setPauseSignal(const PauseSignal* signal) { m_pauseSignal = signal; }
    //! Parameters of a statement that has many of them; reused, so that it allocates in the first transaction only.
    [[nodiscard]] std::vector<Param>& params() { return m_params; }
    //! The first of exactly `count` parameters in params(), each to be written: an earlier statement's are in there.
    [[nodiscard]] Param* paramsToWrite(std::size_t count)
    {
        m_params.resize(count);
        return m_params.data();
    }

    //! The server's answer was Ok and is wrong all the same (a record that must be there is not): the transaction
    //! returns this outcome and counts as failed. `code` is the workload's own, below 0; `text` outlives the user.
    [[nodiscard]] Outcome reject(std::int32_t code, const char* text)
    {
        m_lastCode = code;
        m_rejection = text;
        return Outcome::Rejected;
    }
    //! Why the last transaction failed: the workload's own words, else the session's. Not for the hot path.
    [[nodiscard]] std::string errorText() const { return m_rejection ? m_rejection : m_session.lastError(); }

    //! A transaction ended in a rollback that its definition asks for (TPC-C's 1 % of new orders): neither an error nor
    //! a retry. It still returns Ok.
    void noteRollback() { m_recorder.recordRollback(); }

    //! Counts rows that were changed by steps (step()); operations count their own. Inside a transaction they count at
    //! its commit: those of one that fails or is rolled back are not there. Outside of one they count at once, also
    //! where the connection does not commit by itself.
    void countRows(std::int64_t changed)
    {
        if (changed <= 0)
            return;
        if (m_inTransaction)
            m_uncommittedRows += std::uint64_t(changed);
        else
            m_recorder.recordRows(std::uint64_t(changed));
    }

    //! An operation that may miss some of the right answers found so many of those that there are.
    void countFound(std::uint64_t found, std::uint64_t wanted) { m_recorder.recordFound(found, wanted); }

    //! For the virtual user: starts transaction number `sequence` of this user.
    void beginTransaction(std::uint64_t sequence) { beginArrival(sequence, number() + 1); }
    //! The same in an open loop, where the stream belongs to the arrival whoever serves it.
    void beginArrival(std::uint64_t sequence, std::uint64_t stream = 0)
    {
        m_sequence = sequence;
        m_stream = stream;
        m_rejection = nullptr;
        m_inTransaction = false; // one that was given up
        m_uncommittedRows = 0;
        m_stepRows = 0;
        m_random = Random::forItem(m_place.seed, stream, sequence);
        if (!m_batchedOps.empty()) [[unlikely]]
            dropBatch(); // of a transaction that gave up before it was sent
    }
    [[nodiscard]] RecorderShard& recorder() { return m_recorder; }
    //! What is no single request but is measured as an operation; its rows are those of the steps (step()) since the
    //! last one, or since the transaction began.
    void recordOperation(OpId op, std::uint64_t serviceNs, bool ok)
    {
        recordOperation(op, serviceNs, ok, std::exchange(m_stepRows, 0));
    }
    void recordOperation(OpId op, std::uint64_t serviceNs, bool ok, std::uint64_t rows)
    {
        m_recorder.recordOperation(ofRun(op), serviceNs, ok, rows);
    }
    //! For the virtual user: a transaction that succeeded, and one that was given up.
    void recordTransaction(std::uint64_t serviceNs, std::uint64_t responseNs)
    {
        m_recorder.recordTransaction(serviceNs, responseNs);
        if (m_place.group) [[unlikely]]
            m_recorder.recordGroup(*m_place.group, serviceNs, responseNs);
    }
    void recordFailure()
    {
        m_recorder.recordFailure();
        if (m_place.group)
            m_recorder.recordOperation(*m_place.group, 0, false);
    }
    [[nodiscard]] std::optional<OpId> group() const { return m_place.group; }
    //! For the executor: the coroutine that waits for the session, once.
    [[nodiscard]] std::coroutine_handle<> takeWaiter() { return std::exchange(m_waiter, {}); }
    //! For the executor: when the waiter pauses, until when; 0 = it waits for its session.
    [[nodiscard]] std::int64_t takePause() { return std::exchange(m_pauseUntilNs, 0); }
    //! For the executor: other users live on this user's thread.
    void setSharesThread(bool on) { m_sharesThread = on; }
    [[nodiscard]] std::uint32_t pauseTicket() const { return m_pauseTicket; }

private:
    struct Operation
    {
        OpId op;
        RequestKind kind;
    };
    //! A statement may return the rows that it changes (RETURNING): they are one and the same. Of several statements in
    //! one request the reply does not tell them apart: the larger number.
    [[nodiscard]] static std::uint64_t rowsOf(const Reply& reply)
    {
        return std::uint64_t(std::max<std::int64_t>(0, std::max(reply.rows, reply.affected)));
    }
    [[nodiscard]] OpId ofRun(OpId op) const { return OpId(indexOf(op) + indexOf(m_place.firstOp)); }
    void record(Operation operation, const Reply& reply, std::int64_t elapsedNs)
    {
        recordOperation(operation.op, std::uint64_t(elapsedNs), reply.outcome == Outcome::Ok, rowsOf(reply));
        if (!follow(operation.kind, reply.outcome))
            countRows(reply.affected);
        if (reply.outcome == Outcome::Ok) [[likely]]
            return;
        m_lastCode = reply.code;
        m_brokenOff.reset();
        if (reply.outcome == Outcome::Disconnected)
            m_brokenOff = {ofRun(operation.op), elapsedNs};
    }
    //! Keeps in mind whether a transaction is open, and counts its rows when it is committed; false: `kind` is no end
    //! of one.
    bool follow(RequestKind kind, Outcome outcome)
    {
        if (kind != RequestKind::Begin && kind != RequestKind::Commit && kind != RequestKind::Rollback)
            return false;
        if (kind == RequestKind::Commit && outcome == Outcome::Ok && m_inTransaction && m_uncommittedRows > 0)
            m_recorder.recordRows(m_uncommittedRows);
        m_uncommittedRows = 0;
        m_inTransaction = kind == RequestKind::Begin && outcome == Outcome::Ok;
        return true;
    }
    void dropBatch()
    {
        m_batch->clear();
        m_batchedOps.clear();
    }
    //! Records the answers of a batch that was sent at `sentNs`. The operations after one that failed were not done.
    Reply takeAnswers(std::int64_t sentNs)
    {
        const std::span<const Batch::Answer> answers = m_batch->answers();
        for (std::size_t i = 0; i < answers.size() && i < m_batchedOps.size(); ++i)
            record(m_batchedOps[i], answers[i].reply, answers[i].arrivedNs - sentNs);
        dropBatch();
        return m_session.reply();
    }

    Session& m_session;
    RecorderShard& m_recorder;
    Batch* m_batch;                      //!< the session's; nullptr: none
    std::vector<Operation> m_batchedOps; //!< added to it since it was sent
    UserPlace m_place;
    Random m_random;
    std::uint64_t m_sequence = 0, m_stream = 0;
    std::uint64_t m_uncommittedRows = 0; //!< of the open transaction
    std::uint64_t m_stepRows = 0;        //!< of steps that belong to no recorded operation yet
    bool m_inTransaction = false;
    std::int32_t m_lastCode = 0;
    std::optional<CallUnderWay> m_brokenOff;
    const char* m_rejection = nullptr; //!< of the transaction under way
    std::string m_buffer;
    std::vector<Param> m_params;
    std::unique_ptr<UserMemory> m_memory;
    const PauseSignal* m_pauseSignal = nullptr;
    const SectionSums* m_sectionSums = nullptr;
    std::coroutine_handle<> m_waiter;
    std::int64_t m_pauseUntilNs = 0;
    std::uint32_t m_pauseTicket = 0;
    bool m_sharesThread = false;
};

} // namespace dyno
