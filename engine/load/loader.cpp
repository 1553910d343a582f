// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/loader.h"

#include "load/pending.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

namespace dyno {

namespace {

struct Work
{
    LoadSlice slice;
    std::size_t table;
};

//! What the loader sessions share.
struct Shared
{
    std::vector<Work> queue;
    std::atomic<std::size_t> next {0};
    std::atomic<std::uint64_t> rows {0};
    std::atomic<std::size_t> currentTable {0};
    std::unique_ptr<std::atomic<std::size_t>[]> slicesLeft; //!< per table
    std::atomic<int> live {0};
};

template<class T>
T complete(Task<T>& task, UserContext& user)
{
    task.start();
    while (const std::coroutine_handle<> waiter = user.takeWaiter()) {
        finishPending(user.session());
        coro::run(waiter);
    }
    return task.result();
}

Task<Outcome> runText(UserContext& user, std::string_view text)
{
    const Request request = Request::sql(text);
    const Reply reply = co_await user.step(request);
    co_return reply.outcome;
}

Task<Outcome> connectLoader(UserContext& user)
{
    const Request connect = Request::step(RequestKind::Connect);
    const Reply reply = co_await user.step(connect);
    co_return reply.outcome;
}

void reportLoadError(UserContext& user, RunState& state, std::string_view what)
{
    state.fail({ErrorKind::Failed, fmt::format("{}: {} (error {})", what, user.session().lastError(), user.lastCode()), {},
                "mend the cause and load again; the tables are incomplete"});
}

void loadWith(const LoaderJob& job, Shared& shared, RunState& state, UserContext& user)
{
    Task<Outcome> connecting = connectLoader(user);
    if (complete(connecting, user) != Outcome::Ok)
        return reportLoadError(user, state, "a loader session could not connect");
    for (const std::string& setup : job.workload.loaderSessionSetup()) {
        Task<Outcome> task = runText(user, setup);
        if (complete(task, user) != Outcome::Ok)
            return reportLoadError(user, state, setup);
    }
    while (!state.stopping()) {
        const std::size_t index = shared.next.fetch_add(1);
        if (index >= shared.queue.size())
            return;
        const Work& work = shared.queue[index];
        const TableSpec& table = job.tables[work.table];
        shared.currentTable.store(work.table);
        Task<Outcome> loading = job.workload.load(user, work.slice);
        if (complete(loading, user) != Outcome::Ok)
            return reportLoadError(user, state, fmt::format("loading {} failed", table.name));
        shared.rows.fetch_add(std::uint64_t(work.slice.lastRow - work.slice.firstRow + 1));
        if (shared.slicesLeft[work.table].fetch_sub(1) != 1)
            continue;
        for (const std::string& after : table.afterLoad) {
            Task<Outcome> task = runText(user, after);
            if (complete(task, user) != Outcome::Ok)
                return reportLoadError(user, state, after);
        }
    }
}

std::uint64_t enqueue(const LoaderJob& job, Shared& shared)
{
    std::uint64_t total = 0;
    shared.slicesLeft = std::make_unique<std::atomic<std::size_t>[]>(job.tables.size());
    for (std::size_t t = 0; t < job.tables.size(); ++t) {
        const TableSpec& table = job.tables[t];
        const std::int64_t step = std::max<std::int64_t>(1, table.rowsPerSlice);
        for (std::int64_t first = 1; first <= table.rows; first += step) {
            const std::int64_t last = std::min(table.rows, first + step - 1);
            shared.queue.push_back({{int(t) + 1, first, last}, t});
            ++shared.slicesLeft[t];
        }
        total += std::uint64_t(std::max<std::int64_t>(0, table.rows));
    }
    return total;
}

} // namespace

Expected<void> loadTables(const LoaderJob& job, const LoadProgressCallback& progress)
{
    Signal signal;
    RunState state(signal);
    Shared shared;
    const std::uint64_t total = enqueue(job, shared);
    Recorder recorder(1, 1, false);

    std::vector<std::unique_ptr<Session>> sessions;
    const int count = std::max(1, std::min(job.sessions, int(shared.queue.size())));
    for (int i = 0; i < count; ++i) {
        auto session = job.driver.open(job.target);
        if (!session)
            return tl::unexpected(session.error());
        sessions.push_back(std::move(*session));
    }
    shared.live = count;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            try {
                UserContext user(*sessions[std::size_t(i)], recorder.shard(0), {UserId(i), count, job.seed});
                loadWith(job, shared, state, user);
            } catch (const std::exception& problem) {
                state.fail({ErrorKind::Failed, fmt::format("loading failed: {}", problem.what()), {}, {}});
            }
            shared.live.fetch_sub(1);
            signal.notify();
        });
    }

    const std::int64_t start = nowNs();
    bool cancelled = false;
    while (shared.live.load() > 0) {
        signal.waitUntil(nowNs() + 100'000'000);
        LoadProgress now;
        now.rows = shared.rows.load();
        now.totalRows = total;
        now.table = job.tables[shared.currentTable.load()].name;
        now.finishing = now.rows == total;
        if (now.rows > 0)
            now.secondsLeft = double(nowNs() - start) / 1e9 / double(now.rows) * double(total - now.rows);
        if (!cancelled && progress && !progress(now)) {
            cancelled = true;
            state.stop();
        }
    }
    for (std::thread& thread : threads)
        thread.join();
    if (const auto failure = state.failure())
        return fail(*failure);
    if (cancelled)
        return fail({ErrorKind::Interrupted, "loading was stopped", {}, "load again before running: the tables are incomplete"});
    return {};
}

} // namespace dyno
