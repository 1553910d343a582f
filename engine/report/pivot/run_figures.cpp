// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/figures.h>

#include "report/format.h"

#include <cmath>
#include <fmt/format.h>

namespace dyno {

std::string figureText(double value)
{
    return report::human(value);
}

TimeUnit timeUnitOf(double ms)
{
    // From where three digits are rounded up to the next unit on.
    const double size = std::fabs(ms);
    if (!std::isfinite(ms) || size == 0)
        return {"ms", 1};
    return size < 0.9995e-3 ? TimeUnit{"ns", 1e-6}
           : size < 0.9995  ? TimeUnit{"µs", 1e-3}
           : size < 999.5   ? TimeUnit{"ms", 1}
                            : TimeUnit{"s", 1e3};
}

std::string timeText(double ms)
{
    if (!std::isfinite(ms))
        return "–";
    const TimeUnit unit = timeUnitOf(ms);
    return fmt::format("{} {}", report::human(ms / unit.ms), unit.name);
}

bool unitFollowsSize(std::string_view unit)
{
    return unit == "ms" || unit == "bytes";
}

std::string amountText(double value, std::string_view unit)
{
    if (unit == "bytes")
        return report::bytes(value);
    if (unit == "bytes/s")
        return report::bytes(value) + "/s";
    if (unit == "ms")
        return timeText(value);
    return unit.empty() ? report::human(value) : fmt::format("{} {}", report::human(value), unit);
}

std::string boundsText(double low, double high, double value, std::string_view unit)
{
    if (unit == "bytes")
        return fmt::format("[{}, {}]", report::bytes(low), report::bytes(high));
    if (unit == "bytes/s")
        return fmt::format("[{}/s, {}/s]", report::bytes(low), report::bytes(high));
    const double scale = unit == "ms" ? timeUnitOf(value).ms : 1;
    return fmt::format("[{}, {}]", report::human(low / scale), report::human(high / scale));
}

std::string ratioText(double value)
{
    return report::ratio(value);
}

} // namespace dyno
