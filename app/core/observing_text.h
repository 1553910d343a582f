// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What observing a run cost, as text for a terminal.
#pragma once

#include <dyno/observing.h>

#include <string>

namespace dyno {

[[nodiscard]] std::string observingText(const std::optional<ObservingCost>& cost);

} // namespace dyno
