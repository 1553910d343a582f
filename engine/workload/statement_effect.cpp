// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/statement_effect.h"

#include "base/text.h"
#include "workload/document_command.h"
#include "workload/script/source.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace dyno {

namespace {

using script::isNamePart;
using script::isNameStart;

//! One of the statements of a text.
struct EffectPart
{
    std::vector<std::string> words; //!< small, without comments, quoted texts and names
    std::vector<std::string> names; //!< small, in "quotes" or `quotes`
    bool saysSomething = false;
    bool beginsWithWord = false;

    [[nodiscard]] std::string_view word(std::size_t at) const
    {
        return at < words.size() ? std::string_view(words[at]) : std::string_view();
    }
    [[nodiscard]] bool has(std::initializer_list<std::string_view> some) const
    {
        return std::ranges::find_first_of(words, some) != words.end();
    }
};

//! Parts a text at its semicolons.
class EffectReader
{
public:
    explicit EffectReader(std::string_view text)
        : m_text(text)
    {
    }
    std::vector<EffectPart> parts()
    {
        while (m_at < m_text.size())
            readNext();
        return std::move(m_parts);
    }
    //! Another server may find other statements in it.
    [[nodiscard]] bool isDoubtful() const { return m_doubtful; }

private:
    [[nodiscard]] bool sees(std::string_view what) const { return m_text.substr(m_at).starts_with(what); }
    void says() { m_parts.back().saysSomething = true; }
    void readNext()
    {
        const char c = m_text[m_at];
        if (sees("--")) {
            readLineComment();
        } else if (sees("/*")) {
            readComment();
        } else if (c == '\'' || c == '"' || c == '`') {
            readQuoted(c);
        } else if (c == '[') {
            readBracket();
        } else if (c == '$') {
            readMarked();
        } else if (isNamePart(c)) {
            readPlainWord();
        } else if (c == ';') {
            m_parts.emplace_back();
            ++m_at;
        } else {
            m_doubtful = m_doubtful || c == '#'; // a comment on MySQL, an operator on PostgreSQL
            if (std::string_view(" \t\r\n\f\v(").find(c) == std::string_view::npos)
                says();
            ++m_at;
        }
    }
    void readLineComment()
    {
        const std::size_t end = std::min(m_text.find('\n', m_at), m_text.size());
        const std::string_view comment = m_text.substr(m_at + 2, end - m_at - 2);
        const bool everywhere =
            comment.empty() || std::string_view(" \t\r").find(comment.front()) != std::string_view::npos;
        if (!everywhere && comment.find_first_of(";'\"`#/$") != std::string_view::npos) // no comment on MySQL
            m_doubtful = true;
        const std::size_t carriage = comment.find('\r'); // ends it on PostgreSQL
        m_doubtful = m_doubtful || (carriage != std::string_view::npos && carriage + 1 != comment.size());
        m_at = end;
    }
    void readComment()
    {
        m_doubtful = m_doubtful || sees("/*!") || sees("/*M!"); // MySQL does what it says
        int open = 0;
        while (m_at < m_text.size()) {
            const bool opens = sees("/*"), closes = sees("*/");
            m_at += opens || closes ? 2 : 1;
            open += opens ? 1 : closes ? -1 : 0;
            m_doubtful = m_doubtful || open > 1; // within each other only on PostgreSQL
            if (open == 0)
                return;
        }
    }
    void readQuoted(char mark)
    {
        says();
        const bool coded = m_at > 1 && m_text[m_at - 1] == '&' && lowered(m_text[m_at - 2]) == 'u';
        m_doubtful = m_doubtful || (coded && mark == '"'); // U&"\0061" is a name on PostgreSQL
        const std::size_t begin = ++m_at;
        for (; m_at < m_text.size(); ++m_at) {
            if (m_text[m_at] != mark)
                continue;
            m_doubtful = m_doubtful || m_text[m_at - 1] == '\\';
            if (mark != '\'')
                m_parts.back().names.push_back(lowered(m_text.substr(begin, m_at - begin)));
            ++m_at;
            return;
        }
    }
    //! [a name] on SQLite, a place in an array elsewhere: both read on at the same place where quotes in it are in
    //! pairs.
    void readBracket()
    {
        says();
        const std::size_t end = std::min(m_text.find(']', m_at), m_text.size());
        const std::string_view inside = m_text.substr(m_at + 1, end - m_at - 1);
        for (const std::string_view other : {"--", "/*", "#", "$", "\\"})
            m_doubtful = m_doubtful || inside.find(other) != std::string_view::npos;
        for (std::size_t at = 0; at < inside.size(); ++at) {
            if (inside[at] != '\'' && inside[at] != '"' && inside[at] != '`')
                continue;
            at = inside.find(inside[at], at + 1);
            m_doubtful = m_doubtful || at == std::string_view::npos;
            if (at == std::string_view::npos)
                break;
        }
        ++m_at;
    }
    //! $mark$ … $mark$, which only PostgreSQL has, or a dollar.
    void readMarked()
    {
        says();
        std::size_t end = m_at + 1;
        while (end < m_text.size() && isNamePart(m_text[end]))
            ++end;
        if (end >= m_text.size() || m_text[end] != '$') {
            m_at = end;
            return;
        }
        const std::string_view mark = m_text.substr(m_at, end + 1 - m_at);
        const std::size_t close = m_text.find(mark, end + 1);
        const std::string_view quoted = m_text.substr(end + 1, close - end - 1);
        const auto plain = [](char c) { return isNamePart(c) || c == ' '; };
        m_doubtful = m_doubtful || !std::ranges::all_of(quoted, plain);
        m_at = close == std::string_view::npos ? m_text.size() : close + mark.size();
    }
    void readPlainWord()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (isNamePart(m_text[m_at]) || m_text[m_at] == '$'))
            ++m_at;
        EffectPart& part = m_parts.back();
        if (!part.saysSomething)
            part.beginsWithWord = isNameStart(m_text[begin]);
        part.words.push_back(lowered(m_text.substr(begin, m_at - begin)));
        says();
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    bool m_doubtful = false;
    std::vector<EffectPart> m_parts{1};
};

