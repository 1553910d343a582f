// SPDX-License-Identifier: GPL-3.0-or-later
// What knobs of different products have in common: the catalogue's meanings.
#include <dyno/catalog.h>

#include "server/knobs/knob_catalog.h"
#include "server/knobs/knob_guard.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace dyno {

namespace {

constexpr double kMostBytes = 9e18; // what fits into 64 bits

//! A size as a number of its units.
std::optional<double> unitsOf(const Value& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return double(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    const std::string text = toText(value);
    if (const auto bytes = parseBytes(text))
        return double(*bytes);
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool all = read.ec == std::errc() && read.ptr == text.data() + text.size() && !text.empty();
    return all ? std::optional(number) : std::nullopt;
}

} // namespace

std::optional<std::string> meaningOf(const KnobInfo& knob, const Value& value)
{
    if (knob.scale != 0) {
        const auto units = unitsOf(value);
        const double bytes = units ? *units * knob.scale : 0;
        if (!(bytes > 0) || bytes > kMostBytes) // 0: left to the server; of SQLite a number of pages
            return {};
        return fmt::format("{:.0f}", bytes);
    }
    const std::string text = toText(value);
    for (const auto& [known, meaning] : knob.means) {
        if (sameValue(known, text))
            return meaning;
    }
    if (!knob.means.empty() || text.empty())
        return {};
    return text;
}

std::optional<Value> valueMeaning(const KnobInfo& knob, std::string_view meaning)
{
    std::string text(meaning);
    if (knob.scale != 0) {
        const auto bytes = unitsOf(parseValue(meaning));
        if (!bytes)
            return {};
        const double units = *bytes / knob.scale;
        const bool whole = knob.option.type != OptionType::Real;
        text = fmt::format("{}", whole ? std::round(units) : units);
    } else if (!knob.means.empty()) {
        const auto found = std::ranges::find(knob.means, meaning, &std::pair<std::string, std::string>::second);
        if (found == knob.means.end())
            return {};
        text = found->first;
    }
    auto value = coerce(knob.option, parseValue(text));
    if (!value && knob.option.type == OptionType::Choice) // a word such as "off" that stands for itself
        value = coerce(knob.option, Value(text));
    return value ? std::optional(std::move(*value)) : std::nullopt;
}

const KnobInfo* equivalentKnob(const KnobInfo& knob, std::string_view driver, std::string_view product)
{
    if (knob.meaning.empty())
        return nullptr;
    const KnobInfo* any = nullptr;
    for (const KnobInfo& other : knobCatalog()) {
        if (other.meaning != knob.meaning || other.driver != driver)
            continue;
        if (other.editions.empty()) {
            any = any ? any : &other;
            continue;
        }
        const bool named = std::ranges::find(other.editions, product, &KnobEdition::product) != other.editions.end();
        if (named)
            return &other; // made for this product
        // Of an unknown product the first will do, unless it belongs to one alone.
        if (product.empty() && !any && other.editions.front().product != other.editions.back().product)
            any = &other;
    }
    return any;
}

} // namespace dyno
