// SPDX-License-Identifier: GPL-3.0-or-later
// Documents of a database's collection system.profile, one in a line, in either form of extended JSON. The command in
// one of them is what a client sent, but for single updates and deletes, of which it holds the parts.
#include "base/text.h"
#include "workload/recorded/json_command.h"
#include "workload/recorded/logs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace dyno::recorded {

namespace {

constexpr const char* kNoDocument = "not a document of such a log";

template<class Names>
bool isOneOf(std::string_view name, const Names& names)
{
    return std::ranges::find(names, name) != names.end();
}

std::string_view textIn(const JsonDocument& document, const char* name)
{
    const auto found = document.find(name);
    return found != document.end() && found->is_string() ? std::string_view(found->get_ref<const std::string&>())
                                                         : std::string_view();
}

//! 5, {"$numberInt": "5"}, {"$numberLong": "5"} or {"$numberDouble": "5.0"}.
std::optional<double> numberOf(const JsonDocument& value)
{
    if (value.is_number())
        return value.get<double>();
    if (!value.is_object() || value.size() != 1 || !value.begin()->is_string())
        return {};
    const std::string& text = value.begin()->get_ref<const std::string&>();
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || !std::isfinite(number))
        return {};
    return number;
}

std::optional<double> numberIn(const JsonDocument& document, const char* name)
{
    const auto found = document.find(name);
    return found == document.end() ? std::nullopt : numberOf(*found);
}

//! {"$date": "2026-11-28T05:50:01.123Z"} or {"$date": {"$numberLong": "1795845001123"}}.
std::optional<Microseconds> dateIn(const JsonDocument& document, const char* name)
{
    const auto found = document.find(name);
    if (found == document.end() || !found->is_object() || !found->contains("$date"))
        return {};
    const JsonDocument& date = (*found)["$date"];
    if (date.is_string())
        return logTime(date.get_ref<const std::string&>());
    constexpr double kMostMilliseconds = 1e14; // the year 5138
    const auto milliseconds = numberOf(date);
    if (!milliseconds || std::abs(*milliseconds) > kMostMilliseconds)
        return {};
    return Microseconds(std::llround(*milliseconds) * 1000);
}

//! Of a session, a transaction or the way to the server: the run has its own.
bool isOfSession(std::string_view key)
{
    static constexpr std::array<std::string_view, 14> kKeys = {
        "lsid",       "txnNumber",   "autocommit",           "startTransaction",      "stmtId",
        "stmtIds",    "readConcern", "writeConcern",         "shardVersion",          "databaseVersion",
        "apiVersion", "apiStrict",   "apiDeprecationErrors", "mayBypassWriteBlocking"};
    return key.starts_with('$') || isOneOf(key, kKeys);
}

//! {"update": collection, "updates": [parts]}
JsonDocument commandOfParts(const char* verb, const char* list, std::string_view collection, JsonDocument parts)
{
    JsonDocument command = JsonDocument::object();
    command[verb] = collection;
    command[list] = JsonDocument::array({std::move(parts)});
    return command;
}

//! Its cursor never ends.
bool waitsForMore(const JsonDocument& command)
{
    const auto tailable = command.find("tailable");
    if (tailable != command.end() && *tailable != false)
        return true;
    const auto pipeline = command.find("pipeline");
    if (pipeline == command.end() || !pipeline->is_array() || pipeline->empty())
        return false;
    const JsonDocument& first = pipeline->front();
    return first.is_object() && first.contains("$changeStream");
}

//! Replaces `command` with what can be sent again; nullptr, or why nothing can.
const char* makeSendable(JsonDocument& command, std::string_view operation, std::string_view collection)
{
    constexpr const char* kOthers = "other commands";
    static constexpr std::array<std::string_view, 9> kCommands = {
        "find", "aggregate", "count", "distinct", "findAndModify", "findandmodify", "insert", "update", "delete"};
    if (command.contains("$truncated"))
        return "commands that the server cut short";
    JsonDocument kept = JsonDocument::object();
    for (const auto& [key, value] : command.items()) {
        if (!isOfSession(key))
            kept[key] = value;
    }
    if (kept.empty())
        return kOthers;
    const std::string& verb = kept.begin().key();
    const bool part = kept.contains("q") && !isOneOf(verb, kCommands);
    if (part && operation == "update" && kept.contains("u"))
        kept = commandOfParts("update", "updates", collection, std::move(kept));
    else if (part && operation == "remove" && kept.contains("limit"))
        kept = commandOfParts("delete", "deletes", collection, std::move(kept));
    else if (verb == "getMore")
        return "later parts of answers"; // a run fetches them by itself
    else if (!isOneOf(verb, kCommands))
        return kOthers;
    else if (verb == "insert" && !kept.contains("documents"))
        return "inserts of which the log has no documents";
    else if (verb == "update" || verb == "delete") // its parts have lines of their own
        return "updates and deletes that are recorded part by part";
    if (waitsForMore(kept))
        return "queries that wait for more";
    command = std::move(kept);
    return nullptr;
}

void readProfileDocument(const JsonDocument& document, std::int64_t line, LogSink& sink)
{
    const auto ended = dateIn(document, "ts");
    const std::string_view space = textIn(document, "ns"), operation = textIn(document, "op");
    const auto found = document.find("command");
    if (!ended || space.empty() || operation.empty())
        return sink.skipped(kNoDocument, line);
    const std::size_t dot = std::min(space.find('.'), space.size());
    const std::string_view collection = space.substr(std::min(dot + 1, space.size()));
    if (found == document.end() || !found->is_object() || collection.starts_with("system.")) // who reads such logs
        return sink.skipped("other operations", line);
    JsonDocument command = *found;
    if (const char* why = makeSendable(command, operation, collection))
        return sink.skipped(why, line);
    RecordedStatement statement;
    const auto session = found->find("lsid");
    statement.session = session != found->end() && session->is_object() && session->contains("id")
                            ? (*session)["id"].dump()
                            : std::string(textIn(document, "client"));
    statement.text = command.dump();
    const std::string milliseconds = std::to_string(numberIn(document, "millis").value_or(0) / 1000);
    statement.duration = secondsOf(milliseconds);
    statement.start = *ended - statement.duration.value_or(Microseconds(0));
    const auto whole = document.find("cursorExhausted"); // else its answer goes on in later parts
    if (const auto rows = numberIn(document, "nreturned"); rows && whole != document.end() && *whole == true)
        statement.rows = std::int64_t(std::clamp(*rows, 0.0, 1e15));
    statement.failed = document.contains("errCode") || document.contains("errMsg");
    statement.database = space.substr(0, dot);
    const std::string_view account = textIn(document, "user"); // "app@admin"
    statement.account = account.substr(0, account.rfind('@'));
    sink.statement(statement);
}

} // namespace

bool isProfileLine(std::string_view line)
{
    return line.starts_with('{') && line.find(R"("op":)") != std::string_view::npos &&
           line.find(R"("ns":)") != std::string_view::npos && line.find(R"("ts":)") != std::string_view::npos;
}

void readProfile(LogLines& lines, LogSink& sink)
{
    std::string line;
    while (lines.next(line)) {
        if (trimmed(line).empty())
            continue;
        if (const auto document = documentOf(line))
            readProfileDocument(*document, lines.number(), sink);
        else
            sink.skipped(lines.ended() ? kNoDocument : kCutOff, lines.number());
    }
}

} // namespace dyno::recorded
