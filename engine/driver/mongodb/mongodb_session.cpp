// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongodb_session.h"

#include "base/clock.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace dyno::mongodb {

namespace {

// The server's own numbers for what this driver refuses in its stead.
constexpr std::int32_t kBadValue = 2;
constexpr std::int32_t kFailedToParse = 9;
constexpr std::int32_t kIllegalOperation = 20;
constexpr std::int32_t kHostUnreachable = 6;
constexpr std::int32_t kObjectTooLarge = 10334; // BSONObjectTooLarge
constexpr std::int32_t kNotSupported = 238;     // NotImplemented

constexpr std::int64_t kAtOnceNs = 20'000'000;
constexpr int kCommitTries = 3; //!< of a commit whose result is unknown

//! The reason of one server in the error of a selection that found none: "[connection refused calling hello on 'h']".
bool hasReason(const bson_error_t& error)
{
    return std::strchr(error.message, '[') != nullptr;
}

constexpr std::uint32_t kMessageHead = 16 * 1024; //!< generous: head of the message, session and concerns

std::uint32_t longestMessage(const bson_t& hello)
{
    constexpr std::int64_t kUsual = 48'000'000;
    bson_iter_t at;
    const std::int64_t told =
        bson_iter_init_find(&at, &hello, "maxMessageSizeBytes") ? bson_iter_as_int64(&at) : kUsual;
    return std::uint32_t(std::clamp<std::int64_t>(told, 2 * kMessageHead, kUsual));
}

} // namespace

MongodbSession::MongodbSession(std::shared_ptr<Pool> pool)
    : m_pool(std::move(pool))
    , m_options(m_pool->options())
    , m_own(m_pool->take())
{
}

MongodbSession::~MongodbSession()
{
    m_session.reset();
    m_pool->giveBack(m_own);
    for (bson_t* document : {&m_readOpts, &m_writeOpts, &m_unacknowledged, &m_getMore})
        bson_destroy(document);
}

Progress MongodbSession::start(const Request& request)
{
    m_reply = {};
    m_keep = Keep::Nothing;
    if (request.kind == RequestKind::Connect) {
        doConnect();
        return Progress::Done;
    }
    if (!m_connected) {
        m_reply = {.outcome = Outcome::Disconnected, .code = kHostUnreachable};
        keepError("not connected");
        return Progress::Done;
    }
    if (m_lookForPrimary && !inTransaction() && !selectServers())
        return Progress::Done;
    switch (request.kind) {
    case RequestKind::Connect:
        break;
    case RequestKind::Prepare:
        doPrepare(request.statement);
        break;
    case RequestKind::Begin:
        doBegin();
        break;
    case RequestKind::Commit:
        doCommit();
        break;
    case RequestKind::Rollback:
        doRollback();
        break;
    case RequestKind::Execute:
        doExecute(request.statement, request.params);
        break;
    case RequestKind::Text:
        doText(request.text, request.keep);
        break;
    case RequestKind::Bulk:
        reject(kNotSupported, "MongoDB has no bulk form of its own: an insert command takes many documents");
        break;
    }
    return Progress::Done;
}

void MongodbSession::doConnect()
{
    m_connected = false;
    m_session.reset();
    Link& link = *m_own.link;
    bson_error_t error{};
    link.allow();
    if (link.open() && m_writeServer != 0 && !ping(m_writeServer, error)) {
        // What was left of the connection is gone with that.
    }
    if (!selectServers())
        return;
    const auto product = m_pool->product(m_own.client);
    if (!product) {
        m_reply = {.outcome = link.aborted() ? Outcome::Disconnected : Outcome::Rejected, .code = kHostUnreachable};
        return keepError(product.error().message);
    }
    m_product = *product;
    if (!m_options.acknowledged && !m_product.honoursUnacknowledged)
        return reject(kIllegalOperation,
                      fmt::format("{} answers writes with w=0 too, so that every later answer would belong to another "
                                  "request: use another write_concern",
                                  m_product.text()));
    if (m_options.acknowledged) {
        mongoc_session_opt_t* options = mongoc_session_opts_new();
        mongoc_session_opts_set_causal_consistency(options, false);
        if (m_options.writes) {
            mongoc_transaction_opt_t* transaction = mongoc_transaction_opts_new();
            mongoc_transaction_opts_set_write_concern(transaction, m_options.writes.get());
            mongoc_session_opts_set_default_transaction_opts(options, transaction);
            mongoc_transaction_opts_destroy(transaction);
        }
        m_session.reset(mongoc_client_start_session(m_own.client, options, &error)); // null: the server has none
        mongoc_session_opts_destroy(options);
    }
    makeOptions();
    if (link.aborted()) {
        m_reply = {.outcome = Outcome::Disconnected, .code = kHostUnreachable};
        return keepError("aborted while connecting");
    }
    m_connected = true;
}

