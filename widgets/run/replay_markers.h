// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What stands on the scrub bar of a replay: starts of runs, the warm-up's end, phases, events, stalls and notes. Any
//! thread.
#pragma once

#include "parts/labels.h"
#include "plots/stall_words.h"

#include <dyno/analysis.h>
#include <dyno/library.h>

#include <QString>

#include <span>
#include <vector>

namespace dyno {

enum class MarkerKind { RunStart, WarmupEnd, Phase, Event, Stall, Note };

struct ReplayMarker
{
    double at = 0;     //!< seconds on the replay's axis
    double length = 0; //!< seconds; 0 for an instant
    int run = 0;       //!< index into StoredSession::runs
    MarkerKind kind = MarkerKind::Event;
    Tone tone = Tone::Neutral;
    QString text;
};

//! Colour of an event by its kind.
[[nodiscard]] Tone toneOf(EventKind kind);

//! Markers of one stored run that stands at `start` on the axis and lasts `length` seconds; in order of time. `runs`:
//! how many are replayed, because the start of the only one is no news.
[[nodiscard]] std::vector<ReplayMarker> markersOf(const StoredRun& run, int index, const std::vector<RunEvent>& events,
                                                  const std::vector<Stall>& stalls, double start, double length,
                                                  std::size_t runs);

//! The first marker after (`forward`) or the last before `position`, which is one that stands there already; nullptr
//! for none.
[[nodiscard]] const ReplayMarker* nextMarker(std::span<const ReplayMarker> markers, double position, bool forward);

} // namespace dyno
