// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the server says of a statement's plan.
#pragma once

#include "driver/driver.h"

namespace dyno::mysql {

//! A row of the answer to EXPLAIN, in its traditional form.
[[nodiscard]] PlanStep planStepOf(const KeptRows& answer, std::size_t row);

} // namespace dyno::mysql
