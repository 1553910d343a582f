// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! From stored sessions to charts, tables and files. Pure functions; any thread.
#pragma once

#include "device_limits.h"
#include "library.h"
#include "operation_reads.h"
#include "value_type.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dyno {

//! What a measure needs to be known of the target beside the run.
enum class PriceNeed { Nothing, CostPerHour, Watts };

struct MeasureInfo
{
    std::string id;    //!< "tps", "qps", "service_p95", "errors", "cpu_us_per_op", "data_bytes"
    std::string label; //!< "Throughput"
    std::string unit;  //!< "transactions/s", "ms"
    bool higherIsBetter = true;
    PriceNeed needs = PriceNeed::Nothing; //!< "tx_per_cost": its runs have no figure without Price::costPerHour
    bool fromIntervals = false;           //!< only a run's intervals tell it: pivot() needs IntervalFigures for it
    bool judged = true;                   //!< false: neither more nor less of it is better (a counter of the server)
};
//! Those of whole runs. "counter" has no figures without a part, see findMeasure().
[[nodiscard]] const std::vector<MeasureInfo>& measures();
//! One of measures(), or of a part of it, "BASE:PART": "qps:point_select", "transactions:point_select" (how many) and
//! "service_p95:point_select" (or any other latency) of one kind, "errors:1213" of one code,
//! "counter:Innodb_data_written" (mean over the measured time; "SOURCE/NAME" for a source other than the server),
//! "exit_rate:2000000" over that many last rows, "formula:Com_select / tps" (see formula.h). nullptr when there is
//! none. The pointer stays valid.
[[nodiscard]] const MeasureInfo* findMeasure(std::string_view id);
//! The parts of a measure that these sessions have: operation kinds, error codes, counters, numbers of rows, formulas
//! of their plans.
[[nodiscard]] std::vector<std::string> measureParts(std::string_view base, const std::vector<StoredSession>& sessions);
//! Splits "BASE:PART"; the part is "" for a whole measure.
[[nodiscard]] std::pair<std::string, std::string> splitMeasure(std::string_view id);

//! What its disks can do, as it was measured for the session: each measuring once, in the order of the runs.
[[nodiscard]] std::vector<DeviceFigures> disksOf(const StoredSession& session);
//! "ext4 on /dev/vda: 3 100 random reads of 16 KiB a second one at a time, …"; English.
[[nodiscard]] std::string diskText(const DeviceFigures& figures);

//! True when another tool measured it: what its plan says of target and load is not known.
[[nodiscard]] bool isImported(const StoredSession& session);
[[nodiscard]] bool wasImported(const SessionInfo& session); //!< the same, from the list of sessions
[[nodiscard]] bool wasImported(const Plan& plan);           //!< the same, from what stands for its plan

//! What some measures need beside the run itself.
struct RunSetting
{
    std::uint64_t dataBytes = 0; //!< of the data on disk after the run; before it where nothing was read after it
    Price price;                 //!< of its point's target
    bool fellShort = false;      //!< shortfallOf(): how long the rows or transactions took is not known
    //! What of the data lies in pages outside the rows; none where that was not told.
    std::optional<std::uint64_t> offPageBytes = {};
    std::uint64_t indexBytes = 0;       //!< of all indexes together, where the server tells them apart; 0 = not known
    std::vector<DataPart> columns = {}; //!< of the kinds "column" and "before compression"
    std::vector<OperationReads> reads = {}; //!< of the point's workload and parameters
};
[[nodiscard]] RunSetting settingOf(const StoredSession& session, const StoredRun& run);
//! One run's figure. None where nothing is known of it: a latency without a finished operation, a size that was not
//! read, a price that was not given, an operation kind that the run does not have, and what only intervals tell.
[[nodiscard]] std::optional<double> measureOf(const RunSummary& run, const RunSetting& setting,
                                              std::string_view measure);

