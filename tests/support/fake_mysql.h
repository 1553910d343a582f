// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Somebody who answers under a MySQL server's name and only wants the password, or a file of this machine: greets,
//! asks for a method of signing in, may answer each statement by asking for a file, and keeps every byte that arrives.
//! No real server asks for what these tests must see refused.
#pragma once

#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace dyno::test {

//! What the impostor says.
struct FakeScript
{
    std::string greeted = "mysql_native_password"; //!< method that the greeting names
    std::string switchedTo;                        //!< method asked for afterwards; "" = none
    std::vector<std::string> then;                 //!< packets sent after each further answer, such as "\x01\x04"
    std::string file =
        {}; //!< not "": whoever signs in is let in, and each statement is answered by asking for this file
    std::string onlyAt = {}; //!< not "": only statements that begin with it are; others are answered with OK
};

class FakeMysql
{
public:
    //! Listens at `address` (IPv4) on a free port, or on a Unix socket when it begins with /.
    FakeMysql(FakeScript script, const std::string& address = "127.0.0.1")
        : m_script(std::move(script))
        , m_address(address)
    {
        if (address.starts_with('/')) {
            sockaddr_un name{};
            name.sun_family = AF_UNIX;
            address.copy(name.sun_path, sizeof name.sun_path - 1);
            m_fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            m_listens = ::bind(m_fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
        } else {
            sockaddr_in name{};
            name.sin_family = AF_INET;
            ::inet_pton(AF_INET, address.c_str(), &name.sin_addr);
            m_fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            m_listens = ::bind(m_fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
            socklen_t size = sizeof name;
            ::getsockname(m_fd, reinterpret_cast<sockaddr*>(&name), &size);
            m_port = ntohs(name.sin_port);
        }
        m_listens = m_listens && ::listen(m_fd, 16) == 0;
        m_thread = std::thread([this] { serve(); });
    }
    ~FakeMysql()
    {
        ::shutdown(m_fd, SHUT_RDWR);
        m_thread.join();
        ::close(m_fd);
    }
    FakeMysql(const FakeMysql&) = delete;
    FakeMysql& operator=(const FakeMysql&) = delete;

    [[nodiscard]] bool listens() const { return m_listens; }
    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] std::string uri(const std::string& user = "ann") const
    {
        return m_port == 0 ? "mysql://" + user + "@localhost/test?socket=" + m_address
                           : "mysql://" + user + "@" + m_address + ":" + std::to_string(m_port) + "/test";
    }
    //! Connections that came.
    [[nodiscard]] int visits()
    {
        const std::lock_guard lock(m_mutex);
        return m_visits;
    }
    //! How often a client was asked for the file.
    [[nodiscard]] int requests()
    {
        const std::lock_guard lock(m_mutex);
        return m_requests;
    }
    //! All that has arrived. Waits for connections whose client has given up to be read to their end.
    [[nodiscard]] std::string received()
    {
        std::unique_lock lock(m_mutex);
        m_idle.wait_for(lock, std::chrono::seconds(30), [this] { return !m_busy; });
        return m_received;
    }
    //! The first answer of each connection: who signs in, with what proof. Waits as received().
    [[nodiscard]] std::vector<std::string> answers()
    {
        std::unique_lock lock(m_mutex);
        m_idle.wait_for(lock, std::chrono::seconds(30), [this] { return !m_busy; });
        return m_answers;
    }

private:
    void serve()
    {
        for (;;) {
            const int client = ::accept4(m_fd, nullptr, nullptr, SOCK_CLOEXEC);
            if (client < 0)
                return;
            setBusy(true);
            talk(client);
            ::close(client);
            setBusy(false);
        }
    }
    void setBusy(bool on)
    {
        const std::lock_guard lock(m_mutex);
        m_visits += on ? 1 : 0;
        m_busy = on;
        m_idle.notify_all();
    }
    void talk(int client)
    {
        constexpr std::string_view kNonce = "abcdefghijklmnopqrst";
        unsigned char number = 0;
        using namespace std::string_literals;
        // Protocol 4.1, with methods, databases and several results, without TLS.
        const std::string greeting = "\x0a"s + "8.0.36\0"s + "\x01\0\0\0"s + std::string(kNonce.substr(0, 8)) + "\0"s +
                                     "\x09\xa2"s + "\x2d"s + "\x02\0"s + "\x0b\0"s + "\x15"s + std::string(10, '\0') +
                                     std::string(kNonce.substr(8)) + "\0"s + m_script.greeted + "\0"s;
        std::string answer;
        if (!send(client, number, greeting) || !receive(client, number, answer))
            return;
        {
            const std::lock_guard lock(m_mutex);
            m_answers.push_back(answer);
        }
        if (!m_script.switchedTo.empty()) {
            const std::string packet = "\xfe"s + m_script.switchedTo + "\0"s + std::string(kNonce) + "\0"s;
            if (!send(client, number, packet) || !receive(client, number, answer))
                return;
        }
        for (const std::string& packet : m_script.then) {
            if (!send(client, number, packet) || !receive(client, number, answer))
                return;
        }
        if (m_script.file.empty()) {
            send(client, number, "\xff\x15\x04#28000no"s);
            return;
        }
        if (send(client, number, kOk))
            askForFile(client);
    }
    //! What arrives after the request for a file ends with an empty packet; a client that refuses sends that one alone.
    void askForFile(int client)
    {
        unsigned char number = 0;
        std::string packet;
        while (receive(client, number, packet)) {
            if (packet.empty() || packet.front() == '\x01') // goodbye
                return;
            if (!m_script.onlyAt.empty() && packet.compare(1, m_script.onlyAt.size(), m_script.onlyAt) != 0) {
                if (!send(client, number, kOk))
                    return;
                continue;
            }
            {
                const std::lock_guard lock(m_mutex);
                ++m_requests;
            }
            if (!send(client, number, '\xfb' + m_script.file))
                return;
            do {
                if (!receive(client, number, packet))
                    return;
            } while (!packet.empty());
            if (!send(client, number, kOk))
                return;
        }
    }
    static bool send(int client, unsigned char& number, const std::string& payload)
    {
        const std::array<unsigned char, 4> head = {static_cast<unsigned char>(payload.size() & 255),
                                                   static_cast<unsigned char>(payload.size() >> 8), 0, number++};
        const std::string packet = std::string(head.begin(), head.end()) + payload;
        return ::send(client, packet.data(), packet.size(), MSG_NOSIGNAL) == ssize_t(packet.size());
    }
    bool receive(int client, unsigned char& number, std::string& payload)
    {
        std::array<unsigned char, 4> head{};
        if (::recv(client, head.data(), head.size(), MSG_WAITALL) != ssize_t(head.size()))
            return false;
        payload.assign(std::size_t(head[0]) | std::size_t(head[1]) << 8, '\0');
        const bool whole = payload.empty() // recv() of nothing would wait for something
                           || ::recv(client, payload.data(), payload.size(), MSG_WAITALL) == ssize_t(payload.size());
        number = static_cast<unsigned char>(head[3] + 1);
        const std::lock_guard lock(m_mutex);
        m_received += payload;
        return whole;
    }

    static inline const std::string kOk = std::string("\0\0\0\x02\0\0\0", 7);

    FakeScript m_script;
    std::string m_address;
    int m_fd = -1;
    int m_port = 0;
    bool m_listens = false;
    std::mutex m_mutex;
    std::condition_variable m_idle;
    bool m_busy = false;
    int m_visits = 0;
    int m_requests = 0;
    std::string m_received;
    std::vector<std::string> m_answers;
    std::thread m_thread; //!< last: it uses all of these
};

} // namespace dyno::test
