// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/counter_rates.h"

#include <cmath>
#include <limits>
#include <utility>

namespace dyno {

std::vector<double> CounterRates::add(std::int64_t atNs, std::vector<double> values, std::vector<std::int64_t> timesNs)
{
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    constexpr double kWithoutSign = 9223372036854775808.0; // 2^63
    std::vector<double> figures(m_counters.size(), kNone);
    m_wentDown = false;
    if (values.size() != m_counters.size()) {
        reset();
        return figures;
    }
    if (timesNs.size() != values.size())
        timesNs.assign(values.size(), atNs);
    std::size_t counting = 0, halved = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!(std::abs(values[i]) < kWithoutSign))
            values[i] = kNone;
        if (m_counters[i].rate && !m_values.empty() && m_values[i] > 0) {
            ++counting;
            halved += values[i] < m_values[i] / 2 ? 1 : 0;
        }
        if (!m_counters[i].rate)
            figures[i] = values[i];
        else if (!m_values.empty() && values[i] < m_values[i])
            m_wentDown = m_wentDown || (m_resets == Resets::Together && !m_counters[i].hidden);
        else if (const double seconds = m_values.empty() ? 0 : double(timesNs[i] - m_timesNs[i]) * 1e-9; seconds > 0)
            figures[i] = (values[i] - m_values[i]) / seconds; // stays not a number when one of them is
    }
    constexpr std::size_t kShareOfRestart = 4;
    m_wentDown = m_wentDown || (m_resets == Resets::Apart && halved > 0 && halved * kShareOfRestart >= counting);
    // A reset does not reach all counts at the same time: none of this answer's rates can be trusted.
    for (std::size_t i = 0; m_wentDown && i < figures.size(); ++i) {
        if (m_counters[i].rate)
            figures[i] = kNone;
    }
    m_values = std::move(values);
    m_timesNs = std::move(timesNs);
    return figures;
}

} // namespace dyno
