// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sizes of InnoDB's tables; in every build, also in one without the client library.
#pragma once

#include "driver/size_model.h"

namespace dyno {

[[nodiscard]] const SizeModel& innodbSizes();

} // namespace dyno
