// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What can be told from sessions beyond a pivot: scaling and its law, drift, stalls, distributions. Pure functions;
//! any thread.
#pragma once

#include "report.h"
#include "stalls.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! Throughput at a number of users.
struct ScalingPoint
{
    double users = 0;
    double throughput = 0;
};

//! The Universal Scalability Law X(N) = λN / (1 + σ(N−1) + κN(N−1)) (N. J. Gunther, Guerrilla Capacity Planning, 2007),
//! fitted by non-linear least squares (Levenberg–Marquardt) with λ > 0 and σ, κ ≥ 0, every run weighted alike.
struct UslFit
{
    double lambda = 0;                     //!< throughput of one user
    double sigma = 0;                      //!< contention, 0…
    double kappa = 0;                      //!< coherency, 0…
    double rSquared = 0;                   //!< 1 − residual / total sum of squares
    int runs = 0;                          //!< points that it was fitted to
    double fewestUsers = 0, mostUsers = 0; //!< measured
    [[nodiscard]] double at(double users) const;
    //! N* = √((1−σ)/κ), where the curve is highest; none when it rises for ever (κ = 0) or falls from the start (σ ≥
    //! 1).
    [[nodiscard]] std::optional<double> bestUsers() const;
    [[nodiscard]] std::optional<double> peak() const; //!< X(N*)
    //! False when N* lies beyond what was measured: it is a guess then.
    [[nodiscard]] bool peakWasMeasured() const;
};
constexpr int kFewestUslUsers = 4; //!< different numbers of users: one more than the law has parameters
//! Nothing with fewer than kFewestUslUsers different numbers of users, or figures that are not positive.
[[nodiscard]] std::optional<UslFit> fitUsl(const std::vector<ScalingPoint>& points);

//! How one series scales: "less slow" (its single user's response time) beside "faster" (its gap to linear scaling).
struct Scaling
{
    std::string series, facet;
    std::vector<ScalingPoint> means; //!< one a number of users, from the runs' mean
    std::optional<UslFit> fit;
    std::optional<double> singleUserMs; //!< mean response time of the fewest users, when that is one user
    double mostUsers = 0;
    //! Share of N × (throughput of one user) that is missing at mostUsers, 0…1; none when one user was not measured.
    std::optional<double> gapToLinear;
};
//! Every series (by `series`, as in a PivotRequest) with at least two numbers of users, of finished runs.
[[nodiscard]] std::vector<Scaling> scalingOf(const std::vector<StoredSession>& sessions, const PivotRequest& request);
//! "σ = 0.021, κ = 0.00031, N* = 56, peak 12 300 transactions/s, R² = 0.997 (16 runs)"; N* beyond the measured is said
//! so.
[[nodiscard]] std::string toText(const UslFit& fit, std::string_view unit);

//! A point of a straight line.
struct LinePoint
{
    double x = 0, y = 0;
};
//! y = intercept + slope · x by ordinary least squares, every point weighted alike.
struct LineFit
{
    double intercept = 0, slope = 0;
    double interceptError = 0, slopeError = 0; //!< standard errors
    double interceptHalf = 0, slopeHalf = 0; //!< half of the 95 % interval (Student's t, points − 2 degrees of freedom)
    double residualDeviation = 0;            //!< √(sum of squared residuals / (points − 2))
    double rSquared = 0;                     //!< 1 − residual / total sum of squares
    int points = 0;
    double lowestX = 0, highestX = 0;
    [[nodiscard]] double at(double x) const { return intercept + slope * x; }
};
constexpr int kFewestLinePoints = 3; //!< one more than the line has parameters
//! Nothing with fewer points, points that are no numbers, or a single x.
[[nodiscard]] std::optional<LineFit> fitLine(const std::vector<LinePoint>& points);

