// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lua/lua_workload.h"
#include "base/sha256.h"

#include "base/text.h"
#include "metrics/printed_lines.h"
#include "workload/lua/lua_files.h"
#include "workload/lua/lua_interpreter.h"
#include "workload/oltp/params.h"
#include "workload/option_makers.h"

#include <dyno/uri_form.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace dyno::lua {

namespace {

// Codes of transactions that fail without the server
constexpr std::int32_t kScriptFails = -601;
constexpr std::int32_t kAgain = -602; //!< the script wants its event again, whatever the server's error was
constexpr std::int32_t kSendsNothing = -603;
constexpr int kMostWithoutStatement = 1'000'000; //!< transactions in a row
constexpr int kMostOutsideOfRuns = 10'000;       //!< statements of a transaction that nobody can stop
constexpr int kMostOfThreadInit = 1'000;         //!< statements before the first event, where the script is looked at
constexpr std::int64_t kMostOfLook = 50'000'000; //!< instructions there, and of a transaction that nobody can stop
constexpr std::size_t kMostMemory = std::size_t(64) << 20;
constexpr std::size_t kStateLength = 5; //!< of an SQLSTATE
constexpr std::string_view kRun = "run";
//! What sysbench's drivers ignore: two of the same key are begun again where a deleted row is inserted twice.
constexpr const char* kIgnoredErrors = "1213,1020,1205,23505";
constexpr const char* kWithoutEnd = "the script sends statements without end";

constexpr const char* kOwnScript = "function thread_init()\n"
                                   "   con = sysbench.sql.driver():connect()\n"
                                   "end\n"
                                   "function event()\n"
                                   "   con:query(\"SELECT 1\")\n"
                                   "end\n";

struct VerbInfo
{
    std::string_view word;
    OpClass opClass;
};
//! Statements are counted by their first word; the last one stands for all others.
constexpr std::array<VerbInfo, 9> kVerbs{{{"select", OpClass::Read},
                                          {"insert", OpClass::Write},
                                          {"update", OpClass::Write},
                                          {"delete", OpClass::Write},
                                          {"replace", OpClass::Write},
                                          {"begin", OpClass::Other},
                                          {"commit", OpClass::Other},
                                          {"rollback", OpClass::Other},
                                          {"other", OpClass::Other}}};
constexpr std::size_t kBegin = 5, kCommit = 6, kRollback = 7, kOther = kVerbs.size() - 1;
constexpr std::size_t kCommand = kVerbs.size(); //!< the operation of a command, with all its statements

constexpr bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

//! `text` begins with `word`, which stands there in small letters. Looked at for each statement, so it copies nothing.
constexpr bool beginsWith(std::string_view text, std::string_view word)
{
    if (text.size() < word.size())
        return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if ((text[i] | 0x20) != word[i])
            return false;
    }
    return true;
}

struct StatementKind
{
    std::size_t verb = kOther;
    RequestKind request = RequestKind::Text;
};

StatementKind kindOfStatement(std::string_view text)
{
    while (!text.empty() && isBlank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && (isBlank(text.back()) || text.back() == ';'))
        text.remove_suffix(1);
    for (std::size_t verb = 0; verb < kOther; ++verb) {
        const std::string_view word = kVerbs[verb].word;
        if (!beginsWith(text, word))
            continue;
        if (text.size() > word.size()) {
            const char next = text[word.size()];
            if (isBlank(next) || next == '(' || next == '/')
                return {verb, RequestKind::Text};
            continue;
        }
        if (verb == kBegin)
            return {verb, RequestKind::Begin};
        if (verb == kCommit)
            return {verb, RequestKind::Commit};
        if (verb == kRollback)
            return {verb, RequestKind::Rollback};
        return {verb, RequestKind::Text};
    }
    constexpr std::string_view kStart = "start transaction";
    if (beginsWith(text, kStart))
        return {kBegin, text.size() == kStart.size() ? RequestKind::Begin : RequestKind::Text};
    return {};
}