//! A run that ended, by its time or another end, before the rows or transactions that its point asks for were done.
struct Shortfall
{
    std::uint64_t done = 0, wanted = 0; //!< in the measured time
    bool rows = true;                   //!< false: transactions
    double seconds = 0;                 //!< measured
    bool moved = false;                 //!< the end of the warm-up was moved: what is missing may lie before it
};
//! Of a run of our own that is done; none where it reached what was asked for, or nothing was.
[[nodiscard]] std::optional<Shortfall> shortfallOf(const StoredSession& session, const StoredRun& run);
//! What a finished run did that its cases say they do not, by the server's counters (Case::expect): "\"IO-bound\" is to
//! read from storage, and …"; "" when it did not, or nothing is known.
[[nodiscard]] std::string missedExpectation(const StoredSession& session, const StoredRun& run);
//! From so many pages read for each operation on a run counts as one that reads from storage: one in a hundred.
constexpr double kReadsFromStorage = 0.01;
//! What to know of a connection to another machine: not encrypted, or to a server that nobody verified; "" when neither
//! is so.
[[nodiscard]] std::string connectionWarning(const ServerFacts& server);
[[nodiscard]] std::string toText(const Shortfall& shortfall); //!< "stopped at 120 s with 1 200 000 of 4 000 000 rows"
//! Open loop: arrivals that still waited for a user when the measured phase ended (RunSummary::backlog). Their times
//! are in no figure. 0 for a closed loop, for a run that is not done, not our own or stored before this was kept, and
//! for less than one in a thousand arrivals: no percentile that is told moves by them.
[[nodiscard]] std::uint64_t unservedArrivals(const StoredSession& session, const StoredRun& run);

//! True for a run with an open loop: its response times begin with the arrival. Of what another tool measured: when it
//! tells response times only.
[[nodiscard]] bool hasArrivals(const RunSummary& summary);

//! Figures of one measure that only intervals tell: for each session and each of its runs, not a number for none.
struct IntervalFigures
{
    std::string measure;
    std::vector<std::vector<double>> values;
};
//! Of one run, from all its intervals; not a number for none. Counters: their mean over the measured time, each
//! interval weighted with its length. bytes_written_per_op: what the server says its storage engine wrote, by the
//! operations of the same time. bytes_ingested_per_op: likewise what users handed to it, and write_amplification: what
//! it wrote for each such byte; where the server counts both. log_bytes_per_tx: what it says it wrote to its log, by
//! the transactions; none where `engine`, that of the point's tables, has a log of its own
//! (ServerVariables::logEngines). Stalls and dips: those of findStalls(). A formula: of the run's figures, means over
//! the measured time, not the mean of what intervals give. exit_rate: changed rows a second over the last N rows of the
//! measured time (the last tenth without N); none when fewer were changed.
[[nodiscard]] double intervalFigure(const StoredRun& run, const std::vector<IntervalSample>& intervals,
                                    std::string_view measure, const RunSetting& setting = {},
                                    std::string_view engine = {});
//! Reads the intervals of the session's finished runs; one value a run.
[[nodiscard]] Expected<std::vector<double>> intervalFigures(Library& library, const StoredSession& session,
                                                            std::string_view measure);
//! Where a report gets such figures from: one a run, or none at all when they cannot be read. Empty: they are left out.
using RunFigures = std::function<std::vector<double>(const StoredSession& session, const std::string& measure)>;

//! What a chart over time draws for a measure: how much (tps, qps, per_minute, transactions: how many in each interval,
//! rows: changed a second, a counter, a formula) and how long (a latency). The one that the measure does not name is
//! the usual one. Of `operation` where that is not "".
struct IntervalMeasures
{
    std::string amount = "tps", latency = "service_p95";
};
[[nodiscard]] IntervalMeasures intervalMeasuresOf(std::string_view measure, std::string_view operation = {});
//! One figure an interval of such a measure, whole or of one of `operations` (RunHeader::operations); not a number
//! where nothing finished (latencies), and where it is none of these measures or there is no such operation.
[[nodiscard]] std::vector<double> intervalValues(const std::vector<IntervalSample>& intervals,
                                                 const std::vector<OperationInfo>& operations,
                                                 std::string_view measure);
