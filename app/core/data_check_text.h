// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Results of a workload's conditions for a terminal and for scripts.
#pragma once

#include <dyno/data_check.h>

#include <string>
#include <vector>

namespace dyno {

//! One line for each condition, under the name of the point and run where there are points.
[[nodiscard]] std::string dataCheckText(const std::vector<DataCheckReport>& reports,
                                        const std::vector<PointSpec>& points);
//! The contract's "checks": an array with one object for each condition of each report.
[[nodiscard]] std::string dataCheckJson(const std::vector<DataCheckReport>& reports);
//! `session` (a JSON object) with the member "checks".
[[nodiscard]] std::string withChecks(const std::string& session, const std::vector<DataCheckReport>& reports);

//! The document of a session (sessionJson()) with "stored_in": the file that holds it, null when none does.
[[nodiscard]] std::string withStoredIn(const std::string& session, const std::string& file);

} // namespace dyno
