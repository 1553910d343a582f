// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Groups of users ([[load.group]]): their fields by name, what a point makes of them, what is wrong with them.
#pragma once

#include <dyno/catalog.h>
#include <dyno/plan.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! Names under [[load.group]] but `name` and `params`, in the order they are written.
[[nodiscard]] const std::vector<std::string>& groupFields();
//! Sets one of them, with its type and range checked as setLoadField() does.
[[nodiscard]] Expected<void> setGroupField(LoadGroup& group, std::string_view name, const Value& value);
//! What such a field holds; empty text where nothing is said.
[[nodiscard]] Value groupField(const LoadGroup& group, std::string_view name);

//! "load.group.scans.users" without its scope, "group.scans.params.delta": the name of the group and of its field.
struct GroupPath
{
    std::string_view group, field;
    //! "delta" of "params.delta"; "" for other fields.
    [[nodiscard]] std::string_view parameter() const;
};
[[nodiscard]] std::optional<GroupPath> groupPathIn(std::string_view loadField);
//! The same of a whole key of a plan, "load.group.scans.users".
[[nodiscard]] std::optional<GroupPath> groupPathOf(std::string_view key);
//! Sets the field that such a path names.
[[nodiscard]] Expected<void> setInGroup(LoadProfile& load, const GroupPath& path, const Value& value);

//! Gives the groups of a point what they do not say themselves: users, workload, all parameters.
void completeGroups(PointSpec& point);
//! The groups of a completed point that take part, in the plan's order.
[[nodiscard]] std::vector<const LoadGroup*> activeGroups(const PointSpec& point);
//! False where all users of a completed point's group only query.
[[nodiscard]] bool changesRows(const LoadGroup& group);
//! The point as if the group were all of it: its workload, its parameters, its pace, its users.
[[nodiscard]] PointSpec pointOfGroup(const PointSpec& point, const LoadGroup& group);
//! What a run of the point measures: of each group that takes part its name and "name.operation" of its workload, or
//! the operations of the workload where there are no groups.
[[nodiscard]] std::vector<OperationInfo> operationsOf(const PointSpec& point);

//! Faults of the plan's groups that need no point, each with its place.
[[nodiscard]] Faults groupFaults(const Plan& plan);
//! Alike for points whose groups have the same faults.
[[nodiscard]] std::string groupsKey(const PointSpec& point);
//! What of a completed point does not go together with its groups. `plan` tells the places.
[[nodiscard]] Faults groupFaults(const Plan& plan, const PointSpec& point);

} // namespace dyno
