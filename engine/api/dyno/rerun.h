// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A stored session run once more: its plan, and what of it cannot be had again. Pure; any thread.
#pragma once

#include "library.h"

#include <string>
#include <vector>

namespace dyno {

struct Rerun
{
    Plan plan; //!< the same seeds, order, knobs and load
    //! What will or may be different, one sentence each without a full stop: this machine, this program, versions of
    //! the server, variables that the plan does not set.
    std::vector<std::string> notReproduced;
};
//! `here` and `software` are of the machine and program that would run it. BadInput for a session that another tool
//! measured: there is no plan that would do that.
[[nodiscard]] Expected<Rerun> rerunOf(const StoredSession& session, const HostFacts& here, std::string_view software);

} // namespace dyno
