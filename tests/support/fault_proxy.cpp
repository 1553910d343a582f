// SPDX-License-Identifier: GPL-3.0-or-later
#include "fault_proxy.h"

#include "base/clock.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace dyno::test {

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
//! So much may wait in one direction of a connection; then the sender feels it.
constexpr std::size_t kMaxQueued = 1024 * 1024;
constexpr std::int64_t kForever = INT64_MAX;

std::size_t at(FaultProxy::Direction direction)
{
    return std::size_t(direction);
}

//! An address of either kind.
struct Address
{
    sockaddr_storage storage{};
    socklen_t size = 0;
    int family = AF_UNIX;
    [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Expected<Address> addressOf(const std::string& socket, const std::string& host, int port)
{
    Address address;
    if (!socket.empty()) {
        sockaddr_un local{};
        local.sun_family = AF_UNIX;
        if (socket.size() >= sizeof local.sun_path)
            return fail({ErrorKind::BadInput, "the path is too long for a Unix socket", socket, {}});
        std::memcpy(local.sun_path, socket.data(), socket.size());
        std::memcpy(&address.storage, &local, sizeof local);
        address.size = sizeof local;
        return address;
    }
    sockaddr_in inet{};
    inet.sin_family = AF_INET;
    inet.sin_port = htons(std::uint16_t(port));
    if (inet_pton(AF_INET, host.c_str(), &inet.sin_addr) != 1)
        return fail({ErrorKind::BadInput, "not a numeric IPv4 address", host, {}});
    std::memcpy(&address.storage, &inet, sizeof inet);
    address.size = sizeof inet;
    address.family = AF_INET;
    return address;
}

Error systemError(const char* what, const std::string& where)
{
    return {ErrorKind::Failed, fmt::format("{}: {}", what, std::strerror(errno)), where, {}};
}

void sendAtOnce(int fd)
{
    const int on = 1;
    static_cast<void>(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on)); // a Unix socket has no such option
}

} // namespace

Expected<void> FaultProxy::start(const ServerPlace& server, const std::string& socket, int port)
{
    stop();
    m_server = server;
    m_socket = socket;
    m_port = port;
    m_quit = false;
    m_now = m_facts = {};
    if (auto listening = listen(); !listening) {
        closeListeners();
        return listening;
    }
    m_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (m_wake < 0)
        return fail(systemError("eventfd", {}));
    m_thread = std::thread([this] { loop(); });
    return {};
}

void FaultProxy::stop()
{
    if (!m_thread.joinable())
        return;
    order([this] { m_quit = true; });
    m_thread.join();
    for (auto& link : m_links)
        end(*link, End::Fin, false);
    m_links.clear();
    closeListeners();
    if (!m_socket.empty())
        ::unlink(m_socket.c_str());
    ::close(m_wake);
    m_wake = -1;
    m_faults.clear();
    m_delayNs = m_bytesPerSecond = m_nextSendNs = {};
    m_everyNs = m_freezeNs = 0;
}

