// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/script_try.h>

#include "base/clock.h"
#include "load/executor/wait_for_reply.h"
#include "load/preflight/server_look.h"
#include "load/target/target.h"
#include "plan/plan_order.h"

#include <dyno/catalog.h>
#include <dyno/kept_data.h>
#include <dyno/passwords.h>
#include <dyno/plan.h>
#include <dyno/runner.h>
#include <dyno/scripts.h>
#include <dyno/uri_form.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace dyno {

namespace {

constexpr std::size_t kMostShown = 4096; //!< bytes of a text
constexpr std::int32_t kStopped = -1;
constexpr auto kAskedEvery = std::chrono::milliseconds(50);

std::string cutText(std::string_view text)
{
    if (text.size() <= kMostShown)
        return std::string(text);
    std::size_t end = kMostShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) // within a character
        --end;
    return std::string(text.substr(0, end)) + "…";
}

std::string shownParam(const Param& value)
{
    switch (value.type) {
    case Param::Type::Integer:
        return fmt::format("{}", value.integer);
    case Param::Type::Real:
        return fmt::format("{}", value.real);
    case Param::Type::Text:
        return fmt::format("'{}'", cutText(value.text));
    case Param::Type::Null:
        break;
    }
    return "NULL";
}

//! Passes requests on to a session and writes down what they were. A transaction is open before the first statement
//! and is never committed.
class TryingSession final : public Session
{
public:
    TryingSession(Session& session, const StatementSet& statements, bool transactions, std::vector<int> lines,
                  const std::function<bool()>& stopped)
        : m_session(session)
        , m_statements(statements)
        , m_prepared(statements.size(), false)
        , m_transactions(transactions)
        , m_lines(std::move(lines))
        , m_stopped(stopped)
    {
    }

    Progress start(const Request& request) override
    {
        m_kept.begin(Keep::Nothing);
        if (m_stopped && m_stopped()) {
            m_reply = {.outcome = Outcome::Disconnected, .code = kStopped};
            return Progress::Done;
        }
        switch (request.kind) {
        case RequestKind::Begin:
            m_open ? holdBack(request, "BEGIN") : begin(lineOf(request));
            break;
        case RequestKind::Commit:
            holdBack(request, "COMMIT");
            break;
        case RequestKind::Rollback:
            note(lineOf(request), "ROLLBACK");
            pass(request);
            m_open = false;
            break;
        case RequestKind::Execute:
        case RequestKind::Text:
            if (!m_open && m_transactions)
                begin(0);
            if (m_reply.outcome == Outcome::Ok)
                perform(request);
            break;
        case RequestKind::Connect:
        case RequestKind::Prepare:
        case RequestKind::Bulk:
            m_reply = m_session.reply();
            break;
        }
        return Progress::Done;
    }
    void abort() noexcept override { m_session.abort(); }
    [[nodiscard]] std::string lastError() const override { return m_session.lastError(); }

