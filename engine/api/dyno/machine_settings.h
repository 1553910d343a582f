// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Settings of this machine that a plan asks for (scope host), looked at without changing them.
#pragma once

#include "error.h"
#include "uri.h"
#include "value.h"

#include <filesystem>
#include <optional>

namespace dyno {

//! Where a target keeps its data on this machine, which need not be there yet: the file or folder of an embedded one;
//! below `workDir` what Dynobench makes; "" of a remote one.
[[nodiscard]] std::filesystem::path placeOf(const TargetUri& uri, const std::filesystem::path& workDir);

//! Why this process cannot bring this machine to these settings (a point's, without their scope); nothing where it can,
//! or where they are in force already. `data`: placeOf() the target; settings of a disk are those of the one that holds
//! it. Reads files below /sys. Any thread.
[[nodiscard]] std::optional<Error> machineProblem(const Settings& host, const std::filesystem::path& data);

} // namespace dyno
