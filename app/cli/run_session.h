// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Runs one plan to its end, or to the user's.
#pragma once

#include <dyno/runner.h>

#include <memory>
#include <string>
#include <vector>

namespace dyno::cli {

struct RunOutput
{
    std::string library;           //!< "" = the user's own
    bool record = true;            //!< false: nothing is kept but `out`
    std::string out;               //!< a .dyno file, "" = none
    bool json = false;             //!< the contract's document on standard output instead of the table
    bool quiet = false;            //!< no progress
    bool check = false;            //!< ask the workload's conditions after each run
    bool confirmed = false;        //!< a production server may be loaded and changed
    bool wait = false;             //!< for another session that changes settings of the same server
    Consent consent;               //!< what of the plan's risks was agreed to
    std::vector<std::string> tags; //!< of the session
    std::string password;          //!< from an option file; "" = DYNO_PASSWORD, if it is set
    std::shared_ptr<const SessionHeader> continues = nullptr; //!< see RunnerOptions
    std::vector<SampleSink*> listeners = {};                  //!< who else hears of the session
};
//! Returns the exit code. The plan has no faults.
[[nodiscard]] int runSession(const Plan& plan, const RunOutput& output);

} // namespace dyno::cli
