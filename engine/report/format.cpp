// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/format.h"

#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace dyno::report {

std::string plain(double value, int decimals)
{
    if (!std::isfinite(value))
        return {};
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.front() == '-' && text.find_first_of("123456789") == std::string::npos)
        text.erase(0, 1);
    return text;
}

namespace {

//! Digits in groups of three.
std::string grouped(std::string text)
{
    const std::size_t sign = text.front() == '-' ? 1 : 0;
    if (text.size() - sign < 5) // four digits read well as they are
        return text;
    for (std::size_t at = text.size() - 3; at > sign && at < text.size(); at -= 3)
        text.insert(at, "\u202f"); // narrow no-break space
    return text;
}

} // namespace

std::string human(double value)
{
    if (!std::isfinite(value))
        return "–";
    const double size = std::fabs(value);
    int decimals = 0;
    if (size > 0 && size < 99.95)
        // By the size it is rounded to: 0.9996 is "1.00".
        decimals = std::min(9, size >= 9.995 ? 1 : 2 - static_cast<int>(std::floor(std::log10(size / 0.9995) + 1e-9)));
    std::string text = plain(value, decimals);
    return decimals > 0 ? text : grouped(std::move(text));
}

std::string count(std::uint64_t number)
{
    return grouped(fmt::format("{}", number));
}

std::string seconds(double value)
{
    return value >= 99.5 ? human(value) : fmt::format("{:.3g}", value);
}

std::string ratio(double value)
{
    if (!std::isfinite(value))
        return "–";
    const double size = std::fabs(value);
    if (size >= 999.5) { // three digits say all: the end of an interval is no more exact
        const double step = std::pow(10.0, std::floor(std::log10(size)) - 2);
        return human(std::round(value / step) * step);
    }
    return plain(value, size >= 99.5                  ? 0
                        : size >= 9.95                ? 1
                        : size >= 0.0995 || size == 0 ? 2
                        : size >= 0.00995             ? 3
                                                      : 4);
}

std::string bytes(double value)
{
    const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (; std::fabs(value) >= 1024 && unit < 4; ++unit)
        value /= 1024;
    return fmt::format("{} {}", unit == 0 ? plain(value, 0) : human(value), units[unit]);
}

double rounded(double value, int decimals)
{
    if (!std::isfinite(value))
        return std::numeric_limits<double>::quiet_NaN();
    const double scale = std::pow(10.0, decimals);
    const double scaled = std::round(value * scale) / scale;
    return std::isfinite(scaled) ? scaled + 0.0 : value;
}

std::string timeUtc(long long millisecondsSince1970)
{
    if (millisecondsSince1970 == 0)
        return {};
    const auto seconds = static_cast<std::time_t>(millisecondsSince1970 / 1000);
    std::tm parts{};
    if (!gmtime_r(&seconds, &parts))
        return {};
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       parts.tm_hour, parts.tm_min);
}

std::string counted(long long n, std::string_view one, std::string_view many)
{
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

} // namespace dyno::report
