// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/recorded/json_command.h"

#include "base/text.h"
#include "workload/recorded/statement_language.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dyno::recorded {

namespace {

constexpr int kDeepestDocument = 100; //!< as servers have it
constexpr std::size_t kMostCommandName = 32;

//! Extended JSON writes a value as a document of one such key, or two.
bool isValue(const JsonDocument& part)
{
    static constexpr std::array<std::string_view, 17> kTypes = {
        "$oid",       "$date",      "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal",
        "$binary",    "$timestamp", "$uuid",      "$minKey",     "$maxKey",       "$regularExpression",
        "$undefined", "$symbol",    "$code",      "$dbPointer",  "$regex"};
    return !part.is_structured() ||
           (part.is_object() && !part.empty() && std::ranges::find(kTypes, part.begin().key()) != kTypes.end());
}

//! What stays of a part where ? stands for each value.
std::string shapeOf(const JsonDocument& part)
{
    if (isValue(part))
        return "?";
    std::vector<std::string> shapes;
    for (const auto& [key, value] : part.items()) {
        std::string shape = shapeOf(value);
        if (part.is_object())
            shapes.push_back(fmt::format("{}: {}", key, shape));
        else if (shapes.empty() || shapes.back() != shape)
            shapes.push_back(std::move(shape)); // an array's equal ones are one
    }
    return part.is_object() ? fmt::format("{{{}}}", fmt::join(shapes, ", "))
                            : fmt::format("[{}]", fmt::join(shapes, ", "));
}

std::string commandDigest(std::string_view text)
{
    const auto command = documentOf(text);
    if (!command || command->empty())
        return {};
    const auto first = command->begin();
    std::string digest = fmt::format("{} {}", first.key(), first->is_string() ? first->get<std::string>() : "?");
    JsonDocument rest = *command;
    rest.erase(rest.begin());
    if (!rest.empty())
        digest += " " + shapeOf(rest);
    for (char& c : digest) // inside names: what would steer a terminal
        c = (c & 0xe0) == 0 || c == 0x7f ? '?' : c;
    return digest;
}

std::string_view verbOf(std::string_view digest)
{
    return digest.substr(0, digest.find(' '));
}

//! "find_orders": of the command and the collection.
std::string commandName(std::string_view digest)
{
    std::string name = lowered(digest.substr(0, std::min(digest.size(), digest.find(" {"))));
    if (name.ends_with(" ?"))
        name.resize(name.size() - 2);
    for (char& c : name)
        c = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '_';
    return name.substr(0, kMostCommandName);
}

bool hasKey(const JsonDocument& part, std::string_view name)
{
    for (const auto& [key, value] : part.items()) {
        if ((part.is_object() && key == name) || (value.is_structured() && hasKey(value, name)))
            return true;
    }
    return false;
}

bool commandOnlyReads(std::string_view text)
{
    const auto command = documentOf(text);
    if (!command || command->empty())
        return false;
    const std::string& verb = command->begin().key();
    if (verb == "aggregate")
        return !hasKey(*command, "$out") && !hasKey(*command, "$merge");
    return verb == "find" || verb == "count" || verb == "distinct";
}

OpClass commandClass(std::string_view digest)
{
    const std::string_view verb = verbOf(digest);
    const bool stores =
        digest.find("$out: ") != std::string_view::npos || digest.find("$merge: ") != std::string_view::npos;
    const bool reads = verb == "find" || verb == "count" || verb == "distinct" || (verb == "aggregate" && !stores);
    return reads ? OpClass::Read : OpClass::Write;
}

} // namespace

std::optional<JsonDocument> documentOf(std::string_view text)
{
    bool tooDeep = false;
    const auto watch = [&tooDeep](int depth, JsonDocument::parse_event_t /*event*/, JsonDocument& /*parsed*/) {
        tooDeep = tooDeep || depth > kDeepestDocument;
        return !tooDeep;
    };
    JsonDocument document = JsonDocument::parse(text, watch, false);
    if (tooDeep || !document.is_object())
        return {};
    return document;
}

const StatementLanguage& commandsInJson()
{
    static constexpr StatementLanguage language{.model = DataModel::Document,
                                                .digest = commandDigest,
                                                .name = commandName,
                                                .opClass = commandClass,
                                                .onlyReads = commandOnlyReads,
                                                .step = [](std::string_view) { return RequestKind::Text; }};
    return language;
}

} // namespace dyno::recorded
