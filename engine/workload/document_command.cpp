// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/document_command.h"

#include "base/text.h"
#include "base/utf8.h"
#include "workload/script/source.h"
#include "workload/statement_effect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace dyno {

namespace {

constexpr int kDeepestNesting = 97; //!< libraries read 98, and one is for the command that explains this one

constexpr std::array<std::string_view, 4> kDocumentReads{"find", "aggregate", "count", "distinct"};
constexpr std::array<std::string_view, 4> kDocumentWrites{"insert", "update", "delete", "findAndModify"};
constexpr std::array<std::string_view, 2> kHarmless{"ping", "hello"};
constexpr std::array<std::string_view, 4> kOfCollections{"create", "createIndexes", "dropIndexes", "drop"};

//! Keys that begin an object which is one value of extended JSON.
constexpr std::array<std::string_view, 17> kValueKeys{
    "$oid",    "$date",    "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal",     "$binary",
    "$regex",  "$minKey",  "$timestamp", "$uuid",       "$maxKey",       "$regularExpression", "$undefined",
    "$symbol", "$options", "$dbPointer"};
constexpr std::array<std::string_view, 5> kServerCode{"$where", "$function", "$accumulator", "$code", "$scope"};
//! Members of a command that its sender's connection decides about.
constexpr std::array<std::string_view, 4> kOfConnection{"lsid", "txnNumber", "autocommit", "startTransaction"};

bool isAmongNames(std::string_view name, const auto& names)
{
    return std::ranges::find(names, name) != names.end();
}

bool isHexDigit(char c)
{
    return script::isDigit(c) || (lowered(c) >= 'a' && lowered(c) <= 'f');
}

//! Reads one command. The first mistake ends it.
class DocumentReader
{
public:
    DocumentReader(std::string_view text, std::size_t begin, DocumentUse use)
        : m_text(text)
        , m_at(begin)
        , m_begin(begin)
        , m_use(use)
    {
    }
    tl::expected<DocumentCommand, DocumentMistake> run()
    {
        if (readCommand()) {
            m_command.end = m_at;
            return std::move(m_command);
        }
        return tl::unexpected(std::move(*m_mistake));
    }

private:
    //! A text between quotation marks.
    struct Text
    {
        std::size_t begin = 0, end = 0; //!< with the marks
        std::string decoded;
    };

    bool refuse(std::size_t place, std::string what, std::string expected)
    {
        if (!m_mistake)
            m_mistake = DocumentMistake{place, std::move(what), std::move(expected)};
        return false;
    }
    //! At what stands here in place of something else.
    bool refuseHere(std::string expected)
    {
        if (m_at >= m_text.size())
            return refuse(m_begin, "the document that begins here has no end", std::move(expected));
        std::size_t end = m_at + 1; // with the rest of a character of UTF-8, or of a word
        const bool word = script::isNamePart(m_text[m_at]);
        while (end < m_text.size() && ((static_cast<unsigned char>(m_text[end]) & 0xC0U) == 0x80U ||
                                       (word && end < m_at + 20 && script::isNamePart(m_text[end]))))
            ++end;
        return refuse(m_at, fmt::format("unexpected {}", m_text.substr(m_at, end - m_at)), std::move(expected));
    }
    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    char skipSpace()
    {
        m_at = std::min(m_text.find_first_not_of(" \t\r\n", m_at), m_text.size());
        return peek();
    }

    bool readCommand();
    bool readFirst(const Text& name, std::size_t valuePlace);
    bool checkMember(std::string_view key, std::size_t place, int depth);
    bool readObject(int depth);
    bool readArray(int depth);
    bool readValue(int depth);
    bool readText(Text& text);
    bool readEscape(std::string& decoded);
    bool readHex(std::uint32_t& code);
    bool readNumber();
    bool readWord();
    bool checkTyped(std::string_view key, const Text& value);

