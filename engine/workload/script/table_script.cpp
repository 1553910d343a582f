// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/table_script.h>

#include "base/text.h"
#include "workload/script/expression_parser.h"
#include "workload/script/program.h"
#include "workload/script/script_parser.h"
#include "workload/script/workload_head.h"

#include <dyno/script_text.h>
#include <dyno/script_words.h>
#include <dyno/visible_text.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

namespace dyno {

namespace {

constexpr std::int64_t kMostValue = 100;   //!< of a number that is made up: it fits into every type
constexpr std::int64_t kMostOfNumeric = 9; //!< likewise, where digits before the point may be few
constexpr std::int64_t kNewKeys = 1'000'000'000;
constexpr std::int64_t kShortText = 10; //!< characters; below that a value is a digit
constexpr std::size_t kMostTableName = 24, kMostVariableName = 40;

//! Letters, digits and _ of a name.
std::string plainWord(std::string_view name, std::size_t most, std::string_view otherwise)
{
    std::string plain;
    for (const char c : lowered(name)) {
        const bool fits = (c >= 'a' && c <= 'z') || script::isDigit(c) || c == '_';
        if (fits && plain.size() < most)
            plain += c;
    }
    if (plain.empty() || script::isDigit(plain.front()))
        plain = std::string(otherwise) + plain;
    return plain;
}

//! What an UPDATE or INSERT gives to a column.
struct MadeValue
{
    std::string set;     //!< a line \\set, with its end; "": none is needed
    std::string written; //!< in the statement; "": there is none for this type
};

class TableScript
{
public:
    TableScript(const TableInfo& table, const KeyRange& keys, const ColumnInfo& key)
        : m_table(table)
        , m_keys(keys)
        , m_key(key)
        , m_name(plainWord(table.name, kMostTableName, "table"))
        , m_variable(variableOf(key))
    {
        const auto inKey = [](const ColumnInfo& column) { return column.keyPlace > 1; };
        m_whole = std::ranges::none_of(table.columns, inKey);
    }

    std::string run()
    {
        read();
        if (m_whole) {
            change();
            insert();
            remove();
        } else {
            note(fmt::format("Rows of {} are not changed here: its key has more than one column.", m_table.name));
        }
        return std::move(m_text);
    }

private:
    std::string variableOf(const ColumnInfo& column)
    {
        constexpr std::array<std::string_view, 4> kOwn{script::kClientId, script::kScale, script::kRandomSeed,
                                                       script::kDefaultSeed};
        const std::string plain = plainWord(column.name, kMostVariableName, "column");
        std::string name = std::ranges::find(kOwn, plain) == kOwn.end() ? plain : plain + "_value";
        for (int more = 2; !m_variables.insert(name).second; ++more)
            name = fmt::format("{}_{}", plain, more);
        return name;
    }
    //! Names and types are the server's: one with a line break would end the comment.
    void note(const std::string& text) { m_text += fmt::format("-- {}\n", visibleText(text)); }
    void begin(std::string_view what, int weight)
    {
        m_text += fmt::format("{}\\transaction {}_{} {}\n", m_text.empty() ? "" : "\n", m_name, what, weight);
    }
    [[nodiscard]] std::string keyLine() const
    {
        return fmt::format("\\set {} random({}, {})\n", m_variable, m_keys.first, m_keys.last);
    }
    [[nodiscard]] std::string where() const { return fmt::format("WHERE {} = :{}", m_key.written, m_variable); }

