// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/script_text.h>

#include <dyno/script_model.h>

#include "base/text.h"
#include "workload/script/script_parser.h"
#include "workload/script/source.h"
#include "workload/script/workload_head.h"
#include "workload/statement_effect.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <functional>
#include <optional>

namespace dyno {

namespace {

using script::isDigit;
using script::isNamePart;
using script::isNameStart;

//! Words that are common in benchmarks' statements, sorted. A column of such a name is coloured too: no parser of SQL
//! is behind it.
constexpr std::array<std::string_view, 130> kSqlWords{"all",          "alter",
                                                      "analyze",      "and",
                                                      "any",          "as",
                                                      "asc",          "begin",
                                                      "between",      "bigint",
                                                      "boolean",      "by",
                                                      "call",         "case",
                                                      "cast",         "char",
                                                      "check",        "column",
                                                      "commit",       "conflict",
                                                      "constraint",   "create",
                                                      "cross",        "current_date",
                                                      "current_time", "current_timestamp",
                                                      "database",     "date",
                                                      "decimal",      "default",
                                                      "delete",       "desc",
                                                      "describe",     "distinct",
                                                      "do",           "double",
                                                      "drop",         "duplicate",
                                                      "else",         "end",
                                                      "escape",       "except",
                                                      "exists",       "explain",
                                                      "false",        "fetch",
                                                      "first",        "float",
                                                      "for",          "foreign",
                                                      "from",         "full",
                                                      "function",     "group",
                                                      "having",       "if",
                                                      "ignore",       "in",
                                                      "index",        "inner",
                                                      "insert",       "int",
                                                      "integer",      "intersect",
                                                      "interval",     "into",
                                                      "is",           "join",
                                                      "key",          "last",
                                                      "left",         "like",
                                                      "limit",        "lock",
                                                      "locked",       "materialized",
                                                      "merge",        "mode",
                                                      "natural",      "not",
                                                      "nothing",      "null",
                                                      "nulls",        "of",
                                                      "offset",       "on",
                                                      "only",         "or",
                                                      "order",        "outer",
                                                      "over",         "partition",
                                                      "precision",    "primary",
                                                      "procedure",    "references",
                                                      "release",      "replace",
                                                      "returning",    "right",
                                                      "rollback",     "row",
                                                      "rows",         "savepoint",
                                                      "select",       "set",
                                                      "share",        "show",
                                                      "skip",         "some",
                                                      "start",        "table",
                                                      "temporary",    "text",
                                                      "then",         "timestamp",
                                                      "to",           "transaction",
                                                      "true",         "truncate",
                                                      "union",        "unique",
                                                      "update",       "using",
                                                      "values",       "varchar",
                                                      "view",         "when",
                                                      "where",        "with"};
static_assert(std::ranges::is_sorted(kSqlWords));

// What goes on in the next line: one of these, or a comment's depth or a mark's number above its first value.
constexpr int kFirstLine = 0, kNothingOpen = 1, kInCommand = 2, kInSingle = 3, kInEscaped = 4, kInDouble = 5,
              kInBacktick = 6, kInHead = 7;
constexpr int kFirstComment = 16;    //!< and its depth
constexpr int kFirstDocument = 2048; //!< and how many brackets of a command on documents are open
constexpr int kFirstMark = 4096;     //!< and a number of the $mark$ that closes the text
constexpr int kMostDepth = 1000, kMarks = 1 << 20;

//! Reads one line into its tokens.
class LineReader
{
public:
    LineReader(std::string_view text, int state)
        : m_text(text)
        , m_state(state)
    {
        if (!m_text.empty() && m_text.back() == '\r')
            m_text.remove_suffix(1);
    }

