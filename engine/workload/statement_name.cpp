// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/statement_name.h"

#include "base/text.h"

#include <algorithm>
#include <vector>

namespace dyno {

namespace {

constexpr std::size_t kMostStatementName = 32;

} // namespace

std::string statementName(std::string_view text)
{
    std::vector<std::string> words(1);
    for (const char c : text) {
        const char small = lowered(c);
        if ((small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') || small == '_')
            words.back() += small;
        else if (!words.back().empty())
            words.emplace_back();
    }
    std::string name = words.front().empty() ? std::string("statement") : words.front();
    const char* const before = name == "select" || name == "delete"    ? "from"
                               : name == "insert" || name == "replace" ? "into"
                                                                       : "update";
    const bool known = name == "update" || std::string_view(before) != "update";
    const auto found = std::ranges::find(words, before);
    if (known && found != words.end() && found + 1 != words.end() && !(found + 1)->empty())
        name += "_" + *(found + 1);
    return name.substr(0, kMostStatementName);
}

} // namespace dyno
