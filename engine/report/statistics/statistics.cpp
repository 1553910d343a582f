// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/report.h>

#include "report/statistics/robust.h"
#include "report/statistics/student.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace dyno {

namespace {

constexpr double kError = 0.05; // of all comparisons of a family together

//! Where the upper tail of a two-sided interval begins, when so many of them shall hold together (Bonferroni).
double upperTail(std::size_t together)
{
    return 1 - kError / 2 / static_cast<double>(std::max<std::size_t>(together, 1));
}

constexpr std::size_t kFewestForOutliers = 5;
constexpr double kOutlierScore = 3.5; // Iglewicz and Hoaglin 1993

//! Estimated variance of the mean; 0 for fewer than two runs.
double meanVariance(const std::vector<double>& runs, double mean)
{
    if (runs.size() < 2)
        return 0;
    double squares = 0;
    for (const double run : runs)
        squares += (run - mean) * (run - mean);
    const auto n = static_cast<double>(runs.size());
    return squares / (n - 1) / n;
}

//! t for n − 1 degrees of freedom; small n come up again and again.
double quantileFor(std::size_t runs, std::size_t together)
{
    static const std::vector<double> table = [] {
        std::vector<double> values(64);
        for (std::size_t n = 2; n < values.size(); ++n)
            values[n] = report::studentQuantile(upperTail(1), static_cast<double>(n - 1));
        return values;
    }();
    if (together <= 1 && runs < table.size())
        return table[runs];
    return report::studentQuantile(upperTail(together), static_cast<double>(runs - 1));
}

//! Two-sided. Without any spread (`error` 0) each difference is one.
double probabilityOf(double difference, double error, double df)
{
    if (error > 0)
        return std::min(1.0, 2 * report::studentCdf(-std::fabs(difference) / error, df));
    return difference != 0 ? 0 : 1;
}

//! Degrees of freedom of the sum of two variances of means (Welch 1947, Satterthwaite 1946).
double degreesOf(double va, std::size_t na, double vb, std::size_t nb)
{
    return (va + vb) * (va + vb) / (va * va / static_cast<double>(na - 1) + vb * vb / static_cast<double>(nb - 1));
}

bool areAll(const std::vector<double>& runs, bool (*holds)(double))
{
    return std::ranges::all_of(runs, holds);
}

bool isPositive(double run)
{
    return run > 0;
}

bool isNotNegative(double run)
{
    return run >= 0;
}

//! Estimated variance of the logarithm of a mean of positive runs: by the delta method, or that of the runs' own
//! logarithms where it is larger. The former is too small where single runs are far above the others: of ten lognormal
//! runs with a coefficient of variation of 1 its 95 % intervals held the truth in 92.6 % of experiments, with the
//! larger one in 94.7 %. Of runs that differ by some percent the two are the same.
double logVariance(const std::vector<double>& runs, double mean)
{
    std::vector<double> logs;
    for (const double run : runs)
        logs.push_back(std::log(run));
    const double middle = std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
    return std::max(meanVariance(runs, mean) / (mean * mean), meanVariance(logs, middle));
}

Verdict verdictOf(bool higher, bool higherIsBetter)
{
    return higher == higherIsBetter ? Verdict::Better : Verdict::Worse;
}

using Bounds = std::optional<std::pair<double, double>>;

//! Two means, each of two runs or more.
struct Means
{
    Means(const Estimate& value, const Estimate& baseline)
        : a(value.mean)
        , b(baseline.mean)
        , va(meanVariance(value.runs, a))
        , vb(meanVariance(baseline.runs, b))
        , na(value.runs.size())
        , nb(baseline.runs.size())
        , onLogs(areAll(value.runs, isPositive) && areAll(baseline.runs, isPositive))
        , belowZero(!areAll(value.runs, isNotNegative) || !areAll(baseline.runs, isNotNegative))
        , logVa(onLogs ? logVariance(value.runs, a) : 0)
        , logVb(onLogs ? logVariance(baseline.runs, b) : 0)
    {
    }

