// SPDX-License-Identifier: GPL-3.0-or-later
// Titles and labels that name another product than the one that answered.
#include "report/pivot/meanings.h"

#include <dyno/report.h>
#include <dyno/uri_form.h>

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

namespace dyno {

namespace {

//! As servers call themselves.
const std::set<std::string>& productNames()
{
    static const std::set<std::string> names = [] {
        std::set<std::string> all;
        for (const KnobInfo& knob : report::allKnobs()) {
            for (const KnobEdition& edition : knob.editions)
                all.insert(productName(edition.product));
        }
        return all;
    }();
    return names;
}

bool hasWord(std::string_view text, std::string_view word)
{
    const auto isLetter = [&](std::size_t at) { return std::isalnum(static_cast<unsigned char>(text[at])) != 0; };
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isLetter(at - 1)) && (end == text.size() || !isLetter(end)))
            return true;
    }
    return false;
}

} // namespace

std::string misnamedProduct(const StoredSession& session)
{
    std::set<std::string> answered;
    std::string first;
    for (const StoredRun& run : session.runs) {
        const ServerFacts& server = run.header.server;
        if (server.product.empty())
            continue;
        answered.insert(server.product);
        if (first.empty())
            first = server.product + (server.version.empty() ? "" : " " + server.version);
    }
    // A fork that the catalogue does not name may well stand under the name of what it is a fork of.
    if (answered.empty() ||
        !std::ranges::all_of(answered, [](const std::string& one) { return productNames().contains(one); }))
        return {};
    const auto told = [&](const std::string& name, std::string_view where) {
        return fmt::format("\"{}\" stands in the {}, and {} answered", name, where, first);
    };
    for (const std::string& name : productNames()) {
        if (answered.contains(name))
            continue;
        if (hasWord(session.info.title, name))
            return told(name, "title");
    }
    for (const StoredRun& run : session.runs) {
        const std::string& product = run.header.server.product;
        if (product.empty() || run.header.point < 0 || std::size_t(run.header.point) >= session.header.points.size())
            continue;
        first = product + (run.header.server.version.empty() ? "" : " " + run.header.server.version);
        for (const CaseRef& one : session.header.points[std::size_t(run.header.point)].cases) {
            // A label that compares names both: "MariaDB as MySQL".
            if (hasWord(one.label, product))
                continue;
            const auto name = std::ranges::find_if(
                productNames(), [&](const std::string& word) { return word != product && hasWord(one.label, word); });
            if (name != productNames().end())
                return told(*name, fmt::format("label \"{}\"", one.label));
        }
    }
    return {};
}

} // namespace dyno
