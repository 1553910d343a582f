// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/script/script_parser.h"

#include "base/text.h"
#include "workload/document_command.h"
#include "workload/script/expression_parser.h"
#include "workload/script/workload_head.h"
#include "workload/statement_effect.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

namespace dyno::script {

namespace {

constexpr std::size_t kMostText = 1 << 20;
constexpr std::size_t kMostScripts = 128;     //!< as in pgbench
constexpr std::size_t kMostVariables = 255;   //!< of a statement, as in pgbench
constexpr std::size_t kMostStatements = 256;  //!< each is an operation with histograms of its own
constexpr std::size_t kMostCommands = 10'000; //!< of a script
constexpr std::size_t kMostNames = 1'000;     //!< of variables, in all
constexpr std::size_t kMostName = 40;
constexpr std::int64_t kMostWeight = INT32_MAX;
constexpr const char* kCommands = "\\set, \\gset, \\aset, \\sleep, \\if, \\elif, \\else, \\endif, \\startpipeline, "
                                  "\\syncpipeline, \\endpipeline or \\transaction";

//! A part of a statement's text in which names of variables are no variables for the server.
struct Quoted
{
    std::size_t begin, end;
};

//! An \if that is not closed.
struct OpenBranch
{
    std::size_t place;             //!< in the text
    std::size_t branch;            //!< command that jumps when its condition does not hold; SIZE_MAX after \else
    std::vector<std::size_t> ends; //!< commands that jump behind \endif
    bool inTransaction;            //!< at the \if
    bool allEndInside = true;      //!< all branches before this one end in a transaction
};

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> all)
{
    return std::find(all.begin(), all.end(), word) != all.end();
}

class ScriptParser
{
public:
    //! `begin`: where the scripts begin, behind a head.
    ScriptParser(std::string_view text, std::size_t begin)
        : m_source{text, begin}
    {
    }

    tl::expected<Program, Mistake> run(std::string_view definitions, bool complete)
    {
        for (const char* name : {kClientId, kScale, kRandomSeed, kDefaultSeed})
            setBy(m_program.slotOf(name));
        if (define(definitions) && readAll() && (!complete || isComplete()))
            return std::move(m_program);
        return tl::unexpected(std::move(*m_mistake));
    }

private:
    bool refuse(std::size_t place, std::string what, std::string expected)
    {
        if (!m_mistake)
            m_mistake = m_source.mistake(place, std::move(what), std::move(expected));
        return false;
    }
    void setBy(std::uint32_t slot)
    {
        if (slot >= m_isSet.size())
            m_isSet.resize(slot + 1, false);
        m_isSet[slot] = true;
    }

    bool hasRoom()
    {
        std::size_t count = m_script.statements.size();
        for (const Script& script : m_program.scripts)
            count += script.statements.size();
        return count < kMostStatements ||
               refuse(m_begin, "there are too many statements", fmt::format("at most {} in all", kMostStatements));
    }

    bool define(std::string_view definitions);
    bool readAll();
    bool isComplete();
    bool beginScript(Script script, std::size_t place);
    bool endScript();

    // Statements
    enum class End : std::uint8_t { Semicolon, Backslash, Text, Wrong };
    void begin();
    [[nodiscard]] bool saysSomething() const;
    End readStatement();
    bool takeQuoted();
    void takeWord();
    void copy(std::size_t end);
    bool addStatement();
    bool addDocument();
    bool addPieces(Statement& statement, std::size_t offset);
    bool partAnswers(std::string_view prefix);

    // Commands
    bool readCommand();
    bool readSet(std::size_t place);
    bool readBranch(const std::string& name, std::size_t place);
    bool readSleep(std::size_t place);
    bool readPipeline(const std::string& name, std::size_t place);
    bool readAnswer(const std::string& name, std::size_t place);
    bool readTransaction(std::size_t place);
    bool endsHere(const std::string& name);
    bool expression(Command& command);
    Command& add(Command::Kind kind, std::size_t place)
    {
        Command command;
        command.kind = kind;
        command.line = m_source.lineAt(place);
        m_script.commands.push_back(command);
        return m_script.commands.back();
    }