//! Whether it is a counter (counter:NAME) or a formula, which counterValues() tells and intervalValues() does not.
[[nodiscard]] bool isOfCounters(std::string_view measure);
//! How measures, formulas and plans name it: its name, with the source before it unless the server reported it.
[[nodiscard]] std::string counterPart(const CounterInfo& counter);
//! The one that is named so.
[[nodiscard]] std::optional<std::size_t> indexOfCounter(const std::vector<CounterInfo>& counters,
                                                        std::string_view part);
//! "bytes/s" of a counter's rate, "threads" of a level; "" for another measure, and where there is no such counter.
[[nodiscard]] std::string counterUnitOf(const std::vector<CounterInfo>& counters, std::string_view measure);
//! One figure an interval of such a measure of a stored run (`run`: StoredRun::id; `operations` and `counters`: of its
//! header). A formula is calculated from what each interval tells: counters, and measures as of intervalValues(). Not a
//! number where the run has no such counter, and of figures that only a whole run has. Other counters are not read.
[[nodiscard]] Expected<std::vector<double>> counterValues(Library& library, std::int64_t run,
                                                          const std::vector<OperationInfo>& operations,
                                                          const std::vector<CounterInfo>& counters,
                                                          std::string_view measure);
//! intervalValues() of columns (read with their operations, where the measure needs them); none for what columns do not
//! hold: mean, shortest and 90th percentile.
[[nodiscard]] std::optional<std::vector<double>> intervalValues(const IntervalColumns& intervals,
                                                                const std::vector<OperationInfo>& operations,
                                                                std::string_view measure);

//! True when the price that the measure needs was given.
[[nodiscard]] bool hasPriceFor(const MeasureInfo& measure, const Price& price);
//! The same for at least one point of the sessions.
[[nodiscard]] bool hasPriceFor(const MeasureInfo& measure, const std::vector<StoredSession>& sessions);
//! The measures that have figures in this run only because its target's price is known, as "tx_per_cost" → 51428.6.
[[nodiscard]] std::vector<std::pair<std::string, double>> pricedMeasures(const RunSummary& run,
                                                                         const RunSetting& setting);

//! Axes over one or several sessions: the plan's axes, "users", and "session" when there is more than one.
[[nodiscard]] std::vector<std::string> axesOf(const std::vector<StoredSession>& sessions);

//! Axes that lie in the runs themselves. pivot() lays them out where a request names them, never by itself; a plan's
//! own axis of that name comes first. Operation: the kinds of operations, or the steps of a workload of steps, in its
//! order. The measure is then that of each of them (a latency, qps, per_minute, transactions, rows or bytes read; any
//! other becomes qps).
//! Spread: of a latency "min", "mean" and "max" of all that was measured in a run.
//! Process: the load generator and the processes that it started to serve the users. The measure is then the CPU of
//! each of them.
inline constexpr std::string_view kOperationAxis = "operation", kSpreadAxis = "spread", kProcessAxis = "process";
//! axesOf(), and those that lie in the runs, where there are any.
[[nodiscard]] std::vector<std::string> pivotAxesOf(const std::vector<StoredSession>& sessions);

//! Centre and spread of one cell, from its runs (never from the intervals of one run).
struct Estimate
{
    std::vector<double> runs; //!< the figure of each
    double mean = 0, median = 0;
    std::optional<double> low, high; //!< 95 % interval of the mean by Student's t; needs two runs or more
    //! figureOfPoint() of a latency: `mean` is of all transactions of the runs together, not of the runs' figures.
    bool merged = false;
    //! What intervals and tests are made of: one a run, and their mean is `mean`. The runs' figures; of a merged one,
    //! these in proportion.
    std::vector<double> shares = {};
};
//! `together`: how many such intervals shall hold at 95 % together (Bonferroni): each is wider then.
[[nodiscard]] Estimate estimate(std::vector<double> runs, std::size_t together = 1);