//! The script as one user goes through it.
struct LuaMemory final : UserMemory
{
    std::shared_ptr<Interpreter> interpreter; //!< outlives the script
    std::unique_ptr<ScriptUser> script;
    Answer answer;
    int withoutStatement = 0;
    std::string problem; //!< why the last transaction was given up
};

class LuaInstance final : public WorkloadInstance
{
public:
    struct Spec
    {
        std::vector<ScriptFile> files, options;
        std::string text, command, driver, driverId;
        oltp::IgnoredErrors ignored;
        bool outcomeTells = false, prepares = true;
    };

    explicit LuaInstance(Spec spec)
        : m_spec(std::move(spec))
    {
        if (m_spec.command != kRun)
            m_steps = {{OpId(kCommand), 1}};
    }

    [[nodiscard]] std::vector<TableSpec> tables() const override { return {}; }
    [[nodiscard]] StatementSet statements() const override
    {
        lookAtScript();
        return m_statements;
    }
    [[nodiscard]] StatementSet loaderStatements() const override { return {}; }
    [[nodiscard]] Task<Outcome> load(UserContext& /*user*/, LoadSlice /*slice*/) const override
    {
        co_return Outcome::Ok; // the script's tables are its own
    }
    [[nodiscard]] Task<Outcome> transaction(UserContext& user) const override
    {
        return m_steps.empty() ? event(user) : command(user);
    }
    [[nodiscard]] Task<Outcome> finish(UserContext& user) const override;
    [[nodiscard]] const std::vector<StepSpec>& steps() const override { return m_steps; }
    [[nodiscard]] bool stepsForAll() const override
    {
        lookAtScript();
        return m_parallel;
    }
    [[nodiscard]] bool ends() const override { return m_steps.empty(); }
    [[nodiscard]] bool isOver(UserContext& user) const override
    {
        return user.memory<LuaMemory>([&] { return memoryFor(user); }).script->leaves();
    }
    [[nodiscard]] std::vector<std::string> notesOfRun() const override
    {
        std::vector<std::string> notes = m_printed->take();
        for (std::string& line : notes)
            line.insert(0, kPrintedByScript);
        if (const int users = m_users.load(); !m_steps.empty() && !m_parallel && users > 1)
            notes.push_back(fmt::format("{} was done by one of {} users: the script has it as no PARALLEL_COMMAND",
                                        m_spec.command, users));
        if (m_reconnects->exchange(false))
            notes.emplace_back("reconnect() does nothing here: a lost connection is made again by itself");
        return notes;
    }
    [[nodiscard]] bool onlySends() const override { return false; } // a script prints
    [[nodiscard]] bool fatal(Outcome outcome, std::int32_t code) const override
    {
        if (outcome == Outcome::Disconnected)
            return !m_spec.ignored.contains(code);
        return outcome == Outcome::Rejected && (code == kScriptFails || code == kSendsNothing);
    }
    [[nodiscard]] bool retryable(Outcome outcome, std::int32_t code) const override
    {
        if (outcome == Outcome::Ok || outcome == Outcome::Disconnected)
            return false;
        return code == kAgain || m_spec.ignored.contains(code) ||
               (m_spec.outcomeTells && outcome == Outcome::Retryable);
    }
    [[nodiscard]] Settings ofResult() const override { return {{"script_sha256", sha256Of(m_spec.text)}}; }
    [[nodiscard]] std::uint64_t estimatedBytes() const override { return 0; }

private:
    [[nodiscard]] ScriptSetup setupFor(int threads) const;
    void lookAtScript() const;
    [[nodiscard]] std::shared_ptr<Interpreter> interpreterHere(const UserContext& user) const;
    [[nodiscard]] std::unique_ptr<LuaMemory> memoryFor(UserContext& user) const;
    [[nodiscard]] Outcome giveUp(UserContext& user, LuaMemory& memory, std::int32_t code, std::string why) const;
    [[nodiscard]] StatementKind kindOf(const ScriptUser& script) const
    {
        return script.prepared() < 0 ? kindOfStatement(script.statement())
                                     : StatementKind{m_verbs[std::size_t(script.prepared())], RequestKind::Execute};
    }
    [[nodiscard]] static Request requestOf(const ScriptUser& script, RequestKind kind)
    {
        if (kind == RequestKind::Execute)
            return Request::execute(StatementId(script.prepared()), script.params());
        return {.kind = kind, .text = script.statement(), .keep = script.keepsRows() ? Keep::All : Keep::Nothing};
    }
    [[nodiscard]] Task<Outcome> event(UserContext& user) const;
    [[nodiscard]] Task<Outcome> command(UserContext& user) const;
    void take(Answer& answer, const Reply& reply, const ScriptUser& script, UserContext& user) const;

