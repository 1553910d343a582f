// SPDX-License-Identifier: GPL-3.0-or-later
#include "mongodb_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace dyno::mongodb {

namespace {

constexpr int kStreamType = 100; //!< libmongoc's own are 1 to 6
constexpr std::size_t kReadAhead = 16 * 1024;
constexpr int kLongestMs = 3600 * 1000;

template<class... Args>
void setError(bson_error_t* error, std::uint32_t code, const char* format, Args... args)
{
    bson_set_error(error, MONGOC_ERROR_STREAM, code, format, args...);
}

//! Waits until a connect() that is under way has ended; 0 or an error number.
int waitForConnect(int fd, int timeoutMs)
{
    pollfd wait{fd, POLLOUT, 0};
    int ready = 0;
    do
        ready = ::poll(&wait, 1, timeoutMs);
    while (ready < 0 && errno == EINTR);
    if (ready == 0)
        return ETIMEDOUT;
    int fault = 0;
    socklen_t size = sizeof(fault);
    if (ready < 0 || ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &size) != 0)
        return errno;
    return fault;
}

void setBlocking(int fd)
{
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL, 0) & ~O_NONBLOCK);
}

} // namespace

//! What the library sees of a connection; its functions below are called on the session's thread.
struct SocketStream
{
    mongoc_stream_t base{}; //!< first, so that its address is ours
    Link* link = nullptr;
    int fd = -1;
    int readTimeoutMs = 0, writeTimeoutMs = 0; //!< as the kernel was told
    bool timedOut = false;
    bool checksFrames = false;      //!< without TLS, which checks all: see frameIsSound()
    std::size_t frameLeft = 0;      //!< bytes of the message that the library has the length of
    std::size_t begin = 0, end = 0; //!< what is read and not taken
    std::array<char, kReadAhead> buffer;

    static SocketStream& of(mongoc_stream_t* stream) { return *reinterpret_cast<SocketStream*>(stream); }
    static mongoc_stream_t* make(Link& owner, int socket);

    static void destroy(mongoc_stream_t* stream);
    static int close(mongoc_stream_t* stream);
    static int flush(mongoc_stream_t*) { return 0; }
    static ssize_t writev(mongoc_stream_t* stream, mongoc_iovec_t* vectors, std::size_t count, std::int32_t timeoutMs);
    static ssize_t readv(mongoc_stream_t* stream, mongoc_iovec_t* vectors, std::size_t count, std::size_t least,
                         std::int32_t timeoutMs);
    static int setsockopt(mongoc_stream_t* stream, int level, int name, void* value, mongoc_socklen_t size);
    static bool checkClosed(mongoc_stream_t* stream);
    static ssize_t poll(mongoc_stream_poll_t* streams, std::size_t count, std::int32_t timeoutMs);
    static bool wasTimedOut(mongoc_stream_t* stream) { return of(stream).timedOut; }
    static bool shouldRetry(mongoc_stream_t*) { return false; }

    void setTimeout(int option, int& known, int timeoutMs) const;
    //! Like recv(): fills `data`; 0 at the end, −1 with errno.
    ssize_t receive(void* data, std::size_t size);
    ssize_t take(mongoc_iovec_t* vectors, std::size_t count, std::size_t least);
    //! False when what the library has just read is no message: libmongoc 1.23 believes what the head says and crashes.
    bool frameIsSound(const mongoc_iovec_t& read);
};

mongoc_stream_t* SocketStream::make(Link& owner, int socket)
{
    auto* stream = new SocketStream;
    stream->link = &owner;
    stream->fd = socket;
    stream->checksFrames = owner.m_options.tls == ConnectOptions::Tls::Off;
    stream->base.type = kStreamType;
    stream->base.destroy = &destroy;
    stream->base.failed = &destroy;
    stream->base.close = &close;
    stream->base.flush = &flush;
    stream->base.writev = &writev;
    stream->base.readv = &readv;
    stream->base.setsockopt = &setsockopt;
    stream->base.check_closed = &checkClosed;
    stream->base.poll = &poll;
    stream->base.timed_out = &wasTimedOut;
    stream->base.should_retry = &shouldRetry;
    return &stream->base;
}

