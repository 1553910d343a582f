// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! From what a server has counted since its start to what it counted a second.
#pragma once

#include <dyno/samples.h>

#include <cstdint>
#include <vector>

namespace dyno {

//! One thread at a time.
class CounterRates
{
public:
    //! What a count that went down says of the others.
    enum class Resets {
        Together, //!< all are of one server, which was restarted or reset
        Apart,    //!< nothing, as some systems have counts that fall a little; a quarter of them halved is a restart
    };

    explicit CounterRates(std::vector<CounterInfo> counters, Resets resets = Resets::Together)
        : m_counters(std::move(counters))
        , m_resets(resets)
    {
    }

    //! One value for each counter: a rate over the real time since the last answer, a level as it is. Not a number
    //! where nothing can be said: the first answer, a count that went down (it was reset or wrapped), a value that the
    //! server does not tell, one of 2^63 or more (below zero, told without a sign). Where a count that is shown went
    //! down the server was restarted or reset, and no rate of that answer can be trusted; of hidden ones nobody knows
    //! for sure that they only count up. An answer of the wrong length is no answer. `timesNs`: when each was read,
    //! where that is not `atNs` for all of them.
    [[nodiscard]] std::vector<double> add(std::int64_t atNs, std::vector<double> values,
                                          std::vector<std::int64_t> timesNs = {});
    //! Forgets the last answer: what comes next may be of another server process.
    void reset() { m_values.clear(); }
    //! True when a count of the last answer that is shown was lower than before, and all are void for it.
    [[nodiscard]] bool wentDown() const { return m_wentDown; }
    [[nodiscard]] const std::vector<CounterInfo>& counters() const { return m_counters; }

private:
    std::vector<CounterInfo> m_counters;
    Resets m_resets;
    std::vector<double> m_values; //!< of the last answer; empty: none
    std::vector<std::int64_t> m_timesNs;
    bool m_wentDown = false;
};

} // namespace dyno
