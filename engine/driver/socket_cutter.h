// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Breaking a connection while a client library waits on it.
#pragma once

#include <mutex>

namespace dyno {

//! Cuts the socket of one connection. Same thread as the connection, but for cut().
class SocketCutter
{
public:
    SocketCutter() = default;
    ~SocketCutter() { detach(); }
    SocketCutter(const SocketCutter&) = delete;
    SocketCutter& operator=(const SocketCutter&) = delete;

    //! Takes a second descriptor of the socket `fd`, so that the library may close its own at any time. Stays until
    //! detach(), also beyond the connection.
    void attach(int fd);
    //! For event loops: keeps the number itself, which is the connection's until detach(). With a second descriptor
    //! epoll would go on watching a socket that the library has closed.
    void watch(int fd);
    //! Right after the connection was closed.
    void detach() noexcept;
    //! Breaks the connection, if there is one. Any thread; after watch() the connection's own.
    void cut() noexcept;

private:
    std::mutex m_mutex; //!< of both below; never taken per operation
    int m_socket = -1;
    bool m_own = false; //!< m_socket is ours to close
};

} // namespace dyno
