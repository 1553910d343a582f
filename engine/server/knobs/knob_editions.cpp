// SPDX-License-Identifier: GPL-3.0-or-later
// Which form of a knob a server has: products and versions.
#include "server/knobs/knob_catalog.h"

#include "base/text.h"
#include "server/knobs/knob_guard.h"
#include "server/lifecycle/server_recipe.h"
#include <dyno/uri_form.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <map>

namespace dyno {

namespace {

using VersionParts = std::array<int, 4>;

//! "10.11.19-MariaDB-0+deb12u1" → 10, 11, 19. Old replication makes MariaDB say "5.5.5-10.11.19-MariaDB".
VersionParts partsOf(std::string_view text)
{
    constexpr std::string_view kDisguise = "5.5.5-";
    if (text.starts_with(kDisguise) && text.size() > kDisguise.size() && text[kDisguise.size()] >= '1' &&
        text[kDisguise.size()] <= '9')
        text.remove_prefix(kDisguise.size());
    VersionParts parts{};
    for (int& part : parts) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
        if (error != std::errc())
            break;
        text.remove_prefix(std::size_t(end - text.data()));
        if (text.empty() || text.front() != '.')
            break;
        text.remove_prefix(1);
    }
    return parts;
}

//! The word of editions for a product as a server calls itself: "Percona Server", "Aurora MySQL" → "mysql"; "" when it
//! is none that can be started here.
std::string_view familyOf(std::string_view product)
{
    const std::string name = lowered(product);
    for (const ServerRecipe* recipe : serverRecipes()) {
        if (name.find(recipe->names().product) != std::string::npos)
            return recipe->names().product;
    }
    for (const ServerRecipe* recipe : serverRecipes()) { // "Percona Server for MongoDB" is none of MySQL's
        const char* word = recipe->names().alsoCalled;
        if (word && name.find(word) != std::string::npos)
            return recipe->names().product;
    }
    return {};
}

bool fits(const KnobEdition& edition, std::string_view version)
{
    if (version.empty())
        return true;
    const VersionParts have = partsOf(version);
    return (edition.since.empty() || have >= partsOf(edition.since)) &&
           (edition.until.empty() || have < partsOf(edition.until));
}

//! "MariaDB from 10.5 to before 11.0"
std::string rangeText(const KnobEdition& edition)
{
    std::string text = productName(edition.product);
    if (!edition.since.empty())
        text += " from " + edition.since;
    if (!edition.until.empty())
        text += " before " + edition.until;
    return text;
}

Error missingHere(const KnobInfo& knob, std::string_view product, std::string_view version)
{
    std::vector<std::string> ranges;
    for (const KnobEdition& edition : knob.editions) {
        if (std::string text = rangeText(edition); std::find(ranges.begin(), ranges.end(), text) == ranges.end())
            ranges.push_back(std::move(text));
    }
    std::string remedy = "leave it out for this server";
    if (!knob.replacement.empty()) {
        const KnobInfo* other = findKnob(knob.driver, knob.scope, knob.replacement);
        if (!other || editionFor(*other, product, version))
            remedy = fmt::format("use {}.{} there", knob.scope, knob.replacement);
    }
    return {ErrorKind::BadInput,
            fmt::format("{} {} has no {} (it is in {})", product, version, knob.option.name, fmt::join(ranges, ", ")),
            fmt::format("{}.{}", knob.scope, knob.option.name), std::move(remedy)};
}

} // namespace

std::optional<KnobEdition> editionFor(const KnobInfo& knob, std::string_view product, std::string_view version)
{
    KnobEdition edition;
    const std::string_view family = familyOf(product);
    edition.product = family.empty() ? std::string(product) : std::string(family);
    if (!knob.editions.empty() && !family.empty()) {
        const auto found = std::find_if(knob.editions.begin(), knob.editions.end(), [&](const KnobEdition& one) {
            return one.product == family && fits(one, version);
        });
        if (found == knob.editions.end())
            return {};
        edition = *found;
    }
    if (edition.name.empty())
        edition.name = knob.option.name;
    if (!edition.restart)
        edition.restart = knob.restart;
    if (!edition.defaultValue)
        edition.defaultValue = knob.option.defaultValue;
    return edition;
}

Expected<KnobEdition> serverEdition(std::string_view driver, std::string_view scope, std::string_view name,
                                    std::string_view product, std::string_view version)
{
    const KnobInfo* knob = findKnob(driver, scope, name);
    if (!knob) {
        KnobEdition as;
        as.product = product;
        as.name = name;
        return as;
    }
    if (auto edition = editionFor(*knob, product, version))
        return std::move(*edition);
    return fail(missingHere(*knob, product, version));
}

std::vector<std::string> decidedAtStart(std::string_view driver, std::string_view name, const Settings& settings,
                                        std::string_view product, std::string_view version)
{
    for (const KnobInfo& knob : knobCatalog()) {
        if (knob.driver != driver || knob.scope != "server")
            continue;
        const auto edition = editionFor(knob, product, version);
        if (!edition || edition->name != name)
            continue;
        std::vector<std::string> decided = edition->decides;
        std::erase_if(decided, [&](const std::string& one) { return settings.contains(one); });
        return decided;
    }
    return {};
}

Expected<Settings> joinedParts(std::string_view driver, const Settings& wanted)
{
    Settings joined;
    std::map<std::string, std::string> texts; // by variable
    for (const auto& [name, value] : wanted) {
        const auto part = std::ranges::find_if(
            knobParts(), [&](const KnobPart& one) { return one.driver == driver && one.knob == name; });
        const KnobInfo* knob = part == knobParts().end() ? nullptr : findKnob(driver, "server", name);
        if (!knob) {
            joined.emplace(name, value);
            continue;
        }
        if (wanted.contains(part->variable))
            return fail({ErrorKind::BadInput,
                         fmt::format("{} and {} exclude each other: the one is an option in the text of the other",
                                     name, part->variable),
                         "server." + name, "write all options into the text, or set each by its own name"});
        const auto checked = coerce(knob->option, value);
        if (!checked)
            return fail(checked.error());
        std::string& text = texts[part->variable];
        text += fmt::format("{}{}={}", text.empty() ? "" : ";", part->name, toText(*checked));
    }
    for (auto& [variable, text] : texts)
        joined.emplace(variable, std::move(text));
    return joined;
}

Expected<Settings> serverNames(std::string_view driver, const Settings& wanted, std::string_view product,
                               std::string_view version)
{
    Settings named;
    std::vector<Error> errors;
    for (const auto& [name, value] : wanted) {
        auto edition = serverEdition(driver, "server", name, product, version);
        if (!edition)
            errors.push_back(std::move(edition.error()));
        else if (!named.emplace(edition->name, value).second)
            errors.push_back({ErrorKind::BadInput, fmt::format("{} is set under two names", edition->name),
                              "server." + name, "keep one of them"});
    }
    if (errors.empty())
        return joinedParts(driver, named);
    Error all = std::move(errors.front());
    for (std::size_t i = 1; i < errors.size(); ++i)
        all.message += "; " + errors[i].message + (errors[i].remedy == all.remedy ? "" : ": " + errors[i].remedy);
    return fail(std::move(all));
}

} // namespace dyno
