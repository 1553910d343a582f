// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/data/loader.h"

#include "load/executor/wait_for_reply.h"

#include <dyno/uri_form.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace dyno {

namespace {

constexpr std::int64_t kStandsStillNs = 10'000'000'000; //!< without a row
constexpr std::uint64_t kNoRoom = 1 << 20;              //!< bytes: less than a server takes at a time
constexpr const char* kMakeRoom = "make room where the database keeps its files, or take less data, and load again";
constexpr std::int64_t kAskNs = 100'000'000;     //!< between two calls of progress()
constexpr std::int64_t kGraceNs = 2'000'000'000; //!< for the slices under way when a load is cancelled

struct Work
{
    LoadSlice slice;
    std::size_t table = 0;
    bool endsPart = false;
};

//! The part of a table that a loader session has begun.
struct Part
{
    std::size_t table = 0;
    std::int64_t next = 1, last = 0; //!< rows
};

std::int64_t partsOf(const TableSpec& table)
{
    return table.rowsPerPart > 0 ? (table.rows + table.rowsPerPart - 1) / table.rowsPerPart : 0;
}

//! Hands out the rows of all tables, each once. Any thread.
class Queue
{
public:
    Queue(const std::vector<TableSpec>& tables, int sessions)
        : m_tables(tables)
        , m_sessions(sessions)
    {
    }

    //! `mine` belongs to the calling session.
    [[nodiscard]] std::optional<Work> take(bool bulk, Part& mine)
    {
        if (mine.next > mine.last && !open(bulk, mine))
            return {};
        const TableSpec& table = m_tables[mine.table];
        const bool asBulk = bulk && table.bulkRowsPerSlice > 0;
        const bool inParts = table.rowsPerPart > 0;
        const std::int64_t step = !inParts ? mine.last - mine.next + 1
                                  : asBulk ? table.bulkRowsPerSlice
                                           : sliceStep(table);
        const std::int64_t first = mine.next, last = std::min(mine.last, first + step - 1);
        mine.next = last + 1;
        return Work{{int(mine.table) + 1, first, last, asBulk}, mine.table, inParts && last == mine.last};
    }

private:
    //! The next part, or slice of a table that has no parts; false when all are given out.
    bool open(bool bulk, Part& mine)
    {
        const std::lock_guard lock(m_mutex);
        while (m_table < m_tables.size() && m_next > m_tables[m_table].rows) {
            ++m_table;
            m_next = 1;
        }
        if (m_table == m_tables.size())
            return false;
        const TableSpec& table = m_tables[m_table];
        const std::int64_t rows = table.rowsPerPart > 0                ? table.rowsPerPart
                                  : bulk && table.bulkRowsPerSlice > 0 ? bulkStep(table)
                                                                       : sliceStep(table);
        mine = {m_table, m_next, std::min(table.rows, m_next + rows - 1)};
        m_next = mine.last + 1;
        return true;
    }
    [[nodiscard]] static std::int64_t sliceStep(const TableSpec& table)
    {
        return std::max<std::int64_t>(1, table.rowsPerSlice);
    }
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
        , partsDone(std::make_unique<std::atomic<std::int64_t>[]>(job.tables.size()))
        , complete(std::make_unique<std::atomic<bool>[]>(job.tables.size()))
        , again(std::size_t(sessions))
    {
        for (std::size_t i = 0; i < job.tables.size(); ++i) {
            rowsLeft[i] = std::max<std::int64_t>(0, job.tables[i].rows);
            complete[i] = rowsLeft[i] == 0 && job.tables[i].afterAll.empty();
            tablesLeft += rowsLeft[i] == 0 ? 0 : 1;
            totalRows += std::uint64_t(rowsLeft[i].load());
        }
    }

