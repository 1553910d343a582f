// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/load_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dyno {

namespace {
//! Share of the arrivals that must have been served for a load to count as carried.
constexpr double kServed = 0.97;
//! A probe series ends after this many, whatever a noisy server answers.
constexpr int kMostProbes = 60;
} // namespace

ObjectiveWatch::ObjectiveWatch(Objective objective, double windowSeconds)
    : m_objective(objective)
    , m_window(windowSeconds)
{
}

void ObjectiveWatch::add(const IntervalSample& sample)
{
    const auto secondsOf = [](const IntervalSample& one) { return double(one.lengthNs) * 1e-9; };
    m_samples.push_back(sample);
    m_seconds += secondsOf(sample);
    while (m_window > 0 && m_seconds - secondsOf(m_samples.front()) >= m_window) {
        m_seconds -= secondsOf(m_samples.front());
        m_samples.pop_front();
    }
}

void ObjectiveWatch::reset()
{
    m_samples.clear();
    m_seconds = 0;
}

double ObjectiveWatch::percentileMs() const
{
    Histogram response;
    for (const IntervalSample& sample : m_samples)
        response.merge(sample.transaction.responseOrService());
    return response.percentileNs(m_objective.percentile) * 1e-6;
}

std::string ObjectiveWatch::why() const
{
    std::uint64_t done = 0, failed = 0, dropped = 0, arrivals = 0;
    int users = 0;
    for (const IntervalSample& sample : m_samples) {
        done += sample.transaction.count;
        failed += sample.transaction.errors;
        dropped += sample.dropped;
        arrivals += sample.arrivals;
        users = std::max(users, sample.users);
    }
    if (failed > 0)
        return fmt::format("failed transactions: {}", failed);
    if (dropped > 0)
        return fmt::format("dropped arrivals: {}", dropped);
    if (done == 0)
        return "nothing was done";
    if (double(done) + users < kServed * double(arrivals))
        return fmt::format("only {:.0f} % of the arrivals were served", 100 * double(done) / double(arrivals));
    if (const double ms = percentileMs(); ms > m_objective.limitMs)
        return m_objective.percentile >= 100 ? fmt::format("the maximum is {:.3g} ms", ms)
                                             : fmt::format("p{:g} is {:.3g} ms", m_objective.percentile, ms);
    return {};
}

Bisection::Bisection(const Search& search)
    : m_search(search)
    , m_low(search.from)
    , m_high(search.to)
{
}

double Bisection::middle() const
{
    const double middle = std::sqrt(m_low * m_high);
    return m_search.what == Search::What::Users ? std::clamp(std::round(middle), m_low + 1, m_high - 1) : middle;
}

bool Bisection::narrowEnough() const
{
    const double width = m_high - m_low;
    return width <= m_low * m_search.precision || (m_search.what == Search::What::Users && width <= 1);
}

std::optional<double> Bisection::next() const
{
    switch (m_stage) {
    case Stage::High:
        return m_high;
    case Stage::Low:
    case Stage::Confirm:
        return m_low;
    case Stage::Between:
        return middle();
    case Stage::Done:
    case Stage::Nothing:
        break;
    }
    return std::nullopt;
}

//! After the ends have moved.
void Bisection::narrow()
{
    m_stage = narrowEnough() ? (m_search.confirm > 0 ? Stage::Confirm : Stage::Done) : Stage::Between;
    m_confirmed = 0;
}

void Bisection::result(bool holds)
{
    ++m_probes;
    switch (m_stage) {
    case Stage::High:
        m_stage = holds ? Stage::Done : Stage::Low;
        if (holds)
            m_low = m_high;
        break;
    case Stage::Low:
        if (holds)
            narrow();
        else
            m_stage = Stage::Nothing;
        break;
    case Stage::Between:
        (holds ? m_low : m_high) = middle();
        narrow();
        break;
    case Stage::Confirm:
        if (holds) {
            if (++m_confirmed >= m_search.confirm)
                m_stage = Stage::Done;
        } else {
            // It held once by luck: a step down, confirmed anew.
            if (m_low <= m_search.from)
                m_stage = Stage::Nothing;
            const double step = std::max(m_low * m_search.precision, m_search.what == Search::What::Users ? 1.0 : 0.0);
            m_high = m_low;
            m_low =
                std::max(m_search.from, m_search.what == Search::What::Users ? std::floor(m_low - step) : m_low - step);
            m_confirmed = 0;
        }
        break;
    case Stage::Done:
    case Stage::Nothing:
        break;
    }
    if (m_probes >= kMostProbes && m_stage != Stage::Done && m_stage != Stage::Nothing) {
        m_stage = Stage::Nothing;
        m_gaveUp = true;
    }
}

} // namespace dyno
