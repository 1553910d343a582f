// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the server says of a statement's plan.
#pragma once

#include "driver/driver.h"

namespace dyno::postgresql {

//! A row of the answer to EXPLAIN, which is text.
[[nodiscard]] PlanStep planStepOf(const KeptRows& answer, std::size_t row);

} // namespace dyno::postgresql
