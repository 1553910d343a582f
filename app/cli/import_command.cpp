// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno import FILE…: sessions of .dyno files, and results of other tools.
#include "cli/import_command.h"

#include "core/text_table.h"

#include <dyno/import.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <memory>
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

std::string headOf(const std::string& file)
{
    std::string head(4096, '\0');
    std::ifstream stream(file, std::ios::binary);
    stream.read(head.data(), std::streamsize(head.size()));
    head.resize(std::size_t(std::max<std::streamsize>(0, stream.gcount())));
    return head;
}

//! A library or a .dyno file, also one that is cut off; HammerDB's SQLite file is none.
bool isOurs(const std::string& file)
{
    const std::string head = headOf(file);
    return head.starts_with("SQLite format 3") && head.size() >= 72 && head.compare(68, 4, "Dyno") == 0;
}

//! "run.log: 12 %" while it reads; only for a person.
ImportCallback progressOf(const std::string& file)
{
    const bool shown = ::isatty(STDERR_FILENO) == 1;
    return [shown, file, last = -1](const ImportProgress& progress) mutable {
        const int percent = progress.total > 0 ? int(100 * progress.done / progress.total) : 0;
        if (shown && percent != last && percent < 100) {
            last = percent;
            fmt::print(stderr, "\r{}: {} %\x1b[K", shortened(file, 60), percent);
            std::fflush(stderr);
        }
        return !interrupted();
    };
}

void endProgress()
{
    if (::isatty(STDERR_FILENO) == 1)
        fmt::print(stderr, "\r\x1b[K");
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
    TextTable table({"run", ">users", ">seconds", ">intervals", ">transactions", ">tps", ">qps", ">mean ms", ">p95 ms", ">p99 ms", ">max ms", "status"});
    for (const ImportedRun& run : preview.runs) {
        const RunSummary& s = run.summary;
        const bool response = s.tells("response_mean") || s.tells("response_p95") || s.tells("response_max");
        const LatencySummary& latency = response ? s.response : s.service;
        table.add({run.label.empty() ? "–" : run.label, run.users > 0 ? fmt::format("{}", run.users) : "–",
                   known(s.seconds > 0, s.seconds), fmt::format("{}{}", run.intervals, run.folded > 1 ? fmt::format(" of {}", run.folded) : ""),
                   s.tells("transactions") ? fmt::format("{}", s.transactions) : "–", known(s.tells("tps"), s.tps),
                   known(s.tells("qps"), s.qps), known(true, latency.meanMs), known(true, latency.p95Ms),
                   known(true, latency.p99Ms), known(true, latency.maxMs), toText(s.status)});
        constexpr std::size_t kMostRows = 30;
        if (&run - preview.runs.data() + 1 == kMostRows && preview.runs.size() > kMostRows) {
            table.add({fmt::format("… {} runs more", preview.runs.size() - kMostRows)});
            break;
        }
    }
    out += "\n" + table.text();
    if (origin.unknownLines > 0) {
        out += fmt::format("\n{} of {} lines were not understood (they stay in the kept original):\n", origin.unknownLines, origin.lines);
        constexpr std::size_t kMostLines = 10;
        for (std::size_t i = 0; i < std::min(kMostLines, origin.unknown.size()); ++i)
            out += fmt::format("  {}:{}: {}\n", origin.unknown[i].file, origin.unknown[i].line, origin.unknown[i].text);
    }
    for (const std::string& note : origin.notes)
        out += fmt::format("note: {}\n", note);
    return out;
}

std::string jsonText(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", int(c));
        else
            out += c;
    }
    return out + "\"";
}

std::string number(bool told, double value)
{
    return told && std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
}

std::string latencyJson(const LatencySummary& l)
{
    return fmt::format(R"({{"mean": {}, "p50": {}, "p90": {}, "p95": {}, "p99": {}, "p999": {}, "max": {}}})", number(true, l.meanMs),
                       number(true, l.p50Ms), number(true, l.p90Ms), number(true, l.p95Ms), number(true, l.p99Ms),
                       number(true, l.p999Ms), number(true, l.maxMs));
}

