// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A machine that is reached over this person's own ssh.
#pragma once

#include <dyno/error.h>

#include <string>
#include <string_view>

namespace dyno {

//! Only letters that neither ssh nor a shell in its configuration take for anything else.
struct SshDestination
{
    std::string user; //!< "" = as ssh's configuration has it
    std::string host; //!< name, alias of ssh's configuration, or address; IPv6 without brackets
    int port = 0;     //!< 0 = as ssh's configuration has it

    [[nodiscard]] std::string display() const; //!< "user@host:port"
    [[nodiscard]] std::string command() const; //!< as it is typed to try it: "ssh -p 2222 user@host"
};

//! "[user@]host[:port]", IPv6 in brackets; nothing that could be an option.
[[nodiscard]] Expected<SshDestination> sshDestinationFrom(std::string_view text);

} // namespace dyno
