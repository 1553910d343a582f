// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A phase of a run's load as plots over time show it.
#pragma once

#include <QString>

namespace dyno {

struct PlotPhase
{
    double from = 0, to = 0; //!< in units of the plot's x axis
    QString name, tooltip;
    double level = 1; //!< its load as a share of the highest of all phases: how dark it is
    bool operator==(const PlotPhase&) const = default;
};

} // namespace dyno