//! A ratio of two means with its 95 % interval, and a verdict. Of positive runs on logarithms (delta method, Welch's
//! degrees of freedom), so that no bound is 0 or below; with runs of 0 or below by Fieller's theorem.
//! Untested: of medians no test is made. Differs: a difference is shown in what is neither good nor bad.
enum class Verdict { Baseline, Better, Worse, NoDifferenceShown, TooFewRuns, Untested, Differs };
[[nodiscard]] const char* toText(Verdict verdict);
struct Ratio
{
    double value = 0;                //!< not a number when the baseline's mean is 0
    std::optional<double> low, high; //!< none with too few runs, or when next to nothing is known of the ratio
    Verdict verdict = Verdict::TooFewRuns;
    int pairs = 0;                //!< pairedRatio(): how many; 0 = of two means
    std::optional<double> p = {}; //!< of no difference, two-sided, of this comparison alone; none without a test
    //! compareTogether(): how many comparisons its verdict allows for; 0 = it was made alone.
    int comparisons = 0;
    std::optional<double> adjustedP = {};                //!< p with Holm's adjustment; a difference is shown below 0.05
    std::optional<double> jointLow = {}, jointHigh = {}; //!< as low and high, at 95 % for all comparisons together
    //! What stands beside the verdict: the joint interval where there are several comparisons.
    [[nodiscard]] std::optional<double> shownLow() const { return comparisons > 1 ? jointLow : low; }
    [[nodiscard]] std::optional<double> shownHigh() const { return comparisons > 1 ? jointHigh : high; }
};
[[nodiscard]] Ratio ratioOf(const Estimate& value, const Estimate& baseline, bool higherIsBetter);
//! Of runs that belong together, value[i] and baseline[i] having run one after the other (repeat i of an interleaved
//! plan): the geometric mean of their ratios, with Student's t interval of the logarithms. What is common to a pair (a
//! machine that slows down) drops out. Needs positive figures, else, and with fewer than two pairs, too few runs.
[[nodiscard]] Ratio pairedRatio(const std::vector<double>& value, const std::vector<double>& baseline,
                                bool higherIsBetter);
constexpr int kFewestPairs =
    3; //!< with fewer, pivot() takes ratios of means: of two pairs hardly anything can be shown

//! Holm's step-down adjustment (Holm 1979): p values in the order given. Each can be held against 0.05 then, and the
//! chance of any false verdict stays below that. `family`: how many comparisons there are in all, where more were
//! possible than are given.
[[nodiscard]] std::vector<double> holmAdjusted(const std::vector<double>& p, std::size_t family = 0);
//! The runs of a value and of its baseline; and those of them that belong together, see pairedRatio().
struct ComparedRuns
{
    std::vector<double> value, baseline;
    std::vector<double> pairedValue = {}, pairedBaseline = {}; //!< equally long; used from kFewestPairs on, if positive
};
//! All that is compared in one table: every sentence, table and gate that claims a difference takes its verdict from
//! here. Each ratio as by ratioOf() or pairedRatio(), with a verdict by Holm's method and an interval by Bonferroni's:
//! of tables without any difference at most 5 % claim one. What has too few runs is no comparison. `family`: how many
//! comparisons there are in all when more were possible: with the best chosen from k figures, k(k−1)/2.
[[nodiscard]] std::vector<Ratio> compareTogether(const std::vector<ComparedRuns>& comparisons, bool higherIsBetter,
                                                 std::size_t family = 0);
//! For each run whether it lies far off the others: modified z-score (Iglewicz and Hoaglin 1993) above 3.5, that is
//! 0.6745 · |run − median| / median absolute deviation. Only told from five runs on. Marked, never left out.
[[nodiscard]] std::vector<bool> outliersOf(const std::vector<double>& runs);

