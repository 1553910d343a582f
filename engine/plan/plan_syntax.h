// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! TOML with more than one syntax fault: toml++ stops at the first, so the faulty line is blanked and the rest read
//! again, until nothing is wrong any more. Line numbers stay right.
#pragma once

#include <dyno/error.h>

#include <string_view>
#include <toml++/toml.h>

namespace dyno {

struct ParsedToml
{
    toml::table root;   //!< what could be read
    Faults faults;      //!< syntax only; `where` is the field path of the line as far as it can be told
    bool usable = true; //!< false: not text at all, or more broken than is worth reading on
};
[[nodiscard]] ParsedToml parseToml(std::string_view text);

} // namespace dyno
