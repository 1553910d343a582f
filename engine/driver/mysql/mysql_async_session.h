// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One connection of one virtual user on an event loop: Connector/C's _start/_cont calls as small coroutines that
//! suspend whenever the library wants to wait for the socket.
#pragma once

#include "coro/task.h"
#include "mysql_session.h"

namespace dyno::mysql {

//! The library switches stacks by itself in this mode, which AddressSanitizer and ThreadSanitizer are not told of:
//! their builds use the blocking session.
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
    //! Awaits a call of the library that was begun: it waits for the socket and is continued, by resume(), until it has
    //! its result. Every non-blocking call is continued by a function of this shape.
    template<auto Continue, class Result, class Handle>
    class Call
    {
    public:
        Call(AsyncMysqlSession& session, int wanted, Result* result, Handle* handle)
            : m_session(session)
            , m_wanted(wanted)
            , m_result(result)
            , m_handle(handle)
        {
        }
        bool await_ready() const noexcept { return m_wanted == 0; }
        void await_suspend(std::coroutine_handle<> waiter) noexcept
        {
            m_session.m_waiter = waiter;
            m_session.m_wanted = m_wanted;
            m_session.m_call = this;
            m_session.m_continueCall = [](void* call, int happened) {
                return Continue(static_cast<Call*>(call)->m_result, static_cast<Call*>(call)->m_handle, happened);
            };
        }
        void await_resume() const noexcept {}

    private:
        AsyncMysqlSession& m_session;
        int m_wanted;
        Result* m_result;
        Handle* m_handle;
    };
    //! `wanted`: what the call's start answered, MYSQL_WAIT_* or 0 = it has its result.
    template<auto Continue, class Result, class Handle>
    [[nodiscard]] Call<Continue, Result, Handle> ended(int wanted, Result* result, Handle* handle)
    {
        return {*this, wanted, result, handle};
    }

    [[nodiscard]] Task<void> perform(Request request);
    [[nodiscard]] Task<void> connectAsync();
    [[nodiscard]] Task<void> prepareAsync(StatementId id);
    [[nodiscard]] Task<void> executeAsync(StatementId id, std::span<const Param> params);
    [[nodiscard]] Task<void> sendAsync();
    [[nodiscard]] Task<Fetched> query(std::string_view text, KeptRows* kept = nullptr, Answers* answers = nullptr);
    Progress progress();

    Task<void> m_task; //!< the request under way
    std::coroutine_handle<> m_waiter;
    void* m_call = nullptr; //!< what m_waiter awaits
    int (*m_continueCall)(void* call, int happened) = nullptr;
    int m_wanted = 0;                                    //!< MYSQL_WAIT_*
    bool m_justConnected = false, m_freshSocket = false; //!< the first request of a connection: its socket is a new one
    MYSQL* m_connectingHandle = nullptr;                 //!< before it becomes the session's connection
};

} // namespace dyno::mysql