    Source m_source;
    Program m_program;
    Script m_script;
    std::size_t m_scriptPlace = 0;
    bool m_named = false; //!< the script has its own \transaction line
    std::vector<OpenBranch> m_branches;
    std::optional<std::size_t> m_pipeline; //!< place of the \startpipeline that is open
    std::optional<Mistake> m_mistake;
    std::vector<bool> m_isSet;                                  //!< by slot: something gives it a value
    std::vector<std::pair<std::uint32_t, std::size_t>> m_reads; //!< slots that expressions read, and where
    bool m_answersSet = false;                                  //!< \gset may give any variable a value

    // The statement that is being read, else the one before
    bool m_begun = false;
    std::string m_text;
    std::vector<Quoted> m_quoted;
    std::size_t m_begin = 0; //!< in the source
    int m_brackets = 0, m_blocks = 0;
    std::vector<std::string>
        m_firstWords;                //!< of the statement, small: BEGIN … END of a function's body hold semicolons
    std::vector<std::size_t> m_cuts; //!< ends of the statements that `\;` parts, in m_text
    bool m_mayTakeAnswer = false;    //!< the command before is a statement whose answer nothing takes yet
    bool m_inTransaction = false;    //!< of the server, whichever branches are taken
    bool m_sql = false;              //!< there was a statement in SQL
    std::string m_noAnswer;          //!< the command before is this one on documents, which \gset cannot read
};

bool ScriptParser::define(std::string_view definitions)
{
    if (firstForeignByte(definitions) != std::string_view::npos || definitions.find('\0') != std::string_view::npos) {
        m_mistake = Mistake{0, 0, "a definition holds a byte that is no text", "UTF-8"};
        return false;
    }
    while (!definitions.empty()) {
        const std::size_t end = std::min(definitions.find_first_of(";\n"), definitions.size());
        const std::string_view one = trimmed(definitions.substr(0, end));
        definitions.remove_prefix(std::min(definitions.size(), end + 1));
        if (one.empty())
            continue;
        const std::size_t equals = one.find('=');
        const std::string_view name = trimmed(one.substr(0, std::min(equals, one.size())));
        if (equals == std::string_view::npos || !isVariableName(name)) {
            m_mistake =
                Mistake{0, 0, fmt::format("\"{}\" defines no variable", one), "NAME=VALUE, as in n=100; part=3"};
            return false;
        }
        const std::uint32_t slot = m_program.slotOf(name);
        setBy(slot);
        m_program.definitions.emplace_back(slot, trimmed(one.substr(equals + 1)));
    }
    return true;
}

bool ScriptParser::readAll()
{
    if (m_source.text.size() > kMostText)
        return refuse(0, fmt::format("the script is longer than {} bytes", kMostText), "a shorter one");
    if (const std::size_t zero = m_source.text.find('\0'); zero != std::string_view::npos)
        return refuse(zero, "the script holds a zero byte", "text");
    if (const std::size_t foreign = firstForeignByte(m_source.text); foreign != std::string_view::npos)
        return refuse(foreign, "the script holds a byte that is no UTF-8", "a file in UTF-8");
    m_script.name = "script";
    for (;;) {
        const End end = readStatement();
        if (end == End::Wrong || !addStatement())
            return false;
        if (m_script.commands.size() > kMostCommands)
            return refuse(m_source.at, "there are too many commands", fmt::format("at most {}", kMostCommands));
        if (m_program.variables.size() > kMostNames)
            return refuse(m_source.at, "there are too many variables", fmt::format("at most {}", kMostNames));
        if (end == End::Text)
            return endScript();
        if (end == End::Backslash && !readCommand())
            return false;
    }
}

//! Where all is read: every script does something, and what is read is also set.
bool ScriptParser::isComplete()
{
    if (m_program.scripts.empty())
        return refuse(0, "the script has no commands", "SQL statements, each with a semicolon at its end");
    for (const Script& script : m_program.scripts)
        m_program.weights += script.weight;
    if (m_program.weights == 0)
        return refuse(0, "no script has a weight above 0", "a weight of 1 or more in a \\transaction line");
    if (m_answersSet)
        return true;
    for (const auto& [slot, place] : m_reads) {
        if (slot >= m_isSet.size() || !m_isSet[slot])
            return refuse(place, fmt::format("nothing gives the variable \":{}\" a value", m_program.variables[slot]),
                          "a \\set or \\gset in a script, or a definition");
    }
    return true;
}

bool ScriptParser::beginScript(Script script, std::size_t place)
{
    if (!endScript())
        return false;
    if (std::ranges::find(m_program.scripts, script.name, &Script::name) != m_program.scripts.end())
        return refuse(place, fmt::format("there are two scripts called \"{}\"", script.name), "another name");
    m_script = std::move(script);
    m_scriptPlace = place;
    m_named = true;
    m_mayTakeAnswer = false;
    return true;
}

bool ScriptParser::endScript()
{
    if (!m_branches.empty())
        return refuse(m_branches.back().place, "the \\if is not closed", "\\endif before the script ends");
    if (m_pipeline)
        return refuse(*m_pipeline, "the pipeline is not closed", "\\endpipeline before the script ends");
    if (m_script.commands.empty() && !m_named)
        return true;
    if (!m_named && !m_source.ended())
        return refuse(m_scriptPlace, "there are commands before the first \\transaction",
                      "a line \\transaction NAME before them");
    const auto does = [](const Command& command) {
        return command.kind == Command::Kind::Statement || command.kind == Command::Kind::Sleep;
    };
    if (std::ranges::none_of(m_script.commands, does))
        return refuse(m_scriptPlace, fmt::format("the script \"{}\" has no statement", m_script.name),
                      "at least one SQL statement or \\sleep");
    if (m_program.scripts.size() == kMostScripts)
        return refuse(m_scriptPlace, "there are too many scripts", fmt::format("at most {}", kMostScripts));
    m_program.scripts.push_back(std::move(m_script));
    m_script = {};
    m_named = false;
    m_inTransaction = false;
    return true;
}

void ScriptParser::copy(std::size_t end)
{
    m_text += m_source.text.substr(m_source.at, end - m_source.at);
    m_source.at = end;
}

//! Takes a quoted text or a comment that begins here as a whole; false when it has no end.
bool ScriptParser::takeQuoted()
{
    const std::string_view text = m_source.text;
    const std::size_t begin = m_source.at;
    const char c = text[begin];
    std::size_t end = std::string_view::npos;
    const char* closing = "";
    if (m_source.sees("--")) {
        end = std::min(text.find('\n', begin), text.size());
    } else if (m_source.sees("/*")) { // they may stand within each other
        int open = 0;
        for (std::size_t i = begin; i + 1 < text.size() && end == std::string_view::npos; ++i) {
            const std::string_view two = text.substr(i, 2);
            if (two == "/*" || two == "*/") {
                open += two == "/*" ? 1 : -1;
                ++i;
            }
            if (open == 0)
                end = i + 1;
        }
        closing = "*/";
    } else if (c == '$') {
        std::size_t tag = begin + 1;
        while (tag < text.size() && isNamePart(text[tag]))
            ++tag;
        if (tag >= text.size() || text[tag] != '$' || isDigit(text[begin + 1])) {
            copy(begin + 1); // $1
            return true;
        }
        const std::string_view mark = text.substr(begin, tag + 1 - begin);
        if (const std::size_t found = text.find(mark, tag + 1); found != std::string_view::npos)
            end = found + mark.size();
        closing = "the same $…$ again";
    } else {
        const bool escapes = c == '\'' && !m_text.empty() && (m_text.back() == 'e' || m_text.back() == 'E') &&
                             (m_text.size() == 1 || !isNamePart(m_text[m_text.size() - 2]));
        for (std::size_t i = begin + 1; i < text.size() && end == std::string_view::npos; ++i) {
            if (escapes && text[i] == '\\')
                ++i;
            else if (text[i] == c)
                end = i + 1; // a doubled one begins the next part
        }
        closing = c == '\'' ? "'" : c == '"' ? "\"" : "`";
    }
    if (end == std::string_view::npos)
        return refuse(begin, "the quoted text or comment that begins here has no end", closing);
    m_quoted.push_back({m_text.size(), m_text.size() + end - begin});
    copy(end);
    return true;
}

void ScriptParser::takeWord()
{
    std::size_t end = m_source.at;
    while (end < m_source.text.size() && (isNamePart(m_source.text[end]) || m_source.text[end] == '$'))
        ++end;
    const std::string word = lowered(m_source.text.substr(m_source.at, end - m_source.at));
    copy(end);
    if (m_firstWords.size() < 4)
        m_firstWords.push_back(word);
    // CREATE [OR REPLACE] FUNCTION or PROCEDURE
    const std::size_t kind = m_firstWords.size() > 1 && m_firstWords[1] == "or" ? 3 : 1;
    const bool defines = m_firstWords.size() > kind && m_firstWords[0] == "create" &&
                         (m_firstWords[kind] == "function" || m_firstWords[kind] == "procedure");
    if (!defines || m_brackets > 0)
        return;
    if (word == "begin" || (word == "case" && m_blocks > 0))
        ++m_blocks;
    else if (word == "end" && m_blocks > 0)
        --m_blocks;
}

//! A statement begins here; until then the last one is still known, for \aset.
void ScriptParser::begin()
{
    m_begun = true;
    m_begin = m_source.at;
    m_text.clear();
    m_quoted.clear();
    m_cuts.clear();
    m_firstWords.clear();
    m_brackets = m_blocks = 0;
}

//! Something stands in the text that is no blank, semicolon or comment.
bool ScriptParser::saysSomething() const
{
    std::size_t at = 0;
    const auto says = [this, &at](std::size_t end) {
        return std::string_view(m_text).substr(at, end - at).find_first_not_of("; \t\r\n\f\v") !=
               std::string_view::npos;
    };
    for (const Quoted& part : m_quoted) {
        const bool comment = std::string_view("-/").find(m_text[part.begin]) != std::string_view::npos;
        if (!comment || says(part.begin))
            return true;
        at = part.end;
    }
    return says(m_text.size());
}

ScriptParser::End ScriptParser::readStatement()
{
    m_begun = false;
    while (!m_source.ended()) {
        const char c = m_source.peek();
        const bool blank = std::string_view(" \t\r\n\f\v").find(c) != std::string_view::npos;
        if (!m_begun && (blank || m_source.sees("--"))) { // before a statement
            m_source.at =
                blank ? m_source.at + 1 : std::min(m_source.text.find('\n', m_source.at), m_source.text.size());
            continue;
        }
        const char after = c == '\\' ? m_source.peek(1) : '\0';
        if (c == '\\' && after != ';' && after != ':')
            return End::Backslash;
        if (!m_begun && c == '{') {
            if (!addDocument())
                return End::Wrong;
            continue;
        }
        if (!m_begun)
            begin();
        if (c == '\\') {
            m_source.at += 2;
            m_text += after;
            if (after == ';')
                m_cuts.push_back(m_text.size());
        } else if (c == ';' && m_brackets == 0 && m_blocks == 0) {
            copy(m_source.at + 1);
            return End::Semicolon;
        } else if (c == '\'' || c == '"' || c == '`' || c == '$' || m_source.sees("--") || m_source.sees("/*")) {
            if (!takeQuoted())
                return End::Wrong;
        } else if (isNameStart(c)) {
            takeWord();
        } else {
            m_brackets += c == '(' ? 1 : c == ')' && m_brackets > 0 ? -1 : 0;
            copy(m_source.at + 1);
        }
    }
    return End::Text;
}

//! `offset`: where its text begins in that which was read.
bool ScriptParser::addPieces(Statement& statement, std::size_t offset)
{
    const std::string& text = statement.text;
    std::size_t literal = 0, variables = 0;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] != ':' || i + 1 >= text.size() || !isNameStart(text[i + 1])) {
            const bool colon = text[i++] == ':';
            while (colon && i < text.size() && text[i] == ':') // a cast
                ++i;
            continue;
        }
        std::size_t end = i + 1;
        while (end < text.size() && isNamePart(text[end]))
            ++end;
        if (++variables > kMostVariables)
            return refuse(m_begin, "the statement has too many variables", fmt::format("at most {}", kMostVariables));
        const auto inside = [at = i + offset](const Quoted& part) { return part.begin <= at && at < part.end; };
        statement.pieces.push_back({text.substr(literal, i - literal),
                                    m_program.slotOf(std::string_view(text).substr(i + 1, end - i - 1)),
                                    std::ranges::any_of(m_quoted, inside)});
        literal = i = end;
    }
    statement.pieces.push_back({text.substr(literal), kNoSlot, false});
    return true;
}

