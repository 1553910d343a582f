// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A server on this machine that answers each connection with bytes that a test gives, or not at all.
#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace dyno::test {

//! One connection after the other.
class OddHttpServer
{
public:
    //! Called with the request; sends what it likes. The connection is closed when it returns.
    using Answer = std::function<void(const OddHttpServer& server, int socket, const std::string& request)>;

    explicit OddHttpServer(Answer answer)
        : m_answer(std::move(answer))
        , m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        (void)::bind(m_socket, reinterpret_cast<sockaddr*>(&address), size);
        (void)::listen(m_socket, 8);
        (void)::getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &size);
        m_port = ntohs(address.sin_port);
        m_thread = std::thread([this] { serve(); });
    }
    ~OddHttpServer()
    {
        m_ending = true;
        (void)::shutdown(m_socket, SHUT_RDWR);
        m_thread.join();
        ::close(m_socket);
    }
    OddHttpServer(const OddHttpServer&) = delete;
    OddHttpServer& operator=(const OddHttpServer&) = delete;

    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port) + "/metrics"; }
    [[nodiscard]] int asked() const { return m_asked; }
    [[nodiscard]] bool ending() const { return m_ending; }
    //! False when the other side has closed.
    static bool send(int socket, std::string_view bytes)
    {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0)
                return false;
            bytes.remove_prefix(std::size_t(sent));
        }
        return true;
    }
    //! Waits until the other side closes.
    static void waitForEnd(int socket)
    {
        char byte = 0;
        while (::recv(socket, &byte, 1, 0) > 0) {
        }
    }
    [[nodiscard]] int answered() const { return m_answered; } //!< connections that are over

private:
    void serve()
    {
        for (;;) {
            const int one = ::accept4(m_socket, nullptr, nullptr, SOCK_CLOEXEC);
            if (one < 0)
                return;
            char request[2048];
            const ssize_t got = ::recv(one, request, sizeof request, 0);
            ++m_asked;
            m_answer(*this, one, std::string(request, got > 0 ? std::size_t(got) : 0));
            ++m_answered;
            ::close(one);
        }
    }

    Answer m_answer;
    int m_socket, m_port = 0;
    std::atomic<int> m_asked = 0, m_answered = 0;
    std::atomic<bool> m_ending = false;
    std::thread m_thread;
};

} // namespace dyno::test
