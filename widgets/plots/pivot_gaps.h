// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Places of a pivot that have no figure: why, in a word, and which of them a chart can do without.
#pragma once

#include <dyno/report.h>

#include <QString>

#include <vector>

namespace dyno {

//! Why there is no figure.
enum class Gap {
    None,       //!< there is one
    NotPlanned, //!< the plan leaves this combination out
    NotDone,    //!< the runs have no such operation
    NoFigure,   //!< the runs ended well, but do not tell this measure
    NoPrice,    //!< the target has no price
    Short,      //!< the runs ended before all rows or transactions were done
    Failed,     //!< no run ended well, and some failed
    Skipped,    //!< a person skipped or stopped the runs
    Damaged,    //!< what is stored of the runs is not what was recorded
    NotRun      //!< not yet, or the session ended before
};
//! `cell` may be null.
[[nodiscard]] Gap gapOf(const Pivot& pivot, const PivotCell* cell);
[[nodiscard]] QString gapText(Gap gap); //!< "not done"; "" for none
//! spreadText() of report.h in the window's language.
[[nodiscard]] QString spreadWords(const Spread& spread);

//! What stands along x in the chart of a facet where each value has a place: all but those that nothing was to be
//! measured for.
struct PivotPlaces
{
    std::vector<std::size_t> xs; //!< positions in Pivot::xs; all of them when none has a figure
    QString leftOut;             //!< the others in words: "not done: load, add_index"; "" for none
};
//! `kept`: positions that stay whatever they hold.
[[nodiscard]] PivotPlaces placesOf(const Pivot& pivot, const std::string& facet,
                                   const std::vector<std::size_t>& kept = {});

//! What a place of a chart holds: "flush=1, 16 users"; the x value alone where there is one series of all runs.
[[nodiscard]] QString placeWords(const Pivot& pivot, std::size_t series, std::size_t x);

//! The facets that have something to draw; all of them when none has.
[[nodiscard]] std::vector<std::string> drawnFacets(const Pivot& pivot);
//! The others in words, for the first chart: "not done: two"; "" for none.
[[nodiscard]] QString leftOutFacets(const Pivot& pivot);

} // namespace dyno