    ScriptLine run()
    {
        if (m_state == kFirstLine && isFence())
            return {{}, kInHead, true};
        if (m_state == kFirstLine)
            m_state = kNothingOpen;
        if (m_state == kInHead)
            return readHeadLine();
        const std::size_t first = std::min(m_text.find_first_not_of(" \t"), m_text.size());
        if (m_state == kNothingOpen && m_text.substr(first).starts_with('{'))
            m_state = kFirstDocument;
        else if (inDocument() && m_text.substr(first).starts_with('\\'))
            m_state = kNothingOpen; // a bracket is missing before it
        if (m_state > kInCommand && !inDocument())
            goOn();
        while (m_at < m_text.size())
            m_state == kInCommand ? readCommandWord() : inDocument() ? readDocumentWord() : readWord();
        if (m_state == kInCommand && !(m_text.ends_with('\\')))
            m_state = kNothingOpen;
        return {std::move(m_tokens), m_state, false};
    }

private:
    using Kind = ScriptToken::Kind;
    [[nodiscard]] std::string_view rest() const { return m_text.substr(m_at); }
    void add(Kind kind, std::size_t begin)
    {
        if (m_at > begin)
            m_tokens.push_back({kind, begin, m_at - begin});
    }
    [[nodiscard]] bool isFence() const // as readHead() has it
    {
        return m_text.starts_with("+++") && m_text.find_first_not_of(" \t\r", 3) == std::string_view::npos;
    }
    //! Of what stands between two lines `+++` in front of the script, in TOML: an apostrophe there opens nothing.
    ScriptLine readHeadLine()
    {
        if (isFence())
            m_state = kNothingOpen;
        while (m_at < m_text.size()) {
            const std::size_t begin = m_at;
            const char c = m_text[m_at];
            if (c == '#') {
                m_at = m_text.size();
                add(Kind::Comment, begin);
            } else if (c == '"' || c == '\'') {
                const std::size_t end = m_text.find(c, m_at + 1);
                m_at = end == std::string_view::npos ? m_text.size() : end + 1;
                add(Kind::String, begin);
            } else if (isNameStart(c)) {
                skipName();
                const std::string word(m_text.substr(begin, m_at - begin));
                if (std::ranges::binary_search(script::headWords(), word))
                    add(Kind::Keyword, begin);
            } else if (isDigit(c)) {
                addNumber();
            } else {
                ++m_at;
            }
        }
        return {std::move(m_tokens), m_state, true};
    }
    //! The quoted text or comment that a line before has begun.
    void goOn()
    {
        const std::size_t begin = m_at;
        if (m_state >= kFirstMark)
            endMark(begin);
        else if (m_state >= kFirstComment)
            endComment(begin);
        else
            endQuoted(begin);
    }
    void endQuoted(std::size_t begin)
    {
        const char c = m_state == kInDouble ? '"' : m_state == kInBacktick ? '`' : '\'';
        const bool escapes = m_state == kInEscaped;
        while (m_at < m_text.size()) {
            const char one = m_text[m_at++];
            if (escapes && one == '\\' && m_at < m_text.size()) {
                ++m_at;
            } else if (one == c) {
                m_state = kNothingOpen; // a doubled one begins the next part
                break;
            }
        }
        if (c == '\'') // the others are names
            add(Kind::String, begin);
    }
    void endComment(std::size_t begin)
    {
        while (m_at < m_text.size() && m_state >= kFirstComment) {
            const std::string_view two = m_text.substr(m_at, 2);
            const bool opens = two == "/*", closes = two == "*/";
            m_at += opens || closes ? 2 : 1;
            if (opens && m_state < kFirstComment + kMostDepth)
                ++m_state;
            else if (closes && --m_state == kFirstComment)
                m_state = kNothingOpen;
        }
        add(Kind::Comment, begin);
    }
    static int numberOf(std::string_view mark)
    {
        std::uint32_t hash = 2166136261U; // FNV-1a
        for (const char c : mark)
            hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
        return kFirstMark + int(hash % kMarks);
    }
    //! The $mark$ that begins here; empty: none does.
    [[nodiscard]] std::string_view markHere() const
    {
        std::size_t end = m_at + 1;
        while (end < m_text.size() && isNamePart(m_text[end]))
            ++end;
        const bool mark = end < m_text.size() && m_text[end] == '$' && !isDigit(m_text[m_at + 1]);
        return mark ? m_text.substr(m_at, end + 1 - m_at) : std::string_view();
    }
    void endMark(std::size_t begin)
    {
        while (m_at < m_text.size()) {
            if (m_text[m_at] == '$') {
                if (const std::string_view mark = markHere(); !mark.empty() && numberOf(mark) == m_state) {
                    m_at += mark.size();
                    m_state = kNothingOpen;
                    break;
                }
            }
            ++m_at;
        }
        add(Kind::String, begin);
    }
    void skipName()
    {
        while (m_at < m_text.size() && isNamePart(m_text[m_at]))
            ++m_at;
    }
    void addNumber()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (isNamePart(m_text[m_at]) || m_text[m_at] == '.'))
            ++m_at;
        add(Kind::Number, begin);
    }
    //! True when a variable stood here.
    bool addVariable()
    {
        const std::size_t begin = m_at;
        if (begin + 1 >= m_text.size() || !isNameStart(m_text[begin + 1]))
            return false;
        ++m_at;
        skipName();
        add(Kind::Variable, begin);
        return true;
    }
    void addName()
    {
        const std::size_t begin = m_at;
        skipName();
        const std::string word = lowered(m_text.substr(begin, m_at - begin));
        if (std::ranges::binary_search(kSqlWords, word))
            add(Kind::Keyword, begin);
        else if (m_at < m_text.size() && m_text[m_at] == '(') // a table's columns have a blank before their bracket
            add(Kind::Function, begin);
    }
    [[nodiscard]] bool inDocument() const { return m_state >= kFirstDocument && m_state < kFirstMark; }
    //! Of a command in JSON.
    void readDocumentWord()
    {
        const std::size_t begin = m_at;
        const char c = m_text[m_at];
        if (c == '"') {
            readDocumentText();
        } else if (isDigit(c)) {
            addNumber();
        } else if (isNameStart(c)) {
            skipName();
            add(Kind::Keyword, begin); // true, false and null
        } else {
            ++m_at;
            if ((c == '{' || c == '[') && m_state < kFirstDocument + kMostDepth)
                ++m_state;
            else if ((c == '}' || c == ']') && --m_state <= kFirstDocument)
                m_state = kNothingOpen;
        }
    }
    //! A field's name, a variable or another text.
    void readDocumentText()
    {
        const std::size_t begin = m_at++;
        while (m_at < m_text.size() && m_text[m_at] != '"')
            m_at += m_text[m_at] == '\\' ? 2 : 1;
        m_at = std::min(m_at + 1, m_text.size());
        const std::string_view inner =
            m_text.substr(begin + 1, m_at - begin > 2 && m_text[m_at - 1] == '"' ? m_at - begin - 2 : 0);
        const std::size_t next = std::min(m_text.find_first_not_of(" \t", m_at), m_text.size());
        if (m_text.substr(next).starts_with(':'))
            add(Kind::Keyword, begin);
        else if (inner.starts_with(':') && script::isVariableName(inner.substr(1)))
            m_tokens.push_back({Kind::Variable, begin + 1, inner.size()});
        else
            add(Kind::String, begin);
    }
    //! Of a statement, or between statements.
    void readWord()
    {
        const std::size_t begin = m_at;
        const char c = m_text[m_at];
        if (rest().starts_with("--")) {
            m_at = m_text.size();
            add(Kind::Comment, begin);
        } else if (rest().starts_with("/*")) {
            m_state = kFirstComment + 1;
            m_at += 2;
            endComment(begin);
        } else if (c == '\'' || c == '"' || c == '`') {
            const bool escapes = c == '\'' && begin > 0 && lowered(m_text[begin - 1]) == 'e' &&
                                 (begin == 1 || !isNamePart(m_text[begin - 2]));
            m_state = c == '"' ? kInDouble : c == '`' ? kInBacktick : escapes ? kInEscaped : kInSingle;
            ++m_at;
            endQuoted(begin);
        } else if (c == '$') {
            if (const std::string_view mark = markHere(); !mark.empty()) {
                m_state = numberOf(mark);
                m_at += mark.size();
                endMark(begin);
            } else {
                ++m_at;
            }
        } else if (c == ':') {
            const bool cast = rest().starts_with("::");
            if (cast || !addVariable())
                m_at += cast ? 2 : 1;
        } else if (c == '\\') {
            beginCommand();
        } else if (isNameStart(c)) {
            addName();
        } else if (isDigit(c)) {
            addNumber();
        } else {
            ++m_at;
        }
    }
    void beginCommand()
    {
        const std::size_t begin = m_at++;
        const char next = m_at < m_text.size() ? m_text[m_at] : '\0';
        if (next == ';' || next == ':') { // a part of a statement
            ++m_at;
            return;
        }
        while (m_at < m_text.size() && m_text[m_at] != ' ' && m_text[m_at] != '\t')
            ++m_at;
        add(Kind::Command, begin);
        m_state = kInCommand;
        const std::string name = lowered(m_text.substr(begin + 1, m_at - begin - 1));
        const bool names = name == "set" || name == "transaction" || name == "gset" || name == "aset";
        if (!names)
            return;
        m_at = std::min(m_text.find_first_not_of(" \t", m_at), m_text.size());
        const std::size_t place = m_at;
        m_at = std::min(m_text.find_first_of(" \t", m_at), m_text.size());
        add(name == "transaction" ? Kind::Section : Kind::Variable, place);
    }
    void readCommandWord()
    {
        const char c = m_text[m_at];
        if (c == ':') {
            if (!addVariable())
                ++m_at;
        } else if (isNameStart(c)) {
            addName();
        } else if (isDigit(c)) {
            addNumber();
        } else {
            ++m_at;
        }
    }

