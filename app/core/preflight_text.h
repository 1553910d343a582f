// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a pre-flight found, for a terminal and as a document.
#pragma once

#include <dyno/preflight.h>

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! The target, its server, and each item of at least `least` with its remedy below it, the worst first.
[[nodiscard]] std::string preflightText(const PreflightReport& report, PreflightLevel least = PreflightLevel::Ok);
//! Only the items, without a heading; "" when there is none.
[[nodiscard]] std::string preflightItemsText(const std::vector<PreflightItem>& items, PreflightLevel least);
//! One document for all targets, with a line break at its end.
[[nodiscard]] std::string preflightJson(const std::vector<PreflightReport>& reports);

} // namespace dyno
