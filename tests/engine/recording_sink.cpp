// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording_sink.h"

namespace dyno::test {

RecordingSink::RecordingSink() = default;
RecordingSink::~RecordingSink() = default;

void RecordingSink::onSessionStarted(const SessionHeader& value)
{
    order.push_back("session");
    header = value;
}

void RecordingSink::onProgress(const ProgressReport& value)
{
    progress.push_back(value);
    if (progressHook)
        progressHook(value);
}

void RecordingSink::onRunStarted(const RunHeader& value)
{
    order.push_back("run");
    runs.push_back(value);
    samples.emplace_back();
    events.emplace_back();
    if (runHook)
        runHook(value);
}

void RecordingSink::onSample(const IntervalSample& value)
{
    samples.back().push_back(value);
    if (sampleHook)
        sampleHook(value);
}

void RecordingSink::onEvent(const RunEvent& value)
{
    if (!events.empty())
        events.back().push_back(value);
}

void RecordingSink::onRunAftermath(const RunAftermath& value)
{
    aftermaths.push_back(value);
}

void RecordingSink::onRunFinished(const RunSummary& value)
{
    order.push_back("finished");
    summaries.push_back(value);
}

void RecordingSink::onSessionFinished(const SessionSummary& value)
{
    order.push_back("end");
    session = value;
}

Plan smallPlan(const std::string& uri, const std::string& workload)
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

void runPlan(const Plan& plan, const RunnerOptions& options, RecordingSink& sink)
{
    SessionRunner runner(plan, options, {&sink});
    runner.start();
    runner.wait();
}

} // namespace dyno::test