    //! At the end, also after an error. True when the server says that nothing was kept.
    bool rollBack()
    {
        if (!m_open)
            return m_transactions;
        note(0, "ROLLBACK");
        pass(Request::step(RequestKind::Rollback));
        m_open = false;
        return m_reply.outcome == Outcome::Ok;
    }
    [[nodiscard]] std::vector<TriedStatement> takeStatements() { return std::move(m_tried); }

private:
    [[nodiscard]] int lineOf(const Request& request) const
    {
        const std::size_t number = indexOf(request.statement);
        return number < m_lines.size() ? m_lines[number] : 0;
    }
    TriedStatement& note(int line, std::string text)
    {
        TriedStatement& one = m_tried.emplace_back();
        one.line = line;
        one.text = std::move(text);
        return one;
    }
    void holdBack(const Request& request, const char* text)
    {
        note(lineOf(request), text).sent = false;
        m_reply = {};
    }
    void begin(int line)
    {
        note(line, "BEGIN");
        pass(Request::step(RequestKind::Begin));
        m_open = m_reply.outcome == Outcome::Ok;
    }
    void perform(const Request& request)
    {
        Request named = request;
        if (request.kind == RequestKind::Execute) {
            TriedStatement& one = note(lineOf(request), cutText(m_statements[indexOf(request.statement)].text));
            for (const Param& value : request.params)
                one.parameters.push_back(shownParam(value));
            if (!m_prepared[indexOf(request.statement)]) {
                pass(Request::prepare(request.statement));
                if (m_reply.outcome != Outcome::Ok)
                    return;
                m_prepared[indexOf(request.statement)] = true;
            }
        } else {
            note(lineOf(request), cutText(request.text));
            if (request.keep == Keep::Nothing)
                named.keep = Keep::LastNamed;
        }
        pass(named);
    }
    //! Sends it; what comes back belongs to the statement noted last.
    void pass(const Request& request)
    {
        TriedStatement& one = m_tried.back();
        const std::int64_t begin = nowNs();
        if (m_session.start(request) == Progress::Pending)
            finishPending(m_session);
        one.ms = double(nowNs() - begin) / 1e6;
        m_reply = m_session.reply();
        m_kept = m_session.kept();
        one.rows = m_reply.rows;
        one.changed = m_reply.affected;
        if (m_reply.outcome != Outcome::Ok)
            one.error = m_session.lastError();
        else if (const std::size_t rows = m_kept.rows(); rows > 0 && one.rows > 0) // else they are of an answer before
            one.lastRow = rowText(rows - 1);
    }
    [[nodiscard]] std::string rowText(std::size_t row) const
    {
        std::string text;
        for (std::size_t i = 0; i < m_kept.columns(row) && text.size() < kMostShown; ++i) {
            const std::string_view name = m_kept.name(row, i);
            text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", name, name.empty() ? "" : " = ",
                                shownParam(m_kept.at(row, i)));
        }
        return cutText(text);
    }

    Session& m_session;
    const StatementSet& m_statements;
    std::vector<bool> m_prepared; //!< by statement
    bool m_transactions;          //!< the server has them
    std::vector<int> m_lines;     //!< of the script's statements
    const std::function<bool()>& m_stopped;
    bool m_open = false; //!< a transaction
    std::vector<TriedStatement> m_tried;
};

//! Breaks the session's connection when somebody wants to stop, while it lives.
class StopWatch
{
public:
    StopWatch(Session& session, const std::function<bool()>& stopped)
        : m_thread(stopped ? std::jthread([&session, &stopped](const std::stop_token& done) {
            bool asked = false;
            while (!done.stop_requested() && !asked) {
                std::this_thread::sleep_for(kAskedEvery);
                asked = stopped();
            }
            if (asked)
                session.abort();
        })
                           : std::jthread())
    {
    }

private:
    std::jthread m_thread;
};

Expected<PointSpec> firstPoint(const Plan& plan)
{
    if (const Faults faults = checkPlan(plan); !faults.empty())
        return fail({ErrorKind::BadInput, faults.front().what, faults.front().where, faults.front().remedy});
    const Expansion expansion = expand(plan);
    if (expansion.points.empty())
        return fail({ErrorKind::BadInput, "the plan has no point to run", {}, "leave one in"});
    const PointSpec& point = expansion.points.front();
    if (point.workload.name != kScriptWorkload)
        return fail({ErrorKind::BadInput, "the plan's workload is no script", "workload.name", "choose another one"});
    return point;
}

std::string scriptOf(const PointSpec& point)
{
    return textOf(point.workload.params, kScriptsParam);
}

//! What can be tried on now, without making or starting anything.
Expected<std::unique_ptr<Target>> runningTarget(const TargetUri& uri, const RunnerOptions& options)
{
    if (uri.kind == TargetKind::Managed)
        return fail({ErrorKind::BadInput, fmt::format("{} runs only while a session lasts", uri.display()),
                     uri.display(), "try the script on a server that is running, or on a database file"});
    if (isOfOneSession(uri))
        return fail({ErrorKind::BadInput, fmt::format("{} is private to a session", uri.display()), uri.display(),
                     "try the script on a database file with a name, or on a server"});
    auto target = makeTarget({.uri = uri, .options = options, .stopped = options.stopped});
    if (auto refusal = target->refusal())
        return fail(std::move(*refusal));
    if (auto there = target->isThere(); !there)
        return tl::unexpected(there.error());
    return target;
}

