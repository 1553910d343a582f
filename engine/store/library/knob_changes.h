// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The library's list of settings that were changed and are not put back. Any thread; each call opens the library.
#pragma once

#include <dyno/error.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

class Database;

//! A setting that is not put back: all records of one setting of one target by owners that are gone, or by one that is
//! not.
struct OpenChange
{
    std::string target, name;
    std::string oldValue; //!< before the first change: what to put back
    std::string newValue; //!< the last value that was set; if the server has another one, somebody else changed it
    std::int64_t changedMs = 0; //!< of the last one
    bool ownerAlive = false;
    bool noted =
        false; //!< each of its records is this user's own (change_notes.h), not one that came with somebody's library
    std::vector<std::int64_t> keys = {}; //!< of its records
    bool damaged = false;                //!< one of them does not fit its seal: what to put back is not known
};

//! Oldest first; a setting that a living owner has changed is in the list once, as the living owner's. Empty when there
//! is no library.
[[nodiscard]] Expected<std::vector<OpenChange>> openChanges(const std::filesystem::path& library);

//! Makes this process the owner, so that no other one puts the same settings back at the same time. Returns those that
//! are now this process's: the others have got a living owner meanwhile.
[[nodiscard]] Expected<std::vector<OpenChange>> claimChanges(const std::filesystem::path& library,
                                                             std::vector<OpenChange> changes);
//! Takes them off the list.
[[nodiscard]] Expected<void> closeChanges(const std::filesystem::path& library, const std::vector<OpenChange>& changes);
//! They were claimed, but could not be put back: somebody else may try.
[[nodiscard]] Expected<void> releaseChanges(const std::filesystem::path& library,
                                            const std::vector<OpenChange>& changes);

//! Takes one record off the list, with its seal; errors stick to the database.
void markRestored(Database& database, std::int64_t key);

} // namespace dyno
