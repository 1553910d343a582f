// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Sends what a session measures into a RunFeed at once, as the bridge does from the control thread.
#pragma once

#include "bridge/run_bridge.h"

namespace dyno::test {

class FeedSink : public SampleSink
{
public:
    explicit FeedSink(RunFeed& feed)
        : m_feed(feed)
    {
    }
    void onSessionStarted(const SessionHeader& v) override
    {
        emit m_feed.sessionStarted(std::make_shared<const SessionHeader>(v));
    }
    void onProgress(const ProgressReport& v) override { emit m_feed.progressed(v); }
    void onRunStarted(const RunHeader& v) override { emit m_feed.runStarted(std::make_shared<const RunHeader>(v)); }
    void onSample(const IntervalSample& v) override { emit m_feed.sampled(std::make_shared<const IntervalSample>(v)); }
    void onEvent(const RunEvent& v) override { emit m_feed.eventHappened(v); }
    void onRunFinished(const RunSummary& v) override { emit m_feed.runFinished(std::make_shared<const RunSummary>(v)); }
    void onSessionFinished(const SessionSummary& v) override
    {
        emit m_feed.sessionFinished(std::make_shared<const SessionSummary>(v));
    }

private:
    RunFeed& m_feed;
};

} // namespace dyno::test
