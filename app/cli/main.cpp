// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! `dyno`: everything the window can do with a plan, from a terminal or a script.
#include "cli/console.h"
#include "cli/import_command.h"

#include <dyno/catalog.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace {

using namespace dyno::cli;

constexpr const char* kFooter = R"(
Targets:  sqlite:PATH (sqlite: alone is a private file for one session), managed:mariadb, managed:mysql,
          managed:postgresql, managed:mongodb, managed:ferretdb, mysql://user@host:port/db?socket=…,
          postgresql://user@host:port/db, mongodb://user@host:port/db,
          clickhouse://user@host:port/db, rocksdb:PATH, null:
Passwords come from DYNO_PASSWORD or --option-file, never from the command line. They go to the plan's first remote
          target alone: its host, port and user. The password of a server that `dyno servers add URI --name NAME` has
          remembered comes from DYNO_PASSWORD_NAME (capitals; what is neither letter nor digit is _).
Exit codes: 0 done, 1 a run failed or its result could not be written, 2 bad input or refused (an agreement, rights or data
          that are missing), 3 target unreachable, 4 all was done and an objective is broken, 130
          interrupted.

Examples:
  dyno run durability-sqlite
  dyno run --target sqlite:test.db --workload oltp_read_write --users 1,4 --time 10
  dyno run plan.toml --set load.repeats=5 --out result.dyno
  dyno check --target mysql://root@db1/sbtest --workload oltp_read_write --users 1000
  dyno compare last 3f2a --baseline 3f2a
)";

//! The word that stands where a command belongs and is none; "" when there is no such word, or it might be a secret:
//! commands have letters only.
std::string unknownCommand(const CLI::App& command, const std::vector<std::string>& rest)
{
    constexpr std::size_t kLongest = 24;
    if (rest.empty() || commandsOf(command).empty())
        return {};
    const std::string& word = rest.front();
    const bool plain =
        word.size() <= kLongest &&
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") == std::string::npos;
    return plain && !word.starts_with('-') ? word : std::string();
}

//! CLI11 repeats what it could not use; that may be a password, so only names of options are repeated.
int refuseArguments(const CLI::App& app, const CLI::ParseError& error)
{
    const CLI::App* command = &app;
    while (!command->get_subcommands().empty())
        command = command->get_subcommands().front();
    std::string remedy = fmt::format("`{} --help` shows what it takes", commandPath(*command));
    std::vector<std::string> rest = command->remaining(true);
    if (const std::string word = unknownCommand(*command, rest); !word.empty()) {
        std::vector<std::string> known;
        for (const CLI::App* one : commandsOf(*command))
            known.push_back(one->get_name());
        const std::string likely = dyno::likelyName(word, known);
        return badInput(fmt::format("{} has no command \"{}\"", commandPath(*command), word),
                        likely.empty() ? remedy : fmt::format("did you mean \"{}\"? {}", likely, remedy));
    }
    const bool noCommand = dynamic_cast<const CLI::RequiredError*>(&error) && command->get_require_subcommand_min() > 0;
    if (noCommand && (rest.empty() || !rest.front().starts_with('-')))
        return badInput(fmt::format("{} needs a command{}", commandPath(*command),
                                    rest.empty() ? "" : ", and what stands in its place is none"),
                        remedy);
    if (noCommand || dynamic_cast<const CLI::ExtrasError*>(&error)) {
        if (rest.empty())
            rest = app.remaining(true);
        std::string names;
        for (const std::string& word : rest) {
            if (word.size() < 2 || word.front() != '-')
                continue;
            const std::string name = word.substr(0, word.find('='));
            if (name.starts_with("--password") || name.starts_with("-p"))
                remedy = "a password comes from DYNO_PASSWORD or --option-file, never from the command line";
            // -pSECRET: the name is one letter
            names += (names.empty() ? "" : ", ") + (name.starts_with("--") ? name : name.substr(0, 2));
        }
        return badInput(names.empty() ? "there are more arguments than the command takes" : "unknown option: " + names,
                        remedy);
    }
    return badInput(error.what(), remedy);
}

//! Commands whose flags say what is measured.
constexpr std::array kMeasure{"run", "check", "prepare", "cleanup", "check-data"};

//! An empty value is most often a variable of a script that was never set; the default instead of it would measure
//! something else.
void refuseEmptyValues(CLI::App& command)
{
    const auto emptyText = [](std::string& value) {
        return value.empty() ? std::string("its value is empty") : std::string();
    };
    for (CLI::Option* option : command.get_options()) {
        if (option->get_items_expected_max() > 0)
            option->check(CLI::Validator(emptyText, ""));
    }
}

//! The parser takes the next word for the value of `--name=`, whatever that is. The name, "" when there is none.
std::string nameWithoutValue(int argc, char** argv)
{
    const std::string_view command = argc > 1 ? argv[1] : "";
    if (std::ranges::find(kMeasure, command) == std::end(kMeasure))
        return {};
    for (int i = 2; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1)
            return std::string(word.substr(0, word.size() - 1));
    }
    return {};
}

//! Without standard output the next file that is opened, such as the library, would get its number and what is printed.
void openStandardFiles()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) < 0) // reading only: what is printed fails, as it should
            (void)::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    }
}

//! Help and versions go the way of all output: std::cout would not say why they could not be written.
int answer(const CLI::App& app, const CLI::Error& asked)
{
    std::ostringstream text;
    const int code = app.exit(asked, text, std::cerr);
    print(text.str());
    return code;
}

int runCommandLine(int argc, char** argv)
{
    hideSecrets(argc, argv);
    CLI::App app{"Database benchmarks: run plans, keep every session, compare.", "dyno"};
    int code = dyno::kDone;
    app.set_version_flag("--version", fmt::format("dyno {}", dyno::softwareVersion()));
    app.require_subcommand(1);
    app.footer(kFooter);
    app.get_formatter()->column_width(34);
    addListCommands(app, code);
    addCheckCommand(app, code);
    addRunCommand(app, code);
    addPlanCommand(app, code);
    addDataCommands(app, code);
    addSessionCommands(app, code);
    addAddedCommands(app, code);
    addLibraryCommands(app, code);
    addExportCommands(app, code);
    addImportCommand(app, code);
    addServerCommands(app, code);
    addRecordingCommand(app, code);
    addProbeCommand(app, code);
    addScriptCommands(app, code);
    for (const char* measures : kMeasure)
        refuseEmptyValues(*app.get_subcommand(measures));
    if (const std::string name = nameWithoutValue(argc, argv); !name.empty())
        return badInput(name + ": its value is empty", "give a value, or remove it");
    if (argc < 2) {
        std::cerr << app.help();
        return dyno::kBadInput;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp& help) {
        return answer(app, help);
    } catch (const CLI::CallForAllHelp& help) {
        return answer(app, help);
    } catch (const CLI::CallForVersion& version) {
        return answer(app, version);
    } catch (const CLI::ParseError& error) {
        return refuseArguments(app, error);
    }
    return code;
}

} // namespace

int main(int argc, char** argv)
{
    openStandardFiles();
    // A reader that went away (`dyno … | head`) must not kill a run in the middle of its bookkeeping.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        static_cast<void>(
            dyno::drivers()); // while there is one thread: some change the environment for their libraries
        return finishOutput(runCommandLine(argc, argv));
    } catch (const std::exception& error) {
        say(fmt::format("dyno: internal error: {}", error.what()));
        return dyno::kFailed;
    }
}