bool ScriptParser::addStatement()
{
    if (!m_begun)
        return true;
    if (!saysSomething()) {
        m_mayTakeAnswer = false;
        return true;
    }
    if (m_text.back() == ';' && (m_cuts.empty() || m_cuts.back() != m_text.size()) && m_text.size() > 1)
        m_text.pop_back();
    m_text = m_text.substr(0, m_text.find_last_not_of(" \t\r\n\f\v") + 1);
    if (!m_quoted.empty() && m_quoted.back().end >= m_text.size() && m_text[m_quoted.back().begin] == '-')
        m_text += '\n'; // what is sent behind it would be a part of the comment
    if (!hasRoom())
        return false;
    Statement statement;
    statement.text = m_text;
    statement.kind = statementStep(m_text);
    if (statement.kind == RequestKind::Text && m_program.documents)
        return refuse(m_begin, "a statement in SQL among commands on documents",
                      R"(a command, as {"find": "orders", "filter": {"_id": ":id"}}, BEGIN or COMMIT)");
    m_sql = m_sql || statement.kind == RequestKind::Text;
    m_inTransaction = statement.kind == RequestKind::Begin || (m_inTransaction && statement.kind == RequestKind::Text);
    m_noAnswer.clear();
    statement.line = m_source.lineAt(m_begin);
    statement.cuts = m_cuts;
    if (!addPieces(statement, 0))
        return false;
    add(Command::Kind::Statement, m_begin).index = std::uint32_t(m_script.statements.size());
    m_script.statements.push_back(std::move(statement));
    m_mayTakeAnswer = true;
    return true;
}

