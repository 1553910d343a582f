// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"

#include <dyno/live_metrics.h>
#include <dyno/uri.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <poll.h>
#include <set>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#include <httplib.h>
#pragma GCC diagnostic pop

namespace dyno {

namespace {

constexpr const char* kMetricsPath = "/metrics";
constexpr std::size_t kAnsweringThreads = 2;
constexpr std::size_t kMostWaiting = 16;              //!< connections; others are turned away
constexpr std::size_t kMostRequestBytes = 8192;       //!< line and headers; a body is not read
constexpr std::int64_t kConnectionNs = 5'000'000'000; //!< from when it is taken up, for all of it
constexpr int kBacklog = 16;
constexpr std::chrono::milliseconds kBackOff{100}; //!< where this program or the machine has no more open files

constexpr std::string_view kTooLong = "HTTP/1.1 431 Request Header Fields Too Large\r\n"
                                      "Connection: close\r\nContent-Length: 0\r\n\r\n";

//! A connection as the library reads and writes it: in all so many bytes and so much time, however they are spread.
class BoundedStream final : public httplib::Stream
{
public:
    explicit BoundedStream(int socket)
        : m_socket(socket)
        , m_endNs(nowNs() + kConnectionNs)
    {
    }

    [[nodiscard]] bool is_readable() const override { return m_next < m_filled || ready(POLLIN); }
    [[nodiscard]] bool is_writable() const override { return ready(POLLOUT); }
    ssize_t read(char* into, std::size_t size) override
    {
        if (m_next == m_filled && !fill())
            return -1;
        const std::size_t taken = std::min(size, m_filled - m_next);
        std::memcpy(into, m_buffer.data() + m_next, taken);
        m_next += taken;
        return ssize_t(taken);
    }
    ssize_t write(const char* from, std::size_t size) override
    {
        m_wrote = true;
        if (!ready(POLLOUT))
            return -1;
        return ::send(m_socket, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    void get_remote_ip_and_port(std::string&, int&) const override {}
    void get_local_ip_and_port(std::string&, int&) const override {}
    //! Not the real one: the library refuses those beyond what select() takes, which is not asked here, and a load of
    //! a thousand users has a thousand connections.
    [[nodiscard]] socket_t socket() const override { return 0; }

    //! The request was longer than is read, and nothing was answered yet.
    [[nodiscard]] bool refused() const { return m_tooLong && !m_wrote; }

private:
    //! Waits until the connection's time is over.
    [[nodiscard]] bool ready(short what) const
    {
        const std::int64_t left = m_endNs - nowNs();
        pollfd one{m_socket, what, 0};
        return left > 0 && ::poll(&one, 1, int(left / 1'000'000) + 1) == 1 && (one.revents & what) != 0;
    }
    bool fill()
    {
        m_tooLong = m_read >= m_buffer.size();
        if (m_tooLong || !ready(POLLIN))
            return false;
        const ssize_t got = ::recv(m_socket, m_buffer.data() + m_read, m_buffer.size() - m_read, MSG_DONTWAIT);
        if (got <= 0)
            return false;
        m_next = m_read;
        m_read += std::size_t(got);
        m_filled = m_read;
        return true;
    }

    int m_socket;
    std::int64_t m_endNs;
    std::array<char, kMostRequestBytes> m_buffer{};
    std::size_t m_read = 0, m_next = 0, m_filled = 0;
    bool m_tooLong = false, m_wrote = false;
};

//! The part of a Host header before its port, without brackets.
std::string hostIn(const std::string& header)
{
    if (header.starts_with('['))
        return header.substr(1, header.find(']') - 1);
    return header.substr(0, header.find(':'));
}

class HttpServer final : public httplib::Server
{
public:
    HttpServer(bool localOnly, std::function<std::string()> text)
        : m_localOnly(localOnly)
        , m_text(std::move(text))
    {
        // Before the library's own ways, which match paths by regular expressions and read bodies.
        set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
            answer(request, response);
            return HandlerResponse::Handled;
        });
    }

