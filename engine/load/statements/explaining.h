// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! How a server is asked how it would run a statement, without running it.
#pragma once

#include "driver/driver.h"

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! False where documents are kept: whether there are transactions depends on the product and on how it is set up, so
//! that nobody relies on one that is taken back.
[[nodiscard]] bool rollsBack(const DriverInfo& driver);

//! Whether servers explain such a statement, judged by its first word.
[[nodiscard]] bool hasPlan(std::string_view text);
//! A function that the statement calls and that is none of the usual ones of all servers; "": none. Servers may run it
//! to explain the statement. A column list behind a name that is not known as one counts as a call.
[[nodiscard]] std::string unusualCall(std::string_view text);
//! A parameter as a person reads it.
[[nodiscard]] std::string shownParam(const Param& value);

struct ExplainRequest
{
    std::string_view text;            //!< the statement
    bool prepared = false;            //!< `explaining` has its driver's explaining(), with its parameters
    StatementId explaining{};         //!< of the session's statements
    const std::vector<Param>& params; //!< of a prepared one
};
//! Why there is no plan; "": it is in `steps`. On a connected session.
[[nodiscard]] std::string explainStatement(Session& session, const Driver& driver, const ExplainRequest& request,
                                           std::vector<PlanStep>& steps, std::size_t mostSteps);

} // namespace dyno
