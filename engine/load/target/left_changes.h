// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a session asks before it touches a server of somebody else.
#pragma once

#include <dyno/runner.h>

#include <functional>
#include <string>

namespace dyno {

//! What the server says of itself, so that it is known by another URI too (Driver::serverIdentity()); "" when it
//! cannot be asked now.
[[nodiscard]] std::string askIdentity(const TargetUri& target, std::function<bool()> stopped);

//! "sync_binlog of mysql://… put back to 1 (a Dynobench that was killed had left it at 0)"
[[nodiscard]] std::string toText(const RestoredKnob& knob);

} // namespace dyno
