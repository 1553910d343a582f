// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/script_try.h>

#include "base/clock.h"
#include "base/text.h"
#include "load/data/running_target.h"
#include "load/executor/wait_for_reply.h"
#include "load/preflight/server_look.h"
#include "load/statements/explaining.h"
#include "load/target/target.h"
#include "plan/plan_order.h"
#include "store/session/statements_file.h"
#include "workload/statement_effect.h"
#include "workload/workload.h"

#include <dyno/catalog.h>
#include <dyno/kept_data.h>
#include <dyno/lua_script.h>
#include <dyno/passwords.h>
#include <dyno/plan.h>
#include <dyno/runner.h>
#include <dyno/scripts.h>
#include <dyno/uri_form.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace dyno {

namespace {

constexpr std::int32_t kStopped = -1, kNotAsked = -2, kTooMany = -3;
constexpr std::size_t kMostOfLua = 1000; //!< statements: it has loops, and the transaction stays open
constexpr std::size_t kMostSteps = 200;  //!< of a plan
constexpr auto kAskedEvery = std::chrono::milliseconds(50);

//! For all of `statements` that are prepared, EXPLAIN of the one at the same place behind them.
void addExplaining(StatementSet& statements, const Driver& driver)
{
    const std::size_t count = statements.size();
    for (std::size_t i = 0; i < count; ++i) {
        StatementSpec spec = statements[i];
        spec.text = hasPlan(spec.text) ? driver.explaining(spec.text) : std::string();
        if (spec.text.empty()) {
            spec.parameters.clear();
            spec.preparable = false;
        }
        spec.returnsRows = true;
        spec.keep = Keep::All;
        statements.push_back(std::move(spec));
    }
}

//! What EXPLAIN needs of a statement that was sent.
struct SentStatement
{
    std::size_t tried = 0; //!< number of its TriedStatement
    bool execute = false;
    StatementId statement{};
    std::string text; //!< of one that is not prepared
    std::vector<Param> params;
    std::vector<std::string> texts; //!< that params refer to
};

//! A statement of the script, for the session that tries it.
struct TriedLine
{
    int line = 0;
    bool mayStay = false; //!< a person has agreed to that
};

//! Passes requests on to a session and writes down what they were. A transaction is open before the first statement
//! and is never committed.
class TryingSession final : public Session
{
public:
    //! `statements` as addExplaining() has them. `most`: of them are tried.
    TryingSession(Session& session, const Driver& driver, const StatementSet& statements, bool transactions,
                  std::vector<TriedLine> lines, std::size_t most, const std::function<bool()>& stopped)
        : m_session(session)
        , m_driver(driver)
        , m_statements(statements)
        , m_prepared(statements.size(), false)
        , m_transactions(transactions)
        , m_lines(std::move(lines))
        , m_most(most)
        , m_stopped(stopped)
    {
    }

