// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver/null/null_driver.h"

#include "base/clock.h"
#include "base/random.h"
#include "driver/uri_forms.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace dyno {

namespace {

//! Below this a timer is late by more than it is set for: spin instead.
constexpr std::int64_t kSpinNs = 50'000;
//! Apart from the streams of users and rows.
constexpr std::uint64_t kServiceStreams = std::uint64_t(1) << 50;

enum class ServiceDistribution : std::uint8_t { Constant, Exponential, Uniform, Lognormal };

//! What the script says, from the connection knobs and, before them, the URI.
struct Script
{
    std::int64_t serviceNs = 0; //!< mean
    ServiceDistribution distribution = ServiceDistribution::Constant;
    double spread = 0;
    std::uint64_t seed = 1;
    std::int64_t freezeEveryNs = 0;
    std::int64_t freezeNs = 0;
    std::int64_t failEvery = 0;
    Outcome failure = Outcome::Retryable;
    bool pending = false;

    [[nodiscard]] std::int64_t drawServiceNs(Random& random) const;
    //! When a request is through that begins at `startNs` and needs `workNs`: no work is done in a freeze.
    [[nodiscard]] std::int64_t doneAt(std::int64_t startNs, std::int64_t workNs) const;
};

std::int64_t Script::drawServiceNs(Random& random) const
{
    const double mean = double(serviceNs);
    switch (distribution) {
    case ServiceDistribution::Constant:
        break;
    case ServiceDistribution::Exponential:
        return std::int64_t(-mean * std::log1p(-random.unit()));
    case ServiceDistribution::Uniform:
        return std::int64_t(mean * (1 + spread * (2 * random.unit() - 1)));
    case ServiceDistribution::Lognormal: {
        // Box and Muller's transform; the shift by half the variance keeps the mean.
        const double radius = std::sqrt(-2 * std::log1p(-random.unit()));
        const double normal = radius * std::cos(2 * std::numbers::pi * random.unit());
        return std::int64_t(mean * std::exp(spread * normal - spread * spread / 2));
    }
    }
    return serviceNs;
}

std::int64_t Script::doneAt(std::int64_t startNs, std::int64_t workNs) const
{
    if (freezeNs <= 0)
        return startNs + workNs;
    // Of each period the first part is frozen. In "thawed time" work takes exactly its length.
    const std::int64_t awakeNs = freezeEveryNs - freezeNs;
    const std::int64_t thawed =
        startNs / freezeEveryNs * awakeNs + std::max<std::int64_t>(0, startNs % freezeEveryNs - freezeNs);
    const std::int64_t end = thawed + workNs;
    // What ends with a period ends before the freeze that follows, but even no work waits for the end of a freeze.
    const std::int64_t periods = (workNs > 0 ? end - 1 : end) / awakeNs;
    return periods * freezeEveryNs + freezeNs + (end - periods * awakeNs);
}

OptionSpecs scriptOptions()
{
    OptionSpecs options;
    for (UriOption& option : nullUriForm().options)
        options.push_back(std::move(option.spec));
    return options;
}

Outcome outcomeNamed(std::string_view name)
{
    if (name == "rejected")
        return Outcome::Rejected;
    if (name == "timed_out")
        return Outcome::TimedOut;
    return name == "disconnected" ? Outcome::Disconnected : Outcome::Retryable;
}

ServiceDistribution distributionNamed(std::string_view name)
{
    if (name == "exponential")
        return ServiceDistribution::Exponential;
    if (name == "uniform")
        return ServiceDistribution::Uniform;
    return name == "lognormal" ? ServiceDistribution::Lognormal : ServiceDistribution::Constant;
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
    Script script{.serviceNs = integerOf(settings, "service_us") * 1000,
                  .distribution = distributionNamed(textOf(settings, "service_dist")),
                  .spread = realOf(settings, "service_spread"),
                  .seed = std::uint64_t(integerOf(settings, "service_seed")),
                  .freezeEveryNs = integerOf(settings, "freeze_every_ms") * 1'000'000,
                  .freezeNs = integerOf(settings, "freeze_ms") * 1'000'000,
                  .failEvery = integerOf(settings, "fail_every"),
                  .failure = outcomeNamed(textOf(settings, "fail_as")),
                  .pending = boolOf(settings, "pending")};
    if (script.freezeNs > 0 && script.freezeNs >= script.freezeEveryNs)
        return fail({ErrorKind::BadInput, "freeze_ms must be less than freeze_every_ms", target.uri.display(),
                     "set freeze_every_ms to the time from one freeze to the next"});
    if (script.distribution == ServiceDistribution::Uniform && script.spread > 1)
        return fail({ErrorKind::BadInput, "service_spread of uniform service times is at most 1", target.uri.display(),
                     "a time cannot be below 0"});
    return script;
}

//! Waits on a timer where it waits at all, in both forms: the blocking one polls it, the pending one hands it to the
//! loop. So abort() ends either by letting the timer expire at once.
class NullSession final : public Session
{
public:
    //! `number`: which of its target's sessions this is; chooses the stream of service times.
    NullSession(Script script, ConnectTargetPtr target, std::uint64_t number)
        : m_script(script)
        , m_target(std::move(target))
        , m_random(Random::forItem(script.seed, kServiceStreams, number))
    {
        if (m_script.pending || m_script.freezeNs > 0 || m_script.serviceNs >= kSpinNs)
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
    case RequestKind::Text:
    case RequestKind::Bulk:
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
        return {ErrorKind::BadInput, "the null target has no variable \"" + std::string(name) + "\"", "null:",
                "its settings are those of the scope \"connection\": service_us, freeze_ms, fail_every and others"};
    }
};

//! Statements as long, in tables as large, as those for a server: Dynobench's own work is then that of a measured run.
SqlDialect nullDialect()
{
    SqlDialect sql;
    sql.unsignedInteger = "INT UNSIGNED";
    sql.unsignedBig = "BIGINT UNSIGNED";
    sql.longText = "MEDIUMTEXT";
    sql.longBytes = "MEDIUMBLOB";
    sql.autoIncrement = " AUTO_INCREMENT";
    sql.keysInTable = true;
    sql.tableOptions = TableOptions::NamedValues;
    sql.partitions = true;
    sql.addIndex = "ALTER TABLE {table} ADD INDEX {index} ({columns})";
    sql.dropIndex = "ALTER TABLE {table} DROP INDEX {index}";
    sql.analyze = "ANALYZE TABLE {table}";
    sql.rebuild = "ALTER TABLE {table} FORCE";
    sql.analyzeReports = true;
    sql.alterAlgorithms = true;
    sql.foreignKeysLater = true;
    sql.upsert = " ON DUPLICATE KEY UPDATE {change}";
    sql.inserted = "VALUES({})";
    sql.upsertTells = true;
    sql.useIndex = " FORCE INDEX ({})";
    sql.decrement = "IF({0} = 0, 0, {0} - 1)";
    sql.limitedDelete = true;
    sql.outcomeTells = true;
    sql.freeExtents = 8 << 20;
    return sql;
}

class NullDriver final : public Driver
{
public:
    [[nodiscard]] DriverInfo info() const override
    {
        return {.id = "null",
                .name = "Null (measures Dynobench itself)",
                .uriForm = "null:[?service_us=N&service_dist=…&freeze_every_ms=N&freeze_ms=N]",
                .library = "none",
                .connection = scriptOptions(),
                .concurrentWriters = true,
                .eventLoop = true,
                .models = {DataModel::Sql, DataModel::Document, DataModel::KeyValue},
                .sql = nullDialect()};
    }
    [[nodiscard]] Expected<std::unique_ptr<Session>> open(ConnectTargetPtr target) override
    {
        const Expected<Script> script = scriptOf(*target);
        if (!script)
            return fail(script.error());
        const std::uint64_t number = numberFor(target);
        return std::make_unique<NullSession>(*script, std::move(target), number);
    }
    [[nodiscard]] Expected<std::unique_ptr<Admin>> admin(const ConnectTarget& target) override
    {
        if (const Expected<Script> script = scriptOf(target); !script)
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
