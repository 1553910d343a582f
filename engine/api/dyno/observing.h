// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What observing a run cost: the server, its machines and exporters by requests, the load generator by CPU time. Plain
//! values and functions; any thread.
#pragma once

#include "analysis.h"
#include "library.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

struct ObservedSource
{
    std::string source; //!< CounterInfo::source of its series
    std::string what;   //!< "counters", "statement digest", "kernel files", "series"
    std::uint64_t requests = 0;
    double meanMs = 0, maxMs = 0; //!< of an answer
    double cpuMs = 0;             //!< of the load generator, to ask and to read the answers
    //! CPU of the server's thread that answers, to work it out; of a server on this machine that says which one it is.
    std::optional<double> serverCpuMs = {};
};

//! In a run with its warm-up.
struct ObservingCost
{
    double seconds = 0;
    std::vector<ObservedSource> sources;
    [[nodiscard]] double perSecond(const ObservedSource& one) const
    {
        return seconds > 0 ? double(one.requests) / seconds : 0;
    }
    //! Percent of a core that all of them took from the load generator.
    [[nodiscard]] double corePercent() const;
};

//! Of a run of the session, by its RunHeader::index. Nothing: not known, as of runs of older versions.
[[nodiscard]] Expected<std::optional<ObservingCost>> observingCost(Library& library, std::string_view session, int run);
//! As a JSON text; "null" where it is not known.
[[nodiscard]] std::string observingJson(const std::optional<ObservingCost>& cost);

//! sessionJson() of analysis.h with what observing each run cost, from the library that holds the session.
[[nodiscard]] std::string sessionJson(const StoredSession& session, const StallsOf& stallsOf, Library& library);

} // namespace dyno