    Spec m_spec;
    std::vector<StepSpec> m_steps;
    mutable std::mutex m_mutex;
    mutable std::map<std::thread::id, std::weak_ptr<Interpreter>> m_interpreters;
    mutable std::shared_ptr<UniqueNumbers> m_uniques;
    mutable std::shared_ptr<const std::vector<SysbenchRandom>> m_sysbench; //!< see ScriptSetup
    std::shared_ptr<CompiledFiles> m_compiled = std::make_shared<CompiledFiles>();
    std::shared_ptr<PrintedLines> m_printed = std::make_shared<PrintedLines>();
    std::shared_ptr<std::atomic<bool>> m_reconnects = std::make_shared<std::atomic<bool>>(false);
    // What the script prepares, and whether all users do its command; set once.
    mutable std::once_flag m_looked;
    mutable StatementSet m_statements;
    mutable std::vector<std::size_t> m_verbs; //!< of m_statements
    mutable std::shared_ptr<const PreparedTexts> m_prepared;
    mutable bool m_parallel = false;
    mutable std::atomic<int> m_users{0}; //!< of the run
};

ScriptSetup LuaInstance::setupFor(int threads) const
{
    ScriptSetup setup;
    setup.files = m_spec.files;
    setup.options = m_spec.options;
    setup.driver = m_spec.driver;
    setup.command = m_spec.command;
    setup.threads = threads;
    setup.mostMemory = kMostMemory;
    setup.compiled = m_compiled;
    return setup;
}

//! Sessions prepare all statements before they run, so what thread_init() prepares has to be known: it runs once
//! without a server, up to the first event. What it prepares only then, or after an answer, is sent as text.
void LuaInstance::lookAtScript() const
{
    std::call_once(m_looked, [this] {
        auto known = std::make_shared<PreparedTexts>();
        if (m_spec.prepares && m_spec.command == kRun) {
            std::vector<PreparedText> found;
            ScriptSetup setup = setupFor(1);
            setup.collected = &found;
            Interpreter interpreter(std::move(setup));
            const auto script = interpreter.addUser(0, 1);
            std::int64_t spent = interpreter.instructions();
            for (int i = 0;
                 i < kMostOfThreadInit && spent < kMostOfLook && !script->ready() && script->go() == Turn::Statement;
                 ++i)
                spent += interpreter.instructions();
            for (const PreparedText& one : found) {
                const StatementKind kind = kindOfStatement(one.text);
                if (kind.request != RequestKind::Text || known->numbers.contains(one.text) ||
                    one.marks != one.types.size())
                    continue;
                StatementSpec spec;
                spec.text = one.text;
                for (const char type : one.types)
                    spec.parameters.push_back(type == 'i'   ? Param::Type::Integer
                                              : type == 'r' ? Param::Type::Real
                                                            : Param::Type::Text);
                spec.returnsRows = kVerbs[kind.verb].opClass == OpClass::Read;
                known->numbers.emplace(one.text, int(m_statements.size()));
                known->types.push_back(one.types);
                m_statements.push_back(std::move(spec));
                m_verbs.push_back(kind.verb);
            }
        }
        if (m_spec.command != kRun) {
            Interpreter interpreter(setupFor(1));
            const auto script = interpreter.addUser(0, 1); // its top level alone
            m_parallel = interpreter.parallel();
        }
        m_prepared = std::move(known);
    });
}

