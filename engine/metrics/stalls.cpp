// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/stalls.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace dyno {

namespace {

constexpr std::size_t kFewestAround = 11;
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
//! Transactions an interval from which a median below `stall` of another cannot be chance: of fewer, medians of 0 and 1
//! take turns.
constexpr double kDense = 10;

double secondsOf(const StallInterval& interval)
{
    return static_cast<double>(interval.lengthNs) * 1e-9;
}

double rateOf(const StallInterval& interval)
{
    return static_cast<double>(interval.count) / secondsOf(interval);
}

//! Neighbouring values in order of size, of those that are known. Windows are short: a tidy vector is faster than a
//! tree of as many nodes.
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
    [[nodiscard]] double median() const //!< not a number where no value is known
    {
        if (m_sorted.empty())
            return kNotKnown;
        const std::size_t middle = m_sorted.size() / 2;
        return m_sorted.size() % 2 == 0 ? (m_sorted[middle] + m_sorted[middle - 1]) / 2 : m_sorted[middle];
    }

private:
    void insert(double value)
    {
        if (!std::isnan(value))
            m_sorted.insert(std::ranges::upper_bound(m_sorted, value), value);
    }
    void erase(double value)
    {
        if (!std::isnan(value))
            m_sorted.erase(std::ranges::lower_bound(m_sorted, value));
    }

    const std::vector<double>& m_values;
    std::vector<double> m_sorted;
    std::size_t m_first = 0, m_last = 0;
};

//! The median value of the intervals around each one.
std::vector<double> mediansAround(const std::vector<StallInterval>& list, const std::vector<double>& values,
                                  double windowSeconds)
{
    std::vector<double> usual;
    SortedWindow window(values);
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
    return usual;
}

//! The usual rate around each one.
std::vector<double> usualRates(const std::vector<StallInterval>& list, double windowSeconds, double hangShare)
{
    std::vector<double> rates;
    for (const StallInterval& one : list)
        rates.push_back(rateOf(one));
    std::vector<double> usual = mediansAround(list, rates, windowSeconds);
    // A hang that fills more than half of the window would be what is usual there: it is held against what was usual
    // before it, at the very start against what came after it.
    const auto some = std::ranges::find_if(usual, [](double rate) { return rate > 0; });
    double held = some == usual.end() ? 0 : *some;
    for (std::size_t i = 0; i < usual.size(); ++i) {
        const bool hangs = usual[i] < hangShare * held && held * secondsOf(list[i]) >= kDense;
        held = hangs ? held : usual[i];
        usual[i] = held;
    }
    return usual;
}

//! Where throughput holds and p99 does not. `stalls`: of throughput, in these intervals.
std::vector<Stall> slowStretches(const std::vector<StallInterval>& list, const std::vector<Stall>& stalls,
                                 const StallRule& rule)
{
    std::vector<double> times;
    std::vector<bool> beside; // a stall
    std::size_t next = 0;
    for (const StallInterval& one : list) {
        // What waited in a stall ends right behind it.
        while (next < stalls.size() && stalls[next].tNs + stalls[next].lengthNs + one.lengthNs < one.tNs)
            ++next;
        const bool isNear = next < stalls.size() && stalls[next].tNs <= one.tNs + 2 * one.lengthNs;
        beside.push_back(isNear);
        times.push_back(!isNear && one.count >= rule.slowCount && one.p99Ms > 0 ? one.p99Ms : kNotKnown);
    }
    std::vector<double> usual = mediansAround(list, times, rule.windowSeconds);
    // As with hangs: what fills more than half of the window is held against what was usual before it. But a level that
    // stays for a whole window is what is usual from then on.
    const auto windowNs = static_cast<std::int64_t>(rule.windowSeconds * 1e9);
    double held = kNotKnown;
    std::int64_t heldSinceNs = -1; // −1: what is usual is that of the window itself
    for (std::size_t i = 0; i < usual.size(); ++i) {
        const bool lasts =
            std::isnan(usual[i]) ? bool(beside[i]) : usual[i] > std::max(rule.slower * held, rule.slowFloorMs);
        if (!lasts || std::isnan(held) || (heldSinceNs >= 0 && list[i].tNs - heldSinceNs >= windowNs)) {
            held = usual[i];
            heldSinceNs = -1;
            continue;
        }
        if (heldSinceNs < 0)
            heldSinceNs = list[i].tNs;
        usual[i] = held;
    }
    std::vector<Stall> found;
    const auto isSlow = [&](std::size_t i) { return times[i] > std::max(rule.slower * usual[i], rule.slowFloorMs); };
    for (std::size_t i = 0; i < list.size();) {
        if (!isSlow(i)) {
            ++i;
            continue;
        }
        std::size_t end = i + 1, slow = 1; // behind the last slow interval
        Stall stall;
        stall.kind = Stall::Kind::Latency;
        stall.tNs = list[i].tNs;
        stall.usualMs = usual[i];
        stall.highestMs = times[i];
        for (std::size_t k = end; k < list.size() && k <= end + 1; ++k) {
            if (!isSlow(k))
                continue;
            end = k + 1;
            ++slow;
            stall.highestMs = std::max(stall.highestMs, times[k]);
        }
        stall.lengthNs = list[end - 1].tNs + list[end - 1].lengthNs - stall.tNs;
        constexpr double kEarly = 0.99; // a border comes some microseconds early or late
        if (slow >= rule.slowIntervals && double(stall.lengthNs) >= kEarly * rule.slowSeconds * 1e9)
            found.push_back(stall);
        i = end;
    }
    return found;
}