//! What was left empty is filled in: x with "users" if they vary, else the first axis that does; series with "session"
//! for several sessions, else the first varying axis that is left. Axes that vary and are not named become facets
//! ("a × b" combines two), so that runs of different cases are never taken for repeats of each other.
struct PivotRequest
{
    std::string measure = "tps";
    std::string x = "users"; //!< one of pivotAxesOf(), or several as "a × b"
    std::string series;
    std::string facet;
    std::string baseline; //!< a series label; "" = the first series
    Centre centre = Centre::Mean;
    RelativeTo relativeTo = RelativeTo::Nothing;
    //! Cases at which axes are held: of such an axis only these labels count. Points without the axis count as well.
    std::vector<CaseRef> fixed = {};
    //! What the sentence is about, where there is such a cell: View::verdict and View::verdictAt.
    std::string verdict = {};
    std::vector<CaseRef> verdictAt = {};
    //! Leaves out combinations of x and facet that only one series has, unless all are so; Pivot::apart names them.
    bool commonOnly = false;
    std::vector<std::string> limits = {}; //!< View::limit, name by name
    bool knee = false;                    //!< View::knee
};
[[nodiscard]] PivotRequest requestOf(const View& view);
//! False for a point that the request leaves out because of PivotRequest::fixed.
[[nodiscard]] bool isShown(const PivotRequest& request, const PointSpec& point);

//! The first view of several sessions: each session a series, over an axis on which they have several cases in common
//! (`wanted`.x when it is one, else the users, else the axis with most of them); all other axes are held at one case.
//! Of one session `wanted` itself.
[[nodiscard]] PivotRequest sideBySide(const std::vector<StoredSession>& sessions, PivotRequest wanted);
//! For a request that was changed: axes that vary and stand nowhere in it are held at one case, those that stand in it
//! no longer. Of one session the request itself.
[[nodiscard]] PivotRequest holdOtherAxes(const std::vector<StoredSession>& sessions, PivotRequest request);
//! Where an axis can be held: cases that all sessions have which have the axis; where they have none in common, one of
//! each session (most of the time one label, then several). At most kMostHolds.
[[nodiscard]] std::vector<std::vector<std::string>> holdsOf(const std::vector<StoredSession>& sessions,
                                                            std::string_view axis);
inline constexpr std::size_t kMostHolds = 24;

//! What a run brings to a figure of its point.
struct RunFigure
{
    double value = 0;                 //!< its own figure: measureOf()
    const Histogram* times = nullptr; //!< of a latency: what it is of, where that is stored; lives as long as the run
};
[[nodiscard]] std::optional<RunFigure> figureOfRun(const RunSummary& run, const RunSetting& setting,
                                                   std::string_view measure);
//! The figure of a point from its runs, by one rule for tables, charts, sentences and exports: a latency is that of all
//! their transactions, from their histograms merged; anything else is the mean of the runs' figures, and so are the
//! longest and the shortest time, and a latency whose times are not stored for each run. Its 95 % interval comes from
//! how much the runs' own figures differ, in any case.
[[nodiscard]] Estimate figureOfPoint(const std::vector<RunFigure>& runs, std::string_view measure);

//! estimate() of what was measured. Where all runs are above 0 the 95 % interval is one of the mean's logarithm (delta
//! method): it never reaches 0, and is nearly the same where runs are close to each other.
[[nodiscard]] Estimate estimateOfFigures(std::vector<double> runs, std::size_t together = 1);

