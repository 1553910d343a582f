// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Names of sessions and cases in tables, and what several parts of the report ask of them.
#pragma once

#include <dyno/report.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::report {

constexpr std::string_view kAxisJoin = " × "; //!< between the axes of a combined facet
constexpr std::string_view kNoCase = "–";     //!< a session without that axis

//! One label a session: its title, with the start of its id where titles repeat.
[[nodiscard]] std::vector<std::string> sessionLabels(const std::vector<StoredSession>& sessions);
using dyno::isImported;
//! Index of the runs that did not end as done and were run again, in a later sitting: what counts is how that ended.
[[nodiscard]] std::set<std::int64_t> runsTriedAgain(const StoredSession& session);
//! Of the server that a run was of; "" when its point is not known.
[[nodiscard]] std::string driverOf(const StoredSession& session, const RunSummary& run);
//! Label of a point on one axis of a plan, or its number of users.
[[nodiscard]] std::string caseLabel(const PointSpec& point, std::string_view axis);
//! "a × b" → a, b.
[[nodiscard]] std::vector<std::string> splitAxes(std::string_view axes);
//! The case of each axis that a label stands for: of "pool × load" and "cached, read-only" two. A label with ", " of
//! its own is one only where it stands last.
[[nodiscard]] std::vector<CaseRef> casesAlong(std::string_view axes, std::string_view label);
//! The label as a number when all of it is one.
[[nodiscard]] std::optional<double> numberOf(std::string_view label);

//! A parameter of a workload as tables have it; none where it is the −1 that stands for "not given".
[[nodiscard]] std::optional<std::string> parameterText(std::string_view workload, std::string_view name,
                                                       const Value& value);

//! The workload's parameters of a session.
struct CommonParameters
{
    Settings changed;    //!< of all its points, other than the workload's defaults
    bool differ = false; //!< some have another value in some points
};
[[nodiscard]] CommonParameters commonParameters(const StoredSession& session);

//! A measure of how long something took: its part of LatencySummary, and of which of the two times.
struct LatencyFigure
{
    double LatencySummary::*member;
    bool response = false;
};
//! Of "service_p95", without the part of a measure; none for other measures.
[[nodiscard]] std::optional<LatencyFigure> latencyFigure(std::string_view base);

//! True of measures of all the rows or transactions of a run: what a run that did not do them all cannot tell.
[[nodiscard]] bool isOfAll(std::string_view measure);

using dyno::counterPart;
using dyno::indexOfCounter;

} // namespace dyno::report
