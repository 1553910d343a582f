// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/outcome.h"

#include <dyno/visible_text.h>

#include <iostream>
#include <unistd.h>

namespace dyno::gui {

void say(std::string_view text)
{
    std::cerr << visibleText(text, TextLayout::Keep) << std::endl; // of a session or plan, which is a stranger's
}

void print(std::string_view text)
{
    if (::isatty(STDOUT_FILENO) == 1)
        std::cout << visibleText(text, TextLayout::Keep) << std::endl;
    else
        std::cout << text << std::endl; // documents are exact
}

int report(const Error& error)
{
    say("dynobench: " + error.text());
    return exitCodeOf(error.kind);
}

} // namespace dyno::gui
