// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Names of sessions and cases in tables, and what several parts of the report ask of them.
#pragma once

#include <dyno/report.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::report {

constexpr std::string_view kAxisJoin = " × "; //!< between the axes of a combined facet
constexpr std::string_view kNoCase = "–";     //!< a session without that axis

//! One label a session: its title, with the start of its id where titles repeat.
[[nodiscard]] std::vector<std::string> sessionLabels(const std::vector<StoredSession>& sessions);
//! True when another tool measured it: what its plan says of the load is not known.
[[nodiscard]] bool isImported(const StoredSession& session);
//! Label of a point on one axis of a plan, or its number of users.
[[nodiscard]] std::string caseLabel(const PointSpec& point, std::string_view axis);
//! "a × b" → a, b.
[[nodiscard]] std::vector<std::string> splitAxes(std::string_view axes);
//! The label as a number when all of it is one.
[[nodiscard]] std::optional<double> numberOf(std::string_view label);

//! A parameter of a workload as tables have it; none where it is the −1 that stands for "not given".
[[nodiscard]] std::optional<std::string> parameterText(std::string_view workload, std::string_view name, const Value& value);

//! True of measures of all the rows or transactions of a run: what a run that did not do them all cannot tell.
[[nodiscard]] bool isOfAll(std::string_view measure);

//! How a measure names it: its name, with the source before it unless the server said it.
[[nodiscard]] std::string counterPart(const CounterInfo& counter);

} // namespace dyno::report
