// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The parts of a pre-flight that are asked of a target itself, whatever its kind: its tables, what it can do, whose
//! data it holds.
#pragma once

#include "load/preflight/preflight_needs.h"

#include <dyno/preflight.h>
#include <dyno/runner.h>

#include <filesystem>
#include <functional>

namespace dyno {

//! How a look connects: it changes nothing.
[[nodiscard]] ConnectTarget lookTarget(const TargetUri& uri, const Settings& connection, const DriverInfo& info);

//! Whether tables are missing: then they are loaded, or the plan cannot run; and whether those that are there will do.
[[nodiscard]] Expected<void> checkTables(TargetNeeds& target, Admin& admin, std::vector<PreflightItem>& items);

//! Whether a probe's query has an answer.
using AskProbe = std::function<Expected<bool>(const std::string& query)>;
//! Whether there is what the plan needs of the server, each question once: a run asks for the same, whatever tables are
//! there.
[[nodiscard]] Expected<void> checkProbes(const TargetNeeds& target, const AskProbe& there,
                                         std::vector<PreflightItem>& items);
//! The same, asked of the server, and of the tables that are there.
[[nodiscard]] Expected<void> checkServer(const TargetNeeds& target, Admin& admin, std::vector<PreflightItem>& items);

//! Adds the risk of writing where others have their data.
[[nodiscard]] Expected<void> checkOthersData(const TargetUri& uri, const TargetNeeds& target, Admin& admin,
                                             const RunnerOptions& options, PreflightReport& report);

//! Number of addresses in connection.source_addresses.
[[nodiscard]] int sourcesIn(const Settings& connection);
//! A folder, or what there is of it: a look makes none.
[[nodiscard]] std::filesystem::path existing(std::filesystem::path folder);

} // namespace dyno
