// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the control plane of some servers says beside its counters: what they lack, and whose work they are.
#pragma once

#include "driver/driver.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dyno {

//! What a server counts and does not say.
struct UnseenCounters
{
    std::string what;         //!< a noun phrase: "InnoDB's metrics"
    std::string remedy;       //!< what to do: "GRANT PROCESS ON *.* TO", with the account behind it
    std::string account = {}; //!< a person's name, which no session keeps; "" = none
    bool sure = true;         //!< false: there may be nothing to see either

    //! That an administrator can give.
    [[nodiscard]] std::string command() const { return account.empty() ? remedy : remedy + ' ' + account; }
};

//! A server's process on this machine, where it is known.
struct LocalServer
{
    int process = 0;         //!< its number; 0: not known
    std::string unseen = {}; //!< why not, without a full stop; "" with 0: it is on another machine, or nobody knows how
};

//! A part of those Admins that have it; called as they are.
class CounterDetails
{
public:
    virtual ~CounterDetails() = default;
    //! What the last counters() could not list since this account lacks a right.
    virtual std::vector<UnseenCounters> unseenCounters() = 0;
    //! The kernel's number of the server's thread that serves this connection, where the server runs on this machine
    //! and says so; 0 = not known. Asked once a connection.
    virtual std::int64_t servingThread() = 0;
    //! The server's own process; see serverBehind(). Default: not known.
    virtual LocalServer localServer() { return {}; }
    //! When each of the last counterValues() was read, on nowNs()'s clock; empty: all in the middle of that call.
    virtual std::vector<std::int64_t> counterTimes() { return {}; }
};

[[nodiscard]] inline std::vector<UnseenCounters> unseenCounters(Admin& admin)
{
    auto* details = dynamic_cast<CounterDetails*>(&admin);
    return details ? details->unseenCounters() : std::vector<UnseenCounters>();
}
[[nodiscard]] inline std::int64_t servingThread(Admin& admin)
{
    auto* details = dynamic_cast<CounterDetails*>(&admin);
    return details ? details->servingThread() : 0;
}
[[nodiscard]] inline LocalServer localServer(Admin& admin)
{
    auto* details = dynamic_cast<CounterDetails*>(&admin);
    return details ? details->localServer() : LocalServer();
}
[[nodiscard]] inline std::vector<std::int64_t> counterTimes(Admin& admin)
{
    auto* details = dynamic_cast<CounterDetails*>(&admin);
    return details ? details->counterTimes() : std::vector<std::int64_t>();
}

} // namespace dyno
