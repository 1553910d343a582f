// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/outcome.h"

#include <iostream>

namespace dyno::gui {

int exitCodeOf(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::BadInput:
        return kBadInput;
    case ErrorKind::Unreachable:
    case ErrorKind::Refused:
        return kUnreachable;
    case ErrorKind::Interrupted:
        return kInterrupted;
    case ErrorKind::Failed:
    case ErrorKind::Storage:
        break;
    }
    return kFailed;
}

void say(std::string_view text)
{
    std::cerr << text << std::endl;
}

void print(std::string_view text)
{
    std::cout << text << std::endl;
}

int report(const Error& error)
{
    say("dynobench: " + error.text());
    return exitCodeOf(error.kind);
}

} // namespace dyno::gui
