// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Runs scripts in the language and with the functions of sysbench 1.0.20, unchanged. It sends nothing itself: a script
//! that asks for a statement is held until the answer is given.
//!
//! A script reaches no file, process, other library or machine code; its memory and the time that it computes without a
//! statement are limited. One long call within the language's own library is not interrupted.
#pragma once

#include "base/random.h"
#include "driver/kept_rows.h"
#include "workload/distribution.h"
#include "workload/lua/sysbench_random.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct lua_State;

namespace dyno::lua {

//! A file by the name that `require` uses, without ".lua".
struct ScriptFile
{
    std::string name;
    std::string text;
    int line = 1; //!< of its first one, in the text that holds it
};

//! sysbench.rand.unique(): no number comes twice to the users that share this, whatever their threads.
struct UniqueNumbers
{
    explicit UniqueNumbers(const UniqueSequence& numbers)
        : sequence(numbers)
    {
    }
    UniqueSequence sequence;
    std::atomic<std::uint32_t> next{0};
};

//! A statement that a script prepares, and a letter for each parameter that it binds: i a whole number, r a real one,
//! t a text.
struct PreparedText
{
    std::string text;
    std::size_t marks = 0;
    std::string types = {};
};
//! Those that the sessions of a run have prepared.
struct PreparedTexts
{
    std::map<std::string, int, std::less<>> numbers; //!< by their text
    std::vector<std::string> types;                  //!< by their number
};

//! What the interpreters of a run have made of its files, so that each file is compiled once. Any thread.
class CompiledFiles
{
public:
    [[nodiscard]] std::string of(const std::string& name) const; //!< empty: none
    void add(const std::string& name, std::string code);

private:
    mutable std::mutex m_mutex;
    std::map<std::string, std::string> m_codes;
};

//! What commands of a script print, line by line and for people to read, of all users. Any thread.
class PrintedLines
{
public:
    //! Ends the line after `text` where it is `whole`, as print() does; io.write() does not.
    void add(int user, std::string_view text, bool whole);
    //! The lines since the last call, at most kMostLines, and how many more there were.
    [[nodiscard]] std::vector<std::string> take();
    static constexpr std::size_t kMostLines = 200, kMostBytes = 500; //!< of a line

private:
    void endLine(std::string& open);

    std::mutex m_mutex;
    std::vector<std::string> m_lines;
    std::map<int, std::string> m_open; //!< of each user, a line without its end
    std::size_t m_more = 0;
};

struct ScriptSetup
{
    std::vector<ScriptFile> files;           //!< the first one is the script
    std::shared_ptr<CompiledFiles> compiled; //!< made where there is none
    std::vector<ScriptFile> options;         //!< name with underscores, and value, as on sysbench's command line
    std::shared_ptr<UniqueNumbers> uniques;  //!< made where there is none
    std::shared_ptr<PrintedLines> printed;   //!< of commands; none: they print nothing
    //! Becomes true where a script calls reconnect(), which does nothing; none: it is not kept.
    std::shared_ptr<std::atomic<bool>> reconnects;
    std::string driver; //!< by the name that the script may ask for
    std::string command = "run";
    bool parallel = false; //!< all users do the command, see Interpreter::parallel()
    int threads = 1;
    //! Of each user at its first number, with the option rand_seed; made where there are none, or too few.
    std::shared_ptr<const std::vector<SysbenchRandom>> sysbench;
    std::shared_ptr<const PreparedTexts> prepared;   //!< none: scripts get texts
    std::vector<PreparedText>* collected = nullptr;  //!< takes what scripts prepare; outlives the interpreter
    std::size_t mostMemory = std::size_t(256) << 20; //!< of all users together; 256 KB more for each of them
    std::int64_t mostInstructions = 50'000'000;      //!< between two statements
};

//! What a script came to.
enum class Turn : std::uint8_t {
    Statement, //!< statement() is to be sent
    Event,     //!< an event, or the command, is over
    Restart,   //!< the event failed and is to be done again: the next go() begins it
    Failed,    //!< problem() says why; this user is over
};

//! What became of a statement.
struct Answer
{
    std::int32_t code = 0; //!< of the server; 0: well
    std::string message = {};
    std::string state = {}; //!< SQLSTATE, where the driver tells it
    bool restart = false;   //!< the event may be done again
    std::int64_t rows = 0, affected = 0;
    const KeptRows* kept = nullptr; //!< where ScriptUser::keepsRows(); valid until the next statement is sent
};

class Interpreter;
struct InterpreterCalls;
struct StatementFunctions;
struct AnswerObject;

//! One user's script. Belongs to its interpreter's thread.
class ScriptUser
{
public:
    ~ScriptUser();
    ScriptUser(const ScriptUser&) = delete;
    ScriptUser& operator=(const ScriptUser&) = delete;
    //! Goes on until the next statement. `answer`: that of the one before, where there is one.
    [[nodiscard]] Turn go(const Answer& answer = {});
    //! Between events: lets the script end as with sysbench's last event, where thread_done() may send statements.
    [[nodiscard]] Turn end();
    [[nodiscard]] bool betweenEvents() const { return m_between; }
    [[nodiscard]] bool ready() const { return m_ready; } //!< thread_init() is over
    //! event() returned a value: this user has no more events, and end() comes next.
    [[nodiscard]] bool leaves() const { return m_leaves; }
    [[nodiscard]] const std::string& statement() const { return m_statement; }
    //! The number of the prepared statement that is to be sent with params(); -1: statement() is.
    [[nodiscard]] int prepared() const { return m_prepared; }
    [[nodiscard]] std::span<const Param> params() const { return m_params; }
    [[nodiscard]] bool keepsRows() const { return m_keepsRows; } //!< the script may look at the statement's answer
    //! "file:line: what"
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    //! How often the script itself counted an error since it was asked last.
    [[nodiscard]] int takeRollbacks() { return std::exchange(m_rollbacks, 0); }
    //! From now on its random numbers come from there, which outlives it.
    void drawFrom(Random& random) { m_random = &random; }
    //! Each # becomes a digit and each @ a letter, as with sysbench.rand.string(); `to` has room for the format's
    //! length.
    void fillRandom(char* to, std::string_view format);

private:
    friend class Interpreter;
    friend struct InterpreterCalls;
    friend struct StatementFunctions;
    ScriptUser(Interpreter& owner, int number, std::uint64_t seed);
    void checkPlace(lua_State* lua) const;
    [[nodiscard]] int give(const Answer& answer);

