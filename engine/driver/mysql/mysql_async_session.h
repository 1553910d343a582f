// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One connection of one virtual user on an event loop: Connector/C's _start/_cont calls as small coroutines that
//! suspend whenever the library wants to wait for the socket.
#pragma once

#include "coro/task.h"
#include "mysql_session.h"

namespace dyno::mysql {

//! The library switches stacks by itself in this mode, which AddressSanitizer and ThreadSanitizer are not told of: their
//! builds use the blocking session.
class AsyncMysqlSession final : public MysqlSession
{
public:
    using MysqlSession::MysqlSession;
    ~AsyncMysqlSession() override;

    Progress start(const Request& request) override;
    Progress send() override;
    Progress resume(IoEvents events) override;
    [[nodiscard]] IoWait ioWait() const override;

private:
    //! Suspends until the executor says what the socket is ready for.
    class SocketWait
    {
    public:
        SocketWait(AsyncMysqlSession& session, int wanted)
            : m_session(session)
            , m_wanted(wanted)
        {
        }
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> handle) noexcept
        {
            m_session.m_waiter = handle;
            m_session.m_wanted = m_wanted;
        }
        int await_resume() const noexcept { return m_session.m_happened; }

    private:
        AsyncMysqlSession& m_session;
        int m_wanted;
    };
    [[nodiscard]] SocketWait socket(int wanted) { return {*this, wanted}; }

    [[nodiscard]] Task<void> perform(Request request);
    [[nodiscard]] Task<void> connectAsync();
    [[nodiscard]] Task<void> prepareAsync(StatementId id);
    [[nodiscard]] Task<void> executeAsync(StatementId id, std::span<const Param> params);
    [[nodiscard]] Task<void> sendAsync();
    [[nodiscard]] Task<Fetched> query(std::string_view text, KeptRows* kept = nullptr, Answers* answers = nullptr);
    Progress progress();

    Task<void> m_task; //!< the request under way
    std::coroutine_handle<> m_waiter;
    int m_wanted = 0;   //!< MYSQL_WAIT_*
    int m_happened = 0;
    bool m_justConnected = false, m_freshSocket = false; //!< the first request of a connection: its socket is a new one
    MYSQL* m_connectingHandle = nullptr; //!< before it becomes the session's connection
};

} // namespace dyno::mysql
