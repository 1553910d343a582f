// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Servers' logs of statements, one reader for each form. What they give is handed on statement by statement.
#pragma once

#include "workload/recorded/log_lines.h"
#include "workload/recorded/statement_language.h"

#include <dyno/error.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::recorded {

using Microseconds = std::chrono::microseconds;

struct RecordedStatement
{
    std::string session; //!< as the log names it
    std::string text;
    Microseconds start{0};                     //!< since 1970 in the log's own time zone
    std::optional<Microseconds> duration = {}; //!< where the log tells it
    std::optional<std::int64_t> rows = {};     //!< sent
    std::optional<bool> failed = {};
    std::string database = {}; //!< that the session had chosen; "": unknown, or none
    bool toTheSecond = false;  //!< `start` is a whole second, in which it came at some time
    std::string account = {};  //!< that the session signed in with; "": unknown
};

//! Where a reader puts what it finds.
class LogSink
{
public:
    LogSink() = default;
    virtual ~LogSink() = default;
    LogSink(const LogSink&) = delete;
    LogSink& operator=(const LogSink&) = delete;
    virtual void statement(const RecordedStatement& statement) = 0;
    virtual void skipped(std::string_view why, std::int64_t line) = 0;
};

struct LogFormat
{
    const char* id;
    const StatementLanguage& language;
    bool (*fits)(std::string_view line); //!< a line that only this form has
    void (*read)(LogLines& lines, LogSink& sink);
};

[[nodiscard]] const std::vector<LogFormat>& logFormats();
//! Of its name, or where that is "" by the first lines of the file. The error's remedy names `option` of the caller.
[[nodiscard]] Expected<const LogFormat*> logFormatOf(const std::string& file, std::string_view format,
                                                     std::string_view option, const std::function<bool()>& goOn = {});
inline constexpr std::size_t kMostDigest = 4'096; //!< bytes of it that tell kinds apart
inline constexpr std::size_t kMostKinds = 10'000; //!< the statements of further ones are "other"

//! A general log's entries begin with a time or tabs, a number and a command.
[[nodiscard]] bool isGeneralLine(std::string_view line);
void readGeneralLog(LogLines& lines, LogSink& sink);
[[nodiscard]] bool isSlowLine(std::string_view line);
void readSlowLog(LogLines& lines, LogSink& sink);
[[nodiscard]] bool isCsvLine(std::string_view line);
void readCsvLog(LogLines& lines, LogSink& sink);
[[nodiscard]] bool isProfileLine(std::string_view line);
void readProfile(LogLines& lines, LogSink& sink);

//! "2026-11-28T05:50:01.123456Z", "2026-11-28 05:50:01.123 UTC" or "261128  5:50:01". Zones are not looked at: what
//! counts is the time between statements.
[[nodiscard]] std::optional<Microseconds> logTime(std::string_view text);
//! Without a part of a second.
[[nodiscard]] bool isToTheSecond(std::string_view time);
//! "0.001234" as seconds.
[[nodiscard]] std::optional<Microseconds> secondsOf(std::string_view text);

inline constexpr const char* kBeforeFirstTime = "before the first time in the log";
inline constexpr const char* kCutOff = "cut off at the end of the file";

} // namespace dyno::recorded