//! A command on documents, which ends with its brace; a semicolon behind it is not needed.
bool ScriptParser::addDocument()
{
    begin();
    m_begun = false;
    auto read = readDocumentCommand(m_source.text, m_begin);
    if (!read)
        return refuse(read.error().place, std::move(read.error().what), std::move(read.error().expected));
    if (m_sql)
        return refuse(m_begin, "a command on documents among statements in SQL", "another statement in SQL");
    if (read->mark != std::string_view::npos)
        return refuse(read->mark, "this text marks a parameter and cannot be sent as it is",
                      R"(a variable: define = "mark=?" and ":mark")");
    if (m_inTransaction && read->name == "count")
        return refuse(m_begin, "servers take no \"count\" between BEGIN and COMMIT",
                      R"({"aggregate": …, "pipeline": [{"$count": "n"}], "cursor": {}})");
    if (m_inTransaction && read->stores != std::string_view::npos)
        return refuse(read->stores, "servers take no $out and no $merge between BEGIN and COMMIT",
                      "the command outside of the transaction");
    if (read->variables.size() > kMostVariables)
        return refuse(m_begin, "the command has too many variables", fmt::format("at most {}", kMostVariables));
    if (!hasRoom())
        return false;
    m_program.documents = true;
    m_text = m_source.text.substr(m_begin, read->end - m_begin);
    Statement statement;
    statement.text = m_text;
    statement.line = m_source.lineAt(m_begin);
    statement.document = true;
    std::size_t literal = m_begin;
    for (const DocumentCommand::Variable& variable : read->variables) {
        const std::size_t colon = variable.begin - 1;
        const std::uint32_t slot =
            m_program.slotOf(m_source.text.substr(variable.begin, variable.end - variable.begin));
        m_reads.emplace_back(slot, colon);
        statement.pieces.push_back({std::string(m_source.text.substr(literal, colon - literal)), slot, false});
        literal = variable.end;
    }
    statement.pieces.push_back({std::string(m_source.text.substr(literal, read->end - literal)), kNoSlot, false});
    m_noAnswer = read->answersDocuments ? std::string() : read->name;
    m_source.at = read->end;
    if (const std::size_t next = m_source.text.find_first_not_of(" \t\r\n", read->end);
        next != std::string_view::npos && m_source.text[next] == ';')
        m_source.at = next + 1;
    add(Command::Kind::Statement, m_begin).index = std::uint32_t(m_script.statements.size());
    m_script.statements.push_back(std::move(statement));
    m_mayTakeAnswer = true;
    return true;
}

