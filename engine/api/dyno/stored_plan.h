// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Plans without the content of the files that they name: anonymous copies of sessions do not carry it, and neither
//! does what is kept of a plan where its size matters. Pure functions; any thread.
#pragma once

#include "plan.h"

#include <string>
#include <string_view>

namespace dyno {

//! As parsePlan(); that the plan does not carry a file is no fault here. checkPlan() says so before such a plan is run.
[[nodiscard]] ParsedPlan parseStoredPlan(std::string_view toml, std::string_view name);
//! The text of a plan that cannot be read as one, without its table [files]. "": it is no TOML.
[[nodiscard]] std::string withoutFiles(std::string_view toml);

} // namespace dyno
