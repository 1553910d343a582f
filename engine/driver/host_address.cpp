// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/host_address.h"

#include <arpa/inet.h>
#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dyno {

namespace {

//! True when something listens there.
bool answers(const addrinfo& address, int timeoutSeconds)
{
    const int fd = ::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool connected = ::connect(fd, address.ai_addr, address.ai_addrlen) == 0;
    if (!connected && errno == EINPROGRESS) {
        pollfd wait{fd, POLLOUT, 0};
        int error = 1;
        socklen_t size = sizeof(error);
        connected = ::poll(&wait, 1, timeoutSeconds * 1000) == 1 &&
                    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
    }
    ::close(fd);
    return connected;
}

} // namespace

bool isAddress(const std::string& text)
{
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    return inet_pton(AF_INET, text.c_str(), ignored.data()) == 1 ||
           inet_pton(AF_INET6, text.c_str(), ignored.data()) == 1;
}

std::string addressOf(const std::string& name, int port, int timeoutSeconds)
{
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (getaddrinfo(name.c_str(), fmt::format("{}", port).c_str(), &hints, &list) != 0 || !list)
        return name;
    std::string found;
    for (const addrinfo* one = list; one && found.empty(); one = one->ai_next) {
        std::array<char, NI_MAXHOST> text{};
        if (list->ai_next && !answers(*one, timeoutSeconds))
            continue; // localhost is ::1 too, where many servers do not listen
        if (getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), socklen_t(text.size()), nullptr, 0,
                        NI_NUMERICHOST) == 0)
            found = text.data();
    }
    freeaddrinfo(list);
    return found.empty() ? name : found;
}

} // namespace dyno