Error notConnected(const Session& session, const TargetUri& uri, const std::function<bool()>& stopped)
{
    if (stopped && stopped())
        return {ErrorKind::Interrupted, "stopped", {}, {}};
    return {ErrorKind::Unreachable, session.lastError(), uri.display(), "see whether the server is running"};
}

} // namespace

std::vector<ScriptStatement> staysAfterTry(const Plan& plan, const std::string& section)
{
    const auto point = firstPoint(plan);
    const auto uri = point ? parseUri(point->target.uri) : tl::unexpected(point.error());
    const DriverInfo* info = uri ? findDriver(uri->driver) : nullptr;
    std::vector<ScriptStatement> stays;
    if (!info)
        return stays;
    for (ScriptStatement& one : scriptStatements(scriptOf(*point), textOf(point->workload.params, kDefineParam))) {
        const bool chosen = section.empty() || one.section == section;
        if (chosen && one.changes && (info->appendsOnly || !one.undone))
            stays.push_back(std::move(one));
    }
    return stays;
}

Expected<ScriptTry> tryScript(const Plan& plan, const RunnerOptions& options, const ScriptTryWish& wish)
{
    auto point = firstPoint(plan);
    if (!point)
        return tl::unexpected(point.error());
    if (auto refusal = refusalOf(plan, options.consent))
        return fail(std::move(*refusal));
    auto uri = parseUri(point->target.uri);
    if (!uri)
        return tl::unexpected(uri.error());
    uri->password = passwordFor(*uri, passwordOwner(plan), options.password);
    const auto target = runningTarget(*uri, options);
    if (!target)
        return tl::unexpected(target.error());
    Driver* driver = driverFor(uri->driver);
    if (!driver)
        return fail({ErrorKind::BadInput, fmt::format("this build has no driver for {}", uri->display()), {}, {}});

    std::vector<int> lines;
    for (const ScriptStatement& one : scriptStatements(scriptOf(*point), textOf(point->workload.params, kDefineParam)))
        lines.push_back(one.line);
    if (!wish.section.empty())
        point->workload.params[kScriptsParam] = withOnlySection(scriptOf(*point), wish.section);
    const auto workload = bindPoint(*point);
    if (!workload)
        return tl::unexpected(workload.error());
    ConnectTarget connect = lookTarget(*uri, point->connection, driver->info());
    connect.look = false;
    connect.statements = (*workload)->statements();
    for (StatementSpec& one : connect.statements) {
        if (one.returnsRows && one.keep == Keep::Nothing)
            one.keep = Keep::LastNamed;
    }
    const auto shared = std::make_shared<const ConnectTarget>(std::move(connect));
    auto session = driver->open(shared);
    if (!session)
        return tl::unexpected(session.error());
    const StopWatch watch(**session, options.stopped);
    if ((*session)->start(Request::step(RequestKind::Connect)) == Progress::Pending)
        finishPending(**session);
    if ((*session)->reply().outcome != Outcome::Ok)
        return fail(notConnected(**session, *uri, options.stopped));

    TryingSession trying(**session, shared->statements, !driver->info().appendsOnly, std::move(lines), options.stopped);
    RecorderShard unread(shared->statements.size(), false);
    UserContext user(trying, unread, {.seed = point->load.seed});
    user.beginTransaction(wish.round);
    Task<Outcome> task = (*workload)->transaction(user);
    task.start(); // no request is ever pending, and without a run nobody pauses
    const Outcome outcome = task.result();
    ScriptTry result;
    result.target = uri->display();
    result.interrupted = options.stopped && options.stopped();
    if (result.interrupted)
        result.problem = "stopped";
    else if (outcome != Outcome::Ok)
        result.problem = user.errorText();
    result.rolledBack = trying.rollBack();
    result.statements = trying.takeStatements();
    const std::vector<ScriptStatement> stays = staysAfterTry(plan, wish.section);
    for (const TriedStatement& one : result.statements) {
        result.ms += one.ms;
        result.mayKeep =
            result.mayKeep || (one.sent && std::ranges::find(stays, one.line, &ScriptStatement::line) != stays.end());
    }
    return result;
}

} // namespace dyno