    Progress start(const Request& request) override
    {
        m_kept.begin(Keep::Nothing);
        m_reply = {};
        m_refusal.clear();
        if (m_stopped && m_stopped()) {
            m_reply = {.outcome = Outcome::Disconnected, .code = kStopped};
            return Progress::Done;
        }
        if (m_tried.size() >= m_most) {
            m_tooMany = true;
            m_refusal = fmt::format("the try was stopped after {} statements", m_most);
            m_reply = {.outcome = Outcome::Rejected, .code = kTooMany};
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
            m_open = m_open && m_reply.outcome != Outcome::Ok;
            break;
        case RequestKind::Execute:
        case RequestKind::Text:
            if (!m_open && m_transactions)
                begin(0, false);
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
    [[nodiscard]] std::string lastError() const override
    {
        return m_refusal.empty() ? m_session.lastError() : m_refusal;
    }

    //! At the end, also after an error. True when the server says that nothing was kept.
    bool rollBack()
    {
        if (!m_open)
            return m_transactions;
        note(0, "ROLLBACK").ofScript = false;
        pass(Request::step(RequestKind::Rollback));
        m_open = false;
        return m_reply.outcome == Outcome::Ok;
    }
    //! Has the server explain what was sent, in the transaction that is open or one of its own.
    void explainAll()
    {
        const bool own = m_transactions && !m_open;
        if (own && !ask(Request::step(RequestKind::Begin)))
            return;
        for (const SentStatement& one : m_sent) {
            if (m_stopped && m_stopped())
                break;
            TriedStatement& tried = m_tried[one.tried];
            if (!tried.error.empty())
                continue;
            tried.noPlan = explain(one, tried.plan);
            if (tried.noPlan.empty() || m_session.reply().outcome == Outcome::Ok || !m_transactions)
                continue;
            // Some servers answer nothing more in a transaction with an error.
            if (!ask(Request::step(RequestKind::Rollback)) || !ask(Request::step(RequestKind::Begin)))
                break;
        }
        if (own)
            ask(Request::step(RequestKind::Rollback));
    }
    [[nodiscard]] std::vector<TriedStatement> takeStatements() { return std::move(m_tried); }
    [[nodiscard]] bool tooMany() const { return m_tooMany; } //!< it wanted more than are tried
    //! The first statement that was not sent, as nobody was asked about it; "": none. Scripts may pass over it.
    [[nodiscard]] const std::string& notAsked() const { return m_notAsked; }
    //! Something was sent that a rollback may not take back.
    [[nodiscard]] bool mayKeep() const { return m_mayKeep; }

private:
    [[nodiscard]] TriedLine ofScript(const Request& request) const
    {
        const std::size_t number = indexOf(request.statement);
        return number < m_lines.size() ? m_lines[number] : TriedLine();
    }
    [[nodiscard]] int lineOf(const Request& request) const { return ofScript(request).line; }
    //! A variable may have made something else of the statement than what a person was asked about.
    bool mayGo(const Request& request, std::string_view text)
    {
        if (!mayStay(effectOf(text), m_transactions))
            return true;
        if (!ofScript(request).mayStay) {
            note(lineOf(request), keptText(text)).sent = false;
            m_refusal = lineOf(request) > 0
                            ? fmt::format("line {}: with these values the statement may do what no rollback undoes. It "
                                          "was not sent. To try it, write it without the variable",
                                          lineOf(request))
                            : std::string("the statement may do what no rollback undoes; it was not sent");
            m_tried.back().error = m_refusal;
            if (m_notAsked.empty())
                m_notAsked = m_refusal;
            m_reply = {.outcome = Outcome::Rejected, .code = kNotAsked};
            return false;
        }
        m_mayKeep = true;
        return true;
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
    void begin(int line, bool ofScript = true)
    {
        note(line, "BEGIN").ofScript = ofScript;
        pass(Request::step(RequestKind::Begin));
        m_open = m_reply.outcome == Outcome::Ok;
    }
    void perform(const Request& request)
    {
        Request named = request;
        const bool execute = request.kind == RequestKind::Execute;
        if (!mayGo(request, execute ? std::string_view(m_statements[indexOf(request.statement)].text) : request.text))
            return;
        if (execute) {
            TriedStatement& one = note(lineOf(request), keptText(m_statements[indexOf(request.statement)].text));
            for (const Param& value : request.params)
                one.parameters.push_back(shownParam(value));
            if (!m_prepared[indexOf(request.statement)]) {
                pass(Request::prepare(request.statement));
                if (m_reply.outcome != Outcome::Ok)
                    return;
                m_prepared[indexOf(request.statement)] = true;
            }
        } else {
            note(lineOf(request), keptText(request.text));
            if (request.keep == Keep::Nothing)
                named.keep = Keep::LastNamed;
        }
        pass(named);
        remember(request);
    }
    void remember(const Request& request)
    {
        const bool execute = request.kind == RequestKind::Execute;
        const std::string_view text = execute ? m_statements[indexOf(request.statement)].text : request.text;
        if (!hasPlan(text))
            return;
        SentStatement& one = m_sent.emplace_back();
        one.tried = m_tried.size() - 1;
        one.execute = execute;
        one.statement = request.statement;
        one.text = text;
        one.texts.reserve(request.params.size()); // they stay where they are
        for (Param value : request.params) {
            if (value.type == Param::Type::Text)
                value.text = one.texts.emplace_back(value.text);
            one.params.push_back(value);
        }
    }
    //! Not noted as a statement of the try.
    bool ask(const Request& request)
    {
        if (m_session.start(request) == Progress::Pending)
            finishPending(m_session);
        return m_session.reply().outcome == Outcome::Ok;
    }
    //! Why there is no plan; "": it is in `steps`.
    std::string explain(const SentStatement& one, std::vector<PlanStep>& steps)
    {
        const StatementId number{StatementId(indexOf(one.statement) + m_statements.size() / 2)};
        return explainStatement(m_session, m_driver, {one.text, one.execute, number, one.params}, steps, kMostSteps);
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
        for (std::size_t i = 0; i < m_kept.columns(row) && text.size() < kKeptText; ++i) {
            const std::string_view name = m_kept.name(row, i);
            text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", name, name.empty() ? "" : " = ",
                                shownParam(m_kept.at(row, i)));
        }
        return keptText(text);
    }

    Session& m_session;
    const Driver& m_driver;
    const StatementSet& m_statements;
    std::vector<bool> m_prepared;   //!< by statement
    bool m_transactions;            //!< the server has them
    std::vector<TriedLine> m_lines; //!< by statement
    std::size_t m_most;
    const std::function<bool()>& m_stopped;
    bool m_open = false; //!< a transaction
    bool m_mayKeep = false, m_tooMany = false;
    std::string m_refusal, m_notAsked; //!< of the last request; the first
    std::vector<TriedStatement> m_tried;
    std::vector<SentStatement> m_sent;
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

//! Nothing of it is known before it runs.
bool isLua(const PointSpec& point)
{
    return point.workload.name == kLuaWorkload;
}

std::string scriptOf(const PointSpec& point)
{
    return textOf(point.workload.params, kScriptsParam);
}

std::vector<ScriptStatement> statementsOf(const PointSpec& point)
{
    return isLua(point) ? std::vector<ScriptStatement>()
                        : scriptStatements(scriptOf(point), textOf(point.workload.params, kDefineParam));
}

bool staysOn(const DriverInfo& driver, const ScriptStatement& statement)
{
    return mayStay({.changes = statement.changes, .undone = statement.undone}, rollsBack(driver));
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
    const auto point = firstScriptPoint(plan, true);
    const auto uri = point ? parseUri(point->target.uri) : tl::unexpected(point.error());
    const DriverInfo* info = uri ? findDriver(uri->driver) : nullptr;
    std::vector<ScriptStatement> stays;
    if (!info)
        return stays;
    for (ScriptStatement& one : statementsOf(*point)) {
        if ((section.empty() || one.section == section) && staysOn(*info, one))
            stays.push_back(std::move(one));
    }
    return stays;
}

Expected<ScriptTry> tryScript(const Plan& plan, const RunnerOptions& options, const ScriptTryWish& wish)
{
    auto point = firstScriptPoint(plan, true);
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

    std::vector<TriedLine> lines;
    bool known = wish.section.empty();
    for (const ScriptStatement& one : statementsOf(*point)) {
        const bool chosen = wish.section.empty() || one.section == wish.section;
        lines.push_back({one.line, chosen && staysOn(driver->info(), one)});
        known = known || one.section == wish.section;
    }
    if (!known)
        return fail({ErrorKind::BadInput,
                     fmt::format("the script has no transaction \"{}\"", wish.section),
                     {},
                     "choose another one"});
    if (isLua(*point))
        point->workload.params.erase("command"); // an event, also of a plan that begins with another one
    else if (!wish.section.empty())
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
    addExplaining(connect.statements, *driver);
    const auto shared = std::make_shared<const ConnectTarget>(std::move(connect));
    auto session = driver->open(shared);
    if (!session)
        return tl::unexpected(session.error());
    const StopWatch watch(**session, options.stopped);
    if ((*session)->start(Request::step(RequestKind::Connect)) == Progress::Pending)
        finishPending(**session);
    if ((*session)->reply().outcome != Outcome::Ok)
        return fail(notConnected(**session, *uri, options.stopped));

    TryingSession trying(**session, *driver, shared->statements, rollsBack(driver->info()), std::move(lines),
                         isLua(*point) ? kMostOfLua : SIZE_MAX, options.stopped);
    const std::size_t kinds = workloadFor(point->workload.name)->operations(point->workload.params).size();
    RecorderShard unread(std::max(kinds, shared->statements.size()), false);
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
    // Servers of documents refuse to explain within a transaction.
    const bool explains = !trying.tooMany(); // a loop is the finding, not the plans of a thousand statements
    const bool within = explains && outcome == Outcome::Ok && rollsBack(driver->info());
    if (within)
        trying.explainAll();
    result.rolledBack = trying.rollBack();
    if (explains && !within && !result.interrupted)
        trying.explainAll();
    // Whatever the script made of the error.
    if (!result.interrupted && trying.tooMany())
        result.problem = fmt::format("the try was stopped after {} statements{}; the script may loop", kMostOfLua,
                                     result.rolledBack ? " and rolled back" : "");
    else if (!result.interrupted && !trying.notAsked().empty())
        result.problem = trying.notAsked();
    result.statements = trying.takeStatements();
    result.mayKeep = trying.mayKeep();
    for (const TriedStatement& one : result.statements)
        result.ms += one.ms;
    return result;
}

} // namespace dyno