    std::string_view m_text;
    std::size_t m_at, m_begin;
    DocumentUse m_use;
    DocumentCommand m_command;
    std::optional<DocumentMistake> m_mistake;
    Text m_last;         //!< the text that was read last
    std::string m_typed; //!< key of the value of extended JSON that is being read; "": none is
    bool m_hasCursor = false;
    bool m_concern = false; //!< within the command's writeConcern
};

bool DocumentReader::readCommand()
{
    if (!readObject(1))
        return false;
    if (m_command.name.empty())
        return refuse(m_begin, "the document is empty", R"(a command, as {"find": "orders", "filter": {"_id": 1}})");
    if (m_command.name == "aggregate" && !m_hasCursor)
        return refuse(m_begin, "the command \"aggregate\" has no \"cursor\", which servers need", "\"cursor\": {}");
    if (m_use == DocumentUse::Setup && m_command.opClass == OpClass::Read)
        return refuse(m_begin, "this command only reads, so nothing is set up by it",
                      "$out or $merge as its last stage");
    return true;
}

//! The command's name and the collection behind it, whose value has been read.
bool DocumentReader::readFirst(const Text& name, std::size_t valuePlace)
{
    const std::string& verb = name.decoded;
    const bool reads = isAmongNames(verb, kDocumentReads), writes = isAmongNames(verb, kDocumentWrites);
    const bool ofCollections = isAmongNames(verb, kOfCollections);
    if (ofCollections && m_use == DocumentUse::Transaction)
        return refuse(name.begin, fmt::format("the command \"{}\" is not allowed in a transaction", verb),
                      "it in the head: collections as [[tables]], indexes as their \"after\"");
    const bool known = (reads && (m_use == DocumentUse::Transaction || verb == "aggregate")) || writes ||
                       (ofCollections && m_use == DocumentUse::Setup) ||
                       (isAmongNames(verb, kHarmless) && m_use == DocumentUse::Transaction);
    if (!known) {
        const std::string names = m_use == DocumentUse::Setup ? fmt::format("{}", fmt::join(kOfCollections, ", "))
                                                              : fmt::format("{}", fmt::join(kDocumentReads, ", "));
        return refuse(name.begin, fmt::format("a script may not send the command \"{}\"", verb),
                      fmt::format("one of: {}, {}", names, fmt::join(kDocumentWrites, ", ")));
    }
    m_command.name = verb;
    m_command.opClass = reads ? OpClass::Read : writes || ofCollections ? OpClass::Write : OpClass::Other;
    m_command.answersDocuments = verb == "find" || verb == "aggregate" || verb == "findAndModify";
    if (isAmongNames(verb, kHarmless))
        return true;
    const std::string form = fmt::format(R"({{"{}": "orders", …}})", verb);
    if (m_last.begin != valuePlace)
        return refuse(valuePlace, fmt::format("the command \"{}\" names no collection", verb), form);
    if (!m_command.variables.empty())
        return refuse(valuePlace, "a variable cannot be the name of the collection", form);
    m_command.collection = m_last.decoded;
    const std::string& collection = m_command.collection;
    if (collection.empty() || collection.starts_with("system.") ||
        collection.find_first_of(std::string_view("$\0", 2)) != std::string::npos)
        return refuse(valuePlace, fmt::format("\"{}\" is a system collection, or no name of one", collection), form);
    return true;
}

//! `key` is a member of an object at this depth, the command itself at 1.
bool DocumentReader::checkMember(std::string_view key, std::size_t place, int depth)
{
    if (key.find('\0') != std::string_view::npos)
        return refuse(place, "the name of a field holds a zero", "a name without it");
    if (isAmongNames(key, kServerCode))
        return refuse(place, fmt::format("{} runs code in the server, and no script may do that here", key),
                      "operators without code");
    if (key == "$changeStream" || (depth == 1 && (key == "tailable" || key == "awaitData")))
        return refuse(place, fmt::format("with {} the answer has no end", key), "a query that ends");
    if (key == "$out" || key == "$merge") {
        m_command.opClass = OpClass::Write;
        m_command.stores = std::min(m_command.stores, place);
    }
    if (depth > 1)
        return true;
    m_hasCursor = m_hasCursor || key == "cursor";
    if (key.starts_with('$') || isAmongNames(key, kOfConnection))
        return refuse(place, fmt::format("\"{}\" is set by the connection", key),
                      "the command without it; see the connection's knobs and BEGIN");
    return true;
}

bool DocumentReader::readObject(int depth)
{
    if (depth > kDeepestNesting)
        return refuse(m_at, "the document is nested too deeply", fmt::format("at most {} levels", kDeepestNesting));
    ++m_at;
    bool first = true;
    if (skipSpace() == '}') {
        ++m_at;
        return true;
    }
    const bool within = !m_typed.empty();
    for (;;) {
        if (skipSpace() != '"')
            return refuseHere(first ? "\" and the name of a field, or }" : "\" and the name of a field");
        Text key;
        if (!readText(key) || !checkMember(key.decoded, key.begin, depth))
            return false;
        if (skipSpace() != ':')
            return refuseHere(":");
        ++m_at;
        skipSpace();
        if (!within && depth > 1 && first && isAmongNames(key.decoded, kValueKeys))
            m_typed = key.decoded;
        const std::size_t valuePlace = m_at;
        const bool concern = depth == 1 && key.decoded == "writeConcern";
        m_concern = m_concern || concern;
        if (!readValue(depth))
            return false;
        m_concern = m_concern && !concern;
        // Some servers answer all the same, and each later answer would be taken for that of another command.
        if (m_concern && key.decoded == "w" && !(m_text[valuePlace] >= '1' && m_text[valuePlace] <= '9') &&
            !m_text.substr(valuePlace).starts_with("\"m"))
            return refuse(valuePlace, "writes must be acknowledged here", R"(a number from 1 on, or "majority")");
        if (m_last.begin == valuePlace && !checkTyped(key.decoded, m_last))
            return false;
        // As a first member it is an older form of binary data for clients, but for texts that are no hexadecimal
        // number.
        const bool text = m_last.begin == valuePlace && !m_last.decoded.empty();
        if (depth > 1 && first && key.decoded == "$type" && m_text[valuePlace] != '{' &&
            (!text || isHexDigit(m_last.decoded.front())))
            return refuse(valuePlace, "this value behind $type would be read as that of binary data",
                          R"(the type's number, as {"$type": {"$numberInt": "1"}})");
        if (depth == 1 && first && !readFirst(key, valuePlace))
            return false;
        first = false;
        const char c = skipSpace();
        if (c != ',' && c != '}')
            return refuseHere(", or }");
        ++m_at;
        if (c == '}')
            break;
    }
    if (!within)
        m_typed.clear();
    return true;
}

bool DocumentReader::readArray(int depth)
{
    if (depth > kDeepestNesting)
        return refuse(m_at, "the document is nested too deeply", fmt::format("at most {} levels", kDeepestNesting));
    ++m_at;
    if (skipSpace() == ']') {
        ++m_at;
        return true;
    }
    for (;;) {
        skipSpace();
        if (!readValue(depth))
            return false;
        const char c = skipSpace();
        if (c != ',' && c != ']')
            return refuseHere(", or ]");
        ++m_at;
        if (c == ']')
            return true;
    }
}

bool DocumentReader::readValue(int depth)
{
    const char c = peek();
    if (c == '{')
        return readObject(depth + 1);
    if (c == '[')
        return readArray(depth + 1);
    if (c == '-' || script::isDigit(c))
        return readNumber();
    if (c != '"')
        return readWord();
    if (!readText(m_last))
        return false;
    // As it is written: an escape makes it a text like any other.
    const std::string_view inner = m_text.substr(m_last.begin + 1, m_last.end - m_last.begin - 2);
    if (inner.starts_with(':') && script::isVariableName(inner.substr(1))) {
        if (!m_typed.empty())
            return refuse(m_last.begin, fmt::format("a variable cannot be a part of {}", m_typed),
                          fmt::format("a variable as the whole value, without {}", m_typed));
        m_command.variables.push_back({m_last.begin + 2, m_last.end - 1});
    } else if (m_last.decoded == "?" || m_last.decoded == "?binary") {
        m_command.mark = std::min(m_command.mark, m_last.begin);
    }
    return true;
}

bool DocumentReader::readHex(std::uint32_t& code)
{
    const std::string_view digits = m_text.substr(m_at, 4);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() < 4 || read.ec != std::errc() || read.ptr != digits.data() + 4)
        return refuse(m_at, "\\u without four digits", "\\u and four hexadecimal digits");
    m_at += 4;
    return true;
}

