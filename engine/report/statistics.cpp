// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/report.h>

#include "report/student.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dyno {

namespace {

constexpr double kUpperTail = 0.975; // of a two-sided 95 % interval

constexpr std::size_t kFewestForOutliers = 5;
constexpr double kOutlierScore = 3.5, kNormalOfMad = 0.6745; // Iglewicz and Hoaglin 1993

double medianOf(std::vector<double> sorted)
{
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

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
double quantileFor(std::size_t runs)
{
    static const std::vector<double> table = [] {
        std::vector<double> values(64);
        for (std::size_t n = 2; n < values.size(); ++n)
            values[n] = report::studentQuantile(kUpperTail, static_cast<double>(n - 1));
        return values;
    }();
    return runs < table.size() ? table[runs] : report::studentQuantile(kUpperTail, static_cast<double>(runs - 1));
}

//! Of two means by Welch's t test (Welch 1947); each of two runs or more.
Verdict verdictOfDifference(const Estimate& value, const Estimate& baseline, bool higherIsBetter)
{
    const double va = meanVariance(value.runs, value.mean);
    const double vb = meanVariance(baseline.runs, baseline.mean);
    const double difference = value.mean - baseline.mean;
    double reach = 0;
    if (va + vb > 0) {
        const double df = (va + vb) * (va + vb) / (va * va / static_cast<double>(value.runs.size() - 1) +
                                                   vb * vb / static_cast<double>(baseline.runs.size() - 1));
        reach = report::studentQuantile(kUpperTail, df) * std::sqrt(va + vb);
    }
    if (std::fabs(difference) <= reach)
        return Verdict::NoDifferenceShown;
    return (difference > 0) == higherIsBetter ? Verdict::Better : Verdict::Worse;
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

Estimate estimate(std::vector<double> runs)
{
    Estimate result;
    result.runs = std::move(runs);
    if (result.runs.empty())
        return result;
    const auto n = static_cast<double>(result.runs.size());
    result.mean = std::accumulate(result.runs.begin(), result.runs.end(), 0.0) / n;
    result.median = medianOf(result.runs);
    if (result.runs.size() >= 2) {
        const double reach = quantileFor(result.runs.size()) * std::sqrt(meanVariance(result.runs, result.mean));
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
    if (b == 0) { // as of errors: there is no ratio, but a difference may be
        ratio.verdict = verdictOfDifference(value, baseline, higherIsBetter);
        return ratio;
    }
    ratio.verdict = Verdict::NoDifferenceShown;

    // Fieller: all r with (a − r·b)² ≤ t²·(va + r²·vb). The degrees of freedom are Welch and Satterthwaite's for the
    // combination a − r·b, at r = a / b (Hasler, Vonk and Hothorn 2008).
    const double va = meanVariance(value.runs, a);
    const double vb = meanVariance(baseline.runs, b);
    const double r = ratio.value;
    const double wb = r * r * vb;
    double t = 0;
    if (va + wb > 0) {
        const double df = (va + wb) * (va + wb) /
                          (va * va / static_cast<double>(value.runs.size() - 1) +
                           wb * wb / static_cast<double>(baseline.runs.size() - 1));
        t = report::studentQuantile(kUpperTail, df);
    }
    // r²·(b² − t²·vb) − 2·a·b·r + (a² − t²·va) = 0
    const double leading = b * b - t * t * vb;
    const double root = a * a * b * b - leading * (a * a - t * t * va);
    if (leading <= 0 || root < 0)
        return ratio; // the baseline cannot be told from 0: the interval has no end
    const double low = (a * b - std::sqrt(root)) / leading;
    const double high = (a * b + std::sqrt(root)) / leading;
    ratio.low = low;
    ratio.high = high;
    if (low > 1 || high < 1)
        ratio.verdict = (low > 1) == higherIsBetter ? Verdict::Better : Verdict::Worse;
    return ratio;
}

Ratio pairedRatio(const std::vector<double>& value, const std::vector<double>& baseline, bool higherIsBetter)
{
    Ratio ratio;
    ratio.value = std::numeric_limits<double>::quiet_NaN();
    const std::size_t n = std::min(value.size(), baseline.size());
    std::vector<double> logs;
    for (std::size_t i = 0; i < n; ++i) {
        if (!(value[i] > 0) || !(baseline[i] > 0))
            return ratio;
        logs.push_back(std::log(value[i] / baseline[i]));
    }
    if (logs.size() < 2)
        return ratio;
    const Estimate mean = estimate(logs);
    ratio.value = std::exp(mean.mean);
    ratio.low = std::exp(*mean.low);
    ratio.high = std::exp(*mean.high);
    ratio.pairs = static_cast<int>(n);
    ratio.verdict = Verdict::NoDifferenceShown;
    if (*ratio.low > 1 || *ratio.high < 1)
        ratio.verdict = (*ratio.low > 1) == higherIsBetter ? Verdict::Better : Verdict::Worse;
    return ratio;
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
        marks[i] = spread > 0 && kNormalOfMad * distances[i] > kOutlierScore * spread;
    return marks;
}

} // namespace dyno
