// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Who a server is and what it may do, as far as that can change while somebody measures it.
#pragma once

#include <optional>
#include <string>

namespace dyno {

//! What it does not say is empty.
struct ServerSelf
{
    std::string identity;       //!< what no other server has, the same after a restart
    std::string name;           //!< for people: "db2:3306"
    std::optional<bool> writes; //!< it takes writes of ordinary accounts
    bool asked = false;         //!< it took a request of its own to know
};

} // namespace dyno
