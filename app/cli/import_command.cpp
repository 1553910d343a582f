// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno import FILE…: sessions of .dyno files, and results of other tools.
#include "cli/import_command.h"

#include "core/text_table.h"

#include <dyno/file_kind.h>
#include <dyno/import.h>
#include <dyno/visible_text.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace dyno::cli {

namespace {

struct Options
{
    std::vector<std::string> files, map;
    std::string library, format, title;
    int users = 0;
    bool json = false, dryRun = false, together = false;
};

//! "run.log: 12 %" while it reads; only for a person.
ImportCallback progressOf(const std::string& file)
{
    const bool shown = ::isatty(STDERR_FILENO) == 1;
    return [shown, file, last = -1](const ImportProgress& progress) mutable {
        const int percent = progress.total > 0 ? int(100 * progress.done / progress.total) : 0;
        if (shown && percent != last && percent < 100) {
            last = percent;
            tell(fmt::format("\r{}: {} %\x1b[K", shortened(visibleText(file), 60), percent));
        }
        return !interrupted();
    };
}

void endProgress()
{
    if (::isatty(STDERR_FILENO) == 1)
        tell("\r\x1b[K");
}

std::string known(bool told, double value)
{
    return told && std::isfinite(value) ? figure(value) : "–";
}

//! What was understood, for a person.
std::string previewText(const ImportPreview& preview)
{
    const ImportOrigin& origin = preview.origin;
    std::string out = fmt::format("{}\nformat    {} ({})\ntool      {}\n", preview.title, origin.format, origin.reason,
                                  origin.software());
    out += fmt::format("latency   {}{}{}{}{}\nwarm-up   {}\n", origin.latency, origin.sample.empty() ? "" : ", of ",
                       origin.sample, origin.precision.empty() ? "" : "; ", origin.precision,
                       origin.warmup.empty() ? "not told" : origin.warmup);
    if (!preview.map.empty()) {
        out += "columns  ";
        for (const auto& [role, column] : preview.map)
            out += fmt::format(" {}={}", role, column);
        out += "\n";
    }
    TextTable table({"run", ">users", ">seconds", ">intervals", ">transactions", ">tps", ">qps", ">mean ms", ">p95 ms",
                     ">p99 ms", ">max ms", "status"});
    for (const ImportedRun& run : preview.runs) {
        const RunSummary& s = run.summary;
        const bool response = s.tells("response_mean") || s.tells("response_p95") || s.tells("response_max");
        const LatencySummary& latency = response ? s.response : s.service;
        table.add({run.label.empty() ? "–" : run.label, run.users > 0 ? fmt::format("{}", run.users) : "–",
                   known(s.seconds > 0, s.seconds),
                   fmt::format("{}{}", run.intervals,
                               run.folded > 1 ? fmt::format(" (each {} of the file's)", run.folded) : ""),
                   s.tells("transactions") ? fmt::format("{}", s.transactions) : "–", known(s.tells("tps"), s.tps),
                   known(s.tells("qps"), s.qps), known(true, latency.meanMs), known(true, latency.p95Ms),
                   known(true, latency.p99Ms), known(true, latency.maxMs), toText(s.status)});
        constexpr std::size_t kMostRows = 30;
        if (&run - preview.runs.data() + 1 == kMostRows && preview.runs.size() > kMostRows) {
            table.add({"… " + countedText(preview.runs.size() - kMostRows, "more run", "more runs")});
            break;
        }
    }
    out += "\n" + table.text();
    if (origin.unknownLines > 0) {
        out += fmt::format("\n{} of {} not understood (the original is kept):\n", origin.unknownLines,
                           countedText(origin.lines, "line", "lines"));
        constexpr std::size_t kMostLines = 10;
        for (std::size_t i = 0; i < std::min(kMostLines, origin.unknown.size()); ++i)
            out += fmt::format("  {}:{}: {}\n", origin.unknown[i].file, origin.unknown[i].line, origin.unknown[i].text);
    }
    for (const std::string& note : origin.notes)
        out += fmt::format("note: {}\n", note);
    return out;
}

using Json = nlohmann::ordered_json;

Json number(bool told, double value)
{
    return told && std::isfinite(value) ? Json(value) : Json();
}

Json latencyJson(const LatencySummary& l)
{
    return {{"mean", number(true, l.meanMs)}, {"p50", number(true, l.p50Ms)}, {"p90", number(true, l.p90Ms)},
            {"p95", number(true, l.p95Ms)},   {"p99", number(true, l.p99Ms)}, {"p999", number(true, l.p999Ms)},
            {"max", number(true, l.maxMs)}};
}

Json runJson(const std::string& label, int users, const RunSummary& s)
{
    return {{"label", label},
            {"users", users > 0 ? Json(users) : Json()},
            {"status", toText(s.status)},
            {"reason", s.reason},
            {"seconds", number(s.seconds > 0, s.seconds)},
            {"transactions", s.tells("transactions") ? Json(s.transactions) : Json()},
            {"tps", number(s.tells("tps"), s.tps)},
            {"qps", number(s.tells("qps"), s.qps)},
            {"service_ms", latencyJson(s.service)},
            {"response_ms", latencyJson(s.response)}};
}

//! Names that are no UTF-8 do not spoil the document.
std::string textOf(const Json& json)
{
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

//! One document a session; what is not told is null.
std::string previewJson(const ImportPreview& preview, const std::string& session)
{
    const ImportOrigin& o = preview.origin;
    Json runs = Json::array(), unknown = Json::array();
    for (const ImportedRun& run : preview.runs) {
        Json one = runJson(run.label, run.users, run.summary);
        one["intervals"] = run.intervals;
        one["folded"] = run.folded;
        runs.push_back(std::move(one));
    }
    for (const UnknownLine& line : o.unknown)
        unknown.push_back({{"file", line.file}, {"line", line.line}, {"text", line.text}});
    return textOf({{"session", session.empty() ? Json() : Json(session)},
                   {"title", preview.title},
                   {"format", o.format},
                   {"reason", o.reason},
                   {"tool", o.tool},
                   {"version", o.version},
                   {"sample", o.sample},
                   {"latency", o.latency},
                   {"precision", o.precision},
                   {"warmup", o.warmup},
                   {"lines", o.lines},
                   {"unknown_lines", o.unknownLines},
                   {"unknown", unknown},
                   {"notes", o.notes},
                   {"runs", runs}});
}

//! A session of a .dyno file, with the fields that it has in common with an import of others. `leftAsItWas`: that of
//! the library; none on a dry run. `damaged`: phrases for what came damaged.
std::string ourJson(const StoredSession& session, const std::string& title, std::optional<bool> leftAsItWas,
                    const std::vector<std::string>& damaged)
{
    Json runs = Json::array();
    for (const StoredRun& run : session.runs) {
        const auto index = static_cast<std::size_t>(run.header.point);
        const bool known = index < session.header.points.size();
        const auto users = known ? session.header.points[index].load.users : std::vector<int>();
        runs.push_back(runJson(known ? session.header.points[index].label() : std::string(),
                               users.empty() ? 0 : users.front(), run.summary));
    }
    return textOf({{"session", session.info.id},
                   {"title", title},
                   {"format", "dyno"},
                   {"tool", session.header.software},
                   {"status", toText(session.info.status)},
                   {"left_as_it_was", leftAsItWas ? Json(*leftAsItWas) : Json()},
                   {"damaged", damaged},
                   {"runs", runs}});
}

//! A library or a .dyno file. On a dry run its sessions are only listed.
Expected<void> importSessions(const std::string& file, const std::filesystem::path& path, const Options& flags)
{
    const auto bad = [&file](Error error) { // whatever is wrong with the file
        error.kind = ErrorKind::BadInput;
        error.where = error.where.empty() ? file : error.where;
        return fail(std::move(error));
    };
    auto source = Library::open(file, Library::Mode::ReadOnly);
    if (!source)
        return bad(source.error());
    const auto sessions = (*source)->sessions(Library::Listing::All);
    if (!sessions)
        return bad(sessions.error());
    if (!flags.title.empty() && sessions->size() != 1) {
        return fail({ErrorKind::BadInput,
                     fmt::format("--title is for one session, and the file has {}", sessions->size()), file,
                     "import it without --title, then say dyno rename"});
    }
    std::unique_ptr<Library> library;
    std::vector<std::string> left;
    Library::DamagedParts damaged;
    if (!flags.dryRun) {
        auto opened = Library::open(path, Library::Mode::ReadWrite);
        if (!opened)
            return fail(opened.error());
        library = std::move(*opened);
        const auto ids = library->importFile(file, &left, &damaged);
        if (!ids)
            return bad(ids.error());
        if (!flags.title.empty()) {
            if (auto renamed = library->rename(ids->front(), flags.title); !renamed)
                return fail(renamed.error());
        }
    }
    for (auto info = sessions->rbegin(); info != sessions->rend(); ++info) { // oldest first, as they were added
        const std::string title = flags.title.empty() ? info->title : flags.title;
        const bool leftAsItWas = std::ranges::find(left, info->id) != left.end();
        if (leftAsItWas)
            say(fmt::format("{} is in the library already and was left as it is{}", info->id,
                            flags.title.empty() ? "" : ", except for its title"));
        const std::vector<std::string>& parts = damaged[info->id];
        if (!parts.empty())
            say(fmt::format(
                "{}: imported, but damaged: {}; a whole copy of the file takes its place when it is imported", info->id,
                fmt::join(parts, "; ")));
        if (flags.json) {
            const auto session = (*source)->session(info->id);
            if (!session)
                return bad(session.error());
            printDocument(ourJson(*session, title, flags.dryRun ? std::nullopt : std::optional(leftAsItWas),
                                  flags.dryRun ? session->damage : parts));
        } else {
            print(flags.dryRun
                      ? fmt::format("{}  {} ({} of {}, {})\n", info->id, title, info->runsDone,
                                    countedText(std::size_t(info->runsPlanned), "run", "runs"), toText(info->status))
                      : info->id + "\n");
        }
    }
    return {};
}

int importOurs(const std::string& file, const std::filesystem::path& path, const Options& flags)
{
    const auto imported = importSessions(file, path, flags);
    return imported ? kDone : report(imported.error());
}

int importOthers(const std::vector<std::filesystem::path>& files, const ImportOptions& options, const Options& flags,
                 const std::filesystem::path& library)
{
    const ImportCallback progress = progressOf(files.front().filename().string());
    if (flags.dryRun) {
        const auto preview = previewImport(files, options, progress);
        endProgress();
        if (!preview)
            return report(preview.error());
        if (flags.json)
            printDocument(previewJson(*preview, {}));
        else
            print(previewText(*preview));
        return kDone;
    }
    const auto result = importResults(library, files, options, progress);
    endProgress();
    if (!result)
        return report(result.error());
    if (flags.json) {
        printDocument(previewJson(result->preview, result->session));
    } else {
        print(result->session + "\n");
        say(previewText(result->preview));
    }
    return kDone;
}

//! The map: "role=column" each, or files of them.
Expected<ImportMap> mapOf(const std::vector<std::string>& assignments)
{
    ImportMap map;
    for (const std::string& one : assignments) {
        if (one.find('=') == std::string::npos) {
            auto file = readImportMap(one);
            if (!file)
                return fail(file.error());
            for (auto& [role, column] : *file)
                map[role] = column;
        } else if (auto set = setImportField(map, one); !set) {
            return fail(set.error());
        }
    }
    return map;
}

int importFiles(const Options& flags)
{
    // Each file is looked at before the library is touched.
    for (const std::string& file : flags.files) {
        std::error_code ignored;
        if (std::filesystem::is_directory(file, ignored))
            return report({ErrorKind::BadInput, "this is a folder", file, "name the files in it"});
        if (!std::filesystem::is_regular_file(file, ignored))
            return report(
                {ErrorKind::BadInput, "there is no such file", file, "give .dyno files or results of other tools"});
    }
    ImportOptions options;
    options.format = flags.format;
    options.title = flags.title;
    options.users = flags.users;
    auto map = mapOf(flags.map);
    if (!map)
        return report(map.error());
    options.map = std::move(*map);
    if (!options.format.empty() && !findImportFormat(options.format)) {
        std::string ids;
        for (const ImportFormat& format : importFormats())
            ids += (ids.empty() ? "" : ", ") + format.id;
        return badInput(fmt::format("there is no format \"{}\"", options.format), "one of: " + ids);
    }
    watchInterrupts();
    const auto library = flags.library.empty() ? defaultLibrary() : std::filesystem::path(flags.library);
    if (flags.together)
        return importOthers({flags.files.begin(), flags.files.end()}, options, flags, library);
    int code = kDone;
    for (const std::string& file : flags.files) {
        if (interrupted())
            return kInterrupted;
        const int one =
            isDynoFile(file) ? importOurs(file, library, flags) : importOthers({file}, options, flags, library);
        code = code == kDone ? one : code;
    }
    return code;
}

std::string formatsText()
{
    std::string out = "Formats:\n";
    for (const ImportFormat& format : importFormats())
        out += fmt::format("  {:<18} {}\n", format.id, format.what);
    out += "Fields of --map (for csv; latency_unit and clock also for hdr):\n";
    for (const ImportRole& role : importRoles())
        out += fmt::format("  {:<18} {}{}{}\n", role.id, role.help.empty() ? role.label : role.help,
                           role.choices.empty() ? "" : ": ", fmt::join(role.choices, ", "));
    return out;
}

} // namespace

void addImportCommand(CLI::App& app, ExitCode code)
{
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("import", "Copy sessions of .dyno files, and results of other tools, into the library");
    command->add_option("FILE", options->files, ".dyno files, logs and result files of other tools")->required();
    command->add_option("--format", options->format, "format of the files (default: detected)");
    command->add_option("--map", options->map, "FIELD=COLUMN for a CSV, or a TOML file of such lines");
    command->add_option("--title", options->title, "of the session");
    command->add_option("--users", options->users, "concurrent users, if the file does not record them")
        ->check(CLI::Range(1, 10'000'000));
    command->add_option("--library", options->library, "the library (the user's own)");
    command->add_flag("--together", options->together, "all files are runs of one session");
    command->add_flag("--dry-run", options->dryRun, "only say what was understood");
    command->add_flag("--json", options->json, "one JSON document a session on standard output");
    command->footer(formatsText());
    command->callback([&code, options] { code = importFiles(*options); });
}

} // namespace dyno::cli