constexpr std::size_t kFewestKneePoints = 3;
//! The point from which a curve brings little more for more x: its knee, or its elbow where it falls. Kneedle (V.
//! Satopaa et al., "Finding a 'Kneedle' in a Haystack", 2011) without smoothing: the first point farthest from the line
//! between the ends after which the distance falls by `sensitivity` times the mean step. Whether the curve rises and
//! how it bends is taken from its ends and its middle. Nothing with fewer points, x that does not ascend, figures that
//! are no numbers or all alike, or no such point.
[[nodiscard]] std::optional<std::size_t> findKnee(const std::vector<LinePoint>& points, double sensitivity = 1);

//! The bytes of log of one commit and how long the commit took.
struct SyncPoint
{
    std::string x; //!< the case: "1000" rows to a commit
    double bytes = 0, ms = 0;
    std::size_t runs = 0;
};
//! What a sync costs, by the model N/R + K: N bytes that are not on disk yet, R the rate of the log's device, K what
//! each sync costs whatever its size. The line is fitted to every run.
struct SyncCost
{
    std::string series, facet;
    std::vector<SyncPoint> means; //!< one a case of x, from the runs' means, by bytes
    std::vector<LinePoint> runs;  //!< bytes and ms of each
    std::optional<LineFit> fit;   //!< of ms over bytes
    //! Runs of the series measured commits by themselves: bytes and time are of a commit, else of a transaction.
    bool ofCommits = true;
    //! R in MB/s (10^6 bytes). Nothing where the line does not rise.
    [[nodiscard]] std::optional<double> rate() const;
    //! Its 95 % interval; without an upper end where the line may as well be level.
    [[nodiscard]] double rateLow() const;
    [[nodiscard]] std::optional<double> rateHigh() const;
};
struct SyncCosts
{
    enum class What { Commits, Transactions, Both };
    What what = What::Transactions; //!< times that the list has
    std::vector<SyncCost> list;
};
//! The measure that the bytes of a commit come from.
inline constexpr const char* kLogBytes = "log_bytes_per_tx";
//! `bytes`: a pivot of kLogBytes of these sessions, with its figures. Empty for any other.
[[nodiscard]] SyncCosts syncCostsOf(const std::vector<StoredSession>& sessions, const Pivot& bytes);
//! "R = 310 MB/s (290 to 330), K = 0.82 ms (0.79 to 0.85), residuals ±0.05 ms, R² = 0.998 (12 runs)".
[[nodiscard]] std::string toText(const SyncCost& cost);

//! Whether the figures of a session's runs moved in one direction while it lasted. Seasonal Kendall test (Hirsch, Slack
//! and Smith 1982), a point being a season: only runs of the same point are compared, in the order they ran, so that
//! cases do not look like drift; ties are corrected for, and the normal approximation has a continuity correction.
struct Drift
{
    int runs = 0;          //!< of points with two runs or more
    int pairs = 0;         //!< of runs of the same point
    double score = 0;      //!< S: pairs that rose minus pairs that fell
    double p = 1;          //!< two-sided
    double perSession = 0; //!< change from the first run to the last, −0.06 = 6 % less: Sen's slope within points
    [[nodiscard]] bool tested() const { return pairs >= kFewestPairs; }
    [[nodiscard]] bool shown() const { return tested() && p < 0.05; }
    static constexpr int kFewestPairs = 10; //!< with fewer the approximation is not good enough: no verdict
};
[[nodiscard]] Drift driftOf(const StoredSession& session, std::string_view measure);
//! "drifted by −6.1 % from the first run to the last (p = 0.012, …)", "no drift shown (…)", "drift not tested: …".
[[nodiscard]] std::string toText(const Drift& drift);

//! True for one session given twice, and for copies of it with an id of their own, as one log imported twice: they must
//! not be compared with each other. Copies whose warm-up ends elsewhere are not recognised.
[[nodiscard]] bool holdSameRuns(const StoredSession& a, const StoredSession& b);
//! True when one of the sessions had ended before another began: what changes with time lies between them then. False
//! where the times are not known, and with sessions that another tool measured.
[[nodiscard]] bool ranApart(const std::vector<StoredSession>& sessions);
//! "These sessions ran one after the other, not interleaved: …" with the drift of each; "" unless ranApart(). Drift is
//! of `measure`, or of throughput where only intervals tell the measure.
[[nodiscard]] std::string timeText(const std::vector<StoredSession>& sessions, std::string_view measure);

