// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Control connections to servers that can be given up: a server that answers nothing (frozen, or behind a cut line)
//! does not hold up whoever wants to stop, nor a session that nobody watches.
#pragma once

#include "driver/driver.h"

#include <functional>
#include <memory>

namespace dyno {

//! How long what is outstanding may take, in seconds.
struct StopPatience
{
    //! After somebody asked to stop, until a new connection has to answer, also one that only tries whether the server
    //! lives.
    double connect = 3;
    //! After somebody asked to stop, of a call on a server that answers other connections.
    double call = 60;
    //! Before, of a call: then other connections are tried.
    double quiet = 30;
    //! Before, while no other connection answers either.
    double silent = 120;
};

//! Connects as Driver::admin() does. While nobody wants to stop, every call may take as long as it takes, as long as
//! the server answers new connections meanwhile; else it ends as ErrorKind::Unreachable. `stopped` is asked on the
//! calling thread, some times in a second while a call lasts; empty, or a target that works in this process: the
//! driver's own Admin.
//!
//! After a stop, a call that lasts is given a second; then another connection is tried, and where that does not answer
//! either, the call and all later ones of this Admin end as ErrorKind::Interrupted. The driver's Admin lives on a
//! thread of its own, which then goes on alone until its call returns. One calling thread.
[[nodiscard]] Expected<std::unique_ptr<Admin>> controlAdmin(Driver& driver, const ConnectTarget& target,
                                                            std::function<bool()> stopped, StopPatience patience = {});

} // namespace dyno
