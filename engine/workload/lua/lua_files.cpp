// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/lua/lua_files.h"

#include "base/text.h"
#include <dyno/lua_script.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace dyno::lua {

namespace {

constexpr std::string_view kMark = "--@file ";
constexpr const char* kSeed = "rand_seed";

//! What stands on sysbench's command line beside the script's options, and where it stands here.
struct OfSysbench
{
    std::string_view name, here;
};
constexpr const char* kInTarget = "part of the target's URI (--target)";
constexpr const char* kNotHere = "nothing here: remove it";
constexpr std::array<OfSysbench, 32> kOfSysbench{{
    {"threads", "load.users (--users)"},
    {"num_threads", "load.users (--users)"},
    {"time", "load.time (--time)"},
    {"max_time", "load.time (--time)"},
    {"events", "load.events (--events)"},
    {"max_requests", "load.events (--events)"},
    {"rate", "load.rate (--rate)"},
    {"tx_rate", "load.rate (--rate)"},
    {"warmup_time", "load.warmup (--warmup)"},
    {"report_interval", "load.interval (--interval)"},
    {"db_ps_mode", "the parameter db_ps_mode (--param db_ps_mode=disable)"},
    {"mysql_ignore_errors", "the parameter ignore_errors (--param ignore_errors=1213,1205)"},
    {"db_driver", kInTarget},
    {"mysql_db", kInTarget},
    {"mysql_host", kInTarget},
    {"mysql_port", kInTarget},
    {"mysql_socket", kInTarget},
    {"mysql_user", kInTarget},
    {"mysql_password", "in an option file or asked for (--option-file), never in a plan"},
    {"mysql_ssl", kInTarget},
    {"pgsql_db", kInTarget},
    {"pgsql_host", kInTarget},
    {"pgsql_port", kInTarget},
    {"pgsql_user", kInTarget},
    {"pgsql_password", "in an option file or asked for (--option-file), never in a plan"},
    {"histogram", kNotHere},
    {"percentile", kNotHere},
    {"verbosity", kNotHere},
    {"debug", kNotHere},
    {"db_debug", kNotHere},
    {"forced_shutdown", kNotHere},
    {"thread_init_timeout", kNotHere},
}};

bool isFileName(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

//! Of a file that a mark names: the script itself may have any name that a file has.
bool isMarkName(std::string_view text)
{
    return !text.empty() &&
           std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == '/' || c == '\\'; });
}

//! True where the script has this word, whatever its case, with - or _.
bool hasWord(std::string_view script, std::string_view word)
{
    const auto alike = [](char in, char of) { return lowered(in) == of || (in == '-' && of == '_'); };
    const auto isPart = [](char c) { return isFileName({&c, 1}); };
    for (auto rest = script; !rest.empty();) {
        const auto found = std::ranges::search(rest, word, alike);
        if (found.empty())
            return false;
        const auto at = std::size_t(found.begin() - script.begin()), end = at + word.size();
        if ((at == 0 || !isPart(script[at - 1])) && (end == script.size() || !isPart(script[end])))
            return true;
        rest = script.substr(at + 1);
    }
    return false;
}

} // namespace

bool beginsFile(std::string_view line)
{
    return line.starts_with(kMark) && isMarkName(trimmed(line.substr(kMark.size())));
}

std::vector<ScriptFile> filesOf(std::string_view text)
{
    std::vector<ScriptFile> files;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.size(), text.find('\n') + 1 == 0 ? text.size() : text.find('\n') + 1);
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end);
        if (beginsFile(line)) {
            files.push_back({std::string(trimmed(line.substr(kMark.size()))), {}, number + 1});
            continue;
        }
        if (files.empty())
            files.push_back({"script", {}});
        files.back().text += line;
    }
    return files;
}

std::string joined(const std::vector<ScriptFile>& files)
{
    std::string text;
    for (const ScriptFile& file : files) {
        text += fmt::format("{}{}\n", kMark, file.name);
        for (std::string_view rest = file.text; !rest.empty();) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            text += fmt::format("{}{}\n", line.starts_with(kMark) ? " " : "", line); // a comment of the file's own
        }
    }
    return text;
}

bool mayWrite(std::string_view script)
{
    constexpr std::array<std::string_view, 13> kWriting{"insert", "update", "delete", "replace",  "merge",
                                                        "create", "alter",  "drop",   "truncate", "rename",
                                                        "load",   "copy",   "call"};
    return std::ranges::any_of(kWriting, [script](std::string_view word) { return hasWord(script, word); });
}