    //! Of the ratio a / b. Of positive runs on the logarithm, by Welch's t: both ends are above 0, and the ratio stays
    //! that of the means that are shown (a t interval of the runs' logarithms would be one of geometric means). Runs of
    //! 0 or below have no logarithm: Fieller's theorem, see fieller().
    [[nodiscard]] Bounds interval(std::size_t together) const
    {
        if (!onLogs)
            return fieller(together);
        const double error = std::sqrt(logVa + logVb);
        const double reach = error > 0 ? report::studentQuantile(upperTail(together), logDegrees()) * error : 0;
        if (reach > std::log(kNothingKnown))
            return {};
        return std::pair(a / b * std::exp(-reach), a / b * std::exp(reach));
    }
    //! Of no difference: the smallest error at which interval() has ends and does not hold 1; of a baseline of 0 by
    //! Welch's t test.
    [[nodiscard]] double probability() const
    {
        if (onLogs) {
            const double logError = std::sqrt(logVa + logVb);
            return probabilityOf(std::log(a / b), logError, logError > 0 ? logDegrees() : 1);
        }
        const double error = std::sqrt(va + vb);
        if (b == 0 || !hasSpread())
            return probabilityOf(a - b, error, error > 0 ? degreesOf(va, na, vb, nb) : 1);
        const double ofDifference = probabilityOf(a - b, error, degrees());
        return std::max(ofDifference, probabilityOf(b, std::sqrt(vb), degrees()));
    }

    static constexpr double kNothingKnown = 1000; //!< a factor to each side; an interval of more says nothing

    //! All r with (a − r·b)² ≤ t²·(va + r²·vb). None when the baseline cannot be told from 0: the interval has no end.
    //! None either where it begins at 0 or below, though no run is below 0: amounts have no negative ratio, and 0 is no
    //! bound that the runs show.
    [[nodiscard]] Bounds fieller(std::size_t together) const
    {
        if (!hasSpread() && vb > 0)
            return {}; // always 0, beside figures that vary: how far the ratio is known cannot be told
        const double t = hasSpread() ? report::studentQuantile(upperTail(together), degrees()) : 0;
        // r²·(b² − t²·vb) − 2·a·b·r + (a² − t²·va) = 0
        const double leading = b * b - t * t * vb;
        const double root = a * a * b * b - leading * (a * a - t * t * va);
        if (leading <= 0 || root < 0)
            return {};
        const double low = (a * b - std::sqrt(root)) / leading;
        if (low <= 0 && !belowZero)
            return {};
        return std::pair(low, (a * b + std::sqrt(root)) / leading);
    }
    //! False when a / b shows no spread: of runs that are all the same, and of a value that is always 0.
    [[nodiscard]] bool hasSpread() const { return va + ofBaseline() > 0; }
    [[nodiscard]] double ofBaseline() const { return (a / b) * (a / b) * vb; }
    //! Of the combination a − r·b, at r = a / b (Hasler, Vonk and Hothorn 2008).
    [[nodiscard]] double degrees() const { return degreesOf(va, na, ofBaseline(), nb); }
    [[nodiscard]] double logDegrees() const { return degreesOf(logVa, na, logVb, nb); }

    double a, b, va, vb;
    std::size_t na, nb;
    bool onLogs, belowZero;
    double logVa, logVb;
};

//! Logarithms of the ratios of pairs; none where one is not positive.
std::vector<double> logarithmsOf(const std::vector<double>& value, const std::vector<double>& baseline)
{
    std::vector<double> logs;
    for (std::size_t i = 0; i < std::min(value.size(), baseline.size()); ++i) {
        if (!(value[i] > 0) || !(baseline[i] > 0))
            return {};
        logs.push_back(std::log(value[i] / baseline[i]));
    }
    return logs;
}

Bounds pairedInterval(const std::vector<double>& logs, std::size_t together)
{
    const Estimate mean = estimate(logs, together);
    return std::pair(std::exp(*mean.low), std::exp(*mean.high));
}

} // namespace

const char* toText(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Baseline:
        return "baseline";
    case Verdict::Better:
        return "better";
    case Verdict::Worse:
        return "worse";
    case Verdict::NoDifferenceShown:
        return "no difference shown";
    case Verdict::TooFewRuns:
        return "too few runs";
    case Verdict::Untested:
        return "not tested";
    case Verdict::Differs:
        return "differs";
    }
    return "";
}

Estimate estimate(std::vector<double> runs, std::size_t together)
{
    Estimate result;
    result.runs = std::move(runs);
    if (result.runs.empty())
        return result;
    const auto n = static_cast<double>(result.runs.size());
    result.mean = std::accumulate(result.runs.begin(), result.runs.end(), 0.0) / n;
    result.median = medianOf(result.runs);
    result.shares = result.runs;
    if (result.runs.size() >= 2) {
        const double error = std::sqrt(meanVariance(result.runs, result.mean));
        const double reach = quantileFor(result.runs.size(), together) * error;
        result.low = result.mean - reach;
        result.high = result.mean + reach;
    }
    return result;
}

