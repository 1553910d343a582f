// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Conditions that a workload's data meet whatever ran on them (TPC-C's consistency conditions), asked of a target.
//! checkData() blocks and is called by `dyno check-data` on its main thread; the sink is called by the session's
//! control thread.
#pragma once

#include "error.h"
#include "plan.h"
#include "runner.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

struct ConditionResult
{
    std::string name;                       //!< "1: w_ytd is the sum of d_ytd"
    std::optional<std::int64_t> violations; //!< rows for which it is not true; none: it could not be asked
    std::string error;                      //!< why not; "" otherwise
    std::string found = {};                 //!< what is wrong, where one says so; "": nothing, or it is rows alone
    [[nodiscard]] bool holds() const { return violations == 0; }
};

//! The conditions of one set of data, in the workload's order.
struct DataCheckReport
{
    int point = 0;      //!< index into the plan's points
    int repeat = 0;     //!< the run that was before, 1-based; 0: none
    std::string target; //!< without a password
    std::string workload;
    std::vector<ConditionResult> conditions;
    [[nodiscard]] bool holds() const
    {
        for (const ConditionResult& condition : conditions) {
            if (!condition.holds())
                return false;
        }
        return true;
    }
};

//! Names of the conditions of a point's workload; empty when it states none. Errors: the workload's parameters.
[[nodiscard]] Expected<std::vector<std::string>> conditionsOf(const PointSpec& point);

//! A sink of a SessionRunner that wants the conditions asked after each run that measured something, while its server
//! is still up and before the next run's data. What does not hold is an event of the run too. A workload without
//! conditions gives no call. The queries read whole tables: their time is not part of the run.
class DataCheckSink : public SampleSink
{
public:
    //! Between onRunAftermath() and onRunFinished().
    virtual void onDataChecked(const DataCheckReport&) = 0;
};

//! Asks them of the data that lie on the targets of a plan, without loading, starting users or changing settings. One
//! report for each target, with its first point's workload; none where that states no conditions. Blocking; `goOn` is
//! asked before each query, and returning false leaves the rest out as not asked. Errors: a target that is not there,
//! tables that are missing or of another shape.
[[nodiscard]] Expected<std::vector<DataCheckReport>> checkData(const Plan& plan, const RunnerOptions& options,
                                                               const std::function<bool()>& goOn);

} // namespace dyno
