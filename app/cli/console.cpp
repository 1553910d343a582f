// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/console.h"

#include <dyno/uri.h>
#include <dyno/visible_text.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>
#include <utility>
#include <vector>

namespace dyno::cli {

namespace {

int g_outputProblem = 0;                     // errno of the first part of the output that could not be written
volatile std::sig_atomic_t g_interrupts = 0; // a signal handler has no other place to write to

//! What was typed, and how it may be said. Written once, before any command runs.
std::vector<std::pair<std::string, std::string>>& secrets()
{
    static std::vector<std::pair<std::string, std::string>> pairs;
    return pairs;
}

volatile std::sig_atomic_t g_snapshotWanted = 0;

void onSnapshotSignal(int)
{
    g_snapshotWanted = 1;
}

void onSignal(int signal)
{
    // A terminal that is lost may say so twice, by the shell and by the kernel: nobody is in a hurry there.
    if (signal == SIGHUP && g_interrupts > 0)
        return;
    g_interrupts = g_interrupts + 1;
    if (g_interrupts > 1)
        ::_exit(kInterrupted);
}

void putOut(std::string_view text)
{
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && g_outputProblem == 0)
        g_outputProblem = errno == 0 ? EIO : errno;
}

} // namespace

void print(std::string_view text)
{
    putOut(visibleText(text, TextLayout::Keep));
}

void printDocument(std::string_view text)
{
    if (::isatty(STDOUT_FILENO) == 1)
        print(text);
    else
        putOut(text);
}

int finishOutput(int code)
{
    errno = 0;
    if (std::fflush(stdout) != 0 && g_outputProblem == 0)
        g_outputProblem = errno;
    if (g_outputProblem == 0 && std::ferror(stdout) != 0)
        g_outputProblem = EIO;
    if (g_outputProblem == 0)
        return code;
    if (g_outputProblem != EPIPE)
        say(fmt::format("dyno: standard output could not be written ({}): what was printed is not whole (make room or "
                        "choose another "
                        "file, and say it again; what a run recorded is in its library: `dyno show last`)",
                        std::strerror(g_outputProblem)));
    return code == kDone ? int(kFailed) : code;
}

std::string commandPath(const CLI::App& command)
{
    const CLI::App* parent = command.get_parent();
    return parent ? commandPath(*parent) + " " + command.get_name() : command.get_name();
}

std::vector<const CLI::App*> commandsOf(const CLI::App& command)
{
    return command.get_subcommands(
        [](const CLI::App* one) { return !one->get_name().empty() && !one->get_group().empty(); });
}

void hideSecrets(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) {
        const std::string typed = argv[i];
        if (std::string redacted = redactUri(typed); redacted != typed)
            secrets().emplace_back(typed, std::move(redacted));
    }
}

void say(std::string_view text)
{
    std::string said(text);
    for (const auto& [typed, redacted] : secrets()) {
        std::size_t at = 0;
        while ((at = said.find(typed, at)) != std::string::npos) {
            said.replace(at, typed.size(), redacted);
            at += redacted.size();
        }
    }
    tell(visibleText(said, TextLayout::Keep) + "\n");
}

void tell(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

int report(const Error& error)
{
    say("dyno: " + error.text());
    return exitCodeOf(error.kind);
}

int badInput(std::string message, std::string remedy)
{
    return report({ErrorKind::BadInput, std::move(message), {}, std::move(remedy)});
}

void watchInterrupts()
{
    struct sigaction action
    {
    };
    action.sa_handler = onSignal;
    ::sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    struct sigaction hangup
    {
    };
    // nohup: whoever has said that a lost terminal does not matter is heard.
    if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        ::sigaction(SIGHUP, &action, nullptr);
}

void watchSnapshotSignal()
{
    struct sigaction action
    {
    };
    action.sa_handler = onSnapshotSignal;
    ::sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR1, &action, nullptr);
}

bool takeSnapshotSignal()
{
    const bool wanted = g_snapshotWanted != 0;
    g_snapshotWanted = 0;
    return wanted;
}

bool interrupted()
{
    return g_interrupts > 0;
}

} // namespace dyno::cli
