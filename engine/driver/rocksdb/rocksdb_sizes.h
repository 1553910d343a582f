// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "driver/size_model.h"

namespace dyno {

[[nodiscard]] const SizeModel& rocksdbSizes();

} // namespace dyno
