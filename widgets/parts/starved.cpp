// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/starved.h"

namespace dyno {

std::vector<std::pair<double, double>> starvedStretches(const Starvation& starvation,
                                                        const std::function<std::optional<double>(double from)>& endOf)
{
    std::vector<std::pair<double, double>> stretches;
    for (const std::int64_t startNs : starvation.startsNs) {
        const double from = double(startNs) / 1e9;
        const std::optional<double> to = endOf(from);
        if (!to)
            break;
        if (!stretches.empty() && from - stretches.back().second < kSameInstant)
            stretches.back().second = *to;
        else
            stretches.emplace_back(from, *to);
    }
    return stretches;
}

} // namespace dyno
