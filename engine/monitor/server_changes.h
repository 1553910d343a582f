// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Finds a failover in what servers say of themselves: another one answers, or the same one may do something else.
#pragma once

#include "driver/server_self.h"

#include <cstddef>
#include <string>

namespace dyno {

//! One thread at a time.
class ServerChanges
{
public:
    static constexpr std::size_t kMostTold = 20; //!< events of a balancer that changes servers all the time

    //! What changed since the last answer that knew it, without a full stop: "another server answers: db2:3306, was
    //! db1:3306"; "" for nothing. What an answer does not know is as it was.
    [[nodiscard]] std::string add(const ServerSelf& self);

private:
    ServerSelf m_last;
    bool m_tookWrites = false; //!< some time before
    std::size_t m_told = 0;
};

} // namespace dyno