Expected<void> FaultProxy::listen()
{
    for (const bool unixSocket : {true, false}) {
        if (unixSocket && m_socket.empty())
            continue;
        const auto address = addressOf(unixSocket ? m_socket : std::string(), "127.0.0.1", m_port);
        if (!address)
            return fail(address.error());
        const int fd = ::socket(address->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
            return fail(systemError("socket", m_socket));
        m_listeners.push_back(fd);
        const int on = 1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (unixSocket)
            ::unlink(m_socket.c_str());
        if (::bind(fd, address->get(), address->size) != 0 || ::listen(fd, SOMAXCONN) != 0)
            return fail(systemError("cannot listen", unixSocket ? m_socket : fmt::format("port {}", m_port)));
        if (!unixSocket) {
            sockaddr_in given{};
            socklen_t size = sizeof given;
            getsockname(fd, reinterpret_cast<sockaddr*>(&given), &size);
            m_port = ntohs(given.sin_port);
        }
    }
    return {};
}

void FaultProxy::closeListeners()
{
    for (const int fd : m_listeners)
        ::close(fd);
    m_listeners.clear();
}

//! Runs `command` in the loop's thread and waits for it.
void FaultProxy::order(const std::function<void()>& command) const
{
    if (!m_thread.joinable())
        return command(); // not started
    std::unique_lock lock(m_mutex);
    m_orders.push_back(&command);
    const std::uint64_t mine = ++m_ordered;
    const std::uint64_t one = 1;
    static_cast<void>(::write(m_wake, &one, sizeof one));
    m_changed.wait(lock, [&] { return m_carriedOut >= mine; });
}

//! Also tells the facts.
void FaultProxy::takeOrders()
{
    const std::lock_guard lock(m_mutex);
    if (!m_orders.empty()) {
        std::uint64_t ignored = 0;
        static_cast<void>(::read(m_wake, &ignored, sizeof ignored));
    }
    for (const std::function<void()>* command : m_orders) {
        (*command)();
        ++m_carriedOut;
    }
    m_orders.clear();
    std::erase_if(m_links, [](const auto& link) { return link->dead; });
    m_now.open = m_links.size();
    m_facts = m_now;
    m_changed.notify_all();
}

void FaultProxy::freeze()
{
    order([this] { m_now.frozen = true; });
}

void FaultProxy::thaw()
{
    order([this] { m_now.frozen = false; });
}

void FaultProxy::setFreezes(std::int64_t everyNs, std::int64_t freezeNs)
{
    order([=, this] {
        m_everyNs = everyNs;
        m_freezeNs = freezeNs;
    });
}

void FaultProxy::setServer(const ServerPlace& server)
{
    order([&, this] { m_server = server; });
}

void FaultProxy::setDelay(Direction direction, std::int64_t ns)
{
    order([=, this] { m_delayNs[at(direction)] = ns; });
}

void FaultProxy::setThrottle(Direction direction, std::int64_t bytesPerSecond)
{
    order([=, this] {
        m_bytesPerSecond[at(direction)] = bytesPerSecond;
        m_nextSendNs[at(direction)] = 0;
    });
}

Expected<void> FaultProxy::setRefusing(bool refusing)
{
    Expected<void> done;
    order([&] {
        if (refusing)
            closeListeners();
        else if (m_listeners.empty())
            done = listen();
    });
    return done;
}

std::size_t FaultProxy::cut(End how)
{
    std::size_t count = 0;
    order([&] {
        for (auto& link : m_links) {
            count += link->dead ? 0 : 1;
            end(*link, how, true);
        }
    });
    return count;
}

void FaultProxy::cutAfter(Direction direction, std::uint64_t bytes, End how)
{
    order([=, this] { m_faults.push_back({direction, true, how, bytes, 0, 0, 0}); });
}

void FaultProxy::corrupt(Direction direction, std::uint64_t skip, std::uint64_t count, std::uint8_t mask)
{
    order([=, this] { m_faults.push_back({direction, false, End::Fin, skip, count, mask, 0}); });
}

FaultProxy::Facts FaultProxy::facts() const
{
    const std::lock_guard lock(m_mutex);
    return m_facts;
}

bool FaultProxy::waitFor(const std::function<bool(const Facts&)>& wanted, int milliseconds) const
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return wanted(m_facts); });
}

std::int64_t FaultProxy::thawNs(std::int64_t now) const
{
    if (m_now.frozen)
        return kForever;
    if (m_everyNs <= 0 || now % m_everyNs >= m_freezeNs)
        return 0;
    return now - now % m_everyNs + m_freezeNs;
}

void FaultProxy::loop()
{
    m_buffer.resize(kReadBytes);
    for (takeOrders(); !m_quit; takeOrders())
        wait(nowNs());
}

