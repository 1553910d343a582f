// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lua/lua_workload.h"

namespace dyno::lua {

//! This build has no interpreter.
const std::vector<const Workload*>& workloads()
{
    static const std::vector<const Workload*> none;
    return none;
}

std::string syntaxProblem(const ScriptFile& /*file*/)
{
    return {};
}

} // namespace dyno::lua
