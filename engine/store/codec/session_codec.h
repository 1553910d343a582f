// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Values ⇄ the JSON texts inside the store. Reading never fails: what is missing or of another type keeps its default,
//! so that files of older and newer versions open.
#pragma once

#include <dyno/runner.h>

#include <map>
#include <string>
#include <string_view>

namespace dyno::codec {

[[nodiscard]] std::string write(const Settings& settings);
[[nodiscard]] Settings readSettings(std::string_view json);
//! Settings in force, and beside them what the disk can do.
[[nodiscard]] std::string write(const Settings& inForce, const std::optional<DeviceFigures>& device);
[[nodiscard]] std::optional<DeviceFigures> readDevice(std::string_view json);

[[nodiscard]] std::string write(const HostFacts& host);
[[nodiscard]] HostFacts readHost(std::string_view json);

[[nodiscard]] std::string write(const PointSpec& point);
[[nodiscard]] PointSpec readPoint(std::string_view json);

[[nodiscard]] std::string write(const RunSummary& summary);
[[nodiscard]] RunSummary readSummary(std::string_view json);

//! Counts by error code; "" when there are none.
[[nodiscard]] std::string write(const std::map<std::int32_t, std::uint64_t>& counts);
[[nodiscard]] std::map<std::int32_t, std::uint64_t> readCounts(std::string_view json);

[[nodiscard]] const char* toText(OpClass opClass);
[[nodiscard]] OpClass opClassFromText(std::string_view text);
[[nodiscard]] Phase phaseFromText(std::string_view text);
[[nodiscard]] EventKind eventKindFromText(std::string_view text);

//! A counter's unit as it is stored: that of a rate ends in "/s".
[[nodiscard]] std::string unitText(const CounterInfo& counter);
[[nodiscard]] CounterInfo counterOf(std::string source, std::string name, std::string_view unitText);

//! The plan from its TOML. A plan that this build cannot check (a workload or driver that it lacks) is put together
//! from the points, so that the session can still be shown.
[[nodiscard]] Plan readPlanOf(std::string_view toml, std::string_view title, const std::vector<PointSpec>& points,
                              const std::vector<RunSlot>& runs);

} // namespace dyno::codec