bool isWordOf(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::ranges::find(words, word) != words.end();
}

//! Functions that do what no rollback takes back, or that make a read only session one that writes.
bool callsWhatStays(const EffectPart& part)
{
    const auto stays = [](const std::string& word) {
        return word.starts_with("dblink") || word.starts_with("lo_") ||
               isWordOf(word, {"outfile", "dumpfile", "setval", "set_config", "lowrite", "pg_terminate_backend",
                               "pg_cancel_backend", "pg_reload_conf", "pg_rotate_logfile", "pg_switch_wal",
                               "pg_promote", "pg_create_restore_point", "pg_logical_emit_message", "load_extension",
                               "sys_exec", "sys_eval"});
    };
    return std::ranges::any_of(part.words, stays) || std::ranges::any_of(part.names, stays);
}

//! Ends or changes nothing but the transaction it is in, or the session.
bool isStepWithin(const EffectPart& part)
{
    const std::string_view verb = part.word(0);
    if (isWordOf(verb, {"savepoint", "release", "fetch", "move", "close", "use"}))
        return true;
    if (verb == "rollback") // to a savepoint
        return part.word(1) == "to" || (isWordOf(part.word(1), {"work", "transaction"}) && part.word(2) == "to");
    if (verb == "set")
        return part.word(1) == "local" && !part.has({"global", "persist", "persist_only", "autocommit"});
    if (verb == "lock") // MySQL's LOCK TABLES ends the transaction, and names no mode
        return part.word(part.words.size() - 1) == "mode";
    return false;
}

StatementEffect effectOfPart(const EffectPart& part)
{
    constexpr StatementEffect read{OpClass::Read, false, true}, undone{OpClass::Write, true, true};
    const StatementEffect other{part.words.empty() ? OpClass::Other : OpClass::Write, true, false};
    if (!part.saysSomething)
        return {};
    if (!part.beginsWithWord) // such as a variable that is not replaced yet
        return other;
    const std::string_view verb = part.word(0);
    const bool writes = part.has({"insert", "update", "delete", "merge"});
    if (isWordOf(verb, {"select", "values", "table"})) // PostgreSQL's INTO makes a table
        return {OpClass::Read, part.has({"into"}), true};
    if (verb == "show")
        return read;
    if (verb == "with")
        return writes ? undone : StatementEffect{OpClass::Read, part.has({"into"}), true};
    if (isWordOf(verb, {"explain", "describe", "desc"})) { // ANALYZE does what it explains
        if (!part.has({"analyze", "analyse"}))
            return read;
        if (part.has({"create", "refresh", "execute", "declare", "call", "replace", "into"}))
            return {OpClass::Write, true, false};
        return writes ? undone : read;
    }
    if (isWordOf(verb, {"insert", "update", "delete", "replace", "merge"}))
        return undone;
    if (isStepWithin(part))
        return {isWordOf(verb, {"fetch", "move"}) ? OpClass::Read : OpClass::Other, false, true};
    if (isWordOf(verb, {"set", "begin", "start", "commit", "end", "rollback", "abort", "lock"}))
        return {OpClass::Other, true, false};
    return other;
}