    std::string_view m_text;
    int m_state;
    std::size_t m_at = 0;
    std::vector<ScriptToken> m_tokens;
};

//! For a text with mistakes: lines that look like \transaction.
std::vector<ScriptSection> likelySections(std::string_view text)
{
    std::vector<ScriptSection> sections;
    int state = kFirstLine, number = 0;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        ScriptLine read = scriptLine(line, state);
        state = read.state;
        ++number;
        for (const ScriptToken& token : read.tokens) {
            if (token.kind != ScriptToken::Kind::Section)
                continue;
            ScriptSection& one = sections.emplace_back();
            one.name = line.substr(token.begin, token.length);
            one.line = number;
            const std::size_t digits = std::min(line.find_first_not_of(" \t", token.begin + token.length), line.size());
            std::from_chars(line.data() + digits, line.data() + line.size(), one.weight);
        }
        begin = end + 1;
    }
    return sections;
}

//! With the values that variables have before the first transaction. Others stay as they are written.
std::string withDefinitions(const script::Program& program, const script::Statement& statement)
{
    std::string text;
    for (const script::Piece& piece : statement.pieces) {
        text += piece.text;
        if (piece.variable == script::kNoSlot)
            break;
        const std::string* value = nullptr; // the last one counts
        for (const auto& [slot, defined] : program.definitions)
            value = slot == piece.variable ? &defined : value;
        text += value ? *value : ':' + program.variables[piece.variable];
    }
    return text;
}

} // namespace