//! Behind the backslash.
bool DocumentReader::readEscape(std::string& decoded)
{
    constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const std::size_t place = m_at - 1;
    const char c = peek();
    if (const std::size_t found = kEscapes.find(c); c != '\0' && found != std::string_view::npos) {
        decoded += kMeant[found];
        ++m_at;
        return true;
    }
    if (c != 'u')
        return refuse(place, "a backslash that escapes nothing", R"(one of: \" \\ \/ \b \f \n \r \t \u0041)");
    ++m_at;
    std::uint32_t code = 0;
    if (!readHex(code))
        return false;
    if (code >= 0xD800 && code < 0xDC00 && m_text.substr(m_at).starts_with("\\u")) {
        m_at += 2;
        std::uint32_t low = 0;
        if (!readHex(low))
            return false;
        if (low >= 0xDC00 && low < 0xE000)
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code >= 0xD800 && code < 0xE000)
        return refuse(place, "this half of a pair is no character", "both halves, as \\ud83d\\ude00");
    appendUtf8(decoded, code);
    return true;
}

bool DocumentReader::readText(Text& text)
{
    text.begin = m_at++;
    text.decoded.clear();
    for (;;) {
        const char c = peek();
        if (m_at >= m_text.size() || c == '\n' || c == '\r')
            return refuse(text.begin, "the text that begins here has no end", "\" in the same line");
        ++m_at;
        if (c == '"')
            break;
        if (static_cast<unsigned char>(c) < 0x20)
            return refuse(m_at - 1, "a control character in a text", "an escape, as \\t");
        if (c != '\\')
            text.decoded += c;
        else if (!readEscape(text.decoded))
            return false;
    }
    text.end = m_at;
    return true;
}

