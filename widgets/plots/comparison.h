// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What the Compare page shows of one or several sessions, gathered off the GUI thread. Figures come from report.h.
#pragma once

#include "plots/plot_card.h"

#include <dyno/analysis.h>

#include <QString>
#include <QStringList>

#include <memory>
#include <utility>
#include <vector>

namespace dyno {

//! Immutable once made; shared between threads.
struct Comparison
{
    std::vector<StoredSession> sessions;
    std::vector<std::string> axes;
    std::vector<std::string> sessionLabels; //!< as report.h names them on the axis "session"
    std::vector<Difference> differences;
    bool oneSided = false;     //!< some server variables exist in one of several products only
    std::vector<Drift> drifts; //!< of throughput, one a session
    std::vector<DurabilityGap> gaps = {};
    QStringList misnamed = {};  //!< misnamedProduct() of the sessions
    std::vector<View> views;    //!< the plan's, each with a name
    std::vector<View> ownViews; //!< kept with the first session by a person
};
using ComparisonPtr = std::shared_ptr<const Comparison>;

//! Reads the sessions; the error names the one that could not be read. Any thread.
[[nodiscard]] Expected<ComparisonPtr> loadComparison(Library& library, const std::vector<std::string>& ids);

//! What to show first: the plan's own view; of several sessions as sideBySide() lays them. What is left open is filled
//! in by pivot().
[[nodiscard]] PivotRequest defaultRequest(const Comparison& comparison);
//! The chart that the plan asks for, as in View::chart; "" for none.
[[nodiscard]] std::string defaultChart(const Comparison& comparison);
//! What a view without a name is called: "Throughput by users", "p95 service time over time".
[[nodiscard]] QString viewName(const View& view);

//! One request's result. Any thread.
struct PivotView
{
    Pivot pivot;
    std::string verdict;
    ExportWords words; //!< around exported pictures of this pivot
};
//! Around exported pictures of a chart. `shown`: the pivot, where the chart draws that; it brings the verdict.
[[nodiscard]] ExportWords exportWordsOf(const std::vector<StoredSession>& sessions, const Pivot* shown);
//! `figures`: see pivot().
[[nodiscard]] PivotView viewOf(const Comparison& comparison, const PivotRequest& request,
                               const IntervalFigures* figures = nullptr);

//! A point's label on an axis, or on several that report.h has joined: "a × b" → "1, 2". On axes that lie in the runs
//! (kOperationAxis, kSpreadAxis) that of the cell.
[[nodiscard]] std::string caseLabelOf(const Comparison& comparison, std::size_t session, const PointSpec& point,
                                      const std::string& axes, const PivotCell* cell = nullptr);

//! One stored run behind a cell.
struct CellRun
{
    std::size_t session = 0;
    const StoredRun* run = nullptr; //!< belongs to the comparison
};
//! The runs behind one cell, in the order they ran.
[[nodiscard]] std::vector<CellRun> runsOf(const Comparison& comparison, const PivotRequest& request,
                                          const PivotCell& cell);

//! publishedAt(), and where there is one x only also what was published as percent without a word about x.
[[nodiscard]] std::optional<double> publishedOf(const Pivot& pivot, const Published& published, const PivotCell& cell);
//! Of a series and facet what was published without a word about x, such as the maximum over users; nothing where
//! figures are at their x, or the series was not published.
[[nodiscard]] std::optional<double> publishedAside(const Pivot& pivot, const Published& published,
                                                   const std::string& series, const std::string& facet);
//! How many times the least figure the highest is, with those that are published; 0 where one is not above 0.
[[nodiscard]] double spanWith(const Pivot& pivot, const Published& published);
//! True when the chart of the pivot has a place for one of the figures.
[[nodiscard]] bool hasPublished(const Pivot& pivot, const Published& published, const Plan& plan);
//! The first of the plan's publications with such a figure; nullptr when there is none.
[[nodiscard]] const Published* publishedFor(const Pivot& pivot, const Plan& plan);
//! The pivot with a place for each figure of a case that the plan's axis does not have, such as one of a server that is
//! gone: its cell is empty.
[[nodiscard]] Pivot withReferences(Pivot pivot, const Published& published, const Plan& plan);

//! True when the axes of x are among those of series and facets: each value has lines of its own then.
[[nodiscard]] bool xIsElsewhere(const PivotRequest& request);
//! True when transactions arrived by themselves in some run: response times then count from the arrival.
[[nodiscard]] bool hasArrivals(const std::vector<StoredSession>& sessions);
//! The latency that is shown where none is asked for.
[[nodiscard]] std::string usualLatency(const std::vector<StoredSession>& sessions);
//! True when a chart of whole transactions (percentiles, latency over time) shows response times: there are `arrivals`,
//! and the measure does not name the service time.
[[nodiscard]] bool showsResponse(const std::string& measure, bool arrivals);
//! intervalMeasuresOf(), with response times where there are `arrivals` and the measure names no latency.
[[nodiscard]] IntervalMeasures courseMeasuresOf(const std::string& measure, const std::string& operation,
                                                bool arrivals);

//! Facts of all runs taken together, for the chips.
struct RunFacts
{
    int runs = 0;    //!< that are complete
    int failed = 0;  //!< that failed or were cut off
    int skipped = 0; //!< that were skipped or stopped
    int judged = 0;  //!< of `runs`: of our own, of which is known whether the load generator was the limit
    int planned = 0;
    int fewestRepeats = 0, mostRepeats = 0;
    bool clientLimited = false;
    QString clientReason; //!< first reason given
    QString notAsPlanned; //!< the first missedExpectation()
    bool cut = false;     //!< some session was cut off
    QString cutReason;
    QStringList damage; //!< what does not fit its seal, of all sessions
};
[[nodiscard]] RunFacts runFacts(const std::vector<StoredSession>& sessions);

//! Name → value rows for "How it was run"; values that differ between sessions are joined by " / ".
[[nodiscard]] std::vector<std::pair<QString, QString>> setupFacts(const Comparison& comparison);
//! "20 Nov 2026, 15:12 · MariaDB 10.11.19 · 45 runs, 3 repeats, interleaved · all done"
[[nodiscard]] QString subtitleOf(const Comparison& comparison);

} // namespace dyno
