// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What of a run can be drawn over time beside throughput and latency: errors, load generator, machine, and the
//! server's counters. Any thread.
#pragma once

#include <dyno/main_counters.h>
#include <dyno/runner.h>

#include <QString>
#include <QVector>

#include <vector>

namespace dyno {

struct RunSeries;

struct RunMeasure
{
    QString id;                                //!< the same in every run: "errors", "server: Innodb_data_fsyncs"
    QString title;                             //!< "fsyncs"; of a counter without a role its own name
    QString name;                              //!< of a counter: its own name; else the title
    QString unit;                              //!< of what is drawn: "MiB/s"
    double scale = 1;                          //!< what is drawn for 1 of the series
    double ceiling = 0;                        //!< the axis goes at least up to it; drawn, 0 = by the data alone
    bool hidden = false;                       //!< offered only to who searches for it
    int counter = -1;                          //!< index into RunSeries::counters
    QVector<double> RunSeries::*own = nullptr; //!< of what is no counter

    [[nodiscard]] const QVector<double>& values(const RunSeries& series) const; //!< not scaled
};

//! The counters that the plan names first (`observed`: LoadProfile::observe), then the main ones of the driver
//! (mainCounters()), then what is no counter, then the other counters, hidden ones last. `cores`: of the machine the
//! server runs on, 0 = not known.
[[nodiscard]] std::vector<RunMeasure> measuresOf(const std::vector<CounterInfo>& counters, std::string_view driver,
                                                 int cores, const std::vector<std::string>& observed = {});

} // namespace dyno
