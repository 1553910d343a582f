// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! dyno export ID … | import FILE…
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

bool isSqlite(const std::string& file)
{
    constexpr std::string_view kMagic = "SQLite format 3";
    std::array<char, 16> head{};
    std::ifstream stream(file, std::ios::binary);
    stream.read(head.data(), std::streamsize(head.size()));
    return stream && std::string_view(head.data(), kMagic.size()) == kMagic;
}

int importFiles(const std::vector<std::string>& files, const std::string& libraryFile)
{
    // Each file is looked at before the library is touched.
    for (const std::string& file : files) {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(file, ignored))
            return report({ErrorKind::BadInput, "there is no such file", file, "give .dyno files"});
        if (!isSqlite(file))
            return report({ErrorKind::BadInput, "this is not a .dyno file", file,
                           "this version imports .dyno files only, no other tool's results"});
    }
    const auto path = libraryFile.empty() ? defaultLibrary() : std::filesystem::path(libraryFile);
    auto library = Library::open(path, Library::Mode::ReadWrite);
    if (!library)
        return report(library.error());
    int code = kDone;
    for (const std::string& file : files) {
        const auto ids = (*library)->importFile(file);
        if (!ids) {
            Error error = ids.error();
            if (error.where.empty())
                error.where = file;
            report(error);
            code = kBadInput;
            continue;
        }
        for (const std::string& id : *ids)
            print(id + "\n");
    }
    return code;
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

    auto files = std::make_shared<std::vector<std::string>>();
    auto library = std::make_shared<std::string>();
    CLI::App* import = app.add_subcommand("import", "Copy the sessions of .dyno files into the library");
    import->add_option("FILE", *files, ".dyno files")->required();
    import->add_option("--library", *library, "the library (the user's own)");
    import->callback([&code, files, library] { code = importFiles(*files, *library);
});
} // namespace dyno::cli

} // namespace dyno::cli
