// SPDX-License-Identifier: GPL-3.0-or-later
#include "mysql_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace dyno::mysql {

void SocketCutter::attach(MYSQL* mysql)
{
    detach();
    const std::lock_guard lock(m_mutex);
    m_socket = ::fcntl(mysql_get_socket(mysql), F_DUPFD_CLOEXEC, 0);
}

void SocketCutter::attachToLoop(MYSQL* mysql)
{
    detach();
    const std::lock_guard lock(m_mutex);
    m_watched = mysql;
}

void SocketCutter::detach() noexcept
{
    const std::lock_guard lock(m_mutex);
    m_watched = nullptr;
    if (m_socket >= 0)
        ::close(std::exchange(m_socket, -1));
}

void SocketCutter::cut() noexcept
{
    const std::lock_guard lock(m_mutex);
    if (m_watched)
        ::shutdown(mysql_get_socket(m_watched), SHUT_RDWR);
    if (m_socket >= 0)
        ::shutdown(m_socket, SHUT_RDWR);
}

} // namespace dyno::mysql