std::shared_ptr<Interpreter> LuaInstance::interpreterHere(const UserContext& user) const
{
    lookAtScript();
    m_users.store(user.users(), std::memory_order_relaxed);
    const std::lock_guard lock(m_mutex);
    std::weak_ptr<Interpreter>& here = m_interpreters[std::this_thread::get_id()];
    if (auto living = here.lock())
        return living;
    if (!m_uniques)
        m_uniques = std::make_shared<UniqueNumbers>(
            seedOf(m_spec.options) ? UniqueSequence::ofSysbench()
                                   : UniqueSequence(user.seed() ^ std::uint64_t(nowNs()))); // the tables stay
    ScriptSetup setup = setupFor(user.users());
    setup.uniques = m_uniques;
    setup.prepared = m_prepared;
    setup.printed = m_printed;
    setup.reconnects = m_reconnects;
    setup.parallel = m_parallel;
    setup.sysbench = m_sysbench;
    auto made = std::make_shared<Interpreter>(std::move(setup));
    m_sysbench = made->sysbench();
    here = made;
    return made;
}

std::unique_ptr<LuaMemory> LuaInstance::memoryFor(UserContext& user) const
{
    auto memory = std::make_unique<LuaMemory>();
    memory->interpreter = interpreterHere(user);
    memory->script = memory->interpreter->addUser(int(indexOf(user.user())), user.seed());
    memory->script->drawFrom(user.random());
    return memory;
}

Outcome LuaInstance::giveUp(UserContext& user, LuaMemory& memory, std::int32_t code, std::string why) const
{
    memory.problem = std::move(why);
    return user.reject(code, memory.problem.c_str());
}

void LuaInstance::take(Answer& answer, const Reply& reply, const ScriptUser& script, UserContext& user) const
{
    answer.rows = reply.rows;
    answer.affected = reply.affected;
    answer.kept = script.keepsRows() && reply.rows > 0 ? &user.kept() : nullptr;
    answer.code = 0;
    if (reply.outcome == Outcome::Ok) [[likely]]
        return;
    answer.code = reply.code != 0 ? reply.code : 1;
    answer.message = user.session().lastError();
    answer.state = errorName(m_spec.driverId, answer.code);
    if (answer.state.size() != kStateLength)
        answer.state.clear(); // the server's number again
    answer.restart = reply.outcome == Outcome::Disconnected ? m_spec.ignored.contains(reply.code)
                                                            : retryable(reply.outcome, reply.code);
}

Task<Outcome> LuaInstance::command(UserContext& user) const
{
    const std::int64_t startNs = nowNs();
    const Outcome outcome = co_await event(user);
    user.recordOperation(m_steps.front().op, std::uint64_t(nowNs() - startNs), outcome == Outcome::Ok);
    co_return outcome;
}