    void read()
    {
        std::vector<std::string_view> names;
        for (const ColumnInfo& column : m_table.columns)
            names.push_back(column.written);
        begin("read", 70);
        m_text += keyLine();
        m_text += fmt::format("SELECT {} FROM {} {}{};\n", fmt::join(names, ", "), m_table.written, where(),
                              m_whole ? "" : " LIMIT 100");
    }
    void change()
    {
        const ColumnInfo* chosen = nullptr;
        int best = 0;
        for (const ColumnInfo& column : m_table.columns) {
            const int worth = column.whole ? 3 : column.number ? 2 : 1;
            if (column.keyPlace == 0 && !column.computed && worth > best && !valueFor(column).written.empty()) {
                best = worth;
                chosen = &column;
            }
        }
        if (!chosen)
            return note(fmt::format("{} has no column that an UPDATE could give a made-up value.", m_table.name));
        const MadeValue value = valueFor(*chosen);
        begin("update", 20);
        m_text += keyLine() + value.set;
        m_text += fmt::format("UPDATE {} SET {} = {} {};\n", m_table.written, chosen->written, value.written, where());
    }
    void insert()
    {
        std::vector<std::string> names, values;
        std::string sets;
        if (!m_key.filled) {
            const std::int64_t most = greatestKey();
            if (m_keys.last >= most)
                return note(fmt::format("No rows are added: the keys of {} are used up.", m_table.name));
            const std::int64_t end = m_keys.last > most - kNewKeys ? most : m_keys.last + kNewKeys;
            sets += fmt::format("\\set {} random({}, {})\n", m_variable, m_keys.last + 1, end);
            names.push_back(m_key.written);
            values.push_back(":" + m_variable);
        }
        for (const ColumnInfo& column : m_table.columns) {
            if (column.keyPlace > 0 || column.filled)
                continue;
            const MadeValue value = valueFor(column);
            if (value.written.empty() && column.nullable)
                continue;
            if (value.written.empty())
                return note(fmt::format("No rows are added: nothing makes values of {}, which is {}.", column.name,
                                        column.type));
            sets += value.set;
            names.push_back(column.written);
            values.push_back(value.written);
        }
        if (names.empty())
            return note(fmt::format("No rows are added: {} fills all its columns by itself.", m_table.name));
        begin("insert", 5);
        m_text += sets;
        m_text += fmt::format("INSERT INTO {} ({}) VALUES ({});\n", m_table.written, fmt::join(names, ", "),
                              fmt::join(values, ", "));
    }
    void remove()
    {
        begin("delete", 5);
        m_text += keyLine();
        m_text += fmt::format("DELETE FROM {} {};\n", m_table.written, where());
    }

    [[nodiscard]] std::int64_t greatestKey() const
    {
        const std::string_view type = m_key.type;
        const auto has = [type](std::string_view part) { return type.find(part) != std::string_view::npos; };
        const std::int64_t most = has("tinyint")     ? INT8_MAX
                                  : has("smallint")  ? INT16_MAX
                                  : has("mediumint") ? 8'388'607
                                  : has("big")       ? INT64_MAX - 1
                                                     : INT32_MAX;
        if (m_keys.last <= most)
            return most;
        // Where a key is larger, the name of the type means more on this server.
        const std::int64_t withoutSign = 2 * most + 1;
        return has("unsigned") && most < INT64_MAX / 2 ? withoutSign : INT64_MAX - 1;
    }
    //! "character varying(16)", but no type of a person's own that is named like one.
    static bool isText(std::string_view type)
    {
        constexpr std::array<std::string_view, 15> kTexts{"char",     "character", "varchar",    "nchar",    "nvarchar",
                                                          "bpchar",   "text",      "tinytext",   "citext",   "longtext",
                                                          "varchar2", "clob",      "mediumtext", "national", "native"};
        const std::string_view word = type.substr(0, type.find_first_of(" ("));
        return type.empty() || std::ranges::find(kTexts, word) != kTexts.end();
    }
    //! "numeric(2,2)"
    static bool isBelowOne(std::string_view type)
    {
        const std::size_t open = type.find('('), comma = type.find(',', std::min(open, type.size()));
        int digits = 0, behindPoint = 0;
        if (comma == std::string_view::npos)
            return false;
        const char* const end = type.data() + type.size();
        std::from_chars(type.data() + open + 1, end, digits);
        const std::size_t second = std::min(type.find_first_not_of(' ', comma + 1), type.size());
        std::from_chars(type.data() + second, end, behindPoint);
        return behindPoint >= digits;
    }
    //! How many characters a column takes; 0: as many as anybody wants.
    static std::int64_t lengthOf(std::string_view type)
    {
        std::int64_t length = 0;
        if (const std::size_t open = type.find('('); open != std::string_view::npos)
            std::from_chars(type.data() + open + 1, type.data() + type.size(), length);
        else if (type == "character" || type == "char")
            length = 1;
        return length;
    }
    //! The same for the same column, so that its variable is.
    MadeValue valueFor(const ColumnInfo& column)
    {
        const std::string& type = column.type;
        const auto has = [&type](std::string_view part) { return type.find(part) != std::string::npos; };
        if (type.ends_with("]") || type.starts_with("enum(") || type.starts_with("set("))
            return {};
        if (column.number && (type.starts_with("bit") || isBelowOne(type)))
            return {{}, "0"};
        if (has("bool"))
            return {{}, "TRUE"};
        if (has("uuid"))
            return {{}, "'00000000-0000-4000-8000-000000000000'"};
        if (has("json"))
            return {{}, "'{}'"};
        if (has("timestamp") || has("datetime"))
            return {{}, "CURRENT_TIMESTAMP"};
        if (type == "date")
            return {{}, "'2024-01-31'"};
        if (type.starts_with("time"))
            return {{}, "'12:00:00'"};
        const bool text = isText(type);
        if (!column.number && !text)
            return {};
        const std::int64_t length = lengthOf(type);
        const bool digit = text ? length > 0 && length < kShortText : !column.whole || type.starts_with("year");
        auto known = m_variableOf.find(column.name);
        if (known == m_variableOf.end())
            known = m_variableOf.emplace(column.name, variableOf(column)).first;
        const std::string set =
            fmt::format("\\set {} random(1, {})\n", known->second, digit ? kMostOfNumeric : kMostValue);
        return {set, text ? fmt::format("'{}:{}'", digit ? "" : "text ", known->second) : ":" + known->second};
    }

