// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! The commands and options that --help tells of, as shell completion and manual pages: one table for all.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace dyno::cli {

//! "bash", "zsh" or "fish": a script for that shell which completes commands, options and the values that are known.
//! "" for any other shell.
[[nodiscard]] std::string completionScript(const CLI::App& app, std::string_view shell);
//! The manual page of a command in troff, as `man` reads it.
[[nodiscard]] std::string manualPage(const CLI::App& command, std::string_view version);

//! The manual's page of all commands, in Markdown; resources/manual/commands.md is its output.
[[nodiscard]] std::string commandsMarkdown(const CLI::App& app);

} // namespace dyno::cli
