// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One connection of one virtual user, blocking.
#pragma once

#include "mysql_connection.h"
#include "mysql_statement.h"

#include <array>
#include <mutex>
#include <optional>

namespace dyno::mysql {

class MysqlSession final : public Session
{
public:
    MysqlSession(ConnectTargetPtr target, std::shared_ptr<const ConnectOptions> options);
    ~MysqlSession() override;

    Progress start(const Request& request) override;
    void abort() noexcept override;
    [[nodiscard]] std::string lastError() const override;

private:
    struct Statement
    {
        PreparedStatement prepared;
        std::optional<TextStatement> text; //!< set when it goes as text
    };

    void doConnect();
    void disconnect();
    void doPrepare(StatementId id);
    void doExecute(StatementId id, std::span<const Param> params);
    void finish(const Fetched& fetched, const char* error);
    void keepError(std::string_view text);

    ConnectTargetPtr m_target;
    std::shared_ptr<const ConnectOptions> m_options;
    Connection m_connection;
    std::vector<Statement> m_statements;
    BindBuffers m_buffers;
    std::string m_text; //!< statement under way in the text protocol; keeps its capacity

    std::array<char, 512> m_error{}; //!< the library's own limit (MYSQL_ERRMSG_SIZE)
    std::size_t m_errorSize = 0;

    // abort() may come from another thread. The library closes its socket by itself when it fails, and the number may
    // be given to another file at once; a duplicate of our own can be shut down safely at any time.
    std::mutex m_abortLock; //!< never taken per operation
    int m_abortFd = -1;
    bool m_connecting = false;
    bool m_abortRequested = false;
};

} // namespace dyno::mysql