//! One document a session; what is not told is null.
std::string previewJson(const ImportPreview& preview, const std::string& session)
{
    const ImportOrigin& o = preview.origin;
    std::string runs;
    for (const ImportedRun& run : preview.runs) {
        const RunSummary& s = run.summary;
        runs += fmt::format(R"({}{{"label": {}, "users": {}, "status": {}, "reason": {}, "seconds": {}, "intervals": {}, "folded": {}, )"
                            R"("transactions": {}, "tps": {}, "qps": {}, "service_ms": {}, "response_ms": {}}})",
                            runs.empty() ? "" : ",\n  ", jsonText(run.label), run.users > 0 ? fmt::format("{}", run.users) : "null",
                            jsonText(toText(s.status)), jsonText(s.reason), number(s.seconds > 0, s.seconds), run.intervals, run.folded,
                            number(s.tells("transactions"), double(s.transactions)), number(s.tells("tps"), s.tps),
                            number(s.tells("qps"), s.qps), latencyJson(s.service), latencyJson(s.response));
    }
    std::string notes, unknown;
    for (const std::string& note : o.notes)
        notes += (notes.empty() ? "" : ", ") + jsonText(note);
    for (const UnknownLine& line : o.unknown)
        unknown += fmt::format(R"({}{{"file": {}, "line": {}, "text": {}}})", unknown.empty() ? "" : ", ", jsonText(line.file), line.line, jsonText(line.text));
    return fmt::format("{{\"session\": {}, \"title\": {}, \"format\": {}, \"reason\": {}, \"tool\": {}, \"version\": {}, \"sample\": {}, "
                       "\"latency\": {}, \"precision\": {}, \"warmup\": {},\n \"lines\": {}, \"unknown_lines\": {}, \"unknown\": [{}], \"notes\": [{}],\n \"runs\": [{}]}}\n",
                       session.empty() ? "null" : jsonText(session), jsonText(preview.title), jsonText(o.format), jsonText(o.reason), jsonText(o.tool),
                       jsonText(o.version), jsonText(o.sample), jsonText(o.latency), jsonText(o.precision), jsonText(o.warmup), o.lines,
                       o.unknownLines, unknown, notes, runs);
}

int importOurs(const std::string& file, const std::filesystem::path& path)
{
    auto library = Library::open(path, Library::Mode::ReadWrite);
    if (!library)
        return report(library.error());
    const auto ids = (*library)->importFile(file);
    if (!ids) {
        Error error = ids.error();
        if (error.where.empty())
            error.where = file;
        report(error);
        return kBadInput;
    }
    for (const std::string& id : *ids)
        print(id + "\n");
    return kDone;
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
        print(flags.json ? previewJson(*preview, {}) : previewText(*preview));
        return kDone;
    }
    const auto result = importResults(library, files, options, progress);
    endProgress();
    if (!result)
        return report(result.error());
    if (flags.json) {
        print(previewJson(result->preview, result->session));
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
            return report({ErrorKind::BadInput, "there is no such file", file, "give .dyno files or results of other tools"});
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
        const int one = isOurs(file) ? importOurs(file, library) : importOthers({file}, options, flags, library);
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
    CLI::App* command = app.add_subcommand("import", "Copy sessions of .dyno files, and results of other tools, into the library");
    command->add_option("FILE", options->files, ".dyno files, logs and result files of other tools")->required();
    command->add_option("--format", options->format, "what the files are (found out by their content)");
    command->add_option("--map", options->map, "FIELD=COLUMN for a CSV, or a TOML file of such lines");
    command->add_option("--title", options->title, "of the session");
    command->add_option("--users", options->users, "concurrent users, where the file does not tell")->check(CLI::Range(1, 10'000'000));
    command->add_option("--library", options->library, "the library (the user's own)");
    command->add_flag("--together", options->together, "all files are runs of one session");
    command->add_flag("--dry-run", options->dryRun, "only say what was understood");
    command->add_flag("--json", options->json, "one JSON document a session on standard output");
    command->footer(formatsText());
    command->callback([&code, options] { code = importFiles(*options); });
}

} // namespace dyno::cli