    //! Reads a request and answers it; the socket stays the caller's.
    void serve(int socket)
    {
        const auto stream = std::make_unique<BoundedStream>(socket);
        bool closed = false;
        (void)process_request(*stream, true, closed, [](httplib::Request& request) {
            request.ranges.clear(); // a hundred times the text in one answer
            request.headers.erase("Accept-Encoding");
        });
        if (stream->refused())
            (void)stream->write(kTooLong.data(), kTooLong.size());
        (void)::shutdown(socket, SHUT_WR);
    }

private:
    void answer(const httplib::Request& request, httplib::Response& response) const
    {
        constexpr int kForbidden = 403, kNotFound = 404, kNotAllowed = 405;
        // A page of somebody's whose name leads to this machine is none of those who were meant.
        if (m_localOnly && request.has_header("Host") && !isLoopback(hostIn(request.get_header_value("Host")))) {
            response.status = kForbidden;
        } else if (request.path != kMetricsPath) {
            response.status = kNotFound;
            response.set_content("The figures are at /metrics.\n", "text/plain");
        } else if (request.method != "GET" && request.method != "HEAD") {
            response.status = kNotAllowed;
            response.set_header("Allow", "GET, HEAD");
        } else {
            response.set_content(m_text(), "text/plain; version=0.0.4; charset=utf-8");
        }
    }

