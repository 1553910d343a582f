// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What rows take in PostgreSQL's heap and B-trees.
#pragma once

#include "driver/size_model.h"

namespace dyno {

[[nodiscard]] const SizeModel& postgresqlSizes();

} // namespace dyno