//! Waits for what may happen next, and does it.
void FaultProxy::wait(std::int64_t now)
{
    const std::int64_t thaw = thawNs(now);
    const bool frozen = thaw != 0;
    std::int64_t until = frozen ? thaw : kForever;
    // A descriptor of -1 is skipped: one that only hung up would be reported again and again.
    std::vector<pollfd> fds{{m_wake, POLLIN, 0}};
    for (const int fd : m_listeners)
        fds.push_back({frozen ? -1 : fd, POLLIN, 0});
    const std::size_t listeners = m_listeners.size();
    if (!frozen && m_everyNs > 0)
        until = now - now % m_everyNs + m_everyNs; // the next freeze begins: nothing may slip through afterwards
    for (const auto& link : m_links) {
        for (const Direction direction : {Direction::ToServer, Direction::ToClient}) {
            const Pipe& pipe = link->pipes[at(direction)];
            const bool reads = !frozen && !link->dead && !pipe.ended && pipe.queued < kMaxQueued;
            const bool writes = !frozen && !link->dead && pipe.blocked;
            fds.push_back({reads ? link->fds[1 - at(direction)] : -1, POLLIN, 0});
            fds.push_back({writes ? link->fds[at(direction)] : -1, POLLOUT, 0});
            if (!frozen && !pipe.queue.empty() && !pipe.blocked)
                until = std::min(until, std::max(pipe.queue.front().dueNs, m_nextSendNs[at(direction)]));
        }
    }
    const std::int64_t ns = std::max<std::int64_t>(0, until - now);
    const timespec timeout{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    if (::ppoll(fds.data(), fds.size(), until == kForever ? nullptr : &timeout, nullptr) < 0)
        return;
    const std::int64_t later = nowNs();
    if (frozen || thawNs(later) != 0)
        return; // orders first, and nothing moves in a freeze
    // Links before listeners: the descriptors were laid out for the links there were.
    std::size_t next = 1 + listeners;
    const std::size_t links = m_links.size();
    for (std::size_t i = 0; i < links; ++i) {
        for (const Direction direction : {Direction::ToServer, Direction::ToClient}) {
            if (fds[next + 1].revents != 0)
                m_links[i]->pipes[at(direction)].blocked = false;
            pump(*m_links[i], direction, later, fds[next].revents != 0);
            next += 2;
        }
    }
    for (std::size_t i = 0; i < listeners; ++i) {
        if (fds[1 + i].revents != 0)
            acceptFrom(m_listeners[i]);
    }
}

void FaultProxy::acceptFrom(int listener)
{
    const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0)
        return;
    sendAtOnce(client);
    ++m_now.accepted;
    auto link = std::make_unique<Link>();
    link->id = m_now.accepted;
    link->fds[at(Direction::ToClient)] = client;
    const auto address = addressOf(m_server.socket, m_server.host, m_server.port);
    const int server = address ? ::socket(address->family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    link->fds[at(Direction::ToServer)] = server;
    // Loopback: it is there at once or not at all.
    if (server < 0 || ::connect(server, address->get(), address->size) != 0) {
        end(*link, End::Reset, false);
        return;
    }
    sendAtOnce(server);
    m_links.push_back(std::move(link));
}

void FaultProxy::pump(Link& link, Direction direction, std::int64_t now, bool readable)
{
    Pipe& pipe = link.pipes[at(direction)];
    if (link.dead)
        return;
    if (readable && !pipe.ended) {
        const ssize_t count = ::recv(link.fds[1 - at(direction)], m_buffer.data(), m_buffer.size(), MSG_DONTWAIT);
        if (count > 0) {
            Chunk chunk{now + m_delayNs[at(direction)], m_buffer.substr(0, std::size_t(count)), 0};
            End how = End::Fin;
            const bool cuts = distort(link, direction, chunk.data, how);
            pipe.queued += chunk.data.size();
            if (!chunk.data.empty())
                pipe.queue.push_back(std::move(chunk));
            if (cuts) {
                // What was let through must arrive before the end does.
                for (Chunk& waiting : pipe.queue)
                    waiting.dueNs = 0;
                send(link, direction, now);
                end(link, how, true);
                return;
            }
        } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            pipe.ended = true;
        }
    }
    send(link, direction, now);
}

