// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Whole runs on the null target in both executors.
#pragma once

#include "recording_sink.h"

#include <QTest>

#include <string>

namespace dyno::test {

//! The rows of a test of both executors, in the column "executor".
inline void addExecutors()
{
    QTest::addColumn<ExecutorKind>("executor");
    QTest::newRow("threads") << ExecutorKind::Threads;
    QTest::newRow("loops") << ExecutorKind::Loops;
}

inline const RunSummary& only(const RecordingSink& sink)
{
    return sink.summaries.front();
}

inline Plan planFor(ExecutorKind executor, const std::string& uri)
{
    Plan plan = smallPlan(uri);
    plan.load.executor = executor;
    return plan;
}

//! The same in an open loop with even gaps.
inline Plan openPlan(ExecutorKind executor, const std::string& uri, int users, double rate)
{
    Plan plan = planFor(executor, uri);
    plan.load.users = {users};
    plan.load.arrival.model = ArrivalModel::Fixed;
    plan.load.arrival.rate = rate;
    plan.load.timeSeconds = 1;
    return plan;
}

//! A workload whose users key, at a share of the specification's times.
inline Plan pacedPlan(ExecutorKind executor, const std::string& uri, double keying)
{
    Plan plan = planFor(executor, uri);
    plan.workload.name = "tpcc";
    plan.workload.params = {{"customers", std::int64_t(30)}, {"items", std::int64_t(100)}, {"keying_time", keying}};
    return plan;
}

//! Begins with empty tables: a load could fail.
inline WorkloadSpec retrying(bool inside)
{
    WorkloadSpec workload;
    workload.name = "oltp_insert";
    workload.params = {{"auto_inc", false}, {"retry_sample", std::string(inside ? "inside" : "outside")}};
    return workload;
}

inline bool hasEvent(const RecordingSink& sink, EventKind kind, const char* text)
{
    for (const RunEvent& event : sink.events.front()) {
        if (event.kind == kind && event.text.find(text) != std::string::npos)
            return true;
    }
    return false;
}

} // namespace dyno::test
