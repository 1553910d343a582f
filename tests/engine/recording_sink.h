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
    RecordingSink();
    ~RecordingSink() override;

    std::function<void(const IntervalSample&)> sampleHook; //!< runs on the control thread
    std::function<void(const ProgressReport&)> progressHook;
    std::function<void(const RunHeader&)> runHook;

    void onSessionStarted(const SessionHeader& value) override;
    void onProgress(const ProgressReport& value) override;
    void onRunStarted(const RunHeader& value) override;
    void onSample(const IntervalSample& value) override;
    void onEvent(const RunEvent& value) override;
    void onRunAftermath(const RunAftermath& value) override;
    void onRunFinished(const RunSummary& value) override;
    void onSessionFinished(const SessionSummary& value) override;

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
[[nodiscard]] Plan smallPlan(const std::string& uri, const std::string& workload = "oltp_point_select");
//! Runs a plan to its end.
void runPlan(const Plan& plan, const RunnerOptions& options, RecordingSink& sink);

} // namespace dyno::test
