// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A proxy on loopback between a client and a real server, which does on command what networks and servers do by
//! accident. Every order is carried out before its call returns: a test needs no waiting of its own.
#pragma once

#include <dyno/error.h>

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace dyno::test {

//! Where a server listens: a Unix socket, or a port of a numeric IPv4 address.
struct ServerPlace
{
    std::string socket; //!< goes before host and port
    std::string host = "127.0.0.1";
    int port = 0;
};

//! Listens on a port of 127.0.0.1 that the kernel chooses and, if wanted, on a Unix socket. All members: any thread.
class FaultProxy
{
public:
    enum class Direction : std::uint8_t { ToServer, ToClient };
    enum class End : std::uint8_t {
        Fin,  //!< as a server that closes
        Reset //!< TCP: RST. A Unix socket knows none: the peer sees the end, or a reset if it had data under way
    };
    struct Facts
    {
        std::uint64_t accepted = 0;           //!< connections so far
        std::uint64_t open = 0;               //!< now
        std::uint64_t cut = 0;                //!< by an order or a stream fault
        std::uint64_t corrupted = 0;          //!< bytes
        std::array<std::uint64_t, 2> bytes{}; //!< forwarded, by Direction
        bool frozen = false;                  //!< by order; the schedule does not count
    };

    FaultProxy() = default;
    ~FaultProxy() { stop(); }
    FaultProxy(const FaultProxy&) = delete;
    FaultProxy& operator=(const FaultProxy&) = delete;

    //! `socket`: path of the Unix socket to listen on, "" for none. `port`: 0 = any.
    [[nodiscard]] Expected<void> start(const ServerPlace& server, const std::string& socket = {}, int port = 0);
    void stop();
    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] const std::string& socket() const { return m_socket; }

    //! New connections go there from now on; those that are open go on.
    void setServer(const ServerPlace& server);
    //! From now on nothing is read, written or accepted; connections stay open, and the kernel still completes a TCP
    //! connect, as with a server that was sent SIGSTOP.
    void freeze();
    void thaw();
    //! Freezes for `freezeNs` at the beginning of every `everyNs` of the monotonic clock (nowNs() % everyNs <
    //! freezeNs): the null driver's rule, so that who knows the clock knows the freezes. 0 = never.
    void setFreezes(std::int64_t everyNs, std::int64_t freezeNs);
    //! Every byte comes that much later; applies to what is read from now on.
    void setDelay(Direction direction, std::int64_t ns);
    //! All connections together carry so many bytes a second; 0 = no limit.
    void setThrottle(Direction direction, std::int64_t bytesPerSecond);
    //! True: new connections are refused by the kernel; those that are open go on.
    [[nodiscard]] Expected<void> setRefusing(bool refusing);
    //! Ends all open connections on the client's side, and with the server; returns how many.
    std::size_t cut(End how);
    //! Once: the next connection to carry data in `direction` is cut when it has carried `bytes` more, wherever in a
    //! packet that is.
    void cutAfter(Direction direction, std::uint64_t bytes, End how = End::Fin);
    //! Once: on the next connection to carry data in `direction`, `count` bytes after the next `skip` are XORed with
    //! `mask`, which is not 0.
    void corrupt(Direction direction, std::uint64_t skip, std::uint64_t count, std::uint8_t mask = 0xFF);

    [[nodiscard]] Facts facts() const;
    //! Waits until the facts are as wanted; false after `milliseconds`.
    [[nodiscard]] bool waitFor(const std::function<bool(const Facts&)>& wanted, int milliseconds = 20000) const;

private:
    struct Chunk
    {
        std::int64_t dueNs = 0;
        std::string data;
        std::size_t sent = 0;
    };
    //! One direction of one connection.
    struct Pipe
    {
        std::deque<Chunk> queue;
        std::size_t queued = 0; //!< bytes
        bool ended = false;     //!< the source has no more
        bool shut = false;      //!< the sink was told so
        bool blocked = false;   //!< the sink takes nothing now
    };
    struct Link
    {
        std::uint64_t id = 0;
        std::array<int, 2> fds{-1, -1}; //!< server, client: the sink of the direction of that index
        std::array<Pipe, 2> pipes;
        bool dead = false;
    };
    struct StreamFault
    {
        Direction direction = Direction::ToClient;
        bool cuts = false;
        End how = End::Fin;
        std::uint64_t skip = 0;  //!< bytes to leave alone yet
        std::uint64_t count = 0; //!< bytes to corrupt
        std::uint8_t mask = 0;
        std::uint64_t link = 0; //!< 0 = none has carried data yet
    };

    void order(const std::function<void()>& command) const;
    void loop();
    void takeOrders();
    void wait(std::int64_t now);
    [[nodiscard]] std::int64_t thawNs(std::int64_t now) const; //!< 0 = not frozen
    void acceptFrom(int listener);
    void pump(Link& link, Direction direction, std::int64_t now, bool readable);
    void send(Link& link, Direction direction, std::int64_t now);
    //! Applies stream faults to data just read; true when the connection must be cut after it.
    bool distort(Link& link, Direction direction, std::string& data, End& how);
    void end(Link& link, End how, bool byFault);
    [[nodiscard]] Expected<void> listen();
    void closeListeners();

    ServerPlace m_server;
    std::string m_socket;
    int m_port = 0;
    int m_wake = -1;
    std::thread m_thread;

    // The loop's own.
    std::vector<int> m_listeners;
    std::vector<std::unique_ptr<Link>> m_links;
    std::vector<StreamFault> m_faults;
    std::array<std::int64_t, 2> m_delayNs{};
    std::array<std::int64_t, 2> m_bytesPerSecond{};
    std::array<std::int64_t, 2> m_nextSendNs{}; //!< throttle
    std::int64_t m_everyNs = 0, m_freezeNs = 0;
    Facts m_now;
    bool m_quit = false;
    std::string m_buffer;

    mutable std::mutex m_mutex;
    mutable std::condition_variable m_changed;
    mutable std::vector<const std::function<void()>*> m_orders;
    mutable std::uint64_t m_ordered = 0, m_carriedOut = 0;
    Facts m_facts; //!< as last published
};

} // namespace dyno::test
