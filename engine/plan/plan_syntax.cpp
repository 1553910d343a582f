// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/plan_syntax.h"
#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

namespace dyno {

namespace {

constexpr std::size_t kMaxSyntaxFaults = 20;
constexpr std::size_t kMaxPlanBytes = 4u << 20;

std::vector<std::string> linesOf(std::string_view text)
{
    std::vector<std::string> lines;
    while (true) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return lines;
        text.remove_prefix(end + 1);
    }
}

//! [name] or [[name]] alone in its line, as far as that can be told when it is broken.
bool isHeader(std::string_view line)
{
    const std::string text(trimmed(line));
    return text.size() > 1 && text[0] == '[' && (text[1] == '[' || std::isalpha(static_cast<unsigned char>(text[1])));
}

//! `key =` with a bare or quoted key and nothing but the key before the sign.
std::string keyOf(std::string_view line)
{
    const std::string text(trimmed(line));
    const std::size_t equals = text.find('=');
    std::string key(trimmed(std::string_view(text).substr(0, equals)));
    if (key.size() > 2 && (key.front() == '"' || key.front() == '\'') && key.back() == key.front())
        key = key.substr(1, key.size() - 2);
    const auto isKeyChar = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
    };
    if (key.empty() || !std::all_of(key.begin(), key.end(), isKeyChar))
        return {};
    return key;
}

//! Where each line stands: inside how many open brackets, and in which line the outermost of them was opened.
struct LineState
{
    int depth = 0;
    std::size_t opened = 0;
};

//! A rough scanner of strings, comments and brackets; enough to know what belongs together.
std::vector<LineState> scan(const std::vector<std::string>& lines)
{
    std::vector<LineState> states(lines.size());
    int depth = 0;
    std::size_t opened = 0;
    std::string multiLine; // the closing quotes, while inside a multi-line string
    for (std::size_t n = 0; n < lines.size(); ++n) {
        const std::string& line = lines[n];
        states[n] = {multiLine.empty() ? depth : depth + 1, opened};
        if (multiLine.empty() && depth == 0)
            opened = n;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string_view rest = std::string_view(line).substr(i);
            if (!multiLine.empty()) {
                if (rest.starts_with(multiLine)) {
                    i += 2;
                    multiLine.clear();
                }
                continue;
            }
            const char c = line[i];
            if (c == '#')
                break;
            if (rest.starts_with("\"\"\"") || rest.starts_with("'''")) {
                multiLine = std::string(3, c);
                i += 2;
            } else if (c == '"' || c == '\'') {
                for (++i; i < line.size() && line[i] != c; ++i) {
                    if (c == '"' && line[i] == '\\')
                        ++i;
                }
            } else if (c == '[' || c == '{') {
                ++depth;
            } else if (c == ']' || c == '}') {
                depth = std::max(0, depth - 1);
            }
        }
    }
    return states;
}

//! "axis[1].name": the table that the line stands in and its key.
std::string placeOf(const std::vector<std::string>& lines, const std::vector<LineState>& states, std::size_t line)
{
    std::map<std::string, int> seen;
    std::string table;
    for (std::size_t n = 0; n <= line && n < lines.size(); ++n) {
        if (states[n].depth > 0 || !isHeader(lines[n]))
            continue;
        const std::string text(trimmed(lines[n]));
        const bool isArray = text.starts_with("[[");
        const std::size_t begin = isArray ? 2 : 1;
        std::string name(trimmed(std::string_view(text).substr(begin, text.find_first_of("]#", begin) - begin)));
        table = isArray ? fmt::format("{}[{}]", name, seen[name]) : name;
        if (isArray)
            ++seen[name];
    }
    if (isHeader(lines[line]))
        return table;
    const std::string key = keyOf(lines[states[line].depth > 0 ? states[line].opened : line]);
    if (table.empty() || key.empty())
        return table + key;
    return table + "." + key;
}

//! toml++ says "Error while parsing decimal integer: expected digit, saw 's'".
std::string describe(std::string_view description)
{
    constexpr std::string_view kPrefix = "Error while parsing ";
    if (description.starts_with(kPrefix))
        return fmt::format("not TOML: in a {}", description.substr(kPrefix.size()));
    return fmt::format("not TOML: {}", description);
}