bool DocumentReader::readNumber()
{
    const std::size_t begin = m_at;
    const auto digits = [this] {
        const std::size_t from = m_at;
        while (script::isDigit(peek()))
            ++m_at;
        return m_at > from;
    };
    m_at += peek() == '-' ? 1 : 0;
    const bool zero = peek() == '0';
    const std::size_t whole = m_at;
    if (!digits() || (zero && m_at > whole + 1))
        return refuse(begin, "this is no number of JSON", "digits without a zero in front, as 10 or 0.5");
    bool real = false;
    if (peek() == '.') {
        real = true;
        ++m_at;
        if (!digits())
            return refuse(begin, "this is no number of JSON", "digits behind the point, as 0.5");
    }
    if (peek() == 'e' || peek() == 'E') {
        real = true;
        ++m_at;
        m_at += peek() == '-' || peek() == '+' ? 1 : 0;
        if (!digits())
            return refuse(begin, "this is no number of JSON", "digits behind the e, as 1e9");
    }
    const char* const end = m_text.data() + m_at;
    std::int64_t integer = 0;
    double number = 0;
    const std::errc problem = real ? std::from_chars(m_text.data() + begin, end, number).ec
                                   : std::from_chars(m_text.data() + begin, end, integer).ec;
    return problem == std::errc() ||
           refuse(begin, "the number is out of range", R"(64 bits, or {"$numberDecimal": "…"})");
}

bool DocumentReader::readWord()
{
    for (const std::string_view word : {"true", "false", "null"}) {
        const std::string_view rest = m_text.substr(m_at);
        if (rest.starts_with(word) && (rest.size() == word.size() || !script::isNamePart(rest[word.size()]))) {
            m_at += word.size();
            return true;
        }
    }
    return refuseHere(R"(a value: a text in ", a number, true, false, null, { or [; a variable is ":name")");
}

//! Of those values of extended JSON that people write by hand. Others are looked at when they are prepared.
bool DocumentReader::checkTyped(std::string_view key, const Text& value)
{
    const std::string& text = value.decoded;
    if (m_typed.empty())
        return true;
    const auto fits = [&text](auto number) {
        const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
        return read.ec == std::errc() && read.ptr == text.data() + text.size();
    };
    constexpr std::size_t kObjectId = 24;
    if (key == "$oid" && (text.size() != kObjectId || !std::ranges::all_of(text, isHexDigit)))
        return refuse(value.begin, fmt::format("\"{}\" is no object id", text), "24 hexadecimal digits");
    if ((key == "$numberLong" && !fits(std::int64_t(0))) || (key == "$numberInt" && !fits(std::int32_t(0))))
        return refuse(value.begin, fmt::format("\"{}\" is no whole number for {}", text, key),
                      "digits within quotation marks");
    return true;
}

} // namespace

tl::expected<DocumentCommand, DocumentMistake> readDocumentCommand(std::string_view text, std::size_t begin,
                                                                   DocumentUse use)
{
    if (begin >= text.size() || text[begin] != '{')
        return tl::unexpected(DocumentMistake{begin, "this is no document", R"({ as in {"find": "orders"})"});
    return DocumentReader(text, begin, use).run();
}

bool isDocumentText(std::string_view text)
{
    return trimmed(text, " \t\r\n").starts_with('{');
}

bool isDocumentScript(std::string_view script)
{
    bool command = false; // a backslash command that goes on in this line
    while (!script.empty()) {
        const std::size_t end = std::min(script.find('\n'), script.size());
        const std::string_view line = trimmed(script.substr(0, end), " \t\r\n");
        script.remove_prefix(std::min(end + 1, script.size()));
        const bool began = command || line.starts_with('\\');
        command = began && line.ends_with('\\');
        if (began || line.empty() || line.starts_with("--"))
            continue;
        if (line.starts_with('{'))
            return true;
        if (statementStep(trimmed(line, " \t;")) == RequestKind::Text)
            return false;
    }
    return false;
}

} // namespace dyno
