// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Names in SQL text.
#pragma once

#include "base/text.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace dyno::postgresql {

//! `name` as an identifier that keeps its case: one that the server itself has told.
[[nodiscard]] inline std::string exactlyQuoted(std::string_view name)
{
    std::string text = "\"";
    for (const char c : name)
        text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
}

//! `name` as an identifier of those that statements have without quotes: the server keeps them in lower case.
[[nodiscard]] inline std::string nameQuoted(std::string_view name)
{
    return exactlyQuoted(lowered(name));
}

//! A name that may stand in SET as it is: letters, digits and _, with a dot between an extension and its setting.
[[nodiscard]] inline bool isSettingName(std::string_view name)
{
    return !name.empty() && !(name.front() >= '0' && name.front() <= '9') && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    });
}

} // namespace dyno::postgresql