bool ScriptParser::readCommand()
{
    const std::size_t place = m_source.at++;
    const std::string name = lowered(m_source.word());
    if (name.empty())
        return true; // nothing but a backslash
    const bool mayTakeAnswer = m_mayTakeAnswer;
    m_mayTakeAnswer = false;
    if (name == "shell" || name == "setshell")
        return refuse(place, fmt::format("\\{} runs a program, and no script may do that here", name), kCommands);
    if (name == "set")
        return readSet(place);
    if (isOneOf(name, {"if", "elif", "else", "endif"}))
        return readBranch(name, place);
    if (name == "sleep")
        return readSleep(place);
    if (isOneOf(name, {"startpipeline", "syncpipeline", "endpipeline"}))
        return readPipeline(name, place);
    if (name == "gset" || name == "aset") {
        if (!mayTakeAnswer)
            return refuse(
                place,
                fmt::format("\\{} follows no {}", name, m_program.documents ? "command on documents" : "SQL statement"),
                "it behind the statement, on its line or the next");
        if (!m_noAnswer.empty())
            return refuse(place, fmt::format("\\{}: the command \"{}\" answers no documents", name, m_noAnswer),
                          "it behind find, aggregate or findAndModify");
        return readAnswer(name, place);
    }
    if (name == "transaction")
        return readTransaction(place);
    return refuse(place, fmt::format("there is no command \"\\{}\"", name), kCommands);
}

