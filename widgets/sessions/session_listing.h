// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dyno/library.h>

#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! What a reading of the library gives.
struct SessionListing
{
    std::vector<SessionInfo> sessions, removed;
    int all = 0;                //!< without the search
    std::optional<Error> wrong; //!< of the search line; then there are no sessions
};
//! `known`: how many sessions there are without the search, 0 = to be counted. On the library's thread.
[[nodiscard]] Expected<SessionListing> readListing(Library& library, const std::string& query, bool archived,
                                                   int known);

} // namespace dyno