std::string remedyFor(std::string_view description, std::string_view line)
{
    if (description.find("redefine") != std::string_view::npos)
        return "each name may be given once; put both together";
    if (description.find("expected value") != std::string_view::npos)
        return "write a value behind the = sign, or remove the line";
    const std::size_t equals = line.find('=');
    const std::string value(equals == std::string_view::npos ? std::string_view() : trimmed(line.substr(equals + 1)));
    const std::size_t digits = value.find_first_not_of("0123456789.");
    if (digits != std::string::npos && digits > 0 && std::isalpha(static_cast<unsigned char>(value[digits])))
        return fmt::format("put a value with a unit in quotes: \"{}\"", value);
    if (description.find("utf-8") != std::string_view::npos)
        return "a plan is a text file in UTF-8";
    if (description.find("string") != std::string_view::npos)
        return "close the text with a quote in the same line; a backslash is written \\\\";
    if (description.find("array") != std::string_view::npos ||
        description.find("inline table") != std::string_view::npos)
        return "close every bracket, and put commas between the items; an inline table {…} stays in one line";
    if (description.find("header") != std::string_view::npos)
        return "a heading is [name] or [[name]]";
    return "a line is KEY = VALUE, with text in double quotes";
}

//! Makes the lines that belong to the fault in `line` blank.
void blank(std::vector<std::string>& lines, const std::vector<LineState>& states, std::size_t line)
{
    std::size_t first = line, last = line;
    const bool atEnd = line + 1 >= lines.size();
    if (states[line].depth > 0) {
        const bool startsAnew =
            isHeader(lines[line]) || (!keyOf(lines[line]).empty() && lines[line].find('=') != std::string::npos &&
                                      !std::isspace(static_cast<unsigned char>(lines[line].front())));
        // A bracket was never closed: what follows it is sound, the open item is not.
        if (startsAnew && states[line].opened < line) {
            first = states[line].opened;
            last = line - 1;
        } else if (atEnd) {
            first = states[line].opened;
        }
    } else if (isHeader(lines[line])) {
        // Without its heading the lines below would be taken for those of the table above.
        while (last + 1 < lines.size() && !(states[last + 1].depth == 0 && isHeader(lines[last + 1])))
            ++last;
    }
    bool changed = false;
    for (std::size_t n = first; n <= last; ++n) {
        changed = changed || !trimmed(lines[n]).empty();
        lines[n].clear();
    }
    if (!changed)
        lines[line].clear();
}

} // namespace

ParsedToml parseToml(std::string_view text)
{
    ParsedToml parsed;
    const auto unusable = [&](std::string what, std::string remedy) {
        parsed.usable = false;
        parsed.faults.push_back({{}, 1, 1, std::move(what), std::move(remedy)});
        return std::move(parsed);
    };
    if (text.size() > kMaxPlanBytes)
        return unusable("this is far larger than a plan", "give a TOML file of at most 4 MiB");
    if (text.find('\0') != std::string_view::npos)
        return unusable("this is not a text file", "give a plan: a TOML file in UTF-8");
    std::vector<std::string> lines = linesOf(text);
    while (true) {
        try {
            parsed.root = toml::parse(std::string_view(fmt::format("{}", fmt::join(lines, "\n"))));
            return parsed;
        } catch (const toml::parse_error& error) {
            const auto begin = error.source().begin;
            const std::size_t line = std::min<std::size_t>(std::max<std::size_t>(begin.line, 1), lines.size()) - 1;
            const auto states = scan(lines);
            parsed.faults.push_back({.where = placeOf(lines, states, line),
                                     .line = int(line) + 1,
                                     .column = int(begin.column),
                                     .what = describe(error.description()),
                                     .remedy = remedyFor(error.description(), lines[line])});
            const bool again = parsed.faults.size() > 1 && std::prev(parsed.faults.end(), 2)->line == int(line) + 1;
            if (again)
                parsed.faults.pop_back(); // an empty line cannot be faulty by itself: the rest of an earlier fault
            if (again || parsed.faults.size() >= kMaxSyntaxFaults ||
                error.description().find("utf-8") != std::string_view::npos) {
                parsed.usable = false;
                return parsed;
            }
            blank(lines, states, line);
        }
    }
}

} // namespace dyno
