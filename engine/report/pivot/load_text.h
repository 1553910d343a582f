// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How a session's runs were loaded: what its points ask for, and how long the runs took.
#pragma once

#include <dyno/library.h>

#include <string>

namespace dyno::report {

//! For captions, of the runs that are done: "1 200 000 of 4 000 000 rows, 120 s measured after 5 s of warm-up"; ""
//! without one.
[[nodiscard]] std::string measuredText(const StoredSession& session);
//! For the set-up: the same with what ends a run, repeats, order, seed and arrivals. What points do not share is said
//! to stand with what differs.
[[nodiscard]] std::string loadText(const StoredSession& session);
//! How transactions came about: "closed loop", "open loop, Poisson arrivals, 500 a second".
[[nodiscard]] std::string arrivalText(const Arrival& arrival);
//! The groups of a point's users that take part: "8 scans (select_random_ranges, closed loop); 4 writes (…)"; ""
//! without.
[[nodiscard]] std::string groupsText(const LoadProfile& load);

//! The phases of a point's load: "calm (10 s, 4 of 16 users), spike (5 s, …)"; "" without.
[[nodiscard]] std::string phasesText(const LoadProfile& load);

} // namespace dyno::report
