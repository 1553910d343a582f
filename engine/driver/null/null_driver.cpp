// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/null/null_driver.h"

#include "base/clock.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace dyno {

namespace {

//! Below this a timer is late by more than it is set for: spin instead.
constexpr std::int64_t kSpinNs = 50'000;
constexpr double kLongestServiceUs = 3.6e9; // an hour

//! What the script says, from the connection knobs and, before them, the URI.
struct Script
{
    std::int64_t serviceNs = 0;
    std::int64_t failEvery = 0;
    Outcome failure = Outcome::Retryable;
    bool pending = false;
};

OptionSpecs scriptOptions()
{
    return {
        {.name = "service_us",
         .label = "Service time",
         .help =
             "How long each request takes, in microseconds. Connect, prepare, begin, commit and rollback take no time.",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(0),
         .unit = "µs",
         .minimum = 0,
         .maximum = kLongestServiceUs},
        {.name = "fail_every",
         .label = "Fail every",
         .help = "Every n-th request of a user fails; 0 means that none does.",
         .type = OptionType::Integer,
         .defaultValue = std::int64_t(0),
         .minimum = 0},
        {.name = "fail_as",
         .label = "Failure",
         .help = "How those requests fail.",
         .type = OptionType::Choice,
         .defaultValue = std::string("retryable"),
         .choices = {"retryable", "rejected", "timed_out", "disconnected"},
         .group = "advanced"},
        {.name = "pending",
         .label = "Answer later",
         .help = "Answers as a server on a socket does, so that event loops have something to wait for.",
         .type = OptionType::Bool,
         .defaultValue = false,
         .group = "advanced"},
    };
}

Outcome outcomeNamed(std::string_view name)
{
    if (name == "rejected")
        return Outcome::Rejected;
    if (name == "timed_out")
        return Outcome::TimedOut;
    return name == "disconnected" ? Outcome::Disconnected : Outcome::Retryable;
}

Expected<Script> scriptOf(const ConnectTarget& target)
{
    Settings given = target.connection;
    for (const auto& [name, value] : target.uri.query)
        given[name] = parseValue(value);
    Faults faults;
    const Settings settings = resolve(scriptOptions(), given, {}, faults);
    if (!faults.empty()) {
        return fail({ErrorKind::BadInput, faults.front().where + ": " + faults.front().what, target.uri.display(),
                     faults.front().remedy});
    }
    return Script{.serviceNs = integerOf(settings, "service_us") * 1000,
                  .failEvery = integerOf(settings, "fail_every"),
                  .failure = outcomeNamed(textOf(settings, "fail_as")),
                  .pending = boolOf(settings, "pending")};
}

//! Waits on a timer where it waits at all, in both forms: the blocking one polls it, the pending one hands it to the
//! loop. So abort() ends either by letting the timer expire at once.
class NullSession final : public Session
{
public:
    NullSession(Script script, ConnectTargetPtr target)
        : m_script(script)
        , m_target(std::move(target))
    {
        if (m_script.pending || m_script.serviceNs >= kSpinNs)
            m_timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    }
    ~NullSession() override
    {
        if (m_timer >= 0)
            close(m_timer);
    }
    NullSession(const NullSession&) = delete;
    NullSession& operator=(const NullSession&) = delete;

    Progress start(const Request& request) override;
    Progress resume(IoEvents events) override;
    [[nodiscard]] IoWait ioWait() const override { return {.fd = m_timer, .read = true}; }
    void abort() noexcept override
    {
        m_aborted.store(true);
        expireAt(nowNs());
    }
    [[nodiscard]] std::string lastError() const override { return m_error; }

private:
    Progress finish(Outcome outcome, const char* text);
    Progress finishScripted();
    void expireAt(std::int64_t deadlineNs) const noexcept;

    Script m_script;
    ConnectTargetPtr m_target;
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
    const std::int64_t deadline = nowNs() + m_script.serviceNs;
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
    case RequestKind::Connect:
    case RequestKind::Prepare:
    case RequestKind::Begin:
    case RequestKind::Commit:
    case RequestKind::Rollback:
        return finish(Outcome::Ok, "");
    case RequestKind::Execute: {
        const std::size_t index = indexOf(request.statement);
        if (index < m_target->statements.size() && !m_target->statements[index].returnsRows)
            m_scripted.affected = 1;
        else
            m_scripted.rows = 1;
        break;
    }
    case RequestKind::Document:
        (request.documentVerb == DocumentVerb::Find ? m_scripted.rows : m_scripted.affected) = 1;
        break;
    case RequestKind::KeyValue:
        (request.keyValueVerb == KeyValueVerb::Get ? m_scripted.rows : m_scripted.affected) = 1;
        if (request.keyValueVerb == KeyValueVerb::Scan)
            m_scripted = {.rows = request.limit};
        break;
    case RequestKind::Text:
        break;
    }

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

//! Accepts everything and has nothing.
class NullAdmin final : public Admin
{
public:
    Expected<void> execute(std::string_view) override { return {}; }
    Expected<TextRows> query(std::string_view) override { return TextRows(); }
    Expected<std::vector<ColumnShape>> describe(std::string_view) override { return std::vector<ColumnShape>(); }
    Expected<ServerFacts> facts() override
    {
        ServerFacts facts;
        facts.product = "null";
        facts.version = softwareVersion();
        facts.transport = "in process";
        return facts;
    }
    Expected<std::string> variable(std::string_view name) override { return fail(noVariable(name)); }
    Expected<void> setVariable(std::string_view name, const Value&) override { return fail(noVariable(name)); }
    Expected<std::int64_t> rowCount(std::string_view) override { return 0; }
    Expected<void> drop(std::string_view) override { return {}; }

private:
    static Error noVariable(std::string_view name)
    {
        return {ErrorKind::BadInput, "the null target has no variable \"" + std::string(name) + "\"",
                "null:", "its settings are service_us, fail_every, fail_as and pending, in the scope \"connection\""};
    }
};

class NullDriver final : public Driver
{
public:
    [[nodiscard]] DriverInfo info() const override
    {
        return {.id = "null",
                .name = "Null (measures Dynobench itself)",
                .uriForm = "null:[?service_us=N]",
                .library = "none",
                .connection = scriptOptions(),
                .concurrentWriters = true,
                .eventLoop = true};
    }
    [[nodiscard]] Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) override
    {
        const Expected<Script> script = scriptOf(*target);
        if (!script)
            return fail(script.error());
        return std::make_unique<NullSession>(*script, std::move(target));
    }
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) override
    {
        if (const Expected<Script> script = scriptOf(target); !script)
            return fail(script.error());
        return std::make_unique<NullAdmin>();
    }
};

} // namespace

Driver& nullDriver()
{
    static NullDriver driver;
    return driver;
}

} // namespace dyno
