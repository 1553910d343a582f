// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Series of a run that are looked at together, by subject: the driver's own groups, and those of every machine. Any
//! thread.
#pragma once

#include "run/run_measures.h"

#include <QStringList>

#include <string_view>
#include <vector>

namespace dyno {

struct PlotPreset
{
    QString title;         //!< "InnoDB flushing", "CPU by machine"
    QStringList ids;       //!< RunMeasure::id, at least one; all of the run
    bool oneAxis = false;  //!< the plots are compared: one common y axis
    bool ofDriver = false; //!< it speaks of the product
};

//! Those of which the run has a series, at most `most` series each.
[[nodiscard]] std::vector<PlotPreset> presetsOf(const std::vector<RunMeasure>& measures,
                                                const std::vector<CounterInfo>& counters, std::string_view driver,
                                                std::size_t most);

} // namespace dyno
