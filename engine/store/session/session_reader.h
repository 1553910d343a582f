// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Reads sessions out of a store. Errors stick to the database.
#pragma once

#include "store/library/database.h"
#include "store/library/search.h"
#include <dyno/library.h>

#include <optional>

namespace dyno {

//! A session's row, with what is not shown.
struct SessionRow
{
    std::int64_t key = 0;
    SessionInfo info;
    bool removed = false;
};

constexpr const char* kCutSession = "Dynobench ended before the session did";
constexpr const char* kCutRun = "Dynobench ended before the run did";

//! All sessions, newest first; with `id` only that one.
[[nodiscard]] std::vector<SessionRow> readSessions(Database& database, std::optional<std::string_view> id = {});
//! Those that fit.
[[nodiscard]] std::vector<SessionRow> readSessions(Database& database, const SearchCondition& condition);
[[nodiscard]] StoredSession readSession(Database& database, const SessionRow& row);
//! The figures of `intervals`; what they do not tell (status, reason, texts of errors, what a search found) is kept.
[[nodiscard]] RunSummary summaryOf(const StoredRun& run, const SessionHeader& session,
                                   const std::vector<IntervalSample>& intervals);
//! Id of the session that a run belongs to; "" when there is no such run.
[[nodiscard]] std::string sessionOfRun(Database& database, std::int64_t run);
//! Of the run, in the order of time; without what people noted on it.
[[nodiscard]] std::vector<RunEvent> readEvents(Database& database, std::int64_t run);
[[nodiscard]] std::vector<RunEvent> readAnnotations(Database& database, std::int64_t run);

} // namespace dyno