std::string placeOfOption(std::string_view name)
{
    const auto own = std::ranges::find(kOfSysbench, name, &OfSysbench::name);
    return own == kOfSysbench.end() ? std::string() : fmt::format("here it is {}", own->here);
}

Expected<std::vector<ScriptFile>> optionsOf(std::string_view text, std::string_view script)
{
    constexpr std::string_view kBlanks = " \t\r\n";
    std::vector<ScriptFile> options;
    while (true) {
        text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlanks)));
        if (text.empty())
            break;
        // As a shell reads it: blanks within quotes belong to the value.
        std::string word;
        std::size_t length = 0;
        char quote = 0;
        for (; length < text.size() && (quote != 0 || kBlanks.find(text[length]) == std::string_view::npos); ++length) {
            const char c = text[length];
            if (quote == 0 && (c == '"' || c == '\''))
                quote = c;
            else if (quote == c)
                quote = 0;
            else
                word += c;
        }
        if (quote != 0)
            return fail({ErrorKind::BadInput, fmt::format("a quotation mark is open in \"{}\"", text),
                         "workload.options", "close it"});
        text.remove_prefix(length);
        const std::size_t equals = word.find('=');
        std::string name = word.substr(0, equals);
        name.erase(0, std::min(name.size(), name.find_first_not_of('-')));
        std::ranges::replace(name, '-', '_');
        if (!isFileName(name))
            return fail({ErrorKind::BadInput, fmt::format("\"{}\" is no option", word), "workload.options",
                         "write NAME=VALUE with blanks between them, such as tables=4 table_size=10000"});
        if (std::string place = placeOfOption(name); !place.empty() && !hasWord(script, name))
            return fail({ErrorKind::BadInput, fmt::format("{} is an option of sysbench, and none of the script", name),
                         "workload.options", std::move(place)});
        std::erase_if(options, [&name](const ScriptFile& one) { return one.name == name; }); // the last one holds
        options.push_back({std::move(name), equals == std::string::npos ? "on" : word.substr(equals + 1)});
    }
    const auto given = [&options](const char* name) {
        const auto found = std::ranges::find(options, name, &ScriptFile::name);
        return found == options.end() ? std::nullopt : std::optional(found->text);
    };
    const std::optional<std::string> seed = given(kSeed);
    if (seed && !seedOf(options))
        return fail({ErrorKind::BadInput, fmt::format("rand-seed = {}: a whole number from 1 is expected", *seed),
                     "workload.options", "correct it, or remove it: the numbers come from load.seed (--seed) then"});
    if (seed && given("rand_type") == "zipfian")
        return fail({ErrorKind::BadInput, "with rand-seed there are no zipfian numbers: sysbench 1.0.20 has none",
                     "workload.options", "choose another rand-type, or remove rand-seed"});
    return options;
}

std::optional<std::uint32_t> seedOf(const std::vector<ScriptFile>& options)
{
    const auto found = std::ranges::find(options, kSeed, &ScriptFile::name);
    if (found == options.end())
        return {};
    std::int32_t seed = 0;
    const char* const last = found->text.data() + found->text.size();
    const auto read = std::from_chars(found->text.data(), last, seed);
    return read.ec == std::errc() && read.ptr == last && seed > 0 ? std::optional(std::uint32_t(seed)) : std::nullopt;
}

} // namespace dyno::lua

namespace dyno {

std::vector<std::string> requiredFiles(std::string_view text)
{
    constexpr std::string_view kRequire = "require";
    std::vector<std::string> names;
    for (std::size_t at = text.find(kRequire); at != std::string_view::npos; at = text.find(kRequire, at + 1)) {
        std::string_view rest = text.substr(at + kRequire.size());
        const std::size_t quote = rest.find_first_not_of(" \t(");
        if (quote == std::string_view::npos || (rest[quote] != '"' && rest[quote] != '\''))
            continue;
        const char mark = rest[quote];
        rest.remove_prefix(quote + 1);
        const std::string_view name = rest.substr(0, rest.find(mark));
        if (lua::isFileName(name) && std::ranges::find(names, name) == names.end())
            names.emplace_back(name);
    }
    return names;
}

std::string luaScriptText(const std::vector<LuaSource>& files)
{
    std::vector<lua::ScriptFile> all;
    for (const LuaSource& file : files)
        all.push_back({file.name, file.text});
    return lua::joined(all);
}

} // namespace dyno
