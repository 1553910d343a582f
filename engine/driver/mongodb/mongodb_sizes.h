// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "driver/size_model.h"

namespace dyno {

//! Of BSON's documents, before compression; not measured.
[[nodiscard]] const SizeModel& documentSizes();

} // namespace dyno
