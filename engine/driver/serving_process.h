// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Finds the process and the thread of a server on this machine that serve a connection, in /proc (proc(5)). A number
//! that a server says counts only where it is that of such a program: a server in a container counts for itself.
#pragma once

#include "driver/counter_details.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace dyno {

using ServerPrograms = std::span<const std::string_view>; //!< names as in /proc/ID/comm: 15 characters at most

//! `number` as the kernel's number of a thread of one of these programs; 0 where it is none.
[[nodiscard]] std::int64_t threadOfServer(std::string_view number, ServerPrograms programs);

//! The server's process at the other end of `socket`, which is connected by a Unix socket or by TCP: where the server
//! has a process for each connection, the one that started them. By a Unix socket the kernel says who listens. By TCP
//! the process is that of `thread`, as the server says (threadOfServer()), or, where that is 0, any of these programs;
//! it counts only if it has the other end, or, where this user may not see what another's process has open, if that is
//! of the process's user (so a proxy of that user in between is not noticed). Reads some files; where connections are
//! many, some milliseconds.
[[nodiscard]] LocalServer serverBehind(int socket, ServerPrograms programs, std::int64_t thread = 0);

} // namespace dyno
