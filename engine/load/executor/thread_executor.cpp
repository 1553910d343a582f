// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/executor/executor.h"
#include "load/executor/virtual_user.h"
#include "load/executor/wait_for_reply.h"

#include <fmt/format.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <semaphore>
#include <sys/prctl.h>
#include <system_error>
#include <thread>
#include <vector>

namespace dyno {

namespace {

//! So many connect at the same time: servers queue a few hundred at most and refuse the rest.
constexpr std::ptrdiff_t kConnecting = 64;

//! One user per thread. Its session never answers Pending for long: a pending one is driven by poll() on this thread.
class ThreadExecutor final : public Executor
{
public:
    explicit ThreadExecutor(const ExecutorJob& job)
        : m_job(job)
        , m_sessions(std::size_t(job.users))
    {
    }
    ~ThreadExecutor() override
    {
        m_job.state.stop();
        release();
        join(10);
    }

    Expected<void> connect() override
    {
        for (int i = 0; i < m_job.users; ++i) {
            auto session = m_job.driver.open(partOf(m_job, i).target);
            if (!session)
                return tl::unexpected(session.error());
            m_sessions[std::size_t(i)] = std::move(*session);
        }
        m_threads.reserve(std::size_t(m_job.users));
        for (int i = 0; i < m_job.users; ++i) {
            try {
                m_threads.emplace_back([this, i] { live(i); });
            } catch (const std::system_error& problem) {
                return fail({ErrorKind::Failed,
                             fmt::format("cannot start thread {} of {}: {}", i + 1, m_job.users, problem.what()),
                             {},
                             "raise the limits on threads and memory, or use fewer users"});
            }
        }
        return {};
    }

    void release() override
    {
        {
            const std::lock_guard lock(m_mutex);
            m_released = true;
        }
        m_gate.notify_all();
    }

    void join(double graceSeconds) override
    {
        release(); // a run that fails while connecting never got there, and its users wait at the gate
        {
            std::unique_lock lock(m_mutex);
            const auto grace = std::chrono::duration<double>(graceSeconds);
            if (!m_gate.wait_for(lock, grace, [this] { return m_ended == m_threads.size(); })) {
                // A session is inside a call that does not return: break its connection.
                m_job.state.giveUpWaiting();
                for (auto& session : m_sessions) {
                    if (session)
                        session->abort();
                }
            }
        }
        for (std::thread& thread : m_threads)
            thread.join();
        m_threads.clear();
        m_busyWaitsBefore = busyWaits();
        m_sessions.clear();
        m_ended = 0;
    }

    std::uint64_t busyWaits() const override
    {
        std::uint64_t sum = m_busyWaitsBefore;
        for (const auto& session : m_sessions)
            sum += session ? session->busyWaits() : 0;
        return sum;
    }

private:
    void live(int index)
    {
        // Arrivals are awaited to the microsecond; by default the kernel may be 50 µs late to save power.
        ::prctl(PR_SET_TIMERSLACK, 1000UL);
        try {
            const UserPart part = partOf(m_job, index);
            UserContext user(*m_sessions[std::size_t(index)], m_job.recorder.shard(std::size_t(index)), part.place);
            Task<bool> connecting = connectUser(user, part.target->statements, m_job.state);
            m_connecting.acquire();
            if (!m_job.state.stopping()) {
                connecting.start();
                drive(user);
            }
            m_connecting.release();
            if (connecting.done() && connecting.result()) {
                {
                    std::unique_lock lock(m_mutex);
                    m_gate.wait(lock, [this] { return m_released; });
                }
                Task<void> running = runUser(user, part, m_job.state);
                running.start();
                drive(user);
                running.result();
            }
        } catch (const std::exception& problem) {
            m_job.state.fail({ErrorKind::Failed, fmt::format("user {}: {}", index + 1, problem.what()), {}, {}});
        }
        m_job.state.noteFinished();
        const std::lock_guard lock(m_mutex);
        ++m_ended;
        m_gate.notify_all();
    }

    //! Completes operations of a session that answered Pending, so that every driver runs in every executor.
    void drive(UserContext& user);

    ExecutorJob m_job;
    std::vector<std::unique_ptr<Session>> m_sessions;
    std::vector<std::thread> m_threads;
    std::counting_semaphore<> m_connecting{kConnecting};
    std::mutex m_mutex;
    std::condition_variable m_gate;
    std::size_t m_ended = 0;
    std::uint64_t m_busyWaitsBefore = 0; //!< of sessions that are closed
    bool m_released = false;
};

void ThreadExecutor::drive(UserContext& user)
{
    while (const std::coroutine_handle<> waiter = user.takeWaiter()) {
        if (const std::int64_t until = user.takePause(); until > 0)
            m_job.state.wake.waitUntil(user.pauseTicket(), until);
        else
            finishPending(user.session());
        coro::run(waiter);
    }
}

} // namespace

std::unique_ptr<Executor> makeThreadExecutor(const ExecutorJob& job)
{
    return std::make_unique<ThreadExecutor>(job);
}

} // namespace dyno
