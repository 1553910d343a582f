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
    std::string what;   //!< a noun phrase: "InnoDB's metrics"
    std::string remedy; //!< a command that an administrator can give: "GRANT PROCESS ON *.* TO …"
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

} // namespace dyno
