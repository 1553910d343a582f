// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "import/format.h"

#include <map>

namespace dyno::import {

void describeHammer(Collector& collector);
void setHammerResult(Collector& collector, Run& run, double nopm, double tpm, std::string_view database);
//! What the procedures of TPROC-C do.
OpClass hammerClass(std::string_view procedure);

//! Blocks of the time profile xtprof; its standard deviation is of another scale than the rest and is left out.
class HammerProfile
{
public:
    bool line(std::string_view text); //!< false when it is not of a profile
    void finish(Collector& collector, Run& run);
    [[nodiscard]] bool empty() const { return m_all.empty() && m_single.empty(); }
    //! The line begins the profile of another run: after the summary of one.
    [[nodiscard]] bool beginsAnew(std::string_view text) const;

private:
    struct Call
    {
        double calls = 0;
        Latency latency;
        std::vector<std::pair<double, double>> percentiles;
    };
    std::map<std::string, Call> m_all, m_single;
    std::string m_procedure;
    int m_users = 0, m_activeUsers = 0;
    bool m_summary = false, m_hasSummary = false;
};

} // namespace dyno::import