struct PivotCell
{
    std::string x, series, facet;
    Estimate estimate;
    //! To the baseline series at the same x and facet, or to the best cell of the facet. With the median: of the
    //! medians, without an interval.
    Ratio ratio;
    double p95Ms = 0;    //!< figureOfPoint() of transactions: see Pivot::responseTimes; not a number: not known
    int failedRuns = 0;  //!< runs that failed or were cut off and not run again since: kept out of the estimate
    int skippedRuns = 0; //!< runs that were skipped or stopped: nothing went wrong with them
    int damagedRuns = 0; //!< runs whose stored parts are not what was recorded: kept out, too
    bool clientLimited = false;
    bool noPrice = false;            //!< the measure needs a price that the target has none of: there is no figure
    std::vector<int> repeats = {};   //!< of the runs of the estimate
    std::vector<int> sittings = {};  //!< of these, RunSummary::sitting
    std::vector<bool> outliers = {}; //!< outliersOf() them
    std::string operation = {}, spread = {}, process = {}; //!< its labels on these axes; "" where they are not laid out
    //! The measure is of all rows or transactions, and these runs did not do them all: toText(Shortfall) of each, kept
    //! out of the estimate.
    std::vector<std::string> shortRuns = {};
    bool p95Merged = false; //!< as Estimate::merged, of p95Ms
    bool elsewhere = false; //!< no plan has it: a place for what somebody else measured
};
//! What is shown of a cell. Not a number: nothing.
struct Figure
{
    double value = 0;
    std::optional<double> low, high; //!< 95 % interval of the mean, or of the ratio to what it is relative to
};
//! The case of x at which a series bends.
struct Knee
{
    std::string x, series, facet;
};
struct Pivot
{
    DYNO_VALUE_TYPE(Pivot);
    PivotRequest request;                        //!< with what was left open filled in
    std::vector<std::string> xs, series, facets; //!< in plan order; numbers ascend
    bool numericX = false;
    std::vector<PivotCell> cells;
    std::string currency;         //!< of the prices; "" when they have several, or the measure needs none
    bool mixedCurrencies = false; //!< figures of different currencies: ratios between them mean nothing
    std::string counterUnit;      //!< of a counter: "bytes/s"
    bool paired = false;          //!< ratios are of pairs of interleaved runs: pairedRatio()
    int comparisons = 0;          //!< how many the verdicts allow for (Ratio::comparisons); 0 = nothing was tested
    //! False where the series are no alternatives: kinds of operations, or the spread of one figure. No cell has a
    //! ratio then.
    bool ratios = true;
    //! True where runs had an open loop: p95Ms of all cells is of response times, from the arrival (in a closed loop
    //! these are the service times).
    bool responseTimes = false;
    //! What the disks can do of PivotRequest::limits, where it was measured and has the measure's unit.
    std::vector<DeviceLimit> limits = {};
    std::vector<Knee> knees = {}; //!< with PivotRequest::knee: of the series that have one
    //! With PivotRequest::commonOnly: what only one series has, a line each: "Only stock has users 64, 128".
    std::vector<std::string> apart = {};
    //! "At durability = full. Only stock has users 64, 128.": what of the sessions this shows; "" for all of it.
    [[nodiscard]] std::string scope() const;
    [[nodiscard]] const PivotCell* cell(std::string_view x, std::string_view series, std::string_view facet = {}) const;
    //! The request's centre with its interval, in percent when the request is relative.
    [[nodiscard]] Figure figure(const PivotCell& cell) const;
    //! The measure of estimates, with the currency in label and unit; and that of figure(), "%" for relative ones.
    [[nodiscard]] MeasureInfo measure() const;
    [[nodiscard]] MeasureInfo shown() const;
    //! The best cell of a facet; nullptr when none has a figure.
    [[nodiscard]] const PivotCell* best(std::string_view facet) const;
    //! Why cells are empty or ratios mean nothing: "2 cells are left out: no cost per hour is given …"; "" for none.
    [[nodiscard]] std::string hint() const;
};
//! `figures`: for a measure that only intervals tell (MeasureInfo::fromIntervals), of the same sessions. Ratios are of
//! pairs where one session's plan interleaved its runs and kFewestPairs repeats or more are there on both sides.
[[nodiscard]] Pivot pivot(const std::vector<StoredSession>& sessions, PivotRequest request,
                          const IntervalFigures* figures = nullptr);

//! What the figures of a pivot are of several runs: "mean of the runs", "of all transactions of the runs together",
//! "median of the runs"; "" where no cell has several.
[[nodiscard]] std::string centreText(const Pivot& pivot);
[[nodiscard]] std::string centreText(const std::vector<const Estimate*>& points, Centre centre);

