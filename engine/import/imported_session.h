// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! From what was collected to a session.
#pragma once

#include "import/collector.h"
#include <dyno/runner.h>

namespace dyno::import {

struct ImportedSession
{
    SessionHeader header;
    std::vector<ImportedRun> runs;   //!< as in header.runs
    std::vector<const Run*> sources; //!< of the collector, in the same order
    std::string notes;               //!< in Markdown, for a person
};

//! Drops runs of which nothing is told.
void dropEmptyRuns(Collector& collector);
[[nodiscard]] ImportedSession sessionOf(const Collector& collector, std::int64_t otherwiseStartedMs);

[[nodiscard]] std::string toJson(const ImportOrigin& origin);

} // namespace dyno::import
