// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/view_fields.h>

#include "plan/field_values.h"
#include "plan/plan_fields.h"

#include <algorithm>

namespace dyno {

namespace {

using Names = ViewField::Names;

ViewField text(std::string name, std::string View::*member, Names names = Names::Nothing)
{
    ViewField field;
    field.name = std::move(name);
    field.names = names;
    field.set = [member](View& view, const Value& value) -> Expected<void> {
        view.*member = toText(value);
        return {};
    };
    field.value = [member](const View& view) { return Value(view.*member); };
    return field;
}

//! An end of the part that a chart over time shows: "900s", "15m", 900.
ViewField seconds(std::string name, double View::*member)
{
    ViewField field;
    field.name = std::move(name);
    field.seconds = field.ofSizes = true;
    field.set = [member](View& view, const Value& value) {
        return putInto(view.*member, durationFrom(value, 0, kMaxSeconds));
    };
    field.value = [member](const View& view) { return Value(view.*member); };
    return field;
}

template<class Enum, std::size_t N>
ViewField word(std::string name, Enum View::*member, const std::array<Enum, N>& all)
{
    ViewField field;
    field.name = std::move(name);
    field.set = [member, all](View& view, const Value& value) {
        return putInto(view.*member, wordFrom(toText(value), all));
    };
    field.value = [member](const View& view) { return Value(std::string(toText(view.*member))); };
    return field;
}

ViewField ofSizes(ViewField field)
{
    field.ofSizes = true;
    return field;
}

ViewField always(ViewField field)
{
    field.alwaysWritten = true;
    return field;
}

} // namespace

const std::vector<ViewField>& viewFields()
{
    static const std::vector<ViewField> fields{
        ofSizes(text("name", &View::name, Names::Text)),
        always(text("chart", &View::chart)),
        always(ofSizes(text("measure", &View::measure))),
        always(text("x", &View::x, Names::Axes)),
        text("series", &View::series, Names::Axes),
        text("facet", &View::facet, Names::Axes),
        text("baseline", &View::baseline, Names::Text),
        text("verdict", &View::verdict, Names::Text),
        ofSizes(text("verdict_at", &View::verdictAt, Names::Text)),
        word("centre", &View::centre, std::array{Centre::Mean, Centre::Median}),
        word("relative_to", &View::relativeTo, std::array{RelativeTo::Baseline, RelativeTo::Best}),
        text("log", &View::log),
        text("over", &View::over),
        seconds("from", &View::from),
        seconds("to", &View::to),
        text("table", &View::table),
    };
    return fields;
}

const ViewField* findViewField(std::string_view name)
{
    const auto found = std::ranges::find(viewFields(), name, &ViewField::name);
    return found == viewFields().end() ? nullptr : &*found;
}

} // namespace dyno
