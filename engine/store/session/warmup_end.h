// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Where a stored run's measured time begins, moved after the run.
#pragma once

#include "store/session/session_reader.h"

#include <cstdint>

namespace dyno {

//! Library::moveWarmupEnd() on the rows of one run, inside a transaction of the caller.
[[nodiscard]] Expected<void> moveWarmupEnd(Database& database, const StoredSession& session, const StoredRun& run,
                                           std::int64_t endNs);
//! Library::restoreWarmupEnd() on the rows of one run, inside a transaction of the caller.
[[nodiscard]] Expected<void> restoreWarmupEnd(Database& database, std::int64_t run);

} // namespace dyno
