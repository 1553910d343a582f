// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/statements/describe.h"

#include "base/clock.h"
#include "driver/control_calls.h"
#include "load/executor/wait_for_reply.h"
#include "load/statements/explaining.h"
#include "load/statements/rehearsal.h"
#include "plan/load_groups.h"
#include "plan/plan_order.h"
#include "store/session/statements_file.h"
#include "workload/document_command.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace dyno {

namespace {

constexpr double kDescribeSeconds = 5; //!< most time; what is left then is not asked
constexpr StopPatience kOfDescription{.connect = 1, .call = 2, .quiet = kDescribeSeconds, .silent = 2};

//! Breaks the session's connection when the time is over or somebody wants to stop.
class DescribeLimit
{
public:
    DescribeLimit(Session& session, std::function<bool()> over)
        : m_thread([this, &session, over = std::move(over)](const std::stop_token& done) {
            std::unique_lock lock(m_mutex);
            while (!done.stop_requested()) {
                (void)m_wake.wait_for(lock, done, std::chrono::milliseconds(50), [] { return false; });
                if (!done.stop_requested() && over()) {
                    session.abort();
                    return;
                }
            }
        })
    {
    }

private:
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::jthread m_thread;
};

std::string explainTextOf(const Driver& driver, const SentKind& kind)
{
    return kind.prepared && hasPlan(kind.text) ? driver.explaining(kind.text) : std::string();
}

//! With the kinds of all groups that take part.
std::vector<SentKind> kindsOf(const PointSpec& point)
{
    std::vector<SentKind> kinds;
    const auto add = [&kinds](const PointSpec& of, const std::string& prefix) {
        const auto workload = bindPoint(of); // of nobody else: it counts on its own
        if (!workload)
            return;
        for (SentKind& kind : rehearse(**workload, operationsOf(of), of.load.seed, of.users())) {
            if (!kind.operation.empty())
                kind.operation = prefix + kind.operation;
            kinds.push_back(std::move(kind));
        }
    };
    const std::vector<const LoadGroup*> groups = activeGroups(point);
    if (groups.empty())
        add(point, {});
    for (const LoadGroup* group : groups)
        add(pointOfGroup(point, *group), group->name + ".");
    return kinds;
}

void describeTables(const PointSpec& point, const ReadyTarget& target, const std::function<bool()>& stopped,
                    RunStatements& statements)
{
    const std::vector<TableSpec> tables = target.workload->tablesFor(point.mostUsers());
    auto admin = controlAdmin(*target.driver, *target.connect, stopped, kOfDescription);
    for (const TableSpec& table : tables) {
        if (statements.tables.size() == kKeptTables) {
            ++statements.moreTables;
            continue;
        }
        TableText& one = statements.tables.emplace_back();
        one.name = table.name;
        const auto text = admin && !stopped() ? (*admin)->tableText(table.name) : Expected<std::string>();
        one.planned = !text || text->empty();
        one.text = keptText(one.planned ? table.create : *text, kKeptTableText);
    }
}

//! Within a transaction that is taken back, as servers may run parts of a statement to explain it; those of documents
//! run nothing.
std::string explainWithin(Session& session, const Driver& driver, const ExplainRequest& request,
                          std::vector<PlanStep>& steps)
{
    const auto step = [&session](RequestKind kind) {
        if (session.start(Request::step(kind)) == Progress::Pending)
            finishPending(session);
        return session.reply().outcome == Outcome::Ok;
    };
    if (!rollsBack(driver.info()))
        return explainStatement(session, driver, request, steps, kKeptSteps);
    if (!step(RequestKind::Begin))
        return session.lastError();
    std::string why = explainStatement(session, driver, request, steps, kKeptSteps);
    (void)step(RequestKind::Rollback);
    return why;
}

//! False: nobody answered.
bool explainKinds(const ReadyTarget& target, const std::vector<SentKind>& kinds, const std::function<bool()>& over,
                  RunStatements& statements)
{
    auto connect = std::make_shared<ConnectTarget>(*target.connect);
    connect->eventLoop = connect->loader = connect->bulk = false;
    connect->statements.clear();
    for (const SentKind& kind : kinds) {
        StatementSpec& spec = connect->statements.emplace_back();
        spec.text = explainTextOf(*target.driver, kind);
        spec.preparable = !spec.text.empty();
        for (const Param& value : kind.params) {
            if (spec.preparable)
                spec.parameters.push_back(value.type);
        }
        spec.returnsRows = true;
        spec.keep = Keep::All;
    }
    std::string problem;
    auto session = target.driver->open(connect);
    std::optional<DescribeLimit> limit;
    if (session) {
        limit.emplace(**session, over);
        if ((*session)->start(Request::step(RequestKind::Connect)) == Progress::Pending)
            finishPending(**session);
        if ((*session)->reply().outcome != Outcome::Ok)
            problem = (*session)->lastError();
    } else {
        problem = session.error().message;
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        StatementPlan plan;
        plan.operation = kinds[i].operation;
        // A command that is not prepared comes from a log: its values may be names of people.
        plan.text = keptText(!kinds[i].prepared && isDocumentText(kinds[i].text) ? documentShape(kinds[i].text)
                                                                                 : kinds[i].text);
        for (const Param& value : kinds[i].params) {
            if (plan.parameters.size() < kKeptParameters)
                plan.parameters.push_back(shownParam(value));
        }
        if (!hasPlan(kinds[i].text))
            plan.noPlan = "servers do not explain such statements";
        else if (!problem.empty())
            plan.noPlan = problem;
        else if (over())
            plan.noPlan = "there was no time left to ask";
        else if (const std::string call = isDocumentText(kinds[i].text) ? std::string() : unusualCall(kinds[i].text);
                 !call.empty())
            plan.noPlan = fmt::format("it calls {}, which the server might run to explain it", call);
        else
            plan.noPlan = explainWithin(
                **session, *target.driver,
                {kinds[i].text, kinds[i].prepared, StatementId(std::uint32_t(i)), kinds[i].params}, plan.steps);
        plan.noPlan = keptText(plan.noPlan);
        statements.plans.push_back(std::move(plan));
    }
    return problem.empty();
}

} // namespace

