// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Our hand on Connector/C's socket, through its hook for transports (ma_pvio.h: a table of functions per connection).
//! The library asks the kernel for each answer at once, is told "not yet", and only then waits: one system call of three
//! (of four with its blocking calls) is for nothing. On TCP a receive that blocks at once saves one more: 5 to 25 % less CPU for 16 users,
//! the same for few. Not on a Unix socket: there Linux wakes a blocked receive also when the server takes the request, for nothing, and
//! that second switch costs more CPU than a call of poll, which is not woken by it (0 to 40 % for 2 to 16 users). And only the library
//! knows when it closes the socket, which abort() must know.
//!
//! With TLS only the second: there OpenSSL reads the socket by itself.
#pragma once

// clang-format off: the second needs the first
#include <mysql.h>
#include <ma_pvio.h>
// clang-format on

#include <array>
#include <mutex>

namespace dyno::mysql {

//! The transport of one connection; must outlive its handle. Same thread as the connection, but for shutDown().
class SocketIo
{
public:
    enum class Mode {
        Blocking, //!< a handle without MYSQL_OPT_NONBLOCK
        Events,   //!< with it
    };

    SocketIo() = default;
    SocketIo(const SocketIo&) = delete;
    SocketIo& operator=(const SocketIo&) = delete;

    //! For a handle that has just been connected.
    void attach(MYSQL* mysql, Mode mode);
    //! Breaks the connection, if there is one. Any thread: the library may be closing the socket at the same time, and
    //! its number may then belong to another file.
    void shutDown() noexcept;

private:
    static SocketIo& of(MARIADB_PVIO* pvio);
    static ssize_t readLater(MARIADB_PVIO* pvio, uchar* buffer, size_t length);
    static ssize_t writeNow(MARIADB_PVIO* pvio, const uchar* buffer, size_t length);
    static ssize_t waitAndRead(MARIADB_PVIO* pvio, uchar* buffer, size_t length);
    static ssize_t write(MARIADB_PVIO* pvio, const uchar* buffer, size_t length);
    static my_bool closeNow(MARIADB_PVIO* pvio);

    //! First, so that a table's address is its owner's; the room behind it stays zero, for members that a newer library
    //! may look for.
    PVIO_METHODS m_methods {};
    std::array<void*, 8> m_newer {};
    PVIO_METHODS* m_original = nullptr;
    std::mutex m_mutex; //!< of m_fd; never taken per operation
    int m_fd = -1;      //!< open, as far as the library has not closed it
    int m_socket = -1;     //!< the same, for the connection's own thread
    bool m_waitsForever = true; //!< no timeout is set
    bool m_blocks = false;      //!< a receive may block: TCP, and it waits forever
    bool m_sent = false;
};

} // namespace dyno::mysql
