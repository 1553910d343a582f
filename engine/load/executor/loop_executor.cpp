// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/executor/event_loop.h"
#include "load/executor/executor.h"
#include "plan/plan_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace dyno {

namespace {

int loopsFor(int wanted, int users)
{
    const int cores = std::max(1, int(std::thread::hardware_concurrency()));
    return std::clamp(wanted > 0 ? wanted : cores / 2, 1, std::clamp(users, 1, kMostLoops));
}

//! The users of a run dealt out to a few event loops.
class LoopExecutor final : public Executor
{
public:
    LoopExecutor(const ExecutorJob& job, int loops)
        : m_job(job)
    {
        const int count = loopsFor(loops, job.users);
        for (int i = 0; i < count; ++i)
            m_loops.push_back(std::make_unique<EventLoop>(job));
    }
    ~LoopExecutor() override
    {
        m_job.state.stop();
        join(10);
    }

    Expected<void> connect() override
    {
        for (int i = 0; i < m_job.users; ++i) {
            auto session = m_job.driver.open(partOf(m_job, i).target);
            if (!session)
                return tl::unexpected(session.error());
            m_loops[std::size_t(i) % m_loops.size()]->add(i, std::move(*session));
        }
        for (auto& loop : m_loops) {
            if (auto ready = loop->prepare(); !ready)
                return ready;
        }
        for (auto& loop : m_loops) {
            try {
                m_threads.emplace_back([&loop] { loop->live(); });
            } catch (const std::system_error& problem) {
                return fail({ErrorKind::Failed,
                             fmt::format("cannot start a thread: {}", problem.what()),
                             {},
                             "raise the limits on threads and memory"});
            }
        }
        return {};
    }

    void release() override
    {
        for (auto& loop : m_loops)
            loop->release();
    }

    void join(double graceSeconds) override
    {
        const std::int64_t deadline = nowNs() + std::int64_t(graceSeconds * 1e9);
        for (auto& loop : m_loops)
            loop->endBy(deadline);
        for (std::thread& thread : m_threads)
            thread.join();
        m_threads.clear();
        m_busyWaitsBefore = busyWaits();
        for (auto& loop : m_loops)
            loop->clear();
    }

    std::uint64_t busyWaits() const override
    {
        std::uint64_t sum = m_busyWaitsBefore;
        for (const auto& loop : m_loops)
            sum += loop->busyWaits();
        return sum;
    }

    double takeLoopLagMs() override
    {
        std::int64_t lag = 0;
        for (auto& loop : m_loops)
            lag = std::max(lag, loop->takeLagNs());
        return double(lag) * 1e-6;
    }

private:
    ExecutorJob m_job;
    std::vector<std::unique_ptr<EventLoop>> m_loops;
    std::vector<std::thread> m_threads;
    std::uint64_t m_busyWaitsBefore = 0; //!< of sessions that are closed
};

} // namespace

std::unique_ptr<Executor> makeLoopExecutor(const ExecutorJob& job, int loops)
{
    return std::make_unique<LoopExecutor>(job, loops);
}

bool prefersLoops(const DriverInfo& driver, int users)
{
    return driver.eventLoop && users >= driver.loopsFrom;
}

} // namespace dyno