//! What the figures and bars of a chart are. One: one run each; Paired: by pairedRatio(); Both: some by it, some by
//! ratioOf(); NoInterval: ratios of means, none of which has one. Merged: of all transactions of the runs, see
//! figureOfPoint().
enum class SpreadKind {
    Nothing,
    One,
    RatioOfOne,
    Median,
    RatioOfMedians,
    Mean,
    Merged,
    NoInterval,
    Welch,
    Paired,
    Both
};
struct Spread
{
    SpreadKind kind = SpreadKind::Nothing; //!< Nothing: there is no figure
    std::size_t fewest = 0, most = 0;      //!< runs of a cell
};
//! Of a chart of the pivot, or of one of its facets.
[[nodiscard]] Spread spreadOf(const Pivot& pivot, std::optional<std::string_view> facet = {});
//! What stands beside such a chart: "mean and 95 % interval (Student's t) of 3 runs", "ratio and its 95 % interval
//! (Welch's t) of 1 to 3 runs", "one run each"; "" without a figure.
[[nodiscard]] std::string spreadText(const Pivot& pivot, std::optional<std::string_view> facet = {});

//! Knobs, parameters, facts and server variables in which the sessions' points differ: name → distinct values in the
//! order of the points. Values are those read back from the target; ON and 1 are one value, 128M and 134217728 are.
//! Left out: variables that are state or identity (timestamp, pid_file), paths inside a server's own folders, and,
//! between different products or versions, variables that only one of them has. What different products call
//! differently is compared by what it means ("sync at commit"). In the order product, durability, logging, memory, all
//! else.
struct Difference
{
    std::string name;
    std::vector<std::string> values;
    std::string topic = {}; //!< KnobInfo::topic; "" for none
};
[[nodiscard]] std::vector<Difference> differences(const std::vector<StoredSession>& sessions);
//! Number of server variables that are the same in all runs: "all N other variables are equal".
[[nodiscard]] std::size_t equalVariables(const std::vector<StoredSession>& sessions);

//! Number of server variables that only some of the products or versions have; 0 when all runs had the same one.
[[nodiscard]] std::size_t oneSidedVariables(const std::vector<StoredSession>& sessions);
//! Server variables that were not the same after a run as before it: name → values. Left out: what is state or
//! identity.
[[nodiscard]] std::vector<Difference> changedDuringRuns(const std::vector<StoredSession>& sessions);

//! A published figure and one's own of the same cases.
struct PublishedRow
{
    std::vector<CaseRef> cases;
    double published = 0;
    //! Of the point with these cases; where the figure leaves an axis open (the maximum over users), of the point that
    //! is best by its figure. nullopt when no such point was run to its end.
    std::optional<Estimate> own;
    std::string ownPoint; //!< that point's label
};
//! The figures of `published` in their order.
[[nodiscard]] std::vector<PublishedRow> publishedBeside(const StoredSession& session, const Published& published,
                                                        const RunFigures& figures = {});
//! The published figure for a cell of a pivot of the same measure; nullopt when there is none for just these cases.
[[nodiscard]] std::optional<double> publishedAt(const Published& published, const PivotRequest& request,
                                                const PivotCell& cell);
//! The figures of all [[published]] tables of the session's plan beside one's own, as Markdown; "" when it has none.
[[nodiscard]] std::string publishedTables(const StoredSession& session, const RunFigures& figures = {});

//! How many times the least figure of a chart the largest is, of those that are drawn: of all runs, or of their
//! centres. 0 when a figure is 0 or less, or when there is none: a logarithmic axis has no place for it.
enum class SpanOf { Figures, Runs };
[[nodiscard]] double spanOf(const Pivot& pivot, SpanOf what);
//! From here on a chart may take a logarithmic axis by itself: below, the least figure can still be seen.
constexpr double kLogSpan = 50;

