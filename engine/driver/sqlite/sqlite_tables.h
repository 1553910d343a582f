// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What SQLite says of a statement's plan.
#pragma once

#include "driver/driver.h"

namespace dyno {

//! A row of the answer to EXPLAIN QUERY PLAN.
[[nodiscard]] PlanStep sqlitePlanStep(const KeptRows& answer, std::size_t row);

} // namespace dyno
