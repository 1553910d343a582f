// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno rename | tag | note | annotate | archive | delete ID … | library …: what keeps a library in order.
#include "cli/console.h"
#include "cli/listing_json.h"
#include "cli/session_source.h"
#include "core/session_text.h"
#include "core/text_table.h"

#include <dyno/file_kind.h>
#include <dyno/plan.h>
#include <dyno/servers.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>

namespace dyno::cli {

namespace {

struct CareOptions
{
    std::string library, id, text, file, at;
    std::vector<std::string> names; //!< of a command that takes several; else `id`
    int run = 1;
    std::int64_t annotation = -1;
    bool undo = false, list = false, json = false;
};

//! Opens the library for writing; nothing, after saying so, when there is none.
std::unique_ptr<Library> writable(const CareOptions& options, int& code, Library::Mode mode = Library::Mode::ReadWrite)
{
    auto opened = openLibrary(options.library, mode);
    if (!opened) {
        code = report(opened.error());
        return nullptr;
    }
    if (!*opened)
        code = badInput("there is no library yet", "run something first, or name one with --library");
    return std::move(*opened);
}

//! Ids of what was named; of removed sessions too when `removed` is set.
Expected<std::vector<std::string>> idsOf(Library& library, const CareOptions& options, bool removed = false)
{
    std::vector<std::string> ids;
    for (const std::string& name : options.names.empty() ? std::vector{options.id} : options.names) {
        auto id = library.resolveId(name);
        if (!id && removed) {
            const auto gone = library.removed();
            if (!gone)
                return fail(gone.error());
            const auto starts = [&name](const SessionInfo& info) { return info.id.starts_with(name); };
            if (name.size() >= 4 && std::ranges::count_if(*gone, starts) == 1)
                id = std::ranges::find_if(*gone, starts)->id;
        }
        if (!id) {
            Error error = id.error();
            error.kind = ErrorKind::BadInput;
            return fail(std::move(error));
        }
        ids.push_back(*id);
    }
    return ids;
}

//! Does `change` with each of the named sessions.
int changeEach(const CareOptions& options, const std::function<Expected<void>(Library&, const std::string&)>& change,
               bool removed = false)
{
    int code = kDone;
    const auto library = writable(options, code);
    if (!library)
        return code;
    const auto ids = idsOf(*library, options, removed);
    if (!ids)
        return report(ids.error());
    for (const std::string& id : *ids) {
        if (const auto done = change(*library, id); !done)
            return report(done.error());
    }
    return kDone;
}

int setTags(const CareOptions& options)
{
    const std::vector<std::string> tags = tagsIn(options.text);
    return changeEach(options, [&tags](Library& library, const std::string& id) { return library.setTags(id, tags); });
}

//! "-" is standard input.
int setNotes(const CareOptions& options)
{
    std::string text = options.text;
    if (!options.file.empty()) {
        std::ifstream stream;
        if (options.file != "-" && isDynoFile(options.file))
            return badInput("this file holds sessions, not a note: " + options.file, "give a file of text");
        if (options.file != "-")
            stream.open(options.file, std::ios::binary);
        std::istream& in = options.file == "-" ? std::cin : stream;
        if (!in)
            return badInput("the file cannot be read: " + options.file, "check its name and permissions");
        text.assign(std::istreambuf_iterator<char>(in), {});
    }
    return changeEach(options, [&text](Library& library, const std::string& id) { return library.setNotes(id, text); });
}

int annotate(const CareOptions& options)
{
    int code = kDone;
    const auto library = writable(options, code, options.list ? Library::Mode::ReadOnly : Library::Mode::ReadWrite);
    if (!library)
        return code;
    const auto ids = idsOf(*library, options);
    if (!ids)
        return report(ids.error());
    const std::string& id = ids->front();
    if (options.annotation >= 0) {
        const auto done = library->removeAnnotation(id, options.annotation);
        return done ? int(kDone) : report(done.error());
    }
    const auto session = library->session(id);
    if (!session)
        return report(session.error());
    if (options.list) {
        const auto all = library->annotations(id);
        if (!all)
            return report(all.error());
        TextTable table({">id", ">run", ">at s", "written", "text"});
        for (const Annotation& one : *all) {
            const auto run = std::ranges::find(session->runs, one.run, &StoredRun::id);
            table.add({std::to_string(one.id), run == session->runs.end() ? "" : std::to_string(run->header.index + 1),
                       fmt::format("{:.1f}", double(one.tNs) * 1e-9), dateText(one.createdMs), one.text});
        }
        print(table.text());
        return kDone;
    }
    const auto seconds = parseSeconds(options.at);
    if (!seconds || options.text.empty())
        return badInput(options.text.empty() ? "there is nothing to write"
                                             : fmt::format("\"{}\" is not a time", options.at),
                        "`dyno annotate last --run 2 --at 12s \"checkpoint\"`");
    const auto isRun = [&options](const StoredRun& run) { return run.header.index + 1 == options.run; };
    const auto run = std::ranges::find_if(session->runs, isRun);
    if (run == session->runs.end())
        return badInput(fmt::format("there is no run {}", options.run),
                        fmt::format("the session has runs 1 to {}", session->runs.size()));
    const auto made = library->annotate(run->id, std::llround(*seconds * 1e9), options.text);
    return made ? int(kDone) : report(made.error());
}

int checkLibrary(const CareOptions& options)
{
    int code = kDone;
    const auto library = writable(options, code, Library::Mode::ReadOnly);
    if (!library)
        return code;
    const auto check = library->check();
    if (!check)
        return report(check.error());
    if (options.json) {
        printDocument(libraryCheckJson(options.library.empty() ? defaultLibrary().string() : options.library, *check));
        return check->problems.empty() ? kDone : kFailed;
    }
    print(fmt::format("{}, {}, {}\n", countedText(std::size_t(check->sessions), "session", "sessions"),
                      countedText(std::size_t(check->runs), "run", "runs"), bytesText(double(check->bytes))));
    if (check->unsealed > 0)
        print(fmt::format("not sealed: {} (sessions of older versions; a changed figure in them would go unnoticed)\n",
                          check->unsealed));
    if (check->problems.empty()) {
        print("nothing is wrong\n");
        return kDone;
    }
    for (const std::string& problem : check->problems)
        print("problem: " + problem + "\n");
    return report({ErrorKind::Storage, fmt::format("problems were found: {}", check->problems.size()), options.library,
                   "restore a backup, or export intact sessions with `dyno export ID --out FILE.dyno`"});
}

//! Whatever becomes of the library: what killed sessions left belongs to nobody.
void freeLeftSpace()
{
    const LeftSpace freed = removeLeftSpace();
    if (freed.files > 0 || freed.folders > 0)
        say(fmt::format("left by ended sessions and removed: {}, {}, {}",
                        countedText(std::size_t(freed.files), "file", "files"),
                        countedText(std::size_t(freed.folders), "server folder", "server folders"),
                        bytesText(double(freed.bytes))));
    if (freed.templates > 0)
        say(fmt::format("data folders for new servers, made again when needed, removed: {}, {}", freed.templates,
                        bytesText(double(freed.templateBytes))));
}

int vacuumLibrary(const CareOptions& options)
{
    freeLeftSpace();
    int code = kDone;
    const auto library = writable(options, code);
    if (!library)
        return code;
    const std::filesystem::path file =
        options.library.empty() ? defaultLibrary() : std::filesystem::path(options.library);
    std::error_code ignored;
    const auto before = std::filesystem::file_size(file, ignored);
    if (const auto done = library->vacuum(); !done)
        return report(done.error());
    say(fmt::format("{} before, {} now", bytesText(double(before)),
                    bytesText(double(std::filesystem::file_size(file, ignored)))));
    if (const auto removed = library->removed(); removed && !removed->empty())
        say(fmt::format("deleted sessions that can still be brought back: {}", removed->size()));
    return kDone;
}

int backUp(const CareOptions& options)
{
    int code = kDone;
    const auto library = writable(options, code, Library::Mode::ReadOnly);
    if (!library)
        return code;
    if (const auto done = library->backUp(options.file); !done)
        return report(done.error());
    say("written: " + options.file);
    return kDone;
}

int moveIt(const CareOptions& options)
{
    const auto moved =
        moveLibrary(options.library.empty() ? defaultLibrary() : std::filesystem::path(options.library), options.file);
    if (!moved)
        return report(moved.error());
    say("the library is now " + moved->string());
    return kDone;
}

void addLibrarySubcommands(CLI::App& app, ExitCode code)
{
    CLI::App* group = app.add_subcommand("library", "Check, shrink, copy or move the whole library");
    group->require_subcommand(1);
    const auto add = [&](const char* name, const char* what, int (*run)(const CareOptions&),
                         const char* file = nullptr) {
        auto options = std::make_shared<CareOptions>();
        CLI::App* command = group->add_subcommand(name, what);
        if (file)
            command->add_option(file, options->file)->required();
        command->add_option("--library", options->library, "the library (the user's own)");
        if (run == checkLibrary)
            command->add_flag("--json", options->json, "print one JSON document");
        command->callback([&code, options, run] { code = run(*options); });
    };
    add("check", "Read everything and say what is damaged", checkLibrary);
    add("vacuum",
        "Pack older sessions, forget what was deleted more than 30 days ago, remove what killed sessions left, and "
        "give the "
        "room back to the disk",
        vacuumLibrary);
    add("backup", "Write a copy to a new file; others may go on writing meanwhile", backUp, "FILE");
    add("move", "Move it to another folder; a link stays at the old place", moveIt, "FOLDER");
}

} // namespace

void addLibraryCommands(CLI::App& app, ExitCode code)
{
    const auto command = [&](const char* name, const char* what, bool several = false) {
        auto options = std::make_shared<CareOptions>();
        CLI::App* made = app.add_subcommand(name, what);
        constexpr const char* kWhat = "an id, its first letters, or \"last\"";
        if (several)
            made->add_option("ID", options->names, kWhat)->required();
        else
            made->add_option("ID", options->id, kWhat)->required();
        made->add_option("--library", options->library, "the library (the user's own)");
        return std::pair(made, options);
    };
    {
        auto [made, options] = command("rename", "Give a session another title");
        made->add_option("TITLE", options->text)->required();
        made->callback([&code, options = options] {
            code = changeEach(
                *options, [&](Library& library, const std::string& id) { return library.rename(id, options->text); });
        });
    }
    {
        auto [made, options] = command("tag", "Set the tags of a session");
        made->add_option("TAGS", options->text, "separated by commas; \"\" for none")->required();
        made->callback([&code, options = options] { code = setTags(*options); });
    }
    {
        auto [made, options] = command("note", "Write the notes of a session, in Markdown");
        made->add_option("TEXT", options->text);
        made->add_option("--file", options->file, "read them from there; - is standard input");
        made->callback([&code, options = options] { code = setNotes(*options); });
    }
    {
        auto [made, options] = command("annotate", "Write something onto the time axis of a run");
        made->add_option("TEXT", options->text);
        made->add_option("--run", options->run, "the number of the run (1)")->check(CLI::PositiveNumber);
        made->add_option("--at", options->at, "when, from the start of the run: 12s, 1500ms");
        made->add_flag("--list", options->list, "show what is there");
        made->add_option("--remove", options->annotation, "the id of one to take away")->check(CLI::NonNegativeNumber);
        made->callback([&code, options = options] { code = annotate(*options); });
    }
    {
        auto [made, options] =
            command("archive", "Keep sessions out of the list; `dyno sessions is:archived` shows them", true);
        made->add_flag("--undo", options->undo, "put them back into the list");
        made->callback([&code, options = options] {
            code = changeEach(*options, [&](Library& library, const std::string& id) {
                return library.setArchived(id, !options->undo);
            });
        });
    }
    {
        auto [made, options] = command("delete", "Delete sessions; for 30 days --undo brings them back", true);
        made->add_flag("--undo", options->undo, "bring them back");
        made->callback([&code, options = options] {
            code = changeEach(
                *options,
                [&](Library& library, const std::string& id) {
                    return options->undo ? library.restore(id) : library.remove(id);
                },
                options->undo);
        });
    }
    addLibrarySubcommands(app, code);
}

} // namespace dyno::cli
