// SPDX-License-Identifier: GPL-3.0-or-later
// The words and short texts that a plan's fields are written with; plan_fields.cpp reads them.
#include "plan/plan_fields.h"

#include <fmt/format.h>

namespace dyno {

const char* toText(RunOrder order)
{
    switch (order) {
    case RunOrder::AsListed:
        return "as-listed";
    case RunOrder::Interleaved:
        return "interleaved";
    case RunOrder::Shuffled:
        return "shuffled";
    case RunOrder::FewestRestarts:
        return "fewest-restarts";
    }
    return "";
}

const char* toText(SnapshotsWhen when)
{
    switch (when) {
    case SnapshotsWhen::Off:
        return "off";
    case SnapshotsWhen::OnDemand:
        return "on-demand";
    case SnapshotsWhen::Stalls:
        return "stalls";
    }
    return "";
}

const char* toText(InstrumentsLevel level)
{
    switch (level) {
    case InstrumentsLevel::None:
        return "none";
    case InstrumentsLevel::Light:
        return "light";
    case InstrumentsLevel::Full:
        return "full";
    }
    return "";
}

const char* toText(RestartPolicy policy)
{
    switch (policy) {
    case RestartPolicy::WhenNeeded:
        return "when-needed";
    case RestartPolicy::EachPoint:
        return "each-point";
    case RestartPolicy::EachRun:
        return "each-run";
    }
    return "";
}

const char* toText(DataPolicy policy)
{
    return policy == DataPolicy::Restore ? "restore" : "keep";
}

const char* toText(ExecutorKind executor)
{
    switch (executor) {
    case ExecutorKind::Auto:
        return "auto";
    case ExecutorKind::Threads:
        return "threads";
    case ExecutorKind::Loops:
        return "loops";
    }
    return "";
}

const char* toText(PreparePolicy policy)
{
    switch (policy) {
    case PreparePolicy::Auto:
        return "auto";
    case PreparePolicy::Never:
        return "never";
    case PreparePolicy::Always:
        return "always";
    case PreparePolicy::Use:
        return "use";
    }
    return "";
}

const char* toText(ArrivalModel model)
{
    switch (model) {
    case ArrivalModel::Closed:
        return "closed";
    case ArrivalModel::Fixed:
        return "fixed";
    case ArrivalModel::Poisson:
        return "poisson";
    }
    return "";
}

const char* toText(Centre centre)
{
    return centre == Centre::Median ? "median" : "mean";
}

const char* toText(RelativeTo relativeTo)
{
    switch (relativeTo) {
    case RelativeTo::Nothing:
        return "";
    case RelativeTo::Baseline:
        return "baseline";
    case RelativeTo::Best:
        return "best";
    }
    return "";
}

std::string toText(const Objective& objective)
{
    if (!objective.given())
        return {};
    const std::string name = objective.percentile >= 100 ? "max" : fmt::format("p{:g}", objective.percentile);
    return fmt::format("{} <= {:g}ms", name, objective.limitMs);
}

std::string toText(const Search& search)
{
    if (search.what == Search::What::Nothing)
        return {};
    return fmt::format("{} {:.10g}..{:.10g}", search.what == Search::What::Users ? "users" : "rate", search.from,
                       search.to);
}

std::string toText(const std::vector<RateStep>& steps)
{
    std::string text;
    for (const RateStep& step : steps)
        text += fmt::format("{}{:.10g}:{:.10g}s", text.empty() ? "" : ", ", step.rate, step.seconds);
    return text;
}

} // namespace dyno
