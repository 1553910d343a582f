// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The search for the highest load at which an objective holds. No clock, no threads: the run controller does the
//! probing.
#pragma once

#include <dyno/plan.h>
#include <dyno/samples.h>

#include <deque>
#include <optional>
#include <string>

namespace dyno {

//! Adds up the intervals of a probe, or of the last seconds, and says whether the objective holds in them.
class ObjectiveWatch
{
public:
    //! `windowSeconds`: only the newest intervals that cover it count; 0 = all.
    explicit ObjectiveWatch(Objective objective, double windowSeconds = 0);
    void add(const IntervalSample& sample);
    void reset();
    [[nodiscard]] bool full() const { return m_seconds >= m_window * 0.99; }
    //! The percentile is within the limit, nothing failed, nothing was dropped, and (open loop) what arrived was
    //! served.
    [[nodiscard]] bool holds() const { return why().empty(); }
    //! Why it does not hold: "p99 is 31.2 ms"; empty when it does.
    [[nodiscard]] std::string why() const;
    [[nodiscard]] double percentileMs() const;

private:
    Objective m_objective;
    double m_window;
    double m_seconds = 0;
    std::deque<IntervalSample> m_samples;
};

//! Bisection between the two ends of a Search, with confirmation at the answer. Ask next() for a load, say by
//! result() whether it held, until next() has no more. The middle is the geometric one: loads differ by factors.
class Bisection
{
public:
    explicit Bisection(const Search& search);
    [[nodiscard]] std::optional<double> next() const;
    void result(bool holds);
    //! The highest load that held and was confirmed; 0 when none did. Valid when next() has no more.
    [[nodiscard]] double answer() const { return m_stage == Stage::Done ? m_low : 0; }
    //! No answer because the probes contradict one another too often.
    [[nodiscard]] bool gaveUp() const { return m_gaveUp; }
    [[nodiscard]] int probes() const { return m_probes; }

private:
    enum class Stage { High, Low, Between, Confirm, Done, Nothing };
    void narrow();
    [[nodiscard]] double middle() const;
    [[nodiscard]] bool narrowEnough() const;
    Search m_search;
    Stage m_stage = Stage::High;
    double m_low = 0, m_high = 0;
    int m_confirmed = 0;
    int m_probes = 0;
    bool m_gaveUp = false;
};

} // namespace dyno
