// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A client that sends exactly what a test says, also what no well-behaved one would.
#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

namespace dyno::test {

//! A connection to this machine. One thread at a time.
class HttpClient
{
public:
    explicit HttpClient(int port, int patienceSeconds = 20)
        : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        const timeval patience{patienceSeconds, 0};
        (void)::setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(std::uint16_t(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        m_connected = ::connect(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    ~HttpClient() { ::close(m_socket); }
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    [[nodiscard]] bool connected() const { return m_connected; }
    //! False when the other side has closed.
    bool send(std::string_view text) const
    {
        while (!text.empty()) {
            const ssize_t sent = ::send(m_socket, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0)
                return false;
            text.remove_prefix(std::size_t(sent));
        }
        return true;
    }
    //! Until the other side closes, or nothing comes for the time of patience.
    [[nodiscard]] std::string readAll()
    {
        std::string all;
        char buffer[4096];
        ssize_t got = 0;
        while ((got = ::recv(m_socket, buffer, sizeof buffer, 0)) > 0)
            all.append(buffer, std::size_t(got));
        m_closed = got == 0 || errno == ECONNRESET;
        return all;
    }
    //! The last readAll() ended because the other side had closed.
    [[nodiscard]] bool closed() const { return m_closed; }

private:
    int m_socket;
    bool m_connected = false, m_closed = false;
};

//! The answer to a whole request, with its head; "" when there is none.
inline std::string httpAnswer(int port, std::string_view request)
{
    HttpClient client(port);
    return client.send(request) ? client.readAll() : std::string();
}
inline std::string httpGet(int port, const std::string& path)
{
    return httpAnswer(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}
inline std::string httpBody(const std::string& answer)
{
    const std::size_t head = answer.find("\r\n\r\n");
    return head == std::string::npos ? std::string() : answer.substr(head + 4);
}

} // namespace dyno::test