int SocketStream::close(mongoc_stream_t* stream)
{
    SocketStream& self = of(stream);
    if (self.fd >= 0)
        self.link->forget(self.fd);
    self.fd = -1;
    return 0;
}

void SocketStream::destroy(mongoc_stream_t* stream)
{
    close(stream);
    delete &of(stream);
}

void SocketStream::setTimeout(int option, int& known, int timeoutMs) const
{
    const int wanted = timeoutMs <= 0 ? kLongestMs : timeoutMs;
    if (wanted == known) [[likely]]
        return;
    const timeval time{wanted / 1000, suseconds_t(wanted % 1000) * 1000};
    ::setsockopt(fd, SOL_SOCKET, option, &time, sizeof(time));
    known = wanted;
}

ssize_t SocketStream::receive(void* data, std::size_t size)
{
    ssize_t got = 0;
    do
        got = ::recv(fd, data, size, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        timedOut = true;
        errno = ETIMEDOUT;
    }
    return got;
}

ssize_t SocketStream::readv(mongoc_stream_t* stream, mongoc_iovec_t* vectors, std::size_t count, std::size_t least,
                            std::int32_t timeoutMs)
{
    SocketStream& self = of(stream);
    self.timedOut = false;
    self.setTimeout(SO_RCVTIMEO, self.readTimeoutMs, timeoutMs);
    const ssize_t got = self.take(vectors, count, least);
    if (got > 0 && self.checksFrames && !self.frameIsSound(vectors[0])) {
        errno = EPROTO;
        return -1;
    }
    return got;
}

bool SocketStream::frameIsSound(const mongoc_iovec_t& read)
{
    // The library reads a message in two steps: 4 bytes with its length, then the rest.
    constexpr std::size_t kLength = 4;
    constexpr std::size_t kLeast = 22; // behind the length: head, flags, kind of section, smallest document
    const auto number = [&read](std::size_t at) {
        std::int32_t value = 0;
        std::memcpy(&value, static_cast<const char*>(read.iov_base) + at, sizeof(value));
        return value;
    };
    if (frameLeft == 0) {
        if (read.iov_len != kLength)
            return true; // the handshake's older form, which the library reads in other steps
        const std::int32_t length = number(0);
        frameLeft = length > std::int32_t(kLength) ? std::size_t(length) - kLength : 0;
        return frameLeft > 0;
    }
    const std::size_t rest = std::exchange(frameLeft, 0);
    constexpr std::size_t kOpcode = 8;
    constexpr std::int32_t kCompressed = 2012;
    constexpr std::int32_t kMessage = 2013;
    if (read.iov_len != rest || rest < kLeast)
        return false;
    const std::int32_t opcode = number(kOpcode);
    if (opcode != kMessage)
        return opcode == kCompressed;
    const std::int32_t document = number(17);
    return static_cast<const char*>(read.iov_base)[16] == 0 && document >= 5 && std::size_t(document) + 17 <= rest;
}

ssize_t SocketStream::take(mongoc_iovec_t* vectors, std::size_t count, std::size_t least)
{
    std::size_t total = 0;
    for (std::size_t i = 0; i < count; ++i) {
        auto* to = static_cast<char*>(vectors[i].iov_base);
        std::size_t left = vectors[i].iov_len;
        while (left > 0) {
            if (const std::size_t kept = std::min(left, end - begin); kept > 0) {
                std::memcpy(to, buffer.data() + begin, kept);
                begin += kept;
                to += kept;
                left -= kept;
                total += kept;
                continue;
            }
            if (total >= least && total > 0)
                return ssize_t(total);
            // A large rest goes where it is wanted; a small one brings along what follows it.
            const bool direct = left >= kReadAhead;
            const ssize_t got = direct ? receive(to, left) : receive(buffer.data(), kReadAhead);
            if (got <= 0) {
                if (got == 0)
                    errno = ECONNRESET;
                return got == 0 && total == 0 ? 0 : -1;
            }
            if (direct) {
                to += got;
                left -= std::size_t(got);
                total += std::size_t(got);
            } else {
                begin = 0;
                end = std::size_t(got);
            }
        }
    }
    return ssize_t(total);
}