bool ScriptParser::endsHere(const std::string& name)
{
    m_source.skipBlanks();
    const std::size_t place = m_source.at;
    const std::string_view more = m_source.word();
    return more.empty() || refuse(place, fmt::format("\\{} takes no \"{}\"", name, more), "the end of the line");
}

bool ScriptParser::expression(Command& command)
{
    auto parsed = parseExpression(m_source, m_program,
                                  [this](std::uint32_t slot, std::size_t place) { m_reads.emplace_back(slot, place); });
    if (!parsed) {
        m_mistake = std::move(parsed.error());
        return false;
    }
    command.expression = *parsed;
    return true;
}

bool ScriptParser::readSet(std::size_t place)
{
    m_source.skipBlanks();
    const std::size_t at = m_source.at;
    const std::string_view name = m_source.word();
    if (!isVariableName(name))
        return refuse(at,
                      name.empty() ? std::string("\\set names no variable")
                                   : fmt::format("\"{}\" is no name of a variable", name),
                      "letters, digits and _, with no digit in front: \\set aid random(1, 1000)");
    Command& command = add(Command::Kind::Set, place);
    command.index = m_program.slotOf(name);
    setBy(command.index);
    return expression(command);
}

bool ScriptParser::readBranch(const std::string& name, std::size_t place)
{
    if (name != "if" && m_branches.empty())
        return refuse(place, fmt::format("\\{} without an \\if before it", name), "\\if EXPRESSION");
    if (isOneOf(name, {"elif", "else"})) {
        OpenBranch& open = m_branches.back();
        if (open.branch == SIZE_MAX)
            return refuse(place, fmt::format("\\{} after \\else", name), "\\endif");
        open.allEndInside = open.allEndInside && m_inTransaction;
        m_inTransaction = open.inTransaction;
        open.ends.push_back(m_script.commands.size());
        add(Command::Kind::Jump, place);
        m_script.commands[open.branch].index = std::uint32_t(m_script.commands.size());
        open.branch = SIZE_MAX;
    }
    if (name == "if")
        m_branches.push_back({place, SIZE_MAX, {}, m_inTransaction});
    if (name == "if" || name == "elif") {
        m_branches.back().branch = m_script.commands.size();
        return expression(add(Command::Kind::Branch, place));
    }
    if (!endsHere(name) || name == "else")
        return !m_mistake;
    const OpenBranch open = std::move(m_branches.back());
    m_branches.pop_back();
    // Else it depends on the branch; without \else none may be taken.
    m_inTransaction = m_inTransaction && open.allEndInside && (open.branch == SIZE_MAX || open.inTransaction);
    const auto behind = std::uint32_t(m_script.commands.size());
    if (open.branch != SIZE_MAX)
        m_script.commands[open.branch].index = behind;
    for (const std::size_t jump : open.ends)
        m_script.commands[jump].index = behind;
    return true;
}

