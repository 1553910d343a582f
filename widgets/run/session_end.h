// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What is said when a session has ended: what happened, what was kept, what can be done. GUI thread.
#pragma once

#include "run/live_run_model.h"

namespace dyno {

struct SessionEnd
{
    enum class Offer { Nothing, Compare, Missing, Plan };
    Tone tone = Tone::Good;
    QString text;
    Offer first = Offer::Nothing, second = Offer::Nothing;
    bool kept = true;      //!< it is in the library
    bool complete = false; //!< nothing is missing of it, so that it can be compared
};

//! Of a session that the model holds to its end; `missing`: runs that could be made up for.
[[nodiscard]] SessionEnd endOf(const LiveRunModel& model, int missing);
//! Why it failed, "" when it did not: what stands in the place of the plots when nothing was measured.
[[nodiscard]] QString failureOf(const LiveRunModel& model);

} // namespace dyno
