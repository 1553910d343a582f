// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/analysis.h>

#include <nlohmann/json.hpp>

namespace dyno {

namespace {

using Json = nlohmann::ordered_json;

//! The fields that are text.
constexpr std::pair<const char*, std::string View::*> kFields[] = {
    {"chart", &View::chart},   {"measure", &View::measure}, {"x", &View::x},     {"series", &View::series},
    {"facet", &View::facet},   {"baseline", &View::baseline}, {"name", &View::name}, {"log", &View::log},
    {"over", &View::over},
};
//! Those that are seconds.
constexpr std::pair<const char*, double View::*> kParts[] = {{"from", &View::from}, {"to", &View::to}};

} // namespace

std::string viewText(const View& view)
{
    const View usual;
    Json document = Json::object();
    for (const auto& [name, member] : kFields) {
        if (view.*member != usual.*member)
            document[name] = view.*member;
    }
    for (const auto& [name, member] : kParts) {
        if (view.*member != usual.*member)
            document[name] = view.*member;
    }
    if (view.centre != usual.centre)
        document["centre"] = toText(view.centre);
    if (view.relativeTo != usual.relativeTo)
        document["relative_to"] = toText(view.relativeTo);
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Expected<View> viewFromText(std::string_view text)
{
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object())
        return fail({ErrorKind::BadInput, "this is not a view", std::string(text.substr(0, 80)), "save the view again"});
    View view;
    const auto textOf = [&document](const char* name, const std::string& otherwise) {
        const auto found = document.find(name);
        return found != document.end() && found->is_string() ? found->get<std::string>() : otherwise;
    };
    for (const auto& [name, member] : kFields)
        view.*member = textOf(name, view.*member);
    for (const auto& [name, member] : kParts) {
        const auto found = document.find(name);
        if (found != document.end() && found->is_number() && found->get<double>() >= 0)
            view.*member = found->get<double>();
    }
    if (textOf("centre", "") == toText(Centre::Median))
        view.centre = Centre::Median;
    for (const RelativeTo one : {RelativeTo::Baseline, RelativeTo::Best}) {
        if (textOf("relative_to", "") == toText(one))
            view.relativeTo = one;
    }
    return view;
}

} // namespace dyno
