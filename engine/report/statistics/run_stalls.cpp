// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/analysis.h>

#include "report/format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace dyno {

namespace {

constexpr std::size_t kFewestAround = 11;
//! Transactions an interval from which a median below `stall` of another cannot be chance: of fewer, medians of 0 and 1
//! take turns.
constexpr double kDense = 10;

struct Interval
{
    std::int64_t tNs, lengthNs;
    double count, seconds;
    [[nodiscard]] double rate() const { return count / seconds; }
};

//! Neighbouring values in order of size. Windows are short: a tidy vector is faster than a tree of as many nodes.
class SortedWindow
{
public:
    explicit SortedWindow(const std::vector<double>& values)
        : m_values(values)
    {
    }
    void moveTo(std::size_t first, std::size_t last)
    {
        while (m_first > first)
            insert(m_values[--m_first]);
        while (m_last < last)
            insert(m_values[m_last++]);
        while (m_first < first)
            erase(m_values[m_first++]);
        while (m_last > last)
            erase(m_values[--m_last]);
    }
    [[nodiscard]] double median() const
    {
        const std::size_t middle = m_sorted.size() / 2;
        return m_sorted.size() % 2 == 0 ? (m_sorted[middle] + m_sorted[middle - 1]) / 2 : m_sorted[middle];
    }

private:
    void insert(double value) { m_sorted.insert(std::ranges::upper_bound(m_sorted, value), value); }
    void erase(double value) { m_sorted.erase(std::ranges::lower_bound(m_sorted, value)); }

    const std::vector<double>& m_values;
    std::vector<double> m_sorted;
    std::size_t m_first = 0, m_last = 0;
};

//! The median rate of the intervals around each one.
std::vector<double> usualRates(const std::vector<Interval>& list, double windowSeconds, double hangShare)
{
    std::vector<double> rates, usual;
    for (const Interval& one : list)
        rates.push_back(one.rate());
    SortedWindow window(rates);
    std::size_t from = 0, to = 0; // of the intervals that begin within the window
    const auto half = static_cast<std::int64_t>(windowSeconds / 2 * 1e9);
    for (std::size_t i = 0; i < list.size(); ++i) {
        while (list[i].tNs - list[from].tNs > half)
            ++from;
        while (to < list.size() && list[to].tNs - list[i].tNs <= half)
            ++to;
        // Never fewer than kFewestAround, as far as there are so many.
        std::size_t first = from, last = to;
        while (last - first < std::min(kFewestAround, list.size())) {
            if (first > 0)
                --first;
            if (last < list.size())
                ++last;
        }
        window.moveTo(first, last);
        usual.push_back(window.median());
    }
    // A hang that fills more than half of the window would be what is usual there: it is held against what was usual
    // before it, at the very start against what came after it.
    const auto some = std::ranges::find_if(usual, [](double rate) { return rate > 0; });
    double held = some == usual.end() ? 0 : *some;
    for (std::size_t i = 0; i < usual.size(); ++i) {
        const bool hangs = usual[i] < hangShare * held && held * list[i].seconds >= kDense;
        held = hangs ? held : usual[i];
        usual[i] = held;
    }
    return usual;
}

std::vector<Stall> stallsOfStretch(std::vector<Interval> list, const StallRule& rule)
{
    // The end of the run cuts the last interval short, and users end one after another: that is no dip.
    if (list.size() > 1 && 2 * list.back().lengthNs < list[list.size() - 2].lengthNs)
        list.pop_back();
    const std::vector<double> usual = usualRates(list, rule.windowSeconds, rule.stall);
    std::vector<Stall> found;
    const auto isSlow = [&](std::size_t i) { return list[i].rate() < rule.dip * usual[i]; };
    for (std::size_t i = 0; i < list.size();) {
        if (!isSlow(i)) {
            ++i;
            continue;
        }
        std::size_t end = i + 1; // behind the last slow interval
        for (std::size_t k = end; k < list.size() && k <= end + 1; ++k)
            end = isSlow(k) ? k + 1 : end;
        Stall stall;
        stall.tNs = list[i].tNs;
        stall.lengthNs = list[end - 1].tNs + list[end - 1].lengthNs - stall.tNs;
        stall.lowest = list[i].rate();
        double expected = 0, counted = 0, seconds = 0;
        for (std::size_t k = i; k < end; ++k) {
            stall.lowest = std::min(stall.lowest, list[k].rate());
            expected += usual[k] * list[k].seconds;
            counted += list[k].count;
            seconds += list[k].seconds;
        }
        stall.usual = expected / seconds;
        stall.missing = expected - counted;
        stall.stalled = stall.lowest < rule.stall * stall.usual;
        if (stall.missing > rule.chance * std::sqrt(expected))
            found.push_back(stall);
        i = end;
    }
    return found;
}

std::vector<Stall> stallsOf(std::vector<Interval> list, const StallRule& rule)
{
    if (rule.stretches.empty())
        return stallsOfStretch(std::move(list), rule);
    std::vector<Stall> all;
    for (const PhaseSpan& stretch : rule.stretches) {
        std::vector<Interval> own;
        std::ranges::copy_if(list, std::back_inserter(own), [&stretch](const Interval& one) {
            const std::int64_t middleNs = one.tNs + one.lengthNs / 2;
            return middleNs >= stretch.fromNs && middleNs < stretch.toNs;
        });
        for (Stall& stall : stallsOfStretch(std::move(own), rule))
            all.push_back(stall);
    }
    return all;
}

Interval intervalOf(std::int64_t tNs, std::int64_t lengthNs, std::uint64_t count)
{
    return {tNs, lengthNs, static_cast<double>(count), static_cast<double>(lengthNs) * 1e-9};
}

} // namespace

