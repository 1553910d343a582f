// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Storage engines that a managed MariaDB has as a plug-in of its package. A server loads them at its start only: one
//! that runs aborts when MyRocks is installed (MariaDB's manual, "Getting Started with MyRocks").
#pragma once

#include "driver/driver.h"
#include "server/lifecycle/server_binaries.h"

#include <dyno/error.h>
#include <dyno/value.h>

#include <string>

namespace dyno {

constexpr const char* kEnginePluginKnob = "load_engine"; //!< Dynobench's own, not a variable

//! The plug-in that this knob names: "ha_rocksdb"; "" when it names none.
[[nodiscard]] Expected<std::string> enginePluginOf(const Settings& knobs);

//! The plug-in's variables are there with it alone: `knobs` with the knob for it, unless they say themselves.
[[nodiscard]] Settings withEnginePlugin(Settings knobs);

//! That the engine of tables with these options is no plug-in, or that the knobs name it.
[[nodiscard]] Expected<void> namesEngineOf(const Settings& table, const Settings& knobs);

//! Whether this server brings the plug-in that the knobs name. Error: names the missing file and the package. Blocks
//! for up to a second.
[[nodiscard]] Expected<void> canLoadEngine(const ServerBinaries& server, const Settings& knobs);

//! After the start: that the engine of the plug-in is there.
[[nodiscard]] Expected<void> verifyEngine(const ServerBinaries& server, const Settings& knobs, Admin& admin);

} // namespace dyno
