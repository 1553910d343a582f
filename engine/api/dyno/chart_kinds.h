// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The kinds of charts that View::chart may name, and what each is of. The window draws them: see plots/chart.h there.
//! Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! How a pictogram shows the kind.
enum class ChartSketch { Lines, Bars, Course };

struct ChartKind
{
    std::string id;         //!< View::chart; stored in plans and sessions, so it never changes
    std::string label;      //!< "Every run"
    std::string title = {}; //!< of a view without a name: "Latency over time"; "" = "measure by x axis"

    bool intervals = false;   //!< draws single runs from their intervals; the others draw a figure per run
    bool summary = false;     //!< one figure for the repeats of a point: View::centre and View::relativeTo matter
    bool table = false;       //!< the figures of a table are the same figures
    bool measure = false;     //!< draws View::measure; the others always draw throughput or latency
    bool seconds = false;     //!< the seconds of a run are along x: View::from and View::to matter
    bool rows = false;        //!< rows changed so far may be along x: View::over matters
    bool log = false;         //!< axes may be logarithmic: View::log matters
    bool logByItself = false; //!< y is logarithmic where the figures ask for it and the view says nothing: suitsLogY()
    bool law = false;         //!< fits the scaling law; reports give its table
    std::string along = {};   //!< the one measure that stands along x, whatever View::measure says; "" = cases do
    ChartSketch sketch = ChartSketch::Lines;
};

//! In the order of the menu.
[[nodiscard]] const std::vector<ChartKind>& chartKinds();
//! nullptr when there is no such kind.
[[nodiscard]] const ChartKind* findChartKind(std::string_view id);
//! False when there is no such kind: hasChart(view.chart, &ChartKind::table).
[[nodiscard]] bool hasChart(std::string_view id, bool ChartKind::*property);
//! What View::log says of the axes.
struct ViewAxes
{
    bool logX = false, logY = false;
    bool open = false; //!< nothing: ChartKind::logByItself decides about y
};
constexpr const char* kLinearAxes = "linear"; //!< View::log of one that keeps both axes linear
//! `log`: "" | "linear" | "x" | "y" | "xy".
[[nodiscard]] ViewAxes viewAxes(std::string_view log);
//! Seconds are along x; `over`: View::over.
[[nodiscard]] bool showsSeconds(std::string_view id, std::string_view over);

} // namespace dyno
