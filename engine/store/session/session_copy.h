// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Copies one session with everything that belongs to it from one store to another; keys are given out anew.
#pragma once

#include "store/session/session_reader.h"

namespace dyno {

//! Inside a transaction of `to`, which must not have the session yet. A session without an end becomes "cut" there (the
//! writer's mark does not travel). Errors stick to either database.
void copySession(Database& from, const SessionRow& session, Database& to);

} // namespace dyno