std::vector<Stall> stallsOfStretch(std::vector<StallInterval> list, const StallRule& rule)
{
    // The end of the run cuts the last interval short, and users end one after another: that is no dip.
    if (list.size() > 1 && 2 * list.back().lengthNs < list[list.size() - 2].lengthNs)
        list.pop_back();
    const std::vector<double> usual = usualRates(list, rule.windowSeconds, rule.stall);
    std::vector<Stall> found;
    const auto isSlow = [&](std::size_t i) { return rateOf(list[i]) < rule.dip * usual[i]; };
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
        stall.lowest = rateOf(list[i]);
        double expected = 0, counted = 0, seconds = 0;
        for (std::size_t k = i; k < end; ++k) {
            stall.lowest = std::min(stall.lowest, rateOf(list[k]));
            expected += usual[k] * secondsOf(list[k]);
            counted += static_cast<double>(list[k].count);
            seconds += secondsOf(list[k]);
        }
        stall.usual = expected / seconds;
        stall.missing = expected - counted;
        stall.stalled = stall.lowest < rule.stall * stall.usual;
        if (stall.missing > rule.chance * std::sqrt(expected))
            found.push_back(stall);
        i = end;
    }
    if (rule.slower > 0) {
        const auto middle = std::ptrdiff_t(found.size());
        std::ranges::move(slowStretches(list, found, rule), std::back_inserter(found));
        std::ranges::inplace_merge(found, found.begin() + middle, {}, &Stall::tNs);
    }
    return found;
}

} // namespace

StallInterval stallIntervalOf(const IntervalSample& sample, const OpInterval& what)
{
    const Histogram& times = what.responseOrService();
    return {sample.tNs, sample.lengthNs, what.count, times.empty() ? 0 : times.percentileNs(99) * 1e-6};
}

std::vector<Stall> findStalls(const std::vector<StallInterval>& intervals, const StallRule& rule)
{
    if (rule.stretches.empty())
        return stallsOfStretch(intervals, rule);
    std::vector<Stall> all;
    for (const PhaseSpan& stretch : rule.stretches) {
        std::vector<StallInterval> own;
        std::ranges::copy_if(intervals, std::back_inserter(own), [&stretch](const StallInterval& one) {
            const std::int64_t middleNs = one.tNs + one.lengthNs / 2;
            return middleNs >= stretch.fromNs && middleNs < stretch.toNs;
        });
        for (Stall& stall : stallsOfStretch(std::move(own), rule))
            all.push_back(stall);
    }
    return all;
}

std::vector<Stall> findStalls(const std::vector<IntervalSample>& intervals, const StallRule& rule,
                              std::optional<std::size_t> operation)
{
    std::vector<StallInterval> list;
    for (const IntervalSample& sample : intervals) {
        if (sample.phase != Phase::Measure || sample.lengthNs <= 0 || (operation && *operation >= sample.ops.size()))
            continue;
        const OpInterval& what = operation ? sample.ops[*operation] : sample.transaction;
        list.push_back(stallIntervalOf(sample, what));
    }
    return findStalls(list, rule);
}

} // namespace dyno
