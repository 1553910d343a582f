// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Errors of the control plane. The data plane (one operation) uses Outcome and a code instead, see driver/driver.h.
//! Plain values; any thread.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace dyno {

//! What kind of thing went wrong; the window translates by this, the command line picks its exit code by it.
enum class ErrorKind {
    BadInput,    //!< a plan, a URI, an option or a file is not usable as it is (exit code 2)
    Unreachable, //!< the target does not answer (3)
    Refused,     //!< the target answers and says no: wrong password, missing right, unsupported (3)
    Failed,      //!< a run or a step of it failed (1)
    Storage,     //!< the library or a file cannot be read or written (1)
    Interrupted, //!< the user stopped it (130)
};

//! One error for a person: what happened, where, and what to do next. Never holds a password.
struct Error
{
    ErrorKind kind = ErrorKind::Failed;
    std::string message = {}; //!< what happened, one sentence without a full stop
    std::string where = {};   //!< the place: a file and line, a URI without password, a table; may be empty
    std::string remedy = {};  //!< what to do; may be empty

    //! "where: message (remedy)" on one line.
    [[nodiscard]] std::string text() const;
};

template<class T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Error error)
{
    return tl::unexpected<Error>(std::move(error));
}

//! One fault found by validation, which lists all faults at once.
struct Fault
{
    std::string where = {};  //!< field path, e.g. "axis[0].cases[2].set.server.sync_binlog"
    int line = 0;            //!< 1-based line in the plan file, 0 when there is none
    int column = 0;          //!< 1-based
    std::string what = {};   //!< what is wrong
    std::string remedy = {}; //!< what would be right
};
using Faults = std::vector<Fault>;

} // namespace dyno
