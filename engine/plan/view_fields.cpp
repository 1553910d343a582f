// SPDX-License-Identifier: GPL-3.0-or-later
#include <dyno/view_fields.h>

#include "plan/field_values.h"
#include "plan/plan_fields.h"

#include <dyno/chart_kinds.h>
#include <dyno/device_limits.h>

#include <algorithm>
#include <fmt/format.h>

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
    field.type = ViewField::Type::Seconds;
    field.ofSizes = true;
    field.range = fmt::format("0 to {} s", kMaxSeconds);
    field.set = [member](View& view, const Value& value) {
        return putInto(view.*member, durationFrom(value, 0, kMaxSeconds));
    };
    field.value = [member](const View& view) { return Value(view.*member); };
    return field;
}

ViewField flag(std::string name, bool View::*member)
{
    ViewField field;
    field.name = std::move(name);
    field.type = ViewField::Type::Flag;
    field.range = "true, false";
    field.set = [member](View& view, const Value& value) { return putInto(view.*member, flagFrom(value)); };
    field.value = [member](const View& view) { return Value(view.*member); };
    return field;
}

template<class Enum, std::size_t N>
ViewField word(std::string name, Enum View::*member, const std::array<Enum, N>& all)
{
    ViewField field;
    field.name = std::move(name);
    for (const Enum one : all)
        field.range += (field.range.empty() ? "" : ", ") + std::string(toText(one));
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

ViewField explained(ViewField field, std::string help, std::string range = {})
{
    field.help = std::move(help);
    if (!range.empty())
        field.range = std::move(range);
    return field;
}

ViewField listed(ViewField field)
{
    field.list = true;
    return field;
}

std::string limitWords()
{
    std::string names;
    for (const DeviceLimitInfo& limit : deviceLimits())
        names += (names.empty() ? "" : "; ") + limit.name;
    return names;
}

std::string chartWords()
{
    std::string ids;
    for (const ChartKind& kind : chartKinds())
        ids += (ids.empty() ? "" : ", ") + kind.id;
    return ids;
}

} // namespace

const std::vector<ViewField>& viewFields()
{
    static const std::vector<ViewField> fields{
        explained(ofSizes(text("name", &View::name, Names::Text)),
                  "what a person calls it; else it is named after what it shows"),
        explained(always(text("chart", &View::chart)), "the kind of chart", chartWords()),
        explained(always(ofSizes(text("measure", &View::measure))), "the figure that is drawn"),
        explained(always(text("x", &View::x, Names::Axes)), "the axis along x, or several: \"engine × pool\""),
        explained(text("series", &View::series, Names::Axes), "the axis whose cases are the series"),
        explained(text("facet", &View::facet, Names::Axes), "the axis whose cases have a chart each"),
        explained(text("baseline", &View::baseline, Names::Text),
                  "the series that ratios refer to; else the first one"),
        explained(text("verdict", &View::verdict, Names::Text),
                  "the series that the sentence compares with the baseline; else the one with the largest effect"),
        explained(ofSizes(text("verdict_at", &View::verdictAt, Names::Text)),
                  "where the sentence looks, such as \"users = 16; pool = IO-bound\""),
        explained(word("centre", &View::centre, std::array{Centre::Mean, Centre::Median}),
                  "what stands for the runs of a point"),
        explained(word("relative_to", &View::relativeTo, std::array{RelativeTo::Baseline, RelativeTo::Best}),
                  "shows figures as percent of the baseline, or of the best one of the chart"),
        explained(
            text("log", &View::log),
            "axes that are logarithmic; without it, y of lines and dots of runs is where all figures are above 0 and "
            "span more than 50×",
            "x, y, xy, linear"),
        explained(text("over", &View::over), "rows: a chart over time is drawn over the rows changed so far", "rows"),
        explained(seconds("from", &View::from), "where the part of a chart over time begins that is shown first"),
        explained(seconds("to", &View::to), "where that part ends; 0 is the end of the run"),
        explained(text("table", &View::table), "a table that reports add to the view's own",
                  fmt::format("{}, {}", kTableMaxima, kTableSpread)),
        explained(flag("published", &View::published),
                  "lays the published figures of this measure into the chart: hollow diamonds, at the right edge where "
                  "their place along x was not published"),
        explained(listed(text("limit", &View::limit)),
                  "what the disk can do as a dashed line in a chart of figures a second, where load.probe measured it; "
                  "several with \"; \" between them, or a list",
                  limitWords()),
        explained(flag("knee", &View::knee),
                  "marks the knee of each line, the case of x from which more of it brings little, by Kneedle (Satopaa "
                  "2011); x is what the cases set where each sets one number"),
    };
    return fields;
}

const ViewField* findViewField(std::string_view name)
{
    const auto found = std::ranges::find(viewFields(), name, &ViewField::name);
    return found == viewFields().end() ? nullptr : &*found;
}

} // namespace dyno
