// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What pivot() shares with the choice of a first view of several sessions.
#pragma once

#include <dyno/report.h>

#include <string>
#include <vector>

namespace dyno::report {

//! True when each case of one of these axes of the plans has its own number of users: that tells the users as well.
[[nodiscard]] bool tellUsers(const std::vector<StoredSession>& sessions, const std::vector<std::string>& axes);
//! Places on x and facets of which no cell is left go.
void dropUnusedLabels(Pivot& pivot);
//! PivotRequest::commonOnly: drops cells whose x and facet no other series has, and fills Pivot::apart.
void keepCommon(Pivot& pivot, const std::vector<StoredSession>& sessions);

} // namespace dyno::report