std::uint32_t MongodbSession::select(bool forWrites, bson_error_t& error)
{
    const std::int64_t until = nowNs() + std::int64_t(m_options.selectionTimeoutMs) * 1'000'000;
    for (;;) {
        const std::int64_t begin = nowNs();
        mongoc_server_description_t* found = mongoc_client_select_server(
            m_own.client, forWrites, forWrites ? nullptr : m_options.readPreference.get(), &error);
        if (found) {
            const std::uint32_t id = mongoc_server_description_id(found);
            m_longest = longestMessage(*mongoc_server_description_hello_response(found)) - kMessageHead;
            mongoc_server_description_destroy(found);
            return id;
        }
        // One server that refuses is an answer; of several, another one may take over. What the library knows without
        // a look, such as the name of another set, does not change.
        const bool answered = (hasReason(error) && !m_options.severalHosts) || nowNs() - begin < kAtOnceNs;
        if (error.domain != MONGOC_ERROR_SERVER_SELECTION || answered || m_own.link->aborted() || nowNs() >= until)
            return 0;
    }
}

bool MongodbSession::ping(std::uint32_t server, bson_error_t& error)
{
    bson_t command = BSON_INITIALIZER;
    bson_append_int32(&command, "ping", -1, 1);
    const bool done =
        mongoc_client_command_simple_with_server_id(m_own.client, "admin", &command, nullptr, server, nullptr, &error);
    bson_destroy(&command);
    return done;
}

bool MongodbSession::selectServers()
{
    bson_error_t error{};
    m_writeServer = select(true, error);
    m_readServer = m_writeServer;
    if (m_writeServer != 0 && m_options.readPreference)
        m_readServer = select(false, error);
    bool done = m_writeServer != 0 && m_readServer != 0 && ping(m_writeServer, error);
    if (done && m_readServer != m_writeServer)
        done = ping(m_readServer, error);
    if (!done) {
        fail(error, nullptr);
        return false;
    }
    m_lookForPrimary = false;
    makeOptions();
    return true;
}

void MongodbSession::makeOptions()
{
    for (const auto& [options, server] :
         {std::pair{&m_readOpts, m_readServer}, {&m_writeOpts, m_writeServer}, {&m_unacknowledged, m_writeServer}}) {
        bson_reinit(options);
        bson_append_int32(options, "serverId", -1, std::int32_t(server));
        bson_error_t ignored{};
        if (m_session && options != &m_unacknowledged)
            static_cast<void>(mongoc_client_session_append(m_session.get(), options, &ignored));
    }
    if (!m_options.acknowledged)
        mongoc_write_concern_append(m_options.writes.get(), &m_unacknowledged);
}

const CommandTemplate* MongodbSession::statementOf(StatementId id)
{
    const std::size_t index = indexOf(id);
    if (index >= m_pool->statements()) {
        reject(kBadValue, "no such statement in the workload");
        return nullptr;
    }
    const auto& statement = m_pool->compiled(index);
    if (statement) [[likely]]
        return &*statement;
    reject(kFailedToParse, statement.error().message);
    return nullptr;
}

void MongodbSession::doPrepare(StatementId id)
{
    static_cast<void>(statementOf(id));
}

std::string_view MongodbSession::tailFor(const CommandTraits& traits) const
{
    if (traits.kind == CommandKind::Other || inTransaction())
        return {};
    if (traits.kind == CommandKind::Read)
        return traits.hasReadConcern ? std::string_view() : std::string_view(m_options.readConcern);
    // w = 0 goes by the library's options, for it must know that no answer comes.
    return traits.hasWriteConcern || !m_options.acknowledged ? std::string_view()
                                                             : std::string_view(m_options.writeConcern);
}

void MongodbSession::doExecute(StatementId id, std::span<const Param> params)
{
    const CommandTemplate* statement = statementOf(id);
    if (!statement)
        return;
    if (params.size() != statement->parameters())
        return reject(kBadValue, fmt::format("the statement has {} parameters, and {} are given",
                                             statement->parameters(), params.size()));
    bson_t command;
    if (!statement->write(params, tailFor(statement->traits()), m_buffer) ||
        !bson_init_static(&command, reinterpret_cast<const std::uint8_t*>(m_buffer.data()), m_buffer.size()))
        return reject(kObjectTooLarge, "the command is too large for BSON");
    m_keep = m_pool->keepOf(indexOf(id));
    if (m_keep != Keep::Nothing)
        m_kept.begin(m_keep);
    run(command, statement->traits());
}

void MongodbSession::doText(std::string_view text, Keep keep)
{
    auto command = JsonCommand::parse(text);
    if (!command)
        return reject(kFailedToParse, command.error().message);
    const CommandTraits traits = traitsOf(command->bson());
    command->append(tailFor(traits));
    m_keep = keep;
    if (m_keep != Keep::Nothing)
        m_kept.begin(m_keep);
    run(command->bson(), traits);
}