bool canDescribe(const ReadyTarget& target)
{
    return !target.driver->explaining("SELECT 1").empty() || !target.driver->explaining(R"({"find": "a"})").empty();
}

std::string descriptionKey(const PointSpec& point)
{
    std::string key = fmt::format("{}\n{}\n{}", point.target.uri, point.mostUsers(), bindKey(point));
    for (const Settings* settings : {&point.server, &point.connection, &point.host}) { // they may change plans
        for (const auto& [name, value] : *settings)
            key += fmt::format("\n{}={}", name, toText(value));
        key += "\n--";
    }
    for (const LoadGroup* group : activeGroups(point))
        key += '\n' + group->name + '\n' + bindKey(pointOfGroup(point, *group));
    return key;
}

bool describeStatements(const PointSpec& point, const ReadyTarget& target, const std::function<bool()>& stopped,
                        RunStatements& statements)
{
    const std::int64_t beganNs = nowNs();
    const auto over = [stopped, beganNs] { return stopped() || double(nowNs() - beganNs) * 1e-9 > kDescribeSeconds; };
    std::vector<SentKind> kinds = kindsOf(point);
    if (kinds.size() > kKeptPlans) {
        statements.morePlans = kinds.size() - kKeptPlans;
        kinds.resize(kKeptPlans);
    }
    const bool answered = kinds.empty() || explainKinds(target, kinds, over, statements);
    describeTables(point, target, over, statements); // after the plans: one that is locked takes the time that is left
    statements.describeMs = double(nowNs() - beganNs) / 1e6;
    return answered && !over();
}

} // namespace dyno
