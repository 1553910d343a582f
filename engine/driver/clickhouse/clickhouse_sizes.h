// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What rows take in ClickHouse's MergeTree tables.
#pragma once

#include "driver/size_model.h"

namespace dyno {

[[nodiscard]] const SizeModel& clickhouseSizes();

} // namespace dyno
