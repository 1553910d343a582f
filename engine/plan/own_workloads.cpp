// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/own_workloads.h>

#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"
#include "plan/own_files.h"
#include "workload/script/data_files.h"

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
constexpr OwnFileKind kDataFile{"file of a workload of your own", "run the workload by the name of its file"};
constexpr std::size_t kMostSummary = 120, kMostFiles = 1000;

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
        return std::string(wholeCharacters(trimmed(first.substr(2)), kMostSummary));
    std::string names;
    for (const ScriptSection& section : scriptSections(text))
        names += (names.empty() ? "" : ", ") + section.name;
    return std::string(wholeCharacters(names, kMostSummary));
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
    if (!isOwnName(name) || findWorkload(name)) {
        own.fault =
            fmt::format("a workload of your own cannot have this name: rename its file, {}{}", name, kWorkloadSuffix);
        return own;
    }
    if (auto text = ownText(workloadFile(folder, name), kWorkloadFile)) {
        own.text = std::move(*text);
        own.summary = summaryIn(own.text);
        own.fault = faultIn(own.text);
        if (!own.fault.empty())
            return own;
        auto params = scriptParams({{name, own.text, 1, false, folder}}, {});
        if (params)
            own.params = std::move(*params);
        else
            own.fault = fmt::format("{} ({})", params.error().message, params.error().remedy);
    } else {
        own.fault = text.error().message;
    }
    return own;
}

std::vector<std::string> filesIn(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (it->path().extension() == kWorkloadSuffix)
            names.push_back(it->path().stem().string());
    }
    std::ranges::sort(names);
    names.resize(std::min(names.size(), kMostFiles));
    return names;
}

tl::unexpected<Error> noSuchWorkload(const std::vector<std::string>& names, std::string_view name)
{
    const std::string likely = likelyName(name, names);
    return fail({ErrorKind::BadInput,
                 fmt::format("there is no workload \"{}\"", name),
                 {},
                 likely.empty() ? "`dyno workloads` lists them" : fmt::format("did you mean \"{}\"?", likely)});
}

//! With the values of variables in its head, as a TOML text.
Expected<std::string> withDefinitionsInHead(std::string_view text, std::string_view definitions)
{
    if (trimmed(definitions).empty())
        return std::string(text);
    if (definitions.find_first_of("'\r\n") != std::string_view::npos)
        return fail({ErrorKind::BadInput,
                     "a variable's value contains an apostrophe or a line break, which a workload file cannot hold",
                     "define", "write such a value into the script itself"});
    const std::string line = fmt::format("define = '{}'\n", definitions);
    if (lineAt(text) != kHeadFence)
        return fmt::format("{0}\n{1}{0}\n{2}", kHeadFence, line, text);
    const std::size_t begin = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string both = fmt::format("{}{}{}", text.substr(0, begin), line, text.substr(begin));
    if (const auto mistake = scriptMistake(both); mistake && !scriptMistake(text, definitions))
        return fail(
            {ErrorKind::BadInput,
             fmt::format("the values of the variables cannot be put into the head of the script: {}", mistake->what),
             "define", "write all values into the line define of the head, and none beside it"});
    return both;
}

//! A file that a head names, and what is in it.
struct DataCopy
{
    fs::path place;
    std::string text;
};

Expected<std::string> contentOf(const script::FileEntry& entry)
{
    if (!entry.path.empty())
        return ownText(entry.path, kDataFile);
    if (const auto inside = PackedFile::find(entry.sha256))
        return inside->content();
    return fail({ErrorKind::BadInput,
                 fmt::format("the plan does not have the content of {}", entry.name),
                 {},
                 "name the .workload file again"});
}

//! Of the script's files, those that are not in the folder yet. `entries`: where they lie, where that is known.
Expected<std::vector<DataCopy>> copiesOf(const fs::path& folder, std::string_view text,
                                         const script::FileEntries& entries)
{
    std::vector<DataCopy> copies;
    std::error_code ignored;
    for (const std::string& name : scriptFiles(text)) {
        const script::FileEntry* const entry = script::entryOf(entries, name);
        const fs::path place = folder / name;
        const bool there = fs::exists(place, ignored);
        if (!entry || (there && !entry->path.empty() && fs::equivalent(entry->path, place, ignored)))
            continue;
        auto content = contentOf(*entry);
        if (!content)
            return fail(content.error());
        if (!entry->sha256.empty() && sha256Of(*content) != entry->sha256)
            return fail({ErrorKind::BadInput, "the file is no longer the one that the plan was made with", entry->path,
                         "name the .workload file again"});
        const auto known = there ? ownText(place, kDataFile) : Expected<std::string>();
        if (!known)
            return fail(known.error());
        if (there && *known != *content)
            return fail({ErrorKind::BadInput,
                         fmt::format("a file \"{}\" with other content lies beside your workloads", name),
                         place.string(), "give the file another name here and in the head"});
        if (!there)
            copies.push_back({place, std::move(*content)});
    }
    return copies;
}

