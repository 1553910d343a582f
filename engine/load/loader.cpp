// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/loader.h"

#include "load/pending.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace dyno {

namespace {

constexpr std::int64_t kGraceNs = 2'000'000'000; //!< for the slices under way when a load is cancelled

struct Work
{
    LoadSlice slice;
    std::size_t table = 0;
};

//! Hands out the rows of all tables, each once. Any thread.
class Queue
{
public:
    Queue(const std::vector<TableSpec>& tables, int sessions)
        : m_tables(tables)
        , m_sessions(sessions)
    {
    }

    [[nodiscard]] std::optional<Work> take(bool bulk)
    {
        const std::lock_guard lock(m_mutex);
        while (m_table < m_tables.size() && m_next > m_tables[m_table].rows) {
            ++m_table;
            m_next = 1;
        }
        if (m_table == m_tables.size())
            return {};
        const TableSpec& table = m_tables[m_table];
        const bool asBulk = bulk && table.bulkRowsPerSlice > 0;
        const std::int64_t step = asBulk ? bulkStep(table) : std::max<std::int64_t>(1, table.rowsPerSlice);
        const std::int64_t last = std::min(table.rows, m_next + step - 1);
        const Work work {{int(m_table) + 1, m_next, last, asBulk}, m_table};
        m_next = last + 1;
        return work;
    }

private:
    //! Large slices have large ends: they become smaller towards the end of a table, so that all sessions finish it at
    //! about the same time.
    [[nodiscard]] std::int64_t bulkStep(const TableSpec& table) const
    {
        const std::int64_t largest = table.bulkRowsPerSlice;
        const std::int64_t smallest = std::clamp<std::int64_t>(table.rowsPerSlice, 1, largest);
        return std::clamp((table.rows - m_next + 1) / (2 * m_sessions), smallest, largest);
    }

    const std::vector<TableSpec>& m_tables;
    int m_sessions;
    std::mutex m_mutex;
    std::size_t m_table = 0;
    std::int64_t m_next = 1;
};

//! What the loader sessions share.
struct Shared
{
    explicit Shared(const LoaderJob& job, int sessions)
        : queue(job.tables, sessions)
        , rowsLeft(std::make_unique<std::atomic<std::int64_t>[]>(job.tables.size()))
        , complete(std::make_unique<std::atomic<bool>[]>(job.tables.size()))
    {
        for (std::size_t i = 0; i < job.tables.size(); ++i) {
            rowsLeft[i] = std::max<std::int64_t>(0, job.tables[i].rows);
            complete[i] = rowsLeft[i] == 0;
            totalRows += std::uint64_t(rowsLeft[i].load());
        }
    }

