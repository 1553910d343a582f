// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Stored runs drawn from their intervals: a line or a cloud of dots over time or over changed rows, the percentile
//! curve, latency over time as a heat map. GUI thread, but for traceOf().
#pragma once

#include "plots/phase_band.h"
#include "plots/plot_card.h"

#include <dyno/analysis.h>
#include <dyno/report.h>

#include <optional>
#include <vector>

namespace dyno {

//! One run's intervals, made ready to be drawn: a value an interval, at the interval's end.
struct RunTrace
{
    QString name;
    QString facet = {};                      //!< of small multiples: the chart it belongs into; "" = there is one
    int color = 0;                           //!< series colour; from six on the dash varies
    double warmup = 0;                       //!< seconds before zero, the start of the measured time
    std::vector<double> seconds, tps, p95Ms; //!< p95Ms is NaN where nothing finished
    std::vector<double> rows;                //!< changed since zero; 0 while warming up
    std::vector<Stall> stalls;               //!< tNs from zero
    std::optional<Evenness> evenness;        //!< of the throughput; only of columns
    //! Intervals in which other programs kept the load generator from the cores, from and to; see starvedStretches().
    std::vector<std::pair<double, double>> starved;
    double zero = 0;                               //!< seconds from the start of the run's first phase
    std::vector<std::pair<double, QString>> notes; //!< what a person wrote, at seconds from zero; see addNotes()
    std::vector<PlotPhase> phases;                 //!< of the load, in seconds from zero
    IntervalMeasures measures;                     //!< what tps and p95Ms hold; see TraceReader
    QString unit = {};                             //!< of tps where that is of counters
    bool response = false;                         //!< latency and heat are of response times; see TraceParts
    Histogram latency;                             //!< of the measured time, if asked for
    HeatMap heat;                                  //!< if asked for
};
//! What costs time to make and only some charts need.
struct TraceParts
{
    bool percentiles = false, heat = false;
    bool response = false; //!< from the intended start, else from the actual one
    StallRule stalls = {};
};
//! Any thread.
[[nodiscard]] RunTrace traceOf(const std::vector<IntervalSample>& intervals, const QString& name, int color,
                               TraceParts parts = {});

//! Takes the notes of that run (StoredRun::id) among those of its session.
void addNotes(RunTrace& trace, const std::vector<Annotation>& notes, std::int64_t run);

//! The same of columns, for lines and dots: they have no histograms.
[[nodiscard]] RunTrace traceOf(const IntervalColumns& intervals, const QString& name, int color, bool response = false,
                               const StallRule& stalls = {});
//! Reads as little of a stored run as the parts need.
[[nodiscard]] Expected<RunTrace> readTrace(Library& library, std::int64_t run, const QString& name, int color,
                                           TraceParts parts);

enum class TraceValue { Throughput, P95 };

//! Runs laid over each other.
class TracePlot : public PlotCard
{
    Q_OBJECT
public:
    TracePlot(TraceValue value, QWidget* parent = nullptr);

    struct Look
    {
        bool dots = false;     //!< every interval a dot, else a line
        bool overRows = false; //!< x is rows changed so far, else seconds; runs that changed none are left out
        double top = 0;        //!< small multiples: all get the same top; 0 = own
        double bottom = 0;     //!< and, on a log axis, the same bottom
        double end = 0;        //!< and the same end of x
        double warmup = 0;     //!< and the same beginning, seconds before zero
    };
    void setTraces(const std::vector<RunTrace>& traces, const QString& secondary, Look look);
    void setTraces(const std::vector<RunTrace>& traces, const QString& secondary) { setTraces(traces, secondary, {}); }
    [[nodiscard]] static QString valueTitle(TraceValue value, bool overRows);
    //! Of lines of other measures than throughput and p95 of transactions. `time`: the axis's unit of latencies.
    [[nodiscard]] static QString valueTitle(const std::vector<RunTrace>& traces, TraceValue value, bool overRows);
    [[nodiscard]] static QString valueUnit(const std::vector<RunTrace>& traces, TraceValue value, const QString& time);
    //! What the values are, in as few words as can be: "throughput", "p95".
    [[nodiscard]] static QString valueName(const std::vector<RunTrace>& traces, TraceValue value);
    //! The same with the unit, where there is no room for a title: "tps", "p95, ms, service time".
    [[nodiscard]] static QString shortTitle(const std::vector<RunTrace>& traces, TraceValue value, const QString& time);
    [[nodiscard]] QString unit() const override;
    [[nodiscard]] static double topOf(const std::vector<RunTrace>& traces, TraceValue value);
    //! The least value above zero; 0 when there is none.
    [[nodiscard]] static double bottomOf(const std::vector<RunTrace>& traces, TraceValue value);

private:
    TraceValue m_value;
    QString m_unit;
};

//! Latency against the share of transactions that were as fast or faster, the axis stretched towards 100 %.
class SpectrumPlot : public PlotCard
{
    Q_OBJECT
public:
    explicit SpectrumPlot(QWidget* parent = nullptr);
    void setTraces(const std::vector<RunTrace>& traces, const QString& secondary);
    void updateRanges() override;
    [[nodiscard]] PlotTable table() const override;
    [[nodiscard]] QString valueText(double value) const override;
    [[nodiscard]] QString xText(double x) const override;

private:
    [[nodiscard]] static QString percentileText(double percentile, int digits);

    std::vector<std::vector<SpectrumPoint>> m_curves; //!< one a series
    QStringList m_names;
    double m_most = 2; //!< right end: −log10(1 − p)
    bool m_response = false;
};

//! How many transactions took how long, over time; median and p99 as lines.
class HeatPlot : public PlotCard
{
    Q_OBJECT
public:
    explicit HeatPlot(QWidget* parent = nullptr);
    //! `span`: log10 of the milliseconds that the axis holds, where several maps have one scale; the trace's own.
    void setTrace(const RunTrace& trace, const QString& secondary, std::optional<QCPRange> span = {});
    [[nodiscard]] static QCPRange spanOf(const std::vector<RunTrace>& traces);
    void restyle(const ThemeColors& colors, ThemeMode mode) override;
    void updateRanges() override;
    [[nodiscard]] PlotTable table() const override;
    [[nodiscard]] QString valueText(double value) const override;

private:
    HeatMap m_heat;
    bool m_response = false;
    QCPRange m_span{-2, 2};
    QCPColorMap* m_map = nullptr;
};

} // namespace dyno