    Interpreter& m_owner;
    int m_number;
    lua_State* m_thread = nullptr;
    int m_anchor = -1;
    bool m_started = false, m_over = false, m_between = false, m_ready = false, m_keepsRows = false;
    bool m_leaves = false;
    int m_rollbacks = 0;
    int m_loading = 0; //!< files whose top level runs: they share a function with other users
    int m_prepared = -1;
    std::vector<Param> m_params;
    Random m_ownRandom;
    Random* m_random = &m_ownRandom;
    std::optional<SysbenchRandom> m_sysbench; //!< with the option rand_seed, instead of m_random
    const KeptRows* m_rows = nullptr;         //!< of the last answer
    AnswerObject* m_answer = nullptr; //!< waits for that of a prepared statement, and is on top of the script's thread
    Turn m_turn = Turn::Failed;       //!< why the script waits
    std::string m_statement, m_problem;
};

//! The users of one thread. They share what was compiled; each one has its own variables.
class Interpreter
{
public:
    explicit Interpreter(ScriptSetup setup);
    ~Interpreter();
    Interpreter(const Interpreter&) = delete;
    Interpreter& operator=(const Interpreter&) = delete;
    //! A user that fails at once has its problem already.
    [[nodiscard]] std::unique_ptr<ScriptUser> addUser(int number, std::uint64_t seed);
    [[nodiscard]] const std::string& problem() const { return m_problem; }     //!< of the interpreter; empty: none
    [[nodiscard]] std::size_t memory() const { return m_memory; }              //!< that the scripts have, in bytes
    [[nodiscard]] std::int64_t instructions() const { return m_instructions; } //!< since the last statement, roughly
    [[nodiscard]] bool parallel() const { return m_parallel; } //!< its command is of all users; after addUser()
    //! For ScriptSetup of another one.
    [[nodiscard]] const auto& sysbench() const { return m_setup.sysbench; }
    //! What is wrong with how the file is written, "file:line: what"; empty: nothing. Runs nothing of it.
    [[nodiscard]] static std::string syntaxProblem(const ScriptFile& file);
    //! An error of the script that runs, at its line.
    [[noreturn]] static void failHere(lua_State* lua, const char* why);

private:
    friend class ScriptUser;
    friend struct InterpreterCalls;
    friend struct StatementFunctions;
    [[nodiscard]] static Interpreter& of(lua_State* lua);
    static void* allocate(void* owner, void* old, std::size_t oldSize, std::size_t size);
    //! "file:line: " of the script's line that is being done.
    static void pushPlace(lua_State* lua);
    static constexpr std::size_t kKinds = 5;
    void readDistributions();
    void makeRoom();
    [[nodiscard]] std::string errorOf(lua_State* lua) const;

    ScriptSetup m_setup;
    lua_State* m_state = nullptr;
    int m_makeUser = -1, m_runUser = -1;
    std::size_t m_memory = 0, m_collectAbove = 0;
    std::size_t m_users = 0; //!< ever added
    std::int64_t m_instructions = 0;
    bool m_stuck = false, m_parallel = false;
    std::string m_stuckPlace;
    bool m_limited = false;              //!< a script runs: what it cannot have is its error
    ScriptUser* m_current = nullptr;     //!< whose script runs
    std::optional<std::uint32_t> m_seed; //!< the option rand_seed
    DistributionSpec m_spec;             //!< its kind is that of sysbench.rand.default()
    std::array<std::optional<Distribution>, kKinds> m_drawnLast;
    std::string m_problem;
};

} // namespace dyno::lua