Ratio ratioOf(const Estimate& value, const Estimate& baseline, bool higherIsBetter)
{
    Ratio ratio;
    const double a = value.mean;
    const double b = baseline.mean;
    ratio.value = b != 0 ? a / b : std::numeric_limits<double>::quiet_NaN();
    if (value.runs.size() < 2 || baseline.runs.size() < 2)
        return ratio;
    const Means means(value, baseline);
    ratio.p = means.probability();
    const bool shown = *ratio.p < kError;
    ratio.verdict = shown ? verdictOf(a > b, higherIsBetter) : Verdict::NoDifferenceShown;
    if (b == 0) // as of errors: there is no ratio, but a difference may be
        return ratio;
    if (const Bounds interval = means.interval(1)) {
        ratio.low = interval->first;
        ratio.high = interval->second;
    }
    return ratio;
}

Ratio pairedRatio(const std::vector<double>& value, const std::vector<double>& baseline, bool higherIsBetter)
{
    Ratio ratio;
    ratio.value = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> logs = logarithmsOf(value, baseline);
    if (logs.size() < 2)
        return ratio;
    const double mean = estimate(logs).mean;
    const Bounds interval = pairedInterval(logs, 1);
    ratio.value = std::exp(mean);
    ratio.low = interval->first;
    ratio.high = interval->second;
    ratio.pairs = static_cast<int>(logs.size());
    ratio.p = probabilityOf(mean, std::sqrt(meanVariance(logs, mean)), static_cast<double>(logs.size() - 1));
    ratio.verdict = *ratio.p < kError ? verdictOf(mean > 0, higherIsBetter) : Verdict::NoDifferenceShown;
    return ratio;
}

std::vector<double> holmAdjusted(const std::vector<double>& p, std::size_t family)
{
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&p](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    std::vector<double> adjusted(p.size());
    const std::size_t all = std::max(family, p.size());
    double largest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        largest = std::max(largest, std::min(1.0, static_cast<double>(all - i) * p[order[i]]));
        adjusted[order[i]] = largest;
    }
    return adjusted;
}

std::vector<Ratio> compareTogether(const std::vector<ComparedRuns>& comparisons, bool higherIsBetter,
                                   std::size_t family)
{
    std::vector<Ratio> ratios;
    std::vector<std::size_t> tested;
    std::vector<double> p;
    for (const ComparedRuns& one : comparisons) {
        Ratio ratio = ratioOf(estimate(one.value), estimate(one.baseline), higherIsBetter);
        if (one.pairedValue.size() >= kFewestPairs) {
            if (Ratio paired = pairedRatio(one.pairedValue, one.pairedBaseline, higherIsBetter); paired.low)
                ratio = paired;
        }
        if (ratio.p) {
            tested.push_back(ratios.size());
            p.push_back(*ratio.p);
        }
        ratios.push_back(ratio);
    }
    const std::size_t all = std::max(family, tested.size());
    const std::vector<double> adjusted = holmAdjusted(p, all);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        const ComparedRuns& one = comparisons[tested[i]];
        Ratio& ratio = ratios[tested[i]];
        ratio.comparisons = static_cast<int>(all);
        ratio.adjustedP = adjusted[i];
        const bool shown = adjusted[i] < kError;
        if (!shown)
            ratio.verdict = Verdict::NoDifferenceShown;
        if (all == 1 || !ratio.low)
            continue;
        Bounds joint = ratio.pairs > 0 ? pairedInterval(logarithmsOf(one.pairedValue, one.pairedBaseline), all)
                                       : Means(estimate(one.value), estimate(one.baseline)).interval(all);
        if (!joint)
            continue;
        // Holm's method shows a little more than these intervals do: those that go with it end at 1 then (Guilbaud
        // 2008).
        if (shown && *ratio.low > 1)
            joint->first = std::max(joint->first, 1.0);
        else if (shown && *ratio.high < 1)
            joint->second = std::min(joint->second, 1.0);
        ratio.jointLow = joint->first;
        ratio.jointHigh = joint->second;
    }
    return ratios;
}

std::vector<bool> outliersOf(const std::vector<double>& runs)
{
    std::vector<bool> marks(runs.size());
    if (runs.size() < kFewestForOutliers)
        return marks;
    const double median = medianOf(runs);
    std::vector<double> distances;
    for (const double run : runs)
        distances.push_back(std::fabs(run - median));
    const double spread = medianOf(distances);
    for (std::size_t i = 0; i < runs.size(); ++i)
        marks[i] = spread > 0 && distances[i] > kOutlierScore * kMadToDeviation * spread;
    return marks;
}

} // namespace dyno
