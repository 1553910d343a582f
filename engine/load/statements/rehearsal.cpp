// SPDX-License-Identifier: GPL-3.0-or-later
#include "load/statements/rehearsal.h"

#include "base/clock.h"
#include "load/statements/digest_difference.h"
#include "load/statements/explaining.h"
#include "metrics/recorder.h"
#include "workload/document_command.h"
#include "workload/recorded/statement_language.h"

#include <algorithm>
#include <map>
#include <set>

namespace dyno {

namespace {

constexpr std::int64_t kRehearsalNs = 150'000'000; //!< most time, of all transactions
constexpr std::size_t kMostRequests = 2000;
constexpr std::uint64_t kMostTransactions = 64;
constexpr std::size_t kKindsOfOperation = 16;
constexpr std::size_t kMostPending = 64;                         //!< statements of one operation
constexpr std::size_t kLongestRehearsed = std::size_t(64) << 10; //!< bytes of a statement
constexpr std::size_t kMadeUpColumns = 32;

//! Answers each request with success and a row of ones, and writes down what was asked.
class RehearsalSession final : public Session
{
public:
    RehearsalSession(const StatementSet& statements, const std::vector<OperationInfo>& operations)
        : m_statements(statements)
        , m_operations(operations)
        , m_recorder(1, operations.size(), false)
        , m_sampler(m_recorder)
        , m_endNs(nowNs() + kRehearsalNs)
    {
    }

    Progress start(const Request& request) override
    {
        attribute();
        m_kept.begin(Keep::All);
        if (isOver()) {
            m_reply = {.outcome = Outcome::Disconnected, .code = -1};
            return Progress::Done;
        }
        ++m_requests;
        m_reply = {.outcome = Outcome::Ok, .code = 0, .rows = 1, .affected = 1};
        const bool execute = request.kind == RequestKind::Execute;
        if (execute || request.kind == RequestKind::Text)
            remember(request, execute);
        m_kept.beginRow();
        for (std::size_t i = 0; i < kMadeUpColumns; ++i)
            m_kept.add(Param::of(std::int64_t(1)));
        return Progress::Done;
    }
    [[nodiscard]] std::string lastError() const override { return "no server was asked"; }

    [[nodiscard]] bool isOver() const { return m_requests >= kMostRequests || nowNs() >= m_endNs; }
    [[nodiscard]] RecorderShard& shard() { return m_recorder.shard(0); }
    //! What was sent since the last operation that was measured belongs to the one that is measured now.
    void attribute()
    {
        const IntervalSample sample = m_sampler.take();
        for (std::size_t i = 0; i < sample.ops.size(); ++i) {
            if (sample.ops[i].count + sample.ops[i].errors == 0)
                continue;
            for (SentKind& kind : m_pending)
                keep(std::move(kind), i);
            m_pending.clear();
            return;
        }
    }
    //! Of a transaction; what belongs to no operation is forgotten.
    void endTransaction()
    {
        attribute();
        m_pending.clear();
    }
    [[nodiscard]] std::vector<SentKind> takeKinds() { return std::move(m_kinds); }

private:
    void remember(const Request& request, bool execute)
    {
        const std::size_t number = indexOf(request.statement);
        const std::string_view text = !execute                       ? request.text
                                      : number < m_statements.size() ? std::string_view(m_statements[number].text)
                                                                     : "";
        if (text.empty() || text.size() > kLongestRehearsed || m_pending.size() >= kMostPending)
            return;
        SentKind& kind = m_pending.emplace_back();
        kind.prepared = execute;
        kind.text = text;
        if (!execute)
            return;
        kind.texts.reserve(request.params.size()); // they stay where they are
        for (Param value : request.params) {
            if (value.type == Param::Type::Text)
                value.text = kind.texts.emplace_back(value.text);
            kind.params.push_back(value);
        }
    }
    void keep(SentKind kind, std::size_t operation)
    {
        std::set<std::string>& known = m_known[operation];
        if (known.size() >= kKindsOfOperation || !known.insert(kindKey(kind.text)).second)
            return;
        kind.operation = m_operations[operation].name;
        m_kinds.push_back(std::move(kind));
    }

    const StatementSet& m_statements;
    const std::vector<OperationInfo>& m_operations;
    Recorder m_recorder;
    IntervalSampler m_sampler;
    std::int64_t m_endNs;
    std::size_t m_requests = 0;
    std::vector<SentKind> m_pending, m_kinds;
    std::map<std::size_t, std::set<std::string>> m_known; //!< by operation
};

void performTransactions(const WorkloadInstance& workload, RehearsalSession& session, const UserPlace& place)
{
    std::uint64_t most = kMostTransactions;
    if (!workload.steps().empty()) {
        most = 0;
        for (const StepSpec& step : workload.steps())
            most += std::uint64_t(std::max(step.times, 0));
    }
    UserContext user(session, session.shard(), place);
    for (std::uint64_t number = 0; number < most && !session.isOver(); ++number) {
        user.beginTransaction(number);
        try {
            Task<Outcome> task = workload.transaction(user);
            task.start();
            if (!task.done())
                return; // it waits for something that does not come here
            (void)task.result();
        } catch (const std::exception&) { // made-up answers are no data of its own
            return;
        }
        session.endTransaction();
    }
}

SentKind madeUp(const StatementSpec& spec)
{
    SentKind kind;
    kind.prepared = true;
    kind.text = spec.text;
    kind.texts.reserve(spec.parameters.size());
    for (const Param::Type type : spec.parameters) {
        if (type == Param::Type::Text)
            kind.params.push_back(Param::of(std::string_view(kind.texts.emplace_back("1"))));
        else if (type == Param::Type::Real)
            kind.params.push_back(Param::of(1.0));
        else
            kind.params.push_back(Param::of(std::int64_t(1)));
    }
    return kind;
}

} // namespace

std::string documentShape(std::string_view text)
{
    std::string shape = recorded::commandsInJson().digest(text);
    return shape.empty() ? "{}" : shape; // of what cannot be read, nothing is known to be no value
}

std::string kindKey(std::string_view text)
{
    std::string key = isDocumentText(text) ? documentShape(text) : withoutLiterals(text);
    std::erase_if(key, [](char c) { return c >= '0' && c <= '9'; });
    return key;
}

std::vector<SentKind> rehearse(const WorkloadInstance& workload, const std::vector<OperationInfo>& operations,
                               std::uint64_t seed, int users)
{
    const StatementSet statements = workload.statements();
    std::vector<SentKind> kinds;
    const std::int64_t endNs = nowNs() + kRehearsalNs;
    const auto goOn = [endNs] { return nowNs() < endNs; };
    if (workload.onlySends() && !workload.bulkInRuns() && !operations.empty() &&
        workload.makeReady(WorkloadInstance::Use::Run, goOn, seed)) {
        RehearsalSession session(statements, operations);
        UserPlace place;
        place.users = users;
        place.seed = seed;
        performTransactions(workload, session, place);
        kinds = session.takeKinds();
    }
    std::set<std::string> seen;
    for (const SentKind& kind : kinds)
        seen.insert(kindKey(kind.text));
    for (const StatementSpec& spec : statements) {
        if (hasPlan(spec.text) && seen.insert(kindKey(spec.text)).second)
            kinds.push_back(madeUp(spec));
    }
    return kinds;
}

} // namespace dyno
