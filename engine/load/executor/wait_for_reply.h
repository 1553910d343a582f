// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
#pragma once

#include "driver/driver.h"

namespace dyno {

//! Completes the request under way of a session that answered Pending, by poll() on this thread: how threads, loaders
//! and tests use a non-blocking driver.
void finishPending(Session& session);

} // namespace dyno
