// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/analysis.h>
#include <dyno/view_fields.h>

#include <nlohmann/json.hpp>

namespace dyno {

using Json = nlohmann::ordered_json;

std::string viewText(const View& view)
{
    const View usual;
    Json document = Json::object();
    for (const ViewField& field : viewFields()) {
        const Value value = field.value(view);
        if (value != field.value(usual))
            std::visit([&json = document[field.name]](const auto& one) { json = one; }, value);
    }
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Expected<View> viewFromText(std::string_view text)
{
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object())
        return fail(
            {ErrorKind::BadInput, "this is not a view", std::string(text.substr(0, 80)), "save the view again"});
    View view;
    for (const ViewField& field : viewFields()) {
        const auto found = document.find(field.name);
        if (found == document.end())
            continue;
        // What a newer version may have written otherwise is left at its usual value.
        using Type = ViewField::Type;
        if (field.type == Type::Seconds && found->is_number())
            (void)field.set(view, found->get<double>());
        else if (field.type == Type::Flag && found->is_boolean())
            (void)field.set(view, found->get<bool>());
        else if (field.type == Type::Text && found->is_string())
            (void)field.set(view, found->get<std::string>());
    }
    return view;
}

} // namespace dyno