Task<Outcome> LuaInstance::event(UserContext& user) const
{
    auto& memory = user.memory<LuaMemory>([&] { return memoryFor(user); });
    ScriptUser& script = *memory.script;
    if (script.leaves()) [[unlikely]] // nobody asked isOver(): an open loop
        co_return giveUp(user, memory, kScriptFails,
                         "event() returned a value, which ends this user, and transactions go on arriving: run without "
                         "a rate");
    const PauseSignal* const signal = user.pauseSignal();
    Reply failed; // the last statement that did
    int sent = 0;
    std::int64_t spent = 0;
    for (;;) {
        const Turn turn = script.go(memory.answer);
        if (turn == Turn::Statement) [[likely]] {
            if (failed.outcome == Outcome::Disconnected)
                co_return failed.outcome; // the script goes on once the connection is back, with the same answer
            ++sent;
            spent += memory.interpreter->instructions();
            if (!signal && (sent > kMostOutsideOfRuns || spent > kMostOfLook))
                co_return giveUp(user, memory, kScriptFails, kWithoutEnd);
            const StatementKind kind = kindOf(script);
            const Request request = requestOf(script, kind.request);
            Reply reply;
            if (!m_steps.empty() || !script.ready())
                reply = co_await user.step(request);
            else
                reply = co_await user.execute(OpId(kind.verb), request);
            take(memory.answer, reply, script, user);
            if (reply.outcome != Outcome::Ok) [[unlikely]]
                failed = reply;
            continue;
        }
        memory.answer = {};
        if (turn == Turn::Failed) {
            if (failed.outcome == Outcome::Disconnected && signal && signal->stopping())
                co_return failed.outcome; // cut off by the end of the run
            co_return giveUp(user, memory, kScriptFails, script.problem());
        }
        memory.withoutStatement = sent > 0 ? 0 : memory.withoutStatement + 1;
        if (memory.withoutStatement > kMostWithoutStatement) [[unlikely]]
            co_return giveUp(user, memory, kSendsNothing, "the script sent no statement in 1 000 000 events");
        if (turn == Turn::Event) {
            for (int i = script.takeRollbacks(); i > 0; --i)
                user.noteRollback();
            co_return failed.outcome == Outcome::Disconnected ? failed.outcome : Outcome::Ok;
        }
        if (failed.outcome == Outcome::Disconnected || retryable(failed.outcome, failed.code))
            co_return failed.outcome;
        co_return giveUp(user, memory, kAgain, "the script asked to restart its event");
    }
}

Task<Outcome> LuaInstance::finish(UserContext& user) const
{
    auto& memory = user.memory<LuaMemory>([&] { return memoryFor(user); });
    ScriptUser& script = *memory.script;
    if (!script.betweenEvents())
        co_return Outcome::Ok;
    Turn turn = script.end();
    for (int sent = 0; turn == Turn::Statement; ++sent) {
        if (sent == kMostOutsideOfRuns)
            co_return giveUp(user, memory, kScriptFails, kWithoutEnd);
        const StatementKind kind = kindOf(script);
        const Request request = requestOf(script, kind.request);
        const Reply reply = co_await user.execute(OpId(kind.verb), request);
        if (reply.outcome == Outcome::Disconnected)
            co_return reply.outcome;
        take(memory.answer, reply, script, user);
        turn = script.go(memory.answer);
    }
    if (turn == Turn::Failed)
        co_return giveUp(user, memory, kScriptFails, script.problem());
    co_return Outcome::Ok;
}

class LuaWorkload final : public Workload
{
public:
    LuaWorkload();
    [[nodiscard]] const WorkloadInfo& info() const override { return m_info; }
    //! The same for every script; without a word that writes, none of them does.
    [[nodiscard]] std::vector<OperationInfo> operations(const Settings& settings) const override;
    [[nodiscard]] Expected<std::shared_ptr<const WorkloadInstance>>
    bind(const Settings& settings, const DriverInfo& driver, const Settings& tableKnobs) const override;

private:
    WorkloadInfo m_info;
};

std::vector<OperationInfo> LuaWorkload::operations(const Settings& settings) const
{
    std::vector<OperationInfo> all = m_info.operations;
    if (const std::string script = textOf(settings, "script"); script.empty() || mayWrite(script))
        return all;
    for (OperationInfo& one : all)
        one.opClass = one.opClass == OpClass::Write ? OpClass::Other : one.opClass;
    return all;
}

