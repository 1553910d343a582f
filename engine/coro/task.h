// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Task<T>: a lazy coroutine that runs on the thread that resumes it, and lives and dies there.
//!
//! It does not use symmetric transfer: on GCC 12 the textbook form overflows the stack when operations complete
//! synchronously (at -O0, -Og, -O1 and under sanitizers; jbaldwin/libcoro issue 273). Instead the child starts in
//! await_ready(), and the continuation of a child that really suspended goes through a per-thread trampoline slot.
//!
//! Rules for code that uses it: `co_await` alone in its statement; no lambda with captures as a coroutine; no
//! structured binding on an awaited value; parameters by value or owned by the worker.
#pragma once

#include "coro/frame_pool.h"

#include <coroutine>
#include <exception>
#include <utility>

namespace dyno {

namespace coro {
//! The coroutine that must be resumed next on this thread.
inline constinit thread_local std::coroutine_handle<> t_next;

//! Resumes `handle` and everything that becomes ready through it. The only way an executor resumes user code.
inline void run(std::coroutine_handle<> handle)
{
    t_next = handle;
    while (t_next)
        std::exchange(t_next, {}).resume();
}
} // namespace coro

template<class T>
class Task;

namespace coro {

struct PromiseBase
{
    std::coroutine_handle<> continuation; //!< set only when the awaiting coroutine really suspended
    std::exception_ptr error;

    static void* operator new(std::size_t size) { return FramePool::allocate(size); }
    static void operator delete(void* frame, std::size_t size) noexcept { FramePool::release(frame, size); }

    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final
    {
        bool await_ready() noexcept { return false; }
        template<class P>
        void await_suspend(std::coroutine_handle<P> handle) noexcept
        {
            t_next = handle.promise().continuation;
        }
        void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { error = std::current_exception(); }
};

template<class T>
struct Promise : PromiseBase
{
    T value{};
    Task<T> get_return_object();
    void return_value(T v) { value = std::move(v); }
    T take()
    {
        if (error)
            std::rethrow_exception(error);
        return std::move(value);
    }
};

template<>
struct Promise<void> : PromiseBase
{
    Task<void> get_return_object();
    void return_void() {}
    void take()
    {
        if (error)
            std::rethrow_exception(error);
    }
};

} // namespace coro

template<class T>
class [[nodiscard]] Task
{
public:
    using promise_type = coro::Promise<T>;

    Task() = default;
    explicit Task(std::coroutine_handle<promise_type> handle)
        : m_handle(handle)
    {
    }
    Task(Task&& other) noexcept
        : m_handle(std::exchange(other.m_handle, {}))
    {
    }
    Task& operator=(Task&& other) noexcept
    {
        if (this != &other) {
            if (m_handle)
                m_handle.destroy();
            m_handle = std::exchange(other.m_handle, {});
        }
        return *this;
    }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    ~Task()
    {
        if (m_handle)
            m_handle.destroy();
    }

    //! Runs the child now; the awaiting coroutine suspends only if the child is really waiting.
    bool await_ready()
    {
        m_handle.resume();
        return m_handle.done();
    }
    void await_suspend(std::coroutine_handle<> continuation) noexcept
    {
        m_handle.promise().continuation = continuation;
    }
    T await_resume() { return m_handle.promise().take(); }

    //! For executors: starts a top-level task on this thread.
    void start() { coro::run(m_handle); }
    [[nodiscard]] bool done() const { return !m_handle || m_handle.done(); }
    //! For executors: the value, or the exception that ended the task.
    T result() { return m_handle.promise().take(); }

private:
    std::coroutine_handle<promise_type> m_handle;
};

template<class T>
Task<T> coro::Promise<T>::get_return_object()
{
    return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> coro::Promise<void>::get_return_object()
{
    return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

} // namespace dyno
