// SPDX-License-Identifier: GPL-3.0-or-later
// The skeleton of a driver: each member says what a real one does in its place. Beside it a driver has a UriForm
// (null_uri.cpp), a line in builtin_drivers.cpp and in uri_forms.cpp, a block in CMake, and rows in
// tst_driver_contract; a catalogue of its server's variables (resources/knobs) and recipes of servers that can be
// started (the folder server/) come later.
#include "driver/null/null_driver.h"

#include "base/clock.h"
#include "driver/mysql/mysql_dialect.h"
#include "driver/mysql/mysql_sizes.h"
#include "driver/null/null_script.h"

#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace dyno {

namespace {

//! Below this a timer is late by more than it is set for: spin instead.
constexpr std::int64_t kSpinNs = 50'000;
//! Apart from the streams of users and rows.
constexpr std::uint64_t kServiceStreams = std::uint64_t(1) << 50;

//! One connection of one user. A real session owns a connection of its client library, and its prepared statements.
//! Here a timer takes the part of the socket, in both forms: the blocking one polls it, the pending one hands it to the
//! loop. So abort() ends either by letting the timer expire at once.
class NullSession final : public Session
{
public:
    //! A real driver makes no connection yet, and keeps `target` as long as the session lives. `number`: which of its
    //! target's sessions this is; chooses the stream of service times.
    NullSession(NullScript script, ConnectTargetPtr target, std::uint64_t number)
        : m_script(script)
        , m_target(std::move(target))
        , m_random(Random::forItem(script.seed, kServiceStreams, number))
    {
        if (m_script.pending || m_script.freezeNs > 0 || m_script.serviceNs >= kSpinNs)
            m_timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    }
    //! Closes the connection, without waiting for a server that does not answer.
    ~NullSession() override
    {
        if (m_timer >= 0)
            close(m_timer);
    }
    NullSession(const NullSession&) = delete;
    NullSession& operator=(const NullSession&) = delete;

    //! Sends one request. Blocks until its answer is here, or answers Pending where ConnectTarget::eventLoop says so.
    Progress start(const Request& request) override;
    //! The socket is ready, or the wait is over: goes on with the request under way.
    Progress resume(IoEvents events) override;
    //! The library's socket, and what the request under way waits for on it.
    [[nodiscard]] IoWait ioWait() const override { return {.fd = m_timer, .read = true}; }
    //! Shuts the socket down, so that a thread that waits on it comes back; from any thread, so it frees nothing.
    void abort() noexcept override
    {
        m_aborted.store(true);
        expireAt(nowNs());
    }
    //! The server's text, or the library's; never a password.
    [[nodiscard]] std::string lastError() const override { return m_error; }

private:
    //! Sets m_reply; a real driver maps the code of the server or the library to an Outcome here.
    Progress finish(Outcome outcome, const char* text);
    Progress finishScripted();
    void expireAt(std::int64_t deadlineNs) const noexcept;

