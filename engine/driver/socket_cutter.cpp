// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/socket_cutter.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace dyno {

void SocketCutter::attach(int fd)
{
    detach();
    const std::lock_guard lock(m_mutex);
    m_socket = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    m_own = true;
}

void SocketCutter::watch(int fd)
{
    detach();
    const std::lock_guard lock(m_mutex);
    m_socket = fd;
    m_own = false;
}

void SocketCutter::detach() noexcept
{
    const std::lock_guard lock(m_mutex);
    const int socket = std::exchange(m_socket, -1);
    if (m_own && socket >= 0)
        ::close(socket);
}

void SocketCutter::cut() noexcept
{
    const std::lock_guard lock(m_mutex);
    if (m_socket >= 0)
        ::shutdown(m_socket, SHUT_RDWR);
}

} // namespace dyno
