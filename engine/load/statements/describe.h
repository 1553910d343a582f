// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How a run's tables are made and how its server would run the workload's statements. Control thread.
#pragma once

#include "load/target/target.h"

#include <dyno/statements.h>

#include <functional>
#include <string>

namespace dyno {

//! Whether something can be asked of such a target at all.
[[nodiscard]] bool canDescribe(const ReadyTarget& target);
//! Points with the same key have the same tables, statements and settings.
[[nodiscard]] std::string descriptionKey(const PointSpec& point);
//! Fills tables and plans, before the users come. Asks for a few seconds at most; nothing of the workload is run.
//! False: there was no time for all, or nobody answered.
bool describeStatements(const PointSpec& point, const ReadyTarget& target, const std::function<bool()>& stopped,
                        RunStatements& statements);

} // namespace dyno
