// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Words that a person may write in a script, for completion. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dyno {

[[nodiscard]] std::vector<std::string> scriptCommands();  //!< "\set" and the others
[[nodiscard]] std::vector<std::string> scriptFunctions(); //!< of expressions, without brackets
[[nodiscard]] std::vector<std::string> scriptHeadWords(); //!< keys between the two lines +++
//! Those that every script has, and those that the text reads or sets; each once, in alphabetical order, without a
//! colon.
[[nodiscard]] std::vector<std::string> scriptVariables(std::string_view text);

//! Adds transactions at the end of a script. One that has a name of the script's gets another, and the statements of a
//! script without \transaction lines become one that is drawn as often as the added ones together. A script whose head
//! has a mistake stays as it is.
[[nodiscard]] std::string withSections(std::string_view text, std::string_view sections);

} // namespace dyno