//! With the files that its head names.
Expected<std::string> writeNew(const fs::path& folder, const std::string& name, std::string_view text, bool replace,
                               const std::vector<DataCopy>& copies)
{
    std::error_code ignored;
    if (findWorkload(name))
        return fail({ErrorKind::BadInput,
                     fmt::format("\"{}\" is the name of a built-in workload", name),
                     {},
                     "give it another name"});
    if (!replace && fs::exists(workloadFile(folder, name), ignored))
        return fail({ErrorKind::BadInput,
                     fmt::format("a workload \"{}\" already exists", name),
                     {},
                     "choose another name, or remove that one first"});
    if (fs::exists(workloadFile(folder, name), ignored)) { // an undo has to bring it back
        if (auto before = ownText(workloadFile(folder, name), kWorkloadFile); !before)
            return before;
    }
    if (const std::string fault = faultIn(text); !fault.empty())
        return fail({ErrorKind::BadInput, fmt::format("the script cannot run: {}", fault), {}, "correct it first"});
    for (const DataCopy& copy : copies) {
        if (const auto written = writeOwnText(copy.place, copy.text); !written)
            return fail(written.error());
    }
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
    for (const std::string& name : filesIn(folder))
        all.push_back(workloadAt(folder, name));
    return all;
}

Expected<OwnWorkload> ownWorkload(const fs::path& folder, std::string_view name)
{
    std::error_code ignored;
    if (isOwnName(name) && !findWorkload(name) && fs::exists(workloadFile(folder, name), ignored))
        return workloadAt(folder, std::string(name));
    return noSuchWorkload(filesIn(folder), name);
}

Expected<std::string> saveWorkload(const fs::path& folder, std::string_view called, std::string_view text,
                                   std::string_view definitions, bool replace, std::string_view files)
{
    auto whole = withDefinitionsInHead(text, definitions);
    if (!whole)
        return whole;
    if (!whole->ends_with('\n'))
        *whole += '\n'; // as a plan that names it has it
    const auto copies = copiesOf(folder, *whole, script::readFileEntries(files).value_or(script::FileEntries()));
    if (!copies)
        return fail(copies.error());
    return writeNew(folder, ownWorkloadName(called), *whole, replace, *copies);
}

Expected<std::string> addWorkload(const fs::path& folder, const fs::path& file)
{
    const auto text = ownText(file, kWorkloadFile);
    if (!text)
        return text;
    std::error_code ignored;
    const fs::path beside = fs::absolute(file, ignored).parent_path();
    const auto params = scriptParams({{file.string(), *text, 1, false, beside}}, {}); // looks at its files
    if (!params && !scriptFiles(*text).empty())
        return fail(params.error());
    const std::string files = params ? textOf(*params, kFilesParam) : std::string();
    const auto copies = copiesOf(folder, *text, script::readFileEntries(files).value_or(script::FileEntries()));
    if (!copies)
        return fail(copies.error());
    return writeNew(folder, ownWorkloadName(file.stem().string()), *text, false, *copies);
}

Expected<std::string> removeWorkload(const fs::path& folder, std::string_view name)
{
    const std::vector<std::string> names = filesIn(folder); // also those that cannot be run under their names
    if (std::ranges::find(names, name) == names.end())
        return findWorkload(name) ? fail({ErrorKind::BadInput,
                                          fmt::format("\"{}\" is built in and cannot be removed", name),
                                          {},
                                          "`dyno workloads` lists yours at its end"})
                                  : noSuchWorkload(names, name);
    auto text = ownText(workloadFile(folder, name), kWorkloadFile);
    std::error_code error;
    if (text && !fs::remove(workloadFile(folder, name), error))
        return fail(ownFileError(workloadFile(folder, name), "the workload was not deleted: " + error.message()));
    return text;
}

Expected<void> restoreWorkload(const fs::path& folder, std::string_view name, std::string_view text, bool replace)
{
    const fs::path file = workloadFile(folder, name);
    std::error_code ignored;
    if (name.empty() || name == "." || name == ".." || file.parent_path() != folder ||
        (!replace && fs::exists(file, ignored)))
        return fail({ErrorKind::BadInput, fmt::format("a workload \"{}\" already exists", name), {}, {}});
    return writeOwnText(file, text);
}

std::string ownWorkloadName(std::string_view called)
{
    return ownName(called, "workload");
}

} // namespace dyno
