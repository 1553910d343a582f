// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The phases of a run's load on its clock: when users join and rest, where intervals are cut, what rate is offered.
//! Times are nanoseconds from the start of the measured time. Plain values and pure functions.
#pragma once

#include "load/executor/pacer.h"
#include "load/executor/schedule.h"
#include "workload/user_context.h"

#include <dyno/load_phases.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! Users that phases name together: a group, or all of the run (without a name).
struct PhaseCohort
{
    std::string group;
    int users = 0;
    Arrival pace;
    std::vector<std::string> sections = {}; //!< WorkloadInstance::sections()
};

class PhaseTimes
{
public:
    //! From then on so many users of the cohort take part.
    struct Change
    {
        std::int64_t atNs = 0;
        std::size_t cohort = 0;
        int users = 0;
    };

    PhaseTimes(const LoadProfile& load, std::vector<PhaseCohort> cohorts);
    [[nodiscard]] bool any() const { return !m_spans.empty(); }
    [[nodiscard]] const std::vector<PhaseSpan>& spans() const { return m_spans; }
    [[nodiscard]] std::int64_t endNs() const { return m_spans.empty() ? 0 : m_spans.back().toNs; }
    //! In order of time. A ramp is made of steps: each wakes the users. A user joins at the end of its share of the
    //! ramp; in an open loop at the start of it, so that what arrives finds somebody.
    [[nodiscard]] const std::vector<Change>& changes() const { return m_changes; }
    //! In the warm-up, and up to the first change.
    [[nodiscard]] int usersBefore(std::size_t cohort) const;
    [[nodiscard]] double rateBefore(std::size_t cohort) const;
    //! The same of one cohort, with those before.
    [[nodiscard]] std::vector<UsersFrom> usersOver(std::size_t cohort) const;
    [[nodiscard]] RateProfile profile(std::size_t cohort) const;
    [[nodiscard]] double highestRate(std::size_t cohort) const;
    //! Weights of its workload's sections in each phase; nullopt in one that has none.
    [[nodiscard]] std::vector<std::optional<SectionSums>> weights(std::size_t cohort) const;
    //! The end of an interval that begins at `fromNs`: the next step of its phase, or the end of it.
    [[nodiscard]] std::int64_t borderAfter(std::int64_t fromNs, std::int64_t stepNs) const;

private:
    [[nodiscard]] int usersOf(const LoadPhase& phase, const PhaseCohort& cohort) const;
    [[nodiscard]] double rateOf(const LoadPhase& phase, const PhaseCohort& cohort) const;

    std::vector<LoadPhase> m_phases;
    std::vector<PhaseCohort> m_cohorts;
    std::vector<PhaseSpan> m_spans;
    std::vector<Change> m_changes;
};

} // namespace dyno
