// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/others_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace dyno {

namespace {

constexpr std::string_view kOurNames = "dynobench_";
constexpr std::size_t kOthersNamed = 3;

using TableNames = std::vector<std::string>;

bool isAmong(const TableNames& names, const std::string& name)
{
    return std::ranges::find(names, name) != names.end();
}

//! Those without a note.
TableNames withoutNote(const TableNames& names, const DataNotes& notes, const TableNames& unfinished)
{
    TableNames others;
    for (const std::string& name : names) {
        if (!name.starts_with(kOurNames) && !notes.contains(name) && !isAmong(unfinished, name))
            others.push_back(name);
    }
    return others;
}

} // namespace

bool writesData(const WorkloadInfo& workload)
{
    return std::ranges::any_of(workload.operations,
                               [](const OperationInfo& one) { return one.opClass == OpClass::Write; });
}

std::string shortList(TableNames names)
{
    const std::size_t more = names.size() - std::min(names.size(), kOthersNamed);
    names.resize(names.size() - more);
    return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : std::string());
}

Expected<std::vector<std::string>> tablesOfOthers(Admin& admin)
{
    const auto names = admin.tableNames();
    if (!names)
        return tl::unexpected(names.error());
    const auto notes = admin.dataNotes();
    if (!notes)
        return tl::unexpected(notes.error());
    const auto unfinished = admin.unfinishedLoads();
    if (!unfinished)
        return tl::unexpected(unfinished.error());
    return withoutNote(*names, *notes, *unfinished);
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
    const auto notes = admin.dataNotes();
    if (!notes)
        return tl::unexpected(notes.error());
    const auto unfinished = admin.unfinishedLoads();
    if (!unfinished)
        return tl::unexpected(unfinished.error());
    const TableNames others = withoutNote(*names, *notes, *unfinished);
    TableNames ofWorkload;
    std::ranges::copy_if(others, std::back_inserter(ofWorkload), used);
    const bool known = !notes->empty() || !unfinished->empty();
    if (others.empty() || (known && ofWorkload.empty()))
        return std::optional<Risk>();
    std::string wants =
        known ? fmt::format("write into tables which Dynobench did not make ({})", shortList(std::move(ofWorkload)))
              : fmt::format("write into a database that holds tables which Dynobench did not make ({})",
                            shortList(others));
    return Risk{std::string(kTargetKey), riskTarget(target), std::move(wants)};
}

} // namespace dyno
