// SPDX-License-Identifier: GPL-3.0-or-later
#include "postgresql_session.h"

#include "base/clock.h"
#include "postgresql_copy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>

namespace dyno::postgresql {

namespace {

constexpr const char* kNotSupported = "0A000"; // also: the table was altered under a prepared statement
constexpr const char* kFailedTransaction = "25P02";
constexpr const char* kUnknownStatement = "26000";

std::string_view stepText(RequestKind kind)
{
    switch (kind) {
    case RequestKind::Begin:
        return "BEGIN";
    case RequestKind::Commit:
        return "COMMIT";
    default:
        return "ROLLBACK";
    }
}

bool isStep(RequestKind kind)
{
    return kind == RequestKind::Begin || kind == RequestKind::Commit || kind == RequestKind::Rollback;
}

} // namespace

PostgresqlSession::PostgresqlSession(ConnectTargetPtr target, std::shared_ptr<const ConnectOptions> options)
    : m_target(std::move(target))
    , m_options(std::move(options))
    , m_loop(m_target->eventLoop && !m_target->loader)
    , m_batches(m_options->pipeline && !m_target->loader)
{
}

PostgresqlSession::~PostgresqlSession()
{
    m_task = {};
    disconnect();
}

Progress PostgresqlSession::start(const Request& request)
{
    m_reply = {};
    m_freshSocket = std::exchange(m_justConnected, false);
    if (request.kind == RequestKind::Execute) [[likely]] {
        if (!hasConnection())
            return Progress::Done;
        Statement* statement = find(request.statement);
        if (!statement)
            return Progress::Done;
        if (isReady(*statement)) [[likely]]
            return !sendStatement(request.statement, *statement, request.params) || collect() ? Progress::Done
                                                                                              : Progress::Pending;
    } else if (isStep(request.kind) || request.kind == RequestKind::Text) {
        if (!hasConnection())
            return Progress::Done;
        const std::string_view text = isStep(request.kind) ? stepText(request.kind) : request.text;
        return !sendText(text, request.keep) || collect() ? Progress::Done : Progress::Pending;
    } else if (request.kind != RequestKind::Connect && !hasConnection()) {
        return Progress::Done;
    }
    m_task = perform(request);
    m_task.start();
    return progress();
}

Progress PostgresqlSession::send()
{
    m_reply = {};
    m_answers.clear();
    m_freshSocket = std::exchange(m_justConnected, false);
    if (!hasConnection()) {
        m_answers.push_back({m_reply, nowNs()});
        return Progress::Done;
    }
    if (m_queue.empty())
        return Progress::Done;
    m_task = sendQueue();
    m_task.start();
    return progress();
}

Progress PostgresqlSession::progress()
{
    if (!m_task.done())
        return Progress::Pending;
    // The frame goes back to the pool of the thread that made it.
    Task<void> finished = std::exchange(m_task, {});
    finished.result();
    return Progress::Done;
}

Progress PostgresqlSession::resume(IoEvents events)
{
    if (!events.read && !events.write && !events.timeout)
        return Progress::Pending;
    if (m_wanted != PGRES_POLLING_OK) {
        m_timedOut = events.timeout && !events.read && !events.write;
        if (m_timedOut && millisecondsLeft() > 0) {
            m_timedOut = false;
            return Progress::Pending;
        }
    } else if (m_connection) {
        if (events.timeout)
            return Progress::Pending;
        if (events.read)
            PQconsumeInput(m_connection.get()); // where that fails, the connection's state tells
        if (!collect())
            return Progress::Pending;
    }
    if (!m_waiter)
        return Progress::Done; // one statement
    coro::run(std::exchange(m_waiter, {}));
    return progress();
}

IoWait PostgresqlSession::ioWait() const
{
    IoWait wait;
    wait.fd = PQsocket(m_connection.get());
    if (m_wanted != PGRES_POLLING_OK) {
        wait.read = m_wanted == PGRES_POLLING_READING;
        wait.write = !wait.read;
        wait.timeoutMs = millisecondsLeft();
        wait.fresh = true; // a host with several addresses is tried with several sockets
        return wait;
    }
    // Who only waits to write, while the server waits for its answers to be read, waits for ever.
    wait.read = true;
    wait.write = m_sending;
    wait.fresh = m_connecting || m_freshSocket;
    return wait;
}

void PostgresqlSession::abort() noexcept
{
    {
        const std::lock_guard lock(m_abortLock);
        m_abortRequested = m_connecting;
    }
    m_cutter.cut();
}

bool PostgresqlSession::hasConnection()
{
    if (m_connection) [[likely]]
        return true;
    m_reply = {.outcome = Outcome::Disconnected, .code = kConnectionFailure};
    m_error = "not connected";
    return false;
}

void PostgresqlSession::refuse(const char* sqlState, std::string text)
{
    m_reply.outcome = Outcome::Rejected;
    m_reply.code = codeOf(sqlState);
    m_error = std::move(text);
}

void PostgresqlSession::disconnect()
{
    m_connection.reset();
    m_cutter.detach();
    m_statements.clear();
    m_executing = nullptr;
    m_bulkTables.clear();
    m_copying = Copying::No;
    m_transactionFault = 0;
}

Task<void> PostgresqlSession::perform(Request request)
{
    switch (request.kind) {
    case RequestKind::Connect: {
        co_await connect();
        break;
    }
    case RequestKind::Prepare: {
        co_await prepare(request.statement);
        break;
    }
    case RequestKind::Execute: {
        co_await prepareAndExecute(request.statement, request.params);
        break;
    }
    case RequestKind::Bulk: {
        co_await bulk(request.text, request.value);
        break;
    }
    default:
        break; // see start()
    }
}

Task<void> PostgresqlSession::connect()
{
    disconnect();
    {
        const std::lock_guard lock(m_abortLock);
        m_connecting = true;
        m_abortRequested = false;
    }
    std::optional<Failure> failure;
    m_connection = startConnect(*m_options);
    if (!m_connection)
        failure = Failure{kConnectionFailure, "out of memory", {}};
    else
        co_await handshake(failure);
    endConnecting(failure);
}

Task<void> PostgresqlSession::handshake(std::optional<Failure>& failure)
{
    PGconn* const connection = m_connection.get();
    m_connectByNs = nowNs() + std::int64_t(m_options->connectTimeoutSeconds) * 1'000'000'000;
    m_wanted = PGRES_POLLING_WRITING;
    m_timedOut = false;
    while (PQstatus(connection) != CONNECTION_BAD && m_wanted != PGRES_POLLING_FAILED && m_wanted != PGRES_POLLING_OK) {
        // Each time: the library may be at another address with another socket.
        if (m_loop)
            m_cutter.watch(PQsocket(connection));
        else
            m_cutter.attach(PQsocket(connection));
        if (aborted())
            break;
        const bool inTime = co_await Ready{*this};
        if (!inTime) {
            failure = connectTimeout(*m_options);
            co_return;
        }
        m_wanted = PQconnectPoll(connection);
    }
    m_wanted = PGRES_POLLING_OK;
    if (aborted())
        co_return; // see endConnecting()
    if (PQstatus(connection) != CONNECTION_OK) {
        failure = connectFailure(connection);
        co_return;
    }
    if (m_loop && PQsetnonblocking(connection, 1) != 0) {
        failure = failureOf(connection, nullptr);
        co_return;
    }
    for (const std::string& statement : m_options->atConnect) {
        m_reply = {};
        if (sendText(statement))
            co_await Collected{*this};
        if (m_reply.outcome == Outcome::Ok)
            continue;
        failure = Failure{m_reply.code, m_error, statement};
        break;
    }
}

void PostgresqlSession::endConnecting(const std::optional<Failure>& failure)
{
    m_wanted = PGRES_POLLING_OK;
    const std::lock_guard lock(m_abortLock);
    m_connecting = false;
    m_justConnected = true;
    if (failure || m_abortRequested) {
        disconnect();
        m_reply.code = failure ? failure->code : kConnectionFailure;
        m_reply.outcome = failure ? outcomeOf(m_reply.code) : Outcome::Disconnected;
        m_error = !failure                     ? "aborted while connecting"
                  : failure->statement.empty() ? failure->text
                                               : failure->statement + ": " + failure->text;
        return;
    }
    m_reply = {};
    m_statements.resize(m_target->statements.size());
    for (std::size_t i = 0; i < m_statements.size(); ++i) {
        const StatementSpec& spec = m_target->statements[i];
        m_statements[i].commits = commits(spec.text);
        if (m_options->prepared && spec.preparable)
            m_statements[i].prepared.emplace(spec.text);
        else
            m_statements[i].text.emplace(spec.text);
    }
}

bool PostgresqlSession::aborted()
{
    const std::lock_guard lock(m_abortLock);
    return m_abortRequested;
}

int PostgresqlSession::millisecondsLeft() const
{
    return int(std::max<std::int64_t>(0, (m_connectByNs - nowNs() + 999'999) / 1'000'000));
}

bool PostgresqlSession::waitBlocking()
{
    pollfd file{PQsocket(m_connection.get()), short(m_wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
    int ready = -1;
    while (ready < 0) // interrupted by a signal
        ready = ::poll(&file, 1, millisecondsLeft());
    m_timedOut = ready == 0;
    return true;
}

PostgresqlSession::Statement* PostgresqlSession::find(StatementId id)
{
    const std::size_t index = indexOf(id);
    if (index < m_statements.size()) [[likely]]
        return &m_statements[index];
    refuse(kUnknownStatement, "no such statement in the workload");
    return nullptr;
}

Task<void> PostgresqlSession::prepare(StatementId id)
{
    Statement* statement = find(id);
    if (!statement || isReady(*statement))
        co_return;
    PreparedStatement& prepared = *statement->prepared;
    PGconn* const connection = m_connection.get();
    const char* const name = prepared.nextName(indexOf(id));
    m_exchange = Exchange::Description;
    m_preparing = &prepared;
    m_answering = 0;
    m_failed = false;
    // Together: one way to the server and back for both.
    if (sent(PQenterPipelineMode(connection)) &&
        sent(PQsendPrepare(connection, name, prepared.text().c_str(), 0, nullptr)) &&
        (!prepared.describable() || sent(PQsendDescribePrepared(connection, name))) && sent(PQpipelineSync(connection)))
        co_await Collected{*this};
}

Task<void> PostgresqlSession::prepareAndExecute(StatementId id, std::span<const Param> params)
{
    // After a reconnect, or because the workload did not ask for it.
    co_await prepare(id);
    Statement* statement = m_reply.outcome == Outcome::Ok ? find(id) : nullptr;
    if (statement && sendStatement(id, *statement, params))
        co_await Collected{*this};
}

//! The connection is broken when the library does not take a request.
bool PostgresqlSession::sent(int done)
{
    if (done == 1) [[likely]]
        return true;
    takeFailure(nullptr);
    disconnect();
    return false;
}

bool PostgresqlSession::sendText(std::string_view text, Keep keep)
{
    m_exchange = Exchange::Single;
    m_executing = nullptr;
    m_keep = keep;
    if (keep != Keep::Nothing)
        m_kept.begin(keep);
    m_failed = false;
    if (text.data() != m_text.data())
        m_text.assign(text); // the library wants a zero byte at its end
    m_sent = m_text;
    if (m_text.find('\0') != std::string::npos) {
        refuse("22021", "the statement holds a zero byte");
        return false;
    }
    return sent(PQsendQuery(m_connection.get(), m_text.c_str()));
}

bool PostgresqlSession::sendStatement(StatementId id, Statement& statement, std::span<const Param> params)
{
    const Keep keep = specOf(id).keep;
    if (statement.text) {
        m_text.clear();
        statement.text->append(m_connection.get(), params, m_text);
        if (!sendText(m_text))
            return false;
    } else {
        const PreparedStatement& prepared = *statement.prepared;
        if (const auto fault = m_values.bind(prepared.types(), params)) [[unlikely]] {
            m_reply = {.outcome = outcomeOf(fault->code), .code = fault->code};
            m_error = fault->text;
            return false;
        }
        m_exchange = Exchange::Single;
        m_executing = nullptr;
        m_failed = false;
        if (!sent(PQsendQueryPrepared(m_connection.get(), prepared.name(), int(prepared.types().size()),
                                      m_values.values(), m_values.lengths(), m_values.formats(),
                                      prepared.resultFormat())))
            return false;
    }
    m_executing = &statement;
    m_keep = keep;
    if (keep != Keep::Nothing)
        m_kept.begin(keep);
    return true;
}

bool PostgresqlSession::settled()
{
    PGconn* const connection = m_connection.get();
    const int flushed = PQflush(connection);
    m_sending = flushed == 1;
    return flushed < 0 || PQstatus(connection) == CONNECTION_BAD || PQisBusy(connection) == 0;
}

bool PostgresqlSession::collect()
{
    PGconn* const connection = m_connection.get();
    while (true) {
        if (m_loop && !settled())
            return false;
        if (m_copying == Copying::Rows) [[unlikely]] {
            if (!readAwayCopy())
                return false;
            continue;
        }
        const Result result(PQgetResult(connection));
        if (!result) {
            if (m_exchange == Exchange::Single || PQstatus(connection) == CONNECTION_BAD)
                break;
            ++m_answering; // in a pipeline it parts the answers
        } else if (take(result.get())) {
            break;
        }
    }
    endExchange();
    return true;
}

bool PostgresqlSession::take(const PGresult* result)
{
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_PIPELINE_SYNC)
        return true;
    if (m_failed || status == PGRES_PIPELINE_ABORTED)
        return false;
    switch (m_exchange) {
    case Exchange::Single:
        takeAnswer(result);
        break;
    case Exchange::Description:
        if (status != PGRES_COMMAND_OK)
            takeFailure(result);
        else if (m_answering == 1) // the first one is that of preparing it
            m_preparing->described(result);
        else if (!m_preparing->describable())
            m_preparing->prepared();
        break;
    case Exchange::Pieces:
        takePiece(result);
        break;
    }
    return false;
}

void PostgresqlSession::takeAnswer(const PGresult* result)
{
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) {
        m_copying = Copying::Rows;
        return;
    }
    if (status == PGRES_COPY_IN) {
        refuse(kNotSupported, "COPY FROM STDIN has no rows here");
        m_failed = true;
        PQputCopyEnd(m_connection.get(), "there are no rows");
        return;
    }
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY) {
        takeFailure(result);
        return;
    }
    const char* const command = PQcmdStatus(const_cast<PGresult*>(result));
    bool changes = std::exchange(m_copying, Copying::No) == Copying::No;
    if (m_keep == Keep::LastNamed) { // those that are kept count
        m_kept.restart();
        m_reply.rows = 0;
    }
    if (status == PGRES_TUPLES_OK) {
        m_reply.rows += PQntuples(result);
        if (m_keep != Keep::Nothing) {
            m_kept.restart();
            keepRows(result, m_kept);
        }
        // RETURNING; a SELECT's number is that of its rows.
        changes = std::strncmp(command, "SELECT", 6) != 0 && std::strncmp(command, "FETCH", 5) != 0;
    } else if (std::strcmp(command, "ROLLBACK") == 0 && (m_executing ? m_executing->commits : commits(m_sent))) {
        // The server answers a COMMIT like this, and not with an error, where the transaction had failed before.
        const std::int32_t code = m_transactionFault ? m_transactionFault : codeOf(kFailedTransaction);
        m_reply.outcome = outcomeOf(code) == Outcome::Retryable ? Outcome::Retryable : Outcome::Rejected;
        m_reply.code = code;
        m_error = "the transaction was rolled back, because a statement in it had failed: " + m_transactionError;
        m_failed = true;
        return;
    }
    if (changes) {
        const char* const count = PQcmdTuples(const_cast<PGresult*>(result));
        std::int64_t affected = 0;
        std::from_chars(count, count + std::strlen(count), affected);
        m_reply.affected += affected;
    }
}

void PostgresqlSession::takeFailure(const PGresult* result)
{
    const Failure failure = failureOf(m_connection.get(), result);
    m_reply.outcome = outcomeOf(failure.code);
    m_reply.code = failure.code;
    m_error = failure.text.empty() ? "the connection ended within an answer" : failure.text;
    m_failed = true;
    // Prepared again at the next call, under another name.
    if (failure.code == codeOf(kNotSupported) && m_executing && m_executing->prepared)
        m_executing->prepared->forget();
}

bool PostgresqlSession::readAwayCopy()
{
    char* row = nullptr;
    const int size = PQgetCopyData(m_connection.get(), &row, m_loop ? 1 : 0);
    PQfreemem(row);
    if (size > 0)
        ++m_reply.rows;
    else if (size < 0)
        m_copying = Copying::Ended;
    return size != 0;
}

void PostgresqlSession::endExchange()
{
    PGconn* const connection = m_connection.get();
    if (PQstatus(connection) == CONNECTION_BAD) [[unlikely]] {
        // Whatever had arrived: whether the rest was done, nobody knows.
        if (m_reply.outcome != Outcome::Disconnected) {
            if (m_reply.outcome == Outcome::Ok)
                m_error = failureOf(connection, nullptr).text;
            m_reply.outcome = Outcome::Disconnected;
            if (m_reply.code == 0)
                m_reply.code = kConnectionFailure;
        }
    }
    if (m_reply.outcome == Outcome::Disconnected) [[unlikely]] {
        if (m_error.empty())
            m_error = "the connection ended within an answer";
        disconnect();
        return;
    }
    if (m_exchange != Exchange::Single)
        PQexitPipelineMode(connection);
    if (PQtransactionStatus(connection) != PQTRANS_INERROR) [[likely]] {
        m_transactionFault = 0;
    } else if (m_transactionFault == 0) {
        m_transactionFault = m_reply.code;
        m_transactionError = m_error;
    }
}

Task<void> PostgresqlSession::bulk(std::string_view table, std::string_view rows)
{
    if (!m_options->bulk || m_loop) {
        refuse(kNotSupported,
               m_loop ? "bulk loading needs a blocking session" : "bulk loading is off for this connection");
        co_return;
    }
    PGconn* const connection = m_connection.get();
    auto known = m_bulkTables.find(table);
    if (known == m_bulkTables.end()) {
        const Result columns(PQexec(connection, copyColumnsQuery(table).c_str()));
        if (PQresultStatus(columns.get()) != PGRES_TUPLES_OK) {
            takeFailure(columns.get());
            endExchange();
            co_return;
        }
        known = m_bulkTables.emplace(table, binaryColumns(columns.get())).first;
    }
    m_exchange = Exchange::Single;
    m_executing = nullptr;
    m_keep = Keep::Nothing;
    m_failed = false;
    const Result begun(PQexec(connection, copyStatement(table).c_str()));
    if (PQresultStatus(begun.get()) != PGRES_COPY_IN) {
        takeFailure(begun.get());
        endExchange();
        co_return;
    }
    const bool sent = sendCopy(connection, copyRows(rows, known->second, m_copyText));
    if (!sent && PQstatus(connection) == CONNECTION_OK) {
        // The library has not seen that the connection is lost, and its next result would be that it waits for rows.
        takeFailure(nullptr);
        endExchange();
        co_return;
    }
    co_await Collected{*this}; // what went wrong is among the results
}

void PostgresqlSession::clear()
{
    m_queue.clear();
    m_answers.clear();
}

bool PostgresqlSession::sendQueued(std::size_t index)
{
    PGconn* const connection = m_connection.get();
    const Request request = m_queue.at(index);
    Statement* const statement = request.kind == RequestKind::Execute ? find(request.statement) : nullptr;
    if (request.kind == RequestKind::Execute) {
        if (!statement)
            return false;
        if (statement->prepared) {
            const PreparedStatement& prepared = *statement->prepared;
            if (const auto fault = m_values.bind(prepared.types(), request.params)) {
                m_reply = {.outcome = outcomeOf(fault->code), .code = fault->code};
                m_error = fault->text;
                return false;
            }
            return sent(PQsendQueryPrepared(connection, prepared.name(), int(prepared.types().size()),
                                            m_values.values(), m_values.lengths(), m_values.formats(),
                                            prepared.resultFormat()));
        }
        m_text.clear();
        statement->text->append(connection, request.params, m_text);
    } else if (isStep(request.kind)) {
        m_text.assign(stepText(request.kind));
    } else if (request.kind == RequestKind::Text) {
        m_text.assign(request.text);
    } else {
        refuse(kNotSupported, "this request cannot be sent together with others");
        return false;
    }
    return sent(PQsendQueryParams(connection, m_text.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
}

Task<void> PostgresqlSession::sendQueue()
{
    for (std::size_t i = 0; i < m_queue.size() && m_reply.outcome == Outcome::Ok; ++i) {
        const Request request = m_queue.at(i);
        if (request.kind == RequestKind::Execute)
            co_await prepare(request.statement);
    }
    std::size_t first = 0;
    while (m_reply.outcome == Outcome::Ok && first < m_queue.size()) {
        const bool open = PQtransactionStatus(m_connection.get()) == PQTRANS_INTRANS;
        const std::size_t end = m_queue.pieceEnd(first, open);
        PQenterPipelineMode(m_connection.get());
        std::size_t ready = first;
        while (ready < end && sendQueued(ready))
            ++ready;
        if (!m_connection)
            break;
        const Reply fault = std::exchange(m_reply, {}); // of what could not be sent
        m_exchange = Exchange::Pieces;
        m_answering = first;
        m_failed = false;
        if (!sent(PQpipelineSync(m_connection.get())))
            break;
        co_await Collected{*this};
        if (m_reply.outcome == Outcome::Ok && fault.outcome != Outcome::Ok)
            m_reply = fault;
        first = end;
    }
    if (m_reply.outcome != Outcome::Ok && (m_answers.empty() || m_answers.back().reply.outcome == Outcome::Ok))
        m_answers.push_back({m_reply, nowNs()});
    else if (m_reply.outcome != Outcome::Ok)
        m_answers.back().reply = m_reply; // it may have ended the connection, which shows last
}

void PostgresqlSession::takePiece(const PGresult* result)
{
    const Request request = m_queue.at(m_answering);
    m_executing = request.kind == RequestKind::Execute ? &m_statements[indexOf(request.statement)] : nullptr;
    m_sent = isStep(request.kind) ? stepText(request.kind) : request.text;
    m_keep = m_executing && m_answering + 1 == m_queue.size() ? specOf(request.statement).keep : Keep::Nothing;
    if (m_keep != Keep::Nothing)
        m_kept.begin(m_keep);
    m_reply = {};
    takeAnswer(result);
    m_answers.push_back({m_reply, nowNs()});
}

} // namespace dyno::postgresql
