// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"

#include <dyno/live_metrics.h>
#include <dyno/uri.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
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
constexpr std::int64_t kConnectionNs = 5'000'000'000; //!< from its acceptance on, for all of it
constexpr std::chrono::microseconds kStartStep{100};

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

//! Set while a connection is only to be closed: too many wait, or the server ends.
thread_local bool t_turnAway = false;

//! A few threads and a short queue.
class AnsweringThreads final : public httplib::TaskQueue
{
public:
    AnsweringThreads()
    {
        for (std::size_t i = 0; i < kAnsweringThreads; ++i)
            m_threads.emplace_back([this] { work(); });
    }
    void enqueue(std::function<void()> job) override
    {
        {
            const std::lock_guard lock(m_mutex);
            if (m_jobs.size() < kMostWaiting) {
                m_jobs.push_back(std::move(job));
                m_wake.notify_one();
                return;
            }
        }
        t_turnAway = true;
        job();
        t_turnAway = false;
    }
    void shutdown() override
    {
        {
            const std::lock_guard lock(m_mutex);
            m_ending = true;
        }
        m_wake.notify_all();
        for (std::thread& thread : m_threads)
            thread.join();
    }

private:
    void work()
    {
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_wake.wait(lock, [this] { return m_ending || !m_jobs.empty(); });
            if (m_jobs.empty())
                return;
            const std::function<void()> job = std::move(m_jobs.front());
            m_jobs.pop_front();
            t_turnAway = m_ending;
            lock.unlock();
            job();
            lock.lock();
        }
    }

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::function<void()>> m_jobs;
    std::vector<std::thread> m_threads;
    bool m_ending = false;
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
        new_task_queue = [] { return new AnsweringThreads; };
        // Without SO_REUSEPORT, which the library sets by itself: two programs would share the port without a word.
        set_socket_options([](socket_t socket) {
            const int yes = 1;
            (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        });
        // Before the library's own ways, which match paths by regular expressions and read bodies.
        set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
            answer(request, response);
            return HandlerResponse::Handled;
        });
    }

    //! Whoever is connected is so no longer.
    void end()
    {
        stop();
        const std::lock_guard lock(m_mutex);
        m_ending = true;
        for (const int socket : m_open)
            (void)::shutdown(socket, SHUT_RDWR);
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

    // The library's own gives each read a time and the whole none.
    bool process_and_close_socket(socket_t socket) override
    {
        (void)::fcntl(socket, F_SETFD, FD_CLOEXEC);
        if (t_turnAway || !opened(socket)) {
            ::close(socket);
            return false;
        }
        const auto stream = std::make_unique<BoundedStream>(socket);
        bool closed = false;
        const bool done = process_request(*stream, true, closed, [](httplib::Request& request) {
            request.ranges.clear(); // a hundred times the text in one answer
            request.headers.erase("Accept-Encoding");
        });
        if (stream->refused())
            (void)stream->write(kTooLong.data(), kTooLong.size());
        (void)::shutdown(socket, SHUT_WR);
        const std::lock_guard lock(m_mutex);
        m_open.erase(socket);
        ::close(socket);
        return done;
    }

    bool opened(int socket)
    {
        const std::lock_guard lock(m_mutex);
        return !m_ending && m_open.insert(socket).second;
    }

    bool m_localOnly;
    std::function<std::string()> m_text;
    std::mutex m_mutex; //!< for what follows
    std::set<int> m_open;
    bool m_ending = false;
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

} // namespace

struct MetricsServer::Private
{
    MetricsAddress address;
    std::unique_ptr<HttpServer> http;
    std::thread thread;
};

MetricsServer::MetricsServer(std::unique_ptr<Private> parts)
    : d(std::move(parts))
{
}

MetricsServer::~MetricsServer()
{
    d->http->end();
    d->thread.join();
}

Expected<std::unique_ptr<MetricsServer>> MetricsServer::listen(const MetricsAddress& address,
                                                               std::function<std::string()> text)
{
    auto parts = std::make_unique<Private>();
    parts->address = address;
    parts->http = makeHttpServer(address.isLocal(), std::move(text));
    errno = 0;
    if (address.port == 0)
        parts->address.port = parts->http->bind_to_any_port(address.host);
    else if (!parts->http->bind_to_port(address.host, address.port))
        parts->address.port = -1;
    if (parts->address.port <= 0) {
        const std::string why = errno != 0 ? std::strerror(errno) : "it cannot be listened on";
        return fail({ErrorKind::BadInput,
                     fmt::format("metrics cannot be served at {}: {}", address.text(), why),
                     {},
                     "choose another address or port; port 0 takes any free one"});
    }
    parts->thread = std::thread([http = parts->http.get()] { (void)http->listen_after_bind(); });
    while (!parts->http->is_running()) // until then it cannot be stopped
        std::this_thread::sleep_for(kStartStep);
    return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(parts)));
}

std::string MetricsServer::url() const
{
    return fmt::format("http://{}{}", d->address.text(), kMetricsPath);
}

} // namespace dyno
