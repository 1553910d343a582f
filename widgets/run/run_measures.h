// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What of a run can be drawn over time beside throughput and latency: errors, load generator, machine, and the
//! server's counters. Any thread.
#pragma once

#include <dyno/main_counters.h>
#include <dyno/runner.h>

#include <QString>
#include <QStringList>
#include <QVector>

#include <functional>
#include <memory>
#include <string>
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
    double cores = 0;                          //!< that 1 of the series keeps busy; 0: it is no CPU time
    int counter = -1;                          //!< index into RunSeries::counters
    int operation = -1;                        //!< index into RunSeries::operations
    bool isTime = false;                       //!< of an operation: its 99th percentile, not its calls
    QVector<double> RunSeries::*own = nullptr; //!< of what is no counter
    //! Of a formula: its value in an interval.
    std::function<double(const RunSeries& series, qsizetype interval)> formula;
    QString problem; //!< why this run has no values of the formula, ""; it has

    [[nodiscard]] const QVector<double>& values(const RunSeries& series) const; //!< not scaled; none of a formula
    //! Likewise, of one interval: also of a formula; not a number where it is not known.
    [[nodiscard]] double value(const RunSeries& series, qsizetype interval) const;
};

using RunMeasures = std::shared_ptr<const std::vector<RunMeasure>>;

//! RunMeasure::id of a counter, the same in every run.
[[nodiscard]] QString idOf(const CounterInfo& counter);
//! Ids of what an operation's series are called, the same in every run.
[[nodiscard]] QString callsOf(const QString& operation);
[[nodiscard]] QString timesOf(const QString& operation);

//! RunMeasure::id of a formula (formula.h), the same in every run; and the text of one, "" of what is none.
[[nodiscard]] QString idOfFormula(const QString& text);
[[nodiscard]] QString formulaOf(const QString& id);
//! What formulas may name over time: measures as of intervalValues(), as far as RunSeries has them, and all counters.
//! Not "rows": in a chart over time intervalValues() gives it as a rate, in a formula of Compare it is the run's total;
//! a figure has one meaning, so that only "rows_per_second" is offered.
[[nodiscard]] std::vector<std::string> figuresOverTime();
//! Why a formula over time cannot name this measure (Formula::measures()), and what it can; "": it can, or is nothing
//! that is known.
[[nodiscard]] QString figureProblem(const std::string& measure, const std::vector<OperationInfo>& operations);
//! With `problem` where it cannot be read, or names what the run does not have.
[[nodiscard]] RunMeasure measureOfFormula(const QString& id, const std::vector<CounterInfo>& counters,
                                          const std::vector<OperationInfo>& operations);

//! The counters that the plan names first (`observed`: LoadProfile::observe), then the main ones of the driver
//! (mainCounters()), then what is no counter, then the other counters, hidden ones last, and behind them the
//! operations. `cores`: of the machine the server runs on, 0 = not known.
[[nodiscard]] std::vector<RunMeasure> measuresOf(const std::vector<CounterInfo>& counters, std::string_view driver,
                                                 int cores, const std::vector<std::string>& observed = {},
                                                 const std::vector<OperationInfo>& operations = {});

} // namespace dyno
