// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/data/running_target.h"

#include "plan/plan_order.h"

#include <dyno/kept_data.h>
#include <dyno/lua_script.h>
#include <dyno/scripts.h>

#include <fmt/format.h>

namespace dyno {

Expected<PointSpec> firstScriptPoint(const Plan& plan, bool lua)
{
    if (const Faults faults = checkPlan(plan); !faults.empty())
        return fail({ErrorKind::BadInput, faults.front().what, faults.front().where, faults.front().remedy});
    const Expansion expansion = expand(plan);
    if (expansion.points.empty())
        return fail({ErrorKind::BadInput, "the plan has no point to run", {}, "leave one in"});
    const PointSpec& point = expansion.points.front();
    if (point.workload.name != kScriptWorkload && !(lua && point.workload.name == kLuaWorkload))
        return fail({ErrorKind::BadInput, "the plan's workload is no script", "workload.name", "choose another one"});
    return point;
}

Expected<std::unique_ptr<Target>> runningTarget(const TargetUri& uri, const RunnerOptions& options)
{
    if (uri.kind == TargetKind::Managed)
        return fail({ErrorKind::BadInput, fmt::format("{} runs only while a session lasts", uri.display()),
                     uri.display(), "try the script on a server that is running, or on a database file"});
    if (isOfOneSession(uri))
        return fail({ErrorKind::BadInput, fmt::format("{} is private to a session", uri.display()), uri.display(),
                     "try the script on a database file with a name, or on a server"});
    auto target = makeTarget({.uri = uri, .options = options, .stopped = options.stopped});
    if (auto refusal = target->refusal())
        return fail(std::move(*refusal));
    if (auto there = target->isThere(); !there)
        return tl::unexpected(there.error());
    return target;
}

} // namespace dyno