bool ScriptParser::readSleep(std::size_t place)
{
    constexpr const char* kForm = "a whole number or a variable, and us, ms or s: \\sleep 10 ms";
    m_source.skipBlanks();
    const std::size_t at = m_source.at;
    std::string_view amount = m_source.word();
    if (amount.empty())
        return refuse(at, "\\sleep has no time", kForm);
    Command command;
    command.kind = Command::Kind::Sleep;
    command.line = m_source.lineAt(place);
    std::string unit;
    if (amount.front() == ':') {
        if (!isVariableName(amount.substr(1)))
            return refuse(at, fmt::format("\"{}\" is no variable", amount), kForm);
        command.index = m_program.slotOf(amount.substr(1));
        m_reads.emplace_back(command.index, at);
    } else {
        const std::size_t sign = amount.front() == '+' ? 1 : 0;
        const std::from_chars_result read =
            std::from_chars(amount.data() + sign, amount.data() + amount.size(), command.amount);
        if (read.ec != std::errc() || command.amount > INT32_MAX || command.amount < INT32_MIN)
            return refuse(at, fmt::format("\"{}\" is no time", amount), kForm);
        unit = lowered(amount.substr(std::size_t(read.ptr - amount.data())));
    }
    m_source.skipBlanks();
    const std::size_t unitPlace = m_source.at;
    const std::string_view second = m_source.word();
    if (!unit.empty() && !second.empty())
        return refuse(unitPlace, fmt::format("\\sleep takes no \"{}\"", second), "the end of the line");
    if (unit.empty())
        unit = second.empty() ? std::string("s") : lowered(second);
    if (!isOneOf(unit, {"us", "ms", "s"}))
        return refuse(second.empty() ? at : unitPlace, fmt::format("\"{}\" is no unit of time", unit), "us, ms or s");
    command.unitNs = unit == "us" ? 1'000 : unit == "ms" ? 1'000'000 : 1'000'000'000;
    if (!endsHere("sleep"))
        return false;
    m_script.commands.push_back(command);
    return true;
}

bool ScriptParser::readPipeline(const std::string& name, std::size_t place)
{
    const bool starts = name == "startpipeline";
    if (starts && m_pipeline)
        return refuse(place, "there is a pipeline already", "\\endpipeline before it");
    if (!starts && !m_pipeline)
        return refuse(place, fmt::format("\\{} without a pipeline", name), "\\startpipeline before it");
    add(starts                  ? Command::Kind::StartPipeline
        : name == "endpipeline" ? Command::Kind::EndPipeline
                                : Command::Kind::SyncPipeline,
        place);
    if (starts)
        m_pipeline = place;
    else if (name == "endpipeline")
        m_pipeline.reset();
    return endsHere(name);
}

bool ScriptParser::readAnswer(const std::string& name, std::size_t place)
{
    if (m_pipeline)
        return refuse(place, fmt::format("\\{} in a pipeline: its answer is not there yet", name),
                      "it after \\endpipeline");
    m_source.skipBlanks();
    const std::size_t at = m_source.at;
    const std::string_view prefix = m_source.word();
    if (!prefix.empty() && !isVariableName(prefix))
        return refuse(at, fmt::format("\"{}\" cannot begin names of variables", prefix),
                      "letters, digits and _, with no digit in front");
    if (!endsHere(name))
        return false;
    m_answersSet = true;
    if (name == "aset" && !m_cuts.empty())
        return partAnswers(prefix);
    Statement& statement = m_script.statements.back();
    statement.answer = name == "gset" ? Statement::Answer::OneRow : Statement::Answer::LastRow;
    statement.prefix = prefix;
    return true;
}