std::optional<ScriptMistake> scriptMistake(std::string_view text, std::string_view definitions)
{
    if (trimmed(text).empty())
        return {};
    auto program = script::parseScripts(text, definitions);
    if (program)
        return {};
    script::Mistake& mistake = program.error();
    return ScriptMistake{mistake.line, mistake.column, std::move(mistake.what), std::move(mistake.expected)};
}

DataModel scriptModel(std::string_view text)
{
    const auto program = script::parseUnchecked(text);
    return program && program->documents ? DataModel::Document : DataModel::Sql;
}

ScriptLine scriptLine(std::string_view line, int state)
{
    return LineReader(line, state).run();
}

std::vector<ScriptSection> scriptSections(std::string_view text)
{
    const auto program = script::parseUnchecked(text);
    if (!program)
        return likelySections(text);
    std::vector<ScriptSection> sections;
    for (const script::Script& one : program->scripts) {
        if (one.line > 0)
            sections.push_back({one.name, one.weight, one.line});
    }
    return sections;
}

//! `weightOf` a section; nothing: it keeps its own.
static std::string withWeights(std::string_view text,
                               const std::function<std::optional<std::int64_t>(const script::Script&)>& weightOf)
{
    const auto program = script::parseUnchecked(text);
    std::string changed;
    std::size_t done = 0;
    for (const script::Script& one : program ? program->scripts : std::vector<script::Script>()) {
        const std::optional<std::int64_t> weight = one.line == 0 ? std::nullopt : weightOf(one);
        if (!weight)
            continue;
        changed += text.substr(done, one.nameEnd - done);
        changed += fmt::format(" {}", *weight);
        done = one.weightEnd;
    }
    changed += text.substr(done);
    return changed;
}

std::string withOnlySection(std::string_view text, std::string_view name)
{
    return withWeights(text, [name](const script::Script& one) { return one.name == name ? 1 : 0; });
}

std::string withWeight(std::string_view text, std::string_view name, std::int64_t weight)
{
    return withWeights(text, [name, weight](const script::Script& one) {
        return one.name == name ? std::optional(weight) : std::nullopt;
    });
}

std::vector<ScriptStatement> scriptStatements(std::string_view text, std::string_view definitions)
{
    const auto program = script::parseScripts(text, definitions);
    std::vector<ScriptStatement> all;
    if (!program)
        return all;
    for (const script::Script& one : program->scripts) {
        for (const script::Statement& statement : one.statements) {
            ScriptStatement& found = all.emplace_back();
            found.section = one.name;
            found.text = statement.text;
            found.line = statement.line;
            if (statement.kind != RequestKind::Text)
                continue;
            const StatementEffect effect =
                effectOf(statement.document ? statement.text : withDefinitions(*program, statement));
            found.changes = effect.changes;
            found.undone = effect.undone;
        }
    }
    return all;
}

} // namespace dyno
