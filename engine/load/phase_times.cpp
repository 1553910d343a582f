// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/phase_times.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace dyno {

namespace {

constexpr int kMostRampSteps = 100;                //!< each wakes all users that wait
constexpr std::int64_t kShortestStep = 20'000'000; //!< ns

} // namespace

PhaseTimes::PhaseTimes(const LoadProfile& load, std::vector<PhaseCohort> cohorts)
    : m_phases(load.phases)
    , m_cohorts(std::move(cohorts))
    , m_spans(phaseSpans(load, 0))
{
    for (std::size_t cohort = 0; cohort < m_cohorts.size(); ++cohort) {
        int users = usersBefore(cohort);
        for (std::size_t i = 0; i < m_spans.size(); ++i) {
            const int wanted = usersOf(m_phases[i], m_cohorts[cohort]);
            const auto rampNs =
                std::min(std::int64_t(m_phases[i].rampSeconds * 1e9), m_spans[i].toNs - m_spans[i].fromNs);
            const int difference = std::abs(wanted - users);
            const int steps =
                std::min({difference, kMostRampSteps, int(std::min<std::int64_t>(rampNs / kShortestStep, INT32_MAX))});
            const int early = m_cohorts[cohort].pace.open() && wanted > users ? 1 : 0;
            for (int step = 1; step <= steps; ++step)
                m_changes.push_back({m_spans[i].fromNs + rampNs * (step - early) / steps, cohort,
                                     users + int(std::int64_t(wanted - users) * step / steps)});
            if (difference > 0 && steps == 0)
                m_changes.push_back({m_spans[i].fromNs, cohort, wanted});
            users = wanted;
        }
    }
    std::ranges::stable_sort(m_changes, {}, &Change::atNs);
}

int PhaseTimes::usersOf(const LoadPhase& phase, const PhaseCohort& cohort) const
{
    return usersIn(phase, cohort.group, cohort.users);
}

double PhaseTimes::rateOf(const LoadPhase& phase, const PhaseCohort& cohort) const
{
    return rateIn(phase, cohort.group, cohort.pace, cohort.users);
}

int PhaseTimes::usersBefore(std::size_t cohort) const
{
    const PhaseCohort& one = m_cohorts[cohort];
    if (m_phases.empty())
        return one.users;
    return m_phases.front().rampSeconds > 0 ? 0 : usersOf(m_phases.front(), one);
}

double PhaseTimes::rateBefore(std::size_t cohort) const
{
    return m_phases.empty() ? m_cohorts[cohort].pace.rate : rateOf(m_phases.front(), m_cohorts[cohort]);
}

std::vector<UsersFrom> PhaseTimes::usersOver(std::size_t cohort) const
{
    std::vector<UsersFrom> list;
    if (!any())
        return list;
    list.push_back({0, usersBefore(cohort)});
    for (const Change& one : m_changes) {
        if (one.cohort == cohort)
            list.push_back({one.atNs, one.users});
    }
    return list;
}

RateProfile PhaseTimes::profile(std::size_t cohort) const
{
    std::vector<RateStretch> stretches;
    for (const LoadPhase& phase : m_phases)
        stretches.push_back({rateOf(phase, m_cohorts[cohort]), phase.seconds, phase.rampSeconds});
    return RateProfile::stretches(stretches);
}

double PhaseTimes::highestRate(std::size_t cohort) const
{
    double highest = m_phases.empty() ? m_cohorts[cohort].pace.rate : 0;
    for (const LoadPhase& phase : m_phases)
        highest = std::max(highest, rateOf(phase, m_cohorts[cohort]));
    return highest;
}

std::vector<std::optional<SectionSums>> PhaseTimes::weights(std::size_t cohort) const
{
    std::vector<std::optional<SectionSums>> all;
    for (const LoadPhase& phase : m_phases) {
        const SectionWeights& weights = paceIn(phase, m_cohorts[cohort].group).weights;
        SectionSums sums;
        for (const std::string& section : m_cohorts[cohort].sections) {
            const auto weight = weights.find(section);
            sums.push_back((sums.empty() ? 0 : sums.back()) + (weight == weights.end() ? 0 : weight->second));
        }
        const bool any = !sums.empty() && sums.back() > 0; // a stranger's file may name other sections
        all.push_back(any ? std::optional(std::move(sums)) : std::nullopt);
    }
    return all;
}

std::int64_t PhaseTimes::borderAfter(std::int64_t fromNs, std::int64_t stepNs) const
{
    const auto span = std::ranges::find_if(m_spans, [fromNs](const PhaseSpan& one) { return one.toNs > fromNs; });
    if (span == m_spans.end())
        return endNs();
    return std::min(span->toNs, span->fromNs + ((fromNs - span->fromNs) / stepNs + 1) * stepNs);
}

} // namespace dyno