//! \aset takes the answers of all statements that `\;` joins: they are sent one by one.
bool ScriptParser::partAnswers(std::string_view prefix)
{
    const Statement whole = std::move(m_script.statements.back());
    m_script.statements.pop_back();
    m_script.commands.pop_back();
    m_cuts.push_back(m_text.size() + 1);
    std::size_t begin = 0;
    for (const std::size_t cut : m_cuts) {
        const std::string_view part = std::string_view(m_text).substr(std::min(begin, m_text.size()), cut - 1 - begin);
        const std::string_view text = trimmed(part);
        if (!text.empty()) {
            if (!hasRoom())
                return false;
            Statement statement;
            statement.text = text;
            statement.line = whole.line;
            statement.answer = Statement::Answer::LastRow;
            statement.prefix = prefix;
            if (!addPieces(statement, std::size_t(text.data() - m_text.data())))
                return false;
            add(Command::Kind::Statement, m_begin).index = std::uint32_t(m_script.statements.size());
            m_script.statements.push_back(std::move(statement));
        }
        begin = cut;
    }
    return true;
}

bool ScriptParser::readTransaction(std::size_t place)
{
    constexpr const char* kForm = "\\transaction NAME [WEIGHT], as in \\transaction read 9";
    m_source.skipBlanks();
    const std::size_t at = m_source.at;
    const std::string name(m_source.word());
    const auto fits = [](char c) { return (isNamePart(c) && static_cast<unsigned char>(c) < 0x80) || c == '-'; };
    if (name.empty() || name.size() > kMostName || !std::ranges::all_of(name, fits))
        return refuse(at, fmt::format("\"{}\" is no name of a script", name),
                      fmt::format("up to {} letters, digits, _ and -", kMostName));
    Script script;
    script.name = name;
    script.line = m_source.lineAt(place);
    script.nameEnd = m_source.at;
    m_source.skipBlanks();
    const std::size_t weightPlace = m_source.at;
    const std::string_view weight = m_source.word();
    std::int64_t& number = script.weight;
    script.weightEnd = weight.empty() ? script.nameEnd : m_source.at;
    if (!weight.empty()) {
        const std::from_chars_result read = std::from_chars(weight.data(), weight.data() + weight.size(), number);
        if (read.ec != std::errc() || read.ptr != weight.data() + weight.size() || number < 0 || number > kMostWeight)
            return refuse(weightPlace, fmt::format("\"{}\" is no weight", weight), kForm);
    }
    return endsHere("transaction") && beginScript(std::move(script), place);
}

tl::expected<Program, Mistake> parsedBehindHead(std::string_view text, std::string_view definitions, bool complete)
{
    const auto head = readHead(text.substr(0, kMostText));
    if (!head)
        return tl::unexpected(head.error());
    const std::string all = *head ? fmt::format("{}\n{}", (*head)->define, definitions) : std::string(definitions);
    auto program = ScriptParser(text, *head ? (*head)->end : 0).run(all, complete);
    if (!program || !*head)
        return program;
    if ((*head)->documents != program->documents)
        return tl::unexpected(Mistake{1, 1, "the head and the script use different languages",
                                      "before the first command only lines of --, and BEGIN in a line of its own"});
    for (const ThinkTime& time : (*head)->thinkTimes) {
        if (std::ranges::find(program->scripts, time.section, &Script::name) == program->scripts.end())
            return tl::unexpected(Mistake{time.line, time.column,
                                          fmt::format("there is no transaction \"{}\"", time.section),
                                          "a name of a line \\transaction; without such lines it is script"});
    }
    return program;
}

} // namespace

tl::expected<Program, Mistake> parseScripts(std::string_view text, std::string_view definitions)
{
    return parsedBehindHead(text, definitions, true);
}

tl::expected<Program, Mistake> parseUnchecked(std::string_view text)
{
    return parsedBehindHead(text, {}, false);
}

std::vector<std::string> commandNames()
{
    std::vector<std::string> names;
    Source source{kCommands};
    while (!source.ended()) {
        if (source.peek() != '\\') {
            ++source.at;
            continue;
        }
        const std::size_t begin = source.at++;
        while (isNamePart(source.peek()))
            ++source.at;
        names.emplace_back(source.text.substr(begin, source.at - begin));
    }
    return names;
}

std::string mistakeText(const Mistake& mistake)
{
    const std::string place =
        mistake.line > 0 ? fmt::format("line {}, column {}: ", mistake.line, mistake.column) : std::string();
    return fmt::format("{}{} (expected: {})", place, mistake.what, mistake.expected);
}

} // namespace dyno::script