//! With the stretches of the run: its phases without their ramps.
[[nodiscard]] StallRule stallRuleOf(const RunSummary& run);
//! As findStalls() of samples.
[[nodiscard]] std::vector<Stall> findStalls(const IntervalColumns& intervals, const StallRule& rule = {});
//! "stall of 3.0 s: 12 transactions/s where 950 are usual, 2 814 missing", "latency stall of 3.0 s: p99 210 ms where 4
//! ms is usual".
[[nodiscard]] std::string toText(const Stall& stall);
//! Finds the stalls of a stored run; nothing where there are none to be looked for, an error where its intervals cannot
//! be read.
using StallsOf = std::function<Expected<std::optional<std::vector<Stall>>>(const StoredRun&)>;
//! sessionJson() of report.h with the stalls and dips of each run; null for those of which `stallsOf` knows nothing.
[[nodiscard]] std::string sessionJson(const StoredSession& session, const StallsOf& stallsOf);
//! What looks for stalls in the intervals of `library`, which must outlive it.
[[nodiscard]] StallsOf stallsIn(Library& library);

//! How evenly a run went: its throughput in stretches of one second each, or of one interval where intervals are longer
//! or the run lasts less than three seconds.
struct Evenness
{
    double stretchSeconds = 1;
    std::size_t stretches = 0;                           //!< whole ones; what is left at the end is no stretch
    double least = 0, mean = 0, most = 0, deviation = 0; //!< transactions a second; deviation: of the sample
};
//! Of the measured time; none with fewer than three stretches.
[[nodiscard]] std::optional<Evenness> evennessOf(const IntervalColumns& intervals);
//! What the intervals of a run tell beside its figures.
struct RunCourse
{
    std::optional<Evenness> evenness;
    std::vector<Stall> stalls;
};
//! Nothing where there are no intervals to look at, an error where they cannot be read.
using CoursesOf = std::function<Expected<std::optional<RunCourse>>(const StoredRun&)>;
//! Reads the intervals of `library`, which must outlive it.
[[nodiscard]] CoursesOf coursesIn(Library& library);

//! One step of a percentile curve.
struct SpectrumPoint
{
    double percentile =
        0; //!< 0…100; the last is 100 × (1 − 1/(2n)), so that the largest value has a place on a log axis
    double ms = 0;
};
//! The histogram's buckets as a curve: the share of values not above each bucket's highest value. At most `most`
//! points, thinned evenly on an axis of 1/(1 − p).
[[nodiscard]] std::vector<SpectrumPoint> spectrumOf(const Histogram& histogram, std::size_t most = 400);
//! Merged measured intervals of a run: of transactions, or of one operation kind; `response`: from the intended start.
[[nodiscard]] Histogram mergedOf(const std::vector<IntervalSample>& intervals, bool response = false,
                                 std::optional<std::size_t> operation = {});

//! Counts by time and latency.
struct HeatMap
{
    double fromSeconds = 0, columnSeconds = 0; //!< 0 = the start of the measured time
    double lowestMs = 0;                       //!< lower edge of the first row
    double rowFactor = 0;                      //!< each row is so many times as high as the one below
    std::size_t columns = 0, rows = 0;
    std::vector<double> counts; //!< columns × rows, column by column
    [[nodiscard]] double at(std::size_t column, std::size_t row) const { return counts[column * rows + row]; }
};
//! Warm-up (before 0) included. Intervals share a column where there are more than `mostColumns`; no value is left out.
[[nodiscard]] HeatMap heatMapOf(const std::vector<IntervalSample>& intervals, std::size_t mostColumns = 400,
                                bool response = false);

//! A view as it is kept with a session (NamedView::text): JSON, fields that have their default left out.
[[nodiscard]] std::string viewText(const View& view);
//! Fields that a newer version added are passed over; BadInput for what is no view at all.
[[nodiscard]] Expected<View> viewFromText(std::string_view text);

} // namespace dyno
