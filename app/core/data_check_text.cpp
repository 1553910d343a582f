// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data_check_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dyno {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const std::vector<DataCheckReport>& reports)
{
    Json all = Json::array();
    for (const DataCheckReport& report : reports) {
        for (const ConditionResult& condition : report.conditions) {
            Json one = {{"target", report.target}, {"workload", report.workload}};
            if (report.repeat > 0) {
                one["point"] = report.point;
                one["repeat"] = report.repeat;
            }
            one["name"] = condition.name;
            one["holds"] = condition.holds();
            one["violations"] = condition.violations ? Json(*condition.violations) : Json(nullptr);
            one["error"] = condition.error;
            if (!condition.found.empty())
                one["found"] = condition.found;
            all.push_back(std::move(one));
        }
    }
    return all;
}

std::string resultOf(const ConditionResult& condition)
{
    if (!condition.violations)
        return "not known  " + condition.name + ": " + condition.error;
    if (condition.holds())
        return "holds      " + condition.name;
    if (!condition.found.empty())
        return fmt::format("FAILS      {}: {}", condition.name, condition.found);
    return fmt::format("FAILS      {}: not so for {} {}", condition.name, *condition.violations,
                       *condition.violations == 1 ? "row" : "rows");
}

} // namespace

std::string dataCheckText(const std::vector<DataCheckReport>& reports, const std::vector<PointSpec>& points)
{
    std::string text;
    for (const DataCheckReport& report : reports) {
        text += fmt::format("{} on {}", report.workload, report.target);
        if (report.repeat > 0 && std::size_t(report.point) < points.size()) {
            const PointSpec& point = points[std::size_t(report.point)];
            const std::string label = point.label();
            text += fmt::format(", after {}{}{} {}, run {}", label, label.empty() ? "" : ", ", point.allUsers(),
                                point.allUsers() == 1 ? "user" : "users", report.repeat);
        }
        text += ":\n";
        for (const ConditionResult& condition : report.conditions)
            text += "  " + resultOf(condition) + "\n";
    }
    return text;
}

std::string dataCheckJson(const std::vector<DataCheckReport>& reports)
{
    Json document = Json::object();
    document["checks"] = toJson(reports);
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string withChecks(const std::string& session, const std::vector<DataCheckReport>& reports)
{
    Json document = Json::parse(session);
    document["checks"] = toJson(reports);
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string withStoredIn(const std::string& session, const std::string& file)
{
    Json document = Json::parse(session);
    document["stored_in"] = file.empty() ? Json(nullptr) : Json(file);
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace dyno
