// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_io.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <type_traits>
#include <unistd.h>

namespace dyno::mysql {

namespace {

// The kernel's own calls: those of the C library are places where a thread may be cancelled (pthread_cancel), which nobody does here,
// and which costs each call two locked instructions once a program has threads.
ssize_t receive(int socket, void* buffer, std::size_t length, int flags)
{
    return ::syscall(SYS_recvfrom, socket, buffer, length, flags, nullptr, nullptr);
}

ssize_t transmit(int socket, const void* buffer, std::size_t length)
{
    return ::syscall(SYS_sendto, socket, buffer, length, MSG_DONTWAIT | MSG_NOSIGNAL, nullptr, 0);
}

//! Until there is something to receive, or the connection has ended.
bool waitToReceive(int socket)
{
    pollfd waiting {socket, POLLIN, 0};
    long ready = 0;
    do {
        ready = ::syscall(SYS_ppoll, &waiting, 1, nullptr, nullptr, 0);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

//! A call that the library's own function shall do instead: it waits, or goes on after a signal.
bool toBeContinued(ssize_t done)
{
    return done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

} // namespace

SocketIo& SocketIo::of(MARIADB_PVIO* pvio)
{
    static_assert(std::is_standard_layout_v<SocketIo>, "the table's address is its owner's");
    return *reinterpret_cast<SocketIo*>(pvio->methods);
}

void SocketIo::attach(MYSQL* mysql, Mode mode)
{
    MARIADB_PVIO* pvio = mysql->net.pvio;
    if (!pvio || !pvio->methods || (pvio->type != PVIO_TYPE_UNIXSOCKET && pvio->type != PVIO_TYPE_SOCKET))
        return;
    m_original = pvio->methods;
    m_methods = *pvio->methods;
    m_sent = false;
    if (mode == Mode::Events && !pvio->ctls) {
        m_methods.async_read = readLater;
        m_methods.async_write = writeNow;
    } else if (mode == Mode::Blocking && !pvio->ctls) {
        m_methods.read = waitAndRead;
        m_methods.write = write;
    }
    m_methods.close = closeNow;
    pvio->methods = &m_methods;
    m_socket = mysql_get_socket(mysql);
    m_waitsForever = pvio->timeout[PVIO_READ_TIMEOUT] <= 0;
    m_blocks = pvio->type == PVIO_TYPE_SOCKET && m_waitsForever && (::fcntl(m_socket, F_GETFL) & O_NONBLOCK) == 0;
    const std::lock_guard lock(m_mutex);
    m_fd = m_socket;
}

void SocketIo::shutDown() noexcept
{
    const std::lock_guard lock(m_mutex);
    if (m_fd >= 0)
        ::shutdown(m_fd, SHUT_RDWR);
}

ssize_t SocketIo::readLater(MARIADB_PVIO* pvio, uchar* buffer, size_t length)
{
    SocketIo& io = of(pvio);
    if (io.m_sent) {
        io.m_sent = false;
        errno = EAGAIN;
        return -1;
    }
    return io.m_original->async_read(pvio, buffer, length);
}

ssize_t SocketIo::writeNow(MARIADB_PVIO* pvio, const uchar* buffer, size_t length)
{
    SocketIo& io = of(pvio);
    io.m_sent = true;
    return io.m_original->async_write(pvio, buffer, length);
}

ssize_t SocketIo::waitAndRead(MARIADB_PVIO* pvio, uchar* buffer, size_t length)
{
    SocketIo& io = of(pvio);
    int flags = MSG_DONTWAIT;
    if (io.m_sent) {
        io.m_sent = false;
        if (io.m_blocks)
            flags = 0;
        else if (io.m_waitsForever ? !waitToReceive(io.m_socket)
                                   : io.m_original->wait_io_or_timeout(pvio, 1, pvio->timeout[PVIO_READ_TIMEOUT]) < 1)
            return -1; // as the library's own read after its own wait
    }
    const ssize_t received = receive(io.m_socket, buffer, length, flags);
    return toBeContinued(received) ? io.m_original->read(pvio, buffer, length) : received;
}

ssize_t SocketIo::write(MARIADB_PVIO* pvio, const uchar* buffer, size_t length)
{
    SocketIo& io = of(pvio);
    io.m_sent = true;
    const ssize_t sent = transmit(io.m_socket, buffer, length);
    return toBeContinued(sent) ? io.m_original->write(pvio, buffer, length) : sent;
}

my_bool SocketIo::closeNow(MARIADB_PVIO* pvio)
{
    SocketIo& io = of(pvio);
    {
        const std::lock_guard lock(io.m_mutex);
        io.m_fd = -1;
    }
    pvio->methods = io.m_original;
    return io.m_original->close(pvio);
}

} // namespace dyno::mysql