//! Whether a sentence names the cases that PivotRequest::fixed holds.
enum class HeldAxes {
    Named,
    Shown, //!< beside the sentence already
};
//! One sentence that a person may quote: largest effect against the baseline, with its interval, or that none is shown.
[[nodiscard]] std::string verdictSentence(const Pivot& pivot, HeldAxes held = HeldAxes::Named);

//! "Of 6 comparisons, 2 show a difference (Holm's method); …": what the verdicts and intervals of a table allow for; ""
//! for fewer than two comparisons.
[[nodiscard]] std::string comparisonsText(const Pivot& pivot);

//! The ratio table as posts have it: a row an x value, a column a series, beside each its ratio to the baseline (or the
//! share of the best), with the interval that goes with the verdict (Ratio::shownLow()). One table a facet.
//! Text: a box of plain characters. Csv: without prose, a line a row, the facet in the first column. Html: tables and
//! paragraphs without style. `intervals`: with the 95 % intervals in brackets.
enum class TableForm { Markdown, Csv, Html, Text };
[[nodiscard]] std::string ratioTable(const Pivot& pivot, TableForm form, bool intervals = true);
[[nodiscard]] std::string markdownTable(const Pivot& pivot); //!< ratioTable() as Markdown

//! Of one series in one facet, its best figure over x. Chosen after the runs: no test is made of it.
struct Peak
{
    std::string series, facet, x;
    Figure figure;
    bool atEnd = false;    //!< at the last x of this series: a better figure may lie beyond
    double toBaseline = 0; //!< ratio to the peak of the baseline in the same facet; 0 = none
};
//! In the order of facets and series. None of a measure that is neither better nor worse, of relative figures, and
//! where x has fewer than two values.
[[nodiscard]] std::vector<Peak> peaksOf(const Pivot& pivot);
//! peaksOf() as a Markdown table, one line a series; "" for none.
[[nodiscard]] std::string peaksTable(const Pivot& pivot);

//! Where points of several products or versions were compared, and what they do for durability differs beside what the
//! plan varies. By the catalogue of knobs.
struct DurabilityGap
{
    std::string text;     //!< "sync at commit: MariaDB 10.11 every commit is on disk (…), MySQL 8.0 …"
    bool decides = false; //!< the compared runs change data, and the settings wait for the disk differently
};
[[nodiscard]] std::vector<DurabilityGap> durabilityGaps(const std::vector<StoredSession>& sessions);
//! Names of products in the session's title or in labels of its cases that are not those of the servers that answered:
//! `"MySQL" stands in the title, and MariaDB 10.11.6 answered`; "" when there are none.
[[nodiscard]] std::string misnamedProduct(const StoredSession& session);
//! The whole report as Markdown: title, set-up, table, differences.
[[nodiscard]] std::string markdownReport(const std::vector<StoredSession>& sessions, const PivotRequest& request);
//! One line a run, units in the header; byte-stable for the same session.
[[nodiscard]] std::string runsCsv(const StoredSession& session);
//! One line an interval with its percentiles.
[[nodiscard]] std::string intervalsCsv(const StoredRun& run, const std::vector<IntervalSample>& intervals);
//! The contract's `--json` document.
[[nodiscard]] std::string sessionJson(const StoredSession& session);
//! The contract's `compare --json` document: the figures of the ratio table with their runs, ratios (low, high: 95 %
//! each; joint_low, joint_high: for all comparisons together), p, adjusted_p (Holm) and verdicts. Null where there is
//! none.
[[nodiscard]] std::string comparisonJson(const std::vector<StoredSession>& sessions, const Pivot& pivot);

//! Writes runs.csv, runs-long.csv (one line a figure) and one intervals-N.csv a run (N counts from 1) into `dir`;
//! returns the files written.
[[nodiscard]] Expected<std::vector<std::filesystem::path>> exportCsv(Library& library, const StoredSession& session,
                                                                     const std::filesystem::path& dir);

} // namespace dyno