    bool m_localOnly;
    std::function<std::string()> m_text;
};

//! The library ignores SIGPIPE for the whole program, which is not its to say.
class KeepsPipeSignal
{
public:
    KeepsPipeSignal() { (void)::sigaction(SIGPIPE, nullptr, &m_before); }
    ~KeepsPipeSignal() { (void)::sigaction(SIGPIPE, &m_before, nullptr); }
    KeepsPipeSignal(const KeepsPipeSignal&) = delete;
    KeepsPipeSignal& operator=(const KeepsPipeSignal&) = delete;

private:
    struct sigaction m_before = {};
};

std::unique_ptr<HttpServer> makeHttpServer(bool localOnly, std::function<std::string()> text)
{
    const KeepsPipeSignal kept;
    return std::make_unique<HttpServer>(localOnly, std::move(text));
}

//! A socket that is closed by whoever holds it last.
class OwnedSocket
{
public:
    explicit OwnedSocket(int socket = -1)
        : m_socket(socket)
    {
    }
    OwnedSocket(OwnedSocket&& other) noexcept
        : m_socket(std::exchange(other.m_socket, -1))
    {
    }
    OwnedSocket& operator=(OwnedSocket&& other) noexcept
    {
        std::swap(m_socket, other.m_socket);
        return *this;
    }
    ~OwnedSocket()
    {
        if (m_socket >= 0)
            ::close(m_socket);
    }
    [[nodiscard]] int get() const { return m_socket; }

private:
    int m_socket;
};

//! Listens at a numeric address; errno says why it does not. `port`: of 0 it becomes the one that is taken. Without
//! SO_REUSEPORT: two programs would share the port without a word.
OwnedSocket listeningAt(const std::string& host, int& port)
{
    sockaddr_storage storage{};
    auto& four = reinterpret_cast<sockaddr_in&>(storage);
    auto& six = reinterpret_cast<sockaddr_in6&>(storage);
    socklen_t size = sizeof four;
    if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
        four.sin_family = AF_INET;
        four.sin_port = htons(std::uint16_t(port));
    } else if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(std::uint16_t(port));
        size = sizeof six;
    } else {
        errno = EINVAL;
        return OwnedSocket();
    }
    auto* const address = reinterpret_cast<sockaddr*>(&storage);
    OwnedSocket socket(::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int yes = 1, no = 0;
    if (socket.get() < 0 || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0)
        return OwnedSocket();
    if (storage.ss_family == AF_INET6) // [::] is for both kinds
        (void)::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (::bind(socket.get(), address, size) != 0 || ::listen(socket.get(), kBacklog) != 0 ||
        ::getsockname(socket.get(), address, &size) != 0)
        return OwnedSocket();
    port = ntohs(storage.ss_family == AF_INET6 ? six.sin6_port : four.sin_port);
    return socket;
}

//! One thread that accepts, a few that answer, and a short queue between them. What goes wrong in one connection ends
//! that connection. Our own loop: the library's ends for good, without a word, when the machine has no more files.
class ServingThreads
{
public:
    ServingThreads(OwnedSocket listening, HttpServer& http)
        : m_http(http)
        , m_listening(std::move(listening))
    {
        try {
            for (std::size_t i = 0; i < kAnsweringThreads; ++i)
                m_threads.emplace_back([this] { answer(); });
            m_threads.emplace_back([this] { accept(); });
        } catch (...) {
            end();
            throw;
        }
    }
    ServingThreads(const ServingThreads&) = delete;
    ServingThreads& operator=(const ServingThreads&) = delete;
    ~ServingThreads() { end(); }

private:
    void end()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_ending = true;
            for (const int socket : m_answered)
                (void)::shutdown(socket, SHUT_RDWR); // whoever is connected is so no longer
            m_waiting.clear();
        }
        (void)::shutdown(m_listening.get(), SHUT_RDWR); // wakes who waits for connections
        m_wake.notify_all();
        for (std::thread& thread : m_threads)
            thread.join();
        m_threads.clear();
    }

    void accept()
    {
        for (;;) {
            pollfd one{m_listening.get(), POLLIN, 0};
            (void)::poll(&one, 1, -1);
            OwnedSocket socket(::accept4(m_listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
            const int problem = errno;
            std::unique_lock lock(m_mutex);
            if (m_ending)
                return;
            if (socket.get() >= 0) {
                queue(std::move(socket));
                m_wake.notify_all();
            } else if (problem != EINTR && problem != ECONNABORTED && problem != EAGAIN) {
                m_wake.wait_for(lock, kBackOff, [this] { return m_ending; });
            }
        }
    }

    //! With the mutex held. Where too many wait, it is only closed.
    void queue(OwnedSocket socket) noexcept
    {
        try {
            if (m_waiting.size() < kMostWaiting)
                m_waiting.push_back(std::move(socket));
        } catch (const std::exception&) { // no memory: closed as well
        }
    }

    void answer()
    {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_wake.wait(lock, [this] { return m_ending || !m_waiting.empty(); });
            if (m_ending)
                return;
            const OwnedSocket socket = std::move(m_waiting.front());
            m_waiting.pop_front();
            try {
                m_answered.insert(socket.get());
                lock.unlock();
                m_http.serve(socket.get());
            } catch (...) { // this connection ends; the benchmark does not
            }
            if (!lock.owns_lock())
                lock.lock();
            m_answered.erase(socket.get());
        }
    }

    HttpServer& m_http;
    OwnedSocket m_listening;
    std::mutex m_mutex; //!< for what follows
    std::condition_variable m_wake;
    std::deque<OwnedSocket> m_waiting;
    std::set<int> m_answered;
    bool m_ending = false;
    std::vector<std::thread> m_threads;
};

} // namespace

struct MetricsServer::Private
{
    MetricsAddress address;
    std::unique_ptr<HttpServer> http;
    std::unique_ptr<ServingThreads> threads; //!< end before what they use
};

MetricsServer::MetricsServer(std::unique_ptr<Private> parts)
    : d(std::move(parts))
{
}

MetricsServer::~MetricsServer() = default;

Expected<std::unique_ptr<MetricsServer>> MetricsServer::listen(const MetricsAddress& address,
                                                               std::function<std::string()> text)
{
    auto parts = std::make_unique<Private>();
    parts->address = address;
    OwnedSocket listening = listeningAt(address.host, parts->address.port);
    const int problem = errno;
    if (listening.get() < 0)
        return fail({ErrorKind::BadInput,
                     fmt::format("metrics cannot be served at {}: {}", address.text(), std::strerror(problem)),
                     {},
                     "choose another address or port; port 0 takes any free one"});
    parts->http = makeHttpServer(address.isLocal(), std::move(text));
    parts->threads = std::make_unique<ServingThreads>(std::move(listening), *parts->http);
    return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(parts)));
}

std::string MetricsServer::url() const
{
    return fmt::format("http://{}{}", d->address.text(), kMetricsPath);
}

} // namespace dyno
