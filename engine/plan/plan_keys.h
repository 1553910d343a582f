// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The keys of a plan that are not in [load] (load_fields.h) or in a view (view_fields.h), a row each: the reader and
//! the manual's reference follow from it. Any thread; the rows never change.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

struct PlanKey
{
    std::string name;
    std::string range; //!< what it takes: "text", "true, false"
    std::string usual; //!< what holds without it
    std::string help;
};

//! A table of a plan with its keys, in the order in which a plan has them.
struct PlanTable
{
    std::string id;   //!< "axis", "case"; "" is the plan itself
    std::string form; //!< how it is written: "[[axis]]"
    std::string help;
    std::vector<PlanKey> keys;
};

//! In the order of the reference.
[[nodiscard]] const std::vector<PlanTable>& planTables();
//! The keys of a table by its id; none for an unknown one.
[[nodiscard]] const std::vector<std::string>& planKeys(std::string_view table);

} // namespace dyno
