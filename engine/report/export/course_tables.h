// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What happened within the runs of a session, as Markdown tables.
#pragma once

#include <dyno/analysis.h>

#include <string>

namespace dyno::report {

//! The spread that a view asks for, and the stalls and dips of views over time; "" where the plan has no such view, or
//! nothing is known.
[[nodiscard]] std::string courseTables(const StoredSession& session, const CoursesOf& courses);

} // namespace dyno::report