    NullScript m_script;
    ConnectTargetPtr m_target;
    Random m_random; //!< service times
    int m_timer = -1;
    std::atomic<bool> m_aborted{false}; //!< stays until the next Connect
    bool m_connected = false;
    std::int64_t m_requests = 0;
    Reply m_scripted; //!< the answer to the request under way if nothing goes wrong
    const char* m_error = "";
};

Progress NullSession::finish(Outcome outcome, const char* text)
{
    m_reply = {.outcome = outcome, .code = outcome == Outcome::Ok ? 0 : std::int32_t(outcome)};
    m_error = text;
    if (outcome == Outcome::Disconnected)
        m_connected = false;
    return Progress::Done;
}

Progress NullSession::finishScripted()
{
    if (m_aborted.load())
        return finish(Outcome::Disconnected, "the request was aborted");
    if (m_script.failEvery > 0 && ++m_requests % m_script.failEvery == 0)
        return finish(m_script.failure, "the null target was told to fail this request");
    finish(Outcome::Ok, "");
    m_reply.rows = m_scripted.rows;
    m_reply.affected = m_scripted.affected;
    return Progress::Done;
}

void NullSession::expireAt(std::int64_t deadlineNs) const noexcept
{
    if (m_timer < 0)
        return;
    // An absolute time in the past expires at once; 0 would disarm.
    const std::int64_t at = std::max<std::int64_t>(deadlineNs, 1);
    const itimerspec when{.it_interval = {}, .it_value = {.tv_sec = at / 1'000'000'000, .tv_nsec = at % 1'000'000'000}};
    timerfd_settime(m_timer, TFD_TIMER_ABSTIME, &when, nullptr);
}

Progress NullSession::start(const Request& request)
{
    if (request.kind == RequestKind::Connect) {
        m_aborted.store(false);
        m_connected = true;
        return finish(Outcome::Ok, "");
    }
    if (m_aborted.load())
        return finish(Outcome::Disconnected, "the request was aborted");
    if (!m_connected)
        return finish(Outcome::Disconnected, "the session is not connected");

    m_scripted = {};
    switch (request.kind) {
    case RequestKind::Connect: // signs in, then prepares the target's statements and sets its session variables
    case RequestKind::Prepare:
    case RequestKind::Begin:
    case RequestKind::Commit:
    case RequestKind::Rollback:
        return finish(Outcome::Ok, "");
    case RequestKind::Execute: { // binds the parameters and sends a prepared statement; keeps rows where it says so
        const std::size_t index = indexOf(request.statement);
        if (index < m_target->statements.size() && !m_target->statements[index].returnsRows)
            m_scripted.affected = 1;
        else
            m_scripted.rows = 1;
        break;
    }
    case RequestKind::Text: // statements that are not prepared
        m_scripted.rows = request.keep != Keep::Nothing ? 1 : 0;
        break;
    case RequestKind::Bulk: // many rows in the fastest way that the server has
        break;
    }

    // A target that takes no time must not spend it on looking at the clock.
    if (m_timer < 0 && m_script.serviceNs == 0)
        return finishScripted();
    const std::int64_t deadline = m_script.doneAt(nowNs(), m_script.drawServiceNs(m_random));
    if (m_script.pending) {
        expireAt(deadline);
        // abort() may have set its earlier time before ours
        if (m_aborted.load())
            expireAt(nowNs());
        return Progress::Pending;
    }
    if (m_timer < 0) {
        while (nowNs() < deadline && !m_aborted.load(std::memory_order_relaxed)) {
        }
        return finishScripted();
    }
    expireAt(deadline);
    pollfd timer{.fd = m_timer, .events = POLLIN, .revents = 0};
    while (!m_aborted.load() && poll(&timer, 1, -1) < 0 && errno == EINTR) {
    }
    return finishScripted();
}

Progress NullSession::resume(IoEvents events)
{
    std::uint64_t expirations = 0;
    if (!events.read || read(m_timer, &expirations, sizeof expirations) != sizeof expirations)
        return Progress::Pending;
    return finishScripted();
}

//! The control plane. A real one has a connection of its own and answers of the server; what it does not override has a
//! default in SQL, or none.
class NullAdmin final : public Admin
{
public:
    //! Runs DDL and the like.
    Expected<void> execute(std::string_view) override { return {}; }
    //! The rows of a small result.
    Expected<TextRows> query(std::string_view) override { return TextRows(); }
    //! Asks the server's catalogue for a table's columns.
    Expected<std::vector<ColumnShape>> describe(std::string_view) override { return std::vector<ColumnShape>(); }
    //! What answers, how it is reached, and all its variables.
    Expected<ServerFacts> facts() override
    {
        ServerFacts facts;
        facts.product = "null";
        facts.version = softwareVersion();
        facts.transport = "in process";
        return facts;
    }
    //! Reads a server variable.
    Expected<std::string> variable(std::string_view name) override { return fail(noVariable(name)); }
    //! Sets one for all sessions, without a restart.
    Expected<void> setVariable(std::string_view name, const Value&) override { return fail(noVariable(name)); }
    //! Counts exactly, however long it takes.
    Expected<std::int64_t> rowCount(std::string_view) override { return 0; }
    //! Removes a table; no error when it is not there.
    Expected<void> drop(std::string_view) override { return {}; }

private:
    static Error noVariable(std::string_view name)
    {
        return {ErrorKind::BadInput, "the null target has no variable \"" + std::string(name) + "\"", "null:",
                "its settings are those of the scope \"connection\": service_us, freeze_ms, fail_every and others"};
    }
};

//! A real driver says its own phrases, in its folder. These statements are as long, in tables as large, as those for a
//! server: Dynobench's own work is then that of a measured run.
SqlDialect nullDialect()
{
    SqlDialect sql = mysqlDialect();
    sql.storageEngines = false;
    sql.showCreate.clear();
    sql.vectors.found.clear();
    sql.outcomeTells = true;
    return sql;
}

class NullDriver final : public Driver
{
public:
    //! What it is, its options, and what it can do; asked often, and before anything is connected.
    [[nodiscard]] DriverInfo info() const override
    {
        return {.id = "null",
                .name = "Null (measures Dynobench itself)",
                .uriForm = "null:[?service_us=N&service_dist=…&freeze_every_ms=N&freeze_ms=N]",
                .library = "none",
                .connection = nullOptions(),
                .concurrentWriters = true,
                .eventLoop = true,
                .models = {DataModel::Sql, DataModel::Document, DataModel::KeyValue},
                .sql = nullDialect(),
                .sizes = &innodbSizes()};
    }
    //! Checks the options; the first request connects.
    [[nodiscard]] Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) override
    {
        const Expected<NullScript> script = nullScriptOf(*target);
        if (!script)
            return fail(script.error());
        const std::uint64_t number = numberFor(target);
        return std::make_unique<NullSession>(*script, std::move(target), number);
    }
    //! Connects, or says why that cannot be.
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) override
    {
        if (const Expected<NullScript> script = nullScriptOf(target); !script)
            return fail(script.error());
        return std::make_unique<NullAdmin>();
    }

private:
    //! Sessions of one target are counted in the order in which they are opened, which is that of the users.
    std::uint64_t numberFor(const ConnectTargetPtr& target)
    {
        const std::lock_guard lock(m_mutex);
        if (m_last.lock() != target) {
            m_last = target;
            m_opened = 0;
        }
        return m_opened++;
    }

    std::mutex m_mutex;
    std::weak_ptr<const ConnectTarget> m_last;
    std::uint64_t m_opened = 0;
};

} // namespace

Driver& nullDriver()
{
    static NullDriver driver;
    return driver;
}

} // namespace dyno
