// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What a plan asks of each of its targets, over all points that use it.
#pragma once

#include "driver/driver.h"
#include "load/data/data_note.h"
#include "metrics/process_event.h"
#include "workload/workload.h"

#include <dyno/plan.h>
#include <dyno/trust.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dyno {

//! One target of a plan.
struct TargetNeeds
{
    std::string uri;                  //!< as the plan has it
    std::filesystem::path place = {}; //!< of its data on this machine: placeOf(); the caller of needsOf() sets it
    //! A path by which its users come, and the point with the most users that has it.
    struct Path
    {
        int users = -1;
        Settings connection;       //!< as below
        std::set<Settings> others; //!< of its points, each once
    };
    std::map<std::string, Path> paths = {}; //!< by TargetSpec::path
    PreflightNeeds needs;
    int connections = 0; //!< that reach the server: fewer than users where all come through a pool
    //! What the server sees.
    [[nodiscard]] PreflightNeeds ofServer() const
    {
        PreflightNeeds seen = needs;
        seen.users = connections;
        return seen;
    }
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
    //! That the engines of workloads which begin transactions have them; each once. Told as warnings: statements that
    //! stand alone may be what is meant.
    std::vector<FeatureProbe> transactionProbes;
    //! The knobs of its points, each set once, with the label of the first point that has it.
    struct KnobSet
    {
        Settings server, table;
        std::string point;
    };
    std::vector<KnobSet> knobSets;
    std::set<std::string>
        answeredByName; //!< queries of those above that no server answers with a row: an engine's name tells it
    std::uint64_t scratchBytes = 0;      //!< what a run needs beside the data for a while
    std::vector<std::string> loadRights; //!< of making the tables and of what follows the rows: indexes, foreign keys
    PreparePolicy policy = PreparePolicy::Auto;
    bool cleanup = false;
    bool writes = false;                           //!< some workload changes data
    bool mayReplaceOthers = false;                 //!< a person agreed that tables which somebody else made are dropped
    bool observes = false;                         //!< some point wants the server's counters
    bool threads = false;                          //!< each user has a thread (and two files) of its own
    bool encrypts = false;                         //!< a point wants encryption at rest
    bool restores = false;                         //!< a copy of the data is kept and put back
    std::vector<const ProcessorSeries*> processor; //!< counted of the server's process
    std::set<std::pair<std::string, std::string>>
        machine; //!< settings of this machine that points ask for: name, value
};

//! Whether tables may be made.
[[nodiscard]] bool mayLoad(PreparePolicy policy);

//! By target, in the plan's order. Binds each workload once and has it make one slice of rows and one transaction
//! against nothing, to learn the longest statement and the kinds of statements. Takes some milliseconds; connects to
//! nothing. A point whose workload cannot be bound counts with its users only, and a workload runs nothing whose texts
//! `consent` does not cover: what it sends is not known then.
[[nodiscard]] std::vector<TargetNeeds> needsOf(const Plan& plan, const Consent& consent);

//! What the views of the plan show of what the processor counts: it costs the server a little, so it is counted for
//! these plans only.
[[nodiscard]] std::vector<const ProcessorSeries*> wantedOfProcessor(const Plan& plan);

//! Adds the rights of making and loading tables.
void addLoadRights(TargetNeeds& target);

} // namespace dyno
