// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A workload with a user whose session records what it is sent.
#pragma once

#include "support/workload_harness.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dyno::test {

struct RecordingRig
{
    RecordingRig(std::string_view workload, std::shared_ptr<const WorkloadInstance> bound, UserPlace place = {})
        : info(&workloadFor(workload)->info())
        , instance(std::move(bound))
        , user(std::make_unique<RecordingSession>(), info->operations.size(), place)
        , session(static_cast<RecordingSession&>(*user.session))
        , statements(instance->statements())
    {
    }
    //! For a target that keeps no data, and speaks as the MySQL family does.
    explicit RecordingRig(std::string_view workload, const Settings& params = {}, UserPlace place = {})
        : RecordingRig(workload, test::bind(workload, params, "null"), place)
    {
    }
    //! The requests of one transaction, until the next.
    const std::vector<Recorded>& run(std::uint64_t sequence = 0)
    {
        session.requests.clear();
        outcome = user.run(*instance, sequence);
        return session.requests;
    }
    //! Those that load the rows, until the next.
    const std::vector<Recorded>& load(LoadSlice slice)
    {
        session.requests.clear();
        outcome = complete(instance->load(user.context, slice), user.context);
        if (outcome != Outcome::Ok)
            throw std::runtime_error("the load failed");
        return session.requests;
    }
    const std::string& text(const Recorded& request) const { return statements.at(request.statement).text; }

    const WorkloadInfo* info;
    std::shared_ptr<const WorkloadInstance> instance;
    TestUser user;
    RecordingSession& session;
    StatementSet statements;
    Outcome outcome = Outcome::Ok;
};

} // namespace dyno::test
