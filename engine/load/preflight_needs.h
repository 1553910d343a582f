// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan asks of each of its targets, over all points that use it.
#pragma once

#include "driver/driver.h"
#include "load/data_note.h"
#include "workload/workload.h"

#include <dyno/plan.h>

#include <string>
#include <vector>

namespace dyno {

//! One target of a plan.
struct TargetNeeds
{
    std::string uri; //!< as the plan has it
    PreflightNeeds needs;
    Settings connection;             //!< knobs of the point with the most users, without scope
    std::vector<std::string> tables; //!< names
    //! The same with what they are to be, for the points that differ in it.
    struct Data
    {
        TableSpec table;
        DataOrigin origin;
    };
    std::vector<Data> data;
    std::vector<FeatureProbe> probes; //!< each once
    //! That the engines of workloads which begin transactions have them; each once. Statements that stand alone may be what is
    //! meant: dyno run --force.
    std::vector<FeatureProbe> transactionProbes;
    std::vector<std::string> loadRights; //!< of what follows the rows: indexes, foreign keys
    PreparePolicy policy = PreparePolicy::Auto;
    bool cleanup = false;
    bool threads = false; //!< each user has a thread (and two files) of its own
    bool encrypts = false; //!< a point wants encryption at rest
    bool restores = false; //!< a copy of the data is kept and put back
};

//! Whether tables may be made.
[[nodiscard]] bool mayLoad(PreparePolicy policy);

//! By target, in the plan's order. Binds each workload once and has it make one slice of rows and one transaction
//! against nothing, to learn the longest statement and the kinds of statements. Takes some milliseconds; connects to
//! nothing. A point whose workload cannot be bound counts with its users only.
[[nodiscard]] std::vector<TargetNeeds> needsOf(const Plan& plan);

//! Adds the rights of making and loading tables.
void addLoadRights(TargetNeeds& target);

} // namespace dyno
