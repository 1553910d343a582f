// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! One transaction of a script, or one event of a script for sysbench, tried on the plan's first target before anything
//! is measured: what is sent, what comes back, how long it takes. Its changes are rolled back.
#pragma once

#include "error.h"
#include "script_text.h"
#include "table_info.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dyno {

struct Plan;
struct RunnerOptions;

struct ScriptTryWish
{
    std::string section;     //!< \transaction of this name; "": one by the weights
    std::uint64_t round = 0; //!< another number gives other random values
};

struct TriedStatement
{
    int line = 0;                        //!< in the script; 0: not known, as in Lua, or not `ofScript`
    bool ofScript = true;                //!< false: a BEGIN or ROLLBACK of the try
    std::string text;                    //!< as it was sent
    std::vector<std::string> parameters; //!< of a prepared one
    //! False: a BEGIN in a transaction that is open, or a COMMIT, in whose place comes a rollback; with an error a
    //! statement that nobody was asked about, see tryScript().
    bool sent = true;
    std::int64_t rows = 0, changed = 0;
    std::string lastRow; //!< "id = 5, price = 3.20"; "" where the answer has none
    double ms = 0;
    std::string error; //!< the server's
    //! How the server would run it, as EXPLAIN shows; of SELECT, INSERT, UPDATE, DELETE and the like. The statement is
    //! not run for it, though MySQL's EXPLAIN may call a function in a subquery.
    std::vector<PlanStep> plan;
    std::string noPlan; //!< why there is none, of such a statement
};

struct ScriptTry
{
    std::string target;                     //!< without a password
    std::vector<TriedStatement> statements; //!< in the order of sending; the last may have an error
    std::string problem;                    //!< why the transaction did not come to its end; "": it did
    double ms = 0;                          //!< of all that was sent for the script
    bool rolledBack = false;                //!< the server says so
    bool mayKeep = false;                   //!< all the same something was sent that may stay
    bool interrupted = false;               //!< RunnerOptions::stopped said so
};

//! Statements of the section whose changes may stay on the plan's first target after a try: what a rollback does not
//! take back, and on a server without transactions all that changes something. What a script for sysbench sends is not
//! known before: such a statement of it is never sent. Connects to nothing; any thread.
[[nodiscard]] std::vector<ScriptStatement> staysAfterTry(const Plan& plan, const std::string& section);

//! Tries it, after an agreement to all that the plan wants (RunnerOptions::consent). Pauses of the script are skipped,
//! and what is in a pipeline is sent one by one. What may stay and is not among staysAfterTry(), because a variable
//! made another statement of it, is not sent and ends the try; where a script for sysbench passes over that error, it
//! is the problem all the same. Such a script is stopped after 1000 statements, and then there are no plans. An error:
//! nothing was sent. Blocking; any thread but the window's.
[[nodiscard]] Expected<ScriptTry> tryScript(const Plan& plan, const RunnerOptions& options, const ScriptTryWish& wish);

} // namespace dyno
