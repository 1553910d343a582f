// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/run_controller.h"

#include "load/executor.h"
#include "metrics/self_health.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace dyno {

namespace {

constexpr double kGraceSeconds = 10; //!< how long a user may take to come back after the end of a run

std::int64_t toNs(double seconds)
{
    return static_cast<std::int64_t>(seconds * 1e9);
}

//! Shards: as many as can be written to at the same time; more would only make sampling dearer.
std::size_t shardsFor(int users)
{
    return std::size_t(std::clamp(users, 1, 2 * std::max(1, int(std::thread::hardware_concurrency()))));
}

//! The state of one run while it lasts.
class Run
{
public:
    Run(const RunJob& job, RunObserver& observer)
        : m_job(job)
        , m_observer(observer)
        , m_users(job.load.users.empty() ? 1 : job.load.users.front())
        , m_state(job.control.signal)
        , m_recorder(shardsFor(m_users), job.operations.size(), false)
        , m_sampler(m_recorder)
        , m_summary(job.operations, job.target->uri.kind == TargetKind::Embedded)
    {
        m_executor = makeThreadExecutor({job.driver, job.target, job.workload, m_recorder, m_state, m_users, job.load.seed});
    }

    RunSummary execute()
    {
        std::optional<Error> problem = connect();
        if (!problem && !cancelled()) {
            begin();
            const bool warm = m_job.load.warmupSeconds > 0;
            if (warm)
                phase(Phase::Warmup, m_job.load.warmupSeconds);
            if (!warm || !over()) // a small budget may be used up already: what was done is still to be sampled
                phase(Phase::Measure, m_job.load.timeSeconds);
        }
        m_state.stop();
        m_executor->join(kGraceSeconds);
        if (!problem)
            problem = m_state.failure();
        return conclude(problem);
    }

private:
    [[nodiscard]] bool cancelled() const { return m_job.control.stopped() || m_job.control.skipped(); }
    [[nodiscard]] bool over() const
    {
        return cancelled() || m_state.stopping() || m_state.finished.load() >= m_users;
    }
    [[nodiscard]] std::int64_t elapsed() const { return nowNs() - m_startNs; }
    void tell(EventKind kind, std::string text, std::int64_t atNs)
    {
        RunEvent event;
        event.tNs = atNs;
        event.kind = kind;
        event.text = std::move(text);
        m_observer.onEvent(event);
    }

    std::optional<Error> connect()
    {
        m_connectStartNs = nowNs();
        if (auto started = m_executor->connect(); !started)
            return started.error();
        while (m_state.connected.load() < m_users && !m_state.stopping() && !cancelled()) {
            m_observer.onPhase(Phase::Connect, m_state.connected.load(), m_users);
            m_job.control.signal.waitUntil(nowNs() + 100'000'000);
        }
        m_observer.onPhase(Phase::Connect, m_state.connected.load(), m_users);
        return m_state.failure();
    }

    void begin()
    {
        const double connecting = double(nowNs() - m_connectStartNs) / 1e9;
        (void)m_sampler.take();
        (void)m_health.take();
        m_busyWaits = m_executor->busyWaits();
        m_startNs = nowNs();
        for (const EarlyEvent& early : m_job.early)
            tell(early.kind, early.text, early.atNs - m_startNs);
        tell(EventKind::Phase, fmt::format("{} {} connected in {:.2f} s", m_users, m_users == 1 ? "user" : "users", connecting), 0);
        m_intervalStartNs = m_startNs;
        if (m_job.load.warmupSeconds <= 0)
            m_state.setBudget(m_job.load.events);
        m_executor->release();
    }

    //! One phase, cut into intervals whose borders are computed from its start, so that they do not drift.
    void phase(Phase which, double seconds)
    {
        const std::int64_t start = m_intervalStartNs;
        const std::int64_t end = seconds > 0 ? start + toNs(seconds) : INT64_MAX;
        const std::int64_t step = std::max<std::int64_t>(toNs(m_job.load.intervalSeconds), 1'000'000);
        if (which == Phase::Measure && m_job.load.warmupSeconds > 0)
            m_state.setBudget(m_job.load.events); // transactions of the warm-up do not count
        tell(EventKind::Phase, which == Phase::Warmup ? "warm-up" : "measuring", start - m_startNs);
        for (;;) {
            const std::int64_t border = std::min(end, start + ((m_intervalStartNs - start) / step + 1) * step);
            if (!over())
                m_job.control.signal.waitUntil(border);
            for (std::string& note : m_job.control.takeNotes())
                tell(EventKind::Note, std::move(note), elapsed());
            const bool ended = over();
            if (ended && !cancelled())
                m_executor->join(kGraceSeconds); // so that the last interval holds everything
            if (!ended && nowNs() < border)
                continue;
            sample(which);
            m_observer.onPhase(which, double(m_intervalStartNs - start) / 1e9, std::max(seconds, 0.0));
            if (ended || m_intervalStartNs >= end)
                return;
        }
    }

    void sample(Phase which)
    {
        IntervalSample sample = m_sampler.take();
        const std::int64_t now = nowNs();
        sample.tNs = m_intervalStartNs - m_startNs;
        sample.lengthNs = now - m_intervalStartNs;
        sample.phase = which;
        sample.users = m_state.connected.load() - m_state.finished.load();
        sample.client = m_health.take();
        const std::uint64_t waits = m_executor->busyWaits();
        sample.lockWaits = waits - std::exchange(m_busyWaits, waits);
        m_intervalStartNs = now;
        m_summary.add(sample);
        m_observer.onSample(sample);
    }

    RunSummary conclude(const std::optional<Error>& problem)
    {
        RunSummary summary = m_summary.summary();
        summary.errorTexts = m_state.errorTexts.take();
        if (problem) {
            summary.status = RunStatus::Failed;
            summary.reason = problem->text();
            if (m_startNs != 0)
                tell(EventKind::Error, problem->message, elapsed());
        } else if (m_job.control.stopped()) {
            summary.status = RunStatus::Stopped;
            summary.reason = "stopped by the user";
        } else if (m_job.control.skipped()) {
            summary.status = RunStatus::Stopped;
            summary.reason = "skipped by the user";
        } else if (summary.transactions == 0 && summary.failed > 0) {
            summary.status = RunStatus::Failed;
            summary.reason = "no transaction succeeded";
            if (!summary.errorTexts.empty())
                summary.reason += fmt::format(": {} (error {})", summary.errorTexts.begin()->second,
                                              summary.errorTexts.begin()->first);
        } else {
            summary.status = RunStatus::Done;
        }
        return summary;
    }

    const RunJob& m_job;
    RunObserver& m_observer;
    int m_users;
    RunState m_state;
    Recorder m_recorder;
    IntervalSampler m_sampler;
    SummaryBuilder m_summary;
    SelfHealth m_health;
    std::unique_ptr<Executor> m_executor;
    std::uint64_t m_busyWaits = 0;
    std::int64_t m_connectStartNs = 0, m_startNs = 0, m_intervalStartNs = 0;
};

} // namespace

void RunControl::annotate(std::string text)
{
    {
        const std::lock_guard lock(m_mutex);
        m_notes.push_back(std::move(text));
    }
    signal.notify();
}

std::vector<std::string> RunControl::takeNotes()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_notes, {});
}

RunSummary executeRun(const RunJob& job, RunObserver& observer)
{
    return Run(job, observer).execute();
}

} // namespace dyno
