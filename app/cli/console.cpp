// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/console.h"

#include <dyno/uri.h>
#include <dyno/visible_text.h>

#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace dyno::cli {

namespace {

volatile std::sig_atomic_t g_interrupts = 0; // a signal handler has no other place to write to

//! What was typed, and how it may be said. Written once, before any command runs.
std::vector<std::pair<std::string, std::string>>& secrets()
{
    static std::vector<std::pair<std::string, std::string>> pairs;
    return pairs;
}

void onSignal(int)
{
    g_interrupts = g_interrupts + 1;
    if (g_interrupts > 1)
        ::_exit(kInterrupted);
}

} // namespace

void print(std::string_view text)
{
    const std::string shown = visibleText(text, TextLayout::Keep);
    std::fwrite(shown.data(), 1, shown.size(), stdout);
}

void printDocument(std::string_view text)
{
    if (::isatty(STDOUT_FILENO) == 1)
        print(text);
    else
        std::fwrite(text.data(), 1, text.size(), stdout);
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
    fmt::print(stderr, "{}\n", visibleText(said, TextLayout::Keep));
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
    {};
    action.sa_handler = onSignal;
    ::sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted()
{
    return g_interrupts > 0;
}

} // namespace dyno::cli
