// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/scripts.h>

#include "workload/script/builtin_scripts.h"
#include "workload/script/data_files.h"
#include "workload/script/script_parser.h"
#include "workload/script/workload_head.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace dyno {

namespace {

//! What a \transaction line can call a file: its name without folder and ending.
std::string sectionName(std::string_view file, std::set<std::string>& taken)
{
    file.remove_prefix(file.rfind('/') == std::string_view::npos ? 0 : file.rfind('/') + 1);
    const std::size_t dot = file.rfind('.');
    std::string name;
    for (const char c : file.substr(0, dot == 0 ? std::string_view::npos : dot).substr(0, 32))
        name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ? c : '_';
    if (name.empty())
        name = "script";
    std::string unique = name;
    for (int more = 2; !taken.insert(unique).second; ++more)
        unique = fmt::format("{}-{}", name, more);
    return unique;
}

tl::unexpected<Error> wrongScript(const ScriptSource& source, const script::Mistake& mistake)
{
    const std::string where =
        mistake.line > 0 ? fmt::format("{}:{}:{}", source.name, mistake.line, mistake.column) : std::string("--define");
    return fail({ErrorKind::BadInput, mistake.what, where, "expected: " + mistake.expected});
}

std::string schemaFor(bool ofPgbench)
{
    return ofPgbench ? "pgbench" : "none";
}

} // namespace

std::pair<std::string, std::int64_t> scriptAndWeight(std::string_view typed)
{
    const std::size_t at = typed.rfind('@');
    if (at == std::string_view::npos)
        return {std::string(typed), 1};
    const std::string_view digits = typed.substr(at + 1);
    std::int64_t weight = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), weight);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || weight < 0 || weight > INT32_MAX)
        return {std::string(typed), 1}; // a name with an @
    return {std::string(typed.substr(0, at)), weight};
}

Expected<ScriptSource> builtinScript(std::string_view name)
{
    std::vector<std::string> fitting;
    for (const std::string& one : script::builtinNames()) {
        if (one.starts_with(name))
            fitting.push_back(one);
    }
    if (fitting.size() != 1 || name.empty())
        return fail({ErrorKind::BadInput, fmt::format("\"{}\" is no built-in script", name), "--builtin",
                     fmt::format("one of: {}", fmt::join(script::builtinNames(), ", "))});
    return ScriptSource{fitting.front(), script::builtinText(fitting.front()), 1, true};
}

std::vector<std::string> scriptFiles(std::string_view text)
{
    std::vector<std::string> names;
    const auto head = script::readHead(text);
    for (const script::HeadFile& file : head&&* head ? (*head)->files : std::vector<script::HeadFile>())
        names.push_back(file.name);
    return names;
}

Settings unfinishedScriptParams(std::string text)
{
    const std::string schema = schemaFor(script::needsPgbenchTables(text));
    return {{kScriptsParam, std::move(text)}, {"schema", schema}};
}

Expected<Settings> scriptParams(const std::vector<ScriptSource>& sources, const std::vector<std::string>& definitions,
                                PlanFiles* inside)
{
    Settings params;
    const std::string define = fmt::format("{}", fmt::join(definitions, "; "));
    if (!define.empty())
        params["define"] = define;
    for (const ScriptSource& source : sources) {
        if (const auto parsed = script::parseScripts(source.text, define); !parsed)
            return wrongScript(source, parsed.error());
        const auto head = script::readHead(source.text);
        const bool hasHead = head && *head;
        if (hasHead && sources.size() > 1)
            return wrongScript(source, {1, 1, "a script with a head beside other scripts",
                                        "it alone, with the others as sections \\transaction NAME in it"});
        if (!hasHead || source.folder.empty() || (*head)->files.empty())
            continue;
        auto files = script::findFiles(**head, source.folder, inside);
        if (!files) {
            files.error().where = fmt::format("{}:{}", source.name, files.error().where);
            return tl::unexpected(files.error());
        }
        params[kFilesParam] = std::move(*files);
    }
    if (sources.empty())
        return params;
    if (sources.size() == 1 && sources.front().builtin) {
        params["builtin"] = sources.front().name;
        return params;
    }
    std::string text;
    bool ofPgbench = false;
    std::set<std::string> taken;
    for (const ScriptSource& source : sources) {
        if (sources.size() > 1)
            text += fmt::format("\\transaction {} {}\n", sectionName(source.name, taken), source.weight);
        text += source.text;
        if (!text.empty() && text.back() != '\n')
            text += '\n';
        ofPgbench = ofPgbench || script::needsPgbenchTables(source.text);
    }
    if (const auto parsed = script::parseScripts(text, define); !parsed)
        return wrongScript({"the scripts together", {}, 1, false}, parsed.error());
    params["scripts"] = text;
    params["schema"] = schemaFor(ofPgbench);
    return params;
}

} // namespace dyno