//! In small letters, with one blank between words.
std::string plainWords(std::string_view text)
{
    std::string words;
    for (const char c : text) {
        if (std::string_view(" \t\r\n\f\v").find(c) == std::string_view::npos)
            words += lowered(c);
        else if (!words.empty() && words.back() != ' ')
            words += ' ';
    }
    return std::string(trimmed(words));
}

//! Nothing: it is no command on documents and nothing else.
std::optional<DocumentCommand> wholeDocument(std::string_view text)
{
    const std::size_t begin = text.find('{');
    auto command = readDocumentCommand(text, begin);
    if (!command || !trimmed(text.substr(command->end), " \t\r\n;").empty())
        return {};
    return std::move(*command);
}

} // namespace

StatementEffect effectOf(std::string_view text)
{
    if (isDocumentText(text)) {
        const std::optional<DocumentCommand> command = wholeDocument(text);
        if (!command)
            return {OpClass::Other, true, false};
        return {command->opClass, command->opClass == OpClass::Write, true};
    }
    EffectReader reader(text);
    StatementEffect all;
    for (const EffectPart& part : reader.parts()) {
        StatementEffect one = effectOfPart(part);
        if (callsWhatStays(part))
            one = {one.opClass, true, false};
        if (all.opClass != OpClass::Write && one.opClass != OpClass::Other)
            all.opClass = one.opClass;
        all.changes = all.changes || one.changes;
        all.undone = all.undone && one.undone;
    }
    if (reader.isDoubtful())
        all = {all.opClass, true, false};
    return all;
}

bool onlyReads(std::string_view text)
{
    if (isDocumentText(text)) {
        const std::optional<DocumentCommand> command = wholeDocument(text);
        return command && command->opClass == OpClass::Read;
    }
    EffectReader reader(text);
    const std::vector<EffectPart> parts = reader.parts();
    // FOR UPDATE and FOR SHARE lock; FETCH and MOVE need a cursor.
    const auto locks = [](const EffectPart& part) {
        return part.has({"insert", "update", "delete", "merge", "share", "lock"}) ||
               isWordOf(part.word(0), {"fetch", "move"});
    };
    // However a server reads its quotes and comments: without this sign, it finds no second statement.
    const std::string_view statement = trimmed(text, " \t\r\n\f\v;");
    if (statement.find(';') != std::string_view::npos)
        return false;
    const StatementEffect effect = effectOf(text);
    return std::ranges::count_if(parts, &EffectPart::saysSomething) == 1 && effect.opClass == OpClass::Read &&
           !effect.changes && std::ranges::none_of(parts, locks);
}

bool mayMakeRows(std::string_view text)
{
    if (isDocumentText(text))
        return effectOf(text).opClass == OpClass::Write;
    EffectReader reader(text);
    return std::ranges::any_of(reader.parts(), [](const EffectPart& part) {
        return part.saysSomething && effectOfPart(part).opClass != OpClass::Other &&
               !isWordOf(part.word(0), {"create",  "alter",   "drop",    "rename",   "truncate", "delete",  "comment",
                                        "analyze", "analyse", "vacuum",  "optimize", "reindex",  "cluster", "check",
                                        "repair",  "flush",   "refresh", "grant",    "revoke",   "pragma"});
    });
}

RequestKind statementStep(std::string_view text)
{
    // Each server has its own words for these.
    const std::string words = plainWords(text);
    if (isWordOf(words, {"begin", "begin work", "begin transaction", "start transaction"}))
        return RequestKind::Begin;
    if (isWordOf(words, {"commit", "commit work", "commit transaction", "end", "end work", "end transaction"}))
        return RequestKind::Commit;
    if (isWordOf(words, {"rollback", "rollback work", "rollback transaction", "abort"}))
        return RequestKind::Rollback;
    return RequestKind::Text;
}

} // namespace dyno
