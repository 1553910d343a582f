// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno export ID …
#include "cli/console.h"
#include "cli/session_source.h"
#include "core/session_export.h"
#include "core/temporary_folder.h"

#include <dyno/report.h>

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

namespace dyno::cli {

namespace {

struct ExportOptions
{
    std::string library, id;
    ExportRequest request;
};

//! "-" is standard output: the one request that is, no longer part of `request`; nullptr when none is.
const char* takeOutput(ExportRequest& request)
{
    const char* taken = nullptr;
    const std::pair<const char*, std::string*> all[]{
        {"json", &request.json}, {"csv", &request.csv}, {"markdown", &request.markdown}, {"html", &request.html}};
    for (const auto& [name, value] : all) {
        if (*value == "-" && !taken) {
            taken = name;
            value->clear();
        }
    }
    return taken;
}

//! Prints what was asked for as "-"; of the CSV files runs.csv.
Expected<void> printExport(ExportSource& source, std::string_view what, Appendix appendix)
{
    const TemporaryFolder folder;
    if (folder.path().empty())
        return fail({ErrorKind::Storage, "no temporary folder can be made", {}, "check TMPDIR"});
    const auto file = folder.path() / (what == "csv" ? "runs.csv" : "document");
    ExportRequest one;
    one.appendix = appendix;
    (what == "json"       ? one.json
     : what == "csv"      ? one.csv
     : what == "markdown" ? one.markdown
                          : one.html) = what == "csv" ? folder.path().string() : file.string();
    std::vector<std::filesystem::path> written;
    if (auto done = dyno::exportSession(source, one, {}, written); !done)
        return done;
    std::ifstream in(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in.good() && !in.eof())
        return fail({ErrorKind::Storage, "the temporary file cannot be read", file.string(), "check TMPDIR"});
    print(text);
    if (what == "json" && !text.ends_with('\n'))
        print("\n");
    return {};
}

int exportSession(ExportOptions& options)
{
    if (options.request.empty())
        return badInput("nothing to export",
                        "give --csv DIR, --markdown FILE, --html FILE, --hdr DIR, --json FILE or --out FILE.dyno");
    const char* output = takeOutput(options.request);
    if (takeOutput(options.request))
        return badInput("only one document fits onto standard output", "give \"-\" once, and files for the others");
    if (options.request.hdr == "-" || options.request.out == "-")
        return badInput("\"-\" is for documents of one text: --json, --csv, --markdown, --html",
                        "give a folder for --hdr, a file for --out");
    auto found = findSession(options.id, options.library);
    if (!found)
        return report(found.error());
    ExportSource source{std::move(found->library), std::move(found->session)};
    if (options.request.anonymous) {
        auto copy = anonymousCopy(*source.library, source.session.info.id);
        if (!copy)
            return report(copy.error());
        source = std::move(*copy);
    }
    if (output) {
        if (const auto printed = printExport(source, output, options.request.appendix); !printed)
            return report(printed.error());
    }
    std::vector<std::filesystem::path> written;
    const auto done = dyno::exportSession(source, options.request, {}, written);
    for (const auto& file : written)
        say("written: " + file.string());
    return done ? int(kDone) : report(done.error());
}

} // namespace

void addExportCommands(CLI::App& app, ExitCode code)
{
    auto options = std::make_shared<ExportOptions>();
    CLI::App* command = app.add_subcommand("export", "Write a session to files");
    command->add_option("ID", options->id, "an id, its first letters, \"last\", or a .dyno file")->required();
    ExportRequest& request = options->request;
    command->add_option("--csv", request.csv,
                        "folder for runs.csv, runs-long.csv and one intervals file a run; - prints runs.csv");
    command->add_option("--markdown", request.markdown, "file for a post: question, figures, set-up, what differs");
    command->add_option("--html", request.html, "the same as one HTML file; `dynobench export` adds the charts");
    command->add_option("--hdr", request.hdr, "folder for HdrHistogram logs, one a run");
    command->add_option("--json", request.json, "file for the document of `run --json`; - is standard output");
    command->add_option("--out", request.out, "a .dyno file: the whole session");
    command->add_flag_callback(
        "--appendix", [options] { options->request.appendix = Appendix::Yes; },
        "posts with the settings as read back, the plan and the option files");
    command->add_flag("--anonymous", request.anonymous,
                      "without names of hosts and users and addresses, wherever they stand");
    command->add_option("--library", options->library, "the library (the user's own)");
    command->callback([&code, options] { code = exportSession(*options); });
}

} // namespace dyno::cli
