// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/own_workloads.h>

#include "base/text.h"
#include "plan/own_files.h"

#include <dyno/catalog.h>
#include <dyno/script_text.h>
#include <dyno/scripts.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dyno {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorkloadSuffix = ".workload", kHeadFence = "+++";
constexpr OwnFileKind kWorkloadFile{"workload", "choose a script"};
constexpr std::size_t kMostSummary = 120;

fs::path workloadFile(const fs::path& folder, std::string_view name)
{
    return folder / fmt::format("{}{}", name, kWorkloadSuffix);
}

//! Only what names a file directly in the folder.
bool isOwnName(std::string_view name)
{
    return !name.empty() && ownWorkloadName(name) == name;
}

std::string_view lineAt(std::string_view text)
{
    return trimmed(text.substr(0, text.find('\n')));
}

//! Behind the head.
std::string_view scriptOf(std::string_view text)
{
    if (lineAt(text) != kHeadFence)
        return text;
    std::string_view rest = text;
    do
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    while (!rest.empty() && lineAt(rest) != kHeadFence);
    rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    return rest;
}

std::string summaryIn(std::string_view text)
{
    const std::string_view first = lineAt(trimmed(scriptOf(text)));
    if (first.starts_with("--"))
        return std::string(trimmed(first.substr(2)).substr(0, kMostSummary));
    std::string names;
    for (const ScriptSection& section : scriptSections(text))
        names += (names.empty() ? "" : ", ") + section.name;
    return names.substr(0, kMostSummary);
}

std::string faultIn(std::string_view text)
{
    if (trimmed(text).empty())
        return "the file is empty";
    const auto mistake = scriptMistake(text);
    if (!mistake)
        return {};
    return fmt::format("line {}, column {}: {} (expected: {})", mistake->line, mistake->column, mistake->what,
                       mistake->expected);
}

OwnWorkload workloadAt(const fs::path& folder, const std::string& name)
{
    OwnWorkload own;
    own.name = name;
    if (auto text = ownText(workloadFile(folder, name), kWorkloadFile)) {
        own.text = std::move(*text);
        own.summary = summaryIn(own.text);
        own.fault = faultIn(own.text);
    } else {
        own.fault = text.error().message;
    }
    return own;
}

std::vector<std::string> namesIn(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().stem().string();
        if (it->path().extension() == kWorkloadSuffix && isOwnName(name) && !findWorkload(name))
            names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

//! With the values of variables in its head, as a TOML text.
Expected<std::string> withDefinitionsInHead(std::string_view text, std::string_view definitions)
{
    if (trimmed(definitions).empty())
        return std::string(text);
    if (definitions.find_first_of("'\r\n") != std::string_view::npos)
        return fail({ErrorKind::BadInput,
                     "values of variables with an apostrophe or a line break have no place in a file", "define",
                     "write such a value into the script itself"});
    const std::string line = fmt::format("define = '{}'\n", definitions);
    if (lineAt(text) != kHeadFence)
        return fmt::format("{0}\n{1}{0}\n{2}", kHeadFence, line, text);
    const std::size_t begin = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string both = fmt::format("{}{}{}", text.substr(0, begin), line, text.substr(begin));
    if (const auto mistake = scriptMistake(both); mistake && !scriptMistake(text, definitions))
        return fail({ErrorKind::BadInput, "the head of the script gives variables their values already", "define",
                     "write all values into the head, and none beside it"});
    return both;
}

Expected<std::string> writeNew(const fs::path& folder, const std::string& name, std::string_view text, bool replace)
{
    std::error_code ignored;
    if (findWorkload(name))
        return fail({ErrorKind::BadInput,
                     fmt::format("\"{}\" is the name of a built-in workload", name),
                     {},
                     "choose another name"});
    if (!replace && fs::exists(workloadFile(folder, name), ignored))
        return fail({ErrorKind::BadInput,
                     fmt::format("there is a workload \"{}\" already", name),
                     {},
                     "choose another name, or remove that one first"});
    if (const std::string fault = faultIn(text); !fault.empty())
        return fail({ErrorKind::BadInput, fmt::format("the script cannot run: {}", fault), {}, "correct it first"});
    if (const auto written = writeOwnText(workloadFile(folder, name), text); !written)
        return fail(written.error());
    return name;
}

} // namespace

fs::path workloadsFolder(const fs::path& library)
{
    fs::path folder = library;
    return folder.replace_extension("workloads");
}

std::vector<OwnWorkload> ownWorkloads(const fs::path& folder)
{
    std::vector<OwnWorkload> all;
    for (const std::string& name : namesIn(folder))
        all.push_back(workloadAt(folder, name));
    return all;
}

Expected<OwnWorkload> ownWorkload(const fs::path& folder, std::string_view name)
{
    const std::vector<std::string> names = namesIn(folder);
    if (std::ranges::find(names, name) != names.end())
        return workloadAt(folder, std::string(name));
    const std::string likely = likelyName(name, names);
    return fail({ErrorKind::BadInput,
                 fmt::format("there is no workload \"{}\"", name),
                 {},
                 likely.empty() ? "`dyno workloads` lists them" : fmt::format("did you mean \"{}\"?", likely)});
}

Expected<std::string> saveWorkload(const fs::path& folder, std::string_view called, std::string_view text,
                                   std::string_view definitions, bool replace)
{
    const auto whole = withDefinitionsInHead(text, definitions);
    return whole ? writeNew(folder, ownWorkloadName(called), *whole, replace) : whole;
}

Expected<std::string> addWorkload(const fs::path& folder, const fs::path& file)
{
    const auto text = ownText(file, kWorkloadFile);
    return text ? writeNew(folder, ownWorkloadName(file.stem().string()), *text, false) : text;
}

Expected<std::string> removeWorkload(const fs::path& folder, std::string_view name)
{
    const auto own = ownWorkload(folder, name);
    if (!own)
        return fail(own.error());
    std::error_code error;
    if (!fs::remove(workloadFile(folder, name), error))
        return fail(ownFileError(workloadFile(folder, name), "the workload was not deleted: " + error.message()));
    return own->text;
}

Expected<void> restoreWorkload(const fs::path& folder, std::string_view name, std::string_view text)
{
    std::error_code ignored;
    if (!isOwnName(name) || fs::exists(workloadFile(folder, name), ignored))
        return fail({ErrorKind::BadInput, fmt::format("there is a workload \"{}\" by now", name), {}, {}});
    return writeOwnText(workloadFile(folder, name), text);
}

std::string ownWorkloadName(std::string_view called)
{
    return ownName(called, "workload");
}

Expected<Settings> paramsOf(const OwnWorkload& workload)
{
    return scriptParams({{workload.name, workload.text}}, {});
}

} // namespace dyno
