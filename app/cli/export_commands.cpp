// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno export ID …
#include "cli/console.h"
#include "cli/session_source.h"
#include "core/session_export.h"

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
    std::string library, id;
    ExportRequest request;
};

int exportSession(const ExportOptions& options)
{
    if (options.request.empty())
        return badInput("nothing to export",
                        "give --csv DIR, --markdown FILE, --html FILE, --hdr DIR, --json FILE or --out FILE.dyno");
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
    command->add_option("--csv", request.csv, "folder for runs.csv, runs-long.csv and one intervals file a run");
    command->add_option("--markdown", request.markdown, "file for a post: question, figures, set-up, plan, option files");
    command->add_option("--html", request.html, "the same as one HTML file; `dynobench export` adds the charts");
    command->add_option("--hdr", request.hdr, "folder for HdrHistogram logs, one a run");
    command->add_option("--json", request.json, "file for the document of `run --json`");
    command->add_option("--out", request.out, "a .dyno file: the whole session");
    command->add_flag("--anonymous", request.anonymous,
                      "without names of hosts and users and addresses, wherever they stand");
    command->add_option("--library", options->library, "the library (the user's own)");
    command->callback([&code, options] { code = exportSession(*options); });
}

} // namespace dyno::cli
