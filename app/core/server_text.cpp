// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/server_text.h"

#include "core/text_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dyno {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kValueWidth = 50; // optimizer_switch alone would fill a page

std::string dumped(const Json& json)
{
    // A variable may hold bytes that are not UTF-8: they are replaced, not fatal.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

std::string serverTable(const std::vector<ServerProgram>& installed)
{
    TextTable table({"target", "server", "version", "program"});
    for (const ServerProgram& server : installed)
        table.add({server.uri, server.name, server.version, server.program.string()});
    return table.text();
}

namespace {

//! "0.35 $/h, 120 W", "" when nothing is known.
std::string priceText(const Price& price)
{
    std::string text = price.costPerHour > 0 ? fmt::format("{} {}/h", price.costPerHour, price.currency) : "";
    if (price.watts > 0)
        text += fmt::format("{}{} W", text.empty() ? "" : ", ", price.watts);
    return text;
}

void addPrice(Json& entry, const Price& price)
{
    if (price.costPerHour > 0) { // what is not known is not there
        entry["cost_per_hour"] = price.costPerHour;
        entry["currency"] = price.currency;
    }
    if (price.watts > 0)
        entry["watts"] = price.watts;
}

} // namespace

std::string instanceTable(const std::vector<ServerInstance>& instances)
{
    TextTable table({"target", "version", "state", ">on disk", "price"});
    for (const ServerInstance& one : instances)
        table.add({one.uri, one.version, toText(one.state), bytesText(double(one.bytes)), priceText(one.price)});
    return table.text();
}

std::string remoteTable(const std::vector<RemoteServer>& servers)
{
    TextTable table({"target", "name", "mark", "restart", "price"});
    for (const RemoteServer& server : servers)
        table.add({server.uri, server.name, server.production ? "production" : "",
                   server.apply.empty() || server.restart.empty() ? "" : "by its commands", priceText(server.price)});
    return table.text();
}

std::string serversJson(const std::vector<ServerProgram>& installed, const std::vector<ServerInstance>& instances,
                        const std::vector<RemoteServer>& remote)
{
    Json json{{"installed", Json::array()}, {"instances", Json::array()}, {"remote", Json::array()}};
    for (const ServerProgram& server : installed)
        json["installed"].push_back({{"product", server.product},
                                     {"name", server.name},
                                     {"version", server.version},
                                     {"build", server.build},
                                     {"program", server.program.string()},
                                     {"basedir", server.basedir.string()},
                                     {"uri", server.uri}});
    for (const ServerInstance& one : instances) {
        Json entry{{"uri", one.uri},         {"name", one.name},           {"product", one.product},
                   {"version", one.version}, {"state", toText(one.state)}, {"bytes", one.bytes}};
        addPrice(entry, one.price);
        json["instances"].push_back(std::move(entry));
    }
    for (const RemoteServer& server : remote) {
        Json entry{{"uri", server.uri},
                   {"name", server.name},
                   {"production", server.production},
                   {"apply", server.apply},
                   {"restart", server.restart}};
        addPrice(entry, server.price);
        json["remote"].push_back(std::move(entry));
    }
    return dumped(json);
}

std::string variableTable(const std::vector<VariableState>& variables)
{
    TextTable table({"variable", "value", "default", "change", ""});
    for (const VariableState& variable : variables)
        table.add({variable.name, shortened(variable.value, kValueWidth), shortened(variable.defaultValue, kValueWidth),
                   variable.dynamic ? "" : "restart", variable.knob ? "knob" : ""});
    return table.text();
}

std::string variablesJson(const std::string& target, const std::vector<VariableState>& variables)
{
    Json json{{"target", target}, {"variables", Json::array()}};
    for (const VariableState& variable : variables)
        json["variables"].push_back({{"name", variable.name},
                                     {"value", variable.value},
                                     {"default", variable.defaultValue},
                                     {"knob", variable.knob},
                                     {"dynamic", variable.dynamic}});
    return dumped(json);
}

std::string leftTable(const std::vector<LeftChange>& left)
{
    TextTable table({"target", "setting", "before", "set to", "when", ""});
    for (const LeftChange& change : left)
        table.add({change.target, change.name, change.oldValue, change.newValue,
                   change.changedMs > 0 ? dateText(change.changedMs) : std::string(),
                   change.ownerAlive ? "a session is running" : ""});
    return table.text();
}

std::string leftJson(const std::vector<LeftChange>& left)
{
    Json json{{"left", Json::array()}};
    for (const LeftChange& change : left)
        json["left"].push_back({{"target", change.target},
                                {"name", change.name},
                                {"old", change.oldValue},
                                {"ours", change.newValue},
                                {"changed_ms", change.changedMs},
                                {"owner_alive", change.ownerAlive}});
    return dumped(json);
}

const char* toText(RestoreOutcome outcome)
{
    switch (outcome) {
    case RestoreOutcome::Restored:
        return "restored";
    case RestoreOutcome::WasBack:
        return "was-back";
    case RestoreOutcome::OthersValue:
        return "others-value";
    case RestoreOutcome::Failed:
        break;
    }
    return "failed";
}

std::string restoredText(const RestoredKnob& knob)
{
    const std::string what = fmt::format("{}: {}", knob.target, knob.name);
    switch (knob.outcome) {
    case RestoreOutcome::Restored:
        return fmt::format("{} put back to {} (a session that ended early had left it at {})", what, knob.oldValue,
                           knob.ourValue);
    case RestoreOutcome::WasBack:
        return fmt::format("{} is {} again", what, knob.oldValue);
    case RestoreOutcome::OthersValue:
        return fmt::format("{} is {} now, which somebody else set: left alone (it was {}, a session set it to {}); "
                           "`dyno servers restore \"{}\" --overwrite` puts it back all the same, `dyno servers "
                           "forget-changes \"{}\"` takes it off the list",
                           what, knob.foundValue, knob.oldValue, knob.ourValue, knob.target, knob.target);
    case RestoreOutcome::Failed:
        break;
    }
    return fmt::format("{} is still changed to {} (it was {}): {}; `dyno servers restore \"{}\"` tries again", what,
                       knob.ourValue, knob.oldValue, knob.text, knob.target);
}

std::string restoredJson(const std::vector<RestoredKnob>& knobs)
{
    Json json{{"restored", Json::array()}};
    for (const RestoredKnob& knob : knobs)
        json["restored"].push_back({{"target", knob.target},
                                    {"name", knob.name},
                                    {"outcome", toText(knob.outcome)},
                                    {"old", knob.oldValue},
                                    {"ours", knob.ourValue},
                                    {"found", knob.foundValue},
                                    {"text", knob.text}});
    return dumped(json);
}

} // namespace dyno
