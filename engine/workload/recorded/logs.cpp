// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/recorded/logs.h"

#include "base/text.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyno::recorded {

namespace {

//! A number of one or two digits, or of `width`, with blanks before it; takes it from `text`.
std::optional<int> takeNumber(std::string_view& text, std::size_t width)
{
    std::size_t from = 0;
    while (from < text.size() && from < width && text[from] == ' ')
        ++from;
    int value = 0;
    const char* const end = text.data() + std::min(text.size(), std::max(width, from + 1));
    const auto read = std::from_chars(text.data() + from, end, value);
    if (read.ec != std::errc() || value < 0)
        return {};
    text.remove_prefix(std::size_t(read.ptr - text.data()));
    return value;
}

bool takeSign(std::string_view& text, std::string_view oneOf)
{
    if (text.empty() || oneOf.find(text.front()) == std::string_view::npos)
        return false;
    text.remove_prefix(1);
    return true;
}

//! "2026-11-28" or "261128".
std::optional<std::chrono::sys_days> takeDay(std::string_view& text)
{
    const bool dashes = text.size() > 4 && text[4] == '-';
    const auto year = takeNumber(text, dashes ? 4 : 2);
    const bool first = !dashes || takeSign(text, "-");
    const auto month = takeNumber(text, 2);
    const bool second = !dashes || takeSign(text, "-");
    const auto day = takeNumber(text, 2);
    if (!year || !month || !day || !first || !second)
        return {};
    const std::chrono::year_month_day date{std::chrono::year(dashes ? *year : 2000 + *year),
                                           std::chrono::month(unsigned(*month)), std::chrono::day(unsigned(*day))};
    if (!date.ok())
        return {};
    return std::chrono::sys_days(date);
}

constexpr int kLinesThatTell = 1'000; //!< of a file, of its form

//! nullptr where no line is of a form that is known.
const LogFormat* formatByContent(const std::string& file, const std::function<bool()>& goOn)
{
    LogLines lines(file, goOn);
    std::string line;
    for (int i = 0; i < kLinesThatTell && lines.next(line); ++i) {
        for (const LogFormat& format : logFormats()) {
            if (format.fits(line))
                return &format;
        }
    }
    return nullptr;
}

} // namespace

Expected<const LogFormat*> logFormatOf(const std::string& file, std::string_view format, std::string_view option,
                                       const std::function<bool()>& goOn)
{
    std::error_code problem;
    const bool isFile = std::filesystem::is_regular_file(file, problem); // asked first: opening a pipe would wait
    if (!isFile || !LogLines(file).isOpen())
        return fail({ErrorKind::BadInput, "the file cannot be read", file, "name a server's log of statements"});
    std::vector<std::string_view> ids;
    for (const LogFormat& one : logFormats()) {
        if (one.id == format)
            return &one;
        ids.emplace_back(one.id);
    }
    if (!format.empty())
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is no format of a log", format), std::string(option),
                     fmt::format("one of: {}", fmt::join(ids, ", "))});
    if (const LogFormat* found = formatByContent(file, goOn))
        return found;
    return fail({ErrorKind::BadInput, "none of its first 1 000 lines is of a log of statements", file,
                 fmt::format("name its form with {}", option)});
}

std::optional<Microseconds> logTime(std::string_view text)
{
    text = trimmed(text);
    const auto day = takeDay(text);
    if (!day || !takeSign(text, " T"))
        return {};
    const auto hour = takeNumber(text, 2);
    const bool first = takeSign(text, ":");
    const auto minute = takeNumber(text, 2);
    const bool second = takeSign(text, ":");
    const std::size_t end = text.find_first_not_of("0123456789.");
    const auto seconds = secondsOf(text.substr(0, end));
    if (!hour || !minute || !seconds || !first || !second)
        return {};
    return Microseconds(day->time_since_epoch()) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) + *seconds;
}

bool isToTheSecond(std::string_view time)
{
    return time.find('.') == std::string_view::npos;
}

std::optional<Microseconds> secondsOf(std::string_view text)
{
    double seconds = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
    constexpr double kMostSeconds = 1e9; // 30 years
    if (read.ec != std::errc() || !(seconds >= 0) || seconds > kMostSeconds)
        return {};
    return Microseconds(std::llround(seconds * 1e6));
}

const std::vector<LogFormat>& logFormats()
{
    static const std::vector<LogFormat> formats{
        {"mysql-general", backquotedSql(), isGeneralLine, readGeneralLog},
        {"mysql-slow", backquotedSql(), isSlowLine, readSlowLog},
        {"postgresql-csv", standardSql(), isCsvLine, readCsvLog},
        {"mongodb-profile", commandsInJson(), isProfileLine, readProfile},
    };
    return formats;
}

} // namespace dyno::recorded