    const TableInfo& m_table;
    const KeyRange m_keys;
    const ColumnInfo& m_key;
    std::set<std::string> m_variables; //!< names that are taken
    std::map<std::string, std::string> m_variableOf;
    std::string m_name, m_variable;
    bool m_whole = true; //!< the key is one column
    std::string m_text;
};

} // namespace

Expected<std::string> scriptForTable(const TableInfo& table, const KeyRange& keys)
{
    const auto key = std::ranges::find(table.columns, 1, &ColumnInfo::keyPlace);
    if (table.view)
        return fail({ErrorKind::BadInput, fmt::format("{} is a view: it has no key", table.name), table.name,
                     "choose a table that it reads"});
    if (key == table.columns.end())
        return fail({ErrorKind::BadInput, fmt::format("the table {} has no primary key", table.name), table.name,
                     "choose another table, or write the statements by hand"});
    if (!key->whole)
        return fail({ErrorKind::BadInput,
                     fmt::format("the key of {} is {}: random keys are whole numbers", table.name, key->type),
                     table.name, "choose another table, or write the statements by hand"});
    return TableScript(table, keys, *key).run();
}

std::vector<std::string> scriptCommands()
{
    return script::commandNames();
}

std::vector<std::string> scriptFunctions()
{
    return script::functionNames();
}

std::vector<std::string> scriptHeadWords()
{
    return script::headWords();
}

std::vector<std::string> scriptVariables(std::string_view text)
{
    std::set<std::string> names{script::kClientId, script::kScale, script::kRandomSeed, script::kDefaultSeed};
    int state = 0;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        ScriptLine read = scriptLine(line, state);
        state = read.state;
        for (const ScriptToken& token : read.tokens) {
            std::string_view name = line.substr(token.begin, token.length);
            if (name.starts_with(':'))
                name.remove_prefix(1);
            if (token.kind == ScriptToken::Kind::Variable && script::isVariableName(name))
                names.emplace(name);
        }
        begin = end + 1;
    }
    return {names.begin(), names.end()};
}

std::string withSections(std::string_view text, std::string_view sections)
{
    std::set<std::string> taken;
    for (const ScriptSection& one : scriptSections(text))
        taken.insert(one.name);
    std::string joined(text);
    const auto head = script::readHead(text);
    if (!head) // it has no end that is known
        return joined;
    const std::size_t behind = *head ? (*head)->end : 0;
    if (taken.empty() && !trimmed(text.substr(behind)).empty()) {
        std::int64_t weight = 0; // half of all transactions
        for (const ScriptSection& one : scriptSections(sections))
            weight += std::max<std::int64_t>(0, one.weight);
        joined.insert(behind, fmt::format("\\transaction script {}\n", std::max<std::int64_t>(1, weight)));
        taken.insert("script");
    }
    if (!joined.empty() && joined.back() != '\n')
        joined += '\n';
    if (!trimmed(joined).empty())
        joined += '\n';
    std::size_t done = 0;
    for (const script::Script& one : script::parseUnchecked(sections).value_or(script::Program()).scripts) {
        std::string name = one.name;
        for (int more = 2; !taken.insert(name).second; ++more)
            name = fmt::format("{}_{}", one.name, more);
        joined += sections.substr(done, one.nameEnd - one.name.size() - done);
        joined += name;
        done = one.nameEnd;
    }
    joined += sections.substr(done);
    return joined;
}

} // namespace dyno
