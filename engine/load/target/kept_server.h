// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Managed servers that are kept under a name: whoever's plan it is, their settings change only after an agreement
//! where others have tables on them. A restart with another log size or without a setting rewrites files of the data
//! folder.
#pragma once

#include "server/lifecycle/managed_server.h"

#include <dyno/trust.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! The settings of a server's folder.
struct KeptKnobs
{
    //! It was last started with; a look at its data starts it with just these. Nothing: not on record, and no look is
    //! taken.
    std::optional<Settings> last;
    Settings made; //!< its data was made with; other values are refused
};
[[nodiscard]] KeptKnobs keptKnobs(const std::filesystem::path& folder);

//! What a start with other settings than the last ones would change.
struct KnobChanges
{
    Settings set;                  //!< other values
    std::vector<std::string> gone; //!< names that go back to the server's default
    [[nodiscard]] bool empty() const { return set.empty() && gone.empty(); }
};
//! `ofPlan`: settings of the scope "server".
[[nodiscard]] KnobChanges knobChanges(const KeptKnobs& kept, std::string_view driver, const Settings& ofPlan);

//! Names of tables that Dynobench did not make, in any of the server's databases that hold a user's. Starts it as it
//! was last started, and leaves it running; it ends as Interrupted when somebody wants to stop meanwhile.
[[nodiscard]] Expected<std::vector<std::string>> othersOn(ManagedServer& server, const TargetUri& target,
                                                          const std::function<bool()>& stopped = {});

//! The risks of those changes where these are there; no names: it is not known what is there.
[[nodiscard]] std::vector<Risk> keptRisks(const TargetUri& target, const KnobChanges& changes,
                                          const std::optional<std::vector<std::string>>& others);

} // namespace dyno
