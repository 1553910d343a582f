// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Why a session or a run failed, in the same words on every page. Any thread.
#pragma once

#include <dyno/missing_runs.h>

#include <QString>

namespace dyno {

//! "The run of point 2 (flush=1), repeat 3 failed while loading data: why. One more run failed."
[[nodiscard]] QString failureText(const Failure& failure);

} // namespace dyno
