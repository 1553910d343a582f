// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/outcome.h"

#include <iostream>

namespace dyno::gui {

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