    Queue queue;
    std::uint64_t totalRows = 0;
    std::atomic<std::uint64_t> rows{0};
    std::atomic<std::size_t> currentTable{0};
    std::unique_ptr<std::atomic<std::int64_t>[]> rowsLeft;  //!< per table
    std::unique_ptr<std::atomic<std::int64_t>[]> partsDone; //!< per table
    std::atomic<std::size_t> tablesLeft{0};        //!< without all their rows and afterLoad; afterAll comes later
    std::unique_ptr<std::atomic<bool>[]> complete; //!< per table
    std::atomic<int> live{0};
    std::once_flag asked; //!< whether the target takes bulk rows
    std::atomic<bool> bulk{false};
    std::mutex noteMutex;
    std::string note;
    std::map<std::int32_t, std::uint64_t> retries; //!< with noteMutex
    std::int64_t indexFromNs = 0, indexToNs = 0;   //!< commands that make indexes, with noteMutex; 0 = there was none
    struct Again
    {
        int tries = 0; //!< the one under way, from the second on; 0 = nothing that was ended is under way
        std::string why;
    };
    std::vector<Again> again; //!< per session, with noteMutex
};

//! The connection of a loader session. What the server ends so that others can go on (a deadlock, a lock that did not
//! come) is sent again, unless it is a part of a transaction: then all of that is to be done again, which mayRepeat()
//! prepares. Blocks. One thread, but for abort().
class RepeatingSession : public Session
{
public:
    RepeatingSession(Session& session, Shared& shared, const RunState& state, int number, bool repeats)
        : m_session(session)
        , m_shared(shared)
        , m_state(state)
        , m_number(number)
        , m_repeats(repeats)
    {
    }

    Progress start(const Request& request) override
    {
        const bool alone = request.kind == RequestKind::Execute || request.kind == RequestKind::Text ||
                           request.kind == RequestKind::Bulk || request.kind == RequestKind::Begin;
        send(request);
        if (alone && !m_inTransaction && m_reply.outcome == Outcome::Retryable)
            sendAgain(request);
        m_endedTransaction = m_inTransaction && m_reply.outcome == Outcome::Retryable;
        if (request.kind == RequestKind::Begin)
            m_inTransaction = m_reply.outcome == Outcome::Ok;
        else if (request.kind == RequestKind::Commit)
            m_inTransaction = m_inTransaction && m_reply.outcome != Outcome::Ok;
        return Progress::Done;
    }
    void abort() noexcept override { m_session.abort(); }
    [[nodiscard]] std::string lastError() const override { return m_session.lastError(); }
    [[nodiscard]] std::uint64_t busyWaits() const override { return m_session.busyWaits(); }

    //! The last request was a part of a transaction, which is to be done again as a whole.
    [[nodiscard]] bool endedTransaction() const { return m_endedTransaction; }
    //! After a Retryable answer, the `repeat`th of the same work: counts it, rolls back what is left of it, and lets
    //! the others pass. False when it is not to be repeated.
    bool mayRepeat(int repeat)
    {
        if (!m_repeats || repeat >= kMostLoadTries || m_state.stopping())
            return false;
        const Reply ended = m_reply;
        {
            const std::lock_guard lock(m_shared.noteMutex);
            ++m_shared.retries[ended.code];
            m_shared.again[std::size_t(m_number)] = {
                repeat + 1, fmt::format("error {}: {}", errorName(m_state.driver, ended.code), m_session.lastError())};
        }
        // A lock wait that was too long ends its statement only; after a deadlock there is nothing left to roll back.
        send(Request::step(RequestKind::Rollback));
        m_inTransaction = false;
        const bool connected = m_reply.outcome != Outcome::Disconnected;
        constexpr int kMostDoublings = 6;
        constexpr int kNumbers = 16; // they come back at different times
        if (connected)
            std::this_thread::sleep_for(
                std::chrono::milliseconds((1 << std::min(repeat, kMostDoublings)) + m_number % kNumbers));
        return connected;
    }
    //! After mayRepeat(): the work is done now.
    void wentThrough() { setAgain({}); }

private:
    void sendAgain(const Request& request)
    {
        const Shared::Again slice = again(); // of which this is a part
        for (int repeat = 1; m_reply.outcome == Outcome::Retryable && mayRepeat(repeat); ++repeat)
            send(request);
        if (m_reply.outcome == Outcome::Ok)
            setAgain(slice);
    }
    [[nodiscard]] Shared::Again again()
    {
        const std::lock_guard lock(m_shared.noteMutex);
        return m_shared.again[std::size_t(m_number)];
    }
    void setAgain(const Shared::Again& now)
    {
        const std::lock_guard lock(m_shared.noteMutex);
        m_shared.again[std::size_t(m_number)] = now;
    }
    void send(const Request& request)
    {
        if (m_session.start(request) == Progress::Pending)
            finishPending(m_session);
        m_reply = m_session.reply();
        if (m_kept.rows() > 0 || m_session.kept().rows() > 0)
            m_kept = m_session.kept();
    }

