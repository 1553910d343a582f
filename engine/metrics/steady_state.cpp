// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics/steady_state.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace dyno {

namespace {

//! Intervals end a moment late or early, so ten of them may be a little less than ten times their length.
constexpr double kCovered = 0.99;

struct Observation
{
    double x = 0, y = 0, weight = 0;
};

//! `length`: of the window, over which the line's change is taken.
SteadyState::Fit fitLine(const std::vector<Observation>& values, double length)
{
    double weights = 0;
    double meanX = 0;
    double meanY = 0;
    for (const Observation& v : values) {
        weights += v.weight;
        meanX += v.weight * v.x;
        meanY += v.weight * v.y;
    }
    meanX /= weights;
    meanY /= weights;
    double sxx = 0;
    double sxy = 0;
    for (const Observation& v : values) {
        sxx += v.weight * (v.x - meanX) * (v.x - meanX);
        sxy += v.weight * (v.x - meanX) * (v.y - meanY);
    }
    const double slope = sxx > 0 ? sxy / sxx : 0;
    SteadyState::Fit fit{.mean = meanY};
    if (meanY <= 0)
        return fit;
    fit.change = slope * length / meanY;
    for (const Observation& v : values)
        fit.deviation = std::max(fit.deviation, std::fabs(v.y - (meanY + slope * (v.x - meanX))) / meanY);
    return fit;
}

std::string describe(const SteadyState::Fit& fit)
{
    return fmt::format("changes by {:+.1f} % and deviates by {:.1f} %", fit.change * 100, fit.deviation * 100);
}

} // namespace

SteadyState::SteadyState(SteadyRule rule)
    : m_rule(rule)
{
}

void SteadyState::reset()
{
    m_window.clear();
    m_throughput = {};
    m_p95.reset();
    m_full = m_steady = false;
}

double SteadyState::seconds() const
{
    double sum = 0;
    for (const Point& point : m_window)
        sum += point.seconds;
    return sum;
}

void SteadyState::add(const IntervalSample& sample)
{
    if (sample.lengthNs <= 0)
        return;
    if (!m_window.empty() && sample.tNs < m_lastNs)
        reset();
    m_lastNs = sample.tNs;
    const double length = double(sample.lengthNs) * 1e-9;
    Point point{.middle = double(sample.tNs) * 1e-9 + length / 2,
                .seconds = length,
                .rate = double(sample.transaction.count) / length,
                .p95Ms = {}};
    if (const Histogram& latency = sample.transaction.responseOrService(); !latency.empty())
        point.p95Ms = latency.percentileNs(95) * 1e-6;
    m_window.push_back(point);
    double covered = seconds();
    while (m_window.size() > kLeastIntervals && covered - m_window.front().seconds >= m_rule.windowSeconds * kCovered) {
        covered -= m_window.front().seconds;
        m_window.pop_front();
    }
    m_full = m_window.size() >= kLeastIntervals && covered >= m_rule.windowSeconds * kCovered;
    judge();
}

void SteadyState::judge()
{
    std::vector<Observation> rates;
    std::vector<Observation> latencies;
    for (const Point& point : m_window) {
        rates.push_back({point.middle, point.rate, point.seconds});
        if (point.p95Ms)
            latencies.push_back({point.middle, *point.p95Ms, point.seconds});
    }
    // gaps between intervals belong to the window
    const Point& first = m_window.front();
    const Point& last = m_window.back();
    const double length = last.middle + last.seconds / 2 - (first.middle - first.seconds / 2);
    m_throughput = fitLine(rates, length);
    m_p95.reset();
    if (latencies.size() >= kLeastIntervals)
        m_p95 = fitLine(latencies, length);
    m_steady = m_full && within(m_throughput) && m_p95 && within(*m_p95);
}

bool SteadyState::within(const Fit& fit) const
{
    return fit.mean > 0 && std::fabs(fit.change) <= m_rule.slope && fit.deviation <= m_rule.deviation;
}

std::string SteadyState::text() const
{
    if (!m_full && m_window.size() < kLeastIntervals && seconds() >= m_rule.windowSeconds * kCovered)
        return fmt::format("{} of {} intervals seen", m_window.size(), kLeastIntervals);
    if (!m_full)
        return fmt::format("{:.1f} of {:.1f} s seen", seconds(), m_rule.windowSeconds);
    const std::string over = fmt::format("{} over {:.1f} s: ", m_steady ? "steady" : "not steady", seconds());
    if (m_throughput.mean <= 0)
        return over + "no transaction";
    return over + "throughput " + describe(m_throughput) + ", p95 " +
           (m_p95 ? describe(*m_p95) : std::string("is missing in too many intervals"));
}

} // namespace dyno