std::vector<Stall> findStalls(const std::vector<IntervalSample>& intervals, const StallRule& rule,
                              std::optional<std::size_t> operation)
{
    std::vector<Interval> list;
    for (const IntervalSample& sample : intervals) {
        if (sample.phase != Phase::Measure || sample.lengthNs <= 0 || (operation && *operation >= sample.ops.size()))
            continue;
        const OpInterval& what = operation ? sample.ops[*operation] : sample.transaction;
        list.push_back(intervalOf(sample.tNs, sample.lengthNs, what.count));
    }
    return stallsOf(std::move(list), rule);
}

std::vector<Stall> findStalls(const IntervalColumns& intervals, const StallRule& rule)
{
    std::vector<Interval> list;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        if (intervals.phase[i] == Phase::Measure && intervals.lengthNs[i] > 0)
            list.push_back(intervalOf(intervals.tNs[i], intervals.lengthNs[i], intervals.transaction.count[i]));
    }
    return stallsOf(std::move(list), rule);
}

StallRule stallRuleOf(const RunSummary& run)
{
    StallRule rule;
    for (const PhaseSummary& phase : run.phases)
        rule.stretches.push_back({phase.name, phase.fromNs + phase.rampNs,
                                  phase.fromNs + std::int64_t(std::llround(phase.seconds * 1e9)), 0});
    return rule;
}

StallsOf stallsIn(Library& library)
{
    return [&library](const StoredRun& run) -> Expected<std::optional<std::vector<Stall>>> {
        if (!run.summary.origin.empty())
            return std::nullopt; // what another tool tells of an interval may be a figure without a count
        const auto columns = library.columns(run.id);
        if (!columns)
            return fail(columns.error());
        return findStalls(*columns, stallRuleOf(run.summary));
    };
}

std::string toText(const Stall& stall)
{
    return fmt::format("{} of {} s: {} transactions/s where {} are usual, {} missing", stall.stalled ? "stall" : "dip",
                       report::plain(static_cast<double>(stall.lengthNs) * 1e-9, 1), report::human(stall.lowest),
                       report::human(stall.usual), report::human(std::round(stall.missing)));
}

} // namespace dyno
