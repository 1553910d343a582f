// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings of this machine that a plan asks for (scope host), looked at without changing them.
#pragma once

#include "error.h"
#include "value.h"

#include <optional>

namespace dyno {

//! Why this process cannot bring this machine to these settings (a point's, without their scope); nothing where it can,
//! or where they are in force already. Reads files below /sys. Any thread.
[[nodiscard]] std::optional<Error> machineProblem(const Settings& host);

} // namespace dyno
