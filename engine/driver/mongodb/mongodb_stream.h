// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The transport of one session's connection, in place of libmongoc's own: only who has the socket can end a request
//! that is under way from another thread. It also saves system calls: libmongoc's stream asks the kernel for an answer
//! that is not there yet, waits with poll() and asks again, a header of 4 bytes first; this one waits in recv() and
//! takes what there is. TLS is libmongoc's, on top of it.
#pragma once

#include "mongodb_options.h"

#include <atomic>
#include <mutex>
#include <sys/socket.h>

namespace dyno::mongodb {

//! A client's hand on its socket, made once for each client and there for as long as the client. libmongoc opens and
//! closes the socket on the session's thread. When one connection to a server breaks, it closes the others too at their
//! next operation, and they connect anew within it.
class Link
{
public:
    Link(mongoc_client_t* client, const ConnectOptions& options);
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    //! Forgets an abort(): the client may connect again.
    void allow() { m_aborted = false; }
    //! Breaks the connection and what is being connected; nothing connects before allow(). Any thread.
    void abort() noexcept;
    //! Breaks the connection. Any thread: the library may be closing it at the same time.
    void shutDown() noexcept;
    [[nodiscard]] bool aborted() const { return m_aborted.load(std::memory_order_relaxed); }
    //! True while the library keeps a connection.
    [[nodiscard]] bool open() const { return m_fd >= 0; }

private:
    friend struct SocketStream;
    static mongoc_stream_t* connect(const mongoc_uri_t* uri, const mongoc_host_list_t* host, void* link,
                                    bson_error_t* error);
    mongoc_stream_t* connectTo(const mongoc_host_list_t& host, bson_error_t* error);
    //! A connected socket, or −1 with `error` filled.
    int openSocket(const mongoc_host_list_t& host, bson_error_t* error);
    //! A connected socket, or a negative error number.
    int tryAddress(int family, const sockaddr* address, socklen_t size);
    //! False when abort() came first.
    bool keep(int fd);
    void forget(int fd);

    const ConnectOptions& m_options;
    std::mutex m_lock; //!< of m_fd being set and closed; never taken per operation
    std::atomic<int> m_fd{-1};
    std::atomic<bool> m_aborted{false};
};

} // namespace dyno::mongodb
