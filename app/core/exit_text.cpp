// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exit_text.h"

#include <array>

namespace dyno {

std::span<const ExitMeaning> exitMeanings()
{
    static constexpr std::array kMeanings{
        ExitMeaning{kDone, "Everything was done.", "Go on."},
        ExitMeaning{kFailed,
                    "A run failed, a condition of the data does not hold, or a result could not be written. What was "
                    "measured before is stored.",
                    "Read the reason: standard error, `dyno show last`, or `reason` and `remedy` in the document of "
                    "`--json`."},
        ExitMeaning{kBadInput,
                    "Bad input, or refused: faults in the plan or the arguments, an agreement, rights or data that are "
                    "missing. Nothing was measured.",
                    "Fix what the message names."},
        ExitMeaning{kUnreachable, "The target cannot be reached. Nothing is stored.",
                    "Check the URI, the server and the password; try again later."},
        ExitMeaning{kObjective, "Everything was done, and an objective of the plan is broken.",
                    "The figures are stored; `objective` in the document of `--json` says by how much."},
        ExitMeaning{kInterrupted, "Interrupted, by Ctrl-C or a signal. What was measured is stored.",
                    "`dyno run session:last --missing` measures the rest."},
    };
    return kMeanings;
}

} // namespace dyno
