// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Breaking a connection while the library waits on it.
#pragma once

#include <mutex>
#include <mysql.h>

namespace dyno::mysql {

//! Cuts the socket of one connection; must outlive its handle. Same thread as the connection, but for cut().
class SocketCutter
{
public:
    SocketCutter() = default;
    ~SocketCutter() { detach(); }
    SocketCutter(const SocketCutter&) = delete;
    SocketCutter& operator=(const SocketCutter&) = delete;

    //! For a handle that has just been connected.
    void attach(MYSQL* mysql);
    //! The same for a handle with MYSQL_OPT_NONBLOCK.
    void attachToLoop(MYSQL* mysql);
    //! Right after the handle was closed.
    void detach() noexcept;
    //! Breaks the connection, if there is one. Any thread; after attachToLoop() the connection's own.
    void cut() noexcept;

private:
    std::mutex m_mutex; //!< of both below; never taken per operation
    //! A second descriptor of the socket for other threads: the library closes its own at any time, and its number may
    //! then belong to another file. An event loop has none: epoll would go on watching the socket behind the number
    //! that the library has closed.
    int m_socket = -1;
    MYSQL* m_watched = nullptr; //!< the event loop's handle
};

} // namespace dyno::mysql