ssize_t SocketStream::writev(mongoc_stream_t* stream, mongoc_iovec_t* vectors, std::size_t count,
                             std::int32_t timeoutMs)
{
    SocketStream& self = of(stream);
    self.timedOut = false;
    self.setTimeout(SO_SNDTIMEO, self.writeTimeoutMs, timeoutMs);
    constexpr std::size_t kMost = 16;
    std::array<iovec, kMost> parts; // a copy: a part that is sent half is cut
    ssize_t total = 0;
    while (count > 0) {
        const std::size_t now = std::min(count, kMost);
        std::size_t size = 0;
        for (std::size_t i = 0; i < now; ++i) {
            parts[i] = {vectors[i].iov_base, vectors[i].iov_len};
            size += vectors[i].iov_len;
        }
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = now;
        while (size > 0) {
            const ssize_t sent = ::sendmsg(self.fd, &message, MSG_NOSIGNAL);
            if (sent < 0) {
                if (errno == EINTR)
                    continue;
                if (errno == EAGAIN || errno == EWOULDBLOCK) {
                    self.timedOut = true;
                    errno = ETIMEDOUT;
                }
                return -1;
            }
            total += sent;
            size -= std::size_t(sent);
            auto rest = std::size_t(sent);
            while (rest > 0 && rest >= message.msg_iov->iov_len) {
                rest -= message.msg_iov->iov_len;
                ++message.msg_iov;
                --message.msg_iovlen;
            }
            if (rest > 0) {
                message.msg_iov->iov_base = static_cast<char*>(message.msg_iov->iov_base) + rest;
                message.msg_iov->iov_len -= rest;
            }
        }
        vectors += now;
        count -= now;
    }
    return total;
}

int SocketStream::setsockopt(mongoc_stream_t* stream, int level, int name, void* value, mongoc_socklen_t size)
{
    return ::setsockopt(of(stream).fd, level, name, value, size);
}

