// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/executor/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dyno {

void RateProfile::add(double from, double to, double length)
{
    if (!(length > 0))
        return;
    m_pieces.push_back({m_seconds, length, from, to, m_arrivals});
    m_seconds += length;
    m_arrivals += (from + to) / 2 * length;
}

void RateProfile::close(double rate)
{
    m_pieces.push_back({m_seconds, std::numeric_limits<double>::infinity(), rate, rate, m_arrivals});
}

RateProfile RateProfile::constant(double rate)
{
    RateProfile profile;
    profile.close(rate);
    return profile;
}

RateProfile RateProfile::ramp(double from, double to, double seconds)
{
    RateProfile profile;
    profile.add(from, to, seconds);
    profile.close(to);
    return profile;
}

RateProfile RateProfile::steps(const std::vector<RateStep>& steps)
{
    RateProfile profile;
    for (const RateStep& step : steps)
        profile.add(step.rate, step.rate, step.seconds);
    profile.close(steps.empty() ? 0 : steps.back().rate);
    return profile;
}

RateProfile RateProfile::stretches(const std::vector<RateStretch>& stretches)
{
    RateProfile profile;
    double rate = 0;
    for (const RateStretch& one : stretches) {
        const double ramp = std::min(one.rampSeconds, one.seconds);
        profile.add(rate, one.rate, ramp);
        profile.add(one.rate, one.rate, one.seconds - ramp);
        rate = one.rate;
    }
    profile.close(rate);
    return profile;
}

RateProfile RateProfile::of(const Arrival& arrival, double seconds)
{
    if (!arrival.steps.empty())
        return steps(arrival.steps);
    return arrival.rateTo > 0 ? ramp(arrival.rate, arrival.rateTo, seconds) : constant(arrival.rate);
}

double RateProfile::timeOf(double arrivals) const
{
    // The last piece that begins with fewer arrivals offered; pieces of rate 0 offer nothing and are passed over.
    std::size_t at = m_pieces.size() - 1;
    while (at > 0 && m_pieces[at].before >= arrivals && arrivals > 0)
        --at;
    if (arrivals <= 0) {
        at = 0;
        while (at + 1 < m_pieces.size() && m_pieces[at].from <= 0 && m_pieces[at].to <= 0)
            ++at;
    }
    const Piece& piece = m_pieces[at];
    const double wanted = arrivals - piece.before;
    if (wanted <= 0)
        return piece.from <= 0 && piece.to <= 0 ? std::numeric_limits<double>::infinity() : piece.start;
    if (std::isinf(piece.length))
        return piece.from > 0 ? piece.start + wanted / piece.from : std::numeric_limits<double>::infinity();
    // from·τ + (to − from)·τ²/(2·length) = wanted, in the form that loses no digits when the rate hardly changes
    const double slope = (piece.to - piece.from) / piece.length;
    const double root = std::sqrt(std::max(0.0, piece.from * piece.from + 2 * slope * wanted));
    return piece.start + 2 * wanted / (piece.from + root);
}

double RateProfile::rateAt(double seconds) const
{
    const auto after =
        std::find_if(m_pieces.begin(), m_pieces.end(), [seconds](const Piece& piece) { return piece.start > seconds; });
    const Piece& piece = after == m_pieces.begin() ? m_pieces.front() : *(after - 1);
    if (std::isinf(piece.length))
        return piece.from;
    return piece.from + (piece.to - piece.from) * (seconds - piece.start) / piece.length;
}

std::int64_t Schedule::next()
{
    double offered = m_offered;
    if (m_model == ArrivalModel::Poisson) {
        offered += -std::log1p(-m_random.unit());
        m_offered = offered;
    } else {
        m_offered += 1;
    }
    const double seconds = m_profile.timeOf(offered);
    return seconds < 9e9 ? std::int64_t(std::llround(seconds * 1e9)) : std::numeric_limits<std::int64_t>::max();
}

} // namespace dyno
