// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Which runs of a comparison a chart of intervals shows, and reading them.
#pragma once

#include "plots/chart.h"
#include "plots/comparison.h"
#include "plots/trace_reader.h"

#include <optional>
#include <vector>

namespace dyno {

//! What a person has chosen of the runs.
struct RunChoice
{
    std::vector<const PivotCell*> selected; //!< rows of the table; they take precedence
    QString at;                             //!< else the runs of this x
    std::optional<int> repeat;              //!< nothing: every one
};

struct ChosenRuns
{
    std::vector<WantedTrace> traces;
    TraceParts parts;
    QString which; //!< in words: "users = 8"
};

//! GUI thread.
[[nodiscard]] ChosenRuns chosenRuns(const Chart& chart, const Comparison& comparison, const Pivot& pivot,
                                    const RunChoice& choice);
//! Any thread. The error names the run that cannot be read.
[[nodiscard]] Expected<std::vector<RunTrace>> readTraces(Library& library, const ChosenRuns& runs);

} // namespace dyno
