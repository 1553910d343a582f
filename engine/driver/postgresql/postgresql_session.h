// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One connection of one virtual user, blocking or on an event loop.
#pragma once

#include "coro/task.h"
#include "driver/socket_cutter.h"
#include "postgresql_batch.h"
#include "postgresql_connection.h"
#include "postgresql_statement.h"

#include <map>
#include <mutex>
#include <optional>

namespace dyno::postgresql {

//! libpq waits for the server in one call only, PQgetResult(), and says beforehand whether it would. So both kinds run
//! the same code: what is sent is sent by the calls that do not wait, and the kinds differ in collect() and in how they
//! wait for the socket while connecting. Requests of several steps are coroutines; one statement is none.
class PostgresqlSession final : public Session, public Batch
{
public:
    PostgresqlSession(ConnectTargetPtr target, std::shared_ptr<const ConnectOptions> options);
    ~PostgresqlSession() override;

    Progress start(const Request& request) override;
    Progress resume(IoEvents events) override;
    [[nodiscard]] IoWait ioWait() const override;
    void abort() noexcept override;
    [[nodiscard]] std::string lastError() const override { return m_error; }

    [[nodiscard]] Batch* batch() override { return m_batches ? this : nullptr; }
    void clear() override;
    void add(const Request& request) override { m_queue.add(request); }
    Progress send() override;
    [[nodiscard]] std::span<const Answer> answers() const override { return m_answers; }

private:
    struct Statement
    {
        std::optional<PreparedStatement> prepared;
        std::optional<TextStatement> text; //!< set when it goes as text
        bool commits = false;
    };
    //! What comes back is answers to this.
    enum class Exchange { Single, Description, Pieces };
    //! COPY … TO STDOUT: its rows come beside the results, and its result tells their number once more.
    enum class Copying { No, Rows, Ended };

    //! Awaits the end of what was sent.
    struct Collected
    {
        PostgresqlSession& session;
        bool await_ready() { return session.collect(); }
        void await_suspend(std::coroutine_handle<> waiter) noexcept { session.m_waiter = waiter; }
        void await_resume() const noexcept {}
    };
    //! Awaits the socket while connecting; false when the time is over.
    struct Ready
    {
        PostgresqlSession& session;
        bool await_ready() { return session.m_loop ? false : session.waitBlocking(); }
        void await_suspend(std::coroutine_handle<> waiter) noexcept { session.m_waiter = waiter; }
        bool await_resume() const noexcept { return !session.m_timedOut; }
    };

    [[nodiscard]] Task<void> perform(Request request);
    [[nodiscard]] Task<void> connect();
    [[nodiscard]] Task<void> handshake(std::optional<Failure>& failure);
    [[nodiscard]] Task<void> prepare(StatementId id);
    [[nodiscard]] Task<void> prepareAndExecute(StatementId id, std::span<const Param> params);
    [[nodiscard]] Task<void> bulk(std::string_view table, std::string_view rows);
    [[nodiscard]] Task<void> sendQueue();
    Progress progress();

    [[nodiscard]] bool hasConnection();
    void disconnect();
    [[nodiscard]] bool aborted();
    void endConnecting(const std::optional<Failure>& failure);
    //! Blocking: waits for the socket as m_wanted says; always true.
    bool waitBlocking();
    [[nodiscard]] int millisecondsLeft() const;

    [[nodiscard]] const StatementSpec& specOf(StatementId id) const { return m_target->statements[indexOf(id)]; }
    //! nullptr when there is none; the reply says so then.
    [[nodiscard]] Statement* find(StatementId id);
    [[nodiscard]] static bool isReady(const Statement& statement)
    {
        return statement.text || statement.prepared->ready();
    }
    //! Sends; false when that failed, and the reply says why. `text` stays until the answer.
    [[nodiscard]] bool sendText(std::string_view text, Keep keep = Keep::Nothing);
    [[nodiscard]] bool sendStatement(StatementId id, Statement& statement, std::span<const Param> params);
    [[nodiscard]] bool sendQueued(std::size_t index);
    [[nodiscard]] bool sent(int done);

    //! Takes what has arrived; true when all of the exchange has. Blocking: waits for that.
    bool collect();
    //! True when PQgetResult() would not wait.
    [[nodiscard]] bool settled();
    //! True when this was the last one.
    bool take(const PGresult* result);
    void takePiece(const PGresult* result);
    void takeAnswer(const PGresult* result);
    void takeFailure(const PGresult* result);
    [[nodiscard]] bool readAwayCopy();
    void refuse(const char* sqlState, std::string text);
    //! After the last result: whether the connection still stands, and the transaction.
    void endExchange();

    ConnectTargetPtr m_target;
    std::shared_ptr<const ConnectOptions> m_options;
    const bool m_loop;     //!< on an event loop
    const bool m_batches;  //!< has a Batch
    SocketCutter m_cutter; //!< before the connection, which uses it to its end
    Connection m_connection;
    std::vector<Statement> m_statements;
    BoundValues m_values;
    std::string m_text; //!< statement under way in the text protocol; keeps its capacity
    std::string m_error;

    // The exchange under way.
    Exchange m_exchange = Exchange::Single;
    PreparedStatement* m_preparing = nullptr;
    Statement* m_executing = nullptr; //!< of an Execute
    std::string_view m_sent;          //!< of all else
    Keep m_keep = Keep::Nothing;
    bool m_failed = false; //!< a result was an error: those after it do not count
    Copying m_copying = Copying::No;
    std::int32_t m_transactionFault = 0; //!< code of the first error in the transaction that is open
    std::string m_transactionError;

    // Batch.
    RequestQueue m_queue;
    std::vector<Answer> m_answers;
    std::size_t m_answering = 0; //!< index in m_queue

    std::map<std::string, std::vector<bool>, std::less<>> m_bulkTables; //!< binaryColumns() by what requests name
    std::string m_copyText;

    // Waiting.
    Task<void> m_task; //!< the request under way, if it has several steps
    std::coroutine_handle<> m_waiter;
    bool m_sending = false;                                //!< not all could be written
    PostgresPollingStatusType m_wanted = PGRES_POLLING_OK; //!< while connecting
    std::int64_t m_connectByNs = 0;
    bool m_timedOut = false;
    bool m_justConnected = false, m_freshSocket = false; //!< the first request of a connection: its socket is a new one

    std::mutex m_abortLock; //!< of the two flags; never taken per operation
    bool m_connecting = false;
    bool m_abortRequested = false;
};

} // namespace dyno::postgresql
