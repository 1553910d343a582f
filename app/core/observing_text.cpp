// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/observing_text.h"

#include "core/text_table.h"

#include <dyno/visible_text.h>

#include <fmt/format.h>

namespace dyno {

std::string observingText(const std::optional<ObservingCost>& cost)
{
    if (!cost)
        return "\ncost of observing: not known\n";
    if (cost->sources.empty())
        return "\ncost of observing: none, nothing was asked\n";
    std::string text =
        fmt::format("\ncost of observing, warm-up included ({:.1f} s): {} % of a core of the load generator\n",
                    cost->seconds, figure(cost->corePercent()));
    TextTable table({"source", "asked for", ">requests", ">a second", ">mean ms", ">max ms", ">generator CPU ms",
                     ">server CPU ms"});
    for (const ObservedSource& one : cost->sources)
        table.add({visibleText(one.source), visibleText(one.what), fmt::format("{}", one.requests),
                   figure(cost->perSecond(one)), figure(one.meanMs), figure(one.maxMs), figure(one.cpuMs),
                   one.serverCpuMs ? figure(*one.serverCpuMs) : "–"});
    return text + table.text();
}

} // namespace dyno