    Session& m_session;
    Shared& m_shared;
    const RunState& m_state;
    int m_number;
    bool m_repeats;
    bool m_inTransaction = false, m_endedTransaction = false;
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

//! In the words of SQLite, MariaDB, MySQL and the system.
bool tellsOfAFullDisk(std::string_view text)
{
    return std::ranges::any_of(std::array{" is full", "Disk full", "No space left"},
                               [text](std::string_view words) { return text.find(words) != std::string_view::npos; });
}

void reportLoadError(UserContext& user, RunState& state, std::string_view what)
{
    if (state.stopping())
        return; // cancelled or failed before: its sessions are cut
    const std::string why = user.errorText();
    state.fail({ErrorKind::Failed,
                fmt::format("{}: {} (error {})", what, why, errorName(state.driver, user.lastCode())),
                {},
                tellsOfAFullDisk(why) ? kMakeRoom : "fix this, then load again"});
}

//! A server whose disk is full gives no error for tables of MyISAM and Aria, nor for its binary log: it waits for
//! somebody to make room, and looks each minute ("How MySQL Handles a Full Disk").
class StandStill
{
public:
    explicit StandStill(std::filesystem::path folder)
        : m_folder(std::move(folder))
    {
    }
    //! That is why no more rows come than the `rows` that are loaded.
    [[nodiscard]] bool seen(std::uint64_t rows)
    {
        if (m_folder.empty())
            return false;
        const std::int64_t now = nowNs();
        std::error_code error;
        const auto space = std::filesystem::space(m_folder, error);
        const bool moves = std::exchange(m_rows, rows) != rows;
        // A server that builds an index adds no rows, but fills and frees.
        if (std::exchange(m_free, space.free) != space.free || moves || error)
            m_sinceNs = now;
        return now - m_sinceNs >= kStandsStillNs && space.available < kNoRoom;
    }

private:
    std::filesystem::path m_folder;
    std::uint64_t m_rows = 0;
    std::uintmax_t m_free = 0;
    std::int64_t m_sinceNs = nowNs();
};

//! Offers the target no rows at all: a refusal leaves nothing behind, and later errors are about the rows. False when
//! the connection was lost over it.
bool askForBulk(const LoaderJob& job, Shared& shared, RunState& state, UserContext& user)
{
    const auto able = std::find_if(job.tables.begin(), job.tables.end(),
                                   [](const TableSpec& table) { return table.bulkRowsPerSlice > 0 && table.rows > 0; });
    if (able == job.tables.end() || textOf(job.target->connection, "bulk_load", "auto") == "off")
        return true;
    const std::string table = fmt::format("{} ({})", able->name, fmt::join(able->columns, ", "));
    const Outcome outcome = run(user, {.kind = RequestKind::Bulk, .text = table});
    if (outcome == Outcome::Disconnected) {
        state.fail({ErrorKind::Failed,
                    fmt::format("the connection was lost when {} was to be loaded in bulk: {} (error {})", able->name,
                                user.session().lastError(), errorName(state.driver, user.lastCode())),
                    {},
                    "set connection.bulk_load to off, or fix the cause, then load again"});
        return false;
    }
    shared.bulk = outcome == Outcome::Ok;
    if (outcome != Outcome::Ok) {
        const std::lock_guard lock(shared.noteMutex);
        shared.note =
            fmt::format("with INSERT statements, because the target does not take rows in bulk: {} (error {})",
                        user.session().lastError(), errorName(state.driver, user.lastCode()));
    }
    return true;
}

//! CREATE … INDEX, or ALTER TABLE … ADD … INDEX or KEY, but no foreign key.
bool makesIndex(std::string_view command)
{
    const std::string_view head = command.substr(0, command.find('('));
    const auto has = [head](std::string_view words) { return head.find(words) != std::string_view::npos; };
    if (head.starts_with("CREATE "))
        return head.starts_with("CREATE INDEX ") || head.starts_with("CREATE UNIQUE INDEX ");
    return head.starts_with("ALTER TABLE ") && has(" ADD ") && (has(" INDEX ") || has(" KEY ")) &&
           !has(" FOREIGN KEY ");
}

//! False when one failed, which is reported.
bool runAll(const std::vector<std::string>& commands, RunState& state, UserContext& user)
{
    for (const std::string& command : commands) {
        if (run(user, Request::sql(command)) != Outcome::Ok) {
            reportLoadError(user, state, command);
            return false;
        }
    }
    return true;
}

//! The same for what comes after rows, with the time of what makes indexes. Sessions do this at once.
bool runAfter(const std::vector<std::string>& commands, Shared& shared, RunState& state, UserContext& user)
{
    for (const std::string& command : commands) {
        const std::int64_t startNs = nowNs();
        if (!runAll({command}, state, user))
            return false;
        if (!makesIndex(command))
            continue;
        const std::lock_guard lock(shared.noteMutex);
        shared.indexFromNs = shared.indexFromNs == 0 ? startNs : std::min(shared.indexFromNs, startNs);
        shared.indexToNs = std::max(shared.indexToNs, nowNs());
    }
    return true;
}

//! What `table` needs after its last row; after that of the last table, what all of them need. False when one failed.
bool finishTable(const LoaderJob& job, Shared& shared, RunState& state, UserContext& user, std::size_t table)
{
    if (!runAfter(job.tables[table].afterLoad, shared, state, user))
        return false;
    shared.complete[table] = job.tables[table].afterAll.empty();
    if (shared.tablesLeft.fetch_sub(1) > 1)
        return true;
    for (std::size_t i = 0; i < job.tables.size(); ++i) {
        if (shared.complete[i])
            continue;
        shared.currentTable.store(i);
        if (!runAfter(job.tables[i].afterAll, shared, state, user))
            return false;
        shared.complete[i] = true;
    }
    return true;
}

//! One slice, again where the server ended its transaction for another's sake.
Outcome loadSlice(const LoaderJob& job, UserContext& user, RepeatingSession& session, const LoadSlice& slice)
{
    for (int repeat = 1;; ++repeat) {
        Task<Outcome> loading = job.workload.load(user, slice);
        const Outcome outcome = complete(loading, user);
        if (outcome == Outcome::Retryable && session.endedTransaction() && session.mayRepeat(repeat))
            continue;
        if (repeat > 1 && outcome == Outcome::Ok)
            session.wentThrough();
        return outcome;
    }
}

void loadWith(const LoaderJob& job, Shared& shared, RunState& state, UserContext& user, RepeatingSession& session)
{
    if (run(user, Request::step(RequestKind::Connect)) != Outcome::Ok)
        return reportLoadError(user, state, "a loader session could not connect");
    if (!runAll(job.workload.loaderSessionSetup(), state, user))
        return;
    bool usable = true;
    Part part;
    std::call_once(shared.asked, [&] { usable = askForBulk(job, shared, state, user); });
    while (usable && !state.stopping()) {
        const std::optional<Work> work = shared.queue.take(shared.bulk.load(), part);
        if (!work)
            return;
        const TableSpec& table = job.tables[work->table];
        shared.currentTable.store(work->table);
        if (loadSlice(job, user, session, work->slice) != Outcome::Ok)
            return reportLoadError(user, state, fmt::format("loading {} failed", table.name));
        const std::int64_t rows = work->slice.lastRow - work->slice.firstRow + 1;
        shared.rows.fetch_add(std::uint64_t(rows));
        if (work->endsPart)
            shared.partsDone[work->table].fetch_add(1);
        if (shared.rowsLeft[work->table].fetch_sub(rows) == rows && !finishTable(job, shared, state, user, work->table))
            return;
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

Error stoppedError()
{
    return {ErrorKind::Interrupted, "loading was stopped", {}, "load again before running"};
}

LoadProgress progressNow(const LoaderJob& job, Shared& shared, std::int64_t startNs)
{
    LoadProgress now;
    now.rows = shared.rows.load();
    now.totalRows = shared.totalRows;
    const std::size_t current = shared.currentTable.load();
    const TableSpec& table = job.tables[current];
    now.table = table.name;
    now.part = table.part;
    now.parts = partsOf(table);
    now.partsDone = shared.partsDone[current].load();
    now.finishing = now.rows == now.totalRows;
    if (now.rows > 0 && !now.finishing)
        now.secondsLeft = double(nowNs() - startNs) / 1e9 / double(now.rows) * double(now.totalRows - now.rows);
    const std::lock_guard lock(shared.noteMutex);
    now.note = shared.note;
    const auto longest = std::ranges::max_element(shared.again, {}, &Shared::Again::tries);
    now.tries = longest->tries;
    now.waitsFor = longest->why;
    return now;
}

//! What a load is stopped by.
struct Brakes
{
    Signal& signal;
    RunState& state;
    const std::vector<std::unique_ptr<Session>>& sessions;
};

//! Returns when all sessions have ended; true when they were told to. Reports, and stops them when somebody wants it or
//! the server waits for room, at last by cutting their connections.
bool waitForLoaders(const LoaderJob& job, const LoadProgressCallback& progress, Shared& shared, const Brakes& brakes,
                    LoadResult& result)
{
    const std::int64_t start = nowNs();
    std::int64_t cancelledNs = 0;
    StandStill stand(job.folder);
    while (shared.live.load() > 0) {
        brakes.signal.waitUntil(nowNs() + kAskNs);
        if (cancelledNs == 0 && progress && !progress(progressNow(job, shared, start))) {
            cancelledNs = nowNs();
            brakes.state.stop();
        }
        if (cancelledNs == 0 && stand.seen(shared.rows.load())) {
            cancelledNs = nowNs();
            result.noRoom = true;
            brakes.state.fail(
                {ErrorKind::Failed,
                 fmt::format("loading {} stands still: no space is left in {}, and the server waits for some",
                             job.tables[shared.currentTable.load()].name, job.folder.string()),
                 {},
                 kMakeRoom});
        }
        if (cancelledNs != 0 && !result.abandoned && nowNs() - cancelledNs > kGraceNs && shared.live.load() > 0) {
            result.abandoned = true;
            for (const auto& session : brakes.sessions)
                session->abort();
        }
    }
    return cancelledNs != 0;
}

} // namespace

std::string toText(const LoadProgress& progress)
{
    std::string text = progress.finishing ? fmt::format("building indexes of {}", progress.table)
                                          : fmt::format("loading {}: {} of {} rows", progress.table, progress.rows,
                                                        progress.totalRows);
    if (!progress.finishing && progress.parts > 1)
        text += fmt::format(", {} of {} {}s", progress.partsDone, progress.parts, progress.part);
    if (progress.tries > 0)
        text += fmt::format(", retrying after a lock conflict, try {} of {} ({})", progress.tries, kMostLoadTries,
                            progress.waitsFor);
    return progress.note.empty() ? text : fmt::format("{} ({})", text, progress.note);
}

void putInto(ProgressReport& report, const LoadProgress& progress)
{
    report.done = progress.rows;
    report.total = progress.totalRows;
    report.phaseFraction = progress.totalRows ? double(progress.rows) / double(progress.totalRows) : 1;
    report.text = toText(progress);
    report.tries = progress.tries;
    report.mostTries = progress.tries > 0 ? kMostLoadTries : 0;
    report.waitsFor = progress.waitsFor;
}

Expected<void> loadTables(const LoaderJob& job, const LoadProgressCallback& progress, LoadResult& result)
{
    const int count = sessionsFor(job);
    Signal signal;
    RunState state(signal);
    state.driver = job.target->uri.driver;
    Shared shared(job, count);
    Recorder recorder(1, 1, false);
    result = {};
    result.complete.assign(job.tables.size(), false);
    if (shared.totalRows == 0)
        return {};
    const auto goOn = [&, lastNs = nowNs()]() mutable {
        if (!progress || nowNs() - lastNs < kAskNs)
            return true;
        lastNs = nowNs();
        return progress(progressNow(job, shared, lastNs));
    };
    if (!job.workload.makeReady(WorkloadInstance::Use::Load, goOn, job.seed))
        return fail(stoppedError());

    std::vector<std::unique_ptr<Session>> sessions;
    for (int i = 0; i < count; ++i) {
        auto session = job.driver.open(job.target);
        if (!session)
            return tl::unexpected(session.error());
        sessions.push_back(std::move(*session));
    }
    // Without transactions a part of what failed may be there already.
    const std::vector<DataModel> models = job.driver.info().models;
    const bool repeats = std::ranges::find(models, DataModel::Sql) != models.end();
    shared.live = count;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            try {
                RepeatingSession session(*sessions[std::size_t(i)], shared, state, i, repeats);
                UserContext user(session, recorder.shard(0), {UserId(i), count, job.seed});
                loadWith(job, shared, state, user, session);
            } catch (const std::exception& problem) {
                state.fail({ErrorKind::Failed, fmt::format("loading failed: {}", problem.what()), {}, {}});
            }
            shared.live.fetch_sub(1);
            signal.notify();
        });
    }

    const bool cancelled = waitForLoaders(job, progress, shared, {signal, state, sessions}, result);
    for (std::thread& thread : threads)
        thread.join();
    result.bulk = shared.bulk;
    result.note = shared.note;
    result.retries = shared.retries;
    if (shared.indexToNs > 0)
        result.indexSeconds = double(shared.indexToNs - shared.indexFromNs) * 1e-9;
    for (std::size_t i = 0; i < job.tables.size(); ++i)
        result.complete[i] = shared.complete[i];
    auto failure = state.failure();
    const bool isWhole = std::ranges::find(result.complete, false) == result.complete.end();
    if (!failure && (!cancelled || isWhole)) // the stop came when all was there
        return {};
    if (!failure)
        failure = stoppedError();
    const auto wanted = std::ranges::count_if(job.tables, [](const TableSpec& table) { return table.rows > 0; });
    std::ptrdiff_t whole = 0;
    for (std::size_t i = 0; i < job.tables.size(); ++i)
        whole += job.tables[i].rows > 0 && result.complete[i] ? 1 : 0;
    if (whole > 0)
        failure->message += fmt::format("; {} of {} {} complete", whole, wanted, wanted == 1 ? "table" : "tables");
    return fail(std::move(*failure));
}

} // namespace dyno