bool FaultProxy::distort(Link& link, Direction direction, std::string& data, End& how)
{
    for (auto fault = m_faults.begin(); fault != m_faults.end(); ++fault) {
        if (fault->direction != direction || (fault->link != 0 && fault->link != link.id))
            continue;
        fault->link = link.id;
        if (fault->cuts) {
            if (fault->skip > data.size()) {
                fault->skip -= data.size();
                continue;
            }
            data.resize(fault->skip);
            how = fault->how;
            m_faults.erase(fault);
            return true;
        }
        const std::uint64_t skipped = std::min<std::uint64_t>(fault->skip, data.size());
        fault->skip -= skipped;
        const std::uint64_t touched = std::min<std::uint64_t>(fault->count, data.size() - skipped);
        for (std::uint64_t i = skipped; i < skipped + touched; ++i)
            data[i] = char(std::uint8_t(data[i]) ^ fault->mask);
        m_now.corrupted += touched;
        fault->count -= touched;
    }
    std::erase_if(m_faults, [](const StreamFault& fault) { return !fault.cuts && fault.count == 0; });
    return false;
}

void FaultProxy::send(Link& link, Direction direction, std::int64_t now)
{
    const std::size_t d = at(direction);
    Pipe& pipe = link.pipes[d];
    while (!pipe.queue.empty() && !pipe.blocked) {
        Chunk& chunk = pipe.queue.front();
        if (chunk.dueNs > now || (m_bytesPerSecond[d] > 0 && m_nextSendNs[d] > now))
            return;
        std::size_t size = chunk.data.size() - chunk.sent;
        if (m_bytesPerSecond[d] > 0)
            size = std::min(size, std::max<std::size_t>(1, std::size_t(m_bytesPerSecond[d] / 100)));
        const ssize_t count = ::send(link.fds[d], chunk.data.data() + chunk.sent, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0) {
            pipe.blocked = errno == EAGAIN || errno == EINTR;
            if (!pipe.blocked)
                end(link, End::Reset, false);
            return;
        }
        if (m_bytesPerSecond[d] > 0)
            m_nextSendNs[d] = std::max(now, m_nextSendNs[d]) + count * 1'000'000'000 / m_bytesPerSecond[d];
        chunk.sent += std::size_t(count);
        pipe.queued -= std::size_t(count);
        m_now.bytes[d] += std::uint64_t(count);
        if (chunk.sent == chunk.data.size())
            pipe.queue.pop_front();
    }
    if (pipe.ended && pipe.queue.empty() && !pipe.shut) {
        pipe.shut = true;
        ::shutdown(link.fds[d], SHUT_WR);
        if (link.pipes[1 - d].shut)
            end(link, End::Fin, false);
    }
}

void FaultProxy::end(Link& link, End how, bool byFault)
{
    if (link.dead)
        return;
    link.dead = true;
    if (byFault)
        ++m_now.cut;
    if (how == End::Reset) {
        const linger now{.l_onoff = 1, .l_linger = 0};
        setsockopt(link.fds[at(Direction::ToClient)], SOL_SOCKET, SO_LINGER, &now, sizeof now);
    } else {
        // A socket that is closed with unread data resets the connection.
        ::shutdown(link.fds[at(Direction::ToClient)], SHUT_WR);
        while (::recv(link.fds[at(Direction::ToClient)], m_buffer.data(), m_buffer.size(), MSG_DONTWAIT) > 0) {
        }
    }
    for (int& fd : link.fds) {
        if (fd >= 0)
            ::close(fd);
        fd = -1;
    }
}

} // namespace dyno::test
