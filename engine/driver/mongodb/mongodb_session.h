// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One connection of one virtual user, blocking.
#pragma once

#include "mongodb_pool.h"
#include "mongodb_reply.h"

#include <array>

namespace dyno::mongodb {

struct FreeClientSession
{
    void operator()(mongoc_client_session_t* session) const { mongoc_client_session_destroy(session); }
};

class MongodbSession final : public Session
{
public:
    explicit MongodbSession(std::shared_ptr<Pool> pool);
    ~MongodbSession() override;

    Progress start(const Request& request) override;
    void abort() noexcept override { m_own.link->abort(); }
    [[nodiscard]] std::string lastError() const override { return {m_error.data(), m_errorSize}; }

private:
    void doConnect();
    //! Finds the server for reads and the one for writes, and talks to both. False: the reply says why.
    bool selectServers();
    //! Its id, 0: `error` says why. Looks until the time for that is over.
    std::uint32_t select(bool forWrites, bson_error_t& error);
    bool ping(std::uint32_t server, bson_error_t& error);
    void makeOptions();
    void doPrepare(StatementId id);
    void doExecute(StatementId id, std::span<const Param> params);
    void doText(std::string_view text, Keep keep);
    void doBegin();
    void doCommit();
    void doRollback();

    //! The statement, or nullptr: the reply says why.
    [[nodiscard]] const CommandTemplate* statementOf(StatementId id);
    //! What goes behind the command: the concern that it takes.
    [[nodiscard]] std::string_view tailFor(const CommandTraits& traits) const;
    [[nodiscard]] bool inTransaction() const
    {
        return m_session && mongoc_client_session_in_transaction(m_session.get());
    }
    //! Sends the command, reads all its batches and fills the reply.
    void run(const bson_t& command, const CommandTraits& traits);
    //! False: the reply says why.
    bool send(const bson_t& command, const CommandTraits& traits, bson_t& answer);
    void fetchRest(const CommandTraits& traits, std::int64_t cursor, std::string_view collection);
    void take(const Answer& answer);
    void fail(const bson_error_t& error, const bson_t* answer);
    void reject(std::int32_t code, std::string_view text);
    void keepError(std::string_view text);

    std::shared_ptr<Pool> m_pool;
    const ConnectOptions& m_options;
    Pool::Client m_own;
    std::unique_ptr<mongoc_client_session_t, FreeClientSession> m_session; //!< null: the server has none
    Keep m_keep = Keep::Nothing;                                           //!< of the request under way
    bool m_connected = false;
    bool m_lookForPrimary = false; //!< the server for writes is none any more
    Product m_product;

    std::uint32_t m_readServer = 0, m_writeServer = 0;
    std::uint32_t m_longest = 0; //!< bytes of a command that the server takes; it breaks the connection at a longer one
    bson_t m_readOpts = BSON_INITIALIZER; //!< server and session
    bson_t m_writeOpts = BSON_INITIALIZER;
    bson_t m_unacknowledged = BSON_INITIALIZER;
    bson_t m_getMore = BSON_INITIALIZER; //!< keeps its memory
    std::string m_buffer;                //!< the command under way; keeps its capacity

    std::array<char, 512> m_error{}; //!< a little more than the library's own limit
    std::size_t m_errorSize = 0;
};

} // namespace dyno::mongodb
