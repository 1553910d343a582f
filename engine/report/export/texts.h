// SPDX-License-Identifier: GPL-3.0-or-later
//! \file
//! Lists of texts, as posts and captions have them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace dyno::report {

//! Adds a text that is not empty and not there yet.
inline void addDistinct(std::vector<std::string>& list, const std::string& text)
{
    if (!text.empty() && std::ranges::find(list, text) == list.end())
        list.push_back(text);
}

inline std::string joinedBy(const std::vector<std::string>& list, std::string_view mark)
{
    std::string text;
    for (const std::string& one : list)
        text += (text.empty() ? std::string() : std::string(mark)) + one;
    return text;
}

} // namespace dyno::report
