// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/script_workload.h"

#include "base/sha256.h"
#include "base/text.h"
#include "driver/sql_text.h"
#include "workload/option_makers.h"
#include "workload/script/builtin_scripts.h"
#include "workload/script/data_files.h"
#include "workload/script/evaluator.h"
#include "workload/script/head_checks.h"
#include "workload/script/own_tables.h"
#include "workload/script/script_parser.h"
#include "workload/script/source.h"
#include "workload/statement_effect.h"
#include "workload/statement_name.h"
#include "workload/tpcb/tpcb.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace dyno::script {

namespace {

// Codes of transactions that fail without the server
constexpr std::int32_t kNoValue = -501;   //!< an expression has none
constexpr std::int32_t kNotOneRow = -502; //!< \gset
constexpr std::int32_t kIdle = -503;
constexpr std::uint64_t kThinkStreams = std::uint64_t(1) << 41; //!< apart from those of users and rows
constexpr int kMostIdle = 10'000; //!< transactions in a row that send nothing and wait for nothing

//! A column of an answer, and the variable that it becomes.
struct AnswerColumn
{
    std::string name;
    std::uint32_t slot;
};

//! How a statement is sent.
struct Sending
{
    bool execute = false;                  //!< prepared, with its variables as parameters
    bool text = false;                     //!< it has variables, which are written into it
    std::vector<std::uint32_t> parameters; //!< slots
    std::vector<AnswerColumn> columns;     //!< of its answer, where something takes it
};

//! The script as one user goes through it.
struct ScriptMemory final : UserMemory
{
    explicit ScriptMemory(std::size_t count)
        : variables(count)
    {
    }
    Variables variables;
    Variables::Saved before; //!< as the transaction found them
    bool underWay = false;   //!< a transaction has not come to its end
    int idle = 0;
    std::string problem; //!< why the last transaction was given up
};

OpClass classOf(const Statement& statement)
{
    return statement.kind == RequestKind::Text ? effectOf(statement.text).opClass : OpClass::Other;
}

//! In the order of all statements of all scripts.
std::vector<OperationInfo> operationsOfProgram(const Program& program)
{
    std::vector<OperationInfo> operations;
    std::set<std::string> seen;
    for (const Script& script : program.scripts) {
        for (const Statement& statement : script.statements) {
            std::string name = statementName(statement.text);
            if (program.scripts.size() > 1)
                name = fmt::format("{}.{}", script.name, name);
            if (!seen.insert(name).second) {
                const std::string ofLine = fmt::format("{}_line{}", name, statement.line);
                name = ofLine;
                for (int more = 2; !seen.insert(name).second; ++more) // several on a line
                    name = fmt::format("{}_{}", ofLine, more);
            }
            operations.push_back({std::move(name), classOf(statement)});
        }
    }
    return operations;
}

std::vector<std::string> sectionsOfProgram(const Program& program)
{
    std::vector<std::string> names;
    for (const Script& script : program.scripts)
        names.push_back(script.name);
    return names;
}

std::string textOfParams(const Settings& params)
{
    const std::string own = textOf(params, "scripts");
    return own.empty() ? builtinText(textOf(params, "builtin", builtinNames().front()),
                                     integerOf(params, "accounts_per_branch", 100'000))
                       : own;
}

class ScriptInstance final : public WorkloadInstance
{
public:
    //! Beside the scripts.
    struct More
    {
        std::shared_ptr<const WorkloadInstance> tables; //!< nullptr: they are there
        bool builtin = false;
        std::vector<DataCheck> checks;
        std::vector<ThinkTime> thinkTimes;
    };
    ScriptInstance(Program program, std::string text, bool prepared, std::int64_t scale, More more)
        : m_program(std::move(program))
        , m_text(std::move(text))
        , m_scale(scale)
        , m_tables(std::move(more.tables))
        , m_checks(std::move(more.checks))
        , m_prepared(prepared)
        , m_builtin(more.builtin)
    {
        m_thinkTimes.resize(more.thinkTimes.empty() ? 0 : m_program.scripts.size());
        for (ThinkTime& time : more.thinkTimes) {
            const auto script = std::ranges::find(m_program.scripts, time.section, &Script::name);
            if (script != m_program.scripts.end())
                m_thinkTimes[std::size_t(script - m_program.scripts.begin())] = std::move(time);
        }
        for (Script& script : m_program.scripts) {
            m_first.push_back(std::uint32_t(m_statements.size()));
            for (const Statement& statement : script.statements)
                addStatement(statement, prepared);
        }
        for (const Script& script : m_program.scripts)
            m_sums.push_back((m_sums.empty() ? 0 : m_sums.back()) + script.weight);
        const auto writes = [](const OperationInfo& one) { return one.opClass == OpClass::Write; };
        m_writes = std::ranges::any_of(operationsOfProgram(m_program), writes);
        m_clientId = m_program.slotOf(kClientId);
        m_scaleSlot = m_program.slotOf(kScale);
        m_randomSeed = m_program.slotOf(kRandomSeed);
        m_defaultSeed = m_program.slotOf(kDefaultSeed);
    }

    [[nodiscard]] std::vector<TableSpec> tables() const override
    {
        std::vector<TableSpec> all = m_tables ? m_tables->tables() : std::vector<TableSpec>();
        for (TableSpec& table : all)
            table.freshEachRun = m_writes;
        return all;
    }
    [[nodiscard]] StatementSet statements() const override { return m_statements; }
    [[nodiscard]] std::vector<std::string> sections() const override { return sectionsOfProgram(m_program); }
    [[nodiscard]] StatementSet loaderStatements() const override
    {
        return m_tables ? m_tables->loaderStatements() : StatementSet();
    }
    [[nodiscard]] bool makeReady(Use use, const std::function<bool()>& goOn, std::uint64_t seed) const override
    {
        return !m_tables || m_tables->makeReady(use, goOn, seed);
    }
    [[nodiscard]] Task<Outcome> load(UserContext& user, LoadSlice slice) const override
    {
        return m_tables->load(user, slice);
    }
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override;
    [[nodiscard]] std::vector<FeatureProbe> probes() const override
    {
        return m_tables && m_writes ? m_tables->probes() : std::vector<FeatureProbe>();
    }
    [[nodiscard]] Settings ofResult() const override { return {{"scripts_sha256", sha256Of(m_text)}}; }
    [[nodiscard]] std::uint64_t estimatedBytes() const override { return m_tables ? m_tables->estimatedBytes() : 0; }
    [[nodiscard]] Growth growth() const override { return m_tables && m_builtin ? m_tables->growth() : Growth(); }
    [[nodiscard]] bool paces() const override { return !m_thinkTimes.empty(); }
    [[nodiscard]] Pauses pauses(UserContext& user) const override
    {
        const std::size_t chosen = chosenScript(user); // the first draw of transaction() too
        if (!m_thinkTimes[chosen])
            return {};
        Random random = Random::forItem(user.seed(), kThinkStreams + user.number(), user.sequence());
        return {0, m_thinkTimes[chosen]->drawNs(random)};
    }
    [[nodiscard]] std::vector<std::string> beforeDrop() const override
    {
        return m_tables ? m_tables->beforeDrop() : std::vector<std::string>();
    }
    [[nodiscard]] bool loadsTogether() const override { return m_tables && m_tables->loadsTogether(); }
    [[nodiscard]] std::vector<std::string> loaderSessionSetup() const override
    {
        return m_tables ? m_tables->loaderSessionSetup() : std::vector<std::string>();
    }
    [[nodiscard]] bool checksEachRun() const override { return !m_checks.empty(); }
    [[nodiscard]] std::vector<DataCheck> checks() const override
    {
        if (!m_checks.empty())
            return m_checks;
        return m_tables && m_builtin ? m_tables->checks() : std::vector<DataCheck>();
    }

private:
    void addStatement(const Statement& statement, bool prepared);
    [[nodiscard]] std::unique_ptr<ScriptMemory> memoryFor(const UserContext& user) const;
    [[nodiscard]] std::size_t chosenScript(UserContext& user) const;
    [[nodiscard]] Request requestFor(UserContext& user, ScriptMemory& memory, const Statement& statement,
                                     std::size_t number) const;
    [[nodiscard]] std::int64_t pauseNs(const Command& command, const ScriptMemory& memory, Problem& problem) const;
    [[nodiscard]] bool takeAnswer(UserContext& user, ScriptMemory& memory, const Statement& statement,
                                  std::size_t number, const Reply& reply) const;
    [[nodiscard]] Outcome giveUp(UserContext& user, ScriptMemory& memory, const Command& command,
                                 const Problem& problem) const;
    [[nodiscard]] Problem valueOf(const Command& command, UserContext& user, ScriptMemory& memory, Scalar& value) const
    {
        const std::span<const Instruction> code(m_program.code.data() + command.expression.begin,
                                                m_program.code.data() + command.expression.end);
        return evaluate(code, memory.variables, user.random(), value);
    }

    Program m_program;
    std::string m_text; //!< of the scripts
    std::int64_t m_scale;
    std::shared_ptr<const WorkloadInstance> m_tables;
    std::vector<DataCheck> m_checks;                    //!< of the head
    std::vector<std::optional<ThinkTime>> m_thinkTimes; //!< by script; empty: nobody thinks
    bool m_prepared;
    bool m_builtin;
    bool m_writes = false;
    StatementSet m_statements;
    std::vector<Sending> m_sendings;    //!< of m_statements
    std::vector<std::uint32_t> m_first; //!< statement of each script
    SectionSums m_sums;                 //!< of the scripts, as they say themselves
    std::uint32_t m_clientId = 0, m_scaleSlot = 0, m_randomSeed = 0, m_defaultSeed = 0;
};

void ScriptInstance::addStatement(const Statement& statement, bool prepared)
{
    Sending sending;
    sending.execute = prepared && statement.kind == RequestKind::Text && statement.cuts.empty();
    StatementSpec spec;
    for (const Piece& piece : statement.pieces) {
        spec.text += piece.text;
        if (piece.variable == kNoSlot)
            break;
        if (sending.execute && !piece.quoted) { // of a document its quotation marks stay around it
            spec.text += '?';
            sending.parameters.push_back(piece.variable);
        } else {
            spec.text += ':' + m_program.variables[piece.variable];
            sending.text = !sending.execute;
        }
    }
    spec.parameters.assign(sending.parameters.size(), Param::Type::Integer);
    spec.preparable = sending.execute;
    spec.returnsRows = classOf(statement) == OpClass::Read || statement.answer != Statement::Answer::Dropped;
    if (statement.answer != Statement::Answer::Dropped) {
        spec.keep = Keep::LastNamed;
        for (std::size_t slot = 0; slot < m_program.variables.size(); ++slot) {
            if (const std::string& name = m_program.variables[slot]; name.starts_with(statement.prefix))
                sending.columns.push_back({name.substr(statement.prefix.size()), std::uint32_t(slot)});
        }
    }
    m_statements.push_back(std::move(spec));
    m_sendings.push_back(std::move(sending));
}

std::unique_ptr<ScriptMemory> ScriptInstance::memoryFor(const UserContext& user) const
{
    auto memory = std::make_unique<ScriptMemory>(m_program.variables.size());
    std::uint64_t seed = user.seed();
    memory->variables.set(m_clientId, Scalar::of(std::int64_t(user.number())));
    memory->variables.set(m_scaleSlot, Scalar::of(m_scale));
    memory->variables.set(m_randomSeed, Scalar::of(std::int64_t(user.seed())));
    memory->variables.set(m_defaultSeed, Scalar::of(std::int64_t(splitMix(seed))));
    for (const auto& [slot, text] : m_program.definitions) {
        memory->variables.setText(slot, text);
        Scalar value;
        const bool known = m_prepared && !memory->variables.read(slot, value);
        if (known && (value.type == Scalar::Type::Integer || value.type == Scalar::Type::Real))
            memory->variables.set(slot, value); // a text as a parameter would be compared as one
    }
    return memory;
}

std::size_t ScriptInstance::chosenScript(UserContext& user) const
{
    if (m_program.scripts.size() == 1) [[likely]]
        return 0;
    const SectionSums* const ofPhase = user.sectionSums();
    return drawSection(ofPhase ? *ofPhase : m_sums, user.random());
}

Request ScriptInstance::requestFor(UserContext& user, ScriptMemory& memory, const Statement& statement,
                                   std::size_t number) const
{
    const Sending& sending = m_sendings[number];
    if (sending.execute) {
        Param* param = user.paramsToWrite(sending.parameters.size());
        for (const std::uint32_t slot : sending.parameters)
            *param++ = memory.variables.param(slot);
        Request request = Request::execute(StatementId(number), user.params());
        request.keep = m_statements[number].keep; // for a session that does not know the statements
        return request;
    }
    Request request{.kind = statement.kind,
                    .statement = StatementId(number), // for who watches: the text says it all
                    .text = statement.text,
                    .keep = m_statements[number].keep};
    if (!sending.text)
        return request;
    std::string& text = user.buffer();
    text.clear();
    for (const Piece& piece : statement.pieces) {
        text += piece.text;
        if (piece.variable == kNoSlot)
            break;
        if (memory.variables.isSet(piece.variable)) [[likely]] {
            memory.variables.append(piece.variable, text);
        } else { // no variable of the script's: part of the statement, as in pgbench
            text += ':';
            text += m_program.variables[piece.variable];
        }
    }
    request.text = text;
    return request;
}

std::int64_t ScriptInstance::pauseNs(const Command& command, const ScriptMemory& memory, Problem& problem) const
{
    std::int64_t amount = command.amount;
    if (command.index != kNoSlot) {
        Scalar value;
        problem = memory.variables.read(command.index, value);
        if (!problem && value.type != Scalar::Type::Integer && value.type != Scalar::Type::Real)
            problem = {"the time of \\sleep must be a number", command.index};
        amount = value.type == Scalar::Type::Real ? std::int64_t(std::clamp(value.real, -1.0, 1e9)) : value.integer;
    }
    constexpr std::int64_t kMostNs = 86'400'000'000'000; // a day
    std::int64_t ns = 0;
    if (amount <= 0)
        return 0;
    return __builtin_mul_overflow(amount, command.unitNs, &ns) ? kMostNs : std::min(ns, kMostNs);
}

bool ScriptInstance::takeAnswer(UserContext& user, ScriptMemory& memory, const Statement& statement, std::size_t number,
                                const Reply& reply) const
{
    const bool one = statement.answer == Statement::Answer::OneRow;
    if (one && reply.rows != 1) {
        memory.problem =
            fmt::format("line {}: \\gset needs one row, and the answer has {}", statement.line, reply.rows);
        return false;
    }
    if (reply.rows == 0)
        return true;
    const std::vector<AnswerColumn>& columns = m_sendings[number].columns;
    const KeptRows& kept = user.kept();
    if (kept.rows() == 0) { // a driver without data: any value will do
        for (const AnswerColumn& column : columns) {
            if (!memory.variables.isSet(column.slot))
                memory.variables.set(column.slot, Scalar::of(std::int64_t(1)));
        }
        return true;
    }
    const std::size_t row = kept.rows() - 1, count = kept.columns(row);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view name = kept.name(row, i);
        const auto column =
            std::ranges::find_if(columns, [name](const AnswerColumn& each) { return each.name == name; });
        if (column == columns.end())
            continue; // no script reads it
        const Param value = kept.at(row, i);
        switch (value.type) {
        case Param::Type::Null:
            memory.variables.set(column->slot, Scalar::null());
            break;
        case Param::Type::Integer:
            memory.variables.set(column->slot, Scalar::of(value.integer));
            break;
        case Param::Type::Real:
            memory.variables.setExact(column->slot, value.real);
            break;
        case Param::Type::Text:
            memory.variables.setText(column->slot, value.text);
            break;
        }
    }
    return true;
}

Outcome ScriptInstance::giveUp(UserContext& user, ScriptMemory& memory, const Command& command,
                               const Problem& problem) const
{
    memory.problem = fmt::format("line {}: {}", command.line, problem.text);
    if (problem.variable != kNoSlot)
        memory.problem += fmt::format(" (:{})", m_program.variables[problem.variable]);
    return user.reject(kNoValue, memory.problem.c_str());
}

Task<Outcome> ScriptInstance::transaction(UserContext& user) const
{
    auto& memory = user.memory<ScriptMemory>([&] { return memoryFor(user); });
    if (std::exchange(memory.underWay, true)) [[unlikely]]
        memory.variables.restore(memory.before); // the last one was rolled back, and they with it
    else
        memory.variables.save(memory.before);
    const std::size_t chosen = chosenScript(user);
    const Script& script = m_program.scripts[chosen];
    bool pipeline = false, idle = true;
    for (std::size_t at = 0; at < script.commands.size();) {
        const Command& command = script.commands[at++];
        switch (command.kind) {
        case Command::Kind::Set:
        case Command::Kind::Branch: {
            Scalar value;
            if (const Problem problem = valueOf(command, user, memory, value)) [[unlikely]]
                co_return giveUp(user, memory, command, problem);
            if (command.kind == Command::Kind::Set)
                memory.variables.set(command.index, value);
            else if (!isTrue(value))
                at = command.index;
            break;
        }
        case Command::Kind::Jump:
            at = command.index;
            break;
        case Command::Kind::StartPipeline:
            pipeline = true;
            break;
        case Command::Kind::SyncPipeline:
        case Command::Kind::EndPipeline: {
            pipeline = command.kind == Command::Kind::SyncPipeline;
            const Reply sent = co_await user.flush();
            if (sent.outcome != Outcome::Ok)
                co_return sent.outcome;
            break;
        }
        case Command::Kind::Sleep: {
            Problem problem;
            const std::int64_t until = nowNs() + pauseNs(command, memory, problem);
            if (problem)
                co_return giveUp(user, memory, command, problem);
            idle = false;
            const PauseSignal* const signal = user.pauseSignal();
            while (signal && nowNs() < until) {
                const std::uint32_t ticket = signal->ticket();
                if (signal->stopping())
                    co_return Outcome::TimedOut; // cut short by the end of the run
                co_await user.pause(until, ticket);
            }
            break;
        }
        case Command::Kind::Statement: {
            idle = false;
            const Statement& statement = script.statements[command.index];
            const std::size_t number = m_first[chosen] + std::size_t(command.index);
            const Request request = requestFor(user, memory, statement, number);
            Reply reply;
            if (pipeline && !statement.cuts.empty()) { // has several answers
                reply = co_await user.flush();
                if (reply.outcome != Outcome::Ok)
                    co_return reply.outcome;
            }
            if (pipeline && statement.cuts.empty())
                reply = co_await user.post(OpId(number), request);
            else
                reply = co_await user.execute(OpId(number), request);
            if (reply.outcome != Outcome::Ok)
                co_return reply.outcome;
            if (statement.answer != Statement::Answer::Dropped && !takeAnswer(user, memory, statement, number, reply))
                co_return user.reject(kNotOneRow, memory.problem.c_str());
            break;
        }
        }
    }
    memory.underWay = false;
    memory.idle = idle ? memory.idle + 1 : 0;
    if (memory.idle > kMostIdle) [[unlikely]]
        co_return user.reject(
            kIdle, "the script sent no statement in 10 000 transactions, one after the other: no \\if let one through");
    co_return Outcome::Ok;
}

class ScriptWorkload final : public Workload
{
public:
    ScriptWorkload();
    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }
    [[nodiscard]] std::vector<OperationInfo> operations(const Settings& params) const override;
    [[nodiscard]] bool operationsVary() const override { return true; }
    [[nodiscard]] std::vector<std::string> sections(const Settings& params) const override
    {
        const auto program = parseScripts(textOfParams(params), textOf(params, "define"));
        return program ? sectionsOfProgram(*program) : std::vector<std::string>();
    }
    [[nodiscard]] std::map<std::string, std::string> moreOfData(const Settings& params) const override
    {
        const std::string text = textOf(params, "scripts");
        std::map<std::string, std::string> found;
        if (std::string digest = headDigest(text); !digest.empty())
            found.emplace("head", std::move(digest));
        if (std::string digest = filesDigest(text, params); !digest.empty())
            found.emplace(kFilesParam, std::move(digest));
        return found;
    }
    void joinTables(Settings& own, const Settings& said, const Workload& loader, const Settings& params) const override;
    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override;

private:
    WorkloadInfo m_info;
};

ScriptWorkload::ScriptWorkload()
{
    m_info.id = "script";
    m_info.name = "pgbench script";
    m_info.purpose = WorkloadPurpose::Application;
    m_info.summary = "Statements of your own: SQL in pgbench's language, or commands in JSON";
    m_info.description =
        "What a script in pgbench's language says, by each user again and again. Each statement is measured as an "
        "operation of its own: SQL on any server that speaks it, commands in JSON on those that keep documents. "
        "Without a script it is one of pgbench's built-in ones.";
    m_info.models = {DataModel::Sql, DataModel::Document};
    m_info.source = "pgbench of PostgreSQL 17, without \\shell and \\setshell";
    OptionSpec script = textOption("scripts", "Scripts",
                                   "Statements and commands as in a file for pgbench -f; where documents are kept, "
                                   "statements are commands in JSON. Several scripts: each after a line \\transaction "
                                   "NAME WEIGHT. Empty: the built-in one.",
                                   "", "");
    script.choices = {"SELECT 1;"};
    script.severalLines = true;
    script.risk = "send SQL statements or commands of its own to the server: they can read, change and delete "
                  "whatever that account may";
    OptionSpec define = textOption(
        "define", "Variables", "NAME=VALUE; NAME=VALUE …: variables that the script reads, as pgbench's -D.", "", "");
    define.choices = {"n=100; part=3"};
    define.risk = "put texts of its own into the script's statements";
    OptionSpec files =
        textOption(kFilesParam, "Files",
                   "Where the files lie that the head of the script names: a line NAME = /PATH each.", "", "");
    files.choices = {"cities.txt = /home/me/cities.txt"};
    files.severalLines = true;
    files.risk = "read files of yours that it names, and send what is in them to the target";
    m_info.options = {
        std::move(script),
        choiceOption("builtin", "Built-in script",
                     "pgbench's -b, where no script is given. tpcb-like: a whole transaction. simple-update: without "
                     "tellers and branches. select-only: one balance.",
                     builtinNames().front(), builtinNames(), ""),
        std::move(define),
        std::move(files),
        ofData(integerOption("scale", "Scale",
                             "Branches of pgbench's tables, each with 100 000 accounts, and the variable :scale.", 1,
                             "branches", 1, 1'000'000, "")),
        ofData(choiceOption(
            "schema", "Tables",
            "pgbench: its four tables are made and loaded. none: the script's tables are there already, and "
            "none is made or dropped. Tables that the head of the script describes take their place.",
            "pgbench", {"pgbench", "none"}, "")),
        choiceOption("protocol", "Protocol",
                     "simple: variables are written into the statements, as pgbench does it by default. prepared: each "
                     "statement is prepared once, with its variables as parameters.",
                     "simple", {"simple", "prepared"}, ""),
        ofData(integerOption("accounts_per_branch", "Accounts of a branch",
                             "pgbench has 100 000; fewer make another workload, for trying things out.", 100'000,
                             "accounts", 1, 100'000, "advanced")),
    };
    m_info.operations = operations({});
}

std::vector<OperationInfo> ScriptWorkload::operations(const Settings& params) const
{
    if (const auto program = parseScripts(textOfParams(params), textOf(params, "define")))
        return operationsOfProgram(*program);
    return operationsOfProgram(*parseScripts(builtinText(builtinNames().front()))); // a fault of the plan
}

//! A script that describes no tables works on the plan's, with the variables of their head.
void ScriptWorkload::joinTables(Settings& own, const Settings& said, const Workload& loader,
                                const Settings& params) const
{
    const auto headOf = [](const Settings& settings) {
        auto head = readHead(textOf(settings, "scripts"));
        return head && *head ? std::move(**head) : Head();
    };
    if (textOf(said, "scripts").empty() || said.contains("schema") || !headOf(said).tables.empty())
        return;
    const bool sameKind = &loader == this;
    const Head head = sameKind ? headOf(params) : Head();
    if (sameKind && head.tables.empty())
        return; // pgbench's tables, or none, in both
    own["schema"] = std::string("none");
    if (!head.define.empty())
        own["define"] = fmt::format("{}\n{}", head.define, textOf(own, "define"));
}

//! Why a target cannot take the script's statements.
tl::unexpected<Error> otherLanguage(const Program& program, bool builtin)
{
    constexpr const char* kCommandForm = R"(write commands in JSON, as {"find": "orders", "filter": {"_id": ":id"}})";
    if (builtin)
        return wrongParameter("pgbench's built-in scripts are SQL, and this target keeps documents", "scripts",
                              fmt::format("{}, or choose another workload", kCommandForm));
    const auto says = [](const Statement& one) { return one.kind == RequestKind::Text; };
    int line = 1;
    for (const Script& script : program.scripts) {
        if (const auto first = std::ranges::find_if(script.statements, says); first != script.statements.end()) {
            line = first->line;
            break;
        }
    }
    return program.documents
               ? wrongParameter(fmt::format("line {}: a command on documents, and this target keeps none", line),
                                "scripts", "write statements in SQL, or choose a target that keeps documents")
               : wrongParameter(fmt::format("line {}: a statement in SQL, which this target does not speak", line),
                                "scripts", fmt::format("{}, or choose a target that speaks SQL", kCommandForm));
}

//! The first statement that cannot be prepared here: the drivers' mark for a parameter is ?.
const Statement* firstWithMark(const Program& program)
{
    for (const Script& script : program.scripts) {
        for (const Statement& statement : script.statements) {
            if (statement.kind == RequestKind::Text && statement.cuts.empty() &&
                piecesBetweenMarks(statement.text, {}).size() > 1)
                return &statement;
        }
    }
    return nullptr;
}

Expected<std::shared_ptr<const WorkloadInstance>>
ScriptWorkload::bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const
{
    auto program = parseScripts(textOfParams(settings), textOf(settings, "define"));
    if (!program) {
        const Mistake& mistake = program.error();
        const std::string place =
            mistake.line > 0 ? fmt::format("line {}, column {}: ", mistake.line, mistake.column) : std::string();
        return wrongParameter(place + mistake.what, mistake.line > 0 ? "scripts" : "define",
                              "expected: " + mistake.expected);
    }
    const bool builtin = textOf(settings, "scripts").empty();
    const DataModel model = program->documents ? DataModel::Document : DataModel::Sql;
    if (std::ranges::find(driver.models, model) == driver.models.end())
        return otherLanguage(*program, builtin);
    const bool prepared = program->documents || textOf(settings, "protocol") == "prepared";
    if (const Statement* statement = prepared && !program->documents ? firstWithMark(*program) : nullptr)
        return wrongParameter(fmt::format("line {}: a statement with a ? cannot be prepared here", statement->line),
                              "protocol", "set protocol to simple");
    const auto writes = [](const OperationInfo& one) { return one.opClass == OpClass::Write; };
    ScriptInstance::More more;
    more.builtin = builtin;
    auto read = readHead(textOf(settings, "scripts"));
    Head head = read && *read ? std::move(**read) : Head();
    Settings ofHead = settings; // for its expressions
    if (!head.define.empty())
        ofHead["define"] = fmt::format("{}\n{}", head.define, textOf(settings, "define"));
    auto checks = bindChecks(head.checks, ofHead, driver.sql.readOnly);
    if (!checks)
        return tl::unexpected(checks.error());
    more.checks = std::move(*checks);
    more.thinkTimes = std::move(head.thinkTimes);
    if (!head.tables.empty()) {
        auto bound = bindOwnTables(std::move(head), ofHead, driver, tableKnobs);
        if (!bound)
            return bound;
        more.tables = std::move(*bound);
    } else if (textOf(settings, "schema") != "none" && !program->documents) {
        const bool changes = std::ranges::any_of(operationsOfProgram(*program), writes);
        const std::string kind = builtin   ? textOf(settings, "builtin", builtinNames().front())
                                 : changes ? "tpcb-like"
                                           : "select-only";
        const Settings ofTables{{"scale", integerOf(settings, "scale", 1)},
                                {"accounts_per_branch", integerOf(settings, "accounts_per_branch", 100'000)},
                                {"script", kind}};
        auto bound = tpcb::workloads().front()->bind(ofTables, driver, tableKnobs);
        if (!bound)
            return bound;
        more.tables = std::move(*bound);
    }
    return std::make_shared<const ScriptInstance>(std::move(*program), textOfParams(settings), prepared,
                                                  integerOf(settings, "scale", 1), std::move(more));
}

} // namespace

const std::vector<const Workload*>& workloads()
{
    static const ScriptWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

} // namespace dyno::script
