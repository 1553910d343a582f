// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! A sink that keeps everything, and lets a test wait for a fact or act on it.
#pragma once

#include <dyno/runner.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace dyno::test {

class RecordingSink : public SampleSink
{
public:
    std::function<void(const IntervalSample&)> sampleHook; //!< runs on the control thread
    std::function<void(const ProgressReport&)> progressHook;
    std::function<void(const RunHeader&)> runHook;

    void onSessionStarted(const SessionHeader& value) override
    {
        order.push_back("session");
        header = value;
    }
    void onProgress(const ProgressReport& value) override
    {
        progress.push_back(value);
        if (progressHook)
            progressHook(value);
    }
    void onRunStarted(const RunHeader& value) override
    {
        order.push_back("run");
        runs.push_back(value);
        samples.emplace_back();
        events.emplace_back();
        if (runHook)
            runHook(value);
    }
    void onSample(const IntervalSample& value) override
    {
        samples.back().push_back(value);
        if (sampleHook)
            sampleHook(value);
    }
    void onEvent(const RunEvent& value) override
    {
        if (!events.empty())
            events.back().push_back(value);
    }
    void onRunAftermath(const RunAftermath& value) override
    {
        aftermaths.push_back(value);
    }
    void onRunFinished(const RunSummary& value) override
    {
        order.push_back("finished");
        summaries.push_back(value);
    }
    void onSessionFinished(const SessionSummary& value) override
    {
        order.push_back("end");
        session = value;
    }

    SessionHeader header;
    std::vector<ProgressReport> progress;
    std::vector<RunHeader> runs;
    std::vector<std::vector<IntervalSample>> samples;
    std::vector<std::vector<RunEvent>> events;
    std::vector<RunAftermath> aftermaths;
    std::vector<RunSummary> summaries;
    SessionSummary session;
    std::vector<std::string> order;
};

//! A plan for a target and workload that needs next to no time.
inline Plan smallPlan(const std::string& uri, const std::string& workload = "oltp_point_select")
{
    Plan plan;
    plan.title = "test";
    plan.target.uri = uri;
    plan.workload.name = workload;
    plan.workload.params["table_size"] = std::int64_t(500);
    plan.load.users = {2};
    plan.load.timeSeconds = 0.5;
    plan.load.intervalSeconds = 0.1;
    return plan;
}

//! Runs a plan to its end.
inline void runPlan(const Plan& plan, const RunnerOptions& options, RecordingSink& sink)
{
    SessionRunner runner(plan, options, {&sink});
    runner.start();
    runner.wait();
}

} // namespace dyno::test
