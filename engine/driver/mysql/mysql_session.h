// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One connection of one virtual user, blocking.
#pragma once

#include "driver/socket_cutter.h"
#include "mysql_bulk.h"
#include "mysql_connection.h"
#include "mysql_statement.h"

#include <array>
#include <mutex>
#include <optional>

namespace dyno::mysql {

//! Also what the event-loop session is made of: everything that does not wait for the server.
class MysqlSession : public Session, public Batch
{
public:
    MysqlSession(ConnectTargetPtr target, std::shared_ptr<const ConnectOptions> options);
    ~MysqlSession() override;

    Progress start(const Request& request) override;
    void abort() noexcept override;
    [[nodiscard]] std::string lastError() const override;

    [[nodiscard]] Batch* batch() override { return m_options->batches ? this : nullptr; }
    void clear() override;
    void add(const Request& request) override;
    Progress send() override;
    [[nodiscard]] std::span<const Answer> answers() const override { return m_answers; }

protected:
    struct Statement
    {
        PreparedStatement prepared;
        std::optional<TextStatement> text; //!< set when it goes as text
    };

    //! True, or the reply says that there is no connection.
    [[nodiscard]] bool hasConnection();
    void refuse(RequestKind kind);
    //! A new handle in place of the old connection; empty when there is no memory, the reply says so.
    [[nodiscard]] Connection beginConnecting();
    //! Takes the connection over, or fills the reply with why not.
    void endConnecting(Connection connection, const std::optional<Failure>& failure);
    //! What is to be prepared now; nullptr when it is ready or does not exist, then the reply says so.
    [[nodiscard]] Statement* statementToPrepare(StatementId id);
    //! The statement ready to be executed, nullptr otherwise.
    [[nodiscard]] Statement* readyStatement(StatementId id);
    [[nodiscard]] const StatementSpec& specOf(StatementId id) const { return m_target->statements[indexOf(id)]; }
    [[nodiscard]] bool preparesOnServer(const StatementSpec& spec) const
    {
        return m_options->prepared && spec.preparable;
    }
    //! After preparing ended with `code`: true when the statement has to go as text.
    [[nodiscard]] bool fallsBackToText(Statement& statement, unsigned code);
    //! After a prepared statement was executed.
    void executed(Statement& statement, const Fetched& fetched);
    [[nodiscard]] std::string_view writeText(const Statement& statement, std::span<const Param> params);
    //! True when batchText() is to be sent; else the reply and the answers say why not.
    [[nodiscard]] bool beginBatch();
    [[nodiscard]] std::string_view batchText() const { return m_batchText; }
    //! Where the rows of a statement go; nullptr: they are counted only.
    [[nodiscard]] KeptRows* keeping(Keep keep);
    [[nodiscard]] KeptRows* keepingBatch() { return keeping(m_batchKeep); }
    [[nodiscard]] Answers& answersToFill() { return m_answers; }
    //! After the batch was sent and its results are noted, but for the one that failed with `fetched.code`.
    void endBatch(const Fetched& fetched);
    //! Fills the reply; `error` is the text, or nullptr when the connection has it.
    void finish(const Fetched& fetched, const char* error);

    [[nodiscard]] SocketCutter& socketCutter() { return m_cutter; }
    [[nodiscard]] MYSQL* handle() const { return m_connection.get(); }
    [[nodiscard]] const ConnectOptions& options() const { return *m_options; }

private:
    void doConnect();
    void disconnect();
    void doPrepare(StatementId id);
    //! The statement ready, prepared now if need be; nullptr: the reply says why.
    [[nodiscard]] Statement* statementToExecute(StatementId id);
    void doExecute(StatementId id, std::span<const Param> params);
    void doBulk(std::string_view table, std::string_view rows);
    void keepError(std::string_view text);

    ConnectTargetPtr m_target;
    std::shared_ptr<const ConnectOptions> m_options;
    SocketCutter m_cutter; //!< before the connection, which uses it to its end
    BulkSource m_bulk;     //!< likewise
    Connection m_connection;
    std::vector<Statement> m_statements;
    ExecutePacket m_packet;
    ResultBuffer m_buffer;
    std::string m_text; //!< statement under way in the text protocol; keeps its capacity

    std::string m_batchText; //!< the same for a batch: statements with ';' between them
    Answers m_answers;
    Keep m_batchKeep = Keep::Nothing; //!< of its last statement
    Reply m_batchFault;               //!< not Ok: something in it cannot be sent at all

    std::array<char, 512> m_error{}; //!< the library's own limit (MYSQL_ERRMSG_SIZE)
    std::size_t m_errorSize = 0;

    std::mutex m_abortLock; //!< of the two flags; never taken per operation
    bool m_connecting = false;
    bool m_abortRequested = false;
};

} // namespace dyno::mysql