    Queue queue;
    std::uint64_t totalRows = 0;
    std::atomic<std::uint64_t> rows {0};
    std::atomic<std::size_t> currentTable {0};
    std::unique_ptr<std::atomic<std::int64_t>[]> rowsLeft; //!< per table
    std::unique_ptr<std::atomic<bool>[]> complete;         //!< per table
    std::atomic<int> live {0};
    std::once_flag asked;      //!< whether the target takes bulk rows
    std::atomic<bool> bulk {false};
    std::mutex noteMutex;
    std::string note;
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

Task<Outcome> runRequest(UserContext& user, Request request)
{
    const Reply reply = co_await user.step(request);
    co_return reply.outcome;
}

Outcome run(UserContext& user, const Request& request)
{
    Task<Outcome> task = runRequest(user, request);
    return complete(task, user);
}

void reportLoadError(UserContext& user, RunState& state, std::string_view what)
{
    if (state.stopping())
        return; // cancelled or failed before: its sessions are cut
    state.fail({ErrorKind::Failed, fmt::format("{}: {} (error {})", what, user.session().lastError(), user.lastCode()), {},
                "mend the cause and load again"});
}

//! Offers the target no rows at all: a refusal leaves nothing behind, and later errors are about the rows. False when
//! the connection was lost over it.
bool askForBulk(const LoaderJob& job, Shared& shared, RunState& state, UserContext& user)
{
    const auto able = std::find_if(job.tables.begin(), job.tables.end(), [](const TableSpec& table) {
        return table.bulkRowsPerSlice > 0 && table.rows > 0;
    });
    if (able == job.tables.end() || textOf(job.target->connection, "bulk_load", "auto") == "off")
        return true;
    const std::string table = fmt::format("{} ({})", able->name, fmt::join(able->columns, ", "));
    const Outcome outcome = run(user, {.kind = RequestKind::Bulk, .text = table});
    if (outcome == Outcome::Disconnected) {
        state.fail({ErrorKind::Failed,
                    fmt::format("the connection was lost when {} was to be loaded in bulk: {} (error {})", able->name,
                                user.session().lastError(), user.lastCode()),
                    {}, "set connection.bulk_load to off, or mend the cause, and load again"});
        return false;
    }
    shared.bulk = outcome == Outcome::Ok;
    if (outcome != Outcome::Ok) {
        const std::lock_guard lock(shared.noteMutex);
        shared.note = fmt::format("with INSERT statements, because the target does not take rows in bulk: {} (error {})",
                                  user.session().lastError(), user.lastCode());
    }
    return true;
}

void loadWith(const LoaderJob& job, Shared& shared, RunState& state, UserContext& user)
{
    if (run(user, Request::step(RequestKind::Connect)) != Outcome::Ok)
        return reportLoadError(user, state, "a loader session could not connect");
    for (const std::string& setup : job.workload.loaderSessionSetup()) {
        if (run(user, Request::sql(setup)) != Outcome::Ok)
            return reportLoadError(user, state, setup);
    }
    bool usable = true;
    std::call_once(shared.asked, [&] { usable = askForBulk(job, shared, state, user); });
    while (usable && !state.stopping()) {
        const std::optional<Work> work = shared.queue.take(shared.bulk.load());
        if (!work)
            return;
        const TableSpec& table = job.tables[work->table];
        shared.currentTable.store(work->table);
        Task<Outcome> loading = job.workload.load(user, work->slice);
        if (complete(loading, user) != Outcome::Ok)
            return reportLoadError(user, state, fmt::format("loading {} failed", table.name));
        const std::int64_t rows = work->slice.lastRow - work->slice.firstRow + 1;
        shared.rows.fetch_add(std::uint64_t(rows));
        if (shared.rowsLeft[work->table].fetch_sub(rows) != rows)
            continue;
        for (const std::string& after : table.afterLoad) {
            if (run(user, Request::sql(after)) != Outcome::Ok)
                return reportLoadError(user, state, after);
        }
        shared.complete[work->table] = true;
    }
}

//! No more than there are slices.
int sessionsFor(const LoaderJob& job)
{
    std::int64_t slices = 0;
    for (const TableSpec& table : job.tables) {
        const std::int64_t step = std::max<std::int64_t>(1, table.rowsPerSlice);
        slices += (std::max<std::int64_t>(0, table.rows) + step - 1) / step;
    }
    return int(std::clamp<std::int64_t>(job.sessions, 1, std::max<std::int64_t>(1, slices)));
}

LoadProgress progressNow(const LoaderJob& job, Shared& shared, std::int64_t startNs)
{
    LoadProgress now;
    now.rows = shared.rows.load();
    now.totalRows = shared.totalRows;
    now.table = job.tables[shared.currentTable.load()].name;
    now.finishing = now.rows == now.totalRows;
    if (now.rows > 0 && !now.finishing)
        now.secondsLeft = double(nowNs() - startNs) / 1e9 / double(now.rows) * double(now.totalRows - now.rows);
    const std::lock_guard lock(shared.noteMutex);
    now.note = shared.note;
    return now;
}

} // namespace

std::string toText(const LoadProgress& progress)
{
    std::string text = progress.finishing
        ? fmt::format("building indexes of {}", progress.table)
        : fmt::format("loading {}: {} of {} rows", progress.table, progress.rows, progress.totalRows);
    return progress.note.empty() ? text : fmt::format("{} ({})", text, progress.note);
}

Expected<void> loadTables(const LoaderJob& job, const LoadProgressCallback& progress, LoadResult& result)
{
    const int count = sessionsFor(job);
    Signal signal;
    RunState state(signal);
    Shared shared(job, count);
    Recorder recorder(1, 1, false);
    result = {};
    result.complete.assign(job.tables.size(), false);
    if (shared.totalRows == 0)
        return {};

    std::vector<std::unique_ptr<Session>> sessions;
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
    std::int64_t cancelledNs = 0;
    while (shared.live.load() > 0) {
        signal.waitUntil(nowNs() + 100'000'000);
        if (cancelledNs == 0 && progress && !progress(progressNow(job, shared, start))) {
            cancelledNs = nowNs();
            state.stop();
        }
        if (cancelledNs != 0 && !result.abandoned && nowNs() - cancelledNs > kGraceNs && shared.live.load() > 0) {
            result.abandoned = true;
            for (const auto& session : sessions)
                session->abort();
        }
    }
    for (std::thread& thread : threads)
        thread.join();
    result.bulk = shared.bulk;
    result.note = shared.note;
    for (std::size_t i = 0; i < job.tables.size(); ++i)
        result.complete[i] = shared.complete[i];
    if (const auto failure = state.failure())
        return fail(*failure);
    if (cancelledNs != 0)
        return fail({ErrorKind::Interrupted, "loading was stopped", {}, "load again before running"});
    return {};
}

} // namespace dyno