bool MongodbSession::send(const bson_t& command, const CommandTraits& traits, bson_t& answer)
{
    bson_error_t error;
    bool done = false;
    const char* database = traits.adminOnly ? "admin" : m_options.database.c_str();
    if (traits.kind == CommandKind::Read) {
        const mongoc_read_prefs_t* preference = inTransaction() ? nullptr : m_options.readPreference.get();
        done = m_options.retryReads ? mongoc_client_read_command_with_opts(m_own.client, database, &command, preference,
                                                                           &m_readOpts, &answer, &error)
                                    : mongoc_client_command_with_opts(m_own.client, database, &command, preference,
                                                                      &m_readOpts, &answer, &error);
    } else if (traits.kind == CommandKind::Write && !m_options.acknowledged) {
        done = mongoc_client_command_with_opts(m_own.client, database, &command, nullptr, &m_unacknowledged, &answer,
                                               &error);
    } else if (traits.kind == CommandKind::Write && m_options.retryWrites) {
        done = mongoc_client_write_command_with_opts(m_own.client, database, &command, &m_writeOpts, &answer, &error);
    } else {
        done =
            mongoc_client_command_with_opts(m_own.client, database, &command, nullptr, &m_writeOpts, &answer, &error);
    }
    if (!done)
        fail(error, &answer);
    return done;
}

void MongodbSession::run(const bson_t& command, const CommandTraits& traits)
{
    if (command.len > m_longest)
        return reject(kObjectTooLarge,
                      fmt::format("the command has {} bytes, and the server takes up to {}", command.len, m_longest));
    bson_t reply;
    if (send(command, traits, reply)) {
        const Answer answer = readAnswer(reply);
        take(answer);
        if (m_keep != Keep::Nothing)
            traits.name == "explain" ? keepPlan(reply, m_kept) : keepDocuments(reply, m_kept);
        if (answer.cursor != 0 && m_reply.outcome == Outcome::Ok)
            fetchRest(traits, answer.cursor, answer.collection);
    }
    bson_destroy(&reply);
}

void MongodbSession::fetchRest(const CommandTraits& traits, std::int64_t cursor, std::string_view collection)
{
    while (cursor != 0 && m_reply.outcome == Outcome::Ok) {
        bson_reinit(&m_getMore);
        bson_append_int64(&m_getMore, "getMore", -1, cursor);
        bson_append_utf8(&m_getMore, "collection", -1, collection.data(), int(collection.size()));
        bson_t reply;
        cursor = 0;
        if (send(m_getMore, traits, reply)) {
            const Answer answer = readAnswer(reply);
            take(answer);
            if (m_keep != Keep::Nothing)
                keepDocuments(reply, m_kept);
            cursor = answer.cursor;
        }
        bson_destroy(&reply);
    }
}

void MongodbSession::take(const Answer& answer)
{
    m_reply.rows += answer.documents;
    m_reply.affected += answer.affected;
    if (answer.errorCode == 0) [[likely]]
        return;
    m_reply.code = answer.errorCode;
    m_reply.outcome = outcomeOfServer(answer.errorCode);
    m_lookForPrimary = m_lookForPrimary || lostPrimary(answer.errorCode);
    keepError(answer.error);
}

void MongodbSession::doBegin()
{
    if (!m_product.noTransactions.empty())
        return reject(kIllegalOperation, m_product.claims.empty()
                                             ? m_product.noTransactions
                                             : fmt::format("{}: {}", m_product.text(), m_product.noTransactions));
    if (!m_session)
        return reject(kIllegalOperation, "the server has no sessions, or writes are not acknowledged (w=0): no "
                                         "transactions");
    bson_error_t error{};
    if (!mongoc_client_session_start_transaction(m_session.get(), nullptr, &error))
        fail(error, nullptr);
}

void MongodbSession::doCommit()
{
    if (!inTransaction())
        return;
    // "Transactions in Applications": a commit whose result is unknown is sent again, which does no harm.
    for (int left = kCommitTries; left > 0; --left) {
        bson_t reply;
        bson_error_t error{};
        const bool done = mongoc_client_session_commit_transaction(m_session.get(), &reply, &error);
        const bool again = !done && left > 1 && !m_own.link->aborted() &&
                           mongoc_error_has_label(&reply, "UnknownTransactionCommitResult");
        if (!done && !again)
            fail(error, &reply);
        bson_destroy(&reply);
        if (!again)
            return;
    }
}

void MongodbSession::doRollback()
{
    bson_error_t error{};
    if (inTransaction() && !mongoc_client_session_abort_transaction(m_session.get(), &error))
        fail(error, nullptr);
}

void MongodbSession::fail(const bson_error_t& error, const bson_t* answer)
{
    m_reply.outcome = outcomeOf(error, answer);
    m_reply.code = error.code != 0 ? std::int32_t(error.code) : -1;
    keepError(error.message);
    if (m_own.link->aborted()) {
        m_reply.outcome = Outcome::Disconnected;
        keepError("aborted");
    }
    m_lookForPrimary = m_lookForPrimary || (error.domain == MONGOC_ERROR_SERVER && lostPrimary(m_reply.code));
    if (m_reply.outcome == Outcome::Disconnected) {
        m_connected = false;
        m_own.link->shutDown();
    }
}

void MongodbSession::reject(std::int32_t code, std::string_view text)
{
    m_reply = {.outcome = Outcome::Rejected, .code = code};
    keepError(text);
}

void MongodbSession::keepError(std::string_view text)
{
    m_errorSize = std::min(text.size(), m_error.size());
    std::memcpy(m_error.data(), text.data(), m_errorSize);
}

} // namespace dyno::mongodb
