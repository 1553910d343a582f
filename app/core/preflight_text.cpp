// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/preflight_text.h"

#include "core/text_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dyno {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Value& value)
{
    return std::visit([](const auto& plain) { return Json(plain); }, value);
}

Json toJson(const PreflightItem& item)
{
    Json fix; // null without one
    if (!item.fix.name.empty())
        fix = {{"name", item.fix.name}, {"value", toJson(item.fix.value)}};
    return {{"id", item.id},
            {"level", toText(item.level)},
            {"what", item.what},
            {"remedy", item.remedy},
            {"fix", std::move(fix)}};
}

Json toJson(const PreflightReport& report)
{
    Json items = Json::array();
    for (const PreflightItem& item : report.items)
        items.push_back(toJson(item));
    Json asks = Json::array();
    for (const Risk& risk : report.risks)
        asks.push_back({{"key", risk.key}, {"what", toText(risk)}});
    return {{"target", report.target},
            {"server",
             {{"product", report.server.product},
              {"version", report.server.version},
              {"transport", report.server.transport},
              {"cipher", report.server.cipher}}},
            {"round_trip_ms", report.roundTripMs},
            {"missing_rights", report.missingRights},
            {"blocked", report.blocked()},
            {"needs_agreement", std::move(asks)},
            {"items", std::move(items)}};
}

std::string serverLine(const PreflightReport& report)
{
    std::string line;
    const auto add = [&line](const std::string& part) {
        if (!part.empty())
            line += (line.empty() ? "" : ", ") + part;
    };
    add(report.server.version.empty() ? report.server.product : report.server.product + " " + report.server.version);
    add(report.server.transport);
    add(report.server.cipher);
    if (report.roundTripMs > 0)
        add(fmt::format("round trip {} ms", figure(report.roundTripMs)));
    return line;
}

} // namespace

std::string preflightItemsText(const std::vector<PreflightItem>& items, PreflightLevel least)
{
    std::vector<PreflightItem> shown;
    std::copy_if(items.begin(), items.end(), std::back_inserter(shown),
                 [least](const PreflightItem& item) { return item.level >= least; });
    std::stable_sort(shown.begin(), shown.end(),
                     [](const PreflightItem& a, const PreflightItem& b) { return a.level > b.level; });
    std::string text;
    for (const PreflightItem& item : shown) {
        text += fmt::format("{:<8} {}\n", toText(item.level), item.what);
        if (!item.remedy.empty())
            text += fmt::format("{:<8} → {}\n", "", item.remedy);
    }
    return text;
}

std::string preflightText(const PreflightReport& report, PreflightLevel least)
{
    std::string text = report.target + "\n";
    if (const std::string line = serverLine(report); !line.empty())
        text += line + "\n";
    const std::string items = preflightItemsText(report.items, least);
    return items.empty() ? text : text + "\n" + items;
}

std::string preflightJson(const std::vector<PreflightReport>& reports)
{
    Json targets = Json::array();
    bool blocked = false;
    for (const PreflightReport& report : reports) {
        targets.push_back(toJson(report));
        blocked = blocked || report.blocked();
    }
    const Json document = {{"blocked", blocked}, {"targets", std::move(targets)}};
    // A name that is not UTF-8 must not end the program.
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace dyno