LuaWorkload::LuaWorkload()
{
    m_info.id = "lua";
    m_info.name = "Sysbench script";
    m_info.purpose = WorkloadPurpose::Application;
    m_info.summary = "Lua of your own: scripts for sysbench 1.0, unchanged";
    m_info.description =
        "What a script for sysbench does in event(), by each user again and again. Statements are measured by their "
        "first word. A script reaches no files, programs or libraries. Without a script it asks for a constant.";
    m_info.source = "the language and functions of sysbench 1.0.20";
    OptionSpec script = textOption("script", "Script",
                                   "A script with event(). Files that it requires follow, each after a line --@file "
                                   "NAME. It may take 64 MB in each thread, and 256 KB for each user. Empty: one "
                                   "constant query.",
                                   "", "");
    script.choices = {"function event() end"};
    script.severalLines = true;
    script.risk = "run a script that sends SQL statements of its own to the server: they can read, change and delete "
                  "whatever that account may";
    OptionSpec options = textOption("options", "Options",
                                    "Options of the script and of its random numbers, as on sysbench's command line: "
                                    "tables=4 table_size=10000 rand-type=uniform.",
                                    "", "");
    options.choices = {"rand-type=uniform"};
    options.risk = "put texts of its own into the script's SQL statements";
    OptionSpec command = textOption("command", "Command",
                                    "run: event() again and again. Another one is done once, and timed, by one user "
                                    "or, where the script has it as a PARALLEL_COMMAND, by all: "
                                    "prepare makes the script's tables, prewarm reads them, cleanup drops them.",
                                    std::string(kRun), "");
    command.risk = "run a command of the script, which may make, fill, change or drop any table of that account";
    command.choices = {std::string(kRun), "prepare", "prewarm", "cleanup"};
    OptionSpec name = textOption("driver_name", "Name of the driver",
                                 "What sysbench.sql.driver():name() answers, where scripts ask for it. Empty: the name "
                                 "of the target's driver.",
                                 "", "advanced");
    name.choices = {"other"};
    m_info.options = {
        std::move(script),
        std::move(options),
        std::move(command),
        choiceOption("db_ps_mode", "Prepared statements",
                     "auto: what the script prepares in thread_init() is prepared by the server. disable: values are "
                     "written into the text.",
                     "auto", {"auto", "disable"}, ""),
        textOption(
            "ignore_errors", "Errors to retry",
            "Error codes (1213, 40P01) after which an event is rolled back and begun again, separated by commas, "
            "or \"all\". Any other error that the script does not catch ends the run.",
            kIgnoredErrors, "advanced"),
        std::move(name),
    };
    for (const VerbInfo& verb : kVerbs)
        m_info.operations.push_back({std::string(verb.word), verb.opClass});
    m_info.operations.push_back({"command", OpClass::Other});
}

Expected<std::shared_ptr<const WorkloadInstance>> LuaWorkload::bind(const Settings& settings, const DriverInfo& driver,
                                                                    const Settings& /*tableKnobs*/) const
{
    LuaInstance::Spec spec;
    spec.text = textOf(settings, "script");
    if (spec.text.empty())
        spec.text = kOwnScript;
    spec.files = filesOf(spec.text);
    for (const ScriptFile& file : spec.files) {
        if (std::string problem = Interpreter::syntaxProblem(file); !problem.empty())
            return wrongParameter(std::move(problem), "script", "correct the script");
    }
    auto options = optionsOf(textOf(settings, "options"), spec.text);
    if (!options)
        return tl::unexpected(options.error());
    spec.options = std::move(*options);
    auto ignored = oltp::IgnoredErrors::parse(textOf(settings, "ignore_errors", kIgnoredErrors));
    if (!ignored)
        return tl::unexpected(ignored.error());
    spec.ignored = std::move(*ignored);
    spec.command = textOf(settings, "command", std::string(kRun));
    if (spec.command.empty())
        spec.command = kRun;
    spec.prepares = textOf(settings, "db_ps_mode", "auto") == "auto";
    spec.driverId = driver.id;
    spec.driver = textOf(settings, "driver_name");
    if (spec.driver.empty())
        spec.driver = driver.id;
    spec.outcomeTells = driver.sql.outcomeTells;
    return std::make_shared<const LuaInstance>(std::move(spec));
}

} // namespace

const std::vector<const Workload*>& workloads()
{
    static const LuaWorkload workload;
    static const std::vector<const Workload*> list{&workload};
    return list;
}

std::string syntaxProblem(const ScriptFile& file)
{
    return Interpreter::syntaxProblem(file);
}

} // namespace dyno::lua
