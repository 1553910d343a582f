// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Putting settings back that nobody asked for by name: before a run, at the start of the window.
//! Blocks, some seconds for a server: called by a session's control thread and by a worker of the window.
#pragma once

#include "runner.h"
#include "servers.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! What is put back without being asked. Never a change of a
//! production server or a restart of any server, unless `confirmed`; never what this user's own notes do not hold,
//! because a library may be somebody else's.
struct UnaskedRestore
{
    std::vector<std::string> targets;             //!< remote ones of the run
    std::optional<TargetUri> passwordOwner;       //!< whom the password is for, see passwordFor()
    std::string password;                         //!< "" = DYNO_PASSWORD
    bool others = false;                          //!< all other targets too, without a password
    bool confirmed = false;                       //!< as RunnerOptions::confirmed
    std::function<bool()> stopped;                //!< as RunnerOptions::stopped
    std::filesystem::path workDir = dataFolder(); //!< as RunnerOptions::workDir: where locks of settings are
    bool haveLocks = false;                       //!< the caller has them
};

//! As restoreLeftChanges(). What needs consent is among the results as a failure that says so.
//! Refused, with nothing changed, when one of `targets` is a production server and nobody confirmed that it is meant.
[[nodiscard]] Expected<std::vector<RestoredKnob>> restoreUnasked(const std::filesystem::path& library,
                                                                 const UnaskedRestore& what);

} // namespace dyno
