// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno export ID …
#include "cli/console.h"
#include "cli/session_source.h"
#include "core/session_text.h"

#include <dyno/report.h>

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>

namespace dyno::cli {

namespace {

struct ExportOptions
{
    std::string library, id, csv, markdown, html, hdr, out;
};

int writeText(const std::filesystem::path& file, const std::string& text)
{
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << text;
    stream.close();
    if (stream.fail())
        return report(
            {ErrorKind::Storage, "the file cannot be written", file.string(), "check the folder and its permissions"});
    say("written: " + file.string());
    return kDone;
}

int exportSession(const ExportOptions& options)
{
    if (!options.html.empty() || !options.hdr.empty())
        return badInput(fmt::format("{} is not in this version", options.html.empty() ? "--hdr" : "--html"),
                        "use --csv, --markdown or --out");
    if (options.csv.empty() && options.markdown.empty() && options.out.empty())
        return badInput("nothing to export", "give --csv DIR, --markdown FILE or --out FILE.dyno");
    const auto found = findSession(options.id, options.library);
    if (!found)
        return report(found.error());
    const StoredSession& session = found->session;
    if (!options.csv.empty()) {
        const auto files = exportCsv(*found->library, session, options.csv);
        if (!files)
            return report(files.error());
        for (const auto& file : *files)
            say("written: " + file.string());
    }
    if (!options.markdown.empty()) {
        const int code = writeText(options.markdown, markdownReport({session}, pivotOf(session.header.plan)));
        if (code != kDone)
            return code;
    }
    if (!options.out.empty()) {
        if (const auto done = found->library->exportSession(session.info.id, options.out); !done)
            return report(done.error());
        say("written: " + options.out);
    }
    return kDone;
}

} // namespace

void addExportCommands(CLI::App& app, ExitCode code)
{
    auto options = std::make_shared<ExportOptions>();
    CLI::App* command = app.add_subcommand("export", "Write a session to files");
    command->add_option("ID", options->id, "an id, its first letters, \"last\", or a .dyno file")->required();
    command->add_option("--csv", options->csv, "folder for runs.csv and one intervals file a run");
    command->add_option("--markdown", options->markdown, "file for the report with its table");
    command->add_option("--html", options->html, "not in this version");
    command->add_option("--hdr", options->hdr, "not in this version");
    command->add_option("--out", options->out, "a .dyno file: the whole session");
    command->add_option("--library", options->library, "the library (the user's own)");
    command->callback([&code, options] { code = exportSession(*options); });
}

} // namespace dyno::cli
