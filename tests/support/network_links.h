// SPDX-License-Identifier: GPL-3.0-or-later
// Whether this machine lets the tests make network links: root in a container often may not.
#pragma once

#include "server/lifecycle/network_link.h"

#include <string>

namespace dyno::test {

//! "" when it does. Makes one and removes it, once in a process.
inline std::string whyNoLinks()
{
    static const std::string why = [] {
        const auto link = NetworkLink::make();
        return link ? std::string() : link.error().text();
    }();
    return why;
}

} // namespace dyno::test
