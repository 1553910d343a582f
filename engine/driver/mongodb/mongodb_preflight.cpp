// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Pre-flight of a MongoDB-protocol server: what it says of itself against what a plan needs.
#include "driver/preflight_list.h"
#include "mongodb_admin.h"

#include <charconv>
#include <fmt/format.h>

namespace dyno::mongodb {

Expected<PreflightReport> MongodbAdmin::preflight(const PreflightNeeds& /*needs*/)
{
    PreflightReport report;
    report.target = m_uri.display();
    auto facts = this->facts();
    if (!facts)
        return fail(std::move(facts.error()));
    report.server = std::move(*facts);
    report.roundTripMs = report.server.roundTripMs;
    return report;
}

} // namespace dyno::mongodb
