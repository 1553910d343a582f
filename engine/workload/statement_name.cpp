// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/statement_name.h"

#include "base/text.h"
#include "workload/document_command.h"

#include <algorithm>
#include <vector>

namespace dyno {

namespace {

constexpr std::size_t kMostStatementName = 32;

} // namespace

std::string statementName(std::string_view text)
{
    if (isDocumentText(text)) {
        const auto command = readDocumentCommand(text, text.find('{'));
        std::string ofCommand = command ? lowered(command->name) : std::string("command");
        if (command && !command->collection.empty())
            ofCommand += "_" + lowered(command->collection);
        const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
        std::ranges::replace_if(
            ofCommand, [&fits](char c) { return !fits(c); }, '_');
        return ofCommand.substr(0, kMostStatementName);
    }
    std::vector<std::string> words(1);
    std::vector<bool> qualifies(1, false); //!< by word: a dot is behind it, as in shop.orders
    for (const char c : text) {
        const char small = lowered(c);
        if ((small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') || small == '_') {
            words.back() += small;
        } else {
            if (!words.back().empty()) {
                words.emplace_back();
                qualifies.push_back(false);
            }
            if (c == '.' && words.size() > 1)
                qualifies[words.size() - 2] = true;
        }
    }
    std::string name = words.front().empty() ? std::string("statement") : words.front();
    const char* const before = name == "select" || name == "delete"    ? "from"
                               : name == "insert" || name == "replace" ? "into"
                                                                       : "update";
    const bool known = name == "update" || std::string_view(before) != "update";
    auto table = std::size_t(std::ranges::find(words, before) - words.begin()) + 1;
    while (table + 1 < words.size() && qualifies[table] && !words[table + 1].empty())
        ++table;
    if (known && table < words.size() && !words[table].empty())
        name += "_" + words[table];
    return name.substr(0, kMostStatementName);
}

} // namespace dyno
