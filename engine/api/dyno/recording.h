// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a server's log of statements holds: kinds of statements, sessions, times. The file is read once, from its
//! beginning to its end, and is never held as a whole. Nothing in it runs.
//! Plain values and pure functions; any thread.
#pragma once

#include "error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

inline constexpr const char* kRecordingParam = "file"; //!< of the workloads that replay one: where the log lies

//! Statements that differ in their values only.
struct RecordedKind
{
    std::string name;   //!< "select_orders"
    std::string digest; //!< the statement with ? for each value
    std::int64_t statements = 0;
    std::int64_t failed = 0;
    double seconds = 0; //!< of those whose time the log tells
};

//! Entries that are no statements to run again.
struct SkippedEntries
{
    std::string why;
    std::int64_t entries = 0;
    std::int64_t firstLine = 0;
};

struct RecordingSummary
{
    std::string format;
    std::int64_t statements = 0, sessions = 0;
    double length = 0;               //!< seconds from the first statement's begin to the last one's
    bool timed = false;              //!< the log tells how long statements took
    std::vector<RecordedKind> kinds; //!< by their time or, where it is not told, by their number
    std::vector<SkippedEntries> skipped;
};

//! Ids of the formats that are known.
[[nodiscard]] std::vector<std::string> recordingFormats();
//! `format`: one of them, or "" where the file tells it.
[[nodiscard]] Expected<RecordingSummary> summariseRecording(const std::string& file, std::string_view format = {});

} // namespace dyno
