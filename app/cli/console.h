// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! What all commands share: messages, signals. Results go to standard output, everything else to standard
//! error.
#pragma once

#include "core/exit_code.h"

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::cli {

//! Passwords inside the URIs that were typed are never said again, whatever message they end up in.
void hideSecrets(int argc, char** argv);
//! Texts hold words of plans, sessions and logs, which are a stranger's: whatever would steer a terminal is written out
//! (visibleText()), only line breaks and tabs stay.
void print(std::string_view text);         //!< to standard output
void say(std::string_view text);           //!< one line to standard error
void printDocument(std::string_view text); //!< JSON and the like to standard output: exact, but on a terminal
//! To standard error, as it is. That nobody is there any more (a lost terminal) is no error: what runs ends orderly.
void tell(std::string_view text);
//! Writes out what print() was given and gives the exit code of the program: `code`, or kFailed after saying so when
//! standard output took less than that (a full disk). Where the reader went away (EPIPE), kFailed is all.
int finishOutput(int code);
int report(const Error& error);                             //!< says it and gives the exit code
int badInput(std::string message, std::string remedy = {}); //!< says it and gives kBadInput

//! From now on the first SIGINT, SIGTERM or SIGHUP (a lost terminal; not where nohup has it ignored) is counted, and
//! another SIGINT or SIGTERM ends the process at once with 130.
void watchInterrupts();
[[nodiscard]] bool interrupted();
//! From now on SIGUSR1 asks for a snapshot of the server.
void watchSnapshotSignal();
[[nodiscard]] bool takeSnapshotSignal(); //!< one came since the last call

//! Where a command puts its exit code; CLI11 runs the callbacks.
using ExitCode = int&;

void addListCommands(CLI::App& app, ExitCode code);
void addCheckCommand(CLI::App& app, ExitCode code);
void addRunCommand(CLI::App& app, ExitCode code);
void addPlanCommand(CLI::App& app, ExitCode code);
void addDataCommands(CLI::App& app, ExitCode code);
void addSessionCommands(CLI::App& app, ExitCode code);
void addAddedCommands(CLI::App& app, ExitCode code);
void addExportCommands(CLI::App& app, ExitCode code);
void addLibraryCommands(CLI::App& app, ExitCode code);
void addServerCommands(CLI::App& app, ExitCode code);
void addRecordingCommand(CLI::App& app, ExitCode code);
void addProbeCommand(CLI::App& app, ExitCode code);
//! Measures, completion, manual pages. The last one to be called: it tells of all the others.
void addScriptCommands(CLI::App& app, ExitCode code);

//! The words that call a command: "dyno library check".
[[nodiscard]] std::string commandPath(const CLI::App& command);
//! The commands of a command, in the order of --help.
[[nodiscard]] std::vector<const CLI::App*> commandsOf(const CLI::App& command);

} // namespace dyno::cli
