// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/data/others_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dyno {

namespace {

constexpr std::string_view kOurNames = "dynobench_";
constexpr std::size_t kOthersNamed = 3;

using TableNames = std::vector<std::string>;

bool isAmong(const TableNames& names, const std::string& name)
{
    return std::ranges::find(names, name) != names.end();
}

//! What is there, and what of it is Dynobench's.
struct Holdings
{
    TableNames names, unfinished;
    DataNotes notes;
    //! Those without a note.
    [[nodiscard]] TableNames others() const
    {
        TableNames found;
        for (const std::string& name : names) {
            if (!name.starts_with(kOurNames) && !notes.contains(name) && !isAmong(unfinished, name))
                found.push_back(name);
        }
        return found;
    }
};

//! `names`: what tableNames() said.
Expected<Holdings> holdingsOf(Admin& admin, TableNames names)
{
    auto notes = admin.dataNotes();
    if (!notes)
        return tl::unexpected(std::move(notes.error()));
    auto unfinished = admin.unfinishedLoads();
    if (!unfinished)
        return tl::unexpected(std::move(unfinished.error()));
    return Holdings{std::move(names), std::move(*unfinished), std::move(*notes)};
}

} // namespace

bool writesData(const WorkloadInfo& workload, const LoadProfile& load)
{
    return load.settle || std::ranges::any_of(workload.operations,
                                              [](const OperationInfo& one) { return one.opClass == OpClass::Write; });
}

bool groupsWrite(const PointSpec& point)
{
    return std::ranges::any_of(point.load.groups, [&point](const LoadGroup& group) {
        const WorkloadInfo* info = findWorkload(group.workload);
        return group.users.value_or(1) > 0 && (!info || writesData(*info, point.load));
    });
}

std::string shortList(TableNames names)
{
    const std::size_t more = names.size() - std::min(names.size(), kOthersNamed);
    names.resize(names.size() - more);
    return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : std::string());
}

Expected<std::vector<std::string>> tablesOfOthers(Admin& admin)
{
    auto names = admin.tableNames();
    if (!names)
        return tl::unexpected(std::move(names.error()));
    const auto there = holdingsOf(admin, std::move(*names));
    if (!there)
        return tl::unexpected(there.error());
    return there->others();
}

Expected<std::optional<Risk>> othersDataRisk(Admin& admin, const TargetUri& target, const DataUse& use)
{
    if (!use.makes && !use.drops && !use.writes)
        return std::optional<Risk>();
    const auto names = admin.tableNames();
    if (!names)
        return tl::unexpected(names.error());
    const auto used = [&use, &names](const std::string& name) {
        return isAmong(use.tables, name) && isAmong(*names, name);
    };
    const bool complete = std::ranges::all_of(use.tables, used);
    if (names->empty() || (complete && !use.drops && !use.writes))
        return std::optional<Risk>();
    const auto there = holdingsOf(admin, *names);
    if (!there)
        return tl::unexpected(there.error());
    const TableNames others = there->others();
    TableNames ofWorkload;
    std::ranges::copy_if(others, std::back_inserter(ofWorkload), used);
    const bool known = !there->notes.empty() || !there->unfinished.empty();
    if (others.empty() || (known && ofWorkload.empty()))
        return std::optional<Risk>();
    std::string wants =
        known ? fmt::format("write into tables which Dynobench did not make ({})", shortList(std::move(ofWorkload)))
              : fmt::format("write into a database that holds tables which Dynobench did not make ({})",
                            shortList(others));
    return Risk{std::string(kTargetKey), riskTarget(target), std::move(wants)};
}

} // namespace dyno
