// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Asks a server for its own counters once an interval, on a thread and a connection of its own; and for the digest of
//! its statements, or for a snapshot of what it does, when that is wanted.
#pragma once

#include "base/suspended.h"
#include "driver/driver.h"
#include "metrics/counter_events.h"
#include "monitor/ask_cost.h"
#include "monitor/ask_meter.h"
#include "monitor/counter_rates.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

//! What it cannot learn is not a number; it never fails a run and never keeps anybody waiting. Control thread.
class CounterMonitor
{
public:
    using OpenAdmin = std::function<Expected<std::unique_ptr<Admin>>()>;

    //! Who tells the counters.
    struct Teller
    {
        std::string name = "the server"; //!< in sentences
        CounterRates::Resets resets = CounterRates::Resets::Together;
        std::int64_t paceNs = 0; //!< the least between two questions, whatever the interval; 0 = one an interval
        std::shared_ptr<std::atomic<bool>> unwanted = nullptr; //!< set when no answer is wanted any more
        std::vector<EventRule> events = {};                    //!< what these counters tell of events
        std::shared_ptr<AskMeter> meter = nullptr; //!< in which its Admin says itself when it asks; else each call does
        //! Of a server on this machine: where its process goes with each connection; none: nobody wants to know.
        std::shared_ptr<std::atomic<int>> process = nullptr;
        std::int64_t (*suspended)() = suspendedNs;
    };

    //! `counters`: what an Admin of this target told, or some of it. Each connection is asked for its own list, since a
    //! server that was restarted may be of another version: what it does not tell has gaps. `open` connects, and again
    //! after it failed; called on the monitor's thread, and possibly after the monitor is gone: it has to own what it
    //! needs.
    CounterMonitor(std::vector<CounterInfo> counters, OpenAdmin open, Teller teller);
    CounterMonitor(std::vector<CounterInfo> counters, OpenAdmin open);
    ~CounterMonitor(); //!< stop()
    CounterMonitor(const CounterMonitor&) = delete;
    CounterMonitor& operator=(const CounterMonitor&) = delete;

    //! Connects (after the users, so that it takes the last connection from none of them) and asks at once, so that the
    //! first interval has something to count from.
    void start();
    //! The interval that is measured now ends at `borderNs` (nowNs()'s clock): asks shortly before it. A question that
    //! is still without an answer is waited for instead. The slower the last answer was, the earlier is the next one
    //! asked for.
    void intervalEndsAt(std::int64_t borderNs);
    //! What was learnt since the last call: one value a counter; all not a number when there was no answer.
    [[nodiscard]] std::vector<double> take();
    //! What a person should know, once a kind: the server does not answer, answers late, counts from the start again.
    [[nodiscard]] std::vector<std::string> takeNotes();
    //! Asks for the digest of the server's statements at `atNs` on nowNs()'s clock, or as soon as nothing else is
    //! asked. Waits for nothing.
    void wantDigest(std::int64_t atNs = 0);
    struct DigestReading
    {
        Expected<std::vector<DigestEntry>> entries;
        std::int64_t beganNs = 0, endedNs = 0;
    };
    //! Waits until no reading is due or under way; false: that would take longer.
    bool awaitDigests(std::chrono::milliseconds patience);
    //! The readings in their order; waits for one that is due, but no longer than that.
    [[nodiscard]] std::vector<DigestReading> takeDigests(std::chrono::milliseconds patience);
    //! What asking for the counters, and for the digest, has cost since start(), with a question that is open.
    [[nodiscard]] AskCost cost() const;
    [[nodiscard]] AskCost digestCost() const;
    [[nodiscard]] AskCost snapshotCost() const;
    [[nodiscard]] std::string source() const; //!< of its first counter
    //! Events that the counters show, and that another server answers or its role changed, in order, on nowNs()'s
    //! clock. `last`: also what lasts, and what was only
    //! counted; nothing comes after it.
    [[nodiscard]] std::vector<CounterEvent> takeEvents(bool last = false);
    //! Asks what the server does, as soon as nothing else is asked. Waits for nothing; while one is wanted already,
    //! that one is the answer.
    void wantSnapshot();
    struct SnapshotReading
    {
        Expected<std::vector<SnapshotPart>> parts;
        std::int64_t beganNs = 0, endedNs = 0;
    };
    //! Nothing while there is no answer; waits for one that is wanted, but no longer than that.
    [[nodiscard]] std::optional<SnapshotReading> takeSnapshot(std::chrono::milliseconds patience);
    //! Asks nothing more and waits for nobody; of several monitors, before the first stop().
    void endSoon();
    //! Ends the thread. One that waits for a server that does not answer is left behind after a moment; it ends with
    //! the answer, or with the connection.
    void stop();

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared; //!< with the thread
};

} // namespace dyno