bool SocketStream::checkClosed(mongoc_stream_t* stream)
{
    const SocketStream& self = of(stream);
    if (self.fd < 0)
        return true;
    char byte = 0;
    const ssize_t got = ::recv(self.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

ssize_t SocketStream::poll(mongoc_stream_poll_t* streams, std::size_t count, std::int32_t timeoutMs)
{
    std::vector<pollfd> files;
    bool ready = false;
    for (std::size_t i = 0; i < count; ++i) {
        const SocketStream& self = of(streams[i].stream);
        files.push_back({self.fd, short(streams[i].events), 0});
        ready = ready || ((streams[i].events & POLLIN) != 0 && self.begin < self.end);
    }
    const int found = ::poll(files.data(), nfds_t(files.size()), ready ? 0 : timeoutMs);
    for (std::size_t i = 0; i < count; ++i) {
        const SocketStream& self = of(streams[i].stream);
        streams[i].revents = files[i].revents;
        if ((streams[i].events & POLLIN) != 0 && self.begin < self.end)
            streams[i].revents |= POLLIN;
    }
    return ready ? std::max(found, 1) : found;
}

Link::Link(mongoc_client_t* client, const ConnectOptions& options)
    : m_options(options)
{
    mongoc_client_set_stream_initiator(client, &Link::connect, this);
}

void Link::abort() noexcept
{
    m_aborted = true;
    shutDown();
}

void Link::shutDown() noexcept
{
    const std::lock_guard lock(m_lock);
    if (m_fd >= 0)
        ::shutdown(m_fd, SHUT_RDWR);
}

bool Link::keep(int fd)
{
    const std::lock_guard lock(m_lock);
    if (m_aborted)
        return false;
    m_fd = fd;
    return true;
}

void Link::forget(int fd)
{
    const std::lock_guard lock(m_lock);
    if (m_fd == fd)
        m_fd = -1;
    ::close(fd);
}

int Link::tryAddress(int family, const sockaddr* address, socklen_t size)
{
    const int fd = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    // Known to abort() before anything waits for it.
    if (!keep(fd)) {
        ::close(fd);
        return -ECONNABORTED;
    }
    int fault = ::connect(fd, address, size) == 0 ? 0 : errno;
    if (fault == EINPROGRESS)
        fault = waitForConnect(fd, m_options.connectTimeoutMs);
    if (fault == 0 && aborted())
        fault = ECONNABORTED;
    if (fault == 0)
        return fd;
    forget(fd);
    return -fault;
}

int Link::openSocket(const mongoc_host_list_t& host, bson_error_t* error)
{
    if (host.family == AF_UNIX) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (std::strlen(host.host) >= sizeof(address.sun_path)) {
            setError(error, MONGOC_ERROR_STREAM_SOCKET, "The path of the socket is too long: %s", host.host);
            return -1;
        }
        std::strncpy(address.sun_path, host.host, sizeof(address.sun_path) - 1);
        const int fd = tryAddress(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
        if (fd < 0)
            setError(error, MONGOC_ERROR_STREAM_CONNECT, "Failed to connect to %s: %s", host.host, std::strerror(-fd));
        return fd < 0 ? -1 : fd;
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_family = host.family == AF_INET || host.family == AF_INET6 ? host.family : AF_UNSPEC;
    addrinfo* list = nullptr;
    const std::string port = std::to_string(host.port);
    if (const int fault = ::getaddrinfo(host.host, port.c_str(), &hints, &list); fault != 0) {
        setError(error, MONGOC_ERROR_STREAM_NAME_RESOLUTION, "Failed to resolve %s: %s", host.host,
                 ::gai_strerror(fault));
        return -1;
    }
    int fd = -EHOSTUNREACH;
    for (const addrinfo* one = list; one && fd < 0; one = one->ai_next)
        fd = tryAddress(one->ai_family, one->ai_addr, socklen_t(one->ai_addrlen));
    ::freeaddrinfo(list);
    if (fd < 0) {
        setError(error, MONGOC_ERROR_STREAM_CONNECT, "Failed to connect to %s: %s", host.host_and_port,
                 std::strerror(-fd));
        return -1;
    }
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    return fd;
}

mongoc_stream_t* Link::connectTo(const mongoc_host_list_t& host, bson_error_t* error)
{
    const int fd = openSocket(host, error);
    if (fd < 0)
        return nullptr;
    setBlocking(fd);
    mongoc_stream_t* stream = SocketStream::make(*this, fd);
    if (m_options.tls == ConnectOptions::Tls::Off)
        return stream;
    mongoc_ssl_opt_t ssl = m_options.sslOptions();
    mongoc_stream_t* secure = mongoc_stream_tls_new_with_hostname(stream, host.host, &ssl, 1);
    if (!secure) {
        mongoc_stream_destroy(stream);
        setError(error, MONGOC_ERROR_STREAM_SOCKET,
                 "TLS could not be set up for %s: see the files of tls_ca and "
                 "tls_cert_key",
                 host.host_and_port);
        return nullptr;
    }
    if (!mongoc_stream_tls_handshake_block(secure, host.host, m_options.connectTimeoutMs, error)) {
        mongoc_stream_destroy(secure);
        return nullptr;
    }
    return secure;
}

mongoc_stream_t* Link::connect(const mongoc_uri_t* /*uri*/, const mongoc_host_list_t* host, void* link,
                               bson_error_t* error)
{
    return static_cast<Link*>(link)->connectTo(*host, error);
}

} // namespace dyno::mongodb
