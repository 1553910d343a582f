// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What PostgreSQL says of its settings. Control thread.
#pragma once

#include "server/knobs/knob_source.h"

namespace dyno {

[[nodiscard]] const KnobSource& postgresqlKnobs();

} // namespace dyno
